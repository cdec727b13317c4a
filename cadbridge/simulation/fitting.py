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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.web import Web, web_of
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.lowering import Lowered, lower, origin_of
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.rows import rows_of
from solver import rotation
from solver.constraints import AxesAngle, Distance, LineDistance, PointLineDistance, PointOnPlane, Primitive
from solver.constraints.evaluation import evaluate_sparse
from solver.model import Model
from solver.projection import POSITION_TOLERANCE, carry_angles, open_rows, project
from solver.state import State
from solver.system import System, prepare

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Side = tuple[str, int]
"""A joint's (or mate's) name and one of its units: where the one sits on the other."""

GAP = 1e-5
"""m: CAD rounds to less, mates that are wrong differ by more. What the diagnosis calls benign is the same."""
LARGEST_SHARE = 1e-3
"""Parts of the mechanism's length that are never taken for rounding."""
WAYS, STEPS, STEP = 2, 10, 0.3
"""Ways from the design, each also backwards; steps along each, and their length in rad or lengths of the mechanism."""
EXACT = 0.01
"""Singular values below this part of what may be rounding are none, so that the widest gap is not the one below it."""
ROUNDS = 8
FITTED = 1e-12
"""Scaled residuals below this are closed; those of `_CLOSED` will do."""
_CLOSED = 5e-10
_WEAK = 1e-6
"""Directions of ξ that the poses see so many times less than the strongest stay as they are; so do those that they see
less than the rows are open by, for these may be seen only for the error."""
LARGE = 1000
"""Rows of joints that hang together above which nothing is fitted: their matrices are dense."""
SPECIAL = 50
"""Rows that only the design makes repeat others, above which nothing is fitted."""
MOST = 5
"""Joints that a finding names."""

_GEOMETRIC = (PointOnPlane, AxesAngle, Distance, PointLineDistance, LineDistance)
"""What a displacement can make fit; ratios of gears are taken as they are."""


def fitted(mechanism: Mechanism, findings: Findings, gap: float = GAP, *, collapse: bool = True) -> Mechanism:
    """The mechanism itself where all its mates hold, or contradict each other by more than `gap` (m).

    Between, one whose joints (without `collapse`: mates) sit elsewhere on their parts by at most `gap`, so that all
    hold along the whole motion; by how much is told (CB625), as is where there is none near by (CB626).
    """
    lowered = lower(mechanism, collapse=collapse, motion_only=True)
    try:
        loose = _loose(lowered, gap)
        found = None if loose is None else _fit(loose)
    except ValueError:
        return mechanism  # what cannot be computed is told by what is to be done with it
    if loose is None:
        return mechanism
    where = Where(item=loose.worst[0][0])
    if found is None:
        within = loose.case.allowed * loose.case.system.length
        said = f"{_named(loose)}; no mechanism within {within:.3g} m was found in which all hold along the motion"
        if loose.large:
            said = f"{_named(loose)}; so many rows hang together that no mechanism was looked for in which all hold"
        findings.add("CB626", said, where)
        return mechanism
    shift, name = max((float(np.linalg.norm(X.p)), name) for (name, _), X in found.places.items())
    findings.add("CB625", f"{_named(loose)}; {name} was shifted most, by {shift:.3g} m, so that all hold", where)
    return _rebuilt(mechanism, lowered, found, collapse)


@dataclass(frozen=True, eq=False)
class _Case:
    """The bodies and rows of a mechanism of some `length` (m); scaled residuals up to `allowed` may be rounding."""

    system: System
    length: float
    allowed: float

    @property
    def model(self) -> Model:
        return self.system.model


@dataclass(frozen=True, eq=False)
class _Loose:
    """A model whose rows contradict each other a little.

    `samples` are states all over the motion, each on rows that do not repeat each other: all but those beside it, of
    which there are equally many at each. `worst` are the groups that are open there, and how far (m), the worst first.
    `large`: there are too many to be fitted.
    """

    case: _Case
    samples: tuple[tuple[State, Ints], ...]
    worst: tuple[tuple[str, float], ...]
    large: bool


@dataclass(frozen=True, eq=False)
class _Fit:
    """Where each joint sits on its units: the displacement in the unit's frame C; and the design on all rows."""

    places: dict[Side, Pose]
    design: State


def _named(loose: _Loose) -> str:
    spare = len(loose.samples[0][1])
    more = f" and {len(loose.worst) - MOST} more" if len(loose.worst) > MOST else ""
    said = ", ".join(f"{name} ({size:.3g} m)" for name, size in loose.worst[:MOST])
    return f"{spare} rows repeat others and contradict them by up to {loose.worst[0][1]:.3g} m: {said}{more}"


def _loose(lowered: Lowered, gap: float) -> _Loose | None:
    """What is to be fitted; None where all rows hold exactly, or contradict each other by more than `gap` (m)."""
    model = replace(lowered.model, loads=(), meshes=(), coordinates=(), coordinate_names=())
    system = prepare(model, carried=False)
    case = _Case(system, lowered.mechanism.length_scale, min(gap / system.length, LARGEST_SHARE))
    found = project(system, State.at_rest(model.positions, model.quaternions))
    if float(np.max(found.position, initial=0.0)) > case.allowed:
        return None
    design = found.state
    spare = _spare(case, design)
    for _ in range(min(len(spare), SPECIAL)):
        opened = _opened(system, [state for state, _ in _walk(case, spare, design, steps=1)])
        if float(opened[spare].max()) <= max(POSITION_TOLERANCE, _rounding(system, design)):
            return None
        if float(opened[spare].max()) <= case.allowed:
            break
        # At another pose it says something of its own: the design is a special one.
        spare = np.delete(spare, int(np.argmax(opened[spare])))
    else:
        return None
    large = max(len(part.rows) for part in _parts(case, design)) > LARGE
    steps = 1 if large else STEPS
    samples = tuple(s for s in _walk(case, spare, design, steps) if len(s[1]) == len(spare))
    opened = _opened(system, [state for state, _ in samples])
    sizes = [(name, float(opened[rows].max()) * system.length) for name, rows in _by_group(model).items()]
    worst = sorted((s for s in sizes if s[1] > 0.01 * max(s[1] for s in sizes)), key=lambda s: -s[1])
    return _Loose(case, samples, tuple(worst), large) if worst else None


def _rounding(system: System, state: State) -> float:
    """What rows may be open by for the computer's rounding alone: positions far from the origin have fewer digits."""
    return 1e-13 + 2e-14 * float(np.max(np.abs(state.positions), initial=0.0)) / system.length


def _by_group(model: Model) -> dict[str, Ints]:
    """The rows of each group; a primitive has one row."""
    found: dict[str, list[int]] = {}
    for row, name in enumerate(model.groups):
        found.setdefault(name, []).append(row)
    return {name: np.array(rows, np.int64) for name, rows in found.items()}


def _opened(system: System, states: Sequence[State]) -> Array:
    """How far each row (m,) is open at most, scaled."""
    return np.asarray(np.max([open_rows(system, state)[0] for state in states], axis=0))


def _web(case: _Case, state: State) -> Web:
    """The dependence of the rows at a state, as the diagnosis sees it, but that what may be rounding is no rank."""
    poses = [Pose(rotation.matrix(q), x) for x, q in zip(state.positions, state.quaternions, strict=True)]
    rows = rows_of(case.model.primitives, case.model.groups, poses, case.length)
    return web_of(rows, range(len(rows)), case.allowed, lowest=EXACT * case.allowed)


def _spare(case: _Case, state: State) -> Ints:
    """Rows that repeat the others at a pose, and are small sums of them."""
    web = _web(case, state)
    keep = np.zeros(len(web.rows), dtype=bool)
    for branch in web.branches.values():
        if branch.pair is not None:
            keep[branch.pair.rows[_strongest(branch.pair.W, branch.pair.rank)]] = True
    for block in web.loops:
        keep[block.rows[_strongest(block.J, block.rank)]] = True
    return np.flatnonzero(~keep)


def _strongest(W: Array, rank: int) -> Ints:
    """So many rows of W (m, n), each the one with most left over beside those before it."""
    if rank == len(W):
        return np.arange(rank)
    from scipy.linalg import qr

    return np.asarray(qr(W.T, mode="economic", pivoting=True)[2][:rank], dtype=np.int64)


def _without(system: System, spare: Ints) -> System:
    gone = set(spare.tolist())
    kept = tuple(p for i, p in enumerate(system.model.primitives) if i not in gone)
    return prepare(replace(system.model, primitives=kept, groups=()), carried=False)


def _on_kept(system: System, less: System, state: State) -> tuple[State, bool]:
    """The state of `system` put on the rows of `less`, which has fewer, rates as well; and whether it could be."""
    found = project(less, carry_angles(state, system, less))
    return carry_angles(found.state, less, system), found.status.ok


def _walk(case: _Case, spare: Ints, design: State, steps: int) -> Iterator[tuple[State, Ints]]:
    """The design without the `spare` rows, and states that it moves to, each with the rows that are spare there."""
    system = case.system
    at_home = _without(system, spare)
    home, _ = _on_kept(system, at_home, design)
    yield home, spare
    random = np.random.default_rng(1)
    weights = np.array([system.length] * 3 + [1.0] * 3)
    ways = [random.standard_normal(home.velocities.shape) * weights for _ in range(WAYS)]
    for rates in (*ways, *(-way for way in ways)):
        here, own, less = home, spare, at_home
        for _ in range(steps):
            rates = _on_kept(system, less, replace(here, velocities=rates))[0].velocities
            size = float(np.max(np.abs(rates) / weights, initial=0.0))
            if size < 1e-9:
                break
            way = rates * STEP / size
            turned = rotation.turned(here.quaternions, way[:, 3:])
            moved = replace(here, positions=here.positions + way[:, :3], quaternions=turned)
            here, holds = _on_kept(system, less, moved)
            if not holds:
                break
            if steps > 1:
                own = _spare(case, here)
                less = _without(system, own)
            yield here, own


def _fit(loose: _Loose) -> _Fit | None:
    """Gauss and Newton over all samples; None where no small displacement closes all rows."""
    model, samples = loose.case.model, loose.samples
    places: dict[Side, Pose] = {}
    if loose.large:
        return None
    before, parts = np.inf, _parts(loose.case, samples[-1][0])
    for _ in range(ROUNDS):
        moved = replace(model, primitives=_displaced(model, places))
        system = prepare(moved, carried=False)
        samples = tuple((_on_kept(system, _without(system, own), state)[0], own) for state, own in samples)
        left = float(np.max(_opened(system, [state for state, _ in samples])))
        if left < FITTED or left > 0.5 * before:
            break
        before = left
        for part in parts:
            for side, xi in _step(system, part, samples, max(_WEAK, left)).items():
                by = Pose(rotation.matrix(rotation.exponential(xi[3:])), xi[:3])
                places[side] = by @ places.get(side, Pose())
    largest = max((float(np.linalg.norm(X.p)) for X in places.values()), default=0.0)
    if left > _CLOSED or largest > loose.case.allowed * system.length:
        return None
    design = project(system, State.at_rest(model.positions, model.quaternions)).state
    return _Fit(places, design)


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


def _parts(case: _Case, state: State) -> tuple[_Part, ...]:
    """Joints joined by dependences of their rows at a state."""
    # Not light, and few models are fitted.
    import networkx as nx

    from cadbridge.diagnosis.dependence import dependence_of

    model, groups = case.model, _by_group(case.model)
    dependence = dependence_of(_web(case, state))
    graph: nx.Graph[str] = nx.Graph()
    for row in dependence.repeated.tolist():
        graph.add_edges_from((model.groups[row], model.groups[i]) for i in (row, *dependence.circuit(row)))
    found = []
    for names in nx.connected_components(graph):
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
    scale = 1 / np.maximum(np.linalg.norm(G.reshape(len(G), -1), axis=1), 1e-14)
    return (
        found.g[part.rows] * scale,
        G.reshape(len(G), -1) * scale[:, None],
        D.reshape(len(D), -1) * scale[:, None],
    )


def _rebuilt(mechanism: Mechanism, lowered: Lowered, found: _Fit, collapse: bool) -> Mechanism:
    """The mechanism with its joints (or mates) where they were fitted, at the design on all rows."""
    places = {}
    for (name, unit), X in found.places.items():
        centre = np.zeros(3) if unit == GROUND_BODY else lowered.units[unit].mass.com
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
