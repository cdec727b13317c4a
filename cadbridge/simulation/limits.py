"""Limits of joints by moving them until two parts meet.

A joint is moved with all that its loops and gears move; the other joints that could move by themselves stay as
designed. Its limit is where parts collide (`cadbridge.mass.meeting`). Where its loops close no further it has none: at
a dead centre of its own a rocker turns back while the crank turns on, and the loop needs no stop for it. Wheels that
mesh are not looked at: their teeth are closer to each other than what meshes are off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Limit
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.mass.meeting import SolidScene, SpentError
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism, build
from cadbridge.mechanism.independent import independent
from cadbridge.recognition import Recognition, with_recognised
from cadbridge.recognition.choice.sweep import MOTION_CODES, motion_findings
from cadbridge.recognition.model import FoundJoint, Motion
from cadbridge.simulation.kept_limits import Sweep, Swept, swept_once
from cadbridge.simulation.posing import Mover, leading_joints, movable
from cadbridge.wording import count, listed

STEP_TURN = math.radians(5.0)
"""rad of a sweep's step: a part as wide as 5° at its radius (9 mm at 100 mm) is not stepped over."""
STEPS_SLIDE = 40
"""Steps of a sweep of a slide: each a fortieth of the assembly's size, as far as 5° is at three tenths of it."""
HALVINGS = 5
"""How often the step in which a collision begins is halved: to 0.16°."""
LEAST_TURN, LEAST_SLIDE = math.radians(1.0), 5e-4
"""rad and m: a joint that moves less cannot move."""
WORK = 40_000
"""Intersections in all; joints beyond are named."""
MOST_TRIANGLES = 6e7
"""Triangles of both sides of all intersections, for what was recognised, unless more is asked for: 13 to 30 s of one
core in 2026. It is not counted by the clock, so that a file gives the same limits on every machine."""
_SAME_PLACE = 1e-9
"""Of rotation matrices, and parts of the assembly's size: placements that differ by less are one shape's, and are not
intersected again. Above rounding of products of poses, 1e-15 each."""
BESIDE = 0.03
"""Share of a step by which a pose may lie beside it to be one of its poses: of a turn by 5° the arc is a hundredth off
its chord, and a limit is known to a thirty-second of a step."""
_SPENT = "the work that was allowed is used up"
_OPEN = "its loops close no further"
_NO_FREEDOM = "no freedom of the mechanism moves it"


def with_limits(mechanism: Mechanism, findings: Findings, triangles: float = math.inf) -> Mechanism:
    """The mechanism with limits of the hinges and slides that have none; what the source says stays.

    Joints that so many triangles in intersections do not reach have none.
    Each limit is reported with the parts that meet (CB1480), and so are joints without one (CB1481), and parts that
    could not be looked at (CB1482).
    """
    found = {swept.joint.name: swept for swept in sweep(mechanism, findings, triangles=triangles)}
    for swept in found.values():
        if not swept.fault:
            findings.add("CB1480", f"{swept.joint.name}: {swept.text}", items=[swept.joint.name])
    faults: dict[str, list[str]] = {}
    for swept in found.values():
        if swept.fault:
            faults.setdefault(swept.fault, []).append(swept.joint.name)
    for fault, names in faults.items():
        findings.add("CB1481", f"{listed(names)}: {fault}", items=names)
    joints = tuple(_limited(joint, found.get(joint.name)) for joint in mechanism.joints)
    return replace(mechanism, joints=joints)


def with_wished_limits(mechanism: Mechanism, wished: bool | None, recognised: bool) -> Mechanism:
    """The mechanism `with_limits` where they are wished, and what was found among its findings.

    Without a word (None) joints that were `recognised` from the geometry have them, with the work that `recognise`
    allows: what it proposes, and no more.
    """
    if not (recognised if wished is None else wished):
        return mechanism
    findings = Findings(mechanism.findings)
    mechanism = with_limits(mechanism, findings, math.inf if wished else MOST_TRIANGLES)
    return replace(mechanism, findings=findings.as_tuple())


def _limited(joint: Joint, swept: Swept | None) -> Joint:
    if swept is None or (swept.lower is None and swept.upper is None):
        return joint
    own = joint.limit or Limit()
    lower, upper = (a if a is not None else b for a, b in ((own.lower, swept.lower), (own.upper, swept.upper)))
    return replace(joint, limit=replace(own, lower=lower, upper=upper))


def of_recognised(found: Recognition, triangles: float = math.inf) -> Recognition:
    """A recognition with the limits of its joints, moved with the gears and loops that were recognised.

    Joints that so many triangles in intersections do not reach have none, which is reported (CB1650).
    """
    findings = Findings(f for f in found.findings if f.code not in MOTION_CODES)
    mechanism = build(with_recognised(found.assembly, found))
    apart = {frozenset(g.instances) for g in found.gears}
    swept = {s.joint.name: s for s in sweep(mechanism, findings, apart, triangles, found.yielding)}
    joints = tuple(_taken(mechanism, found, joint, swept.get(joint.name)) for joint in found.joints)
    findings.extend(motion_findings(found, joints))
    late = [name for name, s in swept.items() if s.fault == _SPENT]
    if late:
        text = f"the limits of {count(len(late), 'joint')} were not looked for: {listed(late)}"
        findings.add("CB1650", text, items=late)
    return replace(found, joints=joints, findings=findings.as_tuple())


def _taken(mechanism: Mechanism, found: Recognition, joint: FoundJoint, swept: Swept | None) -> FoundJoint:
    """A recognised joint with its limits, about its own axis and from its own body a."""
    if swept is None or swept.fault == _SPENT or joint.axis is None:
        return joint
    if swept.fault:
        untested = joint.motion is not None and joint.motion.state == "untested"
        return replace(joint, motion=Motion("untested", swept.fault)) if untested else joint
    own = swept.joint
    base = mechanism.X_WB(own.a) @ own.X_AJ
    b = mechanism.ground if own.b == GROUND_BODY else mechanism.bodies[own.b]
    # Counted from the other body or along the opposite axis, but not both, the coordinate has the other sign.
    if (found.bodies[joint.b].instances[0] in b.instances) != bool(base.R[:, 2] @ joint.axis > 0):
        lower, upper = (None if x is None else -x for x in (swept.upper, swept.lower))
        first, last = (None if x is None else -x for x in swept.folds[::-1])
        swept = replace(swept, lower=lower, upper=upper, ends=swept.ends[::-1], folds=(first, last))
    limit = None if swept.lower is None and swept.upper is None else Limit(swept.lower, swept.upper)
    return replace(joint, limit=limit, motion=Motion("free", swept.text, swept.ends))


def sweep(
    mechanism: Mechanism,
    findings: Findings,
    apart: Set[frozenset[str]] = frozenset(),
    triangles: float = math.inf,
    yielding: Set[str] = frozenset(),
) -> list[Swept]:
    """Move every hinge and slide that has no limits, as far as the work reaches: `WORK` and so many triangles.

    Pairs of instances in `apart` are not looked at, and `yielding` instances stop nothing: belts, springs, cables.
    """
    requested = [j for j in mechanism.joints if j.coordinate and not _bounded(j)]
    if not requested:
        return []
    how = sorted(map(sorted, apart)), WORK, triangles, sorted(yielding)
    found, hollow = swept_once(
        mechanism, requested, how, lambda: _sweep(mechanism, requested, apart, triangles, yielding)
    )
    if hollow:
        findings.add(
            "CB1482", f"{count(len(hollow), 'part has', 'parts have')} no closed mesh: {listed(hollow)}", items=hollow
        )
    return found


def _sweep(
    mechanism: Mechanism,
    joints: Sequence[Joint],
    apart: Set[frozenset[str]],
    triangles: float,
    yielding: Set[str],
) -> Sweep:
    assembly = mechanism.assembly
    scene = SolidScene(assembly, {*apart, *_meshing(mechanism)}, WORK, triangles)
    rigid = ([n for n in body.instances if n not in yielding] for body in (*mechanism.bodies, mechanism.ground))
    sides = [scene.solid(names) for names in rigid]
    hollow = sorted({i.name for i in assembly.instances} - {name for side in sides for name in side} - yielding)
    wanted, found = {joint.name: joint for joint in joints}, dict[str, Swept]()
    for bodies, designed in independent(mechanism):
        if not (names := [joint.name for joint in designed.joints if joint.name in wanted]):
            continue
        part = movable(designed)  # fitted once for all its joints
        own = {*bodies}
        still = tuple(name for k, side in enumerate(sides) if k not in own for name in side)
        look = _Look(scene, [sides[k] for k in bodies], still)
        for name in names:
            found[name] = _swept(part, leading_joints(designed, name), look, wanted[name])
    # A joint of the ground with itself is of no part.
    return [found[j.name] if j.name in found else Swept(j, fault=_NO_FREEDOM) for j in joints], hollow


def _bounded(joint: Joint) -> bool:
    return joint.limit is not None and joint.limit.lower is not None and joint.limit.upper is not None


def _meshing(mechanism: Mechanism) -> set[frozenset[str]]:
    """Pairs of instances of the wheels of each gear."""
    found = set()
    for coupling in (c.coupling for c in mechanism.couplings):
        if coupling.kind.of_wheels and coupling.a is not None and coupling.b is not None:
            ends = (mechanism.assembly.component(f.component).instances for f in (coupling.a, coupling.b))
            first, second = ends
            found |= {frozenset((a, b)) for a in first for b in second}
    return found


class _Known:
    """Poses that were found free, as points of a space, in the order in which a joint went through them.

    Many joints of a loop lead the same motion: what lies between two neighbours of it is not looked at again.
    """

    def __init__(self, size: float) -> None:
        self._size = size
        self._from: list[NDArray[np.float64]] = []
        self._to: list[NDArray[np.float64]] = []

    def point(self, poses: Sequence[Pose]) -> NDArray[np.float64]:
        """The poses of all bodies, (n, 12)."""
        return np.array([[*X.R.ravel(), *X.p / self._size] for X in poses]).reshape(-1, 12)

    def has(self, point: NDArray[np.float64]) -> bool:
        """Whether a pose lies between two neighbours that are free, each body beside its own way."""
        if not self._from:
            return False
        start = np.array(self._from)
        way, off = np.array(self._to) - start, point - start
        share = (off * way).sum(axis=(1, 2)) / (way**2).sum(axis=(1, 2))
        off -= share[:, None, None] * way
        beside = (off**2).sum(axis=2) <= BESIDE**2 * (way**2).sum(axis=2) + _SAME_PLACE**2
        return bool(((share >= 0.0) & (share <= 1.0) & beside.all(axis=1)).any())

    def add(self, before: NDArray[np.float64], point: NDArray[np.float64]) -> None:
        """Keep that a joint went from one free pose to the next."""
        if not np.array_equal(before, point):
            self._from.append(before)
            self._to.append(point)


class _Look:
    """What meets where bodies are displaced: the instances of each body, and those of all that stands `still`."""

    def __init__(self, scene: SolidScene, sides: Sequence[Sequence[str]], still: tuple[str, ...]) -> None:
        self.scene, self._sides, self._still, self.known = scene, sides, still, _Known(scene.size)

    def met(self, moved: Sequence[Pose]) -> str | None:
        """Which two parts meet where the bodies are displaced by X_WW; None where none do."""
        groups: list[tuple[Pose, Sequence[str]]] = [*_alike(moved, self._sides, self.scene.size)]
        # Always the same names, which the scene then knows: of thousands of parts most stand still.
        for (X, some), (Y, others) in combinations([*groups, (Pose(), self._still)], 2):
            if others is self._still and _same(X, Y, self.scene.size):
                continue
            pair = self.scene.first_hit(some, others, Y.inverse() @ X)
            if pair is not None:
                drawn = ", which overlap as drawn" if self.scene.overlap_as_drawn(pair) else ""
                return f"{pair[0]} meets {pair[1]}{drawn}"
        return None


def _same(X: Pose, Y: Pose, size: float) -> bool:
    """Whether two displacements are one in an assembly of a size (m)."""
    return bool(np.abs(X.R - Y.R).max() < _SAME_PLACE and np.abs(X.p - Y.p).max() < _SAME_PLACE * size)


def _swept(ready: Mechanism, leading: tuple[str, ...], look: _Look, joint: Joint) -> Swept:
    if joint.name not in leading:
        return Swept(joint, fault=_NO_FREEDOM)
    turning = joint.coordinate == "angle"
    step, most = (STEP_TURN, 2 * math.pi) if turning else (look.scene.size / STEPS_SLIDE, look.scene.size)
    low = high = None
    mover = Mover(ready, leading, ready=True, still=True)
    try:
        high = _stop(_meets(mover, look, joint.name, 1.0), step, most)
        if high is not None or not turning:  # what turns all round one way does so the other way
            low = _stop(_meets(mover, look, joint.name, -1.0), step, most)
    except SpentError:
        return Swept(joint, fault=_SPENT)
    if low is not None and high is not None and max(low[0], high[0]) < (LEAST_TURN if turning else LEAST_SLIDE):
        return Swept(joint, fault=f"cannot move: {high[1]} at once, both ways")
    (lower, end, first), (upper, other, last) = _end(low, -1.0), _end(high, 1.0)
    return Swept(joint, lower, upper, (end, other), (first, last))


def _end(stop: tuple[float, str] | None, way: float) -> tuple[float | None, str, float | None]:
    """The limit one way, what meets there, and where the loops close no further."""
    if stop is None:
        return None, "", None
    far, why = stop
    return (None, "", way * far) if why == _OPEN else (way * far, why, None)


def _meets(mover: Mover, look: _Look, name: str, way: float) -> Callable[[float], str | None]:
    """What stops the joint at a coordinate; None where nothing does."""
    designed = mover.home().poses
    before = look.known.point(designed)

    def meets(q: float) -> str | None:
        nonlocal before
        posed = mover.move({name: way * q})
        if not posed.status.ok:
            return _OPEN
        point = look.known.point(posed.poses)
        if not look.known.has(point):
            met = look.met([X @ X0.inverse() for X, X0 in zip(posed.poses, designed, strict=True)])
            if met is not None:
                return met
            look.known.add(before, point)
        before = point
        return None

    return meets


def _alike(moved: Sequence[Pose], sides: Sequence[Sequence[str]], size: float) -> list[tuple[Pose, list[str]]]:
    """The instances that are displaced alike, with by what."""
    groups: list[tuple[Pose, list[str]]] = []
    for X, names in zip(moved, sides, strict=True):
        for Y, own in groups:
            if _same(X, Y, size):
                own += names
                break
        else:
            groups.append((X, list(names)))
    return [group for group in groups if group[1]]


def _stop(meets: Callable[[float], str | None], step: float, most: float) -> tuple[float, str] | None:
    """How far a coordinate goes until something stops it, and what; None where it goes to the end."""
    free = 0.0
    # Sums of steps miss the end by rounding.
    while free < most * (1 - 1e-9):
        q = min(free + step, most)
        why = meets(q)
        if why is None:
            free = q
            continue
        for _ in range(HALVINGS):
            middle = (free + q) / 2
            nearer = meets(middle)
            if nearer is None:
                free = middle
            else:
                q, why = middle, nearer
        return free, why
    return None
