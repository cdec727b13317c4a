"""What MuJoCo's compiled model holds beside the mechanism: every value that is not its default is told.

A table, not code: a field of the compiled model, its default, whose it is, what it means. Fields that the installed
MuJoCo does not have are passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.findings import Where
from cadbridge.readers.mjcf.context import Context

_SHOWN = 4

_GRAVITY_OFF = 1 << 7
"""MuJoCo's mjDSBL_GRAVITY."""


@dataclass(frozen=True)
class Leftover:
    """A field: of which named things ("" of the model), its default, and what a value other than that means."""

    field: str
    of: str
    default: float
    meaning: str


MOVING = (
    Leftover("body_gravcomp", "bodies", 0.0, "gravity that is compensated (gravcomp)"),
    Leftover("jnt_actgravcomp", "joints", 0.0, "gravity compensated by actuators (actuatorgravcomp)"),
    Leftover("dof_dampingpoly", "dofs", 0.0, "damping by powers of the rate"),
    Leftover("jnt_stiffnesspoly", "joints", 0.0, "springs by powers of the deflection"),
    Leftover("jnt_springyield", "joints", 0.0, "springs that yield"),
    Leftover("actuator_armature", "actuators", 0.0, "rotor inertias of actuators"),
    Leftover("actuator_damping", "actuators", 0.0, "damping of actuators"),
    Leftover("actuator_dampingpoly", "actuators", 0.0, "damping of actuators by powers of the rate"),
    Leftover("actuator_delay", "actuators", 0.0, "delays of actuators"),
    Leftover("tendon_stiffness", "tendons", 0.0, "springs of tendons"),
    Leftover("tendon_stiffnesspoly", "tendons", 0.0, "springs of tendons by powers"),
    Leftover("tendon_damping", "tendons", 0.0, "damping of tendons"),
    Leftover("tendon_dampingpoly", "tendons", 0.0, "damping of tendons by powers"),
    Leftover("tendon_frictionloss", "tendons", 0.0, "friction of tendons"),
    Leftover("tendon_armature", "tendons", 0.0, "inertia of tendons"),
    Leftover("tendon_limited", "tendons", 0.0, "limits of tendons"),
    Leftover("tendon_actfrclimited", "tendons", 0.0, "limits of effort on tendons"),
    Leftover("body_mocapid", "bodies", -1.0, "bodies moved by the program (mocap), which stand still here"),
    Leftover("body_plugin", "bodies", -1.0, "plug-ins of bodies"),
    Leftover("actuator_plugin", "actuators", -1.0, "plug-ins of actuators"),
)
"""What makes the model move otherwise in MuJoCo, by a thing that has a name."""

_MEDIUM = {"density": "kg/m³", "viscosity": "Pa s"}
_FLAGS = {"disableflags": 0, "enableflags": 0, "disableactuator": 0}
_STEPS = {"timestep": 0.002, "integrator": 0, "cone": 0, "impratio": 1.0, "solver": 2}


def tell_leftovers(c: Context) -> None:
    """One finding for what moves otherwise (CB1410), one for what does not (CB1405)."""
    where = Where(str(c.path))
    moving = [text for entry in MOVING if (text := _told(c, entry))]
    moving += [text for tell in (_medium, _flags) if (text := tell(c))]
    for text in moving:
        c.findings.add("CB1410", text, where)
    counts = [f"{n} {kind}" for kind, n in sorted(c.model["counts"].items()) if n]
    counts += [text for tell in (_keyframes, _unnamed_sites, _stepping, _contacts) if (text := tell(c))]
    if counts:
        c.findings.add("CB1405", f"not read: {', '.join(counts)}", where)


def gravity(c: Context) -> tuple[float, float, float]:
    """m/s²; nothing where the file switches it off."""
    off = int(c.model["options"].get("disableflags", 0)) & _GRAVITY_OFF
    x, y, z = (0.0, 0.0, 0.0) if off else (float(v) for v in c.model["gravity"])
    return x, y, z


def _told(c: Context, entry: Leftover) -> str | None:
    values = c.model.get(entry.field)
    if values is None or not len(values):
        return None
    other = np.flatnonzero((values.reshape(len(values), -1) != entry.default).any(axis=1))
    return f"{entry.meaning}: {_listed(_names(c, entry.of), other.tolist())}" if len(other) else None


def _names(c: Context, of: str) -> Sequence[str]:
    if of == "dofs":
        return [c.joints[int(j)] for j in c.model["dof_jntid"]]
    named: dict[str, Sequence[str]] = {"bodies": c.bodies, "joints": c.joints}
    return named[of] if of in named else c.model[of]


def _listed(names: Sequence[str], which: Sequence[int]) -> str:
    items = list(dict.fromkeys(names[i] or f"number {i + 1}" for i in which))
    return ", ".join(items[:_SHOWN]) + (f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else "")


def _medium(c: Context) -> str | None:
    found = [f"{what} {v:g} {unit}" for what, unit in _MEDIUM.items() if (v := c.model["options"].get(what))]
    if not found:
        return None
    wind = c.model["options"].get("wind")
    moving = f", wind {' '.join(f'{v:g}' for v in wind)} m/s" if wind is not None and np.any(wind) else ""
    return f"drag of a medium of {', '.join(found)}{moving}"


def _flags(c: Context) -> str | None:
    set_to = {key: int(c.model["options"].get(key, 0)) for key in _FLAGS}
    set_to["disableflags"] &= ~_GRAVITY_OFF
    found = [f"{key} {value:#x}" for key, value in set_to.items() if value]
    return f"physics switched by <flag>: {', '.join(found)}" if found else None


def _keyframes(c: Context) -> str | None:
    others = [name or f"number {i + 1}" for i, name in enumerate(c.model["keys"]) if name != "home"]
    return (
        f"{len(others)} keyframes ({', '.join(others[:_SHOWN])}{' …' if len(others) > _SHOWN else ''})"
        if others
        else None
    )


def _unnamed_sites(c: Context) -> str | None:
    count = sum(not name for name in c.model["sites"])
    return f"{count} sites without a name" if count else None


def _stepping(c: Context) -> str | None:
    options = c.model["options"]
    other = [f"{key} {options[key]:g}" for key, value in _STEPS.items() if key in options and options[key] != value]
    return f"the integration's {', '.join(other)}" if other else None


def _contacts(c: Context) -> str | None:
    m = c.model
    touching = int(np.count_nonzero((m["geom_contype"] != 0) | (m["geom_conaffinity"] != 0)))
    return f"contact of {touching} geoms" if touching else None
