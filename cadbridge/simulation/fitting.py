"""Mates that repeat others and contradict them by CAD rounding: fitted, so that all hold and the mechanism moves.

A CAD file rounds its dimensions. Where mates repeat others, they then cannot all hold exactly, and by how much they
contradict each other varies along the motion: neither other constants nor leaving rows out helps everywhere (at a dead
centre of the rows that are left, those left out are what holds). But near by is a mechanism in which all fits, the one
that was drawn. It is found by least squares: each joint may sit a little elsewhere on each of its two bodies, by a
small displacement ξ, and at poses q_k all over the motion all rows shall hold,

    g(q_k, ξ) = 0,   so that   N_kᵀ (∂g/∂ξ) ξ = −N_kᵀ g(q_k, ξ)   with   N_kᵀ Ĝ(q_k) = 0,

solved for the smallest ξ by Gauss and Newton.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.lowering import Lowered, lower, origin_of
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.mechanism.reframe import reframed
from cadbridge.simulation.redundant import (
    Redundant,
    all_over,
    by_group,
    find_redundant,
    graph_at,
    opened_rows,
    put_on,
    reduced,
)
from cadbridge.units import TO_MM
from cadbridge.wording import count
from solver import rotation
from solver.algebra.rank import NO_DIRECTION
from solver.constraints import AxesAngle, Distance, LineDistance, PointLineDistance, PointOnPlane, Primitive
from solver.constraints.evaluation import evaluate_sparse
from solver.equations.projection import project
from solver.equations.system import System, prepare
from solver.model import Model
from solver.state import State

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Side = tuple[str, int]
"""A joint's (or mate's) name and one of its units: where the one sits on the other."""

GAP = 1e-5
"""m: CAD rounds to less, mates that are wrong differ by more. What the diagnosis calls benign is the same."""
MOST_FIT_ROUNDS = 8
"""Newton's rounds over all samples: displacements are of 1e-5 m, so that two or three close all rows; rows that do not
close by then, in rounds that must halve what is left, contradict each other along the motion."""
FITTED = 1e-12
"""Scaled residuals below this are closed: they end the rounds. Those of `_WILL_DO` are taken too."""
_WILL_DO = 5e-10
"""Scaled residuals that are taken where rounds end early: half of what refuses a step of the solver
(`solver.steps.explicit.OPEN`), so that a run from such a design goes on."""
_WEAK = 1e-6
"""Directions of ξ that the poses see so many times less than the strongest stay as they are; so do those that they see
less than the rows are open by, for these may be seen only for the error."""
MOST_FITTED_ROWS = 1000
"""Rows of joints that hang together above which nothing is fitted: their matrices are dense, and take time with their
third power."""
MOST_JOINTS_NAMED = 5
"""Joints that a finding names."""

_GEOMETRIC = (PointOnPlane, AxesAngle, Distance, PointLineDistance, LineDistance)
"""What a displacement can make fit; ratios of gears are taken as they are."""


def fitted(mechanism: Mechanism, findings: Findings, gap: float = GAP, *, collapse: bool = True) -> Mechanism:
    """The mechanism itself where all its mates hold, or contradict each other by more than `gap` (m).

    Between, one whose joints (without `collapse`: mates) sit elsewhere on their parts by at most `gap`, so that all
    hold along the whole motion; by how much is reported (CB625), as is where there is none near by (CB626).
    """
    if gap <= 0.0:
        return mechanism
    lowered = lower(mechanism, collapse=collapse, motion_only=True)
    try:
        redundant = find_redundant(lowered, gap)
    except ValueError:
        return mechanism  # what cannot be computed is reported where it is needed
    if redundant is None:
        return mechanism
    where, items = Where(item=redundant.worst[0][0]), [name for name, _ in redundant.worst]
    if max((len(part.rows) for part in _parts(redundant)), default=0) > MOST_FITTED_ROWS:
        message = f"{_named(redundant)}; so many rows hang together that no mechanism was looked for in which all hold"
        findings.add("CB626", message, where, items=items)
        return mechanism
    redundant = all_over(redundant)
    found = _fit(redundant)
    if found is None:
        within = redundant.case.allowed * redundant.case.system.length * TO_MM
        message = (
            f"{_named(redundant)}; no mechanism within {within:.3g} mm was found in which all hold along the motion"
        )
        findings.add("CB626", message, where, items=items)
        return mechanism
    shift, name = found.shift
    message = f"{_named(redundant)}; {name} was shifted most, by {shift * TO_MM:.3g} mm, so that all hold"
    findings.add("CB625", message, where, items=[*items, name])
    return _rebuilt(mechanism, lowered, found, collapse)


def contradictory(findings: Findings) -> bool:
    """Whether `fitted` found mates that no velocity keeps all of: the solver is to be told so."""
    return any(f.code == "CB626" for f in findings)


@dataclass(frozen=True, eq=False)
class _Fit:
    """Where each joint sits on its units: the displacement in the unit's frame C; and the design on all rows.

    `shift` is the largest displacement (m) and whose it is.
    """

    places: dict[Side, Pose]
    design: State
    shift: tuple[float, str]


def _named(redundant: Redundant) -> str:
    spare = len(redundant.samples[0][1])
    more = f" and {len(redundant.worst) - MOST_JOINTS_NAMED} more" if len(redundant.worst) > MOST_JOINTS_NAMED else ""
    message = ", ".join(f"{name} ({size * TO_MM:.3g} mm)" for name, size in redundant.worst[:MOST_JOINTS_NAMED])
    rows = count(spare, "row repeats others and contradicts", "rows repeat others and contradict")
    return f"{rows} them by up to {redundant.worst[0][1] * TO_MM:.3g} mm: {message}{more}"


def _fit(redundant: Redundant) -> _Fit | None:
    """Gauss and Newton over all samples; None where no small displacement closes all rows."""
    model, samples = redundant.case.model, redundant.samples
    places: dict[Side, Pose] = {}
    before, parts = np.inf, _parts(redundant)
    for _ in range(MOST_FIT_ROUNDS):
        system = prepare(replace(model, primitives=_displaced(model, places)), carried=False)
        without = reduced(system)
        samples = tuple((put_on(system, without(own), state)[0], own) for state, own in samples)
        left = float(np.max(opened_rows(system, samples)))
        if left < FITTED or left > 0.5 * before:
            break
        before = left
        for part in parts:
            for side, xi in _step(system, part, samples, max(_WEAK, left)).items():
                by = Pose(rotation.matrix(rotation.exponential(xi[3:])), xi[:3])
                places[side] = by @ places.get(side, Pose())
    shift = max(((_shift(model, side, X), side[0]) for side, X in places.items()), default=(0.0, ""))
    if left > _WILL_DO or shift[0] > redundant.case.allowed * system.length:
        return None
    design = project(system, State.at_rest(model.positions, model.quaternions)).state
    return _Fit(places, design, shift)


def _shift(model: Model, side: Side, X: Pose) -> float:
    """How far (m) a displacement moves the points by which a joint sits on a unit."""
    own = [p for name, p in zip(model.groups, model.primitives, strict=True) if name == side[0] and side[1] in p.bodies]
    points = [getattr(p, "point_a" if p.a == side[1] else "point_b", np.zeros(3)) for p in own]
    return max(float(np.linalg.norm(X.point(point) - point)) for point in points)


def _displaced(model: Model, places: dict[Side, Pose]) -> tuple[Primitive, ...]:
    return tuple(_moved(name, p, places) for name, p in zip(model.groups, model.primitives, strict=True))


def _moved(name: str, primitive: Primitive, places: dict[Side, Pose]) -> Primitive:
    if not isinstance(primitive, _GEOMETRIC):
        return primitive
    return reframed(primitive, lambda unit: (unit, places.get((name, unit), Pose())))


@dataclass(frozen=True, eq=False)
class _Part:
    """Joints of which rows repeat each other: their `rows`, the units that these hold, and where they sit on them."""

    rows: Ints
    units: Ints
    sides: tuple[Side, ...]


def _parts(redundant: Redundant) -> tuple[_Part, ...]:
    """Joints joined by dependences of their rows, as one sees them away from the design."""
    # Not light, and few models are fitted.
    from cadbridge.diagnosis.dependence import dependence_of
    from cadbridge.diagnosis.redundancy import dependent_mates

    model, groups = redundant.case.model, by_group(redundant.case.model)
    graph = graph_at(redundant.case, redundant.samples[-1][0])
    found = []
    for names in dependent_mates(graph.rows, dependence_of(graph)):
        rows = np.sort(np.concatenate([groups[name] for name in names]))
        held = [(model.groups[i], model.primitives[i]) for i in rows]
        units = sorted({unit for _, p in held for unit in p.bodies} - {GROUND_BODY})
        sides = sorted({(name, unit) for name, p in held if isinstance(p, _GEOMETRIC) for unit in p.bodies})
        found.append(_Part(rows, np.array(units, np.int64), tuple(sides)))
    return tuple(found)


def _step(system: System, part: _Part, samples: Sequence[tuple[State, Ints]], weak: float) -> dict[Side, Array]:
    """The smallest displacements ξ (6,) [m; rad] in frames C that close the part's rows at all samples, linearised.

    What the samples see `weak` times less than what they see best is left as it is.
    """
    equations, gaps = [], []
    for state, own in samples:
        spare = int(np.isin(own, part.rows).sum())
        g, G, D = _linearised(system, part, state)
        if spare:
            N = np.linalg.svd(G)[0][:, -spare:] if spare < len(G) else np.eye(len(G))
            equations.append(N.T @ D)
            gaps.append(-N.T @ g)
    if not equations:
        return {}
    xi = np.linalg.lstsq(np.vstack(equations), np.concatenate(gaps), rcond=weak)[0].reshape(-1, 6)
    xi[:, 3:] /= system.length
    return dict(zip(part.sides, xi, strict=True))


def _linearised(system: System, part: _Part, state: State) -> tuple[Array, Array, Array]:
    """g (m,), Ĝ (m, 6n) and ∂g/∂ξ (m, 6 sides) of a part's rows, scaled; ξ is [m; rad · length] in frames C.

    Where a joint is displaced on a body, its rows see what they would if the body moved so.
    """
    found = evaluate_sparse(system.program, state.positions, state.quaternions)
    row_at = np.full(len(found.g), -1)
    row_at[part.rows] = np.arange(len(part.rows))
    unit_at = {int(unit): k for k, unit in enumerate(part.units)}
    side_at = {side: k for k, side in enumerate(part.sides)}
    G, D = np.zeros((len(part.rows), len(part.units), 6)), np.zeros((len(part.rows), len(part.sides), 6))
    rotations = rotation.matrix(state.quaternions)
    for k in np.flatnonzero(row_at[found.row] >= 0):
        row, body, block = int(found.row[k]), int(found.body[k]), found.blocks[k]
        i, name, primitive = row_at[row], system.model.groups[row], system.model.primitives[row]
        G[i, unit_at[body]] = block
        if not isinstance(primitive, _GEOMETRIC):
            continue
        D[i, side_at[name, body]] = np.concatenate([block[:3] @ rotations[body], block[3:] @ rotations[body]])
        if GROUND_BODY in primitive.bodies:
            about_origin = block[3:] + np.cross(state.positions[body], block[:3])
            D[i, side_at[name, GROUND_BODY]] = -np.concatenate([block[:3], about_origin])
    for J in (G, D):
        J[:, :, 3:] /= system.length
    # A row without a gradient holds nothing at this pose: over its rounding, what it is off by would drown all others.
    sizes = np.linalg.norm(G.reshape(len(G), -1), axis=1)
    scale = np.where(sizes > NO_DIRECTION, 1 / np.where(sizes > NO_DIRECTION, sizes, 1.0), 0.0)
    return (found.g[part.rows] * scale, G.reshape(len(G), -1) * scale[:, None], D.reshape(len(D), -1) * scale[:, None])


def _rebuilt(mechanism: Mechanism, lowered: Lowered, found: _Fit, collapse: bool) -> Mechanism:
    """The mechanism with its joints (or mates) where they were fitted, at the design on all rows."""
    places = {}
    for (name, unit), X in found.places.items():
        centre = np.zeros(3) if unit == GROUND_BODY else lowered.units[unit].mass.com
        # Displacements are about the unit's centre of mass, where the solver has its frames; joints stand in frames C
        # and B.
        places[name, unit] = Pose(np.eye(3), centre) @ X @ Pose(np.eye(3), -centre)
    poses = []
    for i, (x, q) in enumerate(zip(found.design.positions, found.design.quaternions, strict=True)):
        R = rotation.matrix(q)
        poses.append(Pose(R, origin_of(lowered.units, i, x, R)))
    if not collapse:
        rows = tuple(
            replace(r, primitives=tuple(_moved(r.mate, p, places) for p in r.primitives)) for r in mechanism.mate_rows
        )
        return replace(mechanism, mate_rows=rows, X_WC=tuple(poses))
    joints = tuple(
        replace(
            j,
            X_AJ=places.get((j.name, j.a), Pose()) @ j.X_AJ,
            X_BJ=places.get((j.name, j.b), Pose()) @ j.X_BJ,
            primitives=tuple(_moved(j.name, p, places) for p in j.primitives),
        )
        for j in mechanism.joints
    )
    bodies = tuple(replace(b, X_WB=X) for b, X in zip(mechanism.bodies, poses, strict=True))
    return replace(mechanism, joints=joints, bodies=bodies)
