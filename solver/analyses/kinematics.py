"""Kinematic analysis of a driven model, and inverse dynamics: forces from motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver import rotation
from solver.algebra.rank import rank
from solver.analyses.minimal import jacobian, settled
from solver.constraints import Coordinate
from solver.equations.dynamics import evaluate_all, frames, scaled_residuals
from solver.equations.projection import POSITION_TOLERANCE, carry_angles, complete, drive_values, project
from solver.equations.system import SPEED, System, prepare
from solver.model import Model, Motor, TimeFunction
from solver.result import Result, Statistics, Status, Trajectory
from solver.state import State
from solver.steps.methods import observed, slope_at

Array = NDArray[np.float64]

_CLEAR_CORRECTION = 0.2
"""rad, or parts of the model's length, by which the projection may correct a guess that stays on its branch: well below
the quarter turn at which another branch may be as near, and large enough for what Taylor's second order leaves. Five
times as much, a radian, is the farthest that a guess itself may lead, so that turns are counted."""
_SHORTEST_STEP = 1e-7
"""s. A body that needs shorter steps turns by a radian or moves by the model's length in it, ten million a second: no
machine does, and times near 1 s have nine digits below it still."""
_MOST_STEPS = 30_000
"""Steps between two of the times: several thousand turns, in ten seconds; a way that needs more is refused."""
_STEPS_TO_JUDGE = 1_000
"""After so many steps their pace tells how many a way needs in all: late enough that a slow start from rest, whose
steps double, weighs little; a way without end is then refused after a third of a second instead of ten."""


class EndlessError(ValueError):
    """A motion that is too fast, or turns too often between two of the times, to be followed."""


def kinematic(model: Model | System, times: ArrayLike, state: State | None = None) -> Result:
    """Compute the motion that drivers prescribe, with the forces that it takes.

    Between the times the way is followed in steps short enough to stay on the branch and to count turns. Speeds are
    integrated from the first time on.

    Args:
        model: A model whose motors leave no freedom, or the `System` made of it.
        times: When the motion is looked at, (k,) s, rising.
        state: Chooses the branch at the first time, where the drivers take over; None takes the reference pose.

    Returns:
        Positions, velocities, accelerations and multipliers at the times, up to where the constraints allow it;
        `status` says how it ended.

    Raises:
        ValueError: A freedom is left that nothing drives, or the times do not rise; EndlessError, a kind of ValueError,
            where the motion is too fast to be followed.
    """
    given = model if isinstance(model, System) else prepare(model)
    t = np.asarray(times, float).ravel()
    if len(t) == 0 or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0):
        raise ValueError("the times must be numbers that rise, at least one")
    start = state or State.at_rest(given.model.positions, given.model.quaternions)
    # A row of a speed holds no position, and what errors of steps add up to would stay: its integral is followed as an
    # angle.
    system, here = _by_positions(given, replace(start, t=float(t[0])))
    projected = project(system, here)
    if not projected.status.ok:  # at such rates no rounding is small enough
        fastest = float(np.max(np.abs(drive_values(system, here.t)[:, 1]), initial=0.0))
        _refuse_endless(_SHORTEST_STEP * fastest > 5 * _CLEAR_CORRECTION * max(1.0, system.length), 0, 1.0, here.t)
    free = 6 * len(system.model.bodies) - rank(jacobian(system, projected.state)[0], system.length).rank
    if free:
        left = f"{free} freedom{'s' if free > 1 else ''}"
        raise ValueError(f"the drivers leave {left}: a kinematic analysis needs none left")
    rows: list[tuple[object, ...]] = []
    status, now = projected.status, _at_rest(projected.state)
    if status.ok:
        now = settled(system, now, drive_values(system, now.t))
        rows.append(_row(system, given, now))
        for target in t[1:]:
            now, status = _follow(system, now, float(target))
            if not status.ok:
                break
            rows.append(_row(system, given, now))
    columns = zip(*rows, strict=True) if rows else ((),) * 16
    return Result(status, Trajectory(*(np.array(c, dtype=float) for c in columns)), Statistics(steps=len(rows)))


def _by_positions(system: System, state: State) -> tuple[System, State]:
    """Speed motors as angle motors, whose angle is the integral of the speed since the state's time."""
    model = system.model
    if not np.any(system.rows.kind == SPEED):
        return system, complete(system, state)
    here = project(system, state).state
    motors = []
    for motor in model.motors:
        if motor.kind == "speed":
            value = _value(system, here, motor.coordinate)
            motors.append(replace(motor, kind="angle", function=_integral(motor.function, here.t, value)))
        else:
            motors.append(motor)
    driven = prepare(replace(model, motors=tuple(motors)))
    return driven, carry_angles(here, system, driven)


def _value(system: System, state: State, coordinate: Coordinate) -> float:
    """A coordinate's value at a state, on the branch of the state's angles."""
    one = prepare(replace(system.model, motors=(), coordinates=(coordinate,), callbacks=()))
    here = carry_angles(state, system, one)
    return float(observed(one, here, slope_at(one, here))[0][0])


def _integral(function: TimeFunction, start: float, value: float) -> TimeFunction:
    """value + ∫ function from `start` on, by Gauss–Legendre panels that continue the last one requested."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    last = [start, value]

    def evaluate(t: float) -> tuple[float, float, float]:
        before, total = last
        # In 0.02 s twelve nodes integrate vibrations of up to 50 Hz to rounding, and of 100 Hz to 2e-11 of what they
        # swing.
        panels = max(1, int(np.ceil(abs(t - before) / 0.02)))
        ends = np.linspace(before, t, panels + 1)
        for a, b in pairwise(ends):
            points = 0.5 * (b - a) * nodes + 0.5 * (a + b)
            total += 0.5 * (b - a) * float(weights @ [function.evaluate(float(s))[0] for s in points])
        last[:] = [t, total]
        rate, second, _ = function.evaluate(t)
        return (total, rate, second)

    return replace(function, evaluate=evaluate, text=f"integral of {function.text}", steady=False)


def _at_rest(state: State) -> State:
    return replace(state, velocities=np.zeros_like(state.velocities))


def _follow(system: System, state: State, target: float) -> tuple[State, Status]:
    """The state at `target`, led there in steps over which Taylor's second order is near.

    Raises EndlessError where the way takes more than `_MOST_STEPS` of them.
    """
    begin, h = state.t, target - state.t
    for taken in range(_MOST_STEPS):
        if state.t >= target:
            break
        h = min(h, target - state.t)
        slope = slope_at(system, state)
        way = h * state.velocities + 0.5 * h * h * slope.acceleration
        reach = np.abs(way) / np.array([system.length] * 3 + [1.0] * 3)
        far = bool(np.max(reach, initial=0.0) > 5 * _CLEAR_CORRECTION)
        if far and h > _SHORTEST_STEP:
            h *= 0.5
            continue
        guess = State(
            target if h == target - state.t else state.t + h,
            state.positions + way[:, :3],
            rotation.turned(state.quaternions, way[:, 3:]),
            # The drivers leave no freedom: from any velocities the projection finds those that they ask for.
            np.zeros_like(state.velocities),
            None if state.angles is None else state.angles + h * slope.turning,
        )
        found = settled(system, guess, drive_values(system, guess.t))
        # A guess that comes near enough is closed by the rounds of the next step; one on another branch stays open by
        # far more.
        closed = _open(system, found) < 1e3 * POSITION_TOLERANCE
        if closed and _moved(system, guess, found) < _CLEAR_CORRECTION:
            _refuse_endless(far, taken, (found.t - begin) / (target - begin), target)
            state = found
            h *= 2.0
        elif h > _SHORTEST_STEP:
            h *= 0.25
        else:
            _refuse_endless(far, 0, 1.0, target)
            return state, _lost(system, replace(found, velocities=state.velocities))
    else:
        text = f"the way to t = {target:g} s takes more than {_MOST_STEPS} steps"
        raise EndlessError(f"{text}: a slower motion, more samples, or a shorter one")
    return state, Status(True, "ok", f"followed to t = {state.t:g} s", "")


def _refuse_endless(far: bool, taken: int, done: float, target: float) -> None:
    """EndlessError where a way cannot be followed: its smallest step leads too far, or what is done shows no end."""
    if far:
        raise EndlessError(
            f"the motion to t = {target:g} s is too fast: within {_SHORTEST_STEP:g} s a body turns or moves too far"
        )
    if taken >= _STEPS_TO_JUDGE and taken > 3 * _MOST_STEPS * done:
        text = f"the way to t = {target:g} s takes far more than {_MOST_STEPS} steps at its pace so far"
        raise EndlessError(f"{text}: a slower motion, more samples, or a shorter one")


def _moved(system: System, guess: State, found: State) -> float:
    """The largest correction of a guess, rad or parts of the length."""
    turn = rotation.logarithm(rotation.multiply(found.quaternions, rotation.conjugate(guess.quaternions)))
    travel = (found.positions - guess.positions) / system.length
    return float(max(np.max(np.abs(travel), initial=0.0), np.max(np.abs(turn), initial=0.0)))


def _lost(system: System, state: State) -> Status:
    """Why the way ends before a state: the constraints do not close there, or the branch is not clear."""
    open_ = project(system, state).status
    if not open_.ok:
        return replace(open_, message=f"from t = {state.t:.6g} s on, {open_.message}")
    return Status(
        False,
        "singular",
        f"the drivers lead beyond a singular pose at t = {state.t:.6g} s",
        "Look at the pose reached: a link is stretched, or two branches meet.",
    )


def _open(system: System, state: State) -> float:
    """The largest scaled residual in the positions."""
    x, R, v = frames(state.positions, state.quaternions, state.velocities)
    T, W = system.program.terms, system.rows
    *_, g, gv, _, blocks = evaluate_all(T, W, x, R, v, state.branches, drive_values(system, state.t), True)
    return float(np.max(scaled_residuals(T, W, system.length, blocks, g, gv)[0], initial=0.0))


def _row(system: System, given: System, state: State) -> tuple[object, ...]:
    """A sample of the trajectory."""
    slope = slope_at(system, state)
    q, qd, qdd, first, second, kinetic, potential = observed(system, state, slope)
    back = carry_angles(state, system, given)
    residuals = (float(np.max(first, initial=0.0)), float(np.max(second, initial=0.0)))
    place = (state.t, state.positions, state.quaternions, state.velocities, slope.acceleration, back.angles)
    return (*place, slope.multipliers[: system.constraint_rows], q, qd, qdd, *residuals, kinetic, potential, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Efforts:
    """What wanted accelerations ask for in k states of n bodies.

    Attributes:
        efforts: Along the c coordinates (k, c), N m or N.
        multipliers: λ of constraints and drivers (k, m), with M v̇ + Ĝᵀλ = f.
        accelerations: [v̇; ω̇] of the bodies (k, n, 6) m/s², rad/s².
        unmet: The largest part of the accelerations requested that the constraints forbid (k,) rad/s² or m/s².
    """

    efforts: Array
    multipliers: Array
    accelerations: Array
    unmet: Array


def inverse(model: Model, states: Sequence[State], accelerations: ArrayLike) -> Efforts:
    """Compute the efforts along a model's coordinates that give them wanted accelerations.

    All other loads of the model act. Freedoms that are not among the coordinates move as the loads want. Where
    coordinates repeat each other (a loop with more motors than freedoms) the efforts are those of least norm.

    Args:
        model: A model with c coordinates.
        states: k states on the constraints.
        accelerations: Of the coordinates in each state, (k, c) rad/s² or m/s².

    Returns:
        Efforts, multipliers and accelerations of the bodies in each state.

    Raises:
        ValueError: The accelerations do not have the shape (k, c), or the model cannot be computed.
    """
    requested = np.asarray(accelerations, float)
    c = len(model.coordinates)
    if requested.shape != (len(states), c):
        raise ValueError(f"the accelerations must be ({len(states)}, {c}), a row for each state, not {requested.shape}")
    zero = TimeFunction(lambda t: (0.0, 0.0, 0.0), "asked for")
    drivers = tuple(Motor(f"coordinate {k}", o, "speed", zero) for k, o in enumerate(model.coordinates))
    # The drivers hold what has no inertia of its own.
    source = prepare(model, carried=False)
    system = prepare(replace(model, motors=(*model.motors, *drivers)))
    first = len(model.motors)
    held = source.constraint_rows
    found = []
    for state, wish in zip(states, requested, strict=True):
        here = carry_angles(complete(source, state), source, system)
        drive = drive_values(system, here.t)
        # A speed motor's row asks for the derivative of its speed; the speed itself counts only where velocities are
        # sought, and those are given.
        drive[first : first + c, 1] = wish
        slope = slope_at(system, here, drive)
        unmet = np.max(np.abs(observed(system, here, slope)[2] - wish), initial=0.0)
        # The rows of drivers push by −Ĝᵀλ: the effort that the motion asks for is −λ.
        efforts = -slope.multipliers[held : held + c]
        found.append((efforts, slope.multipliers[:held], slope.acceleration, unmet))
    return Efforts(*(np.array(column) for column in zip(*found, strict=True)))
