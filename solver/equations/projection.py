"""Projection on the constraints, weighed by mass: Δq = −M⁻¹Ĝᵀ S⁺ g, and the same for velocities.

The second and third stage of the successive projection method. Where constraints contradict each other, it
ends at the pose of least squares and says which rows stay open, and by how much.
"""

# ruff: noqa: RUF059 - kernels hand back all they computed; naming every part keeps one shape to read

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from solver.compilation.compiled import Array1, Array2, Array3, Pair, entry, inlined, kernel
from solver.constraints.kernels import (
    Frames,
    RowArrays,
    TermArrays,
    placed,
    rotations,
    rows_workspace,
    terms_workspace,
    turn_angles,
)
from solver.constraints.terms import Terms
from solver.equations.dynamics import (
    StateArrays,
    evaluate,
    evaluate_all,
    frames,
    look,
    metric,
    place,
    scale_residuals,
    scaled_residual,
    scaled_residuals,
)
from solver.equations.evaluator import evaluator
from solver.equations.kkt import Plan, Space, solve, space
from solver.equations.system import Rows, System
from solver.equations.workspace import Workspace
from solver.faults import NoValueError
from solver.result import Status
from solver.state import State
from solver.sweeps.bodies import Bodies
from solver.sweeps.factor import REFINEMENTS
from solver.sweeps.factor import factor as factor_sweeps
from solver.sweeps.forest import Forest
from solver.sweeps.joints import gaps, particular_accelerations
from solver.sweeps.response import solve_refined
from solver.sweeps.work import add_rows

Array = NDArray[np.float64]

POSITION_TOLERANCE = 1e-12
"""Scaled residuals (rad, parts of the model's length) below this are closed: Newton reaches 1e-15 to 1e-14, and with
positions a thousand lengths from the origin rounding leaves 2e-13."""
_LONGEST_MOVE = 0.5
"""rad, or parts of the model's length, by which one round moves a body at most: Newton's linear rows say nothing of
half a turn, and a longer move may end on another branch; ten times shorter, poses far away take ten times the rounds.
"""
FACTOR_SERVES = 1e-6
"""A displacement (rad, parts of the model's length) below this leaves the factor as it is, which then leaves about as
much of a gap, a millionth. It also bounds the scaled rates for which one correction of velocities is enough."""
_CORRECTED = 1e-6
"""Of a gap, what a correction by the sweeps may leave: the next round sees it, and a gap of a step (1e-8) then is below
rounding after one."""
_NEAR = 1e-3
"""A scaled residual below this is that of a step, or rounding: no other pose can be meant than the nearest. Above it
`project_positions`, which weighs all rows alike, takes its longer way."""

_ROUNDED = 1e-15
"""The scaled residual that rounding leaves of positions within a length of the origin."""


@kernel
def turn_by(q: Array1, x: float, y: float, z: float) -> None:
    """q (4,) ← exp(θ) ⊗ q, normalised, for a world rotation vector θ = (x, y, z)."""
    angle = math.sqrt(x * x + y * y + z * z)
    # sin(θ/2)/θ by its series where the quotient is 0/0: the next term, θ⁴/3840, is below 3e-20.
    s = 0.5 - angle * angle / 48 if angle < 1e-4 else math.sin(angle / 2) / angle
    w, x, y, z = math.cos(angle / 2), s * x, s * y, s * z
    a, b, c, d = q[0], q[1], q[2], q[3]
    q[0] = w * a - x * b - y * c - z * d
    q[1] = w * b + x * a + y * d - z * c
    q[2] = w * c + y * a + z * b - x * d
    q[3] = w * d + z * a + x * c - y * b
    size = math.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    for j in range(4):
        q[j] /= size


def project_positions(
    T: Terms, S: Plan, B: Bodies, W: Rows, length: float, x: Array2, q: Array2, angles: Array1, drive: Array2,
    iterations: int,
) -> tuple[float, int]:  # fmt: skip
    """Newton on g in place of x (n, 3), q (n, 4), angles (na,); returns the scaled residual and the rounds."""
    workspaces = (space(T, S, len(x)), placed(x, q, np.zeros((len(x), 6))), terms_workspace(T), rows_workspace(T))
    found: tuple[float, int] = newton_positions(T, S, B, W, length, (x, q, angles), drive, iterations, *workspaces)
    return found


@inlined
def is_done(residual: float, before: float, floor: float, rounds: int, most: int) -> bool:
    """Whether Newton's rounds end: at a scaled `residual` down to rounding (`floor`), or at one that falls no more.

    Near rounding, a round that gains no digit over the one `before` is the last. Rows that contradict each other leave
    a residual that no longer falls: then this is the pose of least squares. The first three rounds may be cut short
    (`move`), and say nothing of that.
    """
    # Within a hundred roundings a round gains a digit, or rounding is all that is left.
    closed = residual < floor or (residual < 100 * floor and residual > 0.1 * before)
    # A ten-thousandth: least squares falls no more, while a bend near a singular pose still lets it fall by half.
    return closed or rounds == most or (rounds > 3 and residual > 0.9999 * before)


@entry
def newton_positions(
    T: Terms, S: Plan, B: Bodies, W: Rows, length: float, state: tuple[Array2, Array2, Array1], drive: Array2,
    iterations: int, Q: Space, poses: Frames, terms: TermArrays, rows: RowArrays,
) -> tuple[float, int]:  # fmt: skip
    """As `project_positions`, in workspaces; `state` is x (n, 3), q (n, 4), angles (na,), changed in place."""
    (x, q, angles), (xs, R, v) = state, poses
    _, value, _, _, _, _ = terms
    _, g, gv, _, blocks = rows
    before, residual, rounds = np.inf, 0.0, 0
    for rounds in range(iterations + 1):
        put(x, q, xs, R)
        evaluate(T, W, xs, R, v, angles, drive, False, terms, rows)
        # The angles follow the pose round by round: unwound only at the end, a move beyond half a turn would lose one.
        for k in range(T.kind.shape[0]):
            if T.angle[k] >= 0:
                angles[T.angle[k]] = value[k]
        residual, _ = scale_residuals(T, W, length, blocks, g, gv, Q.z, Q.r)
        if is_done(residual, before, _ROUNDED, rounds, iterations):
            break
        before = residual
        metric(T, S, B, W, Q, R, blocks)
        solve(T, S, Q, blocks, W.compliance, g, Q.x)
        move(x, q, Q.y, length)
    return residual, rounds


@kernel
def put(x: Array2, q: Array2, xs: Array2, R: Array3) -> None:
    """The bodies' frames into xs (n+1, 3) and R (n+1, 3, 3)."""
    for i in range(x.shape[0]):
        for j in range(3):
            xs[i, j] = x[i, j]
    rotations(q, R)


def project_velocities(
    T: Terms, S: Plan, B: Bodies, W: Rows, length: float, x: Array2, q: Array2, v: Array2, angles: Array1,
    drive: Array2,
) -> float:  # fmt: skip
    """v (n, 6) ← v − M⁻¹Ĝᵀ S⁺ (Ĝ v − …), while that closes the rows; returns the scaled residual."""
    workspaces = (space(T, S, len(x)), placed(x, q, v), terms_workspace(T), rows_workspace(T))
    return float(newton_velocities(T, S, B, W, length, v, angles, drive, *workspaces))


@entry
def newton_velocities(
    T: Terms, S: Plan, B: Bodies, W: Rows, length: float, v: Array2, angles: Array1, drive: Array2, Q: Space,
    poses: Frames, terms: TermArrays, rows: RowArrays,
) -> float:  # fmt: skip
    """As `project_velocities`, of v (n, 6) in place, in workspaces, `poses` being those of the state."""
    x, R, vs = poses
    _, g, gv, _, blocks = rows
    n, residual, before = B.mass.shape[0], 0.0, np.inf
    # Rows are linear in v: the first correction is exact but for the refinement's rest, which the second takes. More
    # are needed where light bodies hold heavy ones; where rates contradict each other the rest stays.
    for repeat in range(REFINEMENTS + 1):
        for i in range(n):
            for j in range(6):
                vs[i, j] = v[i, j]
        evaluate(T, W, x, R, vs, angles, drive, True, terms, rows)
        _, residual = scale_residuals(T, W, length, blocks, g, gv, Q.z, Q.r)
        # Scaled, 1/s: down to the rounding of rates of about one.
        if residual < 1e-14 or repeat == REFINEMENTS or (repeat > 1 and residual > 0.5 * before):
            break
        before = residual
        metric(T, S, B, W, Q, R, blocks)
        solve(T, S, Q, blocks, W.compliance, gv, Q.x)
        for i in range(n):
            for j in range(6):
                v[i, j] -= Q.y[i, j]
    return residual


@entry
def put_back(
    T: Terms, P: Forest, B: Bodies, W: Rows, length: float, E: Workspace, x: Array2, q: Array2, v: Array2,
    angles: Array1, drive: Array2, iterations: int,
) -> float:  # fmt: skip
    """Both projections in place of x (n, 3), q (n, 4), v (n, 6) by the sweeps, for states near the constraints.

    The rows of joints are met exactly, so that rows that contradict each other leave their gap in those that close
    loops. The factor serves as long as the corrections are small. Returns the scaled residual of the positions.
    """
    if T.constant.shape[0] == 0:
        return 0.0
    before, moved, residual = np.inf, np.inf, 0.0
    floor = rounding(x, length)
    for rounds in range(iterations + 1):
        place(E, x, q, v)
        residual, rates = look_at_gaps(T, P, W, E, length, angles, drive)
        done = is_done(residual, before, floor, rounds, iterations)
        # 1/s: rates are closed but for rounding; faster bodies round by more, and get one correction.
        if done and rates < 1e-14:
            break
        # `moved` starts as infinite: the first round always factors, as the workspace holds the factor of some other
        # state.
        if moved > FACTOR_SERVES:
            factor_sweeps(P, B, E.compliance, E.x, E.R, E.blocks, E.sweeps)
            moved = 0.0
        if done:
            # Rows are linear in the velocities: one correction is exact but for a factor of another pose.
            correct(T, P, B, E, E.gv)
            add_rows(v, -1.0, E.move)
            if rates < FACTOR_SERVES or rounds == iterations:
                break
            # The next round sees the same poses, and with this `before` finds them done again: it looks at the rates
            # alone.
            before = residual
            continue
        before = residual
        correct(T, P, B, E, E.g)
        moved = max(moved, move(x, q, E.move, length))
    # The rounds follow only the angles of rows and loads; those that are merely integrated are put right once, at the
    # end.
    turn_angles(T, P.spin, E.R, angles)
    return residual


@entry
def put_near(
    T: Terms, P: Forest, B: Bodies, W: Rows, length: float, E: Workspace, state: StateArrays, drive: Array2,
    iterations: int,
) -> float:  # fmt: skip
    """As `put_back`, of a state (x (n, 3), q (n, 4), v (n, 6), angles (na,)) that is near; the largest residual left.

    Of a state far away it is infinite, and the state is left as it is.
    """
    x, q, v, angles = state
    place(E, x, q, v)
    before, _ = look_at_gaps(T, P, W, E, length, angles, drive)
    # A comparison with NaN is false.
    if not before < _NEAR:
        return np.inf
    put_back(T, P, B, W, length, E, x, q, v, angles, drive, iterations)
    # The last correction moved the state after the workspace had looked at it.
    place(E, x, q, v)
    left: float = max(*look_at_gaps(T, P, W, E, length, angles, drive))
    return left


@kernel
def rounding(x: Array2, length: float) -> float:
    """The scaled residual that rounding leaves of positions x (n, 3): the larger they are, the more coarsely rounded.

    `length` (m) scales the rows.
    """
    far = 0.0
    for i in range(x.shape[0]):
        far = max(far, abs(x[i, 0]), abs(x[i, 1]), abs(x[i, 2]))
    # A unit in the last place of 1 is 2.2e-16.
    return _ROUNDED + 2e-16 * far / length


@kernel
def look_at_gaps(T: Terms, P: Forest, W: Rows, E: Workspace, length: float, angles: Array1, drive: Array2) -> Pair:
    """g and ġ (m,) of all rows with the bodies placed, their angles put where they are; the largest of each, scaled."""
    look_around(T, P, W, E, angles, drive)
    return largest_gaps(T, P, W, E, length)


@kernel
def look_around(T: Terms, P: Forest, W: Rows, E: Workspace, angles: Array1, drive: Array2) -> None:
    """As `look`, and the angles (na,) are put where the bodies are."""
    look(T, P, W, E, angles, drive)
    for k in P.term:
        if T.angle[k] >= 0:
            angles[T.angle[k]] = E.value[k]


@kernel
def largest_gaps(T: Terms, P: Forest, W: Rows, E: Workspace, length: float) -> Pair:
    """The largest |g| and |ġ| of all rows (m,), scaled, where the workspace has looked at those that close loops."""
    first, second = gaps(T, P, E.x, E.R, E.v, length, E.g, E.gv)
    for i in P.row:
        one, other = scaled_residual(T, W, length, E.blocks, E.g, E.gv, i)
        first, second = max(first, one), max(second, other)
    return first, second


@kernel
def correct(T: Terms, P: Forest, B: Bodies, E: Workspace, gap: Array1) -> None:
    """The workspace's `move` (n, 6) = M⁻¹Ĝᵀ S⁺ gap (m,), with the sweeps factored."""
    Q = E.sweeps
    particular_accelerations(P, Q, E.R, gap, E.move)
    solve_refined(T, P, B, Q, E.compliance, E.R, E.blocks, E.still, gap, _CORRECTED, E.move, Q.loop_multipliers)


@kernel
def move(x: Array2, q: Array2, y: Array2, length: float) -> float:
    """Move the poses by −y (n, 6), no farther than can be trusted; how far, in rad or parts of the length."""
    largest = 0.0
    for i in range(x.shape[0]):
        for j in range(3):
            largest = max(largest, abs(y[i, j]) / length, abs(y[i, 3 + j]))
    part = 1.0 if largest <= _LONGEST_MOVE else _LONGEST_MOVE / largest
    for i in range(x.shape[0]):
        for j in range(3):
            x[i, j] -= part * y[i, j]
        turn_by(q[i], -part * y[i, 3], -part * y[i, 4], -part * y[i, 5])
    return largest


_FINE = Status(True, "ok", "all constraints hold", "")


@dataclass(frozen=True, eq=False)
class Projected:
    """A state of a system on the constraints, or as near as can be.

    Attributes:
        state: The state.
        status: Whether all constraints hold, and which do not.
        system: The model, prepared.
    """

    state: State
    status: Status
    system: System

    @property
    def residuals(self) -> tuple[Array, Array]:
        """Scaled, of positions and of rates (m,)."""
        return _residuals(self.system, self.state, drive_values(self.system, self.state.t))[:2]


def drive_values(system: System, t: float) -> Array:
    """(rows, 3): each load's function of time with two derivatives, in the order of `system.drives`.

    Raises ValueError that names the load whose function has no value, and what a callback raised since.
    """
    system.callbacks.check()
    return function_values(system, t)


def function_values(system: System, t: float) -> Array:
    """As `drive_values`, without a look at what callbacks raised."""
    values = np.empty((len(system.drives), 3))
    for k, (name, function) in enumerate(system.drives):
        try:
            values[k] = found = function.evaluate(t)
        except ValueError as fault:
            raise NoValueError(f"{name}: {fault}") from fault
        # Not by NumPy, which takes longer over three numbers than the function: a step asks many times.
        if not all(map(math.isfinite, found)):
            raise NoValueError(f"{name}: its function has no finite value at t = {t:.6g}")
    return values


def complete(system: System, state: State) -> State:
    """The state with copies of its arrays, unit quaternions, and its angles (principal values where it had none)."""
    x = np.array(state.positions, float).reshape(-1, 3)
    q = np.array(state.quaternions, float).reshape(-1, 4)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    v = np.array(state.velocities, float).reshape(-1, 6)
    na = system.program.angle_count
    angles = np.zeros(na) if state.angles is None else np.array(state.angles, float)
    if len(x) != system.program.bodies or len(q) != len(x) or len(v) != len(x) or len(angles) != na:
        raise ValueError("the state does not belong to this model: its arrays have other lengths")
    return replace(state, positions=x, quaternions=q, velocities=v, angles=angles)


def carry_angles(state: State, source: System, target: System) -> State:
    """A state of `source` as one of `target`: the same bodies and primitives, other motors, loads, coordinates.

    Angles keep their turns; those of a coordinate that `source` does not know are principal values.
    """
    known = complete(source, state)
    values = dict(zip(source.angle_owner, known.angles if known.angles is not None else (), strict=True))
    fresh = complete(target, replace(state, angles=None))
    principal = fresh.angles if fresh.angles is not None else np.zeros(0)
    carried = [values.get(owner, own) for owner, own in zip(target.angle_owner, principal, strict=True)]
    return replace(fresh, angles=np.array(carried, dtype=float))


def project(system: System, state: State, tolerance: float = 1e-9, iterations: int = 60) -> Projected:
    """Put a state on the constraints. The status names the groups whose rows stay open above `tolerance`."""
    near = complete(system, state)
    drive = drive_values(system, near.t)
    T, B, W, length = system.program.terms, system.bodies, system.rows, system.length
    arrays = (near.positions, near.quaternions, near.velocities, near.branches)
    E = evaluator(system).workspace
    # A thousandth: what the sweeps leave must not show beside what is allowed, as it is carried on from step to step.
    if put_near(T, system.plan, B, W, length, E, arrays, drive, iterations) < 1e-3 * tolerance:
        return Projected(near, _FINE, system)
    # The state afresh: the attempt by the sweeps has moved the first copy.
    s = complete(system, state)
    # Far away, or where rows contradict each other, all rows count alike.
    project_positions(T, system.schur, B, W, length, s.positions, s.quaternions, s.branches, drive, iterations)
    project_velocities(T, system.schur, B, W, length, s.positions, s.quaternions, s.velocities, s.branches, drive)
    first, second, turning = _residuals(system, s, drive)
    return Projected(s, _status(system, first, second, turning, tolerance), system)


def open_rows(system: System, state: State) -> tuple[Array, Array]:
    """The scaled residuals (m,) of all rows' positions at a state, and its angles (na,) on the nearest branches.

    Above `POSITION_TOLERANCE` a row stays open; times `system.length` a residual is in m.
    """
    return _open_rows(system, state, drive_values(system, state.t))


def angles_of_poses(system: System, state: State) -> Array:
    """As `open_rows`, the angles (na,) alone: no load's function need have a value at the time of the state."""
    return _open_rows(system, state, np.zeros((len(system.drives), 3)))[1]


def _open_rows(system: System, state: State, drive: Array) -> tuple[Array, Array]:
    s = complete(system, state)
    x, R, v = frames(s.positions, s.quaternions, s.velocities)
    T, W = system.program.terms, system.rows
    value, _, _, _, _, g, gv, _, blocks = evaluate_all(T, W, x, R, v, s.branches, drive, False)
    angles = np.zeros(system.program.angle_count)
    integrated = T.angle >= 0
    angles[T.angle[integrated]] = value[integrated]
    return scaled_residuals(T, W, system.length, blocks, g, g)[0], angles


def _residuals(system: System, s: State, drive: Array) -> tuple[Array, Array, Array]:
    """The scaled residuals (m,) of positions and rates at a complete state; which rows hold turns alone (m,)."""
    x, R, v = frames(s.positions, s.quaternions, s.velocities)
    T, W = system.program.terms, system.rows
    *_, g, gv, _, blocks = evaluate_all(T, W, x, R, v, s.branches, drive, True)
    first, second = scaled_residuals(T, W, system.length, blocks, g, gv)
    # A block is a row's slopes by the travel, then by the turn, of one body.
    travels = np.array([np.any(blocks[b:e, :3]) for b, e in pairwise(T.row_block[: len(g) + 1])], dtype=bool)
    return first, second, ~travels


_OPEN_TOO = 1e-3
"""Of the largest residual, above which a row is called open beside it: where rows contradict each other, least squares
come near the others slowly, and leave them open by what is no contradiction."""


def _status(system: System, first: Array, second: Array, turning: Array, tolerance: float) -> Status:
    checks = (
        (first, "", "inconsistent", "cannot all hold at once"),
        (second, "/s", "inconsistent_rates", "cannot all hold at once for the rates given"),
    )
    for values, per, code, text in checks:
        if values.size and values.max() > tolerance:
            worst: dict[str, str] = {}
            least = max(tolerance, _OPEN_TOO * values.max())
            for i in np.argsort(-values, kind="stable"):
                if values[i] > least:
                    mm = 1e3 * values[i] * system.length
                    size = f"{np.degrees(values[i]):.3g}°" if turning[i] else f"{mm:.3g} mm"
                    worst.setdefault(system.row_group[i], size + per)
            named = ", ".join(f"{name} ({size})" for name, size in list(worst.items())[:5])
            return Status(
                ok=False,
                code=code,
                message=f"constraints {text}; open after least squares: {named}",
                advice="Look at the joints and motors named: they contradict each other, or a loop cannot close.",
                groups=tuple(worst),
            )
    return _FINE
