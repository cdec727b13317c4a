"""Ranges of joints: those that hold nothing, or not the design, and those of coupled joints that exclude each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import CouplingKind
from cadbridge.diagnosis.gears import wheels_of
from cadbridge.findings import Findings, Where
from cadbridge.frames import Vector
from cadbridge.mechanism import GROUND_BODY, BodyCoupling, Joint, Mechanism
from cadbridge.mechanism.rows import quaternions_of
from cadbridge.units import TO_MM
from cadbridge.wording import listed
from solver.constraints import evaluate
from solver.constraints.primitives import Coordinate, Coupler

AT_LIMIT = 1e-6
"""rad, m: a design that stands at the end of its range stands within it: files write ranges with six digits."""

Ends = tuple[float, float]


def report_ranges(mechanism: Mechanism, findings: Findings) -> None:
    """Ranges that hold nothing, or not the pose as designed, in which every joint's coordinate is 0 (CB414)."""
    where = {m.name: m.where for m in mechanism.assembly.mates}
    excluding = {name for f in mechanism.findings if f.code == "CB229" for name in f.items}
    for joint in mechanism.joints:
        if joint.limit is None or joint.coordinate is None or joint.name in excluding:
            continue
        low, high = _ends(joint)
        if low <= high and low - AT_LIMIT <= 0.0 <= high + AT_LIMIT:
            continue
        what = "holds nothing" if low > high else "does not hold the pose as designed, which is its 0"
        place = next((where[m] for m in joint.mates if where.get(m, Where()) != Where()), Where(item=joint.name))
        message = f"the range of {joint.name}, {_text(joint, (low, high))}, {what}"
        findings.add("CB414", message, place, items=[joint.name])


def _ends(joint: Joint) -> Ends:
    limit = joint.limit
    low = -math.inf if limit is None or limit.lower is None else limit.lower
    high = math.inf if limit is None or limit.upper is None else limit.upper
    return low, high


def _text(joint: Joint, ends: Ends) -> str:
    slides = joint.coordinate == "distance"
    low, high = (f"{x * TO_MM:.4g} mm" if slides else f"{math.degrees(x):.4g}°" for x in ends)
    return f"from {low} to {high}"


@dataclass(frozen=True, eq=False)
class _Relation:
    """Σ factor · q = constant over joints of one freedom, which a coupling holds."""

    coupling: BodyCoupling
    terms: tuple[tuple[float, Joint], ...]
    constant: float

    def left(self, k: int, ranges: dict[str, Ends]) -> Ends:
        """Where the ranges of the others let the k-th joint be."""
        low = high = self.constant
        for i, (factor, joint) in enumerate(self.terms):
            if i != k:
                ends = sorted(factor * x for x in ranges[joint.name])
                low, high = low - ends[1], high - ends[0]
        first, last = sorted((low / self.terms[k][0], high / self.terms[k][0]))
        return first, last


def report_coupled_ranges(mechanism: Mechanism, findings: Findings) -> None:
    """Couplings whose joints have ranges that exclude each other, along chains of couplings too (CB416).

    What a coupling leaves of a joint's range is handed on to the next (bounds propagation), once through all couplings
    for each of them: a chain is no longer.
    """
    if not any(joint.limit is not None for joint in mechanism.joints):
        return
    relations = list(_relations(mechanism))
    ranges = {joint.name: _ends(joint) for relation in relations for _, joint in relation.terms}
    ranges = {name: ends if ends[0] <= ends[1] else (-math.inf, math.inf) for name, ends in ranges.items()}  # CB414
    for _ in range(len(relations)):
        before = dict(ranges)
        for relation in tuple(relations):
            conflict = _narrow(relation, ranges)
            if conflict:
                relations.remove(relation)
                it = relation.coupling.coupling
                items = (it.name, *(joint.name for _, joint in relation.terms))
                where = it.where if it.where != Where() else Where(item=it.name)
                findings.add("CB416", f"{it.name}: {conflict}", where, items=items)
        if ranges == before:
            return


def _narrow(relation: _Relation, ranges: dict[str, Ends]) -> str:
    """Narrow the ranges of a relation's joints to what it leaves; how they exclude each other, "" where they do not."""
    for k, (_, joint) in enumerate(relation.terms):
        left, own = relation.left(k, ranges), ranges[joint.name]
        low, high = max(left[0], own[0]), min(left[1], own[1])
        if low > high + AT_LIMIT:
            others = listed([other.name for _, other in relation.terms if other is not joint]) or "its offset"
            return f"{others} would have {joint.name} {_text(joint, left)}, and its range is {_text(joint, own)}"
        if low > high:
            # Ends that cross by rounding are one value: left crossed, every coupling on the way would add to it.
            low = high = (low + high) / 2
        ranges[joint.name] = low, high
    return ""


_BY_JOINTS = (CouplingKind.JOINTS, CouplingKind.LINEAR)


def _relations(mechanism: Mechanism) -> Iterator[_Relation]:
    between = {frozenset((j.a, j.b)): j for j in mechanism.joints if j.coordinate is not None}
    for coupling in mechanism.couplings:
        primitive, kind, terms, constant = coupling.primitive, coupling.coupling.kind, [], 0.0
        if kind in _BY_JOINTS and isinstance(primitive, Coupler):
            constant = primitive.constant
            for factor, coordinate in primitive.terms:
                joint = between.get(frozenset((coordinate.a, coordinate.b)))
                if joint is not None:
                    terms.append((factor * _sense(mechanism, joint, coordinate), joint))
            terms = terms if len(terms) == len(primitive.terms) else []
        elif (kind.of_wheels or kind is CouplingKind.RATIO) and (wheels := wheels_of(mechanism, coupling)) is not None:
            # They hold as designed, where all coordinates are 0.
            terms = _of_wheels(mechanism, coupling, wheels)
        if terms and all(factor for factor, _ in terms):
            yield _Relation(coupling, tuple(terms), constant)


def _sense(mechanism: Mechanism, joint: Joint, coordinate: Coordinate) -> float:
    """+1 where a coordinate counts as the joint of the same bodies does, else −1."""
    body = mechanism.ground if coordinate.a == GROUND_BODY else mechanism.bodies[coordinate.a]
    along = float((body.X_WB.R @ coordinate.axis_a) @ _axis(mechanism, joint)[0])
    return math.copysign(1.0, along) * (1.0 if coordinate.a == joint.a else -1.0)


def _axis(mechanism: Mechanism, joint: Joint) -> tuple[Vector, Vector]:
    """The direction of a joint's axis and a point of it, in W as designed."""
    body = mechanism.ground if joint.a == GROUND_BODY else mechanism.bodies[joint.a]
    X_WJ = body.X_WB @ joint.X_AJ
    return X_WJ.R[:, 2], X_WJ.p


def _of_wheels(mechanism: Mechanism, coupling: BodyCoupling, wheels: tuple[Joint, Joint]) -> list[tuple[float, Joint]]:
    """The factors of the joints of two wheels: the coupling's row times the twist that each gives its wheel alone."""
    if any(joint.coordinate is None for joint in wheels) or wheels[0] is wheels[1]:
        return []
    poses = [body.X_WB for body in mechanism.bodies]
    G = evaluate([coupling.primitive], np.array([X.p for X in poses]), quaternions_of(poses)).G
    carrier = {wheels[0].a, wheels[0].b} & {wheels[1].a, wheels[1].b}
    terms = []
    for joint in wheels:
        wheel, sign = (joint.b, 1.0) if joint.a in carrier else (joint.a, -1.0)
        if wheel == GROUND_BODY or wheel in carrier or len(G) != 1:
            return []
        axis, point = _axis(mechanism, joint)
        slides = joint.coordinate == "distance"
        twist = [*axis, 0.0, 0.0, 0.0] if slides else [*np.cross(axis, poses[wheel].p - point), *axis]
        terms.append((sign * float(G[0, 6 * wheel : 6 * wheel + 6] @ twist), joint))
    return terms
