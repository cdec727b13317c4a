"""A model integrated in the minimal coordinates of a spanning tree, behind the same interface as absolute coordinates.

States, slopes and samples are those of the absolute coordinates, so that whatever looks at a run need not know how it
was computed; the steps between them are taken in the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from solver.constraints.kernels import evaluate_rows
from solver.dense import Slope
from solver.dynamics import frames
from solver.explicit import shaft_spins, spun
from solver.jit import njit
from solver.methods import Attempt, Method, Remembered
from solver.projection import drive_values
from solver.state import State
from solver.system import ROTOR, System, prepare
from solver.tree import closed, stepping
from solver.tree.kernels import carry_wrench
from solver.tree.spanning import Span, TreeJoint, span

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class TreeEngine:
    """Steps and slopes of `system` by the tree of its `joints`; ValueError where that cannot be.

    The memory of a step is [q, θ̇, θ̈] of the tree at its end.
    """

    def __init__(self, system: System, method: Method, joints: Sequence[TreeJoint]) -> None:
        if method.scheme is None:
            raise ValueError("the tree is integrated by explicit methods only: dopri5, dop853 or rk4")
        self.system, self.method, self.extra = system, method, method.extra
        self.span: Span = span(system.model, joints)
        own = prepare(self.span.closing, carried=False)
        # One set of callbacks, so that what a callback raises is found.
        self._own = replace(
            own,
            callbacks=system.callbacks,
            loads=own.loads._replace(callback=system.loads.callback),
            length=system.length,
        )
        tree = self.span.tree
        self._sizes = (tree.nq, tree.nv)
        self._tables = (tree.tables, self.span.places)
        self._given, self._back = _angle_places(system, self._own, self.span)
        self._rows = _row_places(system, self._own, self.span)
        self._joints = _joint_rows(system, self.span)

    @property
    def _kernel(self) -> tuple[object, ...]:
        own = self._own
        return (*self._tables, own.program.terms, own.bodies, own.loads, own.rows)

    def begin(self, state: State, slope: Slope | None = None) -> Array:
        """The memory of a step that ends in `state`."""
        arrays = frames(state.positions, state.quaternions, state.velocities)
        q, rates = stepping.read(*self._tables, *arrays)
        acceleration = self._accelerate(q, rates, state, drive_values(self.system, state.t))[0]
        return np.concatenate([q, rates, acceleration])

    def slope(self, state: State, drive: Array | None = None) -> Slope:
        """The accelerations of the bodies and the multipliers of all rows at a state."""
        drive = drive_values(self.system, state.t) if drive is None else drive
        arrays = frames(state.positions, state.quaternions, state.velocities)
        q, rates = stepping.read(*self._tables, *arrays)
        return self._whole(q, rates, state, drive, self._accelerate(q, rates, state, drive))

    def attempt(
        self, state: State, slope: Slope, work: Array, memory: Remembered, h: float, tolerances: tuple[float, float]
    ) -> Attempt:
        """A step of `h` (s) from a state whose memory is given."""
        nq, nv = self._sizes
        assert isinstance(memory, np.ndarray)
        q, rates, acceleration = memory[:nq], memory[nq : nq + nv], memory[nq + nv :]
        tableau = self.method.tableau
        assert tableau is not None
        drives = np.array([drive_values(self.system, state.t + c * h) for c in tableau.nodes])
        end = drives[-1] if tableau.nodes[-1] == 1.0 else drive_values(self.system, state.t + h)
        begin = (acceleration.copy(), self._angles(slope.turning), slope.power)
        q, rates, angles, done, error, moved, residual = stepping.advance(
            *self._kernel, self.system.length, tableau, h, q.copy(), rates.copy(), self._angles(state.angles), work,
            begin, drives, end, *tolerances,
        )  # fmt: skip
        count = self.method.evaluations
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(rates)) and np.isfinite(residual)):
            return Attempt(state, done, np.inf, float(moved), float(residual), memory, count)
        found = self._state(state, h, q, rates, angles)
        if error > 1.0:
            return Attempt(found, done, float(error), float(moved), float(residual), memory, count)
        last = self._accelerate(q, rates, found, end)
        kept = np.concatenate([q, rates, last[0]])
        whole = self._whole(q, rates, found, end, last)
        return Attempt(found, done, float(error), float(moved), float(residual), kept, count, whole)

    def settle(self, state: State, tolerances: tuple[float, float]) -> State:
        """The state put on the tree's joints and its closing rows."""
        arrays = frames(state.positions, state.quaternions, state.velocities)
        q, rates = stepping.read(*self._tables, *arrays)
        angles = self._angles(state.angles)
        own = self._own
        drive = drive_values(self.system, state.t)
        stepping.settle(*self._tables, own.program.terms, own.rows, own.length, q, rates, angles, drive, *tolerances)
        return self._state(state, 0.0, q, rates, angles)

    def _state(self, before: State, h: float, q: Array, rates: Array, angles: Array) -> State:
        """The bodies at q and rates, `h` after `before`."""
        spins = shaft_spins(self.system.bodies, before.quaternions, before.velocities)
        near = np.empty_like(before.quaternions)
        still = np.zeros_like(near)
        still[:, 0] = 1.0
        # The signs of the quaternions go on from step to step, however often a wheel turns in one.
        spun(still, spins, before.quaternions, h, near)
        x, quaternions, v = stepping.frames_of(*self._tables, q, rates, near)
        return State(before.t + h, x, quaternions, v, angles[self._back])

    def _angles(self, angles: Array | None) -> Array:
        return np.zeros(0) if angles is None else angles[self._given]

    def _accelerate(self, q: Array, rates: Array, state: State, drive: Array) -> tuple[Array, Array, Array, Array]:
        found = closed.accelerate(*self._kernel, q, rates, self._angles(state.angles), drive)
        if not np.all(np.isfinite(found[0])):
            raise ValueError("a freedom of the tree has no inertia")
        return found  # type: ignore[no-any-return]

    def _whole(
        self, q: Array, rates: Array, state: State, drive: Array, solved: tuple[Array, Array, Array, Array]
    ) -> Slope:
        """The slope in absolute coordinates, with the multipliers of the tree's own joints."""
        acceleration, closing, turning, power = solved
        angles = self._angles(state.angles)
        centres, wrench, o = closed.reactions(*self._kernel, q, rates, angles, drive, acceleration, closing)
        multipliers = np.zeros(self.system.program.rows)
        multipliers[self._rows] = closing
        T = self.system.program.terms
        still = np.zeros_like(state.velocities)
        every = np.zeros(0) if state.angles is None else state.angles
        *_, blocks, _ = evaluate_rows(T, state.positions, state.quaternions, still, False, every, True)
        read_multipliers(self.span.places, T, *self._joints, o, state.positions, blocks, wrench, multipliers)
        return Slope(centres, turning[self._back], power, multipliers, drive)


def _angle_places(system: System, own: System, found: Span) -> tuple[Ints, Ints]:
    """Places of the closing system's angles among those of the whole, and of the whole's among the closing ones."""
    measured = {id(coordinate): owner for owner, coordinate in found.angles.items()}
    whole = {owner: k for k, owner in reversed(list(enumerate(system.angle_owner)))}
    part = {owner: k for k, owner in reversed(list(enumerate(own.angle_owner)))}
    given = [whole[owner] if owner in whole else whole[measured[id(owner)]] for owner in own.angle_owner]
    back = [part[found.angles.get(owner, owner)] for owner in system.angle_owner]
    return np.array(given, np.int64), np.array(back, np.int64)


def _row_places(system: System, own: System, found: Span) -> Ints:
    """Rows of the whole system that the closing system's rows are: primitives, drivers, rotors."""
    starts = system.program.primitive_row
    rows = [r for i in found.kept for r in range(int(starts[i]), int(starts[i + 1]))]
    kinds = system.rows.kind
    rows += [r for r in range(int(starts[-1]), len(kinds)) if kinds[r] != ROTOR]
    return np.array(rows + [r for r, load in _rotor_rows(system) if load not in found.stripped], np.int64)


def _rotor_rows(system: System) -> list[tuple[int, int]]:
    """The rotors' rows, each with the place of its load."""
    bearing = [i for i, load in enumerate(system.model.loads) if load.armature > 0]
    return list(zip((int(r) for r in np.flatnonzero(system.rows.kind == ROTOR)), bearing, strict=True))


def _joint_rows(system: System, found: Span) -> tuple[Ints, Ints, Ints]:
    """For each joint of the tree its child body, and its rows in the whole system (with the rotors that it bears)."""
    model, starts = system.model, system.program.primitive_row
    kept, children = set(found.kept), _children(found)
    of: dict[str, list[int]] = {joint.name: [] for joint in found.joints}
    for i in range(len(model.primitives)):
        if i not in kept:
            of[model.groups[i]] += range(int(starts[i]), int(starts[i + 1]))
    for row, load in _rotor_rows(system):
        if load in found.stripped:
            of[model.loads[load].name].append(row)
    counts = np.cumsum([0] + [len(rows) for rows in of.values()]).astype(np.int64)
    flat = np.array([r for rows in of.values() for r in rows], np.int64)
    return np.array([children[name] for name in of], np.int64), counts, flat


def _children(found: Span) -> dict[str, int]:
    """The outer body of each joint of the tree."""
    place = {int(body): i for i, body in enumerate(found.places.order)}
    return {j.name: max(j.a, j.b, key=lambda body: place.get(body, -1)) for j in found.joints}


@njit(cache=True)
def read_multipliers(K, T, child, start, rows, o, x, blocks, wrench, out):  # type: ignore[no-untyped-def]
    """Multipliers of the tree's joints into out (m,), from what each does to its child: −Ĝᵀλ, about its centre."""
    w = np.empty(6)
    for i in range(child.shape[0]):
        body = child[i]
        k = K.last[body]
        f = wrench[k]
        r = (o[k, 0] - x[body, 0], o[k, 1] - x[body, 1], o[k, 2] - x[body, 2])
        w[:] = 0.0
        carry_wrench(r, f, w)
        own = rows[start[i] : start[i + 1]]
        A = np.zeros((6, own.shape[0]))
        for c in range(own.shape[0]):
            for b in range(T.row_block[own[c]], T.row_block[own[c] + 1]):
                if T.block_body[b] == body:
                    A[:, c] = blocks[b]
        if own.shape[0] > 0:
            out[own] = -np.linalg.lstsq(A, w)[0]
