"""Compile the kernels once, as a part of installing: `python -m solver.warm`."""

from __future__ import annotations

import numpy as np

from solver.constraints.kernels import rotations


def main() -> None:
    """Call a kernel: where the library of all kernels is not there yet, that makes it."""
    R = np.empty((1, 3, 3))
    rotations(np.zeros((0, 4)), R)
    if not np.array_equal(R[0], np.eye(3)):
        raise SystemExit("the compiled kernels do not compute")


if __name__ == "__main__":
    main()
