"""Where a function of time bends or jumps, compiled: the next step begins with the loads after it."""

from __future__ import annotations

from solver.chart.stepping import close_joints, keep_rates, put_bodies, read_rates
from solver.compilation.compiled import kernel
from solver.equations.dynamics import Tables, place, scaled_residual, stage
from solver.equations.loads import energies
from solver.equations.projection import look_at_gaps, put_back
from solver.equations.system import ANGLE, SPEED
from solver.runs.course import Begin, Charts
from solver.runs.driving import Drives, fill_after, fill_before
from solver.steps.explicit import CLOSED, OPEN, Steps, keep_slope
from solver.steps.implicit import forget


@kernel
def begin_anew(tables: Tables, charts: Charts, S: Steps, drives: Drives, corner: float, begin: Begin) -> None:
    """The slope after a `corner` (s); where the rate of a driver jumps, the rates after its impulse, which is work."""
    (T, P, B, F, W, length, E), (joints, implicit), (state, work, slope) = tables, charts, begin
    x, q, v, angles = state
    fill_after(drives, corner, drives.end)
    place(E, x, q, v)
    first, second = look_at_gaps(T, P, W, E, length, angles, drives.end)
    if not first <= OPEN:
        # A driver's value jumps, and no body can follow: the run goes on with the value before, and its next step finds
        # no end.
        fill_before(drives, corner, drives.end)
    elif not second <= CLOSED:
        # Which driver it is shows in the rows before they are closed.
        driver, before = _driver(tables), energies(T, B, F, E.x, E.R, E.v, E.value, E.rate)[0]
        if joints[0].body.shape[0] > 0:
            C, K, J = joints
            read_rates(J, angles)
            close_joints(tables, C, K, J, drives.end)
            keep_rates(J)
            put_bodies(K, J.signs, (x, q, v))
        else:
            put_back(T, P, B, W, length, E, x, q, v, angles, drives.end, 8)
        place(E, x, q, v)
        look_at_gaps(T, P, W, E, length, angles, drives.end)
        if driver >= 0:
            work[driver] += energies(T, B, F, E.x, E.R, E.v, E.value, E.rate)[0] - before
    stage(T, P, B, F, W, E, state, drives.end, False, S.multipliers)
    keep_slope(E, slope)
    forget(implicit, slope[0])


@kernel
def _driver(tables: Tables) -> int:
    """The function of time of the driver whose rate the bodies miss most; −1 where there is none."""
    T, P, _, _, W, length, E = tables
    found, most = -1, CLOSED
    for i in P.row:
        if W.kind[i] == SPEED or W.kind[i] == ANGLE:
            _, left = scaled_residual(T, W, length, E.blocks, E.g, E.gv, i)
            if left > most:
                found, most = W.motor[i], left
    return found
