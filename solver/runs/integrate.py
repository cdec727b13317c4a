"""Simulation: steps of a method, each put back on the constraints (successive projection method).

Vlasenko & Kasper (2009): integrate the accelerations, project the positions, project the velocities.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.chart.engine import ChartEngine
from solver.chart.spanning import TreeJoint
from solver.compilation import interrupts
from solver.equations.projection import carry_angles, project
from solver.equations.system import SPEED, System, prepare
from solver.model import Model
from solver.model.callbacks import LoadError
from solver.model.validation import check_state
from solver.result import Occurrence, Result, Statistics, Status, Trajectory
from solver.runs import termination as endings
from solver.runs.arguments import check_events, checked, sample_times
from solver.runs.events import Event, crossings
from solver.runs.marcher import Marcher
from solver.runs.marching import next_step, shrink
from solver.state import State
from solver.steps.dense import Segment, Slope
from solver.steps.explicit import Pace, shaft_spins
from solver.steps.methods import Absolute, Attempt, Engine, Method, Remembered, least, observed

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_SAFETY, _SHRINK, _GROW = 0.9, 0.2, 5.0
_PROJECTION_ALLOWED = 20.0
"""A projection may move a body by so many times the error allowed in the step; beyond, the step is rejected.

The local drift from the constraints is a part of the local error; more means that the pose changes its rank in
passing, and that the step was led by accelerations of another branch.
"""
_OPEN = 1e-6
"""Of the speeds (m/s; at least 1): what a motor's rate may be missed by. Rows that contradict by rounding cost 1e-8."""
_NEAR = 1e-9
"""s: how near a run comes to a time at which a load's function has no value."""
_FINEST = 1e-7
"""The smallest part of a fixed step that an implicit method takes where its iteration does not converge."""
_FIRST_STEP = 0.04
"""s, times the power of the tolerance with which steps go: the first of controlled error, 1 ms at 1e-8 by dopri5."""
_SAMPLES_A_STEP = 10
"""No step is longer than so many samples: what happens between would not be seen."""
_NONE = np.zeros(0)
_UNKNOWN = Slope(_NONE, _NONE, _NONE, _NONE, _NONE)
"""Of a run that has not begun."""


@dataclass
class _Run:
    """What changes along a run, and what does not."""

    engine: Engine
    method: Method
    state: State
    slope: Slope
    memory: Remembered
    work: Array
    h: float
    tolerances: tuple[float, float]
    fixed: float | None
    longest_step: float
    events: tuple[Event, ...]
    angle_places: Ints | None
    samples: list[tuple[Array, ...]] = field(default_factory=list)
    """Columns of the trajectory, some samples at a time."""
    occurred: list[Occurrence] = field(default_factory=list)
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    shortest: float = np.inf
    longest: float = 0.0
    refused: str = ""
    due: float = 0.0
    """s: what is left of a fixed step that could only be taken in parts, the last of them `part`."""
    part: float = 0.0
    before: float = 1.0
    """The error of the last step, over what is allowed."""
    blocked: int = 0
    """Steps refused for what the projection moved or left open."""
    watch: endings.Watch = field(default_factory=endings.Watch)
    marcher: Marcher | None = None
    """What takes the steps, but those that need a closer look."""
    spare: Marcher | None = None
    """What the next run of the same `key` takes its workspaces from."""
    key: tuple[object, ...] = ()

    @property
    def system(self) -> System:
        """The model in absolute coordinates."""
        return self.engine.system

    @property
    def pace(self) -> Pace:
        """How long its steps may be."""
        return pace_of(self.method, self.h, self.longest_step, self.fixed is not None)


def pace_of(method: Method, h: float, longest: float, fixed: bool = False) -> Pace:
    """How long the steps (s) of an explicit method may be: the first h, none above the longest."""
    return Pace(h, longest, fixed, method.exponent, _SAFETY, _SHRINK, _GROW, _PROJECTION_ALLOWED)


def simulate(
    model: Model | System, state: State | None = None, *, duration: float, rate: float, rtol: float = 1e-8,
    atol: float = 1e-8, integrator: str = "dopri5", step: float | None = None, events: Sequence[Event] = (),
    progress: Callable[[float], None] | None = None, should_stop: Callable[[], bool] | None = None,
    longest_step: float = np.inf, tree: Sequence[TreeJoint] | None = None, times: ArrayLike | None = None,
) -> Result:  # fmt: skip
    """Motion over `duration` (s) with `rate` samples a second, the start and the end among them.

    With `times` (s) the samples are those at these times and the start, and the run ends at the last of them.

    `state` is put on the constraints first (none: the reference pose at rest). `integrator` is dopri5, dop853, rk4 or
    generalized_alpha. With a `step` (s; rk4 needs one) all steps are of that length, save that generalized_alpha takes
    in parts of controlled error one whose iteration does not converge; without, the error of each is
    kept below atol + rtol · |value| for every position (m), orientation, velocity, angle and work (generalized_alpha:
    position and orientation; with `tree` every joint coordinate in their place), and none is longer than `longest_step`
    or ten samples. Samples within a step are as accurate as its ends, and lie on the constraints. `events` are reported
    in the result, or end the run. `progress` is called with the part done; where `should_stop` says so, or at Ctrl-C,
    what is done is kept. With `tree`, the joints named are taken by a spanning tree, whose joint coordinates are
    integrated (`solver.chart`). Raises ValueError for
    a model or call that cannot be computed.
    """
    method = checked(duration, rate, rtol, atol, integrator, step)
    began = time.perf_counter()
    with interrupts.deferred() as interrupted:
        plain = model if isinstance(model, System) else prepare(model)
        check_events(plain, events)
        if state is not None:
            check_state(state, plain.model)
        start = project(plain, state or State.at_rest(plain.model.positions, plain.model.quaternions))
        samples = sample_times(start.state.t, duration, rate, times)
        longest_step = min(longest_step, longest_at(rate))
        watched = progress is not None or should_stop is not None
        run = _begin(plain, start.state, method, (rtol, atol), step, longest_step, events, tree, samples, watched)
        status = start.status if not start.status.ok else None
        if status is None:
            status = _advance_all(run, samples, progress, lambda: interrupted() or bool(should_stop and should_stop()))
    if run.marcher is not None and not run.samples:
        run.samples.append(run.marcher.rows())
    unsolved = int(run.engine.unsolved)
    if run.spare is not None:
        run.system.spare[run.key] = run.spare
    statistics = Statistics(
        steps=run.steps,
        rejected=run.rejected,
        evaluations=run.evaluations,
        shortest=run.shortest if run.steps else 0.0,
        longest=run.longest,
        seconds=time.perf_counter() - began,
        unsolved=unsolved,
    )
    return Result(status, _trajectory(run), statistics, tuple(run.occurred))


def longest_at(rate: float) -> float:
    """The longest step (s) of a run with so many samples a second."""
    return _SAMPLES_A_STEP / rate


def first_step(method: Method, tolerances: tuple[float, float], longest: float) -> float:
    """The length (s) of the first step, where none is longer than `longest`."""
    return float(min(_FIRST_STEP * max(tolerances) ** method.exponent, longest))


def _begin(
    plain: System, state: State, method: Method, tolerances: tuple[float, float], step: float | None,
    longest_step: float, events: Sequence[Event], tree: Sequence[TreeJoint] | None, times: Array, watched: bool,
) -> _Run:  # fmt: skip
    system: System = plain
    places: Ints | None = None
    if method.alpha is not None:
        system = plain.implicit
        own = {owner: k for k, owner in reversed(list(enumerate(system.angle_owner)))}
        places = np.array([own[owner] for owner in plain.angle_owner], dtype=np.int64)
        state = carry_angles(state, plain, system)
    key = (method, *(() if tree is None else (joint.key for joint in tree)))
    marcher = _marcher(system, method, tree, key)
    if places is not None:
        marcher.angle_places = places
    h = first_step(method, tolerances, longest_step) if step is None else step
    run = _Run(
        engine=marcher.engine,
        method=method,
        state=state,
        slope=_UNKNOWN,
        memory=None,
        work=np.zeros(len(system.drives) + 1),
        h=h,
        tolerances=tolerances,
        fixed=step,
        longest_step=longest_step,
        events=tuple(events),
        angle_places=places,
        spare=marcher,
        key=key,
    )
    if not events and len(times):
        run.marcher = marcher
        allowed = (0.0, np.inf) if step is not None and method.alpha is None else tolerances
        marcher.begin(state, run.pace, np.concatenate([[state.t], times]), allowed, watched)
    else:
        run.slope = run.engine.slope(state)
        run.memory = run.engine.begin(state, run.slope)
        _record(run, state, run.slope, run.work)
    return run


def _engine(system: System, method: Method, tree: Sequence[TreeJoint] | None) -> Absolute:
    return Absolute(system, method) if tree is None else ChartEngine(system, method, tree)


def _marcher(
    system: System, method: Method, tree: Sequence[TreeJoint] | None, key: tuple[object, ...]
) -> Marcher:  # fmt: skip
    """That of a run of the same `key` that ended, or a new one: making its workspaces takes as long as a short run."""
    spare: Marcher | None = system.spare.pop(key, None)
    if spare is None:
        engine = _engine(system, method, tree)
        return Marcher(engine, engine.arrays if isinstance(engine, ChartEngine) else None)
    spare.engine.tables[-1].sweeps.unsolved[0] = 0.0
    return spare


def _advance_all(
    run: _Run, times: Array, progress: Callable[[float], None] | None, should_stop: Callable[[], bool]
) -> Status:
    first, sampled = run.state.t, 0
    try:
        run.system.callbacks.check()
        while sampled < len(times):
            if should_stop():
                return endings.stopped(run.state.t)
            if run.marcher is not None and run.due == 0.0:
                stuck = _go(run, run.marcher)
                sampled = run.marcher.reported - 1
                status = None if sampled == len(times) else _crawling(run, times[sampled:])
                if status is not None:
                    return status
                if progress is not None:
                    progress((run.state.t - first) / (times[-1] - first))
                if not stuck:
                    continue
                explicit = run.method.alpha is None
                run.memory = run.engine.begin(run.state, run.slope) if explicit else run.marcher.memory
            before = (run.state, run.slope, run.work)
            status = _advance(run, float(times[-1])) or _crawling(run, times[sampled:])
            if status is not None:
                return status
            if run.events or times[sampled] <= _reached(run):
                segment = _segment(run, *before)
                ended = _meet_events(run, segment) if run.events else None
                while sampled < len(times) and times[sampled] <= _reached(run):
                    _sample(run, segment, float(times[sampled]))
                    sampled += 1
                    if run.marcher is not None:
                        run.marcher.skip()
                if ended is not None:
                    if run.samples[-1][0][-1] != run.state.t:
                        _record(run, run.state, run.slope, run.work)
                    return ended
            if progress is not None:
                progress((run.state.t - first) / (times[-1] - first))
    except KeyboardInterrupt:
        return endings.stopped(run.state.t)
    except LoadError as fault:
        at = f"after t = {run.state.t:.6g} s"
        return Status(False, "load_failed", f"{fault} ({at})", "Mend the function of the callback.")
    except ValueError as fault:
        # A load's function has no value here; what was computed before stands.
        at = f"after t = {run.state.t:.6g} s"
        return Status(False, "no_value", f"{fault} ({at})", "Mend the function of the load named, or end sooner.")
    return endings.reached(run.state.t, run.fixed, run.shortest if run.rejected else None)


def _crawling(run: _Run, ahead: Array) -> Status | None:
    """See `endings.Watch`."""
    return run.watch.crawling(run.system, run.state, run.slope, (run.steps + run.rejected, run.blocked), ahead)


def _go(run: _Run, marcher: Marcher) -> bool:
    """Many steps and their samples; whether the next step needs a closer look."""
    if marcher.state is not run.state:
        marcher.start(run.state, run.slope, run.work, run.h, run.before, run.memory)
    stuck = marcher.go()
    steps, refused, blocked, evaluations = marcher.counts
    run.state, run.slope, run.work = marcher.place()
    if steps:
        shortest, longest = marcher.lengths
        run.shortest, run.longest = min(run.shortest, shortest), max(run.longest, longest)
    if run.fixed is None:
        run.h, run.before = marcher.h, marcher.before
    if refused:
        run.refused = "projection" if marcher.blocked else "error"
    run.steps += steps
    run.rejected += refused
    run.blocked += blocked
    run.evaluations += evaluations
    if len((made := marcher.rows())[0]):
        run.samples.append(made)
    run.system.callbacks.check()
    return stuck


def _reached(run: _Run) -> float:
    """The time up to which there are states: a sample within rounding of a step's end is that end."""
    return run.state.t + 1e-12 * max(1.0, abs(run.state.t))


def _advance(run: _Run, end: float) -> Status | None:
    """One accepted step towards `end`, never beyond it; None when all is well."""
    left = end - run.state.t
    wished = run.h if run.due == 0.0 else min(run.due, run.part)
    last = wished >= left * (1 - 1e-9)
    h = left if last else wished
    if run.fixed is None and not last and h > 0.5 * left:
        h = 0.5 * left
    cut, requested, refused = h < run.h, h, False
    while True:
        if h < endings.SMALLEST * max(1.0, abs(run.state.t)):
            return endings.too_small(run.system, run.state, run.slope, run.refused == "projection")
        # The parts of a fixed step are as short as their error asks for.
        plain = run.fixed is not None and h == requested and run.due == 0.0
        tried = _try(run, h, plain)
        run.evaluations += tried.evaluations
        if tried.error <= 1.0 and tried.moved <= _PROJECTION_ALLOWED:
            break
        if run.fixed is not None and (run.method.alpha is None or h < _FINEST * run.fixed):
            return endings.too_long(run.fixed, run.state.t)
        run.rejected += 1
        h *= _shrunk(run, tried)
        last = cut = False
        refused = True
    if run.method.alpha is not None:
        wished = h * min(_GROW, max(_SHRINK, _SAFETY * max(tried.error, 1e-10) ** -run.method.exponent))
    else:
        whole = max(tried.error, tried.moved / _PROJECTION_ALLOWED)
        wished = next_step(run.pace, h, whole, run.before, refused)
        run.before = max(whole, 1e-4)
    if run.fixed is None:
        # A step cut short to meet the end says little of the length that the error would allow.
        run.h = min(run.longest_step, max(wished, run.h) if cut else wished)
    else:
        due = (run.due or requested) - h
        run.due, run.part = (due if due > 1e-9 * run.fixed and not last else 0.0), wished
    run.state = replace(tried.state, t=end if last else run.state.t + h)
    run.work = tried.work
    run.memory = tried.memory
    run.slope = tried.slope or run.engine.slope(run.state)
    run.evaluations += 1
    run.steps += 1
    run.shortest, run.longest = min(run.shortest, h), max(run.longest, h)
    return None


def _shrunk(run: _Run, tried: Attempt) -> float:
    """By which factor a step shorter than the one tried is tried next."""
    error = tried.error
    run.refused = "error" if error > 1.0 else "projection"
    run.blocked += run.refused == "projection"
    if run.method.alpha is None:
        return float(shrink(run.pace, error if error > 1.0 else tried.moved / _PROJECTION_ALLOWED))
    factor = _SAFETY * error**-run.method.exponent if np.isfinite(error) and error > 1.0 else 0.5
    return max(_SHRINK, min(factor, 0.5 if error <= 1.0 else 1.0))


def _try(run: _Run, h: float, plain: bool) -> Attempt:
    """A step and its projection. What projection cannot close is as much an error as what it moves.

    `plain`: as long as was requested, whatever its error.
    """
    fixed = run.fixed is not None
    allowed = (0.0, np.inf) if fixed and run.method.alpha is None else run.tolerances
    try:
        tried = run.engine.attempt(run.state, run.slope, run.work, run.memory, h, allowed)
        run.system.callbacks.check()
    except LoadError:
        raise
    except ValueError:
        # A function of time has no value somewhere in the step: shorter steps come as near to there as can be.
        if fixed or h < _NEAR:
            raise
        return Attempt(run.state, run.work, np.inf, 0.0, 0.0, run.memory, 0)
    driven = run.system.rows.kind == SPEED
    if tried.error <= 1.0 and tried.slope is not None and driven.any():
        # The rate asked of a motor is in no position: beyond a dead point only it is left open.
        left = np.max(observed(run.system, tried.state, tried.slope)[4][driven])
        if not left <= _OPEN * max(1.0, np.abs(tried.state.velocities).max()):
            return replace(tried, moved=np.inf)
    if plain:
        tried = replace(tried, error=0.0 if np.isfinite(tried.error) else np.inf, moved=0.0)
    if tried.residual > 1e-11:
        tried = replace(tried, moved=max(tried.moved, _PROJECTION_ALLOWED * tried.residual / 1e-9))
    return tried


def _segment(run: _Run, state: State, slope: Slope, work: Array) -> Segment:
    """The step just taken, as a polynomial."""
    spins = shaft_spins(run.system.bodies, state.quaternions, state.velocities)

    def evaluate(within: State) -> Slope:
        run.evaluations += 1
        return run.engine.slope(within)

    ends = (state, run.state)
    return Segment(*ends, (slope, run.slope), (work, run.work), spins, run.engine.extra, evaluate)


def _within(run: _Run, segment: Segment, theta: float) -> tuple[State, Array]:
    """The state at a part of the step, put on the constraints, and the work done."""
    if theta >= 1.0:
        return segment.end, run.work
    state, work = segment.at(theta)
    return run.engine.settle(state, run.tolerances), work


def _sample(run: _Run, segment: Segment, t: float) -> None:
    theta = (t - segment.start.t) / segment.h
    if theta >= 1.0 - 1e-12:
        _record(run, run.state, run.slope, run.work)
        return
    state, work = _within(run, segment, theta)
    state = replace(state, t=t)
    run.evaluations += 1
    _record(run, state, run.engine.slope(state), work)


def _meet_events(run: _Run, segment: Segment) -> Status | None:
    """Report the events of the step just taken; where one stops, the step ends there."""

    def look(theta: float) -> tuple[State, Array]:
        state = _within(run, segment, theta)[0]
        return state, observed(run.system, state, run.slope)[0]

    for theta, event in crossings(run.events, look(0.0)[1], look):
        state, work = _within(run, segment, theta)
        run.occurred.append(Occurrence(event.name, state.t, state))
        if event.stop:
            run.state, run.work, run.slope = state, work, run.engine.slope(state)
            return Status(True, "event", f"{event.name} occurred at t = {state.t:.9g} s and ended the run", "")
    return None


def _record(run: _Run, state: State, slope: Slope, work: Array) -> None:
    """Append a sample."""
    system = run.system
    if run.samples:
        system.callbacks.check()
    q, qd, qdd, first, second, kinetic, potential = observed(system, state, slope)
    residuals = (float(np.max(first, initial=0.0)), float(np.max(second, initial=0.0)))
    energy = (kinetic, potential, float(np.sum(work[:-1])), float(work[-1]))
    angles = np.zeros(0) if state.angles is None else state.angles
    angles = angles if run.angle_places is None else angles[run.angle_places]
    place = (state.t, state.positions, state.quaternions, state.velocities, slope.acceleration, angles)
    multipliers = least(system, state, slope)[: system.constraint_rows]
    columns = (*place, multipliers, q, qd, qdd, *residuals, *energy)
    run.samples.append(tuple(np.array(column, dtype=float)[None] for column in columns))


def _trajectory(run: _Run) -> Trajectory:
    if len(run.samples) == 1:
        return Trajectory(*run.samples[0])
    return Trajectory(*map(np.concatenate, zip(*run.samples, strict=True)))
