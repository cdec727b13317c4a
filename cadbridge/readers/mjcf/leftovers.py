"""What MuJoCo's compiled model holds beside the mechanism: every value that is not its default is reported.

A table, not code: a field of the compiled model, its default, whose it is, what it means. Fields that the installed
MuJoCo does not have are passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.findings import Where
from cadbridge.readers.mjcf.context import Context, listed
from cadbridge.readers.mjcf.tendons import sum_of
from cadbridge.wording import count

_GRAVITY_OFF = 1 << 7
"""MuJoCo's mjDSBL_GRAVITY, a bit of `disableflags`."""


_ACTUATION_OFF = 1 << 11
"""MuJoCo's mjDSBL_ACTUATION, a bit of `disableflags`."""


@dataclass(frozen=True)
class Leftover:
    """A field: of which named things ("" of the model), its default, and what a value other than that means."""

    field: str
    of: str
    default: float
    meaning: str


MOVING = (
    Leftover("jnt_actgravcomp", "joints", 0.0, "gravity compensated by actuators (actuatorgravcomp)"),
    Leftover("jnt_springyield", "joints", 0.0, "springs that yield"),
    Leftover("tendon_springyield", "tendons", 0.0, "springs of tendons that yield"),
    Leftover("actuator_armature", "actuators", 0.0, "rotor inertias of actuators"),
    Leftover("actuator_damping", "actuators", 0.0, "damping of actuators"),
    Leftover("actuator_dampingpoly", "actuators", 0.0, "damping of actuators by powers of the rate"),
    Leftover("actuator_delay", "actuators", 0.0, "delays of actuators"),
    Leftover("body_mocapid", "bodies", -1.0, "bodies moved by the program (mocap), which stand still here"),
    Leftover("body_plugin", "bodies", -1.0, "plug-ins of bodies"),
    Leftover("actuator_plugin", "actuators", -1.0, "plug-ins of actuators"),
)
"""What makes the model move otherwise in MuJoCo, by a thing that has a name."""

OF_SPATIAL = (
    Leftover("tendon_stiffness", "tendons", 0.0, "springs of spatial tendons"),
    Leftover("tendon_damping", "tendons", 0.0, "damping of spatial tendons"),
    Leftover("tendon_frictionloss", "tendons", 0.0, "friction of spatial tendons"),
    Leftover("tendon_armature", "tendons", 0.0, "inertia of spatial tendons"),
    Leftover("tendon_limited", "tendons", 0.0, "limits of spatial tendons"),
    Leftover("tendon_actfrclimited", "tendons", 0.0, "limits of effort on spatial tendons"),
)
"""The same of tendons that are not kept for MJCF."""

SOFTNESS = {
    "limits of joints": ("jnt_margin", "jnt_solref", "jnt_solimp"),
    "friction": ("dof_solref", "dof_solimp"),
    "equalities": ("eq_solref", "eq_solimp"),
    "tendons": ("tendon_margin", "tendon_solref_lim", "tendon_solimp_lim", "tendon_solref_fri", "tendon_solimp_fri"),
}
"""How soft MuJoCo makes its constraints, by what they hold."""

_HARD: dict[str, tuple[float, ...]] = {"margin": (0.0,), "solref": (0.02, 1.0), "solimp": (0.9, 0.95, 0.001, 0.5, 2.0)}
"""The defaults of the format, by the end of a field's name: what differs says how soft a constraint was made."""

_ACTING = {
    1 << 0: "constraint", 1 << 1: "equality", 1 << 2: "frictionloss", 1 << 3: "limit", 1 << 5: "spring",
    1 << 6: "damper", 1 << 8: "clampctrl", _ACTUATION_OFF: "actuation",
}  # fmt: skip
"""What MuJoCo's mjtDisableBit switches off that acts here; the others are of contact and integration."""


def report_leftovers(c: Context) -> None:
    """One finding for what moves otherwise (CB1410), one for what does not (CB1405)."""
    where = Where(str(c.path))
    moving = [text for entry in MOVING if (text := _described(c, entry))]
    spatial = [i for i in range(len(c.model["tendons"])) if sum_of(c, i) is None]
    moving += [text for entry in OF_SPATIAL if (text := _described(c, entry, spatial))]
    moving += [text for report in (_flexible, _ellipsoids, _flags) if (text := report(c))]
    for text in moving:
        c.findings.add("CB1410", f"left out: {text}", where)
    found = sorted(c.model["counts"].items())
    counts = [count(n, kind.removesuffix("s"), kind) for kind, n in found if n and kind not in ("flexes", "tendons")]
    reports = (_unnamed_sites, _stepping, _switches, _softness, _contacts, _idle_ranges)
    counts += [text for report in reports if (text := report(c))]
    counts += [count(len(spatial), "spatial tendon")] if spatial else []
    if counts:
        c.findings.add("CB1405", f"not read: {', '.join(counts)}", where)


def gravity(c: Context) -> tuple[float, float, float]:
    """m/s²; nothing where the file switches it off."""
    off = int(c.model["options"].get("disableflags", 0)) & _GRAVITY_OFF
    x, y, z = (0.0, 0.0, 0.0) if off else (float(v) for v in c.model["gravity"])
    return x, y, z


def unactuated(c: Context) -> bool:
    """Whether the file switches its actuators off."""
    return bool(int(c.model["options"].get("disableflags", 0)) & _ACTUATION_OFF)


def _described(c: Context, entry: Leftover, among: Sequence[int] | None = None) -> str | None:
    values = c.model.get(entry.field)
    if values is None or not len(values):
        return None
    other = np.flatnonzero((values.reshape(len(values), -1) != entry.default).any(axis=1)).tolist()
    names = [_names(c, entry.of)[i] or f"number {i + 1}" for i in other if among is None or i in among]
    return f"{entry.meaning}: {listed(list(dict.fromkeys(names)))}" if names else None


def _names(c: Context, of: str) -> Sequence[str]:
    if of == "dofs":
        return [c.joints[int(j)] for j in c.model["dof_jntid"]]
    named: dict[str, Sequence[str]] = {"bodies": c.bodies, "joints": c.joints}
    return named[of] if of in named else c.model[of]


def _flexible(c: Context) -> str | None:
    many = c.model["counts"].get("flexes", 0)
    bodies = count(many, "flexible body", "flexible bodies")
    return f"the elasticity of {bodies} (flex), whose points move freely" if many else None


def _ellipsoids(c: Context) -> str | None:
    """Drag by the shapes of geoms, which only acts in a medium."""
    options = c.model["options"]
    if not (options.get("density") or options.get("viscosity")):
        return None
    bodies = [c.bodies[int(b)] for b in c.model["geom_bodyid"][c.model["geom_fluid"][:, 0] > 0]]
    return f"drag by the shapes of geoms (fluidshape): {listed(list(dict.fromkeys(bodies)))}" if bodies else None


def _flags(c: Context) -> str | None:
    options = c.model["options"]
    off = [name for bit, name in _ACTING.items() if int(options.get("disableflags", 0)) & bit]
    off += ["groups of actuators"] if int(options.get("disableactuator", 0)) else []
    return f"physics switched off by <flag>: {', '.join(off)}" if off else None


def _switches(c: Context) -> str | None:
    """Flags of contact and integration."""
    known = _GRAVITY_OFF | sum(_ACTING)
    other = int(c.model["options"].get("disableflags", 0)) & ~known or int(c.model["options"].get("enableflags", 0))
    return "flags of contact and integration" if other else None


def _unnamed_sites(c: Context) -> str | None:
    many = sum(not name for name in c.model["sites"])
    return f"{count(many, 'site')} without a name" if many else None


def _stepping(c: Context) -> str | None:
    other = [f"{key} {value}" for key, value in c.model["stepping"].items()]
    return f"the integration's {', '.join(other)}" if other else None


def _softness(c: Context) -> str | None:
    soft = [what for what, fields in SOFTNESS.items() if any(_differs(c, field) for field in fields)]
    return f"the softness (solref, solimp, margin) of {', '.join(soft)}" if soft else None


def _differs(c: Context, field: str) -> bool:
    hard = next(value for what, value in _HARD.items() if what in field)
    values = c.model.get(field)
    # "solref" and "solimp" stand within names such as tendon_solref_lim, so a field is matched by its part.
    return values is not None and bool(len(values)) and not np.allclose(values, hard)


def _contacts(c: Context) -> str | None:
    m = c.model
    geoms = int(np.count_nonzero((m["geom_contype"] != 0) | (m["geom_conaffinity"] != 0)))
    return f"contact of {count(geoms, 'geom')}" if geoms else None


def _idle_ranges(c: Context) -> str | None:
    """Ranges of controls that limit nothing; programs that train controllers read them all the same."""
    limited, ranges = np.asarray(c.model["actuator_ctrllimited"], bool), np.asarray(c.model["actuator_ctrlrange"])
    idle = int(np.count_nonzero(~limited & np.any(ranges.reshape(-1, 2), axis=1)))
    return f"{count(idle, 'range of a control', 'ranges of controls')} without ctrllimited" if idle else None
