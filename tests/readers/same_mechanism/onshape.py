"""The mechanism as Onshape's assembly definition and features documents, with a mates file for the masses.

The gear is a relation, the limit is in the features document, counted from where the connectors meet: the
connector of the crank is turned, so that the file's zero is not the pose as drawn.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.readers.same_mechanism.model import BODIES, GEAR, GUIDE, HINGES, Hinge, X, Z
from tests.readers.same_mechanism.plain import beside, masses, row, write_mates

ZERO = {"Hinge A": np.radians(25.0)}
"""Where hinges stand as drawn, from the file's zero."""


def connector(body: str, point: np.ndarray, turn: float = 0.0) -> dict[str, Any]:
    """A mated entity: the world's axes, turned about z, at a point of the world."""
    b = BODIES[body]
    x = np.cos(turn) * X + np.sin(turn) * np.cross(Z, X)
    axes = {"xAxis": x, "yAxis": np.cross(Z, x), "zAxis": Z}
    cs = {k: row(b.vector(v)) for k, v in axes.items()} | {"origin": row(b.point(point))}
    return {"matedOccurrence": [f"M{body}"], "matedCS": cs}


def mate(hinge: Hinge, kind: str) -> dict[str, Any]:
    """The first entity moves relative to the second."""
    turn = ZERO.get(hinge.name, 0.0)
    entities = [connector(hinge.b, hinge.point, turn), connector(hinge.a, hinge.point)]
    data = {"name": hinge.name, "mateType": kind, "matedEntities": entities}
    return {"id": f"F {hinge.name}", "suppressed": False, "featureType": "mate", "featureData": data}


def definition() -> dict[str, Any]:
    """The assembly definition."""
    name, a, b, ratio = GEAR
    driven = [f"F {h.name}" for body in (a, b) for h in HINGES if h.a == "Base" and h.b == body]
    data = {
        "name": name,
        "relationType": "GEAR",
        "mates": [{"featureId": f, "occurrence": []} for f in driven],
        "reverseDirection": True,
        "relationRatio": 1.0 / ratio,  # the larger wheel turns less, and against the crank
    }
    relation = {"id": "F Gear", "suppressed": False, "featureType": "mateRelation", "featureData": data}
    features = [*(mate(h, "REVOLUTE") for h in HINGES), mate(GUIDE, "PLANAR"), relation]
    ids = {"documentId": "d", "elementId": "e", "configuration": "default"}
    return {
        "rootAssembly": {
            "instances": [
                {"id": f"M{n}", "name": n, "type": "Part", "partId": f"J{n}", "suppressed": False, **ids}
                for n in BODIES
            ],
            "occurrences": [
                {"path": [f"M{n}"], "transform": row(b.X.matrix().ravel()), "fixed": b.grounded, "hidden": False}
                for n, b in BODIES.items()
            ],
            "features": features,
            "patterns": [],
        },
        "subAssemblies": [],
        "parts": [{"partId": f"J{n}", "bodyType": "solid", **ids} for n in BODIES],
    }


def parameters() -> dict[str, Any]:
    """The features document: what Onshape's own form has of limits."""
    features = []
    for hinge in HINGES:
        if hinge.limits is None:
            continue
        low, high = (float(np.degrees(v + ZERO.get(hinge.name, 0.0))) for v in hinge.limits)
        said = [
            {"message": {"parameterId": "limitsEnabled", "value": True}},
            {"message": {"parameterId": "limitAxialZMin", "isNull": False, "expression": f"{low!r} deg"}},
            {"message": {"parameterId": "limitAxialZMax", "isNull": False, "expression": f"{high!r}*degree"}},
            {"message": {"parameterId": "limitZMin", "isNull": True, "expression": "0 mm"}},
        ]
        features.append({"message": {"featureId": f"F {hinge.name}", "name": hinge.name, "parameters": said}})
    return {"features": features}


def write(folder: Path) -> Path:
    """Definition, features document and mates file."""
    source = folder / "fourbar.json"
    source.write_text(json.dumps(definition(), indent=1))
    (folder / "fourbar.features.json").write_text(json.dumps(parameters()))
    write_mates(beside(source), masses())
    return source
