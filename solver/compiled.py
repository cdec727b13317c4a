"""How the innermost kernels are compiled.

A kernel gets all its arrays from its caller and makes none. Compiled without Numba's runtime it counts no references,
which otherwise took more than half of the time of a small mechanism: each call counted each array of each table up and
down. Numba refuses to compile a kernel that would make an array.
"""

from __future__ import annotations

from typing import Any

from numba import njit

kernel: Any = njit(cache=True, error_model="numpy", _nrt=False)
"""For functions that neither make nor return arrays."""

inlined: Any = njit(cache=True, error_model="numpy", inline="always")
"""For functions that do little but call others: handing all tables on costs as much as what a small mechanism needs."""

making: Any = njit(cache=True, error_model="numpy", _nrt=True)
"""For functions that kernels call and that make arrays of their own, where that is rare."""
