"""The mechanism as Fusion 360's assembly.json, with a mates file for the masses and the gear.

As in the Gallery's own files: cm, origins in the root's frame, axes in the occurrence's. The guide is
as-built, hinge A stands at an angle from the joint's zero and at an offset.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.readers.same_mechanism.model import BODIES, GUIDE, HINGES, Body, Hinge, X, Z
from tests.readers.same_mechanism.plain import beside, gears, masses, write_mates

ANGLE = np.radians(25.0)
OFFSET = 0.02
"""rad and m: of hinge A, from where its geometries meet."""


def xyz(v: np.ndarray, kind: str = "Vector3D") -> dict[str, Any]:
    return {"type": kind, **dict(zip("xyz", map(float, v), strict=True))}


def geometry(body: Body, point: np.ndarray, turn: float = 0.0) -> dict[str, Any]:
    """A joint geometry along z of the world, its x turned about it."""
    x = np.cos(turn) * X + np.sin(turn) * np.cross(Z, X)
    return {
        "type": "JointGeometry",
        "origin": xyz(point * 100.0, "Point3D"),
        "primary_axis_vector": xyz(body.vector(Z)),
        "secondary_axis_vector": xyz(body.vector(x)),
        "tertiary_axis_vector": xyz(body.vector(np.cross(Z, x))),
    }


def joint(hinge: Hinge, kind: str = "RevoluteJointType") -> dict[str, Any]:
    """The first occurrence is the one that moves."""
    one, two = BODIES[hinge.b], BODIES[hinge.a]
    special = hinge.name == "Hinge A"
    motion: dict[str, Any] = {"joint_type": kind}
    motion["normal_direction" if kind.startswith("Planar") else "rotation_axis"] = "ZAxisJointDirection"
    drawn = np.radians(10.0) if special else 0.0  # the joint itself has been turned by so much
    if hinge.limits:
        low, high = (float(v + drawn) for v in hinge.limits)
        motion["rotation_limits"] = {
            "minimum_value": low, "maximum_value": high, "rest_value": 0.0,
            "is_minimum_value_enabled": True, "is_maximum_value_enabled": True, "is_rest_value_enabled": False,
        }  # fmt: skip
    turn = ANGLE + drawn if special else 0.0
    at = hinge.point - (OFFSET * Z if special else 0.0)
    return {
        "name": hinge.name,
        "type": "Joint",
        "occurrence_one": one.name,
        "occurrence_two": two.name,
        "joint_motion": motion,
        "geometry_or_origin_one": geometry(one, hinge.point, turn),
        "geometry_or_origin_two": geometry(two, at),
        "offset": {"value": OFFSET * 100.0 if special else 0.0},
        "angle": {"value": ANGLE if special else 0.0},
        "is_flipped": False,
    }


def as_built(hinge: Hinge) -> dict[str, Any]:
    """The same with one geometry, that of the first occurrence."""
    made = joint(hinge)
    for key in ("geometry_or_origin_two", "offset", "angle", "is_flipped"):
        del made[key]
    return made | {"type": "AsBuiltJoint", "joint_geometry": made.pop("geometry_or_origin_one")}


def occurrence(body: Body) -> dict[str, Any]:
    axes = {f"{k}_axis": xyz(body.X.R[:, i]) for i, k in enumerate("xyz")}
    return {
        "name": body.name,
        "component": f"c {body.name}",
        "is_grounded": body.grounded,
        "is_visible": True,
        "transform": {"origin": xyz(body.X.p * 100.0, "Point3D"), **axes},
        "bodies": {f"b {body.name}": {"is_visible": True}},
    }


def document() -> dict[str, Any]:
    return {
        "tree": {"root": {name: {} for name in BODIES}},
        "root": {"component": "c root", "bodies": {}},
        "occurrences": {name: occurrence(body) for name, body in BODIES.items()},
        "components": {f"c {n}": {"name": n, "bodies": [f"b {n}"]} for n in BODIES} | {"c root": {"name": "root"}},
        "bodies": {f"b {n}": {"name": "Body1", "material": {"name": "Steel"}} for n in BODIES},
        "joints": {f"j {h.name}": joint(h) for h in HINGES},
        "as_built_joints": {"j G": as_built(GUIDE) | {"joint_motion": joint(GUIDE, "PlanarJointType")["joint_motion"]}},
    }


def write(folder: Path) -> Path:
    """The document and its mates file."""
    source = folder / "assembly.json"
    source.write_text(json.dumps(document(), indent=1))
    write_mates(beside(source), masses(), gears())
    return source
