"""Loads by a Python function, called from compiled code through one C function pointer a system.

What the function raises cannot pass through compiled code: it is kept, the forces are NaN (no step with them
is accepted), and `Callbacks.check` raises it as a `LoadError` that names the load.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.model import Callback

Array = NDArray[np.float64]

_SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_double, ctypes.c_size_t)


class LoadError(ValueError):
    """A load that gives no force: which one, and why."""


class Callbacks:
    """The callbacks of a system; `address` (0 or 1,) is what the kernels call. Lives as long as they may run."""

    def __init__(self, callbacks: Sequence[Callback], coordinates: int) -> None:
        self._callbacks = tuple(callbacks)
        self._count = coordinates
        self._fault: BaseException | None = None
        self._pointer = _SIGNATURE(self._call)
        found = ctypes.cast(self._pointer, ctypes.c_void_p).value
        self.address = np.array([found] if callbacks else [], dtype=np.int64)

    def check(self) -> None:
        """Raise what a callback raised since the last look: a LoadError, or KeyboardInterrupt as it was."""
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    def _call(self, k: int, t: float, workspace: int) -> None:
        """Compiled code's way in; `workspace` (3, c) holds the coordinates, their rates, and gets the forces."""
        values, rates, forces = self._array(workspace)
        forces[:] = np.nan
        # Compiled code asks on until its step ends; the first fault is the one to tell.
        if self._fault is not None:
            return
        callback = self._callbacks[k]
        try:
            # Copies: the workspace is compiled code's own, and what a function keeps of it would change at the next
            # call.
            given: Any = callback.function(t, values.copy(), rates.copy())
            found = np.asarray(given, dtype=float)
        except KeyboardInterrupt as stop:
            self._fault = stop
            return
        except BaseException as fault:  # a user's function may raise anything; it is reported, not lost
            self._fault = LoadError(
                f'the callback "{callback.name}" raised {type(fault).__name__} at t = {t:.6g} s: {fault}'
            )
            return
        if found.shape != (self._count,):
            self._fault = LoadError(
                f'the callback "{callback.name}" gave forces of shape {found.shape}, not ({self._count},)'
            )
        elif not np.all(np.isfinite(found)):
            self._fault = LoadError(f'the callback "{callback.name}" gave {found.tolist()} at t = {t:.6g} s')
        else:
            forces[:] = found

    def _array(self, address: int) -> Array:
        if self._count == 0:
            return np.zeros((3, 0))
        return np.ctypeslib.as_array((ctypes.c_double * (3 * self._count)).from_address(address)).reshape(3, -1)


class Filler:
    """Functions of time for compiled code: `address` (1,) is what it calls with an array for their values (rows, 3).

    Where one has no value they are NaN: no step with them is accepted, and who takes it in Python learns why.
    """

    def __init__(self, values: Callable[[float], Array], rows: int) -> None:
        self._values, self._rows = values, rows
        self._failed = False
        # Where the last call wanted its values: compiled code asks for the same place many times.
        self._place, self._out = 0, np.empty((rows, 3))
        self._pointer = _SIGNATURE(self._call)
        self.address = np.array([ctypes.cast(self._pointer, ctypes.c_void_p).value], dtype=np.int64)

    def forget(self) -> None:
        """After a look in Python: functions may be called again."""
        self._failed = False

    def _call(self, count: int, t: float, workspace: int) -> None:
        if workspace != self._place:
            room = (ctypes.c_double * (3 * self._rows)).from_address(workspace)
            self._place, self._out = workspace, np.ctypeslib.as_array(room).reshape(-1, 3)
        out = self._out
        out[:] = np.nan
        if self._failed:
            return
        try:
            out[:] = self._values(t)
        except ValueError:  # asked again in Python, where it is reported
            return
        except KeyboardInterrupt:
            self._failed = True
