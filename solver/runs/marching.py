"""Whole runs in compiled code: steps of controlled error or of one length, samples within them, functions of time.

A step is taken again, shorter, where its error or the correction by which it is put on the constraints is too large;
both go with the same power of its length, and lead the length together. After a refusal the next step is no longer, and
else a step's length follows the errors of the last two (PI control: Gustafsson 1991).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.chart.stepping import Joints, advance_joints, keep_joints, read_start
from solver.compilation.compiled import Array1, Ints1, entry, kernel, table
from solver.equations.dynamics import SlopeArrays, StateArrays, Tables, scaled_residual, stage
from solver.equations.system import SPEED
from solver.runs.driving import Drives, fill, fill_nodes
from solver.runs.within import begin_within, closed_within, raise_degree
from solver.steps.explicit import CLOSED, Pace, Steps, advance, keep, repeated
from solver.steps.implicit import Implicit, advance_implicit, remember
from solver.steps.samples import Samples, Within, record, sample_within
from solver.steps.tableaus import Tableau
from solver.sweeps.work import copy_rows

OPEN = 1e-6
"""Of the speeds (m/s; at least 1): what a motor's rate may be missed by. Rows that contradict by rounding cost 1e-8."""
LEFT = 1e-9
"""A residual of the projection above this refuses a step."""
SHORTEST = 1e-13
"""s, over the time from 1 s on: no step is shorter."""
GOES_ON, ENDED, STUCK = range(3)
"""How a march ends: it may go on, all samples are made, or the next step needs a closer look."""


@table
class Course(NamedTuple):
    """Where a run is, in place. `clock`: t, the next step's length, the run's end, the shortest and the longest step,
    the error of the step before, where that began and its length. `counts`: steps, refused, refused for the
    constraints, evaluations, samples made, whether the last refusal was for the constraints, and how many samples to
    make.
    """

    clock: Array1
    counts: Ints1


@kernel
def _missed(tables, S):  # type: ignore[no-untyped-def]
    """Whether a motor's rate is left open at the step's end: no position reports; only beyond a dead point it is."""
    T, P, _, _, W, length, E = tables
    fastest = 1.0
    for i in range(S.v.shape[0]):
        for j in range(6):
            fastest = max(fastest, abs(S.v[i, j]))
    for e in P.row:
        if W.kind[e] == SPEED:
            _, left = scaled_residual(T, W, length, E.blocks, E.g, E.gv, e)
            if not left <= OPEN * fastest:
                return True
    return False


@kernel
def _judged(tables, S, pace, error, moved, residual):  # type: ignore[no-untyped-def]
    """A step's error over what is allowed, with what its projection moved and left; 1: just allowed."""
    # A comparison with NaN is false.
    if not error <= 1.0:
        return error if error > 1.0 else np.inf
    if not residual <= LEFT or _missed(tables, S):
        return np.inf
    total = 0.0
    for i in range(S.v.shape[0]):
        for j in range(6):
            total += S.v[i, j]
    if not abs(total) < np.inf:
        return np.inf
    return max(error, moved / pace.allowed, residual / LEFT if residual > CLOSED else 0.0)


@kernel
def next_step(pace, h, whole, before, refused):  # type: ignore[no-untyped-def]
    """The next step's length after one of h with the error `whole`, the one before having had `before`."""
    if pace.fixed:
        return h
    memory = 0.2 * pace.exponent
    factor = pace.safety * max(whole, 1e-10) ** (0.75 * memory - pace.exponent) * before**memory
    return min(pace.longest, h * min(1.0 if refused else pace.grow, max(pace.shrink, factor)))


@kernel
def shrink(pace, whole):  # type: ignore[no-untyped-def]
    """By which factor a step with the error `whole` above 1 is tried again."""
    factor = pace.safety * whole**-pace.exponent if whole < np.inf else 0.5
    return max(pace.shrink, min(factor, 0.8))


@kernel
def _reported(tables, joints, S, drives, D, out, i, within):  # type: ignore[no-untyped-def]
    """Sample i of a step: `within` has its start (s), length, and end."""
    (T, P, B, F, W, _, E), (start, h, state, work) = tables, within
    if (out.times[i] - start) / h >= 1.0 - 1e-12:
        stage(T, P, B, F, W, E, state, drives.end, True, S.multipliers)
        for k in range(work.shape[0]):
            out.work[i, k] = work[k]
        record(tables, D, state, drives.end, S.multipliers, out, i)
        return
    closed_within(tables, joints, drives, D, out.times[i], start, h)
    sample_within(tables, D, out, i)


@kernel
def _advance(tables, charts, S, tableau, pace, h, begin, drives, whole, tolerances):  # type: ignore[no-untyped-def]
    """A step in the coordinates of the bodies, or of the tree where there is one, and evaluations: `solver.steps`."""
    (joints, implicit), (state, work, slope), nodes, end = charts, begin, drives.nodes, drives.end
    if implicit[1].beta > 0.0:
        return advance_implicit(tables, implicit, S, pace, h, state, work, slope, end, whole, tolerances)
    if joints[0].body.shape[0] > 0:
        error, moved, residual = advance_joints(tables, joints, S, tableau, h, slope, nodes, end, False, tolerances)
    else:
        error, moved, residual = advance(tables, S, tableau, h, state, work, slope, nodes, end, False, tolerances)
    return error, moved, residual, nodes.shape[0]


@kernel
def _length(pace, h, left):  # type: ignore[no-untyped-def]
    """How long a step of h is where so much is left, and whether it is the last: no tiny one shall follow it."""
    if h >= left * (1 - 1e-9):
        return left, True
    if not pace.fixed and h > 0.5 * left:
        return 0.5 * left, False
    return h, False


@kernel
def _read(tables, joints, S, drives, D, course, out, times, begin, tolerances):  # type: ignore[no-untyped-def]
    """The polynomial of a step just taken, where a sample is within: its error over what is allowed, and its cost."""
    (start, h, now), (state, work, slope) = times, begin
    if not (_due(course, out, now) and (out.times[course.counts[4]] - start) / h < 1.0 - 1e-12):
        return 0.0, 0
    begin_within(tables, joints, S, D, h, state, slope, work)
    count, off = raise_degree(tables, joints, drives, D, start, h, tolerances)
    return off, count


@kernel
def _go_on(tables, charts, S, drives, D, course, times, begin, out):  # type: ignore[no-untyped-def]
    """Make a step's end the start of the next, and make the samples within: `times` are its start, h, and its end."""
    counts, clock, (joints, implicit) = course.counts, course.clock, charts
    (start, h, _), (state, work, slope) = times, begin
    remember(implicit, h, slope[0])
    keep(tables[6], S, state, work, slope)
    keep_joints(joints)
    _sample_step(tables, joints, S, drives, D, course, times, state, work, out)
    counts[0] += 1
    clock[3], clock[4] = min(clock[3], h), max(clock[4], h)
    clock[6], clock[7] = start, h


@kernel
def _sample_step(tables, joints, S, drives, D, course, times, state, work, out):  # type: ignore[no-untyped-def]
    """Make the samples within a step, as far as there is room."""
    counts, (start, h, now) = course.counts, times
    while counts[4] < counts[6] and _due(course, out, now):
        _reported(tables, joints, S, drives, D, out, counts[4], (start, h, state, work))
        counts[3] += 1
        counts[4] += 1


@kernel
def _due(course, out, now):  # type: ignore[no-untyped-def]
    """Whether the next sample is at this time (s) or before."""
    return out.times[course.counts[4]] <= now + 1e-12 * max(1.0, abs(now))


@entry
def sample_start(
    tables: Tables, S: Steps, drives: Drives, D: Within, course: Course, state: StateArrays, work: Array1,
    slope: SlopeArrays, out: Samples,
) -> bool:  # fmt: skip
    """The accelerations where a run begins, into `slope`, and its first sample; whether rows repeat each other."""
    (T, P, B, F, W, _, E), (acceleration, turning, power) = tables, slope
    fill(drives, course.clock[0], drives.end)
    stage(T, P, B, F, W, E, state, drives.end, True, S.multipliers)
    copy_rows(E.acceleration, acceleration)
    for k in range(turning.shape[0]):
        turning[k] = E.turning[k]
    for k in range(power.shape[0]):
        power[k], out.work[0, k] = E.power[k], work[k]
    record(tables, D, state, drives.end, S.multipliers, out, 0)
    again: bool = repeated(tables)
    return again


@entry
def march(
    tables: Tables, charts: tuple[Joints, Implicit], S: Steps, tableau: Tableau, pace: Pace, drives: Drives, D: Within,
    course: Course, state: StateArrays, work: Array1, slope: SlopeArrays, out: Samples, most: int,
    tolerances: tuple[float, float],
) -> tuple[int, bool]:  # fmt: skip
    """Steps of a method in one call with the samples on the way; about so many tries at `most`.

    `state` (x, q, v, angles), `work` and `slope` (v̇, α̇, power) go on in place, the multipliers at the end are in S. How
    it ended (`GOES_ON` …), and whether rows repeat each other there.
    """
    clock, counts = course.clock, course.counts
    t, h, end, before = clock[0], clock[1], clock[2], clock[5]
    tried, how, refused, joints = 0, GOES_ON, False, charts[0]
    start, length = clock[6], clock[7]
    if length > 0.0 and abs(start + length - t) <= 1e-12 * max(1.0, abs(t)):
        # There may have been no room for all samples of the step that ended here: its polynomial still stands.
        _sample_step(tables, joints, S, drives, D, course, (start, length, t), state, work, out)
        if counts[4] == counts[6]:
            return ENDED, repeated(tables)
    read_start(joints, state, work)
    while refused or tried < most:
        step, last = _length(pace, h, end - t)
        tried += 1
        if step < SHORTEST * max(1.0, abs(t)) or not fill_nodes(drives, tableau, t, step):
            how = STUCK
            break
        begin, due = (state, work, slope), last or _due(course, out, t + step)
        error, moved, residual, cost = _advance(tables, charts, S, tableau, pace, step, begin, drives, due, tolerances)
        counts[3] += cost
        whole = _judged(tables, S, pace, error, moved, residual)
        if whole > 1.0:
            if pace.fixed:
                how = STUCK
                break
            counts[1] += 1
            counts[5] = 1 if error <= 1.0 else 0
            counts[2] += counts[5]
            h, refused = step * shrink(pace, whole), True
            continue
        now = end if last else t + step
        off, cost = _read(tables, joints, S, drives, D, course, out, (t, step, now), begin, tolerances)
        counts[3] += cost
        if not off <= 1.0 and not pace.fixed:
            # No step ends within rounding of a sample: the state there is the step's own.
            counts[1] += 1
            h, refused = max(step * shrink(pace, off), out.times[counts[4]] - t), True
            continue
        D.worst[0] = max(D.worst[0], off)
        _go_on(tables, charts, S, drives, D, course, (t, step, now), begin, out)
        wished = next_step(pace, step, whole, before, refused)
        # A step cut short to meet the end says little of the length that the error would allow.
        h = min(pace.longest, max(wished, h)) if step < h and not refused else wished
        t, before, refused = now, max(whole, 1e-4), False
        if counts[4] == counts[6]:
            how = ENDED
            break
    T, P, B, F, W, _, E = tables
    fill(drives, t, drives.end)
    stage(T, P, B, F, W, E, state, drives.end, True, S.multipliers)
    clock[0], clock[1], clock[5] = t, h, before
    return how, repeated(tables)
