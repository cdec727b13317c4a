"""A pytest plugin (`-p tests.kernels_in_python`): entries of the solver run as the Python that they are.

A changed kernel is tested without being compiled, by tests that have few states: a kernel takes some hundred times as
long. `scripts/measure/mutants.py` needs it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.compilation import compiled

_CALLED = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_double, ctypes.c_size_t)


def _bound(entry: compiled.Entry[..., Any], *arguments: Any) -> Callable[[], Any]:
    return lambda: entry.py_func(*arguments)


def _call_python(address: int, k: int, t: float, room: NDArray[np.float64]) -> None:
    _CALLED(int(address))(int(k), float(t), room.ctypes.data)


for _name, _function in {"__call__": compiled.Kernel.__call__, "bound": _bound}.items():
    setattr(compiled.Entry, _name, _function)
compiled.call_python.py_func = _call_python
np.seterr(all="ignore")  # as compiled code: what divides by zero is infinite
