"""The diagnosis of a mechanism, on the mates as the CAD has them."""

from __future__ import annotations

from collections.abc import Callable

from cadbridge.diagnosis.constraint_graph import ConstraintGraph, graph_of
from cadbridge.diagnosis.dependence import Dependence, dependence_of
from cadbridge.diagnosis.freedoms import joints_between, readable
from cadbridge.diagnosis.gears import gears_of, locked_trains, transmissions_of
from cadbridge.diagnosis.inertias import report_without_inertia
from cadbridge.diagnosis.mobility import Freedoms, freedoms_of
from cadbridge.diagnosis.model import Diagnosis, Mobility
from cadbridge.diagnosis.pairs import BodyPair, Choice
from cadbridge.diagnosis.ranges import report_coupled_ranges, report_ranges
from cadbridge.diagnosis.reactions import reactions_of
from cadbridge.diagnosis.redundancy import Repeats, repeats_of
from cadbridge.findings import Findings, Where
from cadbridge.frames import Matrix, Pose
from cadbridge.mass import overlaps_of
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.rows import Rows, fit, rows_of
from cadbridge.wording import count
from solver.constraints import Primitive


def diagnose(mechanism: Mechanism) -> Diagnosis:
    """Tell the mobility of a mechanism, its redundant and conflicting mates, and which reactions are determined.

    Redundancy is computed on components with all their mates; freedoms and reactions on bodies with all mates between
    them. The mobility of bodies with their joints is computed beside it, and a difference is a finding. It raises
    nothing for a fault of the input.

    Args:
        mechanism: The mechanism, taken at its designed pose.

    Returns:
        Mobility and freedoms, groups of dependent mates, redundant mates and what to do about them, determined
        reactions, gears, solids that overlap, and findings.
    """
    findings = Findings()
    rows = mate_rows(mechanism)
    order = preferred(mechanism, rows)
    choice = Choice(fit(rows))
    # Redundancy is asked of the mates as they were made, between components: on bodies, what locks two parts would be
    # gone, and with it what repeats it.
    by_component = graph_of(rows, order, choice)
    dependence = dependence_of(by_component)
    repeats = repeats_of(mechanism, rows, dependence)
    graph = body_web(mechanism, rows, order, choice, by_component)
    free = freedoms_of(mechanism, graph, body_primitives(mechanism))
    mobility = _mobility(rows, dependence, free)
    _compare(mechanism, graph, mobility, findings)
    _report(mechanism, graph, mobility, free, repeats, findings)
    gears = gears_of(mechanism, findings)
    transmissions = transmissions_of(mechanism, free.freedoms, findings)
    locked = locked_trains(mechanism, free.freedoms, findings)
    overlaps = overlaps_of(mechanism.assembly, findings)
    report_without_inertia(mechanism, findings)
    return Diagnosis(
        mobility, repeats.groups, repeats.redundancies, reactions_of(mechanism, graph), findings.as_tuple(),
        free.freedoms, repeats.repetitions, repeats.deletable, repeats.choices, gears, transmissions, locked, overlaps,
    )  # fmt: skip


def motion_of(mechanism: Mechanism) -> tuple[int, Freedoms]:
    """The mobility at the designed pose and the freedoms, as `diagnose` has them, for who asks of it nothing else."""
    rows = mate_rows(mechanism)
    order, choice = preferred(mechanism, rows), Choice(fit(rows))
    graph = body_web(mechanism, rows, order, choice, graph_of(rows, order, choice))
    return graph.dof, freedoms_of(mechanism, graph, body_primitives(mechanism))


def mate_rows(mechanism: Mechanism) -> Rows:
    """The rows of all mates, between components."""
    primitives = [p for r in mechanism.mate_rows for p in r.primitives]
    owners = [r.mate for r in mechanism.mate_rows for _ in r.primitives]
    return rows_of(primitives, owners, mechanism.X_WC, mechanism.length_scale)


def preferred(mechanism: Mechanism, rows: Rows) -> list[int]:
    """Rows in the order in which they are kept: couplings last, what holds most first, else by name.

    So the weaker mate is reported as the repetition, whatever the order of the file.
    """
    gears = {c.name for c in mechanism.assembly.couplings}
    strength = {r.mate: r.rows for r in mechanism.mate_rows}
    return sorted(
        range(len(rows)), key=lambda i: (rows.owners[i] in gears, -strength[rows.owners[i]], rows.owners[i], i)
    )


def body_web(
    mechanism: Mechanism, rows: Rows, order: list[int], choice: Choice, by_component: ConstraintGraph
) -> ConstraintGraph:
    """The graph of bodies, in coordinates that are those of the joints where they can be."""
    body = [mechanism.body_of[name] for name in mechanism.component_names]
    on_bodies = rows.on(body, len(mechanism.bodies))
    between = joints_between(mechanism)

    def along_joint(pair: BodyPair) -> Matrix:
        return readable(mechanism, between.get(frozenset((pair.a, pair.b))), pair, on_bodies)

    # Where nothing is locked together bodies are components, and their graph is known.
    known = by_component if body == list(range(rows.count)) else None
    return graph_of(on_bodies, order, choice, along_joint, known)


def body_primitives(mechanism: Mechanism) -> Callable[[int], Primitive]:
    """The primitive of a row of the mates, expressed for bodies."""
    ground = Pose()
    to_body = [
        (b, (mechanism.bodies[b].X_WB.inverse() if b != GROUND_BODY else ground) @ X)
        for b, X in ((mechanism.body_of[n], X) for n, X in zip(mechanism.component_names, mechanism.X_WC, strict=True))
    ]
    primitives = [p for r in mechanism.mate_rows for p in r.primitives]

    def place(component: int) -> tuple[int, Pose]:
        return (GROUND_BODY, ground) if component == GROUND_BODY else to_body[component]

    return lambda row: reframed(primitives[row], place)


def _mobility(rows: Rows, dependence: Dependence, free: Freedoms) -> Mobility:
    total, m, r = 6 * rows.count, len(rows), dependence.rank
    return Mobility(
        dof=total - r, rows=m, rank=r, redundant=m - r, gruebler=total - m, finite=free.finite,
        generic_rank=total - free.finite,
    )  # fmt: skip


def _compare(mechanism: Mechanism, graph: ConstraintGraph, mobility: Mobility, findings: Findings) -> None:
    """The mobility again, from the bodies' mates and from the joints that stand for them."""
    primitives = [(j.name, p) for j in mechanism.joints for p in j.primitives]
    primitives += [(c.name, c.primitive) for c in mechanism.couplings]
    poses = [b.X_WB for b in mechanism.bodies]
    rows = rows_of([p for _, p in primitives], [name for name, _ in primitives], poses, mechanism.length_scale)
    collapsed = graph_of(rows, range(len(rows)), Choice(fit(rows))).dof
    if not collapsed == graph.dof == mobility.dof:
        findings.add(
            "CB405",
            f"the mates as read leave {count(mobility.dof, 'freedom')}, the mates between bodies {graph.dof}, "
            f"the joints between bodies {collapsed}",
        )


def _report(
    mechanism: Mechanism,
    graph: ConstraintGraph,
    mobility: Mobility,
    free: Freedoms,
    repeats: Repeats,
    findings: Findings,
) -> None:
    where = {m.name: m.where for m in mechanism.assembly.mates}
    for r in repeats.redundancies:
        if r.kind == "conflicting":
            more = r.alone and not r.carries
            off = f"by {r.residual_mm:.3g} mm, {r.residual_deg:.3g}°"
            text = f"repeats {', '.join(r.duplicates)} and disagrees {off}"
            findings.add(
                "CB403",
                # Rows of its own may have no direction at this pose: two axes at 90° that should be parallel.
                f"{r.mate} {text if r.duplicates else f'is off {off}, and no small motion lessens that'}",
                where.get(r.mate, Where(item=r.mate)),
                "Correct the dimension in which it disagrees, or delete it." if more else None,
                items=(r.mate, *r.duplicates),
            )
    if mobility.redundant:
        findings.add(
            "CB404",
            f"{mobility.redundant} of {count(mobility.rows, 'row')} "
            f"{'repeats' if mobility.redundant == 1 else 'repeat'} others, "
            f"in {count(len(repeats.redundancies), 'mate')}",
            items=[r.mate for r in repeats.redundancies],
        )
    if mobility.finite != mobility.dof:
        loose = [f for f in free.freedoms if not f.finite]
        shaky, items = [f.words for f in loose], [name for f in loose for name in (f.leader, *f.bodies) if name]
        why = f"not finite: {' | '.join(shaky[:3])}" if shaky else "several motions branch off here"
        text = f"{count(mobility.dof, 'freedom')} at this pose, {mobility.finite} near by; {why}"
        findings.add("CB406", text, items=items)
    report_ranges(mechanism, findings)
    report_coupled_ranges(mechanism, findings)
    _report_of_groups(mechanism, free, findings)
    _report_of_loops(graph, free, findings)


def _report_of_groups(mechanism: Mechanism, free: Freedoms, findings: Findings) -> None:
    """Groups of bodies whose mates lead nowhere else; a single part is reported where its mates are looked for."""
    for freedom in free.freedoms:
        if freedom.kind == "float" and 1 < len(freedom.bodies) < len(mechanism.bodies):
            names = freedom.bodies
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            findings.add(
                "CB413",
                f"{', '.join(names[:5])}{more} have mates to each other and to nothing else",
                Where(item=names[0]),
                items=names,
            )


def _report_of_loops(graph: ConstraintGraph, free: Freedoms, findings: Findings) -> None:
    """Loops that hold more than they need and move all the same."""
    if not free.finite:
        return
    for block in graph.loops:
        spare = len(block.repeated)
        if spare and block.freedom.shape[1]:
            pairs = [graph.branches[u].pair for u in block.units]
            mates = sorted(
                {graph.rows.owners[int(i)] for p in pairs if p is not None for i in p.rows[p.basis]}
                | {graph.rows.owners[int(i)] for chord in block.chords for i in chord.rows}
            )
            more = f" and {len(mates) - 5} more" if len(mates) > 5 else ""
            findings.add(
                "CB407",
                f"the loops of {', '.join(mates[:5])}{more} hold {count(spare, 'row')} more than they need",
                items=mates,
            )
