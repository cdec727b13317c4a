"""The diagnosis of a mechanism, on the mates as the CAD has them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import networkx as nx
import numpy as np

from cadbridge.diagnosis.dependence import Dependence, dependence, spans
from cadbridge.diagnosis.model import Diagnosis, Group, Mobility, Reaction, Redundancy
from cadbridge.findings import Findings, Where
from cadbridge.mechanism import Mechanism
from cadbridge.mechanism.twists import Array, jacobian
from solver.constraints import AxesAngle, Primitive
from solver.rank import equilibrate, left_null_space, rank

BENIGN_MM = 1e-2
BENIGN_DEGREES = 1e-2
"""A repeated mate that disagrees by less than this is called benign: CAD files round."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """All rows of the mates: Ĝ (m, 6n), the mate of each row, and how its mates depend on each other."""

    g: Array
    G: Array
    angular: tuple[bool, ...]
    mate_of: tuple[str, ...]
    dependence: Dependence


def diagnose(mechanism: Mechanism) -> Diagnosis:
    """Mobility, dependent groups, redundant mates and determined reactions.

    Computed at the designed pose on components with all their mates; the mobility of bodies with joints is
    computed beside it, and a difference is a finding.
    """
    findings = Findings()
    rows = _all_rows(mechanism)
    mobility = _mobility(mechanism, rows)
    redundancies = _redundancies(mechanism, rows)
    joints_G, joint_rows = _joint_rows(mechanism)
    reactions = _reactions(mechanism, joints_G, joint_rows)
    collapsed = 6 * len(mechanism.bodies) - rank(joints_G, mechanism.length_scale).rank
    if collapsed != mobility.dof:
        findings.add("CB405", f"{mobility.dof} freedoms by the mates as read, {collapsed} by bodies and joints")
    _tell(mechanism, mobility, redundancies, findings)
    return Diagnosis(mobility, _groups(rows), redundancies, reactions, findings.as_tuple())


def _all_rows(mechanism: Mechanism) -> _Rows:
    """Ĝ of all mates; mates that hold most come first, so that a repetition is told of the weaker one."""
    primitives = [p for r in mechanism.mate_rows for p in r.primitives]
    g, G = jacobian(primitives, mechanism.X_WC)
    angular = tuple(isinstance(p, AxesAngle) for p in primitives for _ in range(p.rows))
    mate_of = tuple(r.mate for r in mechanism.mate_rows for p in r.primitives for _ in range(p.rows))
    gears = {c.name for c in mechanism.assembly.couplings}
    strength = {r.mate: r.rows for r in mechanism.mate_rows}

    def weight(row: int) -> tuple[bool, int, str, int]:
        mate = mate_of[row]
        return (mate in gears, -strength[mate], mate, row)

    order = np.array(sorted(range(len(mate_of)), key=weight), dtype=np.int64)
    return _Rows(g, G, angular, mate_of, dependence(G, mechanism.length_scale, order))


def _mobility(mechanism: Mechanism, rows: _Rows) -> Mobility:
    freedoms = 6 * len(mechanism.component_names)
    m = len(rows.mate_of)
    found = rank(rows.G, mechanism.length_scale).rank
    return Mobility(dof=freedoms - found, rows=m, rank=found, redundant=m - found, gruebler=freedoms - m)


def _groups(rows: _Rows) -> tuple[Group, ...]:
    """Mates joined by dependences; the components of the matroid, whatever the order of the rows."""
    graph: nx.Graph[str] = nx.Graph()
    for row, support in rows.dependence.circuits.items():
        graph.add_node(rows.mate_of[row])
        graph.add_edges_from((rows.mate_of[row], rows.mate_of[i]) for i in support)
    groups = []
    for mates in nx.connected_components(graph):
        members = [i for i, mate in enumerate(rows.mate_of) if mate in mates]
        kept = int(np.sum(rows.dependence.keep[members]))
        groups.append(Group(tuple(sorted(mates)), len(members), kept))
    return tuple(sorted(groups, key=lambda g: g.mates))


def _redundancies(mechanism: Mechanism, rows: _Rows) -> tuple[Redundancy, ...]:
    """Every mate of which rows repeat others, with a minimal set of mates that it repeats."""
    scaled, _, _ = equilibrate(rows.G, mechanism.length_scale)
    repeated: dict[str, list[int]] = defaultdict(list)
    for row in rows.dependence.circuits:
        repeated[rows.mate_of[row]].append(row)
    of_mate: dict[str, list[int]] = defaultdict(list)
    for i, mate in enumerate(rows.mate_of):
        of_mate[mate].append(i)
    result = []
    for r in mechanism.mate_rows:
        if r.mate not in repeated:
            continue
        mm, degrees = _disagreement(rows, repeated[r.mate])
        benign = mm < BENIGN_MM and degrees < BENIGN_DEGREES
        result.append(
            Redundancy(
                mate=r.mate,
                rows=len(repeated[r.mate]),
                of=len(of_mate[r.mate]),
                duplicates=_duplicates(scaled, rows, of_mate, r.mate, repeated[r.mate]),
                kind="benign" if benign else "conflicting",
                residual_mm=mm,
                residual_deg=degrees,
            )
        )
    return tuple(result)


def _disagreement(rows: _Rows, repeated: list[int]) -> tuple[float, float]:
    """mm and degrees by which repeated rows differ from what the others hold, to first order at any pose."""
    mm = degrees = 0.0
    for row in repeated:
        gap = abs(float(rows.g[row] - rows.dependence.combinations[row] @ rows.g))
        if rows.angular[row]:
            degrees = max(degrees, float(np.degrees(gap)))
        else:
            mm = max(mm, gap * 1e3)
    return mm, degrees


def _duplicates(
    scaled: Array, rows: _Rows, of_mate: dict[str, list[int]], mate: str, repeated: list[int]
) -> tuple[str, ...]:
    """A set of other mates that hold the repeated rows, from which none can be left out."""
    support = {i for row in repeated for i in rows.dependence.circuits[row]}
    own = of_mate[mate]
    chosen = sorted({rows.mate_of[i] for i in support} - {mate})

    def holds(mates: list[str]) -> bool:
        members = [i for name in mates for i in of_mate[name]]
        # The mate's own independent rows help to express the repeated ones.
        helpers = [i for i in own if i not in repeated]
        return spans(scaled[members + helpers], scaled[repeated])

    for name in list(chosen):
        without = [n for n in chosen if n != name]
        if holds(without):
            chosen = without
    return tuple(chosen)


def _joint_rows(mechanism: Mechanism) -> tuple[Array, list[tuple[str, slice]]]:
    """Ĝ of joints and couplings between bodies, and where each joint's rows stand."""
    primitives: list[Primitive] = []
    places = []
    start = 0
    for joint in mechanism.joints:
        count = sum(p.rows for p in joint.primitives)
        places.append((joint.name, slice(start, start + count)))
        primitives += joint.primitives
        start += count
    primitives += [c.primitive for c in mechanism.couplings]
    _, G = jacobian(primitives, [body.X_WB for body in mechanism.bodies])
    return G, places


def _reactions(mechanism: Mechanism, G: Array, places: list[tuple[str, slice]]) -> tuple[Reaction, ...]:
    """A joint's wrench A ᵀλ_A is determined where AᵀN_A = 0 (Wojtyra & Frączek), N the null space of Ĝᵀ."""
    N = left_null_space(G, mechanism.length_scale)
    weights = np.tile([1.0, 1.0, 1.0] + [1.0 / mechanism.length_scale] * 3, len(mechanism.bodies))
    result = []
    for name, place in places:
        artefact = (G[place] * weights).T @ N[place]
        result.append(Reaction(name, bool(np.max(np.abs(artefact), initial=0.0) < 1e-7)))
    return tuple(result)


def _tell(mechanism: Mechanism, mobility: Mobility, redundancies: tuple[Redundancy, ...], findings: Findings) -> None:
    where = {m.name: m.where for m in mechanism.assembly.mates}
    for r in redundancies:
        if r.kind == "conflicting":
            findings.add(
                "CB403",
                f"{r.mate} repeats {', '.join(r.duplicates)} and disagrees by {r.residual_mm:.3g} mm, "
                f"{r.residual_deg:.3g}°",
                where.get(r.mate, Where(item=r.mate)),
            )
    if mobility.redundant:
        findings.add(
            "CB404",
            f"{mobility.redundant} of {mobility.rows} rows repeat others, in {len(redundancies)} mates",
        )
