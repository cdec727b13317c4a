"""Servos, gear motors and their horns: what sits on the output and what sits on the case are two bodies.

An output is a disc with a ring of holes about its axis. It stands out of a case on a neck, or is a part of its own that
turns in the case. The shape says so; names (servo, stepper, NEMA, XL430 …) are a witness.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import Instance
from cadbridge.frames import Vector, cross_length
from cadbridge.mass.meeting import Scene as Meeting
from cadbridge.recognition.bodies import Driven, Scene
from cadbridge.recognition.contacts import Contact
from cadbridge.recognition.faces import PartFaces, Surface
from cadbridge.recognition.guides import LINES, SQUARE, Verdict
from cadbridge.recognition.pins import HALF, ROUNDED

NAMES = re.compile(
    r"servo|motor|stepper|\bnema ?\d|dynamixel|gear ?box|reducer|harmonic|actuator|getriebe|antrieb|aktuator|moteur"
    r"|motore|двигател|привод|редуктор|舵机|电机|減速|减速|モータ|サーボ|모터"
    r"|\b(sts|scs|sms|xl|xm|xc|xh|xw|mx|ax|rx|lx|hx|mg|sg|rds|kst) ?\d{2,4}",
    re.IGNORECASE,
)
"""What actuators are called; letters with a number are hobby servos."""
FEWEST = 3
"""Holes of a ring at least."""
EVEN = 0.05
"""rad by which the holes of a ring may stand off equal angles."""
RIM = 1.02
"""Radius up to which the holes of a ring reach, beside that of their disc."""
STANDS_OUT = 1.2
"""How far a case reaches from the axis at least, beside the radius of its output."""
NECK = 0.8
"""Radius of the neck beside that of the disc, at most."""
CARRIED = 0.3
"""How far from a horn what it carries is drawn at most, beside the horn's radius."""
MOST_GAPS = 50
"""So many gaps between a horn and other parts are measured at most."""
SHORT = 0.6
"""Length of the neck beside the radius of the disc, at most: a longer one is the tube of a flange."""


@dataclass(frozen=True, eq=False)
class Output:
    """A disc with a ring of holes (part's frame): a point on its axis, radius and ends of the disc, the holes.

    `alone`: whether the part is no more than the disc; `neck`: whether it stands out of a case on one.
    """

    point: Vector
    axis: Vector
    radius: float
    low: float
    high: float
    holes: tuple[Surface, ...]
    alone: bool
    neck: bool


def outputs_of(faces: PartFaces) -> list[Output]:
    """The outputs of a part, one for each disc with a ring of holes."""
    found = []
    rounds = [s for s in faces.of("cylinder") if s.direction is not None]
    holes = [s for s in rounds if s.hollow and s.turn >= HALF]
    for disc in (s for s in rounds if not s.hollow and s.turn >= ROUNDED):
        ring = _ring(disc, holes)
        if len(ring) < FEWEST:
            continue
        assert disc.direction is not None
        reach = _reach(faces, disc)
        alone = reach <= STANDS_OUT * disc.radius
        found.append(
            Output(
                disc.point, disc.direction, disc.radius, disc.low, disc.high, tuple(ring), alone, _neck(disc, rounds)
            )
        )
    return found


def _ring(disc: Surface, holes: Sequence[Surface]) -> list[Surface]:
    """The holes in a disc at equal angles about its axis: the largest such ring."""
    assert disc.direction is not None
    rings: dict[tuple[int, int], list[tuple[float, Surface]]] = defaultdict(list)
    across = np.linalg.svd(disc.direction[None, :])[2][1:]
    for hole in holes:
        assert hole.direction is not None
        if abs(float(hole.direction @ disc.direction)) < 1 - SQUARE**2:
            continue
        arm = across @ (hole.point - disc.point)
        off = float(np.hypot(*arm))
        shift = float((hole.point - disc.point) @ disc.direction)
        sign = float(np.sign(hole.direction @ disc.direction))
        ends = sorted((shift + sign * hole.low, shift + sign * hole.high))
        inside = min(ends[1], disc.high) - max(ends[0], disc.low) > 0.5 * min(hole.length, disc.length)
        if off > 1.5 * hole.radius and off + hole.radius <= RIM * disc.radius and inside:
            key = (round(off / (0.01 * disc.radius)), round(hole.radius / (0.01 * disc.radius)))
            rings[key].append((math.atan2(arm[1], arm[0]), hole))
    even = [ring for ring in rings.values() if len(ring) >= FEWEST and _even([angle for angle, _ in ring])]
    return [hole for _, hole in max(even, key=len, default=[])]


def _even(angles: Sequence[float]) -> bool:
    ordered = np.sort(angles)
    steps = np.diff(np.append(ordered, ordered[0] + 2 * math.pi))
    return bool(np.abs(steps - 2 * math.pi / len(angles)).max() < EVEN)


def _reach(faces: PartFaces, disc: Surface) -> float:
    """How far a part reaches from the axis of a disc, by its box."""
    assert disc.direction is not None
    corners = np.array([[faces.box[i, 0], faces.box[j, 1], faces.box[k, 2]] for i in (0, 1) for j in (0, 1)
                        for k in (0, 1)])  # fmt: skip
    middles = (corners[:, None, :] + corners[None, :, :]).reshape(-1, 3) / 2  # the middles of its sides among them
    away = np.linalg.norm(np.cross(middles - disc.point, disc.direction), axis=1)
    return float(away.max()) / (math.sqrt(2.0) if _square(faces, disc) else 1.0)


def _square(faces: PartFaces, disc: Surface) -> bool:
    """Whether the box of a part is a square about a disc's axis: its corners are then no part of what is round."""
    assert disc.direction is not None
    along = int(np.argmax(np.abs(disc.direction)))
    size = np.delete(np.ptp(faces.box, axis=0), along)
    off = np.delete(faces.box.mean(axis=0) - disc.point, along)
    return float(np.ptp(size)) < 0.05 * float(size.max()) and float(np.abs(off).max()) < 0.05 * float(size.max())


def _neck(disc: Surface, rounds: Sequence[Surface]) -> bool:
    """Whether a thinner, short shaft goes on from a disc on its axis."""
    assert disc.direction is not None
    for s in rounds:
        assert s.direction is not None
        same = abs(float(s.direction @ disc.direction)) > 1 - SQUARE**2
        if s.hollow or not same or cross_length(s.point - disc.point, disc.direction) > 0.02 * disc.radius:
            continue
        shift = float((s.point - disc.point) @ disc.direction)
        sign = float(np.sign(s.direction @ disc.direction))
        low, high = sorted((shift + sign * s.low, shift + sign * s.high))
        meets = min(abs(low - disc.high), abs(high - disc.low)) <= 0.02 * disc.radius
        if meets and s.radius <= NECK * disc.radius and s.length <= SHORT * disc.radius and s.turn >= ROUNDED:
            return True
    return False


def find_actuators(scene: Scene, names: bool) -> None:
    """Note what turns on the output of which case, and bind horns to what they carry."""
    touching: dict[str, dict[str, list[Contact]]] = defaultdict(lambda: defaultdict(list))
    for c in scene.contacts.found:
        a, b = c.pair
        touching[a][b].append(c)
        touching[b][a].append(c)
    known: dict[str, list[Output]] = {}
    for instance in scene.assembly.instances:
        shape = scene.assembly.part(instance.part).shape
        faces = None if shape is None else scene.faces.get(shape.key)
        if faces is None or faces.fault is not None:
            continue
        for output in known.setdefault(faces.key, outputs_of(faces)):
            called = names and bool(NAMES.search(re.sub(r"[_\W]+", " ", f"{instance.name} {instance.part}")))
            if output.alone:
                _horn(scene, instance, output, touching[instance.name], called)
            elif called or output.neck:
                _case(scene, instance, output, touching[instance.name], called)


def _case(scene: Scene, case: Instance, output: Output, touching: dict[str, list[Contact]], called: bool) -> None:
    """What is screwed to the output of a case, and to nothing else of it, turns on it."""
    on_output = {}
    for other, contacts in touching.items():
        lines = {k for c in contacts if c.kind in LINES for k in _holes_on(case, output, c)}
        off = [c for c in contacts if c.kind in LINES and not _on_output(case, output, c)]
        if len(lines) >= 2 and not off:
            on_output[other] = [c for c in contacts if c.kind in LINES]
    if not on_output or not touching.keys() - on_output.keys():
        return  # what carries nothing else is no drive between two bodies
    for other, contacts in on_output.items():
        point, axis = case.X_WI.point(output.point), case.X_WI.vector(output.axis)
        foot = point + float((contacts[0].point - point) @ axis) * axis
        text = f"screwed to the ring of {len(output.holes)} holes in the output of {case.name.rsplit('/', 1)[-1]}"
        witness = "its name says an actuator" if called else "it stands out of its case on a neck"
        verdict = Verdict("revolute", foot, axis, (text, witness), (), 0.85 if called else 0.65)
        scene.hold_apart(case.name, other)
        scene.driven.append(Driven(case.name, other, verdict, tuple(contacts)))


def _holes_on(case: Instance, output: Output, c: Contact) -> Iterator[int]:
    """Which holes of the ring a contact stands in."""
    for k, hole in enumerate(output.holes):
        foot = case.X_WI.point(hole.point)
        if cross_length(c.point - foot, case.X_WI.vector(output.axis)) <= 0.2 * hole.radius:
            yield k


def _on_output(case: Instance, output: Output, c: Contact) -> bool:
    """Whether a line lies along the axis of an output and within its disc."""
    axis = case.X_WI.vector(output.axis)
    off = cross_length(c.point - case.X_WI.point(output.point), axis)
    return abs(float(axis @ c.direction)) > 1 - SQUARE**2 and off <= output.radius


def _horn(scene: Scene, horn: Instance, output: Output, touching: dict[str, list[Contact]], called: bool) -> None:
    """A horn goes with what lies on it, and turns in the case in which its shaft stands."""
    axis, at = horn.X_WI.vector(output.axis), horn.X_WI.point(output.point)

    def stands_in(c: Contact) -> bool:
        return c.kind in ("shaft", "cone") and cross_length(c.point - at, axis) <= 0.02 * output.radius

    cases = {
        other for other, contacts in touching.items()
        if any(map(stands_in, contacts)) and scene.size(other) > scene.size(horn.name)
    }  # fmt: skip
    if not cases or not called:
        return
    inside = max(len(scene.shared(horn.name, case)) for case in cases)
    carried = {
        other: sum(c.overlap for c in contacts if c.kind == "plane" and abs(float(c.direction @ axis)) > 1 - SQUARE**2)
        for other, contacts in touching.items()
        if other not in cases and (not inside or len(scene.shared(horn.name, other)) < inside)
    }  # fmt: skip
    best = max(carried, key=lambda other: (carried[other], other), default=None)
    if best is None or not carried[best] > 0.0:
        scene.idle_horns[horn.name] = output.radius
        return
    for case in cases:
        scene.hold_apart(horn.name, case)
        scene.hold_apart(best, case)
    scene.bind(horn.name, best, f"lies on the output of {sorted(cases)[0].rsplit('/', 1)[-1]}", 0.75)


def beside_horn(scene: Scene, names: Sequence[str], case: Sequence[str]) -> tuple[str, str, float] | None:
    """A horn that touches nothing but its servo, what stands nearest to it outside of that, and the gap in m.

    Parts are not always set exactly.
    """
    for horn in (name for name in names if name in scene.idle_horns):
        reach = CARRIED * scene.idle_horns[horn]
        solids = Meeting(scene.assembly, (), MOST_GAPS)
        others = [n for n in solids.beside(horn, reach) if n not in names and n not in case]
        gaps = list(solids.gaps(horn, others, reach)) if others else []
        for other, gap in sorted(gaps, key=lambda e: (e[1], e[0])):
            # What lies as near to the servo itself holds that.
            if not any(True for name in case for _ in solids.gaps(name, [other], max(gap, 1e-4))):
                return horn, other, gap
    return None
