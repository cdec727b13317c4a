"""What the picture needs: shapes, placements, axes, redundant mates and motions, as JSON and one binary block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Coupling, Feature, Instance, Mate
from cadbridge.diagnosis.model import Diagnosis
from cadbridge.frames import Pose
from cadbridge.mechanism.model import GROUND_BODY, Joint, Mechanism
from cadbridge.mechanism.rows import quaternions_of
from cadbridge.report.page.buffer import Buffer
from cadbridge.report.page.graph import mate_states, worst
from cadbridge.report.page.items import Items
from cadbridge.report.page.meshes import add_shapes
from cadbridge.report.still import NO_COLOUR
from cadbridge.report.views.tables import Between, components_between, gap


@dataclass(frozen=True)
class _Marks:
    """By mate: its state ("redundant", "conflicting"), its components, and the gap of a conflicting one."""

    states: dict[str, str]
    between: Between
    gaps: dict[str, str]


def scene(mechanism: Mechanism, diagnosis: Diagnosis, items: Items, clips: list[dict[str, Any]], buffer: Buffer) -> Any:
    """The document of the page's picture; bodies are indices, -1 the ground, lengths m in the world as designed."""
    shapes, shape_of = add_shapes(mechanism.assembly, buffer)
    bodies = [body.X_WB for body in mechanism.bodies]
    instances = mechanism.assembly.instances
    body_of = [items.body_of_instance(i.component) for i in instances]
    poses = [
        ((bodies[b].inverse() if b != GROUND_BODY else Pose()) @ i.X_WI).matrix()[:3]
        for i, b in zip(instances, body_of, strict=True)
    ]
    states = mate_states(diagnosis)
    wrong = [r for r in diagnosis.redundancies if r.kind == "conflicting"]
    gaps = {r.mate: gap(r.residual_mm, r.residual_deg) for r in wrong}
    marks = _Marks(states, components_between(mechanism), gaps)
    return {
        "shapes": shapes,
        "parts": {
            "names": [i.name for i in instances],
            "shape": buffer.add(np.array([shape_of.get(i.part, -1) for i in instances]), "i4"),
            "body": buffer.add(np.array(body_of), "i4"),
            "pose": buffer.add(np.array(poses), "f4"),
            "colour": buffer.add(np.array([_colour(mechanism, i) for i in instances]), "f4"),
        },
        "bodies": {"names": [b.name for b in mechanism.bodies], "pose": buffer.add(packed(bodies), "f4")},
        "joints": [_joint(mechanism, j, states) for j in mechanism.joints],
        "gears": [
            {"name": c.name, "bodies": sorted({b for b in c.primitive.bodies if b >= 0})} for c in mechanism.couplings
        ],
        "mates": [_mate(mechanism, items, m, marks) for m in items.all_mates],
        "clips": clips,
    }


def packed(poses: Sequence[Pose]) -> NDArray[np.float64]:
    """Poses as (n, 7): position in m, quaternion w, x, y, z."""
    return np.hstack([np.array([X.p for X in poses]).reshape(-1, 3), quaternions_of(poses)])


def _colour(mechanism: Mechanism, instance: Instance) -> tuple[float, ...]:
    colour = instance.colour or mechanism.assembly.part(instance.part).colour
    return tuple(colour[:3]) if colour is not None else NO_COLOUR


def _joint(mechanism: Mechanism, joint: Joint, states: dict[str, str]) -> dict[str, Any]:
    body = mechanism.bodies[joint.a] if joint.a != GROUND_BODY else mechanism.ground
    X_WJ = body.X_WB @ joint.X_AJ
    return {
        "name": joint.name,
        "type": joint.type,
        "a": joint.a,
        "b": joint.b,
        "origin": [float(x) for x in X_WJ.p],
        "axis": [float(x) for x in X_WJ.R[:, 2]],
        "state": worst(states, joint.mates),
    }


def _mate(mechanism: Mechanism, items: Items, mate: Mate | Coupling, drawn: _Marks) -> dict[str, Any]:
    """A mate with the bodies and parts it holds, and where its first feature lies."""
    sides = [_side(mechanism, items, f) for f in (mate.a, mate.b) if f is not None]
    place = sides[0] if sides else None
    return {
        "name": mate.name,
        "kind": mate.kind.value,
        "body": place["body"] if place else GROUND_BODY,
        "point": place["point"] if place else None,
        "parts": [part for side in sides for part in side["parts"]],
        "sides": sides,
        "between": " – ".join(drawn.between.get(mate.name, ())),
        "gap": drawn.gaps.get(mate.name, ""),
        "state": worst(drawn.states, (mate.name,)),
    }


def _side(mechanism: Mechanism, items: Items, feature: Feature) -> dict[str, Any]:
    """A feature of a mate in the world as designed, with the parts that may carry it."""
    assembly = mechanism.assembly
    known = feature.component in items.components
    X_WC = assembly.component(feature.component).X_WC if known else Pose()
    instances = assembly.component(feature.component).instances if known else ()
    own = [feature.instance] if feature.instance in instances else instances
    direction = None if feature.direction is None else X_WC.vector(feature.direction)
    return {
        "kind": feature.kind.value,
        "body": items.body_of_instance(feature.component),
        "point": [float(x) for x in X_WC.point(feature.point)],
        "direction": None if direction is None else [float(x) for x in direction],
        "radius": None if feature.radius is None else float(feature.radius),
        "parts": [items.parts[i] for i in own if i in items.parts],
    }
