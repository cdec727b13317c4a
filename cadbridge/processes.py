"""How a Python process of ours is started: no module is ever found in the folder that the user stands in.

`python -m` and `-c` put the current folder first among those that modules are looked for in: a `json.py` beside a
stranger's robot would be run. `-P` leaves it out, and so must PYTHONPATH, of which an empty entry means it as well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
"""The folder that this package lies in."""


ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""What keeps a process to one core: processes run beside each other, and sums do not depend on a number of threads."""


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours with this Python."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of such a process: ours, with this package found, and no relative entry of PYTHONPATH."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join((str(HOME), *(p for p in given if os.path.isabs(p))))
    return {**os.environ, **(more or {}), "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
