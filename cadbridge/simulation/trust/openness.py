"""Whether the rows of all joints, gears and motors hold at each sample, and their rates."""

from __future__ import annotations

import numpy as np

from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trust.checks import Check, judged
from solver.equations.projection import open_rows
from solver.equations.system import System
from solver.result import Result, Trajectory

OPEN_PLACES = 1e-7
"""Of the model's length (of a turn's radian for angles): how far rows may be open. Every sample is put on them; where
they contradict each other by rounding, they stay open by about 1e-9."""
OFF_WITHIN = 10.0
"""Tolerances by which a state within a step may be off: what the steps themselves ask for is one, and polynomials are
held to it by an estimate that a bent load makes several times too small."""
OPEN_RATES = 1e-6
"""Of the largest speed: how far rows may be open in their rates. Rows that contradict each other by rounding cost 1e-8
of it."""
AT_REST = 1.0
"""m/s (rad/s): where a machine was faster than this, its samples near rest count as at this speed; in a slower one, as
at its own largest: machines that take a thousand times as long are held to as much."""


def places_check(system: System | None, what: Scenario, result: Result) -> Check:
    """Whether rows hold at each sample. Rows that cannot all hold may stay as far open as they are at the start.

    `system` names the worst rows; None where the rows changed on the way.
    """
    T = result.trajectory
    allowed = OPEN_PLACES + what.atol + 2.0 * float(T.constraint_position[0])
    found = judged("rows", T.constraint_position, allowed, T.t)
    if not found.bad.any():
        return found
    name = "" if system is None else _worst(system, T, found.t)
    text = f"{name or 'a joint or gear'} is open by {found.worst:.2g} of the model's length (or rad) at t = " \
           f"{found.t:.4g} s, where {allowed:.2g} is allowed"  # fmt: skip
    return judged("rows", T.constraint_position, allowed, T.t, text=text)


def _worst(system: System, T: Trajectory, t: float) -> str:
    """The joint, gear or motor whose row has the largest residual at a time."""
    k = int(np.argmin(np.abs(T.t - t)))
    state = T.state(k)
    rows = np.abs(open_rows(system, state)[0])[: len(system.row_group)]
    return system.row_group[int(np.argmax(rows))] if rows.size else ""


def rates_check(what: Scenario, result: Result) -> Check:
    """Whether the rates of rows hold at each sample, against the largest speed then; near rest, of the run."""
    T = result.trajectory
    speeds = np.abs(T.velocities).reshape(len(T.t), -1).max(axis=1, initial=0.0)
    least = min(AT_REST, float(speeds.max(initial=0.0)))
    allowed = OPEN_RATES * np.maximum(least, speeds) + what.atol + what.rtol * speeds
    text = "joints come apart at {worst:.2g} m/s at t = {t:.4g} s, where {allowed:.2g} m/s is allowed"
    return judged("rates", T.constraint_velocity, allowed, T.t, unit="m/s", text=text)


def within_check(result: Result) -> Check:
    """Whether states within steps are as accurate as their ends, by the estimate that each step made with a further
    acceleration; if one is not, all samples count as wrong, since the steps do not keep which one it was."""
    T = result.trajectory
    off = np.full(len(T.t), result.statistics.within)
    text = "a sample within a step is wrong by {worst:.2g} tolerances"
    return judged("within", off, OFF_WITHIN, T.t, unit="tolerances", text=text)
