"""Belt and chain drives: toothed pulleys or sprockets of one size in one plane, and the part that runs around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from cadbridge.assembly import Assembly, CouplingKind, Instance
from cadbridge.frames import cross_length
from cadbridge.recognition.contacts.contacts import parallel
from cadbridge.recognition.evidence.candidates import Candidate
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.faces.parts import PartFaces
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.wheels.placed import MeshingPair
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

_KINDS = {WheelKind.PULLEY: CouplingKind.BELT, WheelKind.SPROCKET: CouplingKind.CHAIN}
_ABOUT_WHEEL = 0.1
"""Of the tips' radius: how far the axis of a belt's bend may be off its wheel's. A choice."""

_BELT_WIDTH = 1.3
"""Width of a belt beside its wheels' faces, at most: what is wider is a housing. A choice. Tests: 0.86 | 3.1
(`test_belt_drives`)."""

_BELT_RADII = 0.85, 1.35
"""Of the tips' circle: where the faces of a belt lie that goes around a wheel."""
UNSEEN = "No part runs around both wheels; delete the signs before these lines where a belt or chain does"


def find_belt_drives(
    assembly: Assembly, faces: Mapping[str, PartFaces], wheels: Sequence[Wheel]
) -> tuple[tuple[MeshingPair, ...], dict[str, tuple[str, str]]]:
    """The drives, as many as connect their wheels, and for each belt that is drawn two instances it runs around.

    A drive that no part shows has a reason `against`.
    """
    toothed = {w.instance for w in wheels}
    fits = [pair for pair in combinations(wheels, 2) if _one_drive(*pair)]
    others = [i for i in assembly.instances if i.name not in toothed] if fits else []
    seen = [(pair, belt) for pair in fits if (belt := _belt_around(assembly, faces, others, *pair)) is not None]
    belts: dict[str, tuple[str, str]] = {}
    joined = Groups(str(id(w)) for w in wheels)
    found = []
    for (a, b), belt in [*seen, *((pair, None) for pair in sorted(fits, key=lambda pair: _apart(*pair)))]:
        if belt is not None:
            belts.setdefault(belt, (a.instance, b.instance))
        # A belt around three wheels couples them twice: a third ratio follows from the two, and may only contradict
        # them.
        if joined.join(str(id(a)), str(id(b))):
            found.append(_drive(a, b, belt))
    return tuple(found), belts


def bind_belts(scene: Scene, belts: Mapping[str, tuple[str, str]], joints: Sequence[Candidate]) -> None:
    """Bind each belt to the body that both its wheels turn against: it runs, and is drawn where it stands."""
    for belt, ends in belts.items():
        sides = [{c.other(root) for c in joints if root in (c.a, c.b)} for root in map(scene.groups.root, ends)]
        others = sorted(sides[0] & sides[1] or sides[0] | sides[1])
        if others:
            scene.bind(belt, others[0], f"a belt around {ends[0]} and {ends[1]}, drawn where it runs", 0.7)


def _apart(a: Wheel, b: Wheel) -> float:
    """The distance of two parallel axes."""
    return cross_length(b.point - a.point, a.axis)


def _one_drive(p: Wheel, q: Wheel) -> bool:
    """Whether one belt or chain fits both wheels where they stand; their last evidence names it."""
    if p.instance == q.instance or p.kind is not q.kind or p.kind not in _KINDS or p.evidence[-1] != q.evidence[-1]:
        return False
    aside = abs(float((q.point - p.point) @ p.axis))
    return parallel(p.axis, q.axis) and aside < 0.5 * min(p.width, q.width) and _apart(p, q) > p.tip + q.tip


def _belt_around(
    assembly: Assembly, faces: Mapping[str, PartFaces], others: Sequence[Instance], a: Wheel, b: Wheel
) -> str | None:
    """The instance no wider than the wheels, in their plane, that has a round face about each axis near the tips."""
    axis, width = a.axis, max(a.width, b.width)
    for instance in others:
        shape = assembly.part(instance.part).shape
        known = None if shape is None else faces.get(shape.key)
        if known is None:
            continue
        extent = float(np.abs(instance.X_WI.R.T @ axis) @ np.ptp(known.box, axis=0))
        middle = float((instance.X_WI.point(known.box.mean(axis=0)) - a.point) @ axis)
        flat = extent < _BELT_WIDTH * width and abs(middle) < 0.5 * width
        if flat and all(_goes_around(instance, known, side) for side in (a, b)):
            return instance.name
    return None


def _goes_around(instance: Instance, known: PartFaces, wheel: Wheel) -> bool:
    for s in known.of("cylinder"):
        if not _BELT_RADII[0] < s.radius / wheel.tip < _BELT_RADII[1]:
            continue
        away = instance.X_WI.point(s.point) - wheel.point
        one_way = parallel(instance.X_WI.vector(s.direction), wheel.axis)
        if one_way and cross_length(away, wheel.axis) < _ABOUT_WHEEL * wheel.tip:
            return True
    return False


def _drive(a: Wheel, b: Wheel, belt: str | None) -> MeshingPair:
    distance = _apart(a, b)
    evidence = (
        f"{a.teeth} and {b.teeth} teeth, axes {distance * 1e3:.3f} mm apart",
        f"{a.evidence[-1]}, both",
        *(() if belt is None else (f"{belt} runs around both",)),
    )
    sure, against = (0.4, UNSEEN) if belt is None else (0.85, "")
    return MeshingPair(_KINDS[a.kind], a, b, b.teeth / a.teeth, distance, sure, evidence, against)
