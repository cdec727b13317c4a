"""How the innermost kernels are compiled.

A kernel gets all its arrays from its caller and makes none. Compiled without Numba's runtime it counts no references,
which otherwise took more than half of the time of a small mechanism: each call counted each array of each table up and
down. Numba refuses to compile a kernel that would make an array.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from numba import njit

STAMP = "kernels.stamp"
"""Beside the kernels kept on disk: from which sources they were compiled."""

kernel: Any = njit(cache=True, error_model="numpy", _nrt=False)
"""For functions that neither make nor return arrays."""

inlined: Any = njit(cache=True, error_model="numpy", inline="always")
"""For functions that do little but call others: handing all tables on costs as much as what a small mechanism needs."""

making: Any = njit(cache=True, error_model="numpy", _nrt=True)
"""For functions that kernels call and that make arrays of their own, where that is rare."""


def forget_stale(package: Path) -> None:
    """Remove the kernels kept below a package where one of its sources has changed since they were compiled.

    Numba looks at a function's own file alone: it would go on with code of functions that it calls, or took in, as
    they were before. Where nothing can be written (a package that others installed) sources do not change singly.
    """
    sources = [(path, path.stat()) for path in sorted(package.rglob("*.py"))]
    told = "".join(f"{path.relative_to(package)} {stat.st_mtime_ns} {stat.st_size}\n" for path, stat in sources)
    stamp, kept = hashlib.sha256(told.encode()).hexdigest(), package / "__pycache__" / STAMP
    try:
        if kept.is_file() and kept.read_text() == stamp:
            return
        for path in package.rglob("*.nb[ic]"):
            path.unlink(missing_ok=True)
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(stamp)
    except OSError:
        return


forget_stale(Path(__file__).parent)
