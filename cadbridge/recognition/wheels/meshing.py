"""Which wheels of an assembly mesh, and at what ratio: where they stand, and how many teeth they have.

    place(assembly, wheels_of)      the wheels of every instance, in the world's frame
    find_meshing(placed)            pairs that mesh, wheels without a partner, wheels that a partner makes sure
    carrier_of(pair, …)             the body that holds both axes

Two wheels mesh where the teeth of one reach between those of the other, the circles that roll on each other by their
numbers of teeth lie within both teeth, modules and helices agree and the face widths overlap. So profile shift and
backlash do no harm, and the ratio is that of the teeth, never of radii. All in m and rad.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from cadbridge.assembly import Assembly
from cadbridge.frames import Pose, Vector
from cadbridge.recognition.wheels.kinds import Wheel, WheelKind
from cadbridge.recognition.wheels.pairing import DEEPEST_TOOTH, meshing_of
from cadbridge.recognition.wheels.placed import (
    LEAST_OVERLAP,
    PARALLEL_SHAFTS,
    SAME_HELIX,
    MeshingPair,
    PlacedWheel,
    about,
    beside,
    extent,
    reaches,
)


@dataclass(frozen=True, eq=False)
class Meshing:
    """What meshes in an assembly. `alone`: sure wheels without a partner. `wheels`: all that are sure now."""

    pairs: tuple[MeshingPair, ...]
    alone: tuple[PlacedWheel, ...]
    wheels: tuple[PlacedWheel, ...]


def place(assembly: Assembly, wheels_of: Mapping[str, Sequence[Wheel]]) -> tuple[PlacedWheel, ...]:
    """The wheels of all instances, `wheels_of` being those of each part by its name."""
    return tuple(
        PlacedWheel(instance.name, _moved(wheel, instance.X_WI))
        for instance in assembly.instances
        for wheel in wheels_of.get(instance.part, ())
    )


def _moved(wheel: Wheel, X_WI: Pose) -> Wheel:
    return replace(
        wheel,
        point=X_WI.point(wheel.point),
        axis=X_WI.vector(wheel.axis),
        apex=None if wheel.apex is None else X_WI.point(wheel.apex),
        normal=None if wheel.normal is None else X_WI.vector(wheel.normal),
    )


def find_meshing(placed: Sequence[PlacedWheel]) -> Meshing:
    """The pairs that mesh among the wheels of an assembly.

    A wheel with a doubt about its kind, whose teeth are counted, takes part; a partner takes the doubt away.
    """
    counted = [p for p in placed if p.wheel.teeth is not None]
    pairs = [pair for a, b in _near(counted) if (pair := meshing_of(a, b)) is not None]
    used = {id(p) for pair in pairs for p in (pair.a, pair.b)}
    wheels = tuple(
        PlacedWheel(p.instance, _confirmed(p.wheel)) if id(p) in used else p
        for p in counted
        if p.wheel.sure or id(p) in used
    )
    return Meshing(tuple(pairs), tuple(p for p in counted if p.wheel.sure and id(p) not in used), wheels)


def with_drives(meshing: Meshing, drives: Sequence[MeshingPair]) -> Meshing:
    """What meshes, and the belt and chain drives, whose wheels want no partner beside them."""
    used = {id(p) for drive in drives for p in (drive.a, drive.b)}
    alone = tuple(p for p in meshing.alone if id(p) not in used)
    return Meshing((*meshing.pairs, *drives), alone, meshing.wheels)


def _confirmed(wheel: Wheel) -> Wheel:
    kind = wheel.kind
    if wheel.sure and kind is not WheelKind.SPROCKET:
        return wheel
    # A sprocket meshes with no wheel, and a spline does not roll: what rolls on a partner is a gear.
    if kind in (WheelKind.SPLINE, WheelKind.UNKNOWN, WheelKind.SPROCKET):
        kind = WheelKind.SPUR if abs(wheel.helix) < SAME_HELIX else WheelKind.HELICAL
    return replace(wheel, kind=kind, doubt="", evidence=(*wheel.evidence, "it meshes with a partner"))


def _near(placed: Sequence[PlacedWheel]) -> Iterable[tuple[PlacedWheel, PlacedWheel]]:
    """Pairs of different instances whose wheels' balls meet, large ones looked up by the small ones' tree."""
    if len(placed) < 2:
        return
    centres = np.array([p.wheel.point for p in placed])
    reach = np.array([extent(p.wheel) for p in placed])
    order = np.argsort(reach, kind="stable")
    tree = cKDTree(centres)
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    for i in range(len(placed)):
        for j in sorted(tree.query_ball_point(centres[i], 2 * reach[i])):
            smaller = rank[j] < rank[i]
            if smaller and placed[i].instance != placed[j].instance:
                yield placed[j], placed[i]


def reaching(placed: Sequence[PlacedWheel], some: Sequence[PlacedWheel]) -> list[PlacedWheel]:
    """Those of `some` whose teeth reach between those of another of `placed` on a parallel axis."""
    toothed = [p for p in placed if p.wheel.kind not in (WheelKind.THREAD, WheelKind.RACK) and _toothlike(p.wheel)]
    near = {id(p.wheel) for a, b in _near(toothed) if _teeth_meet(a.wheel, b.wheel) for p in (a, b)}
    return [p for p in some if id(p.wheel) in near]


def _toothlike(wheel: Wheel) -> bool:
    """Whether what looks like teeth has the measures of some."""
    return 0.0 < abs(wheel.tip - wheel.root) < DEEPEST_TOOTH * wheel.module < math.inf


def _teeth_meet(p: Wheel, q: Wheel) -> bool:
    """Whether the teeth of two wheels on parallel axes, other than a spline's, lie between each other."""
    if abs(float(p.axis @ q.axis)) < math.cos(PARALLEL_SHAFTS) or (p.internal and q.internal):
        return False
    if p.internal:
        p, q = q, p
    distance, overlap = beside(p, q)
    apart_enough = not q.internal or distance > p.module
    return apart_enough and overlap >= LEAST_OVERLAP * min(p.width, q.width) and reaches(p, q, distance)


def carrier_of(
    pair: MeshingPair,
    body_of: Mapping[str, str],
    revolutes: Sequence[tuple[str, str, Vector, Vector]],
    slides: Sequence[tuple[str, str, Vector]] = (),
) -> str | None:
    """The body that holds both axes of a pair: from it joints about each axis lead to each wheel's body.

    `body_of` names the body of an instance; `revolutes` are (body, body, point, direction) in the world's frame.
    `slides` (body, body, direction) guide racks. Concentric shafts may stand between; the fewest joints win. None where
    there is no such body.
    """
    reached = [steps_about(p.wheel, body_of[p.instance], revolutes, slides) for p in (pair.a, pair.b)]
    both = (set(reached[0]) & set(reached[1])) - {body_of[pair.a.instance], body_of[pair.b.instance]}
    return min(both, key=lambda body: (reached[0][body] + reached[1][body], body), default=None)


def steps_about(
    wheel: Wheel,
    start: str,
    revolutes: Sequence[tuple[str, str, Vector, Vector]],
    slides: Sequence[tuple[str, str, Vector]] = (),
) -> dict[str, int]:
    """How many joints about the wheel's axis (of a rack: slides along it) lead from its body to each other one."""
    near: dict[str, list[str]] = {}
    if wheel.kind is WheelKind.RACK:
        # A slide has no line of its own: along its direction it guides the rack wherever that lies.
        revolutes = [(a, b, wheel.point, direction) for a, b, direction in slides]
    for a, b, point, direction in revolutes:
        if about(wheel, point, direction):
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
    steps, queue = {start: 0}, deque([start])
    while queue:
        body = queue.popleft()
        for other in near.get(body, ()):
            if other not in steps:
                steps[other] = steps[body] + 1
                queue.append(other)
    return steps
