"""Whole runs in compiled code: steps of controlled error or of one length, samples within them, functions of time.

A step is taken again, shorter, where its error or the correction by which it is put on the constraints is too large;
both go with the same power of its length, and lead the length together. After a refusal the next step is no longer, and
else a step's length follows the errors of the last two (PI control: Gustafsson 1991).
"""

from __future__ import annotations

import numpy as np

from solver.chart.stepping import advance_joints, keep_joints, read_start
from solver.compilation.compiled import Array1, Pair, entry, kernel
from solver.constraints.kernels import evaluate_terms, unwind
from solver.equations.dynamics import SlopeArrays, StateArrays, Tables, place, scaled_residual, stage
from solver.equations.system import SPEED
from solver.runs.course import Begin, Charts, Course, Marks, Run
from solver.runs.dipping import begin_dips, look_for_dip
from solver.runs.driving import Drives, fill_here, fill_nodes, next_corner
from solver.runs.jumping import begin_anew
from solver.runs.kinks import first_kink, look_at_kinks
from solver.runs.meeting import coordinates_at, may_meet, pass_on
from solver.runs.pulls import pulls_turn, rate_pulls
from solver.runs.within import begin_within, closed_within, raise_degree
from solver.steps.explicit import CLOSED, OPEN, Pace, Steps, advance, keep, repeated
from solver.steps.implicit import advance_implicit, remember
from solver.steps.samples import Samples, Within, record, sample_within
from solver.steps.tableaus import Tableau
from solver.sweeps.factor import mark_repeats, smallest_pivot
from solver.sweeps.work import copy_rows

_RATE_MISSED = 1e-6
"""Of the speeds (m/s; at least 1): what a motor's rate may be missed by. Rows that contradict by rounding cost 1e-8."""
SHORTEST = 1e-13
"""s, over the time from 1 s on: no step is shorter: 450 units in the last place of the time, below which the parts of a
step lose their digits."""
SAME_TIME = 1e-12
"""s, over the time from 1 s on (within a step, of its length): times so near each other are one. Of a corner of a load
and the start or end of a step: ten of the shortest steps, as the root of the corner is no better known. Of samples:
sums and products of steps are rounded."""
_NEAR_NO_VALUE = 1e-9
"""s: how near a run comes to a time at which a load's function has no value, by halved steps: thirty from
1 s on."""
_FINEST_PART = 1e-7
"""The smallest part of a fixed step that an implicit method takes where its iteration does not converge: 23 halvings,
after which no load of a machine is stiff beside the masses in the step."""
GOES_ON, ENDED, TOO_SHORT, NO_VALUE, NO_SOLUTION, MET = range(6)
"""How a march ends: it may go on, all samples are made, no step is short enough, a function of time has no value, a
step of fixed length has no solution, or an event may have occurred in the last step."""


@kernel
def _missed(tables: Tables, S: Steps) -> bool:
    """Whether a motor's rate is not met at the step's end: no position shows it; it happens beyond a dead point."""
    T, P, _, _, W, length, E = tables
    fastest = 1.0
    for i in range(S.v.shape[0]):
        for j in range(6):
            fastest = max(fastest, abs(S.v[i, j]))
    for e in P.row:
        if W.kind[e] == SPEED:
            _, left = scaled_residual(T, W, length, E.blocks, E.g, E.gv, e)
            if not left <= _RATE_MISSED * fastest:
                return True
    return False


@kernel
def _judged(tables: Tables, S: Steps, pace: Pace, error: float, moved: float, residual: float) -> float:
    """A step's error over what is allowed, with what its projection moved and left; 1: just allowed."""
    # A comparison with NaN is false.
    if not error <= 1.0:
        return error if error > 1.0 else np.inf
    if not residual <= OPEN or _missed(tables, S):
        return np.inf
    # NaN in any of them makes the sum NaN; `moved`, a largest value, may pass it over.
    total: float = 0.0
    for i in range(S.v.shape[0]):
        for j in range(6):
            total += S.v[i, j]
    if not abs(total) < np.inf:
        return np.inf
    whole: float = max(error, moved / pace.allowed, residual / OPEN if residual > CLOSED else 0.0)
    return whole


@kernel
def next_step(pace: Pace, h: float, whole: float, before: float, refused: bool) -> float:
    """The next step's length (s) after one of h with the error `whole`, the one before having had `before`.

    Errors are over what is allowed; `refused`: the step before was. PI control (Gustafsson 1991).
    """
    # With an exponent of 1/5 these are −0.17 and 0.04, as in DOPRI5 (Hairer, Nørsett, Wanner, Solving Ordinary
    # Differential Equations I, appendix). The bound keeps a step without error from one without end.
    memory = 0.2 * pace.exponent
    factor = pace.safety * max(whole, 1e-10) ** (0.75 * memory - pace.exponent) * before**memory
    length: float = min(pace.longest, h * min(1.0 if refused else pace.grow, max(pace.shrink, factor)))
    return length


@kernel
def shrink(pace: Pace, whole: float) -> float:
    """By which factor (0 to 0.8) a step is made shorter whose error over what is allowed is `whole`, above 1."""
    factor = pace.safety * whole**-pace.exponent if whole < np.inf else 0.5
    # A fifth shorter at least: a step that was refused for next to nothing would be refused once more.
    return max(pace.shrink, min(factor, 0.8))


@kernel
def _report(run: Run, begin: Begin, i: int, start: float, h: float) -> None:
    """Sample i, within the step of h (s) from `start` or at its end, where the run is."""
    (tables, charts, S, drives, D, _, _, out), (state, work, _) = run, begin
    T, P, B, F, W, _, E = tables
    if (out.times[i] - start) / h >= 1.0 - SAME_TIME:
        # A sample at the step's end is that end itself, no value of the polynomial.
        stage(T, P, B, F, W, E, state, drives.end, True, S.multipliers)
        for k in range(work.shape[0]):
            out.work[i, k] = work[k]
        record(tables, D, state, drives.end, S.multipliers, out, i)
        return
    closed_within(tables, charts[0], drives, D, out.times[i], start, h)
    sample_within(tables, D, out, i)


@kernel
def _advance(
    tables: Tables, charts: Charts, S: Steps, tableau: Tableau, plain: bool, h: float, begin: Begin, drives: Drives,
    whole: bool, tolerances: Pair,
) -> tuple[float, float, float, int]:  # fmt: skip
    """A step in the coordinates of the bodies, or of the tree where there is one, and evaluations: `solver.steps`."""
    (joints, implicit), (state, work, slope), nodes, end = charts, begin, drives.nodes, drives.end
    if implicit[1].beta > 0.0:
        return advance_implicit(tables, implicit, S, plain, h, state, work, slope, end, whole, tolerances)
    if joints[0].body.shape[0] > 0:
        error, moved, residual = advance_joints(tables, joints, S, tableau, h, slope, nodes, end, False, tolerances)
    else:
        error, moved, residual = advance(tables, S, tableau, h, state, work, slope, nodes, end, False, tolerances)
    return error, moved, residual, nodes.shape[0]


@kernel
def _length(fixed: bool, h: float, left: float) -> tuple[float, bool]:
    """How long a step of h is where so much is left, and whether it is the last: no tiny one shall follow it."""
    # Sums of steps miss the end by rounding. What is left for less than two is shared by two alike.
    if h >= left * (1 - 1e-9):
        return left, True
    if not fixed and h > 0.5 * left:
        return 0.5 * left, False
    return h, False


@kernel
def _read(run: Run, begin: Begin, t: float, h: float, now: float, tolerances: Pair) -> tuple[float, bool]:
    """The polynomial of a step of h just taken from t to `now`, where a sample or an event may be within.

    Its error over what is allowed, and whether an event may be within.
    """
    (tables, charts, S, drives, D, (A, _), course, out), (state, work, slope), met = run, begin, False
    if A.term.shape[0] > 0:
        coordinates_at(tables, D, A.term, (S.x, S.q, S.v, S.angles), tables[6].acceleration, A.after)
        met = may_meet(A, h)
    if not (met or _within(course, out, t, h, now)):
        return 0.0, False
    ends = begin_within(tables, charts, S, D, h, state, slope, work)
    count, off = raise_degree(tables, charts[0], drives, D, t, h, tolerances)
    course.counts[3] += count
    return max(ends, off), met


@kernel
def _within(course: Course, out: Samples, t: float, h: float, now: float) -> bool:
    """Whether the next sample is within a step of h from t to `now`, and not at its end."""
    return _due(course, out, now) and (out.times[course.counts[4]] - t) / h < 1.0 - SAME_TIME


@kernel
def _sample_step(run: Run, begin: Begin, t: float, h: float, now: float) -> None:
    """Make the samples within a step of h from t to `now`, as far as there is room."""
    course, out = run[6], run[7]
    counts = course.counts
    while counts[4] < counts[6] and _due(course, out, now):
        _report(run, begin, counts[4], t, h)
        counts[3] += 1
        counts[4] += 1


@kernel
def _due(course: Course, out: Samples, now: float) -> bool:
    """Whether the next sample is at this time (s) or before."""
    due: bool = out.times[course.counts[4]] <= now + SAME_TIME * max(1.0, abs(now))
    return due


@entry
def sample_start(
    tables: Tables, S: Steps, drives: Drives, D: Within, course: Course, state: StateArrays, work: Array1,
    slope: SlopeArrays, out: Samples,
) -> bool:  # fmt: skip
    """The accelerations where a run begins, into `slope`, and its first sample; whether rows repeat each other.

    `state` is x (n, 3), q (n, 4), v (n, 6), angles (na,), on the constraints; `work` (rows of drive + 1; J) what was
    done up to there; `slope` is filled with v̇ (n, 6), rates of the angles (na,) and power (W).
    """
    (T, P, B, F, W, _, E), (acceleration, turning, power) = tables, slope
    fill_here(drives, course.clock[0], drives.end)
    stage(T, P, B, F, W, E, state, drives.end, True, S.multipliers)
    copy_rows(E.acceleration, acceleration)
    for k in range(turning.shape[0]):
        turning[k] = E.turning[k]
    for k in range(power.shape[0]):
        power[k], out.work[0, k] = E.power[k], work[k]
    mark_repeats(P, E.sweeps, W.compliance, D.doubled)
    D.worst[0] = 0.0
    begin_dips(D, course.clock[0], smallest_pivot(P, E.sweeps, W.compliance, D.doubled))
    record(tables, D, state, drives.end, S.multipliers, out, 0)
    again: bool = repeated(tables)
    return again


@kernel
def _resume(run: Run, begin: Begin) -> None:
    """Make the samples that are still due in the last step, whose polynomial stands; then the run goes on."""
    (tables, charts, S, drives, D, (A, N), course, _), (state, work, slope) = run, begin
    t, start, h = course.clock[0], course.clock[6], course.clock[7]
    if h > 0.0 and abs(start + h - t) <= SAME_TIME * max(1.0, abs(t)):
        _sample_step(run, begin, start, h, t)
    read_start(charts[0], state, work)
    if A.term.shape[0] > 0:
        coordinates_at(tables, D, A.term, state, slope[0], A.before)
    if N.term.shape[0] > 0:
        T, P, B, F, W, _, E = tables
        fill_here(drives, t, drives.end)
        stage(T, P, B, F, W, E, state, drives.end, False, S.multipliers)
        look_at_kinks(tables, D, N, state, slope[0], drives.end, S.multipliers, N.before)


@kernel
def _bends_within(run: Run, begin: Begin, t: float, step: float, tolerances: Pair) -> bool:
    """Whether a load bends within a step from t that errors allow: then when, into the course's clock."""
    tables, _, S, drives, D, (_, N), course, _ = run
    if N.term.shape[0] == 0:
        return False
    end = (S.x, S.q, S.v, S.angles)
    look_at_kinks(tables, D, N, end, tables[6].acceleration, drives.end, S.multipliers, N.after)
    if pulls_turn(tables, N, step, tolerances):
        rate_pulls(tables, drives, D, N, begin[0], begin[2], end, (t, step))
        course.counts[3] += 3
    part = first_kink(N, step)
    # A corner that the step was to end at is found again a rounding before that: the step ends there.
    if min(part, 1.0 - part) * step < SAME_TIME * max(1.0, abs(t)):
        return False
    course.clock[11] = t + part * step
    course.counts[1] += 1
    return True


@kernel
def _try_step(
    run: Run, begin: Begin, tableau: Tableau, pace: Pace, refused: bool, tolerances: Pair
) -> tuple[int, bool]:
    """One step, taken or refused: how it ended, and whether it was refused; `refused`: the one before was."""
    tables, charts, S, drives, D, (A, _), course, out = run
    clock, counts = course.clock, course.counts
    t, corner = clock[0], next_corner(drives, clock[0])
    bound, plain = min(clock[2], corner, clock[10], clock[11]), pace.fixed and clock[8] == 0.0
    step, last = _length(plain, clock[1] if clock[8] == 0.0 else min(clock[8], clock[9]), bound - t)
    if step < SHORTEST * max(1.0, abs(t)):
        return TOO_SHORT, True
    if not fill_nodes(drives, tableau, t, step, corner):
        without = pace.fixed or step < _NEAR_NO_VALUE
        clock[1] = step if without else 0.5 * step
        counts[1] += 1
        counts[5] = 0
        return NO_VALUE if without else GOES_ON, True
    # Generalised-α puts a step's end on the constraints only where somebody looks at it.
    due = last or A.term.shape[0] > 0 or _due(course, out, t + step)
    error, moved, residual, cost = _advance(tables, charts, S, tableau, plain, step, begin, drives, due, tolerances)
    counts[3] += cost
    whole = _judged(tables, S, pace, error, moved, residual)
    off, met, now, pivot = 0.0, False, bound if last else t + step, np.inf
    # The step is not taken, and the next one ends at the bend: the course keeps when that is.
    if whole <= 1.0 and not pace.fixed and _bends_within(run, begin, t, step, tolerances):
        return GOES_ON, refused
    if whole <= 1.0:
        # Before the polynomial: its extra accelerations replace the factor of the step's end.
        pivot = smallest_pivot(tables[1], tables[6].sweeps, tables[4].compliance, D.doubled)
        off, met = _read(run, begin, t, step, now, tolerances)
    if whole > 1.0 or (not off <= 1.0 and not pace.fixed):
        counts[5] = 1 if whole > 1.0 and error <= 1.0 else 0
        return _refuse(run, pace, step, now, whole, off), True
    D.worst[0] = max(D.worst[0], off)
    look_for_dip(D, now, pivot)
    _accept(run, begin, step, now, corner)
    clock[1] = _longer(pace, course, step, whole, last, refused)
    if met:
        return MET, False
    _sample_step(run, begin, t, step, now)
    return ENDED if counts[4] == counts[6] else GOES_ON, False


@kernel
def _refuse(run: Run, pace: Pace, step: float, now: float, whole: float, off: float) -> int:
    """A shorter length after a step to `now` with the error `whole`, or whose polynomial has `off`: how that ended.

    Of a step of fixed length the first part; of an explicit method there are none.
    """
    _, charts, _, _, _, _, course, out = run
    clock, counts = course.clock, course.counts
    counts[1] += 1
    counts[2] += counts[5]
    part = step * shrink(pace, whole if whole > 1.0 else off)
    if not pace.fixed:
        # A step that ends at a sample needs no polynomial for it.
        cut = whole <= 1.0 and _within(course, out, clock[0], step, now)
        clock[1] = max(part, out.times[counts[4]] - clock[0]) if cut else part
        return GOES_ON
    if charts[1][1].beta == 0.0 or step < _FINEST_PART * pace.h:
        return NO_SOLUTION
    if clock[8] == 0.0:
        clock[8] = step
    clock[9] = part
    return GOES_ON


@kernel
def _accept(run: Run, begin: Begin, h: float, now: float, corner: float) -> None:
    """Make the end `now` of a step of h the start of the next; after a corner that begins with other accelerations."""
    (tables, charts, S, drives, D, (A, N), course, _), (state, work, slope) = run, begin
    (joints, implicit), clock = charts, course.clock
    # `keep` overwrites the slope of the step's start, which generalised-α remembers: so this comes first.
    remember(implicit, clock[0], h, slope[0])
    keep(tables[6], S, state, work, slope)
    keep_joints(joints)
    # Exactly: a step that ends at a corner takes its time from it (`bound`).
    if now == corner:
        begin_anew(tables, charts, S, drives, corner, begin)
        coordinates_at(tables, D, A.term, state, slope[0], A.after)
        look_at_kinks(tables, D, N, state, slope[0], drives.end, S.multipliers, N.after)
    if now >= clock[11]:
        clock[11] = np.inf
    pass_on(A.before, A.after)
    pass_on(N.before, N.after)
    course.counts[0] += 1
    clock[3], clock[4] = min(clock[3], h), max(clock[4], h)
    clock[6], clock[7], clock[0] = clock[0], h, now


@kernel
def _longer(pace: Pace, course: Course, step: float, whole: float, last: bool, refused: bool) -> float:
    """The length of the next step after an accepted one."""
    clock = course.clock
    wished = next_step(pace, step, whole, clock[5], refused)
    # The bound of DOPRI5: an error of nearly nothing would shorten the step after the next, as its power is a factor
    # there.
    clock[5] = max(whole, 1e-4)
    if pace.fixed:
        left = clock[8] - step
        # What rounding leaves of a fixed step is no step of its own.
        clock[8], clock[9] = left if left > 1e-9 * pace.h and not last else 0.0, wished
        return pace.h
    # A step cut short to meet the end says little of the length that the error would allow.
    return min(pace.longest, max(wished, clock[1])) if step < clock[1] and not refused else wished


@entry
def march(
    tables: Tables, charts: Charts, S: Steps, tableau: Tableau, pace: Pace, drives: Drives, D: Within,
    marks: Marks, course: Course, state: StateArrays, work: Array1, slope: SlopeArrays, out: Samples, most: int,
    tolerances: tuple[float, float],
) -> tuple[int, bool]:  # fmt: skip
    """Steps of a method in one call with the samples on the way; about so many tries at `most`.

    `state` (x, q, v, angles), `work` and `slope` (v̇, α̇, power) go on in place, the multipliers at the end are in S. How
    it ended (`GOES_ON` …), and whether rows repeat each other there.
    """
    run, begin = (tables, charts, S, drives, D, marks, course, out), (state, work, slope)
    clock, counts = course.clock, course.counts
    _resume(run, begin)
    tried, refused, how = 0, False, ENDED if counts[4] == counts[6] else GOES_ON
    # A call ends after a step that was taken. Whether the last one was refused is not kept from call to call, and how
    # steps grow may not depend on where calls end.
    while how == GOES_ON and (refused or (tried < most and clock[0] < clock[10])):
        tried += 1
        how, refused = _try_step(run, begin, tableau, pace, refused, tolerances)
    T, P, B, F, W, _, E = tables
    # Steps compute the multipliers of loops alone; whoever looks between calls gets all of them.
    fill_here(drives, clock[0], drives.end)
    stage(T, P, B, F, W, E, state, drives.end, True, S.multipliers)
    return how, repeated(tables)


@entry
def look_within(tables: Tables, charts: Charts, drives: Drives, D: Within, course: Course, theta: float) -> None:
    """The state at the part θ (0 to 1) of the last step, closed on all rows, into D, coordinates in D.value (t,)."""
    (T, _, _, _, _, _, E), start, h = tables, course.clock[6], course.clock[7]
    closed_within(tables, charts[0], drives, D, start + theta * h, start, h)
    place(E, D.x, D.q, D.v)
    evaluate_terms(T, D.coordinate, E.x, E.R, E.v, True, D.value, D.term_rate, D.bias, D.JA, D.JB)
    unwind(T, D.coordinate, D.value, D.angles)
