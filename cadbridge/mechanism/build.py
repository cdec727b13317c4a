"""From the CAD's mates to how they move: mates to rows, rows to bodies, joints and couplings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Coupling, CouplingKind, Feature, Limit, Mate
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, Vector
from cadbridge.mechanism.collapse import joints_of, mate_axis
from cadbridge.mechanism.connections import Connection
from cadbridge.mechanism.couplings import gear_primitive, joints_primitive, ratio_primitive
from cadbridge.mechanism.laws import Placed, cam_primitive, linear_primitive
from cadbridge.mechanism.masses import ComponentMass, body_mass, component_masses, turns
from cadbridge.mechanism.mates import MeaninglessError, opposed, primitives_of
from cadbridge.mechanism.merge import clusters
from cadbridge.mechanism.model import GROUND_BODY, Body, BodyCoupling, Joint, MateRows, Mechanism
from cadbridge.mechanism.proportions import WRITTEN, doubt_proportions
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.rows import ROUNDED_DEGREES, ROUNDED_MM, Rows, fit, length_of, off_by, rows_of
from cadbridge.mechanism.sides import MateSide, side_of
from cadbridge.mechanism.together import carries, oriented, together
from cadbridge.units import EARTH, TO_DEGREES, TO_MM
from cadbridge.wording import listed
from solver.algebra.rank import HIGHEST
from solver.constraints import Primitive


@dataclass(eq=False)
class _Builder:
    """What the steps of `build` share."""

    assembly: Assembly
    length: float = 1.0
    highest: float = HIGHEST
    findings: Findings = field(default_factory=Findings)
    names: tuple[str, ...] = ()
    poses: tuple[Pose, ...] = ()
    index: dict[str, int] = field(default_factory=dict)
    body_of: dict[str, int] = field(default_factory=dict)
    bodies: tuple[Body, ...] = ()

    def side(self, feature: Feature) -> MateSide:
        """A feature on its component; on the ground, in the world frame."""
        return side_of(self.assembly, self.index, feature)

    def known(self, feature: Feature | None, name: str, where: Where) -> bool:
        """Whether a feature's component exists; a finding where it does not."""
        if feature is not None and feature.component in self.index:
            return True
        text = f"names {feature.component}, which does not exist" if feature else "names no component on one side"
        self.findings.add("CB201", f"{name} {text}", where)
        return False


def build(assembly: Assembly) -> Mechanism:
    """Collapse the mates of an assembly into bodies, joints and couplings.

    Every step keeps the way back to its mates. Faults of mates and couplings are findings of the result; what they
    concern is left out, by name. It raises nothing for a fault of the input.

    Args:
        assembly: What a source states, as `read` gives it.

    Returns:
        The mechanism at its designed pose, that of the file's placements, where all joint coordinates are zero.
    """
    b = _Builder(assembly)
    _index_components(b)
    mate_rows = tuple(r for m in assembly.mates if (r := _rows_of_mate(b, m)) is not None)
    b.length = length_of([p for rows in mate_rows for p in rows.primitives], b.poses)
    owned = [(p, r.mate) for r in mate_rows for p in r.primitives]
    rows = rows_of([p for p, _ in owned], [mate for _, mate in owned], b.poses, b.length)
    b.highest = fit(rows)
    owner = clusters(mate_rows, rows, b.highest)
    from cadbridge.mass import mass_ledger

    # What is locked to the ground does not move: that its mass is unknown matters to nobody, and is no finding.
    still = [name for name, cluster in zip(b.names, owner, strict=True) if cluster == GROUND_BODY]
    part_masses = mass_ledger(b.assembly, b.findings, still)
    masses = component_masses(b.assembly, part_masses)
    ground, locked = _merge(b, owner, masses)
    coupling_rows = tuple(r for c in assembly.couplings if (r := _rows_of_coupling(b, c, mate_rows)) is not None)
    joints = _armatures(b, _joints(b, mate_rows))
    couplings = tuple(_body_coupling(b, r) for r in coupling_rows)
    _locked(b, mate_rows)
    _gaps(b, _residuals(mate_rows, rows))
    _floating(b, mate_rows)
    _proportions(b, mate_rows, masses)
    return Mechanism(
        assembly=assembly, bodies=b.bodies, ground=ground, joints=joints, couplings=couplings,
        mate_rows=(*mate_rows, *coupling_rows), component_names=b.names, X_WC=b.poses, body_of=b.body_of,
        part_masses=part_masses, component_masses=masses, drives=assembly.drives, locked=locked,
        gravity=assembly.gravity or (0.0, 0.0, -EARTH), findings=b.findings.as_tuple(),
    )  # fmt: skip


def _index_components(b: _Builder) -> None:
    moving = [c for c in b.assembly.components if not c.grounded]
    b.names = tuple(c.name for c in moving)
    b.poses = tuple(c.X_WC for c in moving)
    b.index = {c.name: GROUND_BODY for c in b.assembly.components if c.grounded}
    b.index |= {name: i for i, name in enumerate(b.names)}
    b.index[GROUND] = GROUND_BODY


def _rows_of_mate(b: _Builder, mate: Mate) -> MateRows | None:
    if not (b.known(mate.a, mate.name, mate.where) and b.known(mate.b, mate.name, mate.where)):
        return None
    side_a, side_b = b.side(mate.a), b.side(mate.b)
    if side_a.index == side_b.index:
        code = "CB203" if side_a.index == GROUND_BODY else "CB202"
        b.findings.add(code, f"{mate.name} is between two features of one rigid unit", mate.where)
        return None
    try:
        primitives = primitives_of(mate, side_a, side_b)
    except MeaninglessError as fault:
        hint = f"What {mate.kind.value} can hold: {fault.choices}."
        b.findings.add("CB204", f"{mate.name}: {fault.message}", mate.where, hint)
        return None
    except (ValueError, AssertionError) as fault:
        b.findings.add("CB204", f"{mate.name}: {fault}", mate.where)
        return None
    if opposed(mate, side_a, side_b):
        b.findings.add(
            "CB206",
            f"{mate.name} wants its directions {'alike' if mate.aligned is not False else 'opposed'}, but "
            "the parts stand the other way round (180° off)",
            mate.where,
            items=[mate.name],
        )
    return MateRows(mate.name, side_a.index, side_b.index, primitives)


def _rows_of_coupling(b: _Builder, coupling: Coupling, mates: tuple[MateRows, ...]) -> MateRows | None:
    if coupling.kind in _JOINT_COUPLINGS:
        return _rows_of_joint_coupling(b, coupling)
    if not (b.known(coupling.a, coupling.name, coupling.where) and b.known(coupling.b, coupling.name, coupling.where)):
        return None
    assert coupling.a is not None
    assert coupling.b is not None
    side_a, side_b = b.side(coupling.a), b.side(coupling.b)
    if coupling.kind is not CouplingKind.RATIO:
        primitive = gear_primitive(coupling, side_a, side_b, b.findings)
        return None if primitive is None else MateRows(coupling.name, side_a.index, side_b.index, (primitive,))
    carrier = _carrier(b, coupling, side_a, side_b, mates)
    if carrier is None:
        return None
    try:
        return MateRows(
            coupling.name, side_a.index, side_b.index, (ratio_primitive(coupling, side_a, side_b, carrier),)
        )
    except ValueError as fault:
        b.findings.add("CB220", f"{coupling.name}: {fault}", coupling.where)
        return None


def _carrier(
    b: _Builder, coupling: Coupling, side_a: MateSide, side_b: MateSide, mates: tuple[MateRows, ...]
) -> MateSide | None:
    """The carrier that is named, or the one unit to which both wheels are mated."""
    if coupling.carrier is not None:
        if coupling.carrier not in b.index:
            b.findings.add(
                "CB201", f"{coupling.name} is carried by {coupling.carrier}, which does not exist", coupling.where
            )
            return None
        unit = b.index[coupling.carrier]
    else:
        near: dict[int, set[int]] = defaultdict(set)
        for rows in mates:
            near[rows.a].add(rows.b)
            near[rows.b].add(rows.a)
        both = sorted(near[side_a.index] & near[side_b.index])
        if len(both) != 1:
            b.findings.add("CB223", f"{coupling.name}: its carrier is not clear", coupling.where)
            return None
        unit = both[0]
    assert coupling.a is not None
    X = Pose() if unit == GROUND_BODY else b.poses[unit]
    return MateSide(unit, X, coupling.a)


def _rows_of_joint_coupling(b: _Builder, coupling: Coupling) -> MateRows | None:
    """The rows of a coupling of joints, which are named by their mates."""
    mates = {m.name: m for m in b.assembly.mates}
    placed = []
    for name in coupling.joints or tuple(name for name, _ in coupling.factors):
        mate = mates.get(name)
        if mate is None or mate.a.component not in b.index or mate.b.component not in b.index:
            b.findings.add(
                "CB224", f"{coupling.name} follows {name}, which is not a joint with one freedom", coupling.where
            )
            return None
        placed.append((mate, b.side(mate.a), b.side(mate.b)))
    try:
        primitive = _JOINT_COUPLINGS[coupling.kind](coupling, placed)
    except ValueError as fault:
        b.findings.add("CB220", f"{coupling.name}: {fault}", coupling.where)
        return None
    return MateRows(coupling.name, primitive.a, primitive.b, (primitive,))


_JOINT_COUPLINGS: dict[CouplingKind, Callable[[Coupling, list[Placed]], Primitive]] = {
    CouplingKind.JOINTS: lambda coupling, placed: joints_primitive(coupling, *placed),
    CouplingKind.LINEAR: linear_primitive,
    CouplingKind.CAM: lambda coupling, placed: cam_primitive(coupling, *placed),
}


def _merge(b: _Builder, owner: list[int], masses: dict[str, ComponentMass]) -> tuple[Body, tuple[tuple[str, ...], ...]]:
    """Bodies of the clusters (in the order of their first components) and the ground's; what is locked."""
    members: dict[int, list[str]] = defaultdict(list)
    for name, cluster in zip(b.names, owner, strict=True):
        members[cluster].append(name)
    grounded = [c.name for c in b.assembly.components if c.grounded]
    ground_names = [*grounded, *members.pop(GROUND_BODY, [])]
    ground = _body(b, GROUND, ground_names, masses, Pose())
    order = sorted(members)
    bodies = []
    for cluster in order:
        names = members[cluster]
        bodies.append(_body(b, names[0], names, masses, b.assembly.component(names[0]).X_WC))
    b.bodies = tuple(bodies)
    b.body_of = {name: i for i, cluster in enumerate(order) for name in members[cluster]}
    b.body_of |= dict.fromkeys([*ground_names, GROUND], GROUND_BODY)
    locked = tuple(tuple(body.components) for body in b.bodies if len(body.components) > 1)
    return ground, locked


def _body(b: _Builder, name: str, components: list[str], masses: dict[str, ComponentMass], X_WB: Pose) -> Body:
    mass, source = body_mass(b.assembly, components, masses, X_WB)
    # The ground may have any: nothing turns it.
    if mass is not None and name != GROUND and not turns(mass):
        text = f"body {name}: a principal moment of inertia of all that moves with it is below zero"
        b.findings.add("CB305", text, Where(item=name), items=components)
        mass, source = None, None
    instances = tuple(i for c in components for i in b.assembly.component(c).instances)
    return Body(name, tuple(components), instances, X_WB, mass, source)


def _joints(b: _Builder, mate_rows: tuple[MateRows, ...]) -> tuple[Joint, ...]:
    """A joint for each pair of bodies that mates connect, in the order of their first mates."""
    by_name = {m.name: m for m in b.assembly.mates}
    pairs: dict[frozenset[int], list[MateRows]] = defaultdict(list)
    for rows in mate_rows:
        a, c = _body_index(b, rows.a), _body_index(b, rows.b)
        if a != c:
            pairs[frozenset((a, c))].append(rows)
    connections, names, axes = [], [], []
    for rows_of_pair in pairs.values():
        mates = tuple(by_name[r.mate] for r in rows_of_pair)
        # A mate that somebody gave a joint's name says how the joint is seen; without one it is the first of the file.
        chief = next((m for m in mates if _requested_name(b, m)), mates[0])
        connection = _connection(b, rows_of_pair, mates, chief)
        connections.append(connection)
        names.append(_requested_name(b, chief) or chief.name)
        axes.append(_sign_axis(b, connection, chief))
    joints = joints_of(connections, names, b.length, axes, b.highest)
    done = [_carrying(b, j, c, axis) for j, c, axis in zip(joints, connections, axes, strict=True) if j is not None]
    return _unique(done)


def _locked(b: _Builder, mate_rows: tuple[MateRows, ...]) -> None:
    """Report what mates carry that would leave a freedom, and that others lock."""
    by_name = {m.name: m for m in b.assembly.mates}
    for rows in mate_rows:
        mate = by_name[rows.mate]
        if rows.rows < 6 and _body_index(b, rows.a) == _body_index(b, rows.b) and (words := carries(mate)):
            text = f"{mate.name} is locked by other mates: its {listed(words)} {'has' if len(words) == 1 else 'have'}"
            b.findings.add("CB231", f"{text} no effect", mate.where, items=[mate.name])


def _sign_axis(b: _Builder, connection: Connection, chief: Mate) -> np.ndarray | None:
    """The world direction that gives a joint its sign: that of its chief mate, else of the first that has one."""
    for mate in (chief, *connection.mates):
        axis = mate_axis(mate, b.side(mate.a))
        if axis is not None:
            return axis if _body_index(b, b.index[mate.a.component]) == connection.a else -axis
    return None


def _carrying(b: _Builder, joint: Joint, connection: Connection, axis: np.ndarray | None) -> Joint:
    """The joint with what its mates carry; what of it has no place, and what contradicts, is reported."""
    senses = []
    for mate in connection.mates:
        own = mate_axis(mate, b.side(mate.a))
        swapped = _body_index(b, b.index[mate.a.component]) != connection.a
        against = own is not None and axis is not None and float(own @ axis) < 0
        senses.append(-1.0 if swapped != against else 1.0)
    named = next((m for m in connection.mates if _requested_name(b, m)), None)
    found = together(connection.mates, senses, None if named is None else named.name, joint.kind)
    where = {m.name: m.where for m in connection.mates}
    if found.limit is not None and not joint.kind.axial:
        b.findings.add(
            "CB225", f"{joint.name}: no coordinate of a {joint.type} joint takes its limits; they have no effect"
        )
    motion = "turns" if joint.kind.resisted == "angle" else "slides"
    for name, words in found.apart:
        text = f"{joint.name} {motion}: the {words} of {name} is of another motion and has no effect"
        b.findings.add("CB225", text, where[name], items=[name, joint.name])
    if found.exclude:
        _report_excluding(b, joint, connection, dict(zip(where, senses, strict=True)), found.exclude)
    _report_names(b, joint, connection)
    losses: dict[str, Any] = found.losses
    return replace(joint, limit=found.limit, **losses)


def _report_excluding(
    b: _Builder, joint: Joint, connection: Connection, senses: dict[str, float], exclude: tuple[str, ...]
) -> None:
    ranges = []
    for mate in connection.mates:
        if mate.name in exclude and mate.limit is not None:
            limit = oriented(mate.limit, senses[mate.name])
            ranges.append(f"{mate.name} {_range(limit, joint.kind.resisted == 'angle')}")
    text = f"{joint.name}: the ranges of its mates have nothing in common: {' and '.join(ranges)}"
    place = next(m.where for m in connection.mates if m.name == exclude[0])
    b.findings.add("CB229", text, place, items=[joint.name, *exclude])


def _range(limit: Limit, turns: bool) -> str:
    scale, unit = (TO_DEGREES, "°") if turns else (TO_MM, " mm")
    ends = ["∞" if end is None else f"{end * scale:.4g}{unit}" for end in (limit.lower, limit.upper)]
    return f"from {ends[0]} to {ends[1]}".replace("from ∞", "from −∞")


def _report_names(b: _Builder, joint: Joint, connection: Connection) -> None:
    """Other names that mates of the joint ask for."""
    asked = {name: m for m in reversed(connection.mates) if (name := _requested_name(b, m))}
    for name, mate in asked.items():
        if name != joint.name and len(asked) > 1:
            text = f"one joint has two names, {joint.name} and (by {mate.name}) {name}; {joint.name} is taken"
            b.findings.add("CB230", text, mate.where, items=[mate.name, joint.name])


def _requested_name(b: _Builder, mate: Mate) -> str | None:
    return mate.joint_name or b.assembly.joint_names.get(mate.name)


def _unique(joints: list[Joint]) -> tuple[Joint, ...]:
    counts = Counter(j.name for j in joints)
    seen: Counter[str] = Counter()
    done = []
    for joint in joints:
        seen[joint.name] += 1
        if counts[joint.name] > 1 and seen[joint.name] > 1:
            joint = replace(joint, name=f"{joint.name} ({seen[joint.name]})")
        done.append(joint)
    return tuple(done)


def _body_index(b: _Builder, component: int) -> int:
    return GROUND_BODY if component == GROUND_BODY else b.body_of[b.names[component]]


def _body_pose(b: _Builder, body: int) -> Pose:
    return Pose() if body == GROUND_BODY else b.bodies[body].X_WB


def _connection(b: _Builder, rows: list[MateRows], mates: tuple[Mate, ...], chief: Mate) -> Connection:
    """The mates between two bodies, expressed for the bodies; a is the body of the chief mate's feature a."""
    a = _body_index(b, b.index[chief.a.component])
    pair = {_body_index(b, r) for r in (rows[0].a, rows[0].b)}
    other = next(i for i in pair if i != a)
    X_WA, X_WB = _body_pose(b, a), _body_pose(b, other)

    @cache
    def place(component: int) -> tuple[int, Pose]:
        body = _body_index(b, component)
        X_WC = Pose() if component == GROUND_BODY else b.poses[component]
        X_WN = X_WA if body == a else X_WB
        return (0 if body == a else 1), X_WN.inverse() @ X_WC

    primitives = tuple(reframed(p, place) for r in rows for p in r.primitives)
    points = [b.side(f).world_point() for m in mates for f in (m.a, m.b)]
    return Connection(a, other, X_WA, X_WB, mates, tuple(rows), primitives, np.mean(points, axis=0))


def _body_coupling(b: _Builder, rows: MateRows) -> BodyCoupling:
    coupling = next(c for c in b.assembly.couplings if c.name == rows.mate)

    def place(component: int) -> tuple[int, Pose]:
        body = _body_index(b, component)
        X_WC = Pose() if component == GROUND_BODY else b.poses[component]
        return body, _body_pose(b, body).inverse() @ X_WC

    return BodyCoupling(coupling.name, coupling, reframed(rows.primitives[0], place))


def _armatures(b: _Builder, joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """Rotor inertias, reflected through their reductions, on the joints that they drive."""
    own, given = {m.name: m.joint_name for m in reversed(b.assembly.mates)}, b.assembly.joint_names
    names = {asked: i for i, j in enumerate(joints) for m in j.mates if (asked := given.get(m) or own.get(m))}
    names |= {j.name: i for i, j in enumerate(joints)} | {m: i for i, j in enumerate(joints) for m in j.mates}
    done = list(joints)
    held = {name for mate in b.assembly.mates for name in (mate.name, mate.joint_name)}
    for drive in b.assembly.drives:
        i = names.get(drive.joint)
        if i is None and drive.joint in held:
            b.findings.add("CB227", f"drive {drive.name} drives {drive.joint}, which does not move", drive.where)
            continue
        if i is None:
            b.findings.add("CB226", f"drive {drive.name} drives {drive.joint}, which is not a joint", drive.where)
            continue
        # The rotor turns `reduction` times as fast as the joint: ½ J (n q̇)² is the energy of an inertia n² J on the
        # joint.
        reflected = drive.reduction**2 * drive.rotor_inertia
        done[i] = replace(done[i], armature=done[i].armature + reflected)
    return tuple(done)


def _gaps(b: _Builder, found: list[tuple[str, float, float]]) -> None:
    """Report the mates that the designed pose does not fulfil."""
    where = {m.name: m.where for m in b.assembly.mates}
    for name, mm, degrees in found:
        if mm > ROUNDED_MM or degrees > ROUNDED_DEGREES:
            b.findings.add(
                "CB207",
                f"{name} is not fulfilled as designed: off by {mm:.3g} mm, {degrees:.3g}°",
                where[name],
                items=[name],
            )


def _proportions(b: _Builder, mate_rows: tuple[MateRows, ...], masses: dict[str, ComponentMass]) -> None:
    """Report masses and inertias that cannot be, beside each other and the joints of their bodies."""
    by_name = {m.name: m for m in b.assembly.mates}
    joints: dict[str, list[Vector]] = defaultdict(list)
    for rows in mate_rows:
        a, c = _body_index(b, rows.a), _body_index(b, rows.b)
        points = [b.side(f).world_point() for f in (by_name[rows.mate].a, by_name[rows.mate].b)]
        for k in {a, c} - {GROUND_BODY} if a != c else ():
            joints[b.bodies[k].name] += points
    where = {}
    for body in b.bodies:
        parts = [b.assembly.part(b.assembly.instance(i).part) for i in body.instances]
        heaviest = max(parts, key=lambda p: p.declared.mass if p.declared is not None else 0.0, default=None)
        if heaviest is not None:
            where[body.name] = replace(heaviest.where, item=body.name)
    fixed = {
        body.name: {
            name: b.assembly.component(name).X_WC.point(mass.com)
            for name in body.components
            if (mass := masses[name].mass) is not None and mass.mass > 0 and masses[name].source in WRITTEN
        }
        for body in b.bodies
        if len(body.components) > 1
    }
    doubt_proportions(b.bodies, joints, where, fixed, b.findings)


def joints_made(assembly: Assembly) -> tuple[Joint, ...]:
    """The joints of an assembly's mechanism, for who asks of it nothing else."""
    return build(assembly).joints


def residuals(mate_rows: tuple[MateRows, ...], poses: tuple[Pose, ...]) -> list[tuple[str, float, float]]:
    """Per mate (name, mm, degrees): how far the poses are from fulfilling it."""
    primitives = [p for r in mate_rows for p in r.primitives]
    return _residuals(mate_rows, rows_of(primitives, [""] * len(primitives), poses, 1.0))


def _residuals(mate_rows: tuple[MateRows, ...], rows: Rows) -> list[tuple[str, float, float]]:
    result, start = [], 0
    for mate in mate_rows:
        own = slice(start, start + mate.rows)
        result.append((mate.mate, *off_by(np.abs(rows.gaps[own]).tolist(), rows.unit[own])))
        start += mate.rows
    return result


def _floating(b: _Builder, mate_rows: tuple[MateRows, ...]) -> None:
    """Report components that no mate holds, and an assembly that nothing ties to the ground."""
    if not b.names:
        return  # all components stand on the ground
    if not b.assembly.mates and not b.assembly.couplings and len(b.assembly.components) > 1:
        if any(f.leaves_out for f in b.assembly.findings):
            message, cure = "no mate of the input could be used", "Fix the errors above first."
        elif any(f.code == "CB1304" for f in b.assembly.findings):
            message, cure = "every mate of the source is switched off", "Switch the joints on in the CAD system."
        else:
            message, cure = "the source has no mates", None
        n, of = len(b.names), len(b.assembly.components)
        floating = f"the {n} components float" if n == of else f"{n} of {of} components float{'s' if n == 1 else ''}"
        b.findings.add("CB415", f"{message}: {floating}", hint=cure, items=b.names)
        return
    held = {b.names[i] for r in mate_rows for i in (r.a, r.b) if i != GROUND_BODY}
    for name in b.names:
        if name not in held:
            b.findings.add("CB401", f"{name} has no mate: it floats freely", Where(item=name))
    if not any(c.grounded for c in b.assembly.components) and not any(
        GROUND in (m.a.component, m.b.component) for m in b.assembly.mates
    ):
        b.findings.add("CB402", "nothing is grounded: the whole assembly floats")
