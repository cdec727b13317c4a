"""Each decision of a recognition with its second verdict: what else two parts may be to each other, and what it costs.

A weld of parts that share an axis may be a hinge on it; a joint may be a weld. The cost of the second verdict is the
logarithm of the odds of the first. Equal parts in one relative pose are one hypothesis.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.recognition.choice.freedoms import freedoms
from cadbridge.recognition.choice.hint_names import resolved
from cadbridge.recognition.hints import Pair
from cadbridge.recognition.model import FoundBody, FoundJoint, Recognition
from cadbridge.recognition.ties import Held

SETTLED = 0.99
"""Confidence from which a decision has no second verdict: what a person said has 1.0, rules reach 0.985."""

DOUBTFUL, LEAST_COST = 0.05, 0.1
"""Confidence below which none counts as less, and nats that a second verdict costs at least."""

MOST_COUNTED = 60
"""Hypotheses that are asked how they change the mobility, the closest first, for time alone: each is a rank."""


@dataclass(frozen=True)
class Hypothesis:
    """A decision between two instances, now `fixed` or `joint`, that may be the other.

    `equal`: all pairs that are alike and decided alike. `change`: by how much the other verdict changes the mobility,
    None where that is not known. `turns`: whether the other verdict is a motion that the geometry shows. `loose`: if
    the first of a weld touches nothing: it is only left where it stands.
    """

    a: str
    b: str
    now: str
    confidence: float
    reason: str
    equal: tuple[Pair, ...]
    turns: bool
    kind: int
    change: int | None = None
    loose: bool = False

    @property
    def cost(self) -> float:
        """What the second verdict costs more than the first: the logarithm of its odds, at least 0.1."""
        p = min(max(self.confidence, DOUBTFUL), SETTLED)
        # Never zero or less: where the first verdict is the less likely one, the programme would turn it without need.
        return max(math.log(p / (1.0 - p)), LEAST_COST)

    @property
    def other(self) -> str:
        """The second verdict."""
        return "joint" if self.now == "fixed" else "fixed"


def hypotheses(found: Recognition) -> list[Hypothesis]:
    """The decisions that may be otherwise and were not told, the closest second verdict first."""
    hints, _ = resolved(found.assembly, found.hints)  # a person writes the last names alone
    entries = [*_welds(found), *_joints(found)]
    equal, kinds = _alike(found.assembly, [(h.a, h.b) for h in entries])
    now = {(h.a, h.b, h.now) for h in entries}
    kept: dict[tuple[str, int], Hypothesis] = {}
    for h in sorted(entries, key=lambda h: (h.cost, h.a, h.b)):
        kind = kinds[h.a, h.b]
        if (h.now, kind) in kept:
            continue
        own = tuple(sorted(pair for pair in equal[kind] if (*pair, h.now) in now))
        if not hints.settled & {frozenset(p) for p in own}:
            kept[h.now, kind] = replace(h, equal=own, kind=kind)
    ordered = sorted(kept.values(), key=lambda h: (not h.turns, h.cost, h.a, h.b))
    return [*_counted(found, ordered[:MOST_COUNTED]), *ordered[MOST_COUNTED:]]


def _welds(found: Recognition) -> Iterable[Hypothesis]:
    for body in found.bodies:
        for bond in body.bonds:
            if bond.to is not None and not found.fasteners & {bond.instance, bond.to} and bond.confidence < SETTLED:
                yield Hypothesis(
                    bond.instance, bond.to, "fixed", bond.confidence, bond.reason, (), bond.axis, 0,
                    loose=bond.how is Held.NOTHING,
                )  # fmt: skip


def _joints(found: Recognition) -> Iterable[Hypothesis]:
    for joint in found.joints:
        if joint.confidence < SETTLED:
            a, b = parts_of(found, joint)
            reason = joint.evidence[0] if joint.evidence else ""
            yield Hypothesis(a, b, "joint", joint.confidence, reason, (), True, 0)


def parts_of(found: Recognition, joint: FoundJoint) -> Pair:
    """Two instances that stand for the sides of a joint: those that touch there, a drive and what is on it, or the
    bodies' largest."""
    # What is on the shaft of a motor that is one part may be drawn beside it: nothing touches there.
    for a, b in (*joint.contacts, *sorted(found.driven)):
        ends = found.body_of.get(a), found.body_of.get(b)
        if ends == (joint.a, joint.b):
            return a, b
        if ends == (joint.b, joint.a):
            return b, a
    return found.bodies[joint.a].name, found.bodies[joint.b].name


def _alike(assembly: Assembly, pairs: Iterable[Pair]) -> tuple[dict[int, list[Pair]], dict[Pair, int]]:
    """Pairs of equal parts that stand to each other alike: the pairs by their kind, and the kind of each."""
    numbers: dict[tuple[str, str, bytes], int] = {}
    groups: dict[int, list[Pair]] = defaultdict(list)
    kinds: dict[Pair, int] = {}
    form = {p.name: p.form for p in assembly.parts}
    for a, b in pairs:
        # By shapes first: of equal pairs one has its names in the other order, and its relative pose would be the
        # inverse.
        both = sorted((a, b), key=lambda n: (form[assembly.instance(n).part], n))
        first, second = (assembly.instance(n) for n in both)
        X = first.X_WI.inverse() @ second.X_WI
        # To a µm and a milliradian. Adding 0 makes 0 of −0, which has other bytes.
        place = (np.round(np.vstack([X.R, X.p * 1e3]), 3) + 0.0).tobytes()
        kinds[a, b] = numbers.setdefault((form[first.part], form[second.part], place), len(numbers))
        if (a, b) not in groups[kinds[a, b]]:
            groups[kinds[a, b]].append((a, b))
    return groups, kinds


def _counted(found: Recognition, known: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Hypotheses with what each changes of the mobility."""
    ranks: dict[bytes, int] = {}
    return [replace(h, change=change_by(found, h, ranks)) for h in known]


def change_by(found: Recognition, h: Hypothesis, ranks: dict[bytes, int] | None = None) -> int | None:
    """By how much the other verdict on all of its pairs changes the mobility; None where that is not known.

    `ranks`: those counted so far, by their matrices.
    """
    # Parts without a common axis have no motion to put in: what their second verdict would leave free is not known.
    if found.freedoms is None or not h.turns:
        return None
    count = freedoms(otherwise(found, (h,)), {} if ranks is None else ranks)
    return None if count is None else count - found.freedoms - found.momentary


def otherwise(found: Recognition, turned: Sequence[Hypothesis]) -> Recognition:
    """A recognition with the second verdict of some hypotheses, as far as its mobility goes."""
    loose = {frozenset(p) for h in turned if h.now == "fixed" for p in h.equal}
    welded = {frozenset(p) for h in turned if h.now == "joint" for p in h.equal}
    bodies: list[FoundBody] = []
    hinges: list[tuple[Pair, tuple[tuple[float, ...], tuple[float, ...]]]] = []
    parted = {found.body_of[name] for pair in loose for name in pair}
    for k, body in enumerate(found.bodies):
        if k not in parted:
            bodies += body.pieces
            continue
        opened = [
            (b, (b.instance, b.to), b.line) for b in body.bonds
            if b.to is not None and b.line is not None and frozenset((b.instance, b.to)) in loose
        ]  # fmt: skip
        hinges += [(pair, line) for _, pair, line in opened]
        bodies += body.without([bond for bond, _, _ in opened])
    where = {name: k for k, body in enumerate(bodies) for name in body.instances}
    joints = []
    for joint in found.joints:
        a, b = parts_of(found, joint)
        kind = "fixed" if frozenset((a, b)) in welded else joint.type
        joints.append(replace(joint, type=kind, a=where[a], b=where[b]))
    for (a, b), (point, axis) in hinges:
        at, way = np.array(point), np.array(axis)
        joints.append(FoundJoint("", "revolute", where[a], where[b], at, way, (), (), 0.5))
    gears = tuple(
        replace(
            g, a=where[g.instances[0]], b=where[g.instances[1]],
            carrier=None if g.carrier is None else where[found.bodies[g.carrier].name],
        )
        for g in found.gears
    )  # fmt: skip
    ground = where[found.bodies[found.ground].name]
    return replace(found, bodies=tuple(bodies), joints=tuple(joints), gears=gears, ground=ground)
