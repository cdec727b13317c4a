"""A joint shown as a motion: which parts move with it, about or along what."""

from __future__ import annotations

from dataclasses import dataclass

from cadbridge.frames import Vector
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.model import FoundJoint, Recognition


@dataclass(frozen=True, eq=False)
class Trial:
    """A motion of instances about (or along, `prismatic`) an axis (3,) through a point (3,), m, world frame.

    `pitch`: the advance of a turn, m. In a closed loop only the parts of one body move.
    """

    type: str
    point: Vector
    axis: Vector
    moving: tuple[str, ...]
    pitch: float = 0.0


def trial_of(found: Recognition, a: str, b: str) -> Trial | None:
    """The motion of the joint between the bodies of two instances; None where there is none with an axis."""
    pair = {found.body_of[a], found.body_of[b]}
    joint = next((j for j in found.joints if {j.a, j.b} == pair and len(pair) == 2 and j.axis is not None), None)
    if joint is None or joint.axis is None:
        return None
    return Trial(joint.type, joint.point, joint.axis, moving_with(found, joint), joint.pitch or 0.0)


def moving_with(found: Recognition, joint: FoundJoint) -> tuple[str, ...]:
    """The instances that hang on a joint, seen from the ground; in a closed loop those of its body away from it."""
    groups = Groups(str(k) for k in range(len(found.bodies)))
    for other in found.joints:
        if other is not joint:
            groups.join(str(other.a), str(other.b))
    ground, first = groups.root(str(found.ground)), groups.root(str(joint.a))
    if first == groups.root(str(joint.b)):
        away = joint.b if joint.b != found.ground else joint.a
        return found.bodies[away].instances
    away = joint.b if first == ground else joint.a
    root = groups.root(str(away))
    return tuple(name for k, body in enumerate(found.bodies) if groups.root(str(k)) == root for name in body.instances)
