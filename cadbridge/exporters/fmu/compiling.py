"""Compiles the kernels of an FMU to one object file: `python -m cadbridge.exporters.fmu.compiling FILE`.

For any x86-64 processor of the last fifteen years (level v2), whatever this machine has. The object needs nothing but
the C library's mathematics.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from cadbridge.exporters.fmu.tables import KERNELS
from solver.compilation.compiled import ENTRIES

PROCESSOR = "x86-64-v2"


def main(target: str) -> None:
    """Write the object file, whole or not at all. Numba can run nothing in this process afterwards."""
    from solver.compilation import building

    for name in building.modules():
        importlib.import_module(name)
    (code,) = building.objects_of([ENTRIES[name] for name in KERNELS], [PROCESSOR])
    part = Path(f"{target}.{os.getpid()}")
    part.write_bytes(code)
    os.replace(part, target)


if __name__ == "__main__":
    main(sys.argv[1])
