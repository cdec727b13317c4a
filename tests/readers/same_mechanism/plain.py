"""The mechanism as a mates file over an assembly without mates: what all formats are held against.

Formats that have joints say each hinge as one mate (`joints`); those that have only relations between faces and
axes say it as two (`constraints`), which makes more rows and more redundancy, and the same mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from tests.readers.same_mechanism.model import BODIES, GEAR, GUIDE, HINGES, Body, Hinge, X, Z

HEAD: dict[str, Any] = {"format": "cadbridge.mates/1", "units": {"length": "m", "angle": "rad"}}


def write_mates(path: Path, *sections: dict[str, Any]) -> Path:
    """A mates file with the sections given; lengths m, angles rad."""
    document = dict(HEAD)
    for section in sections:
        document |= section
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path


def beside(source: Path) -> Path:
    """The path of the mates file that lies over a source."""
    return source.with_name(source.stem + ".mates.yaml")


def converted(folder: Path) -> Path:
    """Our own JSON of a mates file's mechanism."""
    import cadbridge as cb
    from cadbridge.exporters import export
    from tests.readers.same_mechanism import simscape

    return export(cb.build(cb.read(simscape.plain_joints(folder))), folder / "out", "json").files[0]


def gears() -> dict[str, Any]:
    """The gear pair, for formats that have none."""
    name, a, b, ratio = GEAR
    axes = {h.b: h.point for h in HINGES if h.a == "Base"}
    sides = {side: axis(BODIES[body], axes[body]) for side, body in (("a", a), ("b", b))}
    return {"gears": [{"name": name, "type": "spur", **sides, "ratio": ratio}]}


def limits() -> dict[str, Any]:
    """The limit, for formats that have none."""
    return {
        "joints": {
            h.name: {"mates": [h.name], "limits": {"lower": float(h.limits[0]), "upper": float(h.limits[1])}}
            for h in HINGES
            if h.limits
        }
    }


def masses() -> dict[str, Any]:
    """The masses, for formats that have none."""
    return {"mass": [_mass(body) for body in BODIES.values()]}


def ground() -> dict[str, Any]:
    """The ground, for formats that have none."""
    return {"ground": [body.name for body in BODIES.values() if body.grounded]}


def joint_mates() -> dict[str, Any]:
    """One mate a hinge, and the guide."""
    mates = [_mate(h, "revolute", frame) for h in HINGES]
    return {"mates": [*mates, _mate(GUIDE, "planar", frame)]}


def constraint_mates() -> dict[str, Any]:
    """Two mates a hinge (axes, then planes), and the guide between two planes."""
    mates = []
    for hinge in HINGES:
        mates.append(_mate(hinge, "concentric", axis))
        mates.append(_mate(hinge, "coincident", plane, " plane") | {"aligned": True})
    return {"mates": [*mates, _mate(GUIDE, "coincident", plane) | {"aligned": True}]}


def _mate(hinge: Hinge, kind: str, of: Any, end: str = "") -> dict[str, Any]:
    sides = {side: of(BODIES[body], hinge.point) for side, body in (("a", hinge.a), ("b", hinge.b))}
    return {"name": hinge.name + end, "type": kind, **sides}


def frame(body: Body, point: np.ndarray) -> dict[str, Any]:
    """The frame at a point of the world with the world's axes."""
    return {"component": body.name, "point": row(body.point(point)), "z": row(body.vector(Z)), "x": row(body.vector(X))}


def axis(body: Body, point: np.ndarray) -> dict[str, Any]:
    """The axis along z of the world through a point of it."""
    return {"component": body.name, "point": row(body.point(point)), "axis": row(body.vector(Z))}


def plane(body: Body, point: np.ndarray) -> dict[str, Any]:
    """The plane across z of the world through a point of it."""
    return {"component": body.name, "point": row(body.point(point)), "normal": row(body.vector(Z))}


def _mass(body: Body) -> dict[str, Any]:
    J = body.inertia
    keys = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
    inertia = {key: float(J[i]) for key, i in keys.items()}
    return {"part": body.name, "mass": body.mass, "com": row(body.com), "inertia": inertia}


def row(values: Iterable[float]) -> list[float]:
    """Plain numbers, for YAML and JSON."""
    return [float(v) for v in values]
