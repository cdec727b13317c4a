"""The method of Shah, Saha & Dutt (2013): Newton–Euler recursions by the decoupled natural orthogonal complement.

The tree cut open at loops, gears and couplings asks for efforts h of all its rates. Those of the actuators and the
forces of what was cut give them, h = (∂c/∂θ)ᵀ τ − (Ĝ N)ᵀ λ; one more sweep
gives what each joint carries.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.coordinates import Measured
from cadbridge.efforts.guides import path_rows, prescribed_slots
from cadbridge.efforts.task import Forces, Task
from cadbridge.tree.links import Posed, SpanningTree, posed, spanning_tree
from cadbridge.tree.matrices import at_centres
from solver.algebra.division import LEAST_DIVISOR
from solver.algebra.rank import left_null_space
from solver.analyses.minimal import jacobian, mass_matrix
from solver.denoc import complement, inertia_matrix, inverse_dynamics, poses
from solver.equations.dynamics import evaluate_all, frames
from solver.equations.loads import all_forces
from solver.equations.projection import complete, drive_values
from solver.rotation import matrix
from solver.state import State

Array = NDArray[np.float64]

_NO_SINGULAR_VALUE = 1e-10
"""Singular values below this part of the largest are none: rows of loops that repeat each other by design leave 1e-13.
"""


def by_tree(task: Task) -> Forces:
    """All forces by two recursions over the spanning tree for each sample."""
    sweeps = _Sweeps(task)
    T = task.trajectory
    losses = [None] * len(T.t) if task.losses is None else task.losses
    rows = zip(task.states(), T.accelerations, losses, strict=True)
    found = [sweeps.at(state, a, lost) for state, a, lost in rows]
    k, c = len(T.t), len(task.channels)
    efforts = np.array([f[0] for f in found]).reshape(k, -1)
    external, at = {}, c
    for path in task.outside:
        slots = prescribed_slots(path)
        external[path.name] = np.zeros((k, 6))
        external[path.name][:, slots] = efforts[:, at : at + len(slots)]
        at += len(slots)
    multipliers = np.array([f[1] for f in found]).reshape(k, -1)
    return Forces(efforts[:, :c], multipliers, np.array([f[2] for f in found]), external=external)


class _Sweeps:
    """A task's spanning tree, ready for its samples."""

    def __init__(self, task: Task) -> None:
        self.task = task
        # Rotors are known inertia forces along their coordinates, also of joints that are none of the tree's.
        self.of = spanning_tree(task.lowered, task.model, carried=False)
        links = tuple(replace(link, armature=0.0) for link in self.of.tree.links)
        self.plain = replace(self.of.tree, links=links)
        self.channels = Measured(task.model, task.channels)
        rotors = [load for load in task.model.loads if load.armature]
        self.rotors = Measured(task.model, [load.coordinate for load in rotors])
        self.armatures = np.array([load.armature for load in rotors])
        self.system = self.of.system
        held = self.system.row_group[: self.system.constraint_rows]
        rows_of: dict[str, list[int]] = {}
        for row, name in enumerate(held):
            rows_of.setdefault(name, []).append(row)
        joints = [self.of.joints[link] for link in self.of.bearer]
        self.held = {unit: rows_of[name] for unit, name in enumerate(joints) if name in rows_of}

    def at(self, state: State, accelerations: Array, lost: Array | None) -> tuple[Array, Array, float]:
        """Efforts of channels and of what leads bodies, multipliers (m,) of all rows, acceleration left open."""
        of, n = self.of, len(self.of.bearer)
        here = complete(self.system, state)
        place = posed(of, here, accelerations)
        N = at_centres(of, place.q, _product(of, place.q))
        G = jacobian(self.system, here)[0][: self.system.constraint_rows]
        force = self._acting(here, accelerations)
        if lost is not None:
            force = force + lost
        h = self._efforts(place, force)[0]
        C = np.vstack([self.channels.gradients(here), *self._outside(here)])
        J = G[of.closing] @ N
        free = _null(J) if len(J) else np.eye(len(h))
        tau, closing = _shared(h, C @ N, J, free)
        force = force + (C.T @ tau - G[of.closing].T @ closing).reshape(n, 6)
        left, carried = self._efforts(place, force)
        unmet = np.linalg.lstsq(inertia_matrix(of.tree, place.q), left, rcond=None)[0]
        repeated = len(J) > len(h) - free.shape[1]
        return tau, self._all(here, G, carried, closing, repeated), float(np.max(np.abs(unmet), initial=0.0))

    def _efforts(self, place: Posed, force: Array) -> tuple[Array, Array]:
        """Efforts (nv,) under wrenches (n, 6) about the centres, and what each link's joint does to it, about those."""
        of, tree = self.of, self.plain
        R = poses(tree, place.q)[1]
        arms = np.array([R[link] @ tree.links[link].com for link in of.bearer]).reshape(-1, 3)
        wrenches = np.zeros((len(tree.links), 6))
        wrenches[of.bearer] = force
        wrenches[of.bearer, 3:] += np.cross(arms, force[:, :3])
        found = inverse_dynamics(tree, place.q, place.rates, place.accelerations, wrenches)
        carried = found.wrenches[of.bearer]
        carried[:, 3:] -= np.cross(arms, carried[:, :3])
        return found.efforts, carried

    def _all(self, state: State, G: Array, carried: Array, closing: Array, repeated: bool) -> Array:
        """The multipliers (m,) of all rows: of the tree's joints from what they carry, −Ĝᵀλ on the unit beyond.

        Where rows are `repeated` across loops those of least norm, as all methods give them.
        """
        found = np.zeros(len(G))
        found[self.of.closing] = closing
        for unit, rows in self.held.items():
            own = G[rows, 6 * unit : 6 * unit + 6]
            found[rows] = np.linalg.lstsq(own.T, -carried[unit], rcond=_NO_SINGULAR_VALUE)[0]
        if repeated:
            # Rows are weighed as the solver does: by what a unit multiplier accelerates along its own row.
            M = mass_matrix(self.system, state, lent=True)
            weight = np.sqrt(np.einsum("ij,ji->i", G, np.linalg.solve(M, G.T)))
            N = np.linalg.qr(weight[:, None] * left_null_space(G, self.system.length))[0]
            found -= N @ (N.T @ (weight * found)) / weight
        return found

    def _outside(self, state: State) -> list[Array]:
        R = np.asarray(matrix(state.quaternions))
        return [path_rows(path, self.task.lowered, state.positions, R) for path in self.task.outside]

    def _acting(self, state: State, accelerations: Array) -> Array:
        """(n, 6) of all loads but gravity, about the centres, world axes; rotors resist as they accelerate."""
        S = self.system
        x, R, v = frames(state.positions, state.quaternions, state.velocities)
        drive = drive_values(S, state.t)
        T = S.program.terms
        value, speed, _, JA, JB, *_ = evaluate_all(T, S.rows, x, R, v, state.branches, drive, True)
        n = len(S.model.bodies)
        force, power = np.zeros((n, 6)), np.zeros(len(drive) + 1)
        calls = np.zeros((3, len(S.loads.callback_term)))
        all_forces(T, S.bodies, S.loads, drive, x, R, v, value, speed, JA, JB, calls, force, power)
        # The recursions have weight and gyroscopic moment themselves.
        inertia = R[:n] @ S.bodies.inertia @ np.swapaxes(R[:n], 1, 2)
        w = state.velocities[:, 3:]
        force[:, :3] -= S.bodies.mass[:, None] * np.asarray(S.model.gravity)
        force[:, 3:] += np.cross(w, np.einsum("nij,nj->ni", inertia, w))
        if len(self.armatures):
            second = self.rotors.accelerations(state, accelerations)
            force -= ((self.armatures * second) @ self.rotors.gradients(state)).reshape(n, 6)
        return force


def _shared(h: Array, C: Array, J: Array, free: Array) -> tuple[Array, Array]:
    """τ and λ with Cᵀ τ − Jᵀ λ = h, each of least norm; `free` (nv, d) are the rates that J allows."""
    # Closing forces do no work on rates that their rows allow: along these freeᵀ Cᵀ τ = freeᵀ h. What is left is
    # theirs.
    tau = np.linalg.lstsq((C @ free).T, free.T @ h, rcond=_NO_SINGULAR_VALUE)[0]
    closing = np.linalg.lstsq(-J.T, h - C.T @ tau, rcond=_NO_SINGULAR_VALUE)[0]
    return np.asarray(tau, float), np.asarray(closing, float)


def _product(of: SpanningTree, q: Array) -> Array:
    Nl, Nd = complement(of.tree, q)
    return np.asarray(Nl @ Nd)


def _null(J: Array) -> Array:
    """An orthonormal basis (nv, d) of the rates that rows allow."""
    _, s, V = np.linalg.svd(J)
    kept = int(np.sum(s > _NO_SINGULAR_VALUE * max(float(s.max(initial=0.0)), LEAST_DIVISOR)))
    return np.asarray(V[kept:].T)
