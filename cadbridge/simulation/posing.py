"""Moving a mechanism by hand: some joints are leading, and loops, gears and everything else follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.branches import carried
from cadbridge.diagnosis.constraint_graph import ConstraintGraph, graph_of
from cadbridge.diagnosis.freedoms import joint_columns
from cadbridge.findings import Findings
from cadbridge.frames import Pose, Vector
from cadbridge.inertia import MassProperties
from cadbridge.lowering import lower
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.mechanism.rows import rows_of
from cadbridge.simulation.fitting import fitted
from cadbridge.simulation.held import held
from solver.algebra.connected import connected
from solver.equations.evaluator import Evaluator
from solver.equations.projection import Projected, carry_angles, drive_values, project
from solver.equations.system import prepare
from solver.model import Motor, TimeFunction
from solver.result import Status
from solver.rotation import matrix
from solver.state import State
from solver.sweeps.response import solve_refined

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

LONGEST_TURN = 1.2
"""rad by which no body turns at once: a gear's angle must stay on its branch, which is half a turn wide."""
STEPS_A_PULL = 3
"""Steps that a pull at a point takes towards its target: of a drag the next event takes the next ones."""
NEAR_SINGULAR = 0.03
"""Share of the largest influence on a point below which a joint hardly moves: near singular poses none runs away. A
choice by hand: less and joints leap there, more and a drag lags."""
LONGEST_SLIDE = 0.1
"""Share of the mechanism's length by which no body slides at once: Newton from there stays on the branch, as with
`solver.analyses.kinematics`."""
SHOWN_TURN, SHOWN_SLIDE = np.pi / 3, 0.15
"""rad, and share of the mechanism's length, by which a freedom is shown, or looked at, to either side:
within its limits, enough to see how it moves, and less than what most loops close over."""
MOST_STEPS = 2000
"""Steps of one move: where the mechanism is singular its bodies would turn without end."""


@dataclass(frozen=True, eq=False)
class Posed:
    """Where the bodies are: `poses` X_WB in the order of the mechanism, `values` of the leading joints (rad, m).

    If the mechanism cannot reach the pose, `status` names the joints that stay open and `values` are the last ones
    reached.
    """

    poses: tuple[Pose, ...]
    values: dict[str, float]
    status: Status


class Mover:
    """Leads joints with one freedom to values; the rest is found by projection on the constraints.

    Every call starts from the pose of the last one, so that gears keep their turns and loops their branch.
    """

    def __init__(
        self, mechanism: Mechanism, leading: tuple[str, ...] | None = None, *, ready: bool = False, still: bool = False
    ) -> None:
        """`leading` are joint names, by default `leading_joints`. KeyError where one of them has no coordinate.

        `ready`: the mechanism is what `movable` gave. `still`: what is in no loop and has no coordinate, as a ball
        joint, stays as designed; else it gives way by the least displacement.
        """
        self.mechanism = mechanism = mechanism if ready else movable(mechanism)
        self._wanted: dict[str, tuple[float, float]] = {}
        lowered = lower(mechanism)
        plain = replace(lowered.model, loads=())
        index = {j.name: i for i, j in enumerate(lowered.joints)}
        self.joints = tuple(
            lowered.joints[index[n]] for n in (leading_joints(mechanism) if leading is None else leading)
        )
        motors = tuple(
            Motor(j.name, plain.coordinates[index[j.name]], "angle", self._function(j.name)) for j in self.joints
        )
        self._units = lowered.units
        self._coms = np.array([unit.mass.com for unit in lowered.units]).reshape(-1, 3, 1)
        rows = held(lowered, [j.name for j in self.joints], most=0).outside if still else ()
        groups = (*plain.groups, *["as designed"] * len(rows))
        plain = replace(plain, primitives=(*plain.primitives, *rows), groups=groups)
        self._system = prepare(replace(plain, motors=motors), carried=False)
        self._values = {j.name: 0.0 for j in self.joints}
        start = carry_angles(
            State.at_rest(plain.positions, plain.quaternions), prepare(plain, carried=False), self._system
        )
        found = project(self._system, start)
        self._home, self._status = found.state, found.status
        self._state = self._home

    @property
    def values(self) -> dict[str, float]:
        """Where the leading joints are: rad, m, 0 as designed."""
        return dict(self._values)

    def home(self) -> Posed:
        """Back to the designed pose."""
        self._state, self._values = self._home, {j.name: 0.0 for j in self.joints}
        return Posed(self._poses(), dict(self._values), self._status)

    def move(self, values: Mapping[str, float]) -> Posed:
        """Lead joints to values (rad, m; 0 as designed); the leading joints that are not named stay."""
        start, goal = dict(self._values), {**self._values, **values}
        change = {name: value - start[name] for name, value in goal.items() if value != start[name]}
        # Less by 1e-9: a whole number of steps that rounding puts above itself takes none more.
        steps = min(max(1, int(np.ceil(self._extent(change) - 1e-9))), MOST_STEPS) if change else 1
        status = self._status
        for step in range(1, steps + 1):
            share = step / steps
            wanted = {name: start[name] + share * (goal[name] - start[name]) for name in goal}
            found = self._project({name: (value, 0.0) for name, value in wanted.items()}, self._state)
            if not found.status.ok:
                status = found.status
                break
            self._state, self._values, status = found.state, wanted, found.status
        return Posed(self._poses(), dict(self._values), status)

    def pull(self, body: int, point: Vector, target: Vector) -> Posed:
        """Lead the joints so that a point of a body comes as near to a place in the world as they let it.

        `point` (3,) in the body's frame B, `target` (3,) in the world, in m. Damped least squares (Wampler 1986) over
        the leading joints, each within its limits; a step that brings the point no nearer is halved, then given up.
        """
        posed = Posed(self._poses(), dict(self._values), self._status)
        for _ in range(STEPS_A_PULL):
            away = target - posed.poses[body].point(point)
            step = self._step(body, posed.poses[body].R @ point, away)
            nearer = None
            for share in (1.0, 0.5, 0.25):
                tried = self.move({name: self._values[name] + share * change for name, change in step.items()})
                if float(np.linalg.norm(target - tried.poses[body].point(point))) < float(np.linalg.norm(away)):
                    nearer = tried
                    break
                # Back, since the next trial starts from where the last one ended.
                self.move(posed.values)
            if nearer is None:
                return posed
            posed = nearer
        return posed

    def _step(self, body: int, lever: Vector, away: Vector) -> dict[str, float]:
        """Changes of the leading joints that move a point of a body, at `lever` from its origin, by about `away`.

        A joint that would leave its limits stops at them, and the others make up for it.
        """
        step: dict[str, float] = {}
        free = {j.name: j for j in self.joints}
        columns = dict(zip(free, self._influences(body, lever).T, strict=True))
        left = away
        while free:
            J = np.stack([columns[name] for name in free], axis=1)
            size = float(np.linalg.norm(J, 2))
            # m of a point a rad or m of a joint: what is left moves nothing.
            if size < 1e-12:
                break
            wanted = J.T @ np.linalg.solve(J @ J.T + (NEAR_SINGULAR * size) ** 2 * np.eye(3), left)
            wanted = wanted / max(1.0, self._extent(dict(zip(free, map(float, wanted), strict=True))))
            held = {}
            for name, change in zip(free, wanted, strict=True):
                allowed = _within(free[name], self._values[name] + change) - self._values[name]
                # rad or m: what `_within` cut off, and not what it rounded.
                if abs(allowed - change) > 1e-12:
                    held[name] = allowed
            if not held:
                return step | dict(zip(free, map(float, wanted), strict=True))
            for name, change in held.items():
                step[name] = change
                left = left - columns[name] * change
                del free[name]
        return step

    def _influences(self, body: int, lever: Vector) -> Array:
        """Velocities (3, k) of a point of a body, at `lever` from its origin, by a rate of 1 of each leading joint.

        By virtual power they are what the leads must hold against a unit force at the point, at rest and without
        weight: one solution for each direction in place of one for each joint.
        """
        system, held = self._system, Evaluator(self._system)
        self._wanted = {}
        held(replace(self._state, velocities=np.zeros_like(self._state.velocities)), drive_values(system, 0.0))
        E, Q, T = held.workspace, held.workspace.sweeps, system.program.terms
        arm = lever - matrix(self._state.quaternions[body]) @ self._units[body].mass.com
        place = {int(row): e for e, row in enumerate(system.plan.row)}
        found = np.zeros((3, len(self.joints)))
        for axis, e in enumerate(np.eye(3)):
            E.force[:], E.acceleration[:] = 0.0, 0.0
            E.force[body] = np.concatenate([e, np.cross(arm, e)])
            multipliers = np.zeros(len(place))
            args = (E.compliance, E.R, E.blocks, E.force, np.zeros(system.program.rows), 0.0, E.acceleration)
            solve_refined(T, system.plan, system.bodies, Q, *args, multipliers)
            found[axis] = [multipliers[place[int(row)]] for row in system.loads.motor_row]
        return found

    def twists(self, name: str) -> Array:
        """Velocities (n, 6) [v of frame B; ω] while a leading joint goes 1 rad/s or m/s and the others rest."""
        return self._velocities({name: 1.0})

    def _velocities(self, rates: Mapping[str, float]) -> Array:
        """Velocities (n, 6) [v of frame B; ω] for rates of leading joints; those that are not named rest."""
        wanted = {j.name: (self._values[j.name], rates.get(j.name, 0.0)) for j in self.joints}
        state = replace(self._state, velocities=np.zeros_like(self._state.velocities))
        found = np.array(self._project(wanted, state).state.velocities)
        found[:, :3] -= np.cross(found[:, 3:], (matrix(self._state.quaternions) @ self._coms)[..., 0])
        return found

    def ratios(self) -> dict[str, tuple[str, float]]:
        """Of each joint that exactly one leading joint moves: that one, and the joint's rate for a rate of 1 of it.

        Both of them turn, and this is so where the mechanism stands: a loop has other ratios elsewhere.
        """
        leading = [j for j in self.joints if j.coordinate == "angle"]
        twists = {j.name: self.twists(j.name).ravel() for j in self.joints}
        found = {}
        for joint in self.mechanism.joints:
            if joint.coordinate != "angle" or joint.name in twists:
                continue
            row = _rate(self.mechanism, joint)
            rates = {name: float(row @ twist) for name, twist in twists.items()}
            # rad a rad: a joint that follows by less follows by rounding.
            moving = [name for name, rate in rates.items() if abs(rate) > 1e-6]
            if len(moving) == 1 and moving[0] in {j.name for j in leading}:
                found[joint.name] = moving[0], rates[moving[0]]
        return found

    def reach(self, name: str) -> float:
        """How far (rad, m) a leading joint may go at once where the mechanism stands."""
        return 1.0 / max(self._extent({name: 1.0}), 1.0 / LONGEST_TURN)

    def _extent(self, change: Mapping[str, float]) -> float:
        """How many times what bodies may move at once a change of leading joints moves them."""
        twists = self._velocities(change)
        turn = float(np.max(np.linalg.norm(twists[:, 3:], axis=1), initial=0.0)) / LONGEST_TURN
        slide = float(np.max(np.linalg.norm(twists[:, :3], axis=1), initial=0.0))
        return turn or slide / (LONGEST_SLIDE * self.mechanism.length_scale)

    def _project(self, wanted: Mapping[str, tuple[float, float]], state: State) -> Projected:
        self._wanted = dict(wanted)
        # Poses that are looked at: a ten-millionth of the mechanism is below any pixel.
        return project(self._system, state, tolerance=1e-7)

    def _function(self, name: str) -> TimeFunction:
        return TimeFunction(lambda t: (*self._wanted.get(name, (0.0, 0.0)), 0.0))

    def _poses(self) -> tuple[Pose, ...]:
        R = matrix(self._state.quaternions)
        return tuple(map(Pose, R, self._state.positions - (R @ self._coms)[..., 0]))


def _within(joint: Joint, value: float) -> float:
    """The value, or the limit of the joint that it passes."""
    lower, upper = (joint.limit.lower, joint.limit.upper) if joint.limit is not None else (None, None)
    if lower is not None and value < min(lower, 0.0):
        return min(lower, 0.0)
    if upper is not None and value > max(upper, 0.0):
        return max(upper, 0.0)
    return value


def movable(mechanism: Mechanism) -> Mechanism:
    """The mechanism as a `Mover` moves it: its mates fitted, with masses. It is the same whatever leads."""
    return fitted(_with_masses(mechanism), Findings())


def leading_joints(mechanism: Mechanism, first: str | None = None) -> tuple[str, ...]:
    """Joints with one freedom whose coordinates are independent, as many as there are: the `first`, those with a name
    that a person requested, then in the order of the mechanism."""
    graph = graph_of_joints(mechanism)
    requested = {*mechanism.assembly.joint_names.values(), *(d.joint for d in mechanism.drives)}
    candidates = [j for j in mechanism.joints if j.coordinate]
    candidates.sort(key=lambda j: (j.name != first, j.name not in requested))
    rates = [_in_motions(graph, joint, joint_columns(mechanism, joint, graph.rows)[:, 0]) for joint in candidates]
    chosen: list[int] = []
    for group in _that_share(rates):
        motions = np.unique(np.concatenate([rates[i][0] for i in group]))
        basis = np.zeros((0, len(motions)))
        for i in group:
            row = np.zeros(len(motions))
            row[np.searchsorted(motions, rates[i][0])] = rates[i][1]
            rest = row - (row @ basis.T) @ basis
            size, left = float(np.linalg.norm(row)), float(np.linalg.norm(rest))
            # Rates of unit motions: one that is not itself rounding leads if a thousandth of it is its own, so that
            # rounded axes make no leaders.
            if size > 1e-9 and left > 1e-3 * size:
                basis = np.vstack([basis, rest / left])
                chosen.append(i)
    return tuple(candidates[i].name for i in sorted(chosen))


def _that_share(rates: Sequence[tuple[Ints, Array]]) -> list[list[int]]:
    """Which of the joints are moved by the same motions, directly or by way of others, in their order."""
    n = len(rates)
    if not n:
        return []
    motions = np.concatenate([own for own, _ in rates])
    joints = np.repeat(np.arange(n), [len(own) for own, _ in rates])
    label = connected(n + int(np.max(motions, initial=0)) + 1, joints, n + motions)
    groups: dict[int, list[int]] = {}
    for joint, group in enumerate(label[:n].tolist()):
        groups.setdefault(group, []).append(joint)
    return list(groups.values())


def graph_of_joints(mechanism: Mechanism) -> ConstraintGraph:
    """How the rows of joints and couplings depend on each other at the designed pose."""
    rows = [(p, j.name) for j in mechanism.joints for p in j.primitives]
    rows += [(c.primitive, c.name) for c in mechanism.couplings]
    primitives, owners = [p for p, _ in rows], [name for _, name in rows]
    found = rows_of(primitives, owners, [body.X_WB for body in mechanism.bodies], mechanism.length_scale)
    return graph_of(found, range(len(found)))


def _in_motions(graph: ConstraintGraph, joint: Joint, column: Array) -> tuple[Ints, Array]:
    """A joint's rate for a unit of each motion that the loops leave: motions (k,), rates (k,).

    A coordinate in no loop is a motion; those of a loop follow them. `column` (6,) is the joint's freedom.
    """
    wrench = column[None] / float(column @ column)
    ends = {body: sign * wrench for body, sign in ((joint.b, 1.0), (joint.a, -1.0)) if body != GROUND_BODY}
    rates = np.zeros(graph.coordinates)
    for unit, W in carried(graph.branches, ends).items():
        branch = graph.branches[unit]
        rates[branch.first : branch.columns.stop] += (W @ branch.freedom)[0]
    motions, values, first = [], [], graph.coordinates
    for block in graph.loops:
        N = block.freedom
        if np.any(rates[block.columns]):
            motions.append(first + np.arange(N.shape[1]))
            values.append(rates[block.columns] @ N)
            rates[block.columns] = 0.0
        first += N.shape[1]
    alone = np.flatnonzero(rates)
    return np.concatenate([*motions, alone]), np.concatenate([*values, rates[alone]])


def _rate(mechanism: Mechanism, joint: Joint) -> Array:
    """The row (6n,) that gives a joint's rate (rad/s or m/s) from the bodies' twists."""
    row = np.zeros(6 * len(mechanism.bodies))
    base = mechanism.bodies[joint.a] if joint.a != GROUND_BODY else mechanism.ground
    X_WJ = base.X_WB @ joint.X_AJ
    z = X_WJ.R[:, 2]
    for body, sign in ((joint.a, -1.0), (joint.b, 1.0)):
        if body == GROUND_BODY:
            continue
        if joint.coordinate == "angle":
            row[6 * body + 3 : 6 * body + 6] += sign * z
        else:
            row[6 * body : 6 * body + 3] += sign * z
            row[6 * body + 3 : 6 * body + 6] += sign * np.cross(X_WJ.p - mechanism.bodies[body].X_WB.p, z)
    return row


def _is_inert(mass: MassProperties | None) -> bool:
    """Whether a body resists every motion."""
    return mass is not None and mass.mass > 0 and float(np.linalg.eigvalsh(mass.inertia)[0]) > 0


def _with_masses(mechanism: Mechanism) -> Mechanism:
    """The mechanism with a mass for bodies that lack mass or inertia: it weighs who gives way where nothing leads."""
    # A radius of gyration of a tenth of the mechanism: turns and slides of such a body weigh alike.
    size = (0.1 * mechanism.length_scale) ** 2
    filler = MassProperties(1.0, np.zeros(3), size * np.eye(3))
    bodies = tuple(b if _is_inert(b.mass) else replace(b, mass=filler, mass_source=None) for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies)
