"""Carriages on grooved wheels: equal wheels on both sides of a long profile, on axes that one plate holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import ALIGNED, parallel, square
from cadbridge.recognition.contacts.walls import LONG_RAIL, Verdict
from cadbridge.recognition.evidence.candidates import Candidate, joint_of
from cadbridge.recognition.evidence.pins import HOLE_TURN
from cadbridge.recognition.evidence.scene import Scene

FEWEST_WHEELS = 3
"""Wheels that hold a plate to its profile, at least: two on one side and one on the other."""

MOST_WHEELS = 12
"""Equal wheels that are looked at, for time alone: a carriage has four, a gantry eight."""

NEAR_PROFILE = 0.1
"""Gap between a wheel and its profile beside the wheel's radius, at most: an eccentric takes it up. A choice."""

NEAR_AXIS = 0.2
"""How far a plate's hole is off its wheel's axis beside the wheel's radius, at most: an eccentric. A choice."""

MOST_GAPS = 60
"""Gaps between wheels and profiles that OCCT measures, for time alone."""


@dataclass(frozen=True, eq=False)
class _Wheel:
    """A bored body of revolution in W: its name, middle, axis, radius and width, m."""

    name: str
    point: Vector
    axis: Vector
    radius: float
    width: float

    def like(self, other: _Wheel) -> bool:
        """Whether another wheel is of its size and turns about a parallel axis."""
        sizes = (self.radius / other.radius, self.width / other.width)
        return all(abs(ratio - 1) <= ALIGNED for ratio in sizes) and parallel(self.axis, other.axis)


def rolling_carriages(scene: Scene) -> list[Candidate]:
    """The slides of plates on wheels along profiles; the wheels are bound to the plates."""
    found = []
    for wheels in _sets(scene):
        for rail, along, own in _rails(scene, wheels):
            plate = _plate(scene, own, rail)
            if plate is None or len(scene.bodies(plate, rail)) == 1:
                continue
            scene.hold_apart(plate, rail)
            for wheel in own:
                scene.bind(wheel.name, plate, f"a wheel on which it rolls along {rail}", 0.7)
            middle = np.mean([w.point for w in own], axis=0)
            text = f"{len(own)} equal wheels on both sides of a profile, on axes that the other holds"
            verdict = Verdict("prismatic", middle, along, (text,), (), 0.6)
            found.append(joint_of(scene, plate, rail, verdict))
    return found


def _sets(scene: Scene) -> Iterator[list[_Wheel]]:
    """Wheels of one size on parallel axes."""
    sets: list[list[_Wheel]] = []
    for instance in scene.assembly.instances:
        round_part = scene.revolution(instance.name)
        if round_part is None or round_part.inner <= 0.0:
            continue
        X, middle = instance.X_WI, (round_part.low + round_part.high) / 2
        at = X.point(round_part.point + middle * round_part.direction)
        wheel = _Wheel(instance.name, at, X.vector(round_part.direction), round_part.outer, round_part.length)
        own = next((s for s in sets if s[0].like(wheel)), None)
        sets.append([wheel]) if own is None else own.append(wheel)
    yield from (own for own in sets if FEWEST_WHEELS <= len(own) <= MOST_WHEELS)


def _rails(scene: Scene, wheels: Sequence[_Wheel]) -> Iterator[tuple[str, Vector, list[_Wheel]]]:
    """Profiles that wheels roll along, each with its way and its wheels, which stand on both of its sides."""
    solids, axis = scene.solids(MOST_GAPS), wheels[0].axis
    reach = NEAR_PROFILE * wheels[0].radius
    near: dict[str, list[_Wheel]] = defaultdict(list)
    for wheel in wheels:
        others = [n for n in solids.beside(wheel.name, reach) if _profile(scene, n, wheel) is not None]
        for name, _ in solids.gaps(wheel.name, others, reach):
            near[name].append(wheel)
    for name, own in sorted(near.items()):
        along = _profile(scene, name, wheels[0])
        if along is None or len(own) < FEWEST_WHEELS:
            continue
        points = np.array([w.point for w in own])
        sides = points @ np.cross(axis, along)
        span = float(np.ptp(points @ along)) + 2 * wheels[0].radius
        two_rows = float(np.ptp(sides)) > 2 * wheels[0].radius * (1 - ALIGNED) - reach
        if two_rows and scene.extent(name, along) >= LONG_RAIL * span:
            yield name, along, own


def _profile(scene: Scene, name: str, wheel: _Wheel) -> Vector | None:
    """The way in which a part is longest, if that is across a wheel's axis and the wheel stands beside it."""
    known, X = scene.faces_of(name), scene.pose(name)
    if known is None or name == wheel.name:
        return None
    size = np.ptp(known.box, axis=0)
    way = X.vector(np.eye(3)[int(np.argmax(size))])
    # A side plate that holds rollers by their ends has them before it, and not beside it.
    heights = X.point(known.corners) @ wheel.axis
    beside = heights.min() < float(wheel.point @ wheel.axis) < heights.max()
    return way if beside and square(way, wheel.axis) else None


def _plate(scene: Scene, wheels: Sequence[_Wheel], rail: str) -> str | None:
    """The part with holes on the axes of most wheels, three at least, and the largest of such."""
    count: dict[str, int] = {}
    names = {w.name for w in wheels} | {rail}
    for instance in scene.assembly.instances:
        known = scene.faces_of(instance.name)
        if known is None or instance.name in names:
            continue
        holes = [
            instance.X_WI.point(s.point) for s in known.of("cylinder")
            if s.hollow and s.turn >= HOLE_TURN and parallel(instance.X_WI.vector(s.direction), wheels[0].axis)
        ]  # fmt: skip
        count[instance.name] = sum(
            any(cross_length(hole - w.point, w.axis) <= NEAR_AXIS * w.radius for hole in holes) for w in wheels
        )
    best = max(count, key=lambda n: (count[n], scene.size(n), n), default=None)
    return best if best is not None and count[best] >= FEWEST_WHEELS else None
