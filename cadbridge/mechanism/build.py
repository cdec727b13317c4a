"""From the CAD's mates to how they move: mates to rows, rows to bodies, joints and couplings."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from cadbridge.assembly import GROUND, Assembly, Mate
from cadbridge.findings import Where
from cadbridge.frames import Pose
from cadbridge.mechanism.building import Builder
from cadbridge.mechanism.checks import (
    report_floating,
    report_gaps,
    report_homes,
    report_locked,
    report_proportions,
    residuals_of_rows,
)
from cadbridge.mechanism.coupling_rows import body_coupling, report_held, rows_of_coupling
from cadbridge.mechanism.joints import as_their_joints, joints_of_bodies, with_armatures
from cadbridge.mechanism.masses import ComponentMass, body_mass, component_masses, turns
from cadbridge.mechanism.mates import MeaninglessError, opposed, primitives_of
from cadbridge.mechanism.merge import clusters
from cadbridge.mechanism.model import GROUND_BODY, Body, Joint, MateRows, Mechanism
from cadbridge.mechanism.rows import fit, length_of, rows_of
from cadbridge.units import EARTH


def build(assembly: Assembly) -> Mechanism:
    """Collapse the mates of an assembly into bodies, joints and couplings.

    Every step keeps the way back to its mates. Faults of mates and couplings are findings of the result; what they
    concern is left out, by name. It raises nothing for a fault of the input.

    Args:
        assembly: What a source states, as `read` gives it.

    Returns:
        The mechanism at its designed pose, that of the file's placements, where all joint coordinates are zero.
    """
    b = Builder(assembly)
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
    # After the merging, in which couplings take no part: gears that lock each other are told as such (CB411), and what
    # they tie stays joints.
    coupling_rows = tuple(r for c in assembly.couplings if (r := rows_of_coupling(b, c, mate_rows)) is not None)
    joints = with_armatures(b, joints_of_bodies(b, mate_rows))
    couplings = tuple(body_coupling(b, r) for r in coupling_rows)
    report_held(b, couplings, joints)
    report_locked(b, mate_rows)
    report_gaps(b, residuals_of_rows(mate_rows, rows))
    report_floating(b, mate_rows)
    report_proportions(b, mate_rows, masses)
    mechanism = Mechanism(
        assembly=assembly, bodies=b.bodies, ground=ground, joints=joints, couplings=couplings,
        mate_rows=(*mate_rows, *coupling_rows), component_names=b.names, X_WC=b.poses, body_of=b.body_of,
        part_masses=part_masses, component_masses=masses, drives=as_their_joints(assembly.drives, joints),
        locked=locked, gravity=assembly.gravity or (0.0, 0.0, -EARTH), findings=(),
    )  # fmt: skip
    report_homes(b, mechanism)
    return replace(mechanism, findings=b.findings.as_tuple())


def _index_components(b: Builder) -> None:
    moving = [c for c in b.assembly.components if not c.grounded]
    b.names = tuple(c.name for c in moving)
    b.poses = tuple(c.X_WC for c in moving)
    b.index = {c.name: GROUND_BODY for c in b.assembly.components if c.grounded}
    b.index |= {name: i for i, name in enumerate(b.names)}
    b.index[GROUND] = GROUND_BODY


def _rows_of_mate(b: Builder, mate: Mate) -> MateRows | None:
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
    # A feature may lack the direction that a row asks for, which its side asserts, or have one without length.
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


def _merge(b: Builder, owner: list[int], masses: dict[str, ComponentMass]) -> tuple[Body, tuple[tuple[str, ...], ...]]:
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
        # The first of the file gives name and frame, so that a body keeps both while its mates are edited.
        bodies.append(_body(b, names[0], names, masses, b.assembly.component(names[0]).X_WC))
    b.bodies = tuple(bodies)
    b.body_of = {name: i for i, cluster in enumerate(order) for name in members[cluster]}
    b.body_of |= dict.fromkeys([*ground_names, GROUND], GROUND_BODY)
    locked = tuple(tuple(body.components) for body in b.bodies if len(body.components) > 1)
    return ground, locked


def _body(b: Builder, name: str, components: list[str], masses: dict[str, ComponentMass], X_WB: Pose) -> Body:
    mass, source = body_mass(b.assembly, components, masses, X_WB)
    # The ground may have any: nothing turns it.
    if mass is not None and name != GROUND and not turns(mass):
        text = f"body {name}: a principal moment of inertia of all that moves with it is below zero"
        b.findings.add("CB305", text, Where(item=name), items=components)
        mass, source = None, None
    instances = tuple(i for c in components for i in b.assembly.component(c).instances)
    return Body(name, tuple(components), instances, X_WB, mass, source)


def joints_made(assembly: Assembly) -> tuple[Joint, ...]:
    """The joints of an assembly's mechanism, for who asks of it nothing else."""
    return build(assembly).joints
