"""Simulation: steps of a method, each put back on the constraints (successive projection method).

Vlasenko & Kasper (2009): integrate the accelerations, project the positions, project the velocities.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.chart.engine import ChartEngine
from solver.chart.spanning import TreeJoint
from solver.compilation import interrupts
from solver.equations.projection import carry_angles, drive_values, project
from solver.equations.system import System, prepare
from solver.model import Model
from solver.model.callbacks import LoadError
from solver.model.validation import check_state
from solver.result import Occurrence, Result, Skipped, Statistics, Status, Trajectory
from solver.runs import termination as endings
from solver.runs.arguments import check_events, checked, sample_times
from solver.runs.dipping import dips_of
from solver.runs.events import Event, arrivals, crossings
from solver.runs.marcher import Marcher, sudden
from solver.runs.marching import MET, NO_SOLUTION, NO_VALUE, TOO_SHORT
from solver.state import State
from solver.steps.explicit import Pace
from solver.steps.methods import Absolute, Method, Slope

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_SAFETY, _SHRINK, _GROW = 0.9, 0.2, 5.0
"""What control by the error allows: 0.9 of the step that would just keep it, and a change between a fifth and five
times (Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.4, which recommends 0.8 to 0.9 and 1.5 to
5). Longer steps are refused more often, and those that grow faster forget the error that they come from."""
_PROJECTION_ALLOWED = 20.0
"""A projection may move a body by so many times the error allowed in the step; beyond, the step is rejected.

The local drift from the constraints is a part of the local error; more means that the pose changes its rank in
passing, and that the step was led by accelerations of another branch.
"""
_FIRST_STEP = 0.04
"""s, times the power of the tolerance with which steps go: the first of controlled error, 1 ms at 1e-8 by dopri5."""
_SAMPLES_A_STEP = 10
"""No step is longer than so many samples: what happens between would not be seen. Ten keep a step of a mechanism at
rest from jumping over a load that a person sampled for."""


_NONE = np.zeros(0)
_UNKNOWN = Slope(_NONE, _NONE, _NONE, _NONE, _NONE)
"""Of a run that has not begun."""


@dataclass
class _Run:
    """A run: what takes its steps, where it is, and what came of it so far."""

    marcher: Marcher
    key: tuple[object, ...]
    """Of what the workspaces are kept for the next run (`System.spare`)."""
    fixed: float | None
    events: tuple[Event, ...]
    state: State
    slope: Slope = _UNKNOWN
    samples: list[tuple[Array, ...]] = field(default_factory=list)
    """Columns of the trajectory, some samples at a time."""
    occurred: list[Occurrence] = field(default_factory=list)
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    shortest: float = np.inf
    longest: float = 0.0
    blocked: int = 0
    """Steps refused for what the projection moved or left open."""
    watch: endings.Watch = field(default_factory=endings.Watch)

    @property
    def system(self) -> System:
        """The model in absolute coordinates."""
        return self.marcher.engine.system


def pace_of(method: Method, h: float, longest: float, fixed: bool = False) -> Pace:
    """How long the steps (s) of an explicit method may be: the first h, none above the longest."""
    return Pace(h, longest, fixed, method.exponent, _SAFETY, _SHRINK, _GROW, _PROJECTION_ALLOWED)


def simulate(
    model: Model | System, state: State | None = None, *, duration: float, rate: float, rtol: float = 1e-8,
    atol: float = 1e-8, integrator: str = "dopri5", step: float | None = None, events: Sequence[Event] = (),
    progress: Callable[[float], None] | None = None, should_stop: Callable[[], bool] | None = None,
    longest_step: float = np.inf, tree: Sequence[TreeJoint] | None = None, times: ArrayLike | None = None,
    contradictory: bool = False,
) -> Result:  # fmt: skip
    """Integrate the motion of a model over some time.

    The state is put on the constraints first. Samples within a step are as accurate as its ends, and lie on the
    constraints. What is done is kept where `should_stop` says so, or at Ctrl-C. The methods are those of Dormand and
    Prince of orders 5 and 8, of Kutta of order 4, and generalised-α; docs/scenario.md compares them.

    Args:
        model: The model, or the `System` made of it.
        state: The state at the start; None takes the reference pose at rest.
        duration: The duration in s.
        rate: Samples a second, the start and the end among them.
        rtol: With `atol`, what the error of a step is kept below: atol + rtol · abs(value) for every position (m),
            orientation, velocity, angle and work; with `tree` every joint coordinate in their place; of
            "generalized_alpha" for all steps in 0.05 s, of positions, orientations and velocities.
        atol: See `rtol`.
        integrator: "dopri5", "dop853", "rk4" (which needs a `step`) or "generalized_alpha", which is for stiff loads.
        step: The length in s of all steps, in place of controlled errors; None controls them. Of generalized_alpha, a
            step whose iteration does not converge is taken in parts.
        events: Values of coordinates to report, or to end the run at.
        progress: Called with the part that is done, 0 to 1.
        should_stop: Asked after steps whether to end the run.
        longest_step: The length in s that no step exceeds; ten samples at most in any case.
        tree: Joints that a spanning tree takes: their coordinates are integrated in place of the poses
            (`solver.chart`); None integrates poses.
        times: When samples are taken, (k,) s, beside the start, in place of `rate`; the run ends at the last of them.
        contradictory: Whether rows contradict each other: no velocity keeps all of them then, and what a step's
            projection changes of velocities bounds no step.

    Returns:
        All samples up to the end, the status that says how it ended, statistics, and events.

    Raises:
        ValueError: The model or the call cannot be computed; the text names the body, joint or load.
    """
    method = checked(duration, rate, (rtol, atol), integrator, step, longest_step)
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
        if contradictory:
            run.marcher.engine.may_change_suddenly(sudden((rtol, atol), contradictory))
        status = start.status if not start.status.ok else None
        if status is None:
            status = _advance_all(run, progress, lambda: interrupted() or bool(should_stop and should_stop()))
    if not run.samples:
        run.samples.append(run.marcher.rows())
    run.system.spare[run.key] = run.marcher
    return Result(status, _trajectory(run), _statistics(run, time.perf_counter() - began), tuple(run.occurred))


def _statistics(run: _Run, seconds: float) -> Statistics:
    """What a run cost."""
    engine = run.marcher.engine
    return Statistics(
        steps=run.steps,
        rejected=run.rejected,
        evaluations=run.evaluations,
        shortest=run.shortest if run.steps else 0.0,
        longest=run.longest,
        seconds=seconds,
        unsolved=int(engine.unsolved),
        within=float(engine.within.worst[0]),
        pivot=float(engine.within.pivot[0]),
        pivot_at=float(engine.within.pivot[1]),
        dips=dips_of(engine.within),
        skipped=_skipped(engine),
    )


def _skipped(engine: Absolute) -> Skipped:
    """The largest speed of a vibration that steps of generalised-α began without."""
    part, speed, turns, decay, since = engine.implicit[2].skipped.tolist()
    return Skipped(part, speed, "rad/s" if turns else "m/s", decay, since)


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
        # Some coordinates have several angles in the implicit system, a row's and a load's: the first of each counts.
        own = {owner: k for k, owner in reversed(list(enumerate(system.angle_owner)))}
        places = np.array([own[owner] for owner in plain.angle_owner], dtype=np.int64)
        state = carry_angles(state, plain, system)
    key = (method, *(() if tree is None else (joint.key for joint in tree)))
    marcher = _marcher(system, method, tree, key)
    if places is not None:
        marcher.angle_places = places
    h = first_step(method, tolerances, longest_step) if step is None else step
    # No error refuses a step of fixed length; the iteration of generalised-α needs the tolerance all the same.
    allowed = (0.0, np.inf) if step is not None and method.alpha is None else tolerances
    pace = pace_of(method, h, longest_step, step is not None)
    marcher.begin(state, pace, np.concatenate([[state.t], times]), allowed, watched, tuple(events))
    return _Run(marcher, key, step, tuple(events), state)


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


def _advance_all(run: _Run, progress: Callable[[float], None] | None, should_stop: Callable[[], bool]) -> Status:
    marcher, first = run.marcher, run.state.t
    last = float(marcher.ahead[-1]) if len(marcher.ahead) else first
    ended: Status | None = None
    try:
        run.system.callbacks.check()
        while not marcher.done:
            if should_stop():
                return endings.stopped(run.state.t)
            how = _go(run)
            # After an event that stops, the run goes on to make the samples before it.
            if how == MET and ended is None:
                ended = _meet_events(run)
            status = None if marcher.done else _failed(run, how)
            if status is not None:
                return status
            if progress is not None:
                progress((run.state.t - first) / (last - first))
    except KeyboardInterrupt:
        return endings.stopped(run.state.t)
    except LoadError as fault:
        at = f"after t = {run.state.t:.6g} s"
        return Status(False, "load_failed", f"{fault} ({at})", "Fix the callback.")
    except ValueError as fault:
        # A load's function has no value here; what was computed before stands.
        at = f"after t = {run.state.t:.6g} s"
        return Status(False, "no_value", f"{fault} ({at})", "Correct the function of the load named, or end sooner.")
    return ended or _arrive(run) or endings.reached(run.state.t, run.fixed, run.shortest if run.rejected else None)


def _go(run: _Run) -> int:
    """Many steps and their samples; how they ended."""
    marcher = run.marcher
    how = marcher.go()
    steps, refused, blocked, evaluations = marcher.counts
    run.state, run.slope, _ = marcher.place()
    if steps:
        shortest, longest = marcher.lengths
        run.shortest, run.longest = min(run.shortest, shortest), max(run.longest, longest)
    run.steps += steps
    run.rejected += refused
    run.blocked += blocked
    run.evaluations += evaluations
    if len((made := marcher.rows())[0]):
        run.samples.append(made)
    run.system.callbacks.check()
    return how


def _failed(run: _Run, how: int) -> Status | None:
    """Why a run cannot go on, or leads nowhere; ValueError where a function of time has no value."""
    system, state, slope = run.system, run.state, run.slope
    if how == TOO_SHORT:
        return endings.too_small(system, state, slope, run.marcher.blocked)
    if how == NO_SOLUTION:
        assert run.fixed is not None
        return endings.too_long(run.fixed, state.t)
    if how == NO_VALUE:
        for t in run.marcher.nodes:
            drive_values(system, float(t))
    return run.watch.crawling(system, state, slope, (run.steps + run.rejected, run.blocked), run.marcher.ahead)


def _meet_events(run: _Run) -> Status | None:
    """Report the events of the step just taken; where one stops, the run ends there."""
    marcher = run.marcher
    for theta, event in crossings(run.events, marcher.look(0.0)[1], marcher.look):
        state, _ = marcher.look(theta)
        run.occurred.append(Occurrence(event.name, state.t, state, event.value))
        if event.stop:
            marcher.end_at(state.t)
            run.state = state
            return _ended_by(event, state.t)
    return None


def _arrive(run: _Run) -> Status | None:
    """Report the events that the end of the run misses by rounding alone; one that stops gives the run its status."""
    if not (run.events and run.steps):
        return None
    status = None
    for event in arrivals(run.events, run.marcher.look(0.0)[1], run.marcher.look(1.0)[1]):
        run.occurred.append(Occurrence(event.name, run.state.t, run.state, event.value))
        if event.stop and status is None:
            status = _ended_by(event, run.state.t)
    return status


def _ended_by(event: Event, t: float) -> Status:
    return Status(True, "event", f"{event.name} occurred at t = {t:.9g} s and ended the run", "")


def _trajectory(run: _Run) -> Trajectory:
    if len(run.samples) == 1:
        return Trajectory(*run.samples[0])
    return Trajectory(*map(np.concatenate, zip(*run.samples, strict=True)))
