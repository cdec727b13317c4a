"""Multibody dynamics in absolute coordinates, of systems with any redundant constraints. Knows nothing of CAD.

Its functions are loaded at first use: who only builds or diagnoses need not wait for all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.analyses.assembling import assemble
    from solver.analyses.kinematics import Efforts, inverse, kinematic
    from solver.analyses.linear import Linearisation, linearise
    from solver.analyses.recover import GearError, gear_errors, wrenches
    from solver.analyses.statics import Equilibrium, equilibrium
    from solver.result import Occurrence, Result, Statistics, Status, Trajectory
    from solver.runs.changing import Change, Changed, Rebuilt, simulate_changing
    from solver.runs.events import Event
    from solver.runs.integrate import simulate
    from solver.state import State

_HOMES = {
    "Change": "solver.runs.changing",
    "Changed": "solver.runs.changing",
    "Efforts": "solver.analyses.kinematics",
    "Equilibrium": "solver.analyses.statics",
    "Event": "solver.runs.events",
    "GearError": "solver.analyses.recover",
    "Linearisation": "solver.analyses.linear",
    "Occurrence": "solver.result",
    "Rebuilt": "solver.runs.changing",
    "Result": "solver.result",
    "State": "solver.state",
    "Statistics": "solver.result",
    "Status": "solver.result",
    "Trajectory": "solver.result",
    "assemble": "solver.analyses.assembling",
    "equilibrium": "solver.analyses.statics",
    "gear_errors": "solver.analyses.recover",
    "inverse": "solver.analyses.kinematics",
    "kinematic": "solver.analyses.kinematics",
    "linearise": "solver.analyses.linear",
    "simulate": "solver.runs.integrate",
    "simulate_changing": "solver.runs.changing",
    "wrenches": "solver.analyses.recover",
}

__all__ = [
    "Change", "Changed", "Efforts", "Equilibrium", "Event", "GearError", "Linearisation", "Occurrence", "Rebuilt",
    "Result", "State", "Statistics", "Status", "Trajectory", "assemble", "equilibrium", "gear_errors", "inverse",
    "kinematic", "linearise", "simulate", "simulate_changing", "wrenches",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a public name from its module at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'solver' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
