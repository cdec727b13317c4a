"""Kineto-statics of a model by its bond graph: driving efforts and constraint forces of a known motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solver.bondgraph.build import Drive, Place, build
from solver.bondgraph.junction import Junction, Structure
from solver.bondgraph.unified import Fields, Known, solve, split
from solver.constraints.evaluation import evaluate_program
from solver.constraints.program import compile_program
from solver.equations.dynamics import evaluate_all, frames
from solver.equations.loads import all_forces
from solver.equations.projection import carry_angles, complete, drive_values
from solver.equations.system import prepare
from solver.faults import NoStorageError
from solver.model import Model
from solver.state import State

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Found:
    """The forces of a known motion.

    Attributes:
        efforts: Driving efforts (c,) N m (N), in the order of the drives.
        multipliers: Of the model's rows (m,): N of a row in m, N m of one in rad or 1.
        unmet: The largest acceleration (m/s², rad/s²) by which the motion given differs from what these forces do.
        junction: The matrices at the state.
    """

    efforts: Array
    multipliers: Array
    unmet: float
    junction: Junction


class KinetoStatics:
    """The graph of a model that moves in a known way, ready for many states.

    Args:
        model: The model.
        drives: The driving efforts that are sought.

    Raises:
        NoStorageError: A body has no mass or inertia: its storage would have no law.
    """

    def __init__(self, model: Model, drives: Sequence[Drive]) -> None:
        for body in model.bodies:
            if not (body.mass > 0 and np.linalg.eigvalsh(body.inertia).min() > 0):
                raise NoStorageError(f"{body.name} has no mass or inertia, which a bond graph needs in every body")
        self.model = model
        self.built = build(model, drives)
        self.structure = Structure(self.built)
        self._given = prepare(model)
        # What is damping is an R of the graph: it must not act twice.
        self._undamped = prepare(replace(model, loads=tuple(replace(load, damping=0.0) for load in model.loads)))
        x, q = np.asarray(model.positions, float).reshape(-1, 3), np.asarray(model.quaternions, float).reshape(-1, 4)
        self._rows = compile_program(model.primitives, x, q)
        self._extra = compile_program(self.built.extra, x, q)
        n = len(model.bodies)
        self._mass = np.array([b.mass for b in model.bodies])
        self._inertia = np.array([np.asarray(b.inertia, float) for b in model.bodies]).reshape(n, 3, 3)
        self._first = self._driven_storage()

    def _driven_storage(self) -> NDArray[np.bool_]:
        """Storage (6n,) of the bodies that a driving effort reaches directly: i1."""
        # Which bodies an effort reaches is the graph's matter, and the same at any pose.
        rest = {"x": np.asarray(self.model.positions, float), "q": np.asarray(self.model.quaternions, float)}
        J = self.structure.evaluate(self._place(State.at_rest(rest["x"], rest["q"]))).J["i"]["u1"]
        touched = np.any(np.abs(J.reshape(-1, 6, J.shape[1])) > 0, axis=(1, 2))
        return np.repeat(touched, 6)

    def _place(self, state: State) -> Place:
        x, R, _ = frames(state.positions, state.quaternions, np.zeros((len(state.positions), 6)))
        G = evaluate_program(self._extra, state.positions, state.quaternions).G
        return Place(x, R, G)

    def at(self, state: State, accelerations: Array, wrenches: Array | None = None) -> Found:
        """Compute the forces at a state on the constraints.

        Args:
            state: Where the bodies are and how they move.
            accelerations: [v̇; ω̇] (n, 6), world axes; only those of the driven bodies count.
            wrenches: [force; torque] (n, 6) that act beside the model's loads, world axes, about the bodies' centres.

        Returns:
            The driving efforts and the constraints' multipliers.
        """
        place = self._place(state)
        junction = self.structure.evaluate(place)
        R, n = place.R[:-1], len(self.model.bodies)
        spin = np.einsum("nij,nj->ni", np.swapaxes(R, 1, 2), state.velocities[:, 3:])
        turn = np.einsum("nij,nj->ni", np.swapaxes(R, 1, 2), accelerations[:, 3:])
        X, rate = np.empty((n, 2, 3)), np.empty((n, 2, 3))
        X[:, 0], rate[:, 0] = self._mass[:, None] * state.velocities[:, :3], self._mass[:, None] * accelerations[:, :3]
        X[:, 1] = np.einsum("nij,nj->ni", self._inertia, spin)
        rate[:, 1] = np.einsum("nij,nj->ni", self._inertia, turn)
        first = self._first
        c = evaluate_program(self._rows, state.positions, state.quaternions, state.velocities).c
        # The graph has the constraints' sources in its own order, point by point and joint by joint; the model's rows
        # are in another.
        order = [row for rows in self.built.row_of.values() for row in rows]
        known = Known(
            X.ravel()[first],
            X.ravel()[~first],
            rate.ravel()[first],
            self._sources(state, accelerations, R, wrenches),
            # Ĝ v̇ = c says that c is −Ĝ̇ v, and the constraints' own acceleration J̇_C Z is Ĝ̇ v.
            -c[order],
        )
        F, dampers, RE = self._laws(X[:, 1])
        fields = Fields(F[np.ix_(first, first)], F[np.ix_(~first, ~first)], dampers, RE)
        U1, U2 = solve(split(junction.J, first), fields, known)
        multipliers = np.zeros(len(c))
        multipliers[order] = U2
        J, Z = junction.J, F @ X.ravel()
        forces = J["i"]["L"] @ dampers @ J["L"]["i"] @ Z + J["i"]["E"] @ RE @ J["E"]["i"] @ Z
        forces += J["i"]["u1"] @ U1 + J["i"]["u2"] @ U2 + J["i"]["u3"] @ known.U3
        return Found(U1, multipliers, float(np.max(np.abs(F @ (forces - rate.ravel())), initial=0.0)), junction)

    def _laws(self, momentum: Array) -> tuple[Array, Array, Array]:
        """F, R and R_E, the laws of the fields; R_E (eq. 3) of angular momenta (n, 3) in body axes."""
        n = len(self._mass)
        F, RE = np.zeros((n, 6, n, 6)), np.zeros((n, 3, n, 3))
        i = np.arange(n)
        for k in range(3):
            F[i, k, i, k] = 1 / self._mass
        F[i, 3:, i, 3:] = np.linalg.inv(self._inertia)
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            # ω × Jω in body axes, eq. (3): skew, so that it exchanges momentum between the axes and takes no power.
            RE[i, a, i, b], RE[i, b, i, a] = momentum[:, c], -momentum[:, c]
        flat = F.reshape(6 * n, 6 * n)
        dampers = np.diag(np.array([self.built.dampers[k] for k in self.structure.ports["L"]], float))
        return flat, dampers, RE.reshape(3 * n, 3 * n)

    def _sources(self, state: State, accelerations: Array, R: Array, wrenches: Array | None) -> Array:
        """U₃ (6n,): forces in world axes and torques in body axes of all that acts but damping, constraints, drives.

        Rotors that bodies do not hold (armatures) are known inertia forces along their coordinates.
        """
        system = self._undamped
        here = carry_angles(complete(self._given, state), self._given, system)
        x, frames_, v = frames(here.positions, here.quaternions, here.velocities)
        drive = drive_values(system, here.t)
        T, W = system.program.terms, system.rows
        value, speed, bias, JA, JB, *_ = evaluate_all(T, W, x, frames_, v, here.branches, drive, True)
        force, power = np.zeros((len(R), 6)), np.zeros(len(drive) + 1)
        all_forces(
            T,
            system.bodies,
            system.loads,
            drive,
            x,
            frames_,
            v,
            value,
            speed,
            JA,
            JB,
            np.zeros((3, len(system.loads.callback_term))),
            force,
            power,
        )
        if wrenches is not None:
            force += wrenches
        # The gyroscopic moment is the Euler junction structure's.
        spin = state.velocities[:, 3:]
        momentum = np.einsum("nij,njk,nlk,nl->ni", R, self._inertia, R, spin)
        force[:, 3:] += np.cross(spin, momentum)
        start = len(T.kind) - len(system.program.coordinate_term) + len(self.model.coordinates)
        for k, load in enumerate(self.model.loads):
            if load.armature:
                term = start + k
                sides = [(T.body_a[term], JA[term]), (T.body_b[term], JB[term])]
                sides = [(b, J) for b, J in sides if b < len(R)]
                second = bias[term] + sum(float(J @ accelerations[b]) for b, J in sides)
                for b, J in sides:
                    force[b] -= load.armature * second * J
        force[:, 3:] = np.einsum("nij,nj->ni", np.swapaxes(R, 1, 2), force[:, 3:])
        return np.asarray(force.ravel())
