"""A run in compiled code (`marching`), as Python sees it: chunks of steps, rows, and looks within the last step."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.chart.stepping import Joints, no_joints
from solver.constraints.kernels import Frames, RowArrays, TermArrays, rows_workspace, terms_workspace
from solver.constraints.terms import Terms
from solver.equations.kkt import Plan, Space, space
from solver.equations.projection import drive_values, function_values
from solver.equations.system import Rows
from solver.model.callbacks import Filler
from solver.runs.corners import corners_ahead
from solver.runs.course import begin_course, new_course
from solver.runs.driving import Drives
from solver.runs.events import DIRECTIONS, Event
from solver.runs.kinks import kinks_of
from solver.runs.marching import SAME_TIME, look_within, march, sample_start
from solver.runs.meeting import Watched, nothing_watched, watched
from solver.state import State
from solver.steps.explicit import Pace
from solver.steps.methods import Absolute, Slope
from solver.steps.samples import least_of_samples, make_samples
from solver.steps.tableaus import no_tableau
from solver.sweeps.bodies import Bodies

Array = NDArray[np.float64]

_EVALUATIONS_A_CALL = 1800
"""Of one call, where bodies are few; fewer for many: some tens of milliseconds, between which a run may stop."""
_SAMPLES_A_CALL = 500
"""As many samples, for which there is room."""
_SUDDEN_RATES = 0.05
"""Times the root of the tolerance: what the projection after a step may change velocities by, of the fastest, and some
twenty times that before the step is refused. Near a pose of another rank an error δ of the pose turns what velocities
the rows allow by the root of δ; a step on another branch changes them at once."""
_CORNERS_A_CALL = 256
"""As many corners of functions of time ahead."""


_UNBOUNDED = 1e300
"""Times the fastest: no bound of what a projection changes. It is multiplied with speeds that may be zero, so that it
is not infinite: that would be no number."""


def sudden(tolerances: tuple[float, float], contradictory: bool = False) -> float:
    """By which part of the fastest the projection after a step may change velocities; of contradictory rows, by any."""
    return _UNBOUNDED if contradictory else float(_SUDDEN_RATES * np.sqrt(max(tolerances)))


class Marcher:
    """Runs of an engine, one after the other: `state`, `slope` and `work`, counts, and samples since the last look."""

    def __init__(self, engine: Absolute, joints: Joints | None = None) -> None:
        self.engine = engine
        self._charts = (no_joints() if joints is None else joints, engine.implicit)
        system, self._tableau = engine.system, engine.method.tableau or no_tableau()
        self.angle_places: NDArray[np.int64] | slice = slice(None)
        n, na, d = system.program.bodies, system.program.angle_count, len(system.drives)
        self._few = 10 / (10 + n)
        self._state = (np.empty((n, 3)), np.empty((n, 4)), np.empty((n, 6)), np.empty(na))
        self._slope = (np.empty((n, 6)), np.empty(na), np.empty(d + 1))
        self._work = np.empty(d + 1)
        self._course = new_course()
        steady = all(function.steady for _, function in system.drives)
        constant = drive_values(system, 0.0) if steady else np.zeros((d, 3))
        self._filler = None if steady else Filler(lambda t: function_values(system, t), d)
        address = np.zeros(0, np.int64) if self._filler is None else self._filler.address
        corners = np.full(_CORNERS_A_CALL if self._filler is not None else 0, np.inf)
        self._drives = Drives(constant, address, corners, np.zeros((len(self._tableau.nodes), d, 3)), np.zeros((d, 3)))
        self._kinks = kinks_of(system.loads)
        self._samples = make_samples(system, np.zeros(0))
        self._asked: tuple[Any, ...] = ()

    def begin(
        self, state: State, pace: Pace, times: Array, tolerances: tuple[float, float], watched: bool,
        events: tuple[Event, ...] = (),
    ) -> None:  # fmt: skip
        """A run that samples at `times`, the start first, which is sampled at once, and looks for `events`.

        Where it is `watched`, one call makes an eighth of the samples at most.
        """
        self._times, self._first, self._fixed = times, 0, pace.fixed
        # The start, and at least one more.
        room = min(len(times) // (8 if watched else 1) + 2, max(2, int(self._few * _SAMPLES_A_CALL)))
        asked = (room, pace, tolerances, events)
        if asked != self._asked:
            self._bind(*asked)
        self._open()
        begin_course(self._course, state.t, pace.h, times[-1])
        self.engine.may_change_suddenly(sudden(tolerances))
        self._set(state)
        self._work[:] = 0.0
        self._find_corners()
        self._repeated = self._sample_start()
        # Of steps before nothing is known: all accelerations are those of the start, in the order of `Memory`.
        _, _, memory, _ = self.engine.implicit
        for own, value in zip(memory, (*[self._slope[0]] * 3, *np.zeros(4), 1.0, 0.0), strict=True):
            own[...] = value
        self._course.counts[4] = 1

    def _find_corners(self) -> None:
        """The corners of the functions of time from where the run is, as many as there is room for."""
        clock, corners = self._course.clock, self._drives.corners
        clock[10] = np.inf
        if len(corners):
            functions = [function for _, function in self.engine.system.drives]
            found, clock[10] = corners_ahead(functions, clock[0], clock[2], len(corners), knots=not self._fixed)
            corners[:] = np.inf
            corners[: len(found)] = found

    def _bind(self, room: int, pace: Pace, tolerances: tuple[float, float], events: tuple[Event, ...]) -> None:
        """Arguments of compiled code, whose addresses stay the same until something else is asked for."""
        engine, steps = self.engine, self.engine.steps
        if len(self._samples.times) != room:
            self._samples = make_samples(engine.system, np.zeros(room))
        D, own = engine.within, (self._course, self._state, self._work, self._slope, self._samples)
        most = max(1, int(self._few * _EVALUATIONS_A_CALL / engine.method.evaluations))
        marks = (self._watched(events), self._kinks)
        steady = (engine.tables, self._charts, steps, self._tableau, pace, self._drives, D, marks)
        self._march = march.bound(*steady, *own, most, tolerances)
        self._sample_start = sample_start.bound(engine.tables, steps, self._drives, D, *own)
        self._asked = (room, pace, tolerances, events)

    def _watched(self, events: tuple[Event, ...]) -> Watched:
        """What compiled steps look for; coordinates stand last among the terms."""
        if not events:
            return nothing_watched()
        first = len(self.engine.within.every_term) - len(self.engine.within.coordinate)
        terms = np.array([first + event.coordinate for event in events], np.int64)
        senses = np.array([float(DIRECTIONS[event.direction]) for event in events])
        return watched(terms, np.array([event.value for event in events], float), senses)

    def _open(self) -> None:
        """Room for the next samples."""
        times = self._times[self._first : self._first + len(self._samples.times)]
        self._samples.times[: len(times)] = times
        self._course.counts[4], self._course.counts[6], self._taken = 0, len(times), 0

    def _set(self, state: State) -> None:
        given = (state.positions, state.quaternions, state.velocities, state.angles)
        for own, value in zip(self._state, given, strict=True):
            own[...] = value
        self.state = state

    def go(self) -> int:
        """Some tens of milliseconds of steps; how they ended (`solver.runs.marching`)."""
        clock = self._course.clock
        clock[3], clock[4] = np.inf, 0.0
        self._course.counts[:4] = 0
        if clock[0] >= clock[10]:
            self._find_corners()
        how, self._repeated = self._march()
        if self._filler is not None:
            self._filler.forget()
        return int(how)

    def look(self, theta: float) -> tuple[State, Array]:
        """The state at a part of the last step, closed on all rows, and the coordinates (c,) there."""
        D, (start, length) = self.engine.within, self._course.clock[6:8].tolist()
        look_within(self.engine.tables, self._charts, self._drives, D, self._course, theta)
        state = State(start + theta * length, D.x.copy(), D.q.copy(), D.v.copy(), D.angles.copy())
        return state, D.value[D.coordinate][: len(self.engine.system.model.coordinates)]

    def end_at(self, t: float) -> None:
        """Let the run end at a time (s) within the last step: samples up to there, the last of them there."""
        done = self.made
        before = self._times[done:][self._times[done:] < t - SAME_TIME * max(1.0, abs(t))]
        self._times = np.concatenate([self._times[:done], before, [t]])
        room = self._times[self._first :][: len(self._samples.times)]
        self._samples.times[: len(room)] = room
        self._course.counts[6] = len(room)

    @property
    def done(self) -> bool:
        """Whether all samples are made."""
        return self.made == len(self._times)

    @property
    def ahead(self) -> Array:
        """The times (s) of the samples that are still to be made."""
        return self._times[self.made :]

    @property
    def nodes(self) -> Array:
        """The times (s) at which the next step takes the functions of time."""
        t, h = self._course.clock[:2].tolist()
        return np.array([*(t + c * h for c in self._tableau.nodes), t + h])

    @property
    def made(self) -> int:
        """How many samples there are so far."""
        return self._first + int(self._course.counts[4])

    @property
    def blocked(self) -> bool:
        """Whether the last refusal was for the constraints."""
        return bool(self._course.counts[5])

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Steps since the start, refused ones, those refused for the constraints, and evaluations."""
        steps, refused, blocked, evaluations = self._course.counts[:4].tolist()
        return steps, refused, blocked, evaluations

    @property
    def lengths(self) -> tuple[float, float]:
        """The shortest and the longest step since the start (s)."""
        return float(self._course.clock[3]), float(self._course.clock[4])

    def place(self) -> tuple[State, Slope, Array]:
        """State, slope and work done where the run is."""
        self.state = state = State(float(self._course.clock[0]), *(a.copy() for a in self._state))
        acceleration, turning, power = (a.copy() for a in self._slope)
        multipliers = self.engine.steps.multipliers.copy()
        slope = Slope(acceleration, turning, power, multipliers, self._drives.end.copy(), self._repeated)
        return state, slope, self._work.copy()

    def rows(self) -> tuple[Array, ...]:
        """The samples made since the last look, as columns of a trajectory."""
        S, count, system = self._samples, int(self._course.counts[4]), self.engine.system
        new = slice(self._taken, count)
        c, held = len(system.model.coordinates), system.constraint_rows
        if S.repeated[new].any():
            least_of_samples(*self._least, self._drives.end, self._taken, count, S)
        work = S.work[new]
        places = (S.times[new], S.x[new], S.q[new], S.v[new], S.acceleration[new], S.angles[new][:, self.angle_places])
        multipliers = S.multipliers[new, :held]
        coordinates = (S.coordinates[new, :c], S.rates[new, :c], S.accelerations[new, :c])
        measures = (*S.residuals[new].T, *S.energies[new].T, work[:, :-1].sum(axis=1), work[:, -1])
        found = tuple(column.copy() for column in (*places, multipliers, *coordinates, *measures))
        self._taken = count
        self._go_on()
        return found

    def _go_on(self) -> None:
        """Room for more samples, where all of it is taken."""
        if self._taken == self._course.counts[6] and self.made < len(self._times):
            self._first += self._taken
            self._open()

    @cached_property
    def _least(self) -> tuple[Terms, Plan, Bodies, Rows, Space, Frames, TermArrays, RowArrays]:
        """What the multipliers of least norm are computed with, where rows repeat each other."""
        system = self.engine.system
        T, n = system.program.terms, system.program.bodies
        poses = (np.zeros((n + 1, 3)), np.empty((n + 1, 3, 3)), np.zeros((n + 1, 6)))
        tables = (T, system.schur, system.bodies, system.rows, space(T, system.schur, n))
        return (*tables, poses, terms_workspace(T), rows_workspace(T))
