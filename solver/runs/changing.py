"""A mechanism rebuilt while it runs: at given times rows begin or cease to hold, and the state is carried over.

After Xue, Huang, Ahamed & Woodard, Generic dynamic simulation for mechanical systems (2005), whose simulator assembles
and takes apart machines as they move. Rows that begin must hold where the mechanism then is; where they do not hold
for its rates, an impulse would be needed: the bodies' momenta change by −ĜᵀΛ, with Λ the least that meets the rates
(M Δv + ĜᵀΛ = 0, Ĝ(v + Δv) = …). Such a change is refused with its size, unless it is stated to be plastic.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solver.analyses.minimal import jacobian, mass_matrix
from solver.constraints import Primitive
from solver.equations.dynamics import evaluate_all, frames, scaled_residuals
from solver.equations.kkt import dense_accelerations
from solver.equations.projection import carry_angles, complete, drive_values, project
from solver.equations.system import ROTOR, System, prepare
from solver.model import Model
from solver.result import Occurrence, Result, Status, Trajectory
from solver.runs.arguments import sample_times
from solver.runs.integrate import simulate
from solver.runs.stages import joined, total, widened
from solver.state import State
from solver.steps.methods import observed, slope_at

if TYPE_CHECKING:
    from solver.chart.spanning import TreeJoint

Array = NDArray[np.float64]
Make = Callable[[State], tuple[Primitive, ...]]

SAME_TIME = 1e-12
"""s: a change, a sample or the end this near is now; sums of steps miss it by rounding."""
_AT_ONCE = 1e-6
"""s: what passes a value twice so soon passes it once: no step is so short that both could be seen."""
_NO_IMPULSE = 1e-12
"""Of the largest impulse: what rounding leaves of rows that take up none."""
MEETS = 1e-6
"""Scaled residual of positions (rad, parts of the model's length) and of rates (a second) that counts as none: a
hundred times what steps at the usual tolerance leave of a joint that meets. More would jump, which no joint that is
attached may."""


@dataclass(frozen=True, eq=False)
class Change:
    """A change of a model while it runs: groups of rows that cease to hold, and groups that begin.

    Motors, joint loads and events that bear the name of a group are there only while its rows hold.

    Attributes:
        t: When, s.
        name: What it is called in results.
        off: Groups whose rows cease to hold.
        on: Groups whose rows begin to hold.
        make: Makes new rows of the state at that time, as the first group of `on`; None where all rows are of the
            model.
        plastic: Whether the rates may jump; else a change that needs an impulse is refused.
        names: Motors, joint loads and events that are there only while the last change of that name let groups begin.
    """

    t: float
    name: str
    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    make: Make | None = None
    plastic: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Changed:
    """What a change did.

    Attributes:
        name: The change's name.
        t: When, s.
        impulses: By group of rows, the impulse on each body about its centre (n, 6) N s, N m s.
        size: The largest impulse (N s) and angular impulse (N m s) of a group on a body.
        lost: The energy that is gone with the change, J.
    """

    name: str
    t: float
    impulses: dict[str, Array]
    size: tuple[float, float]
    lost: float


@dataclass(frozen=True, eq=False)
class Rebuilt:
    """A run with changes.

    Attributes:
        model: A model that has all rows that ever held.
        result: The run as one of that model; a row that does not hold has the multiplier zero.
        changes: What each change did, as far as the run came.
        stages: The runs between the changes, each with the system of the rows that held.
    """

    model: Model
    result: Result
    changes: tuple[Changed, ...]
    stages: tuple[tuple[System, Result], ...] = ()


@dataclass
class Held:
    """One primitive with its group, and whether it holds now."""

    primitive: Primitive
    group: str
    holds: bool


@dataclass
class Course:
    """A run with changes, as far as it has come: what holds, and where the bodies are.

    `begin` makes one, `make_change` changes it where it is, `advance` goes on, `finished` gives the run so far.
    """

    model: Model
    rows: list[Held]
    system: System
    state: State
    length: float
    done: list[Changed] = field(default_factory=list)
    driven: bool = False
    parts: list[tuple[System, Result]] = field(default_factory=list)
    occurred: list[Occurrence] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)
    let_go: float = 0.0
    """J that went with loads taken away (`reload`)."""
    gone: frozenset[str] = frozenset()
    """Names whose motors and loads are not there now (`Change.names`)."""

    @property
    def holding(self) -> tuple[Primitive, ...]:
        """The rows that hold now."""
        return tuple(r.primitive for r in self.rows if r.holds)

    def kept(self) -> Course:
        """A copy to come back to: what happens to this course later leaves it as it is."""
        own: dict[str, Any] = {
            name: list(getattr(self, name)) for name in ("rows", "done", "parts", "occurred", "lost")
        }
        return replace(self, **own)


def begin(model: Model, state: State | None = None, *, driven: bool = True) -> Course:
    """A run of a model from a state on (none: the reference pose at rest), put on its rows.

    Not `driven`: motors that prescribe a motion set in with the first stage, after the changes at the start.
    """
    rows = [Held(p, model.group(i), True) for i, p in enumerate(model.primitives)]
    system = prepare(_holding(model, rows, frozenset(), driven=driven))
    given = state or State.at_rest(model.positions, model.quaternions)
    given = carry_angles(given, prepare(model), system)
    return Course(model, rows, system, project(system, given).state, system.length, driven=driven)


def reload(course: Course, model: Model) -> None:
    """Go on with other loads: `model` has the bodies, primitives and motors of the course's.

    Energy that loads held which are there no more counts as lost.
    """
    before = _energy(course.system, course.state)
    course.model = model
    system = _prepared(course, course.rows)
    course.state, course.system = carry_angles(course.state, course.system, system), system
    course.let_go += before - _energy(system, course.state)


def advance(course: Course, times: Array, rate: float, **options: Any) -> Status:
    """Go on to the last of some times (s), with samples at all of them; a joint that is let go passes no value."""
    gone = _gone(course.rows, course.gone)
    options["events"] = tuple(event for event in options.get("events", ()) if event.name not in gone)
    result = simulate(
        course.system,
        course.state,
        duration=float(times[-1]) - course.state.t if len(times) else 0.0,
        rate=rate,
        times=times,
        **options,
    )
    course.parts.append((course.system, result))
    course.lost.append(sum(change.lost for change in course.done) + course.let_go)
    course.occurred += [found for found in result.events if not _told(course, found)]
    course.state = _last(result.trajectory)
    return result.status


def _told(course: Course, found: Occurrence) -> bool:
    """Whether a stage passes what the one before ended at, but for rounding (`events.arrivals`)."""
    near = [o for o in course.occurred if o.value is not None and found.t - o.t <= _AT_ONCE]
    return any((o.name, o.value) == (found.name, found.value) for o in near)


def simulate_changing(
    model: Model, state: State | None = None, *, changes: Sequence[Change], duration: float, rate: float,
    tree: Sequence[TreeJoint] | None = None, progress: Callable[[float], None] | None = None, **options: object,
) -> Rebuilt:  # fmt: skip
    """Integrate the motion of a model whose constraints begin or cease to hold on the way.

    A change that cannot be ends the run there, with a status: "parted" where rows do not hold at the pose (and by how
    much), "impulse" where the rates would have to jump (and the size), "freed" where what is left is no mechanism that
    can be computed. After Xue, Huang, Ahamed and Woodard (2005).

    Args:
        model: The model at the start.
        state: As of `simulate`.
        changes: The changes, made in order of time; those at one time as given.
        duration: As of `simulate`.
        rate: As of `simulate`.
        tree: As of `simulate`.
        progress: As of `simulate`.
        **options: The other arguments of `simulate`.

    Returns:
        The run as one of a model that has all rows that ever held, and what each change did.

    Raises:
        ValueError: A change is outside the run or of a group that is not there, or the model cannot be computed.
    """
    began = time.perf_counter()
    start = 0.0 if state is None else state.t
    _check(changes, {model.group(i) for i in range(len(model.primitives))}, start, duration)
    # Motors that prescribe a motion set in after the changes at the start: what is let go there was never driven.
    course = begin(model, state, driven=False)
    samples = np.concatenate([[start], sample_times(start, duration, rate)])
    status = _run(course, sorted(changes, key=lambda c: c.t), samples, rate, tree, progress, options)
    return finished(course, samples, status, time.perf_counter() - began)


def _check(changes: Sequence[Change], groups: set[str], start: float, duration: float) -> None:
    known = groups | {c.on[0] for c in changes if c.make is not None}
    for change in changes:
        if not start <= change.t <= start + duration:
            raise ValueError(f"{change.name}: its time {change.t:g} s is outside the run")
        missing = [name for name in (*change.off, *change.on) if name not in known]
        if missing:
            raise ValueError(f"{change.name}: there are no rows of {', '.join(missing)}")


def _run(
    course: Course, changes: list[Change], samples: Array, rate: float, tree: Sequence[TreeJoint] | None,
    progress: Callable[[float], None] | None, options: dict[str, object],
) -> Status:  # fmt: skip
    """All stages; the status of the last."""
    waiting = list(changes)
    end = float(samples[-1])
    while True:
        while waiting and waiting[0].t <= course.state.t + SAME_TIME:
            refused = make_change(course, waiting.pop(0))
            if refused is not None:
                return refused
        until = waiting[0].t if waiting else end
        status = _stage(course, samples, until, rate, tree, progress, options)
        if not status.ok or status.code == "event" or (not waiting and course.state.t >= end - SAME_TIME):
            return status


def _stage(
    course: Course, samples: Array, until: float, rate: float, tree: Sequence[TreeJoint] | None,
    progress: Callable[[float], None] | None, options: dict[str, object],
) -> Status:  # fmt: skip
    """The run from here to the next change."""
    t = course.state.t
    drive(course)
    times = samples[(samples > t + SAME_TIME) & (samples < until - SAME_TIME)]
    times = np.append(times, until) if until > t + SAME_TIME else times
    holding = {r.group for r in course.rows if r.holds}
    span = float(samples[-1] - samples[0])

    def part(done: float) -> None:
        if progress is not None:
            progress((t + done * (until - t) - float(samples[0])) / span)

    held = None if tree is None else [j for j in tree if j.name in holding]
    return advance(course, times, rate, tree=held, progress=part, **options)


def drive(course: Course) -> None:
    """Motors that prescribe a motion set in, where they have not yet."""
    if not course.driven:
        course.driven = True
        system = _prepared(course, course.rows)
        course.state, course.system = carry_angles(course.state, course.system, system), system


def _last(T: Trajectory) -> State:
    return T.state(-1)


def make_change(course: Course, change: Change) -> Status | None:
    """Make one change where the run is; the status where it cannot be, and nothing is changed."""
    before = course.state
    rows = [Held(r.primitive, r.group, r.holds and r.group not in change.off) for r in course.rows]
    gone = course.gone | {*change.names} if change.off else course.gone - {*change.names}
    begun: set[int] = set()
    if change.make is not None:
        begun = set(range(len(rows), len(rows) + len(made := change.make(before))))
        rows += [Held(p, change.on[0], True) for p in made]
    for i, row in enumerate(rows):
        if row.group in change.on and not row.holds and change.make is None:
            row.holds = True
            begun.add(i)
    try:
        system = _prepared(replace(course, gone=gone), rows)
    except ValueError as fault:
        return _refused("freed", f"{change.name} at t = {before.t:.6g} s: {fault}", "Hold that motion, or give mass.")
    state = complete(system, carry_angles(before, course.system, system))
    place = {id(r): k for k, r in enumerate(r for r in rows if r.holds)}
    new = [place[id(rows[i])] for i in begun]
    refused, fitted, impulses = _fit(system, state, change, new)
    if refused is not None:
        return refused
    landed = project(system, fitted)
    if not landed.status.ok:
        return _refused("parted", f"{change.name} at t = {before.t:.6g} s: {landed.status.message}", _APART)
    lost = _energy(course.system, before) - _energy(system, landed.state)
    size = (_largest(impulses, slice(0, 3)), _largest(impulses, slice(3, 6)))
    course.done.append(Changed(change.name, before.t, impulses, size, lost))
    course.rows, course.system, course.state, course.gone = rows, system, landed.state, gone
    course.occurred.append(Occurrence(change.name, before.t, landed.state))
    return None


def _largest(impulses: dict[str, Array], part: slice) -> float:
    return max((float(np.linalg.norm(w[:, part], axis=1).max(initial=0.0)) for w in impulses.values()), default=0.0)


_APART = "Bring the parts to where they meet, or change the time."


def _refused(code: str, message: str, advice: str) -> Status:
    return Status(False, code, message, advice)


def _prepared(course: Course, rows: Sequence[Held]) -> System:
    # One length weighs turns against travel in all stages: what counts as closed would else change with what holds.
    return replace(prepare(_holding(course.model, rows, course.gone, driven=course.driven)), length=course.length)


def _holding(model: Model, rows: Sequence[Held], let_go: frozenset[str], *, driven: bool) -> Model:
    """The model with the rows that hold, and the motors and loads of joints that hold and are not `let_go`.

    Not `driven`: without the motors that prescribe a motion.
    """
    held = [r for r in rows if r.holds]
    gone = _gone(rows, let_go)
    return replace(
        model,
        primitives=tuple(r.primitive for r in held),
        groups=tuple(r.group for r in held),
        motors=tuple(m for m in model.motors if m.name not in gone and (driven or m.kind not in ("speed", "angle"))),
        loads=tuple(load for load in model.loads if load.name not in gone),
        meshes=tuple(mesh for mesh in model.meshes if mesh.name not in gone),
        gyrators=tuple(gyrator for gyrator in model.gyrators if gyrator.name not in gone),
    )


def _gone(rows: Sequence[Held], let_go: frozenset[str]) -> set[str]:
    """The groups of which no row holds, and the names of joints that are `let_go`."""
    return ({r.group for r in rows} - {r.group for r in rows if r.holds}) | let_go


def _fit(
    system: System, state: State, change: Change, new: Sequence[int]
) -> tuple[Status | None, State, dict[str, Array]]:
    """Whether the state fits the rows of the primitives `new`; the state after, and the impulses (n, 6) by group."""
    drive = drive_values(system, state.t)
    T, W = system.program.terms, system.rows
    x, R, v = frames(state.positions, state.quaternions, state.velocities)
    angles = np.zeros(0) if state.angles is None else state.angles
    *_, g, gv, _, blocks = evaluate_all(T, W, x, R, v, angles, drive, True)
    apart, jump = scaled_residuals(T, W, system.length, blocks, g, gv)
    starts = system.program.primitive_row
    own = np.array([r for k in new for r in range(int(starts[k]), int(starts[k + 1]))], dtype=np.int64)
    at = f"at t = {state.t:.6g} s"
    if float(np.max(apart[own], initial=0.0)) > MEETS:
        away, turned = _apart(system, g, blocks, own)
        text = f"{change.name} {at}: the parts do not meet, they are {1e3 * away:.3g} mm and {turned:.3g}° apart"
        return _refused("parted", text, _APART), state, {}
    if float(np.max(jump, initial=0.0)) <= MEETS:
        return None, state, {}
    # The whole matrix, for a body without mass takes no impulse: what the sparse factor lends it would show.
    held = W.kind != ROTOR
    G = jacobian(system, state)[0]
    by, multipliers = dense_accelerations(mass_matrix(system, state), G, np.zeros(G.shape[1]), -gv[held])
    all_rows = np.zeros(len(gv))
    all_rows[held] = multipliers
    impulses = _by_group(system, blocks, all_rows)
    if change.plastic:
        return None, replace(state, velocities=state.velocities + by.reshape(-1, 6)), impulses
    force, moment = _largest(impulses, slice(0, 3)), _largest(impulses, slice(3, 6))
    text = f"{change.name} {at} would need an impulse of {force:.3g} N s and {moment:.3g} N m s"
    advice = "Let the parts meet without a jump of their rates, or say that it is plastic."
    return _refused("impulse", text, advice), state, {}


def _apart(system: System, g: Array, blocks: Array, rows: NDArray[np.int64]) -> tuple[float, float]:
    """How far (m) and by how many degrees the rows are open: a row that no travel changes is one of turns."""
    starts = system.program.terms.row_block
    away: list[float] = []
    turned: list[float] = []
    for row in rows:
        own = blocks[starts[row] : starts[row + 1]]
        travel = float(np.linalg.norm(own[:, :3], axis=1).max(initial=0.0))
        turn = float(np.linalg.norm(own[:, 3:], axis=1).max(initial=0.0))
        if travel > 0.0:
            away.append(float(g[row]) / travel)
        elif turn > 0.0:
            turned.append(float(g[row]) / turn)
    return math.hypot(*away), math.degrees(math.hypot(*turned))


def _by_group(system: System, blocks: Array, multipliers: Array) -> dict[str, Array]:
    """What the rows of each group do to the bodies, −ĜᵀΛ (n, 6), about their centres."""
    T = system.program.terms
    owner = np.repeat(np.arange(len(multipliers)), np.diff(T.row_block))
    found: dict[str, Array] = {}
    for k, row in enumerate(owner):
        name = system.row_group[row]
        on = found.setdefault(name, np.zeros((system.program.bodies, 6)))
        on[T.block_body[k]] -= multipliers[row] * blocks[k]
    # N s and N m s alike: what is left beside the largest by rounding alone is none, of machines of a mg as of tonnes.
    largest = max((float(np.abs(on).max(initial=0.0)) for on in found.values()), default=0.0)
    return {name: on for name, on in found.items() if np.any(np.abs(on) > _NO_IMPULSE * largest)}


def _energy(system: System, state: State) -> float:
    kinetic, potential = observed(system, state, slope_at(system, state))[5:]
    return float(kinetic + potential)


def finished(course: Course, samples: Array, status: Status, seconds: float) -> Rebuilt:
    """All stages as one run of the model that has every row that ever held, sampled at some times (s)."""
    whole = replace(
        course.model, primitives=tuple(r.primitive for r in course.rows), groups=tuple(r.group for r in course.rows)
    )
    system = prepare(whole)
    trajectories = [widened(part, system, result.trajectory) for part, result in course.parts]
    if not trajectories:
        first = simulate(course.system, course.state, duration=0.0, rate=1.0)
        trajectories, course.lost = [widened(course.system, system, first.trajectory)], [0.0]
    statistics = total([result.statistics for _, result in course.parts], seconds)
    trajectory = joined(trajectories, course.lost, samples)
    occurred = tuple(sorted(course.occurred, key=lambda e: e.t))
    return Rebuilt(whole, Result(status, trajectory, statistics, occurred), tuple(course.done), tuple(course.parts))
