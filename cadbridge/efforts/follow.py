"""The way along a motion: where all bodies are, how they move and accelerate, and whether they can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cadbridge.efforts.coordinates import Measured
from cadbridge.efforts.guides import PrescribedModel, body_rows, joint_coordinate, lead_in, prescribed_model
from cadbridge.efforts.motion import Motion
from cadbridge.errors import InputError, ModelError
from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.simulation.initial import initial_state
from cadbridge.simulation.tendons import report_not_inverted
from cadbridge.units import TO_MM
from cadbridge.wording import count
from solver.algebra.division import LEAST_DIVISOR
from solver.algebra.rank import null_space, rank
from solver.analyses.kinematics import EndlessError, kinematic
from solver.analyses.minimal import jacobian
from solver.constraints import Coordinate
from solver.equations.projection import carry_angles, project
from solver.equations.system import System, prepare
from solver.model import Model
from solver.result import Result, Status, Trajectory
from solver.rotation import matrix
from solver.runs.integrate import simulate
from solver.state import State
from solver.steps.methods import observed, slope_at

Array = NDArray[np.float64]

_CODES = {"singular": "CB665", "inconsistent": "CB664", "inconsistent_rates": "CB664"}
FOLLOW_TOLERANCE = 1e-10
"""Tolerance of the integration where freedoms are left to the loads: a hundredth of a run's, as efforts come from the
accelerations of what it gives."""
_STEPS_TO_START = 40
"""Steps to where the motion begins, where freedoms are left: of a turn each is 9°, over which a loop keeps its branch.
"""
_STILL_JOINT = 1e-6
"""rad, or lengths of the model: a motion of unit length that moves no joint by more moves bodies alone."""
NAMED = 1e-3
"""Of what moves most in a motion: what moves by less is not named in a message."""


@dataclass(frozen=True, eq=False)
class Followed:
    """The motion followed, without gimbals; the multipliers are those that go with the motion's own drivers.

    `joint_efforts` (k, j) are theirs on the prescribed joints, `wrenches` (k, 6) [force; torque] on bodies, about
    the prescribed point, world axes. `idle` freedoms were prescribed by nothing and moved as the loads wanted.
    """

    result: Result
    joint_efforts: Array
    wrenches: dict[str, Array]
    idle: int = 0

    @property
    def trajectory(self) -> Trajectory:
        """The samples up to the end, or to where the mechanism could not follow any more."""
        return self.result.trajectory


def times_of(motion: Motion) -> Array:
    """The times (k,) of the samples, s, first and last included."""
    scenario = motion.scenario
    steps = max(1, round(scenario.duration * scenario.rate))
    return np.linspace(0.0, scenario.duration, steps + 1)


def follow(lowered: Lowered, model: Model, motion: Motion, findings: Findings) -> Followed:
    """Lead the mechanism to where the motion begins, and along it.

    `model` is the lowered one with its loads. ModelError where a freedom is left that nothing prescribes (CB662),
    unless the motion lets it be simulated (CB670), or where the motion cannot begin. One that the mechanism cannot
    follow is reported (CB664, CB665): the samples end there.
    """
    report_not_inverted(lowered, findings)
    # What the motion prescribes needs no inertia; what it leaves is refused below, or must have some to be simulated.
    plain, placed = prepare(model, carried=False), prepare(lowered.model, carried=False)
    state = initial_state(lowered, motion.scenario, findings)
    if state is None:
        start = State.at_rest(model.positions, model.quaternions)
        state = project(placed, start).state
    state = carry_angles(state, placed, plain)
    idle = _idle(lowered, plain, state, motion, findings)
    values = observed(plain, state, slope_at(plain, state))[0]
    toward = prescribed_model(model, lead_in(motion, lowered, state, values), lowered)
    begin, status = _stepped(toward, state) if idle else _assembled_at(toward, state, findings)
    if not status.ok:
        _report_end(status, None, lowered, motion, findings)
        raise ModelError("the mechanism cannot reach the start of the motion", findings)
    driven = prescribed_model(model, motion, lowered)
    found = _simulated(driven, times_of(motion), begin) if idle else _driven(driven, times_of(motion), begin, findings)
    if not found.status.ok:
        _report_end(found.status, found.trajectory, lowered, motion, findings)
    if not len(found.trajectory.t):
        raise ModelError("the mechanism cannot reach the start of the motion", findings)
    return replace(_followed(driven, found, motion), idle=idle)


def _driven(driven: PrescribedModel, times: ArrayLike, state: State, findings: Findings) -> Result:
    try:
        return kinematic(driven.system, times, driven.start(state, 0.0))
    except EndlessError as fault:
        findings.add("CB676", str(fault))
        raise InputError("the motion is too fast to be followed", findings) from fault


def _assembled_at(driven: PrescribedModel, state: State, findings: Findings) -> tuple[State, Status]:
    """Along a motion of one second, at rest where it ends."""
    found = _driven(driven, [0.0, 1.0], state, findings)
    T = driven.without_gimbals(found.trajectory)
    if not found.status.ok:
        return state, found.status
    return State(0.0, T.positions[-1], T.quaternions[-1], np.zeros_like(T.velocities[-1]), T.angles[-1]), found.status


def _stepped(driven: PrescribedModel, state: State) -> tuple[State, Status]:
    """As `_assembled_at`, where freedoms are left: in steps, each of which moves as little as can be."""
    here = driven.start(state, 0.0)
    for t in np.linspace(0.0, 1.0, _STEPS_TO_START + 1)[1:]:
        found = project(driven.system, replace(here, t=float(t)))
        if not found.status.ok:
            return state, found.status
        here = replace(found.state, velocities=np.zeros_like(here.velocities))
    return driven.plain_state(replace(here, t=0.0)), found.status


def _simulated(driven: PrescribedModel, times: Array, state: State) -> Result:
    """The motion with freedoms left to the loads: integrated, with the drivers of the rest."""
    here = driven.start(state, 0.0)
    return simulate(
        driven.system,
        here,
        duration=times[-1].item(),
        rate=1 / times[1].item(),
        rtol=FOLLOW_TOLERANCE,
        atol=FOLLOW_TOLERANCE,
    )


def _followed(driven: PrescribedModel, found: Result, motion: Motion) -> Followed:
    """The result without gimbals, and what the drivers do."""
    T = found.trajectory
    efforts = driven.driver_efforts(T)
    # Drivers stand as they were added: joints, then of each body the axes along which its position is prescribed.
    k = len(motion.joints)
    wrenches = {b.name: np.zeros((len(T.t), 6)) for b in motion.bodies}
    for body in motion.bodies:
        for axis in (i for i, f in enumerate(body.position) if f is not None):
            wrenches[body.name][:, axis] += efforts[k]
            k += 1
    for name, torque in driven.gimbal_torques(T).items():
        wrenches[name][:, 3:] += torque
    joints = np.array([efforts[i] for i in range(len(motion.joints))]).reshape(len(motion.joints), len(T.t)).T
    return Followed(replace(found, trajectory=driven.without_gimbals(T)), joints, wrenches)


def _report_end(status: Status, T: Trajectory | None, lowered: Lowered, motion: Motion, findings: Findings) -> None:
    """The finding of a way that ends: when, where, and what does not close; T None: before the motion begins."""
    reached, way = "", ""
    if T is None:
        way = "on the way from the designed pose to where the motion begins: "
    elif len(T.t):
        reached = f"; last reached at t = {T.t[-1]:.6g} s: {place_at(lowered, motion, T, len(T.t) - 1)}"
    findings.add(
        _CODES.get(status.code, "CB664"),
        f"{way}{status.message}{reached}",
        Where(item=_first(status.groups)),
        items=status.groups,
    )


def place_at(lowered: Lowered, motion: Motion, T: Trajectory, k: int) -> str:
    """Where what is prescribed is at a sample, in words: points in mm, joints in degrees or mm."""
    where = []
    for body in motion.bodies:
        unit, X_CB = lowered.placed(body.body)
        p = T.positions[k, unit] + np.asarray(matrix(T.quaternions[k, unit])) @ X_CB.point(body.X_BC.p)
        where.append(f"{body.name} at ({', '.join(f'{x * TO_MM:.4g}' for x in p)}) mm")
    for path in motion.joints:
        index = lowered.coordinate_of(path.joint)
        if index is not None:
            q, slides = float(T.coordinates[k, index]), lowered.joints[index].coordinate == "distance"
            where.append(f"{path.joint} at {q * TO_MM:.4g} mm" if slides else f"{path.joint} at {np.degrees(q):.4g}°")
    return ", ".join(where)


def _first(groups: tuple[str, ...]) -> str | None:
    return groups[0] if groups else None


def _idle(lowered: Lowered, plain: System, state: State, motion: Motion, findings: Findings) -> int:
    """How many freedoms the motion leaves: refused by name, or reported where they are simulated."""
    rows = guided_rows(lowered, plain, state, motion)
    left = free_joints(lowered, plain, state, rows)
    code, text = ("CB670", "is simulated") if motion.simulate_free else ("CB662", "is prescribed by nothing")
    for names in left:
        findings.add(code, f"a freedom that moves {first_few(names)} {text}", Where(item=names[0]), items=names)
    if left and not motion.simulate_free:
        raise ModelError(f"the motion leaves {count(len(left), 'freedom')} open", findings)
    return len(left)


def guided_rows(lowered: Lowered, plain: System, state: State, motion: Motion) -> Array:
    """Ĝ of the constraints and the rows of all that the motion leads (m + c, 6n)."""
    coordinates = [joint_coordinate(lowered, p.joint) for p in motion.joints]
    return np.vstack([held_rows(plain, state, coordinates), body_rows(motion, lowered, state)])


def idle_rows(guided: Array, system: System) -> Array:
    """Rows that hold the motions which `guided` rows leave: these motions themselves (idle, 6n)."""
    return null_space(guided, system.length).T


def held_rows(system: System, state: State, coordinates: Sequence[Coordinate]) -> Array:
    """Ĝ of the constraints and below it the gradients of coordinates (m + c, 6n)."""
    return np.vstack([jacobian(system, state)[0], Measured(system.model, coordinates).gradients(state)])


def free_joints(lowered: Lowered, system: System, state: State, rows: Array) -> list[list[str]]:
    """For each motion that rows (m, 6n) leave: names of the joints that it moves, most first, or else of bodies."""
    if rank(rows, system.length).rank == rows.shape[1]:
        return []
    # A slide counts by the model's length: while its crank turns by one rad, a small slider travels a millimetre.
    sizes = np.array([1.0 if c.kind == "angle" else system.length for c in lowered.model.coordinates])
    measure = Measured(system.model, lowered.model.coordinates).gradients(state) / sizes.reshape(-1, 1)
    N = _localised(null_space(rows, system.length), measure)
    found = []
    for motion in N.T:
        rates = np.abs(measure @ motion)
        moving = np.flatnonzero(rates > NAMED * max(float(rates.max(initial=0.0)), _STILL_JOINT))
        names = [lowered.joints[i].name for i in moving[np.argsort(-rates[moving], kind="stable")]]
        if not names:
            size = np.max(np.abs(motion.reshape(-1, 6)), axis=1)
            names = [lowered.units[i].name for i in np.argsort(-size, kind="stable") if size[i] > NAMED * size.max()]
        found.append(names)
    return found


def first_few(names: list[str]) -> str:
    """The first four names, for a message."""
    return ", ".join(names[:4]) + (" …" if len(names) > 4 else "")


def _localised(N: Array, measure: Array) -> Array:
    """The same motions (6n, k), each with as few joints as elimination by the largest rates finds.

    `measure` (joints, 6n) gives the joints' rates. Motions that move no joint are told apart by the bodies.
    """
    N = N.copy()
    for k in range(N.shape[1]):
        by = measure @ N
        if np.max(np.abs(by[:, k:]), initial=0.0) <= _STILL_JOINT:
            by = N.copy()
        row = int(np.argmax(np.max(np.abs(by[:, k:]), axis=1)))
        column = k + int(np.argmax(np.abs(by[row, k:])))
        N[:, [k, column]], by[:, [k, column]] = N[:, [column, k]], by[:, [column, k]]
        N[:, k] /= by[row, k]
        others = [j for j in range(N.shape[1]) if j != k]
        N[:, others] -= np.outer(N[:, k], by[row, others])
    # What the elimination leaves by rounding is no motion of a body.
    return np.where(np.abs(N) < 1e-9 * np.max(np.abs(N), initial=LEAST_DIVISOR), 0.0, N)
