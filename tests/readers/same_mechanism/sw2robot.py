"""The mechanism as sw2robot's graph.json, with a mates file for gear and ground; the limit is a limit joint.

The format has no names of mates: `NAMES` says which is which. Every mate stands twice, as in its own files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.readers.same_mechanism.model import BODIES, GUIDE, HINGES, Body, Hinge, Z
from tests.readers.same_mechanism.plain import beside, gears, row, write_mates

NAMES = {f"Concentric:{i}": h.name for i, h in enumerate(HINGES, start=1)}
NAMES |= {f"Coincident:{i}": f"{h.name} plane" for i, h in enumerate(HINGES, start=1)}
NAMES[f"Coincident:{len(HINGES) + 1}"] = GUIDE.name

CYLINDER, PLANE = 4, 3


def component(body: Body) -> dict[str, Any]:
    J = body.inertia
    return {
        "name": body.name,
        "link_name": body.name,
        "part_path": f"C:\\robot\\{body.name}.SLDPRT",
        "is_subassembly": False,
        "world": row(body.X.matrix().ravel()),
        "fixed": body.grounded,
        "sw_mass": body.mass,
        "sw_com": row(body.com),
        "sw_inertia": row([J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]]),
    }


def mate(hinge: Hinge, kind: str, entity: int) -> dict[str, Any]:
    """A mate between two entities, given in the world."""
    return {
        "type": kind,
        "etypes": [entity] * 2,
        "points": [row(hinge.point)] * 2,
        "dirs": [row(Z)] * 2,
        "radii": [0.0] * 2,
        "owners": [hinge.a, hinge.b],
    }


def graph() -> dict[str, Any]:
    edges = []
    for hinge in (*HINGES, GUIDE):
        mates = [mate(hinge, "COINCIDENT", PLANE)]
        if hinge is not GUIDE:
            mates.insert(0, mate(hinge, "CONCENTRIC", CYLINDER))
        edges.append({"a": hinge.a, "b": hinge.b, "types": [m["type"] for m in mates] * 2, "mates": mates * 2})
    limits = [
        {
            "a": h.a, "b": h.b, "type": "revolute", "axis_point": row(h.point), "axis_dir": row(Z),
            "lower": float(h.limits[0]), "upper": float(h.limits[1]),
        }
        for h in HINGES
        if h.limits
    ]  # fmt: skip
    return {
        "robot_name": "fourbar",
        "source_assembly": "C:\\robot\\fourbar.SLDASM",
        "components": [component(b) for b in BODIES.values()],
        "edges": edges,
        "ground": ["Base"],
        "deep_worlds": {},
        "limit_joints": limits,
    }


def write(folder: Path) -> Path:
    """The graph and its mates file."""
    source = folder / "graph.json"
    source.write_text(json.dumps(graph(), indent=1))
    write_mates(beside(source), gears())
    return source
