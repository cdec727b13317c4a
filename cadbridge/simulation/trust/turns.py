"""Whether joints turn as their bodies do, and by as many turns as their rates say."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trust.checks import Check, judged, not_tested
from solver.equations.projection import angles_of_poses
from solver.equations.system import System
from solver.result import Result, Trajectory

Array = NDArray[np.float64]

SAME_ANGLE = 1e-7
"""rad: how far an angle may be from what the poses say, but for the tolerance and rounding of many turns: rows that
contradict each other by rounding leave a hundredth of it, and a lost turn is millions of times more."""
ANGLE_ROUNDING = 1e-13
"""Of an angle: 450 units in its last place, for the steps that add it up."""
MOST_HELD = 500
"""Samples at which angles are held against poses, spread over the run: each takes as long as a sample itself."""
SURE = 0.25
"""Turns: where the integral of a rate between two samples is no better known than this, it counts no turns. One that is
lost is whole, so that less than one but for this is none."""


def poses_check(system: System, what: Scenario, result: Result) -> Check:
    """Whether the angles of joints and gears agree with the poses of their bodies, up to whole turns.

    Of a run with more than `MOST_HELD` samples, so many of them are looked at, evenly taken.
    """
    T = result.trajectory
    if T.angles.shape[1] == 0:
        return not_tested("angles", "no joint or gear turns")
    off = np.zeros(len(T.t))
    for k in np.unique(np.linspace(0, len(T.t) - 1, min(MOST_HELD, len(T.t))).astype(int)):
        state = T.state(k)
        off[k] = float(np.abs(angles_of_poses(system, state) - T.angles[k]).max())
    allowed = SAME_ANGLE + what.atol + ANGLE_ROUNDING * np.abs(T.angles).max(axis=1)
    text = "the angle of a joint or gear differs by {worst:.2g} rad from that of its bodies at t = {t:.4g} s"
    return judged("angles", off, allowed, T.t, unit="rad", text=text)


def turns_check(system: System, result: Result) -> Check:
    """Whether each joint that turns moves between two samples by as many turns as the integral of its rate says.

    The integral is that of a cubic through the rates and accelerations of both samples (h²/12 of the difference of
    accelerations corrects the mean rate); what the correction comes to says how well it is known. Samples that lie too
    far apart to count turns are left out.
    """
    T = result.trajectory
    turning = [i for i, c in enumerate(system.model.coordinates) if c.kind == "angle"]
    if not turning or len(T.t) < 2:
        return not_tested("turns", "no joint turns")
    missed, unsure = _missed(T, turning)
    if bool(np.all(unsure)):
        return not_tested("turns", "the samples lie too far apart to count turns")
    off = np.concatenate([[0.0], np.where(unsure, 0.0, np.abs(missed)).max(axis=1)])
    # A turn that is lost once stays lost.
    text = "the angle of a joint differs by {worst:.3g} turns from the integral of its rate at t = {t:.4g} s"
    return judged("turns", off, 1.0 - SURE, T.t, unit="turns", onwards=True, text=text)


def _missed(T: Trajectory, turning: list[int]) -> tuple[Array, NDArray[np.bool_]]:
    """By how many turns values (k − 1, m) change otherwise than their rates say, and where that is not known."""
    h = np.diff(T.t)[:, None]
    q, rate, bend = (a[:, turning] for a in (T.coordinates, T.coordinate_rates, T.coordinate_accelerations))
    mean = 0.5 * h * (rate[1:] + rate[:-1])
    correction = h**2 / 12 * (bend[:-1] - bend[1:])
    missed = (np.diff(q, axis=0) - mean - correction) / math.tau
    # Beside the correction itself: how far the two ends' accelerations are from the slope between them.
    slope = np.diff(rate, axis=0)
    # A tenth: the error of the trapezoid's next term where the acceleration changes by that much within the interval.
    doubt = np.abs(correction) + 0.1 * h * np.maximum(np.abs(slope - h * bend[1:]), np.abs(slope - h * bend[:-1]))
    doubt += np.where(np.abs(mean) > math.pi, h * _unsteady(rate), 0.0)
    unsure = ~(doubt / math.tau < SURE)
    return missed, unsure


def _unsteady(rate: Array) -> Array:
    """By how much the rates (k, m) of the samples about each interval (k − 1, m) are off a line.

    What turns by half a turn or more between samples may go through a whole period of its mechanism unseen there: its
    rates at samples near by, at other places of that period, show how much they vary. A wheel of a train turns evenly.
    """
    bends = np.abs(np.diff(rate, 2, axis=0)) / 2
    padded = np.pad(bends, ((3, 3), (0, 0)), mode="edge") if len(bends) else np.zeros((len(rate) + 4, rate.shape[1]))
    windows: Array = np.lib.stride_tricks.sliding_window_view(padded, 6, axis=0)
    most: Array = windows.max(axis=-1)[: len(rate) - 1]
    return most
