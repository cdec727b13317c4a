"""Multibody dynamics in absolute coordinates, of systems with any redundant constraints. Knows nothing of CAD.

Its functions are loaded at first use: who only builds or diagnoses need not wait for all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.assembling import assemble
    from solver.changing import Change, Changed, Rebuilt, simulate_changing
    from solver.events import Event
    from solver.integrate import simulate
    from solver.kinematics import Efforts, inverse, kinematic
    from solver.linear import Linearisation, linearise
    from solver.recover import GearError, gear_errors, wrenches
    from solver.result import Occurrence, Result, Statistics, Status, Trajectory
    from solver.state import State
    from solver.statics import Equilibrium, equilibrium

_HOMES = {
    "Change": "solver.changing",
    "Changed": "solver.changing",
    "Efforts": "solver.kinematics",
    "Equilibrium": "solver.statics",
    "Event": "solver.events",
    "GearError": "solver.recover",
    "Linearisation": "solver.linear",
    "Occurrence": "solver.result",
    "Rebuilt": "solver.changing",
    "Result": "solver.result",
    "State": "solver.state",
    "Statistics": "solver.result",
    "Status": "solver.result",
    "Trajectory": "solver.result",
    "assemble": "solver.assembling",
    "equilibrium": "solver.statics",
    "gear_errors": "solver.recover",
    "inverse": "solver.kinematics",
    "kinematic": "solver.kinematics",
    "linearise": "solver.linear",
    "simulate": "solver.integrate",
    "simulate_changing": "solver.changing",
    "wrenches": "solver.recover",
}

__all__ = [
    "Change",
    "Changed",
    "Efforts",
    "Equilibrium",
    "Event",
    "GearError",
    "Linearisation",
    "Occurrence",
    "Rebuilt",
    "Result",
    "State",
    "Statistics",
    "Status",
    "Trajectory",
    "assemble",
    "equilibrium",
    "gear_errors",
    "inverse",
    "kinematic",
    "linearise",
    "simulate",
    "simulate_changing",
    "wrenches",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'solver' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
