"""Where branches of a motion meet: poses at which the rows of closed loops lose rank, and how a run passes one.

Near such a pose two motions start from almost the same state, and the steps go on along the one that is nearer. The
smallest pivot of a run says about when; the singular values of the rows about then, whether rank is lost; and the
second derivatives of the rows there, along all directions that they leave free at first order, whether more than one
branch goes through it (the tangent cone of the configuration space: Müller 2019, Proc. R. Soc. A 475, "higher-order
analysis of kinematic singularities").
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Findings
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trust.repeats import NEAR_LOSS, finer
from solver import rotation
from solver.algebra.division import LEAST_DIVISOR
from solver.constraints.evaluation import dense
from solver.equations.dynamics import evaluate_all, frames
from solver.equations.projection import function_values
from solver.equations.system import System
from solver.result import Dip, Result, Trajectory
from solver.runs.integrate import simulate
from solver.state import State
from solver.steps.methods import METHODS

Array = NDArray[np.float64]

JUMPED = 0.9
"""Where the lowest pivot at the end of a step is less than this part of the higher one beside it, steps may have jumped
over a lower one; one that they follow is hardly below those beside it."""
FEW_ROWS, MOST_ROWS = 100, 400
"""Rows of which singular values are computed at every pose that may lose rank; and at all, at `MOST_LOOKED_AT` poses:
a decomposition takes time with their third power."""
POSES_ABOUT = 48
"""Poses at which they are, about the smallest pivot and then about the smallest of them."""
RANK_LOST = 1e-6
"""Of the largest singular value: of rows that repeat others."""
NARROWS = 0.1
"""Where rank is lost, the smallest singular value falls to less than this part of those beside it; else it hardly
changes over so short a time."""
MOST_LOOKED_AT = 4
"""Poses that are looked at; each takes about a hundred singular value decompositions."""
MOST_MINORS, STEPS_BETWEEN = 60, 4
"""Samples at which a minor is computed at most, and steps between two of them above which the steps miss nothing."""
SAME_MEETING = 1e-3
"""s: meetings so near each other are one."""
NO_SIGN = 1e-3
"""Of the largest eigenvalue of the second derivatives: a smaller one has no sign."""
SAME_WAY = 0.03
"""Of a form: so small it is in a direction of a branch, the pose being known as well as it is."""


@dataclass(frozen=True)
class Meeting:
    """The time (s) at which branches meet, and how many there are (0: more than two, or it is not known)."""

    t: float
    branches: int


@dataclass(frozen=True)
class Meetings:
    """Where branches meet along a run, in order of time; `unseen`: times (s) of poses that were not looked at, and
    why."""

    found: tuple[Meeting, ...] = ()
    unseen: tuple[float, ...] = ()
    why: str = ""


def meetings_of(system: System, what: Scenario, result: Result, call: dict[str, Any]) -> Meetings:
    """The poses near those where the smallest pivot dips at which branches meet."""
    T, rows = result.trajectory, system.program.rows
    if not result.status.ok or len(T.t) < 2:
        return Meetings()
    dips = _dips(result)
    sure = [dip for dip in dips if dip.pivot < NEAR_LOSS]
    if rows > MOST_ROWS:
        return _unseen(sure, f"the loops have {rows} rows, and of {MOST_ROWS} at most it is computed")
    if system.model.callbacks:
        return _unseen(sure, "functions in Python are not called again")
    looked = dips if rows <= FEW_ROWS else sure[:MOST_LOOKED_AT]
    found: list[Meeting] = []
    turned = (
        _turned(system, T)
        if rows <= FEW_ROWS and result.statistics.steps < STEPS_BETWEEN * min(len(T.t), MOST_MINORS)
        else []
    )
    for dip in (*looked, *turned):
        known = any(dip.within[0] <= other.t <= dip.within[1] for other in found) and dip in turned
        meeting = None if known else _meeting_at(system, what, T, dip, call)
        if meeting is not None and all(abs(meeting.t - other.t) > SAME_MEETING for other in found):
            found.append(meeting)
    beyond = _unseen([dip for dip in sure if dip not in looked], f"{MOST_LOOKED_AT} are looked at")
    return replace(beyond, found=tuple(sorted(found, key=lambda m: m.t)))


def _unseen(dips: list[Dip], why: str) -> Meetings:
    return Meetings((), tuple(dip.t for dip in dips), why if dips else "")


def _dips(result: Result) -> list[Dip]:
    """Where the smallest pivot dips low, or may where steps jumped, the lowest first; one for each pair of samples."""
    cost, T = result.statistics, result.trajectory
    lowest = Dip(cost.pivot_at, cost.pivot, 1.0, (cost.pivot_at, cost.pivot_at))
    every = sorted((*cost.dips, lowest), key=lambda dip: dip.pivot)
    low = [dip for dip in every if dip.pivot < NEAR_LOSS or dip.part < JUMPED]
    own = [dip for dip in low if dip is not lowest or not any(d.within[0] <= dip.t <= d.within[1] for d in cost.dips)]
    return [dip._replace(within=_about(dip, own, T.t)) for dip in own]


def _about(dip: Dip, every: list[Dip], t: Array) -> tuple[float, float]:
    """From the sample before the one before a dip to the one after that after it, but no nearer to another dip; and at
    least as far as its steps reach, which may be so short that nothing changes in them."""
    k = int(np.clip(np.searchsorted(t, dip.t) - 1, 0, len(t) - 2))
    before = max((0.5 * (dip.t + other.t) for other in every if other.t < dip.t), default=-math.inf)
    after = min((0.5 * (dip.t + other.t) for other in every if other.t > dip.t), default=math.inf)
    first, last = max(float(t[max(k - 1, 0)]), before), min(float(t[min(k + 2, len(t) - 1)]), after)
    return min(first, dip.within[0]), max(last, dip.within[1])


def _turned(system: System, T: Trajectory) -> list[Dip]:
    """Pairs of samples between which a minor of the rows changes its sign, as it does at a pose where one is lost.

    So poses are seen that pass between two steps, or whose pivot another one hides that is always small. The minor is
    along the singular vectors of the pose where the rows stand best.
    """
    chosen = np.unique(np.linspace(0, len(T.t) - 1, min(len(T.t), MOST_MINORS)).astype(int))
    every = [_rows(system, T.state(int(k))) for k in chosen]
    if not every[0].size:
        return []
    some = [every[i * (len(every) - 1) // 4] for i in range(5)]
    rank = max(map(_rank, some))
    left, _, right = max((np.linalg.svd(G, full_matrices=False) for G in some), key=lambda found: found[1][rank - 1])
    signs = [np.linalg.slogdet(left[:, :rank].T @ G @ right[:rank].T)[0] for G in every]
    spans = zip(T.t[chosen[:-1]].tolist(), T.t[chosen[1:]].tolist(), signs[:-1], signs[1:], strict=True)
    return [Dip(0.5 * (a + b), 0.0, 0.0, (a, b)) for a, b, one, other in spans if one * other < 0.0]


def _meeting_at(system: System, what: Scenario, T: Trajectory, dip: Dip, call: dict[str, Any]) -> Meeting | None:
    """The pose about a dip at which branches meet; None where they do not."""
    first, last = dip.within
    start = T.state(max(int(np.searchsorted(T.t, first, "right")) - 1, 0))
    about = _again(system, what, start, (first, last), call)
    if about is None:
        return None
    # At the pose itself rows are lost: the rank is that of poses about it.
    rank = max(_rank(_rows(system, about.state(i))) for i in (0, POSES_ABOUT // 2, -1))
    values = _smallest(system, about, rank)
    values[about.t < first] = np.inf
    i = int(np.argmin(values))
    if not values[i] < JUMPED * values[about.t >= first].max():
        return None
    before = about.state(max(i - 1, 0))
    near = _again(system, what, before, (before.t, float(about.t[min(i + 1, len(about.t) - 1)])), call)
    if near is None:
        return None
    nearer = _smallest(system, near, rank)
    if not nearer.min() < NARROWS * min(nearer[0], nearer[-1]):
        return None
    pose = near.state(int(np.argmin(nearer)))
    branches = _branches(system, pose, rank)
    return None if branches is None else Meeting(pose.t, branches)


def tell_meetings(passed: Meetings, findings: Findings) -> None:
    """Report that a run passed poses at which branches meet, or may meet (CB686)."""
    for many, some in (("two branches", [m for m in passed.found if m.branches == 2]),
                       ("branches", [m for m in passed.found if m.branches != 2])):  # fmt: skip
        if some:
            times = _listed([m.t for m in some])
            findings.add("CB686", f"{many} of the motion meet at t = {times} s; the run went on by continuity")
    if passed.unseen:
        text = f"branches of the motion may meet at t = {_listed(sorted(passed.unseen))} s; not looked at: {passed.why}"
        findings.add("CB686", text)


def _listed(times: list[float]) -> str:
    return ", ".join(f"{t:.5g}" for t in times)


def _again(
    system: System, what: Scenario, start: State, span: tuple[float, float], call: dict[str, Any]
) -> Trajectory | None:
    """The motion from a state on, that state and at so many times of a `span` (s), in absolute coordinates; None where
    it does not come to its end."""
    first, end = max(span[0], start.t), span[1]
    if not end > first:
        return None
    options = {key: call[key] for key in ("integrator", "contradictory") if key in call}
    # A run of fixed steps is looked at closer by the default method, which chooses its own.
    if "integrator" in options and not METHODS[options["integrator"]].adaptive:
        del options["integrator"]
    # Finer ones are below the rounding of a step, and no step would be taken.
    rtol, atol = (max(each, 1e-12) for each in finer(what))
    times = np.linspace(first, end, POSES_ABOUT + 1)
    times = times[times > start.t]
    found = simulate(
        system,
        start,
        duration=end - start.t,
        rate=POSES_ABOUT / (end - first),
        times=times,
        rtol=rtol,
        atol=atol,
        **options,
    )
    return found.trajectory if found.status.ok else None


def _rows(system: System, state: State) -> Array:
    """Ĝ (m, 6n) of the rows that do not give way, for displacements [lengths of the model; rad], each over its size."""
    T, W = system.program.terms, system.rows
    x, R, v = frames(state.positions, state.quaternions, state.velocities)
    *_, blocks = evaluate_all(T, W, x, R, v, state.branches.copy(), function_values(system, state.t), False)
    G = dense(system.program, blocks)[W.compliance[: system.program.rows] == 0.0]
    G *= np.tile(_weights(system), system.program.bodies)
    return np.asarray(G / np.maximum(np.linalg.norm(G, axis=1), LEAST_DIVISOR)[:, None])


def _weights(system: System) -> Array:
    """Metres and radians (6,) of a displacement of one: else a machine of a kilometre would lose no rank anywhere."""
    return np.array([system.length] * 3 + [1.0] * 3)


def _rank(G: Array) -> int:
    values = np.linalg.svd(G, compute_uv=False)
    return int(np.sum(values > RANK_LOST * values[0]))


def _smallest(system: System, T: Trajectory, rank: int) -> Array:
    """The smallest of so many singular values, at each sample."""
    poses = (_rows(system, T.state(k)) for k in range(len(T.t)))
    return np.array([np.linalg.svd(G, compute_uv=False)[rank - 1] for G in poses])


def _branches(system: System, pose: State, rank: int) -> int | None:
    """How many branches go through a pose at which of so many rows some are lost: 2, or 0 for more or for an unknown
    number; None where one does.

    With w any combination of rows that is lost or repeats others, and u what all rows leave free, w·D²g(u, u) = 0 along
    each branch. One such form leaves several where it is indefinite; of two freedoms a second one may leave a single
    branch: three parallel cranks, of which one repeats the others, pass their flat pose in one way.
    """
    G = _rows(system, pose)
    left, _, right = np.linalg.svd(G)
    free, lost = right[rank - 1 :], left[:, rank - 1 :]
    # Central differences over `reach` (rad, lengths): off by its square and by rounding of 1e-11, far below `NO_SIGN`.
    reach = 1e-5
    slopes = []
    for way in free:
        step = reach * way * np.tile(_weights(system), len(pose.positions))
        ahead, behind = (_rows(system, _moved(pose, side * step)) for side in (1.0, -1.0))
        slopes.append((ahead - behind) @ free.T / (2 * reach))
    forms = np.einsum("mw,imj->wij", lost, np.array(slopes))
    forms = 0.5 * (forms + forms.transpose(0, 2, 1))
    _, sizes, ways = np.linalg.svd(forms.reshape(len(forms), -1), full_matrices=False)
    apart = ways[: max(1, int(np.sum(sizes > NO_SIGN * sizes[0])))].reshape(-1, len(free), len(free))
    signs = [_signs(form) for form in apart]
    if not all(above and below for above, below in signs):
        return None
    if len(apart) == 1:
        return 2 if signs[0] == (1, 1) else 0
    return 0 if len(free) > 2 or _common(apart) > 1 else None


def _signs(form: Array) -> tuple[int, int]:
    """How many eigenvalues of a form are above zero, and below."""
    values = np.linalg.eigvalsh(form)
    size = NO_SIGN * np.abs(values).max()
    return int(np.sum(values > size)), int(np.sum(values < -size))


def _common(forms: Array) -> int:
    """In how many directions all of some indefinite forms (k, 2, 2) vanish."""
    values, axes = np.linalg.eigh(forms[0])
    ways = [axes @ (math.sqrt(values[1]), side * math.sqrt(-values[0])) for side in (1.0, -1.0)]
    return sum(all(abs(u @ form @ u) < SAME_WAY * np.linalg.norm(form) * (u @ u) for form in forms[1:]) for u in ways)


def _moved(pose: State, way: Array) -> State:
    """The pose after small displacements (6n,) of its bodies [m; rad]."""
    steps = way.reshape(-1, 6)
    turned = [rotation.multiply(rotation.exponential(s[3:]), q) for s, q in zip(steps, pose.quaternions, strict=True)]
    return State(pose.t, pose.positions + steps[:, :3], np.array(turned), pose.velocities, pose.angles)
