"""The mobility of what was found, as `check` counts it: what goes on beyond the first instant, and what only spins.

`freedoms` counts by rank at the pose as designed, which is fast and what choices are compared by. What a person is told
is counted here, in the room that tells it of the mates file, so that both say one number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from cadbridge.assembly import Assembly, Component, Coupling, CouplingKind, Feature, FeatureKind, Mate, MateKind
from cadbridge.diagnosis.diagnose import motion_of
from cadbridge.frames import Pose, Vector
from cadbridge.mechanism import build
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.wheels.gears import FoundGear

_WORM_HELIX = math.radians(85.0)
"""The helix of a worm of which only the hand is known, as the mates file takes it: the ratio does not depend on it."""


def counted(found: Recognition) -> Recognition:
    """What was recognised with its `freedoms`, `momentary` and `spinning`; as it is where they are not counted."""
    if found.freedoms is None:
        return found
    dof, free = motion_of(build(_assembly(found)))
    own = [f for f in free.freedoms if f.spin]
    names = tuple(dict.fromkeys(name for f in own for name in f.bodies))
    return replace(found, freedoms=free.finite, momentary=dof - free.finite, spins=len(own), spinning=names)


def _assembly(found: Recognition) -> Assembly:
    """What was found with a component for each body, in the world's frame, and its joints and gears as mates."""
    names = [body.name for body in found.bodies]
    components = tuple(
        Component(body.name, body.instances, Pose(), grounded=k == found.ground) for k, body in enumerate(found.bodies)
    )
    return replace(
        found.assembly,
        components=components,
        mates=tuple(_mates(found, names)),
        couplings=tuple(_coupling(k, gear, names) for k, gear in enumerate(found.gears) if gear.couples),
        frames=(), drives=(), joint_names={}, findings=(),
    )  # fmt: skip


def _mates(found: Recognition, names: list[str]) -> Iterator[Mate]:
    for k, joint in enumerate(found.joints):
        sides = [_feature(names[body], joint.point, joint.axis) for body in (joint.a, joint.b)]
        value = 0.0 if joint.pitch is None else joint.pitch / math.tau
        yield Mate(f"joint {k}", MateKind(joint.type), sides[0], sides[1], value=value)


def _feature(component: str, point: Vector, axis: Vector | None) -> Feature:
    return Feature(component, FeatureKind.POINT if axis is None else FeatureKind.AXIS, point, axis)


def _coupling(k: int, gear: FoundGear, names: list[str]) -> Coupling:
    a, b = (_feature(names[body], p, n) for body, p, n in zip((gear.a, gear.b), gear.points, gear.axes, strict=True))
    made = Coupling(
        f"gear {k}", gear.kind, a, b, ratio=gear.ratio, carrier=None if gear.carrier is None else names[gear.carrier]
    )
    if gear.kind is CouplingKind.RACK_PINION:
        return replace(made, ratio=None, radius_a=gear.radius)
    if gear.radii is not None:
        return replace(made, ratio=gear.radii[1] / gear.radii[0], radius_a=gear.radii[0], radius_b=gear.radii[1])
    helix = math.copysign(_WORM_HELIX, gear.helix) if gear.kind is CouplingKind.WORM else gear.helix
    return replace(made, teeth_a=gear.teeth[0], teeth_b=gear.teeth[1], helix=helix)
