"""Multibody dynamics in absolute coordinates, of systems with any redundant constraints. Knows nothing of CAD.

`simulate`, `gear_errors` and `wrenches` are loaded at first use: Numba takes its time, and who only builds or
diagnoses need not wait.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.events import Event
    from solver.integrate import simulate
    from solver.recover import GearError, gear_errors, wrenches
    from solver.result import Occurrence, Result, Statistics, Status, Trajectory
    from solver.state import State

_HOMES = {
    "Event": "solver.events",
    "simulate": "solver.integrate",
    "GearError": "solver.recover",
    "gear_errors": "solver.recover",
    "wrenches": "solver.recover",
    "Occurrence": "solver.result",
    "Result": "solver.result",
    "Statistics": "solver.result",
    "Status": "solver.result",
    "Trajectory": "solver.result",
    "State": "solver.state",
}

__all__ = [
    "Event",
    "GearError",
    "Occurrence",
    "Result",
    "State",
    "Statistics",
    "Status",
    "Trajectory",
    "gear_errors",
    "simulate",
    "wrenches",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'solver' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
