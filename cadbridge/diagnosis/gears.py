"""Gears: their numbers beside each other, what every motor turns and how fast, and trains that lock each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Coupling
from cadbridge.diagnosis.constraint_graph import ConstraintGraph, graph_of
from cadbridge.diagnosis.freedoms import STILL_RATE, Axes, axes_of, joint_columns, moving
from cadbridge.diagnosis.model import Freedom, Gear, LockedTrains, Transmission
from cadbridge.diagnosis.pairs import Choice
from cadbridge.diagnosis.words import parted
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, cross_length
from cadbridge.mechanism import BodyCoupling, Joint, Mechanism
from cadbridge.mechanism.couplings import pitch_radii, radii_at_odds
from cadbridge.mechanism.rows import Rows, fit, rows_of
from cadbridge.mechanism.sides import side_of
from solver.algebra.connected import connected
from solver.constraints import Coupler, FunctionCoupler

Array = NDArray[np.float64]

RATIO_AGREES = 1e-4
"""Relative: a ratio beside the teeth, which are exact. Ratios are written with four digits and more; the next pair of
teeth, of a hundred, is a hundredth away."""
MOST_LOCKED = 40
"""Couplings at rest of which each is tried whether it locks: more are not tried, which is reported."""


def gears_of(mechanism: Mechanism, findings: Findings) -> tuple[Gear, ...]:
    """Every coupling's ratio beside its teeth, its radii and the distance of its axes as placed."""
    return tuple(_gear(mechanism, c, findings) for c in mechanism.couplings)


def _gear(mechanism: Mechanism, c: BodyCoupling, findings: Findings) -> Gear:
    it = c.coupling
    teeth = (it.teeth_a, it.teeth_b) if it.teeth_a and it.teeth_b else None
    distance, angle = _axes(mechanism, it)
    teeth_agree = not teeth or not it.ratio or abs(teeth[1] / teeth[0] / it.ratio - 1) <= RATIO_AGREES
    if teeth and not teeth_agree:
        made = f"its teeth {teeth[0]} : {teeth[1]} make {teeth[1] / teeth[0]:.6g}, its ratio is {it.ratio:.6g}"
        findings.add("CB410", f"{it.name}: {made}", it.where, items=[it.name])
    return Gear(
        name=it.name,
        kind=it.kind.value,
        ratio=it.ratio,
        teeth=teeth,
        radii=(it.radius_a, it.radius_b),
        pitch_radii=pitch_radii(it, distance),
        centre_distance=distance,
        shaft_angle=angle,
        agrees=teeth_agree and not radii_at_odds(it, distance),
        bodies=(mechanism.body_name(c.primitive.a), mechanism.body_name(c.primitive.b)),
    )


def _axes(mechanism: Mechanism, it: Coupling) -> tuple[float | None, float | None]:
    """Distance (m) and angle (rad, at most π/2) of the axes of a coupling as placed; None where it has no two."""
    if it.a is None or it.b is None or it.a.direction is None or it.b.direction is None:
        return None, None
    a, b = (side_of(mechanism.assembly, mechanism.units, f) for f in (it.a, it.b))
    u, w, d = a.world_direction(), b.world_direction(), b.world_point() - a.world_point()
    n = np.cross(u, w)
    sine = float(np.linalg.norm(n))
    # Parallel but for rounding: the common perpendicular would be a quotient of it.
    distance = cross_length(u, d) if sine < 1e-6 else abs(float(n @ d)) / sine
    return distance, float(np.arctan2(sine, abs(float(u @ w))))


def transmissions_of(mechanism: Mechanism, freedoms: Sequence[Freedom], findings: Findings) -> tuple[Transmission, ...]:
    """How fast every joint goes for 1 rad/s (m/s) of each motor, all other motors at rest.

    Motors are the joints that drives name; without any drive, what leads each freedom that turns a coupling. A drive
    whose joint leads no freedom is reported: it cannot move, or not without other motors.
    """
    if not mechanism.couplings:
        return ()
    wheels = [joints for c in mechanism.couplings if (joints := wheels_of(mechanism, c)) is not None]
    driven = {j.name: d for d in mechanism.drives if (j := mechanism.joint_named(d.joint)) is not None}
    leaders = {f.leader for f in freedoms}
    for name, drive in driven.items():
        if name not in leaders:
            moved = [f.leader for f in freedoms if name in f.rates]
            why = f"it goes with {', '.join(str(m) for m in moved[:3])}" if moved else "nothing lets it move"
            findings.add(
                "CB412", f"{drive.name} drives {name}, which is not free: {why}", drive.where, items=[drive.name, name]
            )
    found: list[Transmission] = []
    done: set[str] = set()  # at a pose where motions branch one joint leads several: the first stands for its ratios
    for freedom in freedoms:
        if freedom.leader is None or freedom.count != 1 or (driven and freedom.leader not in driven):
            continue
        if freedom.leader in done:
            continue
        done.add(freedom.leader)
        if driven or any(a.name in freedom.rates and b.name in freedom.rates for a, b in wheels):
            motor = mechanism.joint(freedom.leader)
            found += [
                Transmission(freedom.leader, name, rate, _unit(mechanism.joint(name), motor))
                for name, rate in freedom.rates.items()
                if name != freedom.leader
            ]
    return tuple(found)


def _unit(joint: Joint, motor: Joint) -> str:
    of, per = _of(joint), _of(motor)
    return "" if of == per else f"{of}/{per}"


def _of(joint: Joint) -> str:
    """The unit of a joint's value."""
    return "m" if joint.coordinate == "distance" else "rad"


def wheels_of(mechanism: Mechanism, coupling: BodyCoupling) -> tuple[Joint, Joint] | None:
    """The joints whose turns (or slides) a coupling ties: those of its wheels on the body that carries both."""
    it = coupling.coupling
    if it.joints is not None:
        by_mate = {m: j for j in mechanism.joints for m in (j.name, *j.mates)}
        first, second = (by_mate.get(name) for name in it.joints)
        return (first, second) if first is not None and second is not None else None
    if it.a is None or it.b is None:
        return None
    at: list[dict[int, Joint]] = []
    for feature in (it.a, it.b):
        wheel = mechanism.body_of.get(feature.component, -1)
        at.append({(j.b if j.a == wheel else j.a): j for j in _joints_at(mechanism).get(wheel, ())})
    carriers = [k for k in at[0] if k in at[1]]
    if it.carrier is not None and mechanism.body_of.get(it.carrier, -1) in carriers:
        carriers = [mechanism.body_of.get(it.carrier, -1)]
    return (at[0][carriers[0]], at[1][carriers[0]]) if carriers else None


def _joints_at(mechanism: Mechanism) -> dict[int, list[Joint]]:
    """The joints with one freedom at each body."""
    found: dict[int, list[Joint]] = defaultdict(list)
    for joint in mechanism.joints:
        if joint.freedom.shape[1] == 1:
            found[joint.a].append(joint)
            found[joint.b].append(joint)
    return found


@dataclass(frozen=True, eq=False)
class _Lock:
    """A coupling at rest that, left out, lets both its wheels go: at `other` (rate of b for 1 of a), not at `own`.

    `names` are what it ties: its joints, or its mates where both are in one joint.
    """

    coupling: BodyCoupling
    joints: tuple[Joint, Joint]
    names: tuple[str, str]
    own: float
    other: float
    rates: dict[str, float]


def locked_trains(mechanism: Mechanism, freedoms: Sequence[Freedom], findings: Findings) -> tuple[LockedTrains, ...]:
    """Couplings around a loop whose ratios do not agree, so that nothing in it turns."""
    moved = {name for f in freedoms for name in f.rates}
    resting = [
        (c, joints)
        for c in mechanism.couplings
        if (joints := wheels_of(mechanism, c)) is not None and not {j.name for j in joints} & moved
    ]
    locks = [lock for c, joints in resting[:MOST_LOCKED] if (lock := _lock(mechanism, c, joints)) is not None]
    pairs = [
        (i, k)
        for i, lock in enumerate(locks)
        for k, other in enumerate(locks)
        if all(j.name in lock.rates for j in other.joints)
    ]
    labels = connected(len(locks), *np.array(pairs, np.int64).reshape(-1, 2).T)
    together: dict[int, list[_Lock]] = defaultdict(list)
    for label, lock in zip(labels.tolist(), locks, strict=True):
        together[label].append(lock)
    found = []
    for group in together.values():
        group.sort(key=lambda lock: lock.coupling.name)
        found.append(_trains(group))
        _report(found[-1], group[-1], findings)
    if len(resting) > MOST_LOCKED:
        findings.add(
            "CB411",
            f"{len(resting)} couplings are at rest; only the first {MOST_LOCKED} were tried",
            items=[c.name for c, _ in resting],
        )
    return tuple(found)


def _lock(mechanism: Mechanism, coupling: BodyCoupling, joints: tuple[Joint, Joint]) -> _Lock | None:
    """What happens without a coupling: the motion that it takes away, and the ratio of its wheels in that motion."""
    primitives = [(j.name, p) for j in mechanism.joints for p in j.primitives]
    primitives += [(c.name, c.primitive) for c in mechanism.couplings if c is not coupling]
    poses = [b.X_WB for b in mechanism.bodies]
    length = mechanism.length_scale
    rows = rows_of([p for _, p in primitives], [n for n, _ in primitives], poses, length)
    graph = graph_of(rows, range(len(rows)), Choice(fit(rows)))
    row = rows_of([coupling.primitive], [coupling.name], poses, length)
    gradient = np.zeros(graph.coordinates)
    for q in _motions(graph):
        twists = graph.twists(q)
        gradient += q * sum(
            float(w @ twists[u]) for u, w in zip(row.units[0], row.wrenches[0], strict=True) if u in twists
        )
    # Nothing that the rest leaves free changes this row: what is at rest is not locked by it.
    # The row has length 1, and the motions are unit vectors: above the rounding of sums over hundreds of bodies.
    if float(np.linalg.norm(gradient)) < 1e-6:
        return None
    axes: Axes = axes_of(mechanism, rows)
    rates = moving(mechanism, graph, axes, gradient / np.max(np.abs(gradient))).rates
    a, b = (rates.get(j.name, 0.0) for j in joints)
    # A wheel that turns a thousand times below what moves most beside the other is moved by rounding.
    if min(abs(a), abs(b)) < 1e3 * STILL_RATE * max(abs(a), abs(b), 1e-12) or not abs(a) > STILL_RATE:
        return None
    if joints[0] is joints[1]:
        return _within(coupling, joints, row, graph.twists(gradient), rates, poses)
    seen = [_seen(mechanism, row, joint, other) for joint, other in (joints, joints[::-1])]
    if seen[1] == 0.0:
        return None
    return _Lock(coupling, joints, (joints[0].name, joints[1].name), -seen[0] / seen[1], b / a, rates)


def _within(
    coupling: BodyCoupling,
    joints: tuple[Joint, Joint],
    row: Rows,
    twists: dict[int, Array],
    rates: dict[str, float],
    poses: Sequence[Pose],
) -> _Lock | None:
    """The lock of a coupling whose two joints a weld made one: between the values of its mates, which go as one."""
    primitive = coupling.primitive
    if isinstance(primitive, FunctionCoupler):
        ends, factor = (primitive.driver, primitive.driven), 1.0
    elif isinstance(primitive, Coupler) and len(primitive.terms) == 2:
        (factor, second), (_, first) = primitive.terms
        ends = first, second
    else:
        return None
    alone = [rows_of([Coupler(c.a, c.b, ((1.0, c),))], [coupling.name], poses, row.length) for c in ends]
    a, b = (_rate(r, twists) for r in alone)
    if a == 0.0 or factor == 0.0:
        return None
    # The row is factor·(b − own·a) of any motion, so that what it sees of this one tells the ratio it wants.
    own = (b - _rate(row, twists) / factor) / a
    names = coupling.coupling.joints or (joints[0].name, joints[1].name)
    return _Lock(coupling, joints, (names[0], names[1]), own, b / a, rates)


def _rate(row: Rows, twists: dict[int, Array]) -> float:
    """How fast the one equation's residual grows in a motion, in the equation's own unit."""
    pairs = zip(row.units[0], row.wrenches[0], strict=True)
    return sum(float(w @ twists[u]) for u, w in pairs if u in twists) / float(row.factors[0])


def _motions(graph: ConstraintGraph) -> list[Array]:
    """An orthonormal basis of the motions of a graph, in its coordinates."""
    found, covered = [], np.zeros(graph.coordinates, dtype=bool)
    for block in graph.loops:
        covered[block.columns] = True
        for column in block.freedom.T:
            q = np.zeros(graph.coordinates)
            q[block.columns] = column
            found.append(q)
    return found + list(np.eye(graph.coordinates)[~covered])


def _seen(mechanism: Mechanism, row: Rows, joint: Joint, other: Joint) -> float:
    """What a coupling's row sees of 1 rad/s (m/s) of one of its joints, the body that carries both at rest."""
    wheel, sign = (joint.b, 1.0) if joint.a in (other.a, other.b) else (joint.a, -1.0)
    twist = sign * joint_columns(mechanism, joint, row)[:, 0]
    return sum(float(w @ twist) for u, w in zip(row.units[0], row.wrenches[0], strict=True) if u == wheel)


def _trains(group: list[_Lock]) -> LockedTrains:
    last = group[-1]
    return LockedTrains(
        mates=tuple(lock.coupling.name for lock in group),
        joints=last.names,
        ratios=(last.own, last.other),
        units=(_of(last.joints[0]), _of(last.joints[1])),
        mismatch=(1.0 if last.joints[0].coordinate == "distance" else 2 * np.pi) * abs(last.own - last.other),
    )


def _report(trains: LockedTrains, lock: _Lock, findings: Findings) -> None:
    first, second = trains.joints
    others = [n for n in trains.mates if n != lock.coupling.name]
    one = lock.joints[0].name if lock.joints[0] is lock.joints[1] else None
    taken = f"both are in joint {one}, which takes" if one else f"{', '.join(others) or 'the joints'} take"
    findings.add(
        "CB411",
        f"{lock.coupling.name} wants {second} to go {trains.ratios[0]:.6g} times as far as {first}, "
        f"{taken} it {trains.ratios[1]:.6g} times: locked; {parted(first, trains.units, trains.mismatch)}",
        lock.coupling.coupling.where if lock.coupling.coupling.where != Where() else Where(item=lock.coupling.name),
        items=dict.fromkeys((lock.coupling.name, *others, first, second, *([one] if one else []))),
    )
