"""Simulation: adaptive steps of order 5, each put back on the constraints (successive projection method).

Vlasenko & Kasper (2009): integrate the accelerations, project the positions, project the velocities.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from solver.callbacks import LoadError
from solver.dopri5 import NODES, step
from solver.dynamics import accelerate, observe
from solver.model import Model
from solver.projection import drive_values, project, project_positions, project_velocities
from solver.result import Result, Statistics, Status, Trajectory
from solver.state import State
from solver.system import System, prepare

Array = NDArray[np.float64]

_SAFETY, _SHRINK, _GROW = 0.9, 0.2, 5.0
_PROJECTION_ALLOWED = 20.0
"""A projection may move a body by so many times the error allowed in the step; beyond, the step is rejected.

The local drift from the constraints is a part of the local error; more means that the pose changes its rank in
passing, and that the step was led by accelerations of another branch.
"""
_SMALLEST = 1e-13


@dataclass
class _Run:
    """What changes along a run."""

    system: System
    state: State
    work: Array
    h: float
    rows: list[tuple[object, ...]] = field(default_factory=list)
    steps: int = 0
    rejected: int = 0
    shortest: float = np.inf
    longest: float = 0.0
    refused: str = ""


def simulate(
    model: Model | System,
    state: State | None = None,
    *,
    duration: float,
    rate: float,
    rtol: float = 1e-8,
    atol: float = 1e-8,
    progress: Callable[[float], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    longest_step: float = np.inf,
) -> Result:
    """Motion over `duration` (s) with `rate` samples a second, the start and the end among them.

    `state` is put on the constraints first (none: the reference pose at rest). The error of each step is kept below
    atol + rtol · |value| for every position (m), orientation, velocity and angle; steps end at the
    samples. `progress` is called with the part done; where `should_stop` says so, or at Ctrl-C, what is done is kept.
    Raises ValueError for a model or call that cannot be computed.
    """
    if not (np.isfinite(duration) and duration >= 0):
        raise ValueError(f"the duration must be a number from zero, not {duration}")
    if not (np.isfinite(rate) and rate > 0):
        raise ValueError(f"the rate must be above zero, not {rate}")
    if not (1e-14 <= rtol <= 0.1 and 1e-16 <= atol <= 0.1):
        raise ValueError("tolerances must lie between 1e-14 and 0.1")
    began = time.perf_counter()
    system = model if isinstance(model, System) else prepare(model)
    given = state or State.at_rest(system.model.positions, system.model.quaternions)
    start = project(system, given)
    run = _Run(system, start.state, np.zeros(len(system.drives) + 1), h=min(1e-3, longest_step))
    _record(run)
    status = start.status if not start.status.ok else None
    if status is None:
        times = start.state.t + _sample_times(duration, rate)
        status = _advance_all(run, times, (rtol, atol), progress, should_stop, longest_step)
    statistics = Statistics(
        steps=run.steps,
        rejected=run.rejected,
        evaluations=7 * (run.steps + run.rejected),
        shortest=run.shortest if run.steps else 0.0,
        longest=run.longest,
        seconds=time.perf_counter() - began,
    )
    return Result(status, _trajectory(run), statistics)


def _sample_times(duration: float, rate: float) -> Array:
    """Times (s) of the samples after the first, the last at `duration`."""
    count = int(np.floor(duration * rate * (1 + 1e-12)))
    times = np.arange(1, count + 1) / rate
    if duration > 0 and (count == 0 or times[-1] < duration * (1 - 1e-9)):
        times = np.append(times, duration)
    return np.asarray(times)


def _advance_all(
    run: _Run,
    times: Array,
    tolerances: tuple[float, float],
    progress: Callable[[float], None] | None,
    should_stop: Callable[[], bool] | None,
    longest_step: float,
) -> Status:
    first = run.state.t
    try:
        run.system.callbacks.check()
        for target in times:
            while run.state.t < target:
                if should_stop is not None and should_stop():
                    return _stopped(run)
                status = _advance(run, float(target), tolerances, longest_step)
                if status is not None:
                    return status
                if progress is not None:
                    progress((run.state.t - first) / (times[-1] - first))
            _record(run)
    except KeyboardInterrupt:
        return _stopped(run)
    except LoadError as fault:
        at = f"after t = {run.state.t:.6g} s"
        return Status(False, "load_failed", f"{fault} ({at})", "Mend the function of the callback.")
    except ValueError as fault:
        # A load's function has no value here; what was computed before stands.
        at = f"after t = {run.state.t:.6g} s"
        return Status(False, "no_value", f"{fault} ({at})", "Mend the function of the load named, or end sooner.")
    return Status(True, "ok", f"simulated to t = {run.state.t:g} s", "")


def _stopped(run: _Run) -> Status:
    return Status(False, "stopped", f"stopped at t = {run.state.t:.6g} s", "All samples before it are kept.")


def _advance(run: _Run, target: float, tolerances: tuple[float, float], longest: float) -> Status | None:
    """One accepted step towards `target`, never beyond it; None when all is well."""
    left = target - run.state.t
    last = run.h >= left * (1 - 1e-9)
    h = left if last else min(run.h, 0.5 * left) if run.h > 0.5 * left else run.h
    cut = h < run.h
    while True:
        if h < _SMALLEST * max(1.0, abs(run.state.t)):
            return _too_small(run)
        found, work, error, moved = _try(run.system, run.state, h, tolerances)
        if error <= 1.0 and moved <= _PROJECTION_ALLOWED:
            break
        run.rejected += 1
        run.refused = "error" if error > 1.0 else "projection"
        factor = _SAFETY * error**-0.2 if np.isfinite(error) and error > 1.0 else 0.5
        h *= max(_SHRINK, min(factor, 0.5 if error <= 1.0 else 1.0))
        last = cut = False
    wished = h * min(_GROW, max(_SHRINK, _SAFETY * max(error, 1e-10) ** -0.2))
    # A step cut short to meet a sample says little of the length that the error would allow.
    run.h = min(longest, max(wished, run.h) if cut else wished)
    run.state = replace(found, t=target if last else run.state.t + h)
    run.work += work
    run.steps += 1
    run.shortest, run.longest = min(run.shortest, h), max(run.longest, h)
    return None


def _try(system: System, state: State, h: float, tolerances: tuple[float, float]) -> tuple[State, Array, float, float]:
    """A step and its projection: the new state, work done, and error and movement against what is allowed."""
    rtol, atol = tolerances
    T, K, B, F, W = system.program.terms, system.plan, system.bodies, system.loads, system.rows
    drives = np.array([drive_values(system, state.t + c * h) for c in NODES])
    arrays = (state.positions, state.quaternions, state.velocities, state.angles)
    x, q, v, angles, work, error = step(T, K, B, F, W, h, *arrays, drives, rtol, atol)
    if not error <= 1.0:
        return state, work, float(error), 0.0
    x0, q0 = x.copy(), q.copy()
    tables = (T, K, B, W, system.length)
    residual, _ = project_positions(*tables, x, q, angles, drives[-1], 8)
    project_velocities(*tables, x, q, v, angles, drives[-1])
    moved = float(np.max(np.abs(x - x0) / (atol + rtol * np.abs(x)), initial=0.0))
    moved = max(moved, float(np.max(np.abs(q - q0), initial=0.0)) / (atol + rtol))
    if not (np.isfinite(residual) and np.all(np.isfinite(v))):
        return state, work, np.inf, 0.0
    # What projection cannot close is as much an error as what it moves.
    if residual > 1e-11:
        moved = max(moved, _PROJECTION_ALLOWED * residual / 1e-9)
    return State(state.t, x, q, v, angles), work, float(error), moved


def _too_small(run: _Run) -> Status:
    at = f"at t = {run.state.t:.6g} s"
    if run.refused == "projection":
        return Status(
            False,
            "singular",
            f"no step keeps the constraints {at}: the mechanism passes a singular pose or cannot move on",
            "Look at the pose reached; start elsewhere, or loosen the tolerances.",
        )
    return Status(
        False,
        "step_too_small",
        f"the error allowed cannot be kept {at}: the step fell below {_SMALLEST:g} s",
        "Loosen the tolerances, or look for a load that jumps, a stiff spring or a tiny mass.",
    )


def _record(run: _Run) -> None:
    """Append a sample."""
    system, s = run.system, run.state
    T, K, B, F, W = system.program.terms, system.plan, system.bodies, system.loads, system.rows
    drive = drive_values(system, s.t)
    arrays = (s.positions, s.quaternions, s.velocities, s.angles, drive)
    acceleration, multipliers, *_ = accelerate(T, K, B, F, W, *arrays)
    if run.rows:
        system.callbacks.check()
    count = len(system.program.coordinate_term)
    q, qd, qdd, first, second, kinetic, potential = observe(T, B, F, W, system.length, *arrays, acceleration, count)
    c, m = len(system.model.coordinates), system.constraint_rows
    residuals = (float(np.max(first, initial=0.0)), float(np.max(second, initial=0.0)))
    energy = (kinetic, potential, float(np.sum(run.work[:-1])), float(run.work[-1]))
    state = (s.t, s.positions, s.quaternions, s.velocities, acceleration, s.angles, multipliers[:m])
    run.rows.append((*state, q[:c], qd[:c], qdd[:c], *residuals, *energy))


def _trajectory(run: _Run) -> Trajectory:
    return Trajectory(*(np.array(column, dtype=float) for column in zip(*run.rows, strict=True)))
