"""The columns of a trajectory in groups, a choice of them, and their units as a scenario has them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where

GROUPS = {
    "bodies": "poses and velocities of the bodies",
    "joints": "values, rates and accelerations of the joints",
    "reactions": "wrenches in the joints",
    "mates": "the share of each mate in its joint's wrench (--keep-redundant)",
    "by_stiffness": "wrenches of mates that repeat each other and of their joints, shared by stiffness "
    "(--keep-redundant)",
    "elastic": "the same wrenches with springs in place of these mates (--elastic)",
    "motors": "efforts and powers of motors and drives; currents, voltages, pressures and flows",
    "loads": "springs, dampers, friction, stops, bushings, wrenches and callbacks",
    "gears": "wrenches, losses and errors of gears and other couplings",
    "attachments": "wrenches of locks and attachments",
    "energy": "energies, work, what is dissipated, and the balance",
    "checks": "how far the constraints are open, and whether each sample is what the run promises",
}
"""The groups of a trajectory's columns. `time` belongs to all."""

_BEGINNINGS = {
    "body": "bodies", "mate": "mates", "by_stiffness": "by_stiffness", "elastic": "elastic", "motor": "motors",
    "drive": "motors", "actuator": "motors", "load": "loads", "gear": "gears", "tooth": "gears",
    "attachment": "attachments", "energy": "energy", "constraint": "checks", "check": "checks", "unmet": "checks",
    "bearing": "reactions", "external": "loads", "time": "time",
}  # fmt: skip
_STATES = ("q", "qd", "qdd")
_SCENARIO = {
    "rad": ("deg", 180 / math.pi), "rad/s": ("deg/s", 180 / math.pi), "rad/s²": ("deg/s²", 180 / math.pi),
    "m": ("mm", 1e3), "m/s": ("mm/s", 1e3), "m/s²": ("mm/s²", 1e3), "Pa": ("bar", 1e-5), "m³/s": ("L/s", 1e3),
}  # fmt: skip
"""Units of a scenario for those of the solver, and how many of them one is."""
_BACK = {theirs: (own, 1 / factor) for own, (theirs, factor) in _SCENARIO.items()}

UNITS = ("si", "scenario")
"""What the columns of a table may be in."""


def group_of(name: str) -> str:
    """The group of a column by its name; "" where it has none."""
    first, _, rest = name.partition(".")
    if first == "joint":
        return "joints" if rest.rpartition(".")[2] in _STATES else "reactions"
    return _BEGINNINGS.get(first, "")


def check_choice(wanted: Sequence[str]) -> None:
    """InputError for names that are neither a group nor a pattern of columns."""
    unknown = [name for name in wanted if name not in GROUPS and not any(c in name for c in ".*?[") and name != "time"]
    if unknown:
        groups = ", ".join(GROUPS)
        raise InputError(
            f"--columns: there is no group {', '.join(map(repr, unknown))}. The groups are {groups}; "
            "a pattern such as 'joint.A1.*' takes columns by their names."
        )


def chosen(names: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """The columns of the groups and patterns wanted, with `time`, in the order of the table; all where none is."""
    check_choice(wanted)
    if not wanted:
        return list(names)
    return [n for n in names if n == "time" or group_of(n) in wanted or any(fnmatchcase(n, w) for w in wanted)]


def report_unmatched(names: Iterable[str], wanted: Sequence[str], findings: Findings) -> None:
    """Report the groups and patterns that no column of a table has (CB633)."""
    every = list(names)
    for name in wanted:
        found = (group_of(n) == name if name in GROUPS else fnmatchcase(n, name) for n in every)
        if not any(found):
            what = f"the group {name}" if name in GROUPS else repr(name)
            findings.add("CB633", f"--columns: this run has no column of {what}", Where(item=name))


def in_units(
    columns: dict[str, tuple[NDArray[np.float64], str]], units: str
) -> dict[str, tuple[NDArray[np.float64], str]]:
    """The columns in SI, or in degrees, mm, bar and L/s as a scenario has them; forces, energies and times stay."""
    if units not in UNITS:
        raise InputError(f"Units of columns are {' or '.join(UNITS)}, not {units!r}.")
    turn = _SCENARIO if units == "scenario" else _BACK
    done = {}
    for name, (values, unit) in columns.items():
        new, factor = turn.get(unit, (unit, 1.0))
        done[name] = (np.asarray(values) * factor if factor != 1.0 else values, new)
    return done
