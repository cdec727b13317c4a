"""Why a run ends before its time: each a status that names what drives it there, and says what to do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.equations.dynamics import evaluate_all, frames
from solver.equations.projection import complete
from solver.equations.system import System
from solver.result import Status
from solver.runs.marching import SHORTEST
from solver.state import State
from solver.steps.methods import Slope

Array = NDArray[np.float64]

MOST_LEFT, MOST_A_SAMPLE, PATIENCE = 2e7, 2e5, 20_000
"""A run is given up where, at the pace of its last tries (so many), more steps than these are left to its end, and to
the next sample."""
_BESIDE_JUMP = 1e-9
"""s, over the time from 1 s on: on both sides of a time, to see whether a function jumps there. A function that moves
by a thousandth of its size within 2e-9 s is a jump to every step."""
_HUGE_LOAD = 1e6
"""N, N m, m/s …: beyond, a load is named as what drives the run out: a hundred tonnes, which somebody who means it sees
at once, and a slip of units exceeds."""


_NO_MACHINE = 1e12
"""Of a function of time and its two derivatives in SI: an angle of 1 rad that swings at 160 kHz has as much."""


@dataclass
class Watch:
    """The pace of a run: steps tried, those that the projection refused, and the time (s), when last looked at."""

    tries: int = 0
    blocked: int = 0
    t: float = -np.inf

    def crawling(
        self, system: System, state: State, slope: Slope, count: tuple[int, int], ahead: Array
    ) -> Status | None:
        """The end of a run whose steps have come to lead nowhere; `count` as kept here, and the samples ahead (s)."""
        made, blocked, pace = count[0] - self.tries, count[1] - self.blocked, state.t - self.t
        if made < PATIENCE:
            return None
        self.tries, self.blocked, self.t = *count, state.t
        pace, end = pace / made, float(ahead[-1])
        # With a gap more than is left to the next sample: just before one, any pace would do.
        gap = float(np.min(np.diff(ahead, prepend=state.t)))
        if pace * MOST_LEFT >= end - state.t or pace * MOST_A_SAMPLE >= float(ahead[0]) - state.t + gap:
            return None
        if blocked > made / 4:
            return too_small(system, state, slope, True)
        return endless(system, state, slope, pace, end)


def reached(t: float, fixed: float | None, shortest: float | None) -> Status:
    """To the end (s); `shortest`: where fixed steps had to be taken in parts, the least of them (s)."""
    message = f"simulated to t = {t:g} s"
    if fixed is None or shortest is None:
        return Status(True, "ok", message, "")
    parts = f"{message}; steps of {fixed:g} s that did not converge were taken in parts, down to {shortest:.1e} s"
    return Status(True, "ok", parts, "A shorter step, or none, may be quicker and closer.")


def stopped(t: float) -> Status:
    """Ended from outside at a time (s)."""
    return Status(False, "stopped", f"stopped at t = {t:.6g} s", "All samples before it are kept.")


def too_small(system: System, state: State, slope: Slope, by_projection: bool) -> Status:
    """No step from a state is short enough; `by_projection`: not for its error, but for the constraints."""
    at = f"at t = {state.t:.6g} s"
    if locking := _locking(system, state, slope):
        return Status(
            False,
            "locked",
            f"{at} {locking} is driven backwards and locks: no effort comes through, and the motion ends in a jerk",
            "Drive the train from its other end, hold it by a motor, or give it a higher efficiency.",
        )
    if growing := _growing(system, state.t):
        message = f"{at} {growing} grows without bound; {_driven(system, state, slope)}"
        return Status(False, "step_too_small", message, _BOUNDED)
    jumping = _jumping(system, state.t)
    hint = f"; {jumping} jumps there" if jumping else f"; {_driven(system, state, slope)}"
    if by_projection:
        advice = "Look at the pose reached; start elsewhere, or loosen the tolerances" + _beyond(system)
        return Status(
            False,
            "singular",
            f"no step keeps the constraints {at}: the mechanism passes a singular pose or cannot move on{hint}",
            _SMOOTHER if jumping else advice,
        )
    return Status(
        False,
        "step_too_small",
        f"the error allowed cannot be kept {at}: the step fell below {SHORTEST:g} s{hint}",
        "Loosen the tolerances, or look for a load that jumps, a stiff spring or a tiny mass" + _beyond(system),
    )


_BOUNDED = (
    "The function grows without bound: give it moderate values throughout the run, such as `1/(t + 1)` for `1/t` or a "
    "table of points, or end the run well before that time."
)

_SMOOTHER = "Let the function rise within a time, such as 30*smoothstep((t-0.5)/0.1)."


def endless(system: System, state: State, slope: Slope, h: float, end: float) -> Status:
    """Steps of `h` (s) would reach the end (s) in no time that anybody waits for."""
    growing = _growing(system, state.t)
    return Status(
        False,
        "too_many_steps",
        f"at t = {state.t:.6g} s of {end:.6g} s the steps are {h:.1e} s long, and more than {MOST_LEFT:.0e} are left; "
        + _driven(system, state, slope)
        + (f"; {growing} grows without bound" if growing else ""),
        _BOUNDED if growing else _LOOK,
    )


_LOOK = "Look for a load that grows without bound, a stiff spring or a tiny mass; loosen the tolerances or end sooner."


def too_long(h: float, t: float) -> Status:
    """A fixed step (s) without a solution."""
    return Status(
        False,
        "no_convergence",
        f"the fixed step of {h:g} s is too long: it has no solution at t = {t:.6g} s",
        "Shorten the step, or remove it to let the tolerance choose.",
    )


def _locking(system: System, state: State, slope: Slope) -> str:
    """The name of a mesh that is driven from the end that cannot drive it; else nothing."""
    if not system.model.meshes:
        return ""
    lost = not np.all(np.isfinite(slope.acceleration))
    F, T, W = system.loads, system.program.terms, system.rows
    poses = frames(state.positions, state.quaternions, state.velocities)
    rates = evaluate_all(T, W, *poses, complete(system, state).branches, slope.drive, True)[1]
    for k, mesh in enumerate(system.model.meshes):
        if lost and max(mesh.losses) >= 1.0:
            return mesh.name
        given = slope.multipliers[F.mesh_row[k]] * F.mesh_pull[k, 0] * rates[F.mesh_term[k, 0]]
        driven = 1 if given > 0.0 else 0
        if mesh.losses[driven] * np.tanh(abs(rates[F.mesh_term[k, driven]]) / F.mesh_speed[k, driven]) >= 1.0:
            return mesh.name
    return ""


def _beyond(system: System) -> str:
    """The end of an advice: one more place to look at where a motor prescribes how its joint moves."""
    moved = any(motor.kind in ("speed", "angle") for motor in system.model.motors)
    return ", or look for a motor that drives beyond what the mechanism reaches." if moved else "."


def _driven(system: System, state: State, slope: Slope) -> str:
    """The body with the largest acceleration and how it moves, in words."""
    scale = np.array([1.0, system.length])
    with np.errstate(over="ignore", invalid="ignore"):
        pace, driven = (np.abs(a).reshape(-1, 2, 3).max(axis=2) @ scale for a in (state.velocities, slope.acceleration))
    driven = np.where(np.isnan(driven), np.inf, driven)
    body = int(np.argmax(driven))
    name = system.model.bodies[body].name
    message = f"{name} is driven hardest, with {driven[body]:.1e} m/s² at {pace[body]:.1e} m/s"
    given = np.abs(slope.drive[:, 0]) if len(system.drives) else np.zeros(1)
    if given.max() > _HUGE_LOAD:
        load = int(np.argmax(given))
        message += f"; {system.drives[load][0]} gives {slope.drive[load, 0]:.1e}"
    return message


def _growing(system: System, t: float) -> str:
    """The name of a load whose function has a pole at a time or just after; else nothing."""
    for name, function in system.drives:
        try:
            given = function.evaluate(t)
        except ValueError:
            return f"the function of {name}"
        if max(map(abs, given)) > _NO_MACHINE:
            return f"the function of {name}"
    return ""


def _jumping(system: System, t: float) -> str:
    """The name of a load whose function has another value just before a time than just after; else nothing."""
    aside = _BESIDE_JUMP * max(1.0, abs(t))
    for name, function in system.drives:
        try:
            before, after = function.evaluate(t - aside), function.evaluate(t + aside)
        except ValueError:
            continue
        steepest = max(abs(before[1]), abs(after[1]))
        # A smooth function moves by its slope times 2 aside; twice that is allowed, and what rounding of its value
        # does.
        if abs(after[0] - before[0]) > 4 * aside * steepest + 1e-6 * max(abs(before[0]), abs(after[0])):
            return f"the function of {name}"
    return ""
