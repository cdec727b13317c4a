"""Mates file: the mates, couplings and weights of any source as a file that can be laid over another, say its STEP.

Lengths m, angles rad. Names are the source's: what the file is laid over must call its components the same.
"""

from __future__ import annotations

import math
from typing import Any

import yaml

from cadbridge.assembly import (
    GROUND,
    Assembly,
    Coupling,
    Feature,
    FeatureKind,
    Limit,
    MassOverride,
    Mate,
    MateKind,
    NamedFrame,
)
from cadbridge.exporters import sidecars
from cadbridge.exporters.options import ExportOptions
from cadbridge.findings import Findings
from cadbridge.frames import Pose, Vector, perpendicular
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Mechanism
from cadbridge.readers.mates_file.gear_schema import written

ENDING = ".mates.yaml"

_DIRECTION = {FeatureKind.PLANE: "normal", FeatureKind.AXIS: "axis", FeatureKind.FRAME: "z"}
_ALIGNED = set(MateKind) - {MateKind.FLUSH, MateKind.FIXED}
_LIMITED = {
    MateKind.INSERT, MateKind.CONCENTRIC, MateKind.REVOLUTE, MateKind.PRISMATIC, MateKind.CYLINDRICAL,
    MateKind.SPHERICAL, MateKind.PLANAR, MateKind.UNIVERSAL, MateKind.CONSTANT_VELOCITY, MateKind.FREE, MateKind.SCREW,
}  # fmt: skip
_VALUE = {
    MateKind.COINCIDENT: "offset", MateKind.FLUSH: "offset", MateKind.INSERT: "offset", MateKind.TANGENT: "offset",
    MateKind.ANGLE: "angle", MateKind.DISTANCE: "distance", MateKind.SCREW: "pitch",
}  # fmt: skip
_PATTERN = "*?"
"""Letters that mean more than themselves where a mates file names joints by patterns."""

_ALWAYS = {MateKind.ANGLE: 1.0, MateKind.DISTANCE: 1.0, MateKind.SCREW: 2.0 * math.pi}
"""Mates whose value must stand there, even where it is zero, and what it is multiplied by: a pitch is of one turn."""


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export: NAME.mates.yaml and losses.json."""
    assembly = mechanism.assembly
    held = {feature.component for mate in assembly.mates for feature in (mate.a, mate.b)}
    document: dict[str, Any] = {
        "format": "cadbridge.mates/1",
        "units": {"length": "m", "angle": "rad"},
        "ground": [c.name for c in assembly.components if c.grounded and (c.instances or c.name in held)],
        "mass": [
            *(spec for p in assembly.parts if (spec := _mass("part", p.name, p.override or p.declared))),
            *(spec for c in assembly.components if (spec := _mass("component", c.name, c.override))),
        ],
        "density": [{"parts": p.name, "density": p.density} for p in assembly.parts if p.density is not None],
        "mates": [_mate(assembly, mate, findings) for mate in assembly.mates],
        "gears": [spec for c in assembly.couplings if (spec := _gear(assembly, c, findings))],
        "joints": _joints(assembly),
        "overrides": [spec for mate in assembly.mates if (spec := _override(mate, findings))],
        "parts": [{"parts": part.name, "collision": part.collision} for part in assembly.parts if part.collision],
        "drives": [
            {"name": d.name, "joint": d.joint, "reduction": d.reduction, "rotor_inertia": d.rotor_inertia}
            for d in assembly.drives
        ],
        "frames": [_frame(assembly, frame) for frame in assembly.frames],
        "home": dict(assembly.home),
    }
    _report_left_out(assembly, findings)
    full = {key: value for key, value in document.items() if value}
    text = yaml.safe_dump(full, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
    names: dict[str, dict[str, str]] = {"links": {}, "joints": {}, "frames": {}, "meshes": {}}
    losses = sidecars.losses("mates-file", name, names, findings, assembly.home)
    return {f"{name}{ENDING}": text.encode(), sidecars.LOSSES: losses}


def _report_left_out(assembly: Assembly, findings: Findings) -> None:
    """What a mates file has no key for: the laws of servos."""
    for drive in assembly.drives:
        if drive.law is not None:
            text = f"{drive.name}: a mates file has no control law of a drive"
            findings.add("CB795", text, drive.where, items=[drive.name])


def _row(v: Vector) -> list[float]:
    return [float(x) for x in v]


def _inside(assembly: Assembly, component: str) -> Pose:
    """X_CI: features of a component with one instance are given in the instance's frame, others in its own."""
    if component == GROUND:
        return Pose()
    found = assembly.component(component)
    if len(found.instances) != 1:
        return Pose()
    return found.X_WC.inverse() @ assembly.instance(found.instances[0]).X_WI


def _feature(assembly: Assembly, feature: Feature) -> dict[str, Any]:
    X = _inside(assembly, feature.component).inverse()
    spec: dict[str, Any] = {"component": feature.component, "point": _row(X.point(feature.point))}
    if feature.direction is not None and feature.kind in _DIRECTION:
        spec[_DIRECTION[feature.kind]] = _row(X.vector(feature.direction))
        if feature.kind is FeatureKind.FRAME:
            spec["x"] = _row(X.vector(perpendicular(feature.direction) if feature.x is None else feature.x))
    if feature.radius is not None and feature.kind not in (FeatureKind.PLANE, FeatureKind.FRAME):
        spec["radius"] = float(feature.radius)
    return spec


def _mate(assembly: Assembly, mate: Mate, findings: Findings) -> dict[str, Any]:
    spec: dict[str, Any] = {"name": mate.name, "type": mate.kind.value}
    spec |= {"a": _feature(assembly, mate.a), "b": _feature(assembly, mate.b)}
    if mate.kind in _VALUE and (mate.value or mate.kind in _ALWAYS):
        spec[_VALUE[mate.kind]] = float(mate.value) * _ALWAYS.get(mate.kind, 1.0)
    if mate.aligned is not None and mate.kind in _ALIGNED:
        spec["aligned"] = bool(mate.aligned)
    if mate.kind is MateKind.TANGENT and mate.inside:
        spec["inside"] = True
    if mate.lock_rotation and mate.kind in (MateKind.INSERT, MateKind.CONCENTRIC):
        spec["lock_rotation"] = True
    more = {"damping": mate.damping, "friction": mate.friction, "limits": _limits(mate.limit)}
    given = {key: value for key, value in more.items() if value}
    if mate.kind in _LIMITED:
        spec |= given
    elif given:
        findings.add(
            "CB795",
            f"{mate.name}: a {mate.kind.value} mate has no {', '.join(given)} there",
            mate.where,
            items=[mate.name],
        )
    return spec


def mate_item(assembly: Assembly, mate: Mate, unit: float) -> str:
    """A mate without a value of its own as an item of a mates file, in braces; `unit` is the metres of its lengths."""
    spec = _mate(assembly, mate, Findings())
    for side in (spec["a"], spec["b"]):
        side["point"] = [float(f"{x / unit:.12g}") for x in side["point"]]
    # One line, however long: YAML would break it anywhere.
    text: str = yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, default_flow_style=True, width=1_000_000)
    return text.strip()


def _limits(limit: Limit | None) -> dict[str, float]:
    if limit is None:
        return {}
    keys = ("lower", "upper", "velocity", "effort")
    return {key: float(v) for key in keys if (v := getattr(limit, key)) is not None}


def _joints(assembly: Assembly) -> dict[str, Any]:
    """Joints of a name of their own, with their mates."""
    joint_names = {m.name: m.joint_name for m in assembly.mates if m.joint_name} | assembly.joint_names
    joints: dict[str, Any] = {}
    for mate, joint in joint_names.items():
        joints.setdefault(joint, {"mates": []})["mates"].append(mate)
    return {joint: spec for joint, spec in joints.items() if spec["mates"] != [joint]}


def _override(mate: Mate, findings: Findings) -> dict[str, Any] | None:
    """The rotor and the spring of a joint, which a mates file says by its name."""
    given = {key: float(getattr(mate, key)) for key in ("armature", "stiffness") if getattr(mate, key)}
    lost = []
    if given and any(letter in mate.name for letter in _PATTERN):
        lost = [f"{' and '.join(given)} of a joint whose name is a pattern"]
    elif mate.stiffness and mate.rest:
        lost = [f"place where its spring is slack ({mate.rest:g})"]
    if lost:
        findings.add("CB795", f"{mate.name}: a mates file has no {lost[0]}", mate.where, items=[mate.name])
    return {"joints": mate.name} | given if given and not any(letter in mate.name for letter in _PATTERN) else None


def _mass(what: str, name: str, given: MassOverride | MassProperties | None) -> dict[str, Any] | None:
    """What a person or the source says of the mass of a part or component, in its frame."""
    if given is None:
        return None
    spec: dict[str, Any] = {what: name}
    if given.mass is not None:
        spec["mass"] = float(given.mass)
    if given.com is not None:
        spec["com"] = _row(given.com)
    if given.inertia is not None:
        J = given.inertia
        keys = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
        spec["inertia"] = {key: float(J[i]) for key, i in keys.items()}
    return spec if len(spec) > 1 else None


def _frame(assembly: Assembly, frame: NamedFrame) -> dict[str, Any]:
    X = _inside(assembly, frame.component).inverse() @ frame.X_CF
    return {
        "name": frame.name, "component": frame.component,
        "point": _row(X.p), "z": _row(X.R[:, 2]), "x": _row(X.R[:, 0]),
    }  # fmt: skip


# --- couplings ---


def _gear(assembly: Assembly, c: Coupling, findings: Findings) -> dict[str, Any] | None:
    spec = written(c)
    if spec is None:
        findings.add("CB795", f"{c.name}: a {c.kind.value} coupling of these numbers has no place there", c.where)
        return None
    done: dict[str, Any] = {"name": c.name, "type": c.kind.value}
    if c.a is not None and c.b is not None:
        done |= {"a": _feature(assembly, c.a), "b": _feature(assembly, c.b)}
        if c.carrier is not None:
            done["carrier"] = c.carrier
    return done | spec
