"""Some intervals between samples, computed again from the state at their beginning, and held against their end.

A state within a long step, a turn that was lost, a push that no step saw: whatever is wrong with a sample, the motion
from it does not lead to the next one. Where a run passed a pose near another branch of the motion, the steps that took
the wrong one would take it again: such intervals are computed in absolute coordinates and with a smaller tolerance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trust.checks import Check, judged, not_tested
from cadbridge.simulation.trust.pushes import pushed_intervals
from solver.equations.system import System
from solver.result import Result, Trajectory
from solver.runs.integrate import simulate

Array = NDArray[np.float64]

MOST_AGAIN = 8
"""Intervals that are computed again: a choice, with `STEPS_A_REPEAT`."""
STEPS_A_REPEAT = 25
"""Steps of a run for each of them: a short run is repeated in few intervals."""
OF_TOLERANCES = 1000.0
"""Tolerances by which an interval may end elsewhere: of the step that led to its ends, of those that are taken again,
and of what the motion multiplies in between; rows that contradict each other by their digits need hundreds."""
UNMEASURED = 100.0
"""The same of generalised-α, of whose polynomials within steps no error is known but this: one that was off by 830
tolerances ended 858 elsewhere. Of 480 runs of mechanisms made at random one case that was right went beyond."""
CLOSING = 1e-11
"""Of a value: rows that are closed again move it by so much: a hundred times what the projection leaves
(`solver.steps.explicit.CLOSED` on a long arm)."""

SUDDEN = 2
"""Intervals in which velocities change most otherwise than accelerations say."""
NEAR_LOSS = 1e-5
"""A pivot below this may be that of a pose where rank is lost and branches meet: pivots are squares of the distance
from it, here 3e-3 rad. Where rows are many it is small at other poses too."""
FINER_BY = 100.0
"""How much smaller their tolerance is: their own error is then a hundredth, and steps are 2.5 times as many (its fifth
root)."""

Call = dict[str, Any]


def repeats_check(system: System, what: Scenario, result: Result, call: Call, why_not: str = "") -> Check:
    """Whether the motion from some samples leads to the next; not tested where `why_not` says why.

    `call` is what the run was called with. The intervals are spread over the run, the same ones each time; those in
    which a function of time pushes most are computed with short steps beside.
    """
    T = result.trajectory
    if why_not or len(T.t) < 2:
        return not_tested("repeats", why_not or "there is one sample")
    count = max(2, min(MOST_AGAIN, result.statistics.steps // STEPS_A_REPEAT, len(T.t) - 1))
    off, unfinished = np.zeros(len(T.t)), []

    def look_at(k: int, *calls: Call, longest: float = call["longest_step"]) -> None:
        """The interval from sample k on, by the first of `calls` whose run comes to its end."""
        found = next((v for each in calls if (v := _repeated(system, what, T, k, each, longest)) is not None), None)
        if found is None:
            unfinished.append(float(T.t[k]))
        else:
            off[k + 1] = max(off[k + 1], found)

    for k in _chosen(len(T.t) - 1, count):
        look_at(k, call)
    suspects = doubtful(result) if len(system.plan.row) else []
    rtol, atol = finer(what)
    absolute = {**call, "tree": None}
    for k in suspects:
        # A run at the floor of tolerances may have no finer ones.
        look_at(k, {**absolute, "rtol": rtol, "atol": atol}, absolute)
    pushed, points = pushed_intervals([function for _, function in system.drives], T.t)
    for k in pushed:
        look_at(k, call, longest=min(call["longest_step"], float(T.t[k + 1] - T.t[k]) / points))
    many = count + len(suspects) + len(pushed)
    text = f"the motion computed again from one of {many} samples ends {{worst:.2g}} tolerances away from the next " \
           "sample, at t = {t:.4g} s"  # fmt: skip
    margin = UNMEASURED if what.integrator == "generalized_alpha" else OF_TOLERANCES
    found = judged("repeats", off, margin, T.t, unit="tolerances", text=text)
    if unfinished and not found.bad.any():
        reason = f"the motion computed again from t = {min(unfinished):.4g} s does not come to its end"
        return not_tested("repeats", reason, awaited=True)
    return found


def finer(what: Scenario) -> tuple[float, float]:
    """The tolerances with which doubtful intervals are computed again.

    Steps of generalised-α go with the root of the tolerance: with a finer one it finds none short enough where the rank
    changes, which says nothing of the motion.
    """
    part = 1.0 if what.integrator == "generalized_alpha" else FINER_BY
    # Below, steps are refused for the rounding of their own errors.
    return max(what.rtol / part, 1e-13), max(what.atol / part, 1e-13)


def _chosen(intervals: int, count: int) -> list[int]:
    """Intervals spread by the golden ratio, none near another."""
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    return sorted({int(intervals * ((0.5 + k * golden) % 1.0)) for k in range(count)})


def doubtful(result: Result) -> list[int]:
    """The intervals in which a run may have gone on along another branch: velocities change there without forces."""
    T, cost = result.trajectory, result.statistics
    if not T.velocities.size:  # a gear between parts that are fixed
        return []
    h = np.diff(T.t)[:, None, None]
    sudden = np.abs(np.diff(T.velocities, axis=0) - 0.5 * h * (T.accelerations[1:] + T.accelerations[:-1]))
    found = np.argsort(-sudden.max(axis=(1, 2)))[:SUDDEN].tolist()
    if cost.pivot < NEAR_LOSS:
        k = int(np.clip(np.searchsorted(T.t, cost.pivot_at) - 1, 0, len(h) - 1))
        found += [k, min(k + 1, len(h) - 1)]
    return sorted(set(found))


def _repeated(system: System, what: Scenario, T: Trajectory, k: int, call: Call, longest: float) -> float | None:
    """By how many tolerances the motion from sample k on, with no step longer than `longest` (s), leads elsewhere than
    to sample k + 1; None where it does not come to its end."""
    start = T.state(k)
    span = float(T.t[k + 1] - T.t[k])
    options = {key: call[key] for key in ("rtol", "atol", "integrator", "tree", "contradictory") if key in call}
    end = [float(T.t[k + 1])]
    found = simulate(system, start, duration=span, rate=1.0 / span, times=end, longest_step=longest, **options)
    return _apart(found.trajectory, T, k + 1, what) if found.status.ok else None


def _apart(again: Trajectory, T: Trajectory, k: int, what: Scenario) -> float:
    """By how many tolerances the last state of a run is off a sample."""
    w, x, y, z = again.quaternions[-1].T
    a, b, c, d = T.quaternions[k].T
    # The vector part of the one's inverse times the other.
    turn = np.array([w * b - x * a - y * d + z * c, w * c + x * d - y * a - z * b, w * d - x * c + y * b - z * a])
    # q and −q are one orientation.
    sense = np.sign(w * a + x * b + y * c + z * d)
    pairs = [(again.positions[-1], T.positions[k]), (2 * sense * turn, np.zeros_like(turn))]
    pairs += [(again.velocities[-1], T.velocities[k]), (again.angles[-1], T.angles[k])]
    worst = 0.0
    for one, two in pairs:
        if one.size:
            size = float(np.abs(two).max())
            worst = max(worst, float(np.abs(one - two).max()) / (what.atol + what.rtol * size + CLOSING * (1 + size)))
    return worst
