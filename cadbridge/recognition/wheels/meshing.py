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
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from cadbridge.assembly import Assembly
from cadbridge.frames import Vector
from cadbridge.recognition.wheels.pairing import DEEPEST_TOOTH, meshing_of, splined
from cadbridge.recognition.wheels.placed import (
    LEAST_OVERLAP,
    PARALLEL_SHAFTS,
    SAME_HELIX,
    MeshingPair,
    about,
    beside,
    extent,
    meeting,
    reaches,
)
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind


@dataclass(frozen=True, eq=False)
class Meshing:
    """What meshes in an assembly. `alone`: sure wheels without a partner. `wheels`: all that are sure now."""

    pairs: tuple[MeshingPair, ...]
    alone: tuple[Wheel, ...]
    wheels: tuple[Wheel, ...]

    def without(self, out: Collection[str]) -> Meshing:
        """What meshes without the wheels of some instances."""
        alone, wheels = (tuple(w for w in own if w.instance not in out) for own in (self.alone, self.wheels))
        return Meshing(pairs_without(self.pairs, out), alone, wheels)


def pairs_without(pairs: Sequence[MeshingPair], out: Collection[str]) -> tuple[MeshingPair, ...]:
    """The pairs of which no wheel is of some instances."""
    return tuple(pair for pair in pairs if not {pair.a.instance, pair.b.instance} & set(out))


def place(assembly: Assembly, wheels_of: Mapping[str, Sequence[Wheel]]) -> tuple[Wheel, ...]:
    """The wheels of all instances, `wheels_of` being those of each part by its name."""
    return tuple(
        wheel.moved(instance.X_WI, instance.name)
        for instance in assembly.instances
        for wheel in wheels_of.get(instance.part, ())
    )


def find_meshing(placed: Sequence[Wheel]) -> Meshing:
    """The pairs that mesh among the wheels of an assembly.

    A wheel with a doubt about its kind takes part; a partner takes the doubt away.
    """
    near = list(_near(placed))
    pairs = [pair for p, q in near if (pair := meshing_of(p, q)) is not None]
    used = {w for pair in pairs for w in (pair.a, pair.b)}
    # The teeth of a shaft and of its hub want no partner beside them.
    in_hub = {w for p, q in near if splined(p, q) or splined(q, p) for w in (p, q)}
    wheels = tuple(_confirmed(w) if w in used else w for w in placed if w.sure or w in used)
    return Meshing(tuple(pairs), tuple(w for w in placed if w.sure and w not in used | in_hub), wheels)


def with_drives(meshing: Meshing, drives: Sequence[MeshingPair]) -> Meshing:
    """What meshes, and the belt and chain drives, whose wheels want no partner beside them."""
    used = {w for drive in drives for w in (drive.a, drive.b)}
    return Meshing((*meshing.pairs, *drives), tuple(w for w in meshing.alone if w not in used), meshing.wheels)


def _confirmed(wheel: Wheel) -> Wheel:
    kind = wheel.kind
    if wheel.sure and kind is not WheelKind.SPROCKET:
        return wheel
    # A sprocket meshes with no wheel, and a spline does not roll: what rolls on a partner is a gear.
    if kind in (WheelKind.SPLINE, WheelKind.UNKNOWN, WheelKind.SPROCKET):
        kind = WheelKind.SPUR if abs(wheel.helix) < SAME_HELIX else WheelKind.HELICAL
    return replace(wheel, kind=kind, doubt="", evidence=(*wheel.evidence, "it meshes with a partner"))


def _near(placed: Sequence[Wheel]) -> Iterable[tuple[Wheel, Wheel]]:
    """Pairs of different instances whose wheels' balls meet, large ones looked up by the small ones' tree."""
    if len(placed) < 2:
        return
    centres = np.array([w.point for w in placed])
    reach = np.array([extent(w) for w in placed])
    order = np.argsort(reach, kind="stable")
    tree = cKDTree(centres)
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    for i in range(len(placed)):
        for j in sorted(tree.query_ball_point(centres[i], 2 * reach[i])):
            smaller = rank[j] < rank[i]
            if smaller and placed[i].instance != placed[j].instance:
                yield placed[j], placed[i]


def reaching(placed: Sequence[Wheel], some: Sequence[Wheel]) -> list[Wheel]:
    """Those of `some` whose teeth reach between those of another of `placed` on a parallel axis."""
    toothed = [w for w in placed if w.kind not in (WheelKind.THREAD, WheelKind.RACK) and _toothlike(w)]
    near = {w for pair in _near(toothed) if _teeth_meet(*pair) for w in pair}
    return [w for w in some if w in near]


def unfit_pairs(alone: Sequence[Wheel]) -> list[tuple[Wheel, Wheel]]:
    """Those of some wheels without a partner of which two stand as if they meshed: their modules or helices differ."""
    found = []
    for p, q in _near([w for w in alone if w.kind not in (WheelKind.THREAD, WheelKind.RACK)]):
        distance, middle = meeting(p, q)
        crossed = middle is not None and reaches(p, q, distance) and WheelKind.BEVEL not in (p.kind, q.kind)
        crossed &= middle is not None and all(abs(float((middle - w.point) @ w.axis)) < w.width / 2 for w in (p, q))
        if crossed or _teeth_meet(p, q):
            found.append((p, q))
    return found


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
    reached = [steps_about(w, body_of[w.instance], revolutes, slides) for w in (pair.a, pair.b)]
    both = (set(reached[0]) & set(reached[1])) - {body_of[name] for name in pair.instances}
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
