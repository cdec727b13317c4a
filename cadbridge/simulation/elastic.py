"""A run with springs in place of the mates that repeat each other: do its forces agree with the shares by stiffness?

Each row of such a mate becomes a spring along what the row holds, with a damper beside it; rows together are a six-axis
spring that leaves the mate's own freedoms alone. The springs begin with the forces that the rigid run shares by
stiffness, so that nothing swings at first that a rigid start would not move.

Springs of 1e7 N/m make bodies of a kilogram swing 500 times a second and faster: an explicit method would follow every
swing, and its steps are bounded by the fastest one whether it matters or not. Generalised-α is stable at any step and
damps what a step does not resolve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Vector
from cadbridge.misfit.groups import constraints_of
from cadbridge.misfit.sharing import displacements
from cadbridge.simulation.by_stiffness import (
    ShownMates,
    StiffnessRows,
    in_stages,
    mate_rows_of,
    multipliers_by_stiffness,
    share_columns,
    shown_of,
    stages_of,
)
from cadbridge.simulation.run import Run
from cadbridge.simulation.samples import Columns
from solver import rotation
from solver.algebra.division import LEAST_DIVISOR
from solver.constraints import AxesAngle, Coordinate, Distance, PointOnPlane, Primitive
from solver.constraints.evaluation import evaluate_sparse
from solver.equations.projection import carry_angles
from solver.equations.system import System, prepare
from solver.model import JointLoad
from solver.runs.integrate import simulate as integrate
from solver.state import State

if TYPE_CHECKING:
    from solver.result import Result

Array = NDArray[np.float64]

SPRING_DAMPING = 0.5
"""Of each spring, as a part of the critical one of the mass that the spring feels: swings of the rigid start die out
within two of them, and forces at rest do not depend on it."""
TOLERANCES = (1e-11, 1e-7)
"""Least and largest tolerance of poses, as parts of the mechanism's length: below is rounding of the poses, above a run
of our own tolerance."""
FORCE_ERROR = 1e-3
"""Of the largest force, so much of error may a spring have by the tolerance of poses: a thousandth, as stiffnesses are
known to a tenth."""
HELD_STIFFER = 1e3
"""Times as stiff as the stiffest spring are the rows that stay, when the springs are first loaded."""
NO_SPRINGS = "no mate that shares can be made of springs"
ONE_DIRECTION = 1e-6
"""Sine of the angle up to which two directions are one: what CAD files round to."""


@dataclass(frozen=True, eq=False)
class Elastic:
    """How a run with springs in place of redundant mates compares with the rigid one.

    Attributes:
        mates: The mates that are springs.
        stiff: Those that stayed rigid.
        columns: The wrenches of the springs, named as those by stiffness are.
        force: The largest difference of a force from these, N.
        of_force: The largest force, N.
        torque: The largest difference of a torque, N m.
        of_torque: The largest torque, N m.
        moved: How far bodies are off the rigid motion at most, m.
        fastest: About how fast the stiffest spring swings, Hz.
        reason: Why nothing was computed; "" where it was.
    """

    mates: tuple[str, ...] = ()
    stiff: tuple[str, ...] = ()
    columns: Columns | None = None
    force: float = 0.0
    of_force: float = 0.0
    torque: float = 0.0
    of_torque: float = 0.0
    moved: float = 0.0
    fastest: float = 0.0
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """Say it for JSON.

        Returns:
            Plain data.
        """
        if self.reason:
            return {"state": "not computed", "reason": self.reason}
        return {
            "state": "computed", "springs": list(self.mates), "rigid": list(self.stiff),
            "largest_force_difference_N": self.force, "largest_force_N": self.of_force,
            "largest_torque_difference_N_m": self.torque, "largest_torque_N_m": self.of_torque,
            "largest_distance_m": self.moved, "fastest_Hz": self.fastest,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Springs:
    """The mates' rows `soft` (s,) as loads along coordinates, with dampers (s,); the primitives `kept` (r,) stay."""

    soft: NDArray[np.int64]
    kept: NDArray[np.int64]
    loads: tuple[JointLoad, ...]
    damping: Array


def elastic(run: Run, progress: Callable[[float], None] | None = None) -> Elastic:
    """Repeat a run that keeps every row with springs in the mates that share redundant equations.

    A run with changes is repeated between them: each stage begins where the rigid run is then. `progress` is called
    with the simulated time (s).
    """
    stages = stages_of(run)
    rows = [mate_rows_of(stage) for stage in stages]
    if not any(rows):
        return Elastic(reason="no mates repeat each other")
    if not run.result.status.ok:
        return Elastic(reason="the rigid run did not come to its end")
    shown = shown_of([r for r in rows if r is not None])
    found = [_stage(stage, own, shown, progress) for stage, own in zip(stages, rows, strict=True)]
    for one in found:
        if one.reason:
            return one
    if not any(one.mates for one in found):
        return Elastic(reason=NO_SPRINGS)
    constraints = constraints_of(run.mechanism)
    columns = [
        share_columns(stage, constraints, shown, stage.result.trajectory.multipliers) if one.columns is None
        else one.columns for stage, one in zip(stages, found, strict=True)
    ]  # fmt: skip
    return _largest_of(found, in_stages(run, stages, columns))


def _largest_of(found: Sequence[Elastic], columns: Columns) -> Elastic:
    """The comparisons of all stages as one; a mate that any stage bends is a spring."""
    mates = dict.fromkeys(mate for one in found for mate in one.mates)
    stiff = dict.fromkeys(mate for one in found for mate in one.stiff if mate not in mates)
    names = ("force", "of_force", "torque", "of_torque", "moved", "fastest")
    most = {name: max(getattr(one, name) for one in found) for name in names}
    return Elastic(tuple(mates), tuple(stiff), columns, **most)


def _stage(
    run: Run, rows: StiffnessRows | None, shown: ShownMates, progress: Callable[[float], None] | None
) -> Elastic:
    """One stage with springs; without columns where nothing bends, or where it has one sample alone."""
    T = run.result.trajectory
    if rows is None or len(T.t) < 2:
        return Elastic()
    system = run.system
    coordinates = _coordinates(rows, system.model.primitives)
    names = {rows.owner(i) for i in coordinates}
    if not names:
        return Elastic(stiff=(*rows.sharing, *rows.attached))
    springs = _springs(run, rows, coordinates)
    stripped, begun = _with_springs(run, rows, springs)
    # At the rigid run's own samples: an event may have ended it between two.
    span, tolerance = float(T.t[-1] - T.t[0]), _tolerance(run, rows)
    result = integrate(
        stripped, begun, duration=span, rate=run.scenario.rate, times=T.t[1:], rtol=tolerance,
        atol=tolerance * system.length, integrator="generalized_alpha",
        progress=None if progress is None else (lambda part: progress(float(T.t[0]) + part * span)),
    )  # fmt: skip
    if not result.status.ok:
        return Elastic(reason=f"the run with springs stopped early: {result.status.message}")
    stiff = (*(mate for mate in rows.sharing if mate not in names), *rows.attached)
    mates = tuple(mate for mate in rows.sharing if mate in names)
    bent = _as_run(run, rows, springs, result)
    return _compared(run, bent, rows, shown, Elastic(mates, stiff, fastest=_fastest(springs)))


def _tolerance(run: Run, rows: StiffnessRows) -> float:
    """The tolerance of poses with which the stiffest springs have forces that mean something."""
    force = np.abs(run.result.trajectory.multipliers[:, rows.at] / rows.scale).max(initial=0.0)
    wanted = FORCE_ERROR * float(force) / float(rows.stiffness.max()) / run.system.length
    return float(np.clip(wanted, *TOLERANCES))


def _coordinates(rows: StiffnessRows, primitives: Sequence[Primitive]) -> dict[int, Coordinate]:
    """What the rows of sharing mates hold, row by row; a mate of which one row is no such spring stays as it is."""
    found: dict[int, Coordinate] = {}
    for mate in rows.sharing:
        own = [i for i in range(len(rows.number)) if rows.owner(i) == mate]
        whole = sum(b.kind in ("tilt", "turn", "swing") for b in rows.constraints.blocks.blocks if b.mate == mate
                    for _ in b.rows) == 3  # fmt: skip
        axis = rows.constraints.blocks.frames[mate].axis
        made = {i: _coordinate(rows, primitives[rows.primitive[i]], axis, whole) for i in own}
        found |= {i: c for i, c in made.items() if c is not None} if all(made.values()) else {}
    return found


def _coordinate(rows: StiffnessRows, p: Primitive, axis: Vector | None, whole: bool) -> Coordinate | None:
    """The coordinate that a row holds; None where it is none of a spring that leaves the mate's freedoms alone.

    Of two directions at right angles one is the mate's axis: its tilt is measured in the body of the other, with which
    it turns. Where a mate holds all turns (`whole`) either will do.
    """
    if isinstance(p, PointOnPlane):
        return Coordinate("distance", p.a, p.b, p.point_a, p.normal_a, p.point_b)
    if isinstance(p, Distance):
        return Coordinate("length", p.a, p.b, p.point_a, np.array([0.0, 0.0, 1.0]), p.point_b)
    if not isinstance(p, AxesAngle) or abs(p.cosine) > ONE_DIRECTION:
        return None
    u, w = _in_world(rows, p.a, p.axis_a), _in_world(rows, p.b, p.axis_b)
    along_u, along_w = (axis is not None and float(np.linalg.norm(np.cross(d, axis))) < ONE_DIRECTION for d in (u, w))
    if along_w or whole:
        return _tilt(rows, p.a, p.b, -np.cross(u, w), w)
    return _tilt(rows, p.b, p.a, -np.cross(w, u), u) if along_u else None


def _tilt(rows: StiffnessRows, a: int, b: int, about: Vector, direction: Vector) -> Coordinate:
    """The turn of a direction of b about an axis of a, 0 as designed; both given in the world."""
    z, first = (_in_body(rows, a, v) for v in (about, direction))
    return Coordinate(
        "angle", a, b, np.zeros(3), z / np.linalg.norm(z), np.zeros(3), first, _in_body(rows, b, direction)
    )


def _in_world(rows: StiffnessRows, body: int, v: Vector) -> Vector:
    return v if body < 0 else rows.constraints.mechanism.X_WC[body].R @ v


def _in_body(rows: StiffnessRows, body: int, v: Vector) -> Vector:
    return v if body < 0 else rows.constraints.mechanism.X_WC[body].R.T @ v


def _springs(run: Run, rows: StiffnessRows, coordinates: dict[int, Coordinate]) -> _Springs:
    """The springs with dampers that take half of what would just not let the mass before them swing."""
    soft = np.array(sorted(coordinates), np.int64)
    T, system = run.result.trajectory, run.system
    A = rows.sampled(system, T, 0, 1.0)[soft]
    R = rotation.matrix(T.quaternions[0])
    response = np.zeros(len(soft))
    for body, own in enumerate(system.model.bodies):
        part = A[:, 6 * body : 6 * body + 6].toarray()
        inertia = R[body] @ own.inertia @ R[body].T
        if own.mass > 0.0:
            response += np.sum(part[:, :3] ** 2, axis=1) / own.mass
        # The inertia of a rod or a point has no inverse: then the mass alone counts.
        if np.linalg.eigvalsh(inertia)[0] > 0.0:
            response += np.sum(part[:, 3:] * np.linalg.solve(inertia, part[:, 3:].T).T, axis=1)
    k = rows.stiffness[soft]
    damping = SPRING_DAMPING * 2.0 * np.sqrt(k / np.maximum(response, LEAST_DIVISOR))
    rests = [_rest(system.model.primitives[i]) for i in rows.primitive[soft]]
    loads = tuple(
        JointLoad(coordinates[int(i)], damping=float(d), stiffness=float(s), rest=rest, name=f"spring {i}")
        for i, s, d, rest in zip(soft, k, damping, rests, strict=True)
    )
    kept = np.setdiff1d(np.arange(len(system.model.primitives)), rows.primitive[soft])
    return _Springs(soft, kept, loads, damping)


def _rest(p: Primitive) -> float:
    """The value of a row's coordinate at which nothing pulls."""
    return p.offset if isinstance(p, PointOnPlane) else p.length if isinstance(p, Distance) else 0.0


def _fastest(springs: _Springs) -> float:
    """Hz of a spring k with the damper 2 D √(k m) alone: √(k/m) = 2 D k / d."""
    rates = [2.0 * SPRING_DAMPING * load.stiffness / load.damping for load in springs.loads if load.damping]
    return float(max(rates, default=0.0) / (2.0 * np.pi))


def _with_springs(run: Run, rows: StiffnessRows, springs: _Springs) -> tuple[System, State]:
    """The system with springs, and its state at the start: the springs are bent by what they carry then."""
    whole, T = run.system, run.result.trajectory
    groups = whole.model.groups
    model = replace(
        whole.model,
        primitives=tuple(whole.model.primitives[i] for i in springs.kept),
        groups=tuple(groups[i] for i in springs.kept if i < len(groups)),
        loads=(*whole.model.loads, *springs.loads),
    )
    system = prepare(model)
    # Displacements come of the stiffness of every row: those that stay give way too, by a thousandth of what the
    # springs do.
    k = np.full(len(rows), HELD_STIFFER * float(rows.stiffness.max()))
    k[springs.soft] = rows.stiffness[springs.soft]
    length = run.mechanism.length_scale
    A = rows.sampled(whole, T, 0, length)
    u = displacements(A, k, T.multipliers[0, rows.at] / rows.scale).reshape(-1, 6)
    state = T.state(0)
    bent = replace(
        state,
        positions=state.positions + u[:, :3],
        quaternions=rotation.turned(state.quaternions, u[:, 3:] / length),
    )
    return system, carry_angles(bent, whole, system)


def _as_run(run: Run, rows: StiffnessRows, springs: _Springs, result: Result) -> Run:
    """The run with springs as one of the same rows, whose multipliers are what the springs pull."""
    T, whole = result.trajectory, run.system
    angles = np.zeros((len(T.t), run.result.trajectory.angles.shape[1]))
    multipliers = np.zeros((len(T.t), run.result.trajectory.multipliers.shape[1]))
    others = np.concatenate([springs.kept, np.arange(len(whole.model.primitives), multipliers.shape[1])])
    multipliers[:, others] = T.multipliers[:, : len(others)]
    scale, soft = rows.scale[springs.soft], rows.at[springs.soft]
    for s in range(len(T.t)):
        found = evaluate_sparse(whole.program, T.positions[s], T.quaternions[s], T.velocities[s])
        g, rate = found.g[soft], found.rates[soft]
        # M v̇ + Ĝᵀλ = f: a row that pulls back by k g + d ġ has that as its multiplier, scaled as the row is.
        pulls = rows.stiffness[springs.soft] * scale * g + springs.damping * scale * rate
        multipliers[s, soft] = pulls * scale
    return replace(run, result=replace(result, trajectory=replace(T, multipliers=multipliers, angles=angles)))


def _compared(run: Run, bent: Run, rows: StiffnessRows, shown: ShownMates, found: Elastic) -> Elastic:
    """The largest differences of forces, and of places, from the rigid run."""
    T, other = run.result.trajectory, bent.result.trajectory
    shared = share_columns(run, rows.constraints, shown, multipliers_by_stiffness(rows, run))
    own = share_columns(bent, rows.constraints, shown, other.multipliers)
    samples = min(len(T.t), len(other.t))

    def largest(unit: str) -> tuple[float, float]:
        pairs = [(own[name][0][:samples], v[:samples]) for name, (v, u) in shared.items() if u == unit]
        return _most(np.abs(a - b) for a, b in pairs), _most(np.abs(b) for _, b in pairs)

    force, of_force = largest("N")
    torque, of_torque = largest("N m")
    moved = np.linalg.norm(T.positions[:samples] - other.positions[:samples], axis=2)
    return replace(
        found, columns=own, force=force, of_force=of_force, torque=torque, of_torque=of_torque,
        moved=float(moved.max(initial=0.0)),
    )  # fmt: skip


def _most(values: Iterable[Array]) -> float:
    return max((float(v.max(initial=0.0)) for v in values), default=0.0)
