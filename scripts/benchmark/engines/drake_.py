"""Drake: joint coordinates; trees continuous, gears eliminated; loops only in its discrete solver (SAP)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, RevoluteJoint, RotationalInertia, SpatialInertia
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

from benchmark.cases import Array, Case
from benchmark.engines.base import Evaluation, Run, free_motions, runge_kutta, stepped, stopwatch, timed, whole_steps

TOLERANCES = (1e-3, 1e-4, 1e-6, 1e-8, 1e-10)
STEPS = (1e-2, 4e-3, 1e-3, 2.5e-4)


class Engine:
    """A plant of revolute joints."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.free = None if case.couplings is None else free_motions(case.couplings)
        self._ready(0.0)

    def _ready(self, step: float) -> None:
        """Make the plant, continuous or with a discrete step (s)."""
        case = self.case
        plant = MultibodyPlant(step)
        if step > 0:
            plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
        plant.mutable_gravity_field().set_gravity_vector(np.array(case.gravity))
        self.bodies, self.joints = [], []
        for i, h in enumerate(case.tree):
            J = case.inertias[i]
            about = RotationalInertia(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
            middle = case.positions[i] - h.point
            inertia = SpatialInertia.MakeFromCentralInertia(case.masses[i], middle, about)
            body = plant.AddRigidBody(f"b{i}", inertia)
            parent = self.bodies[h.a].body_frame() if h.a >= 0 else plant.world_frame()
            base = case.tree[h.a].point if h.a >= 0 else np.zeros(3)
            frame = plant.AddFrame(FixedOffsetFrame(f"f{i}", parent, RigidTransform(h.point - base)))
            self.joints.append(plant.AddJoint(RevoluteJoint(f"j{i}", frame, body.body_frame(), h.axis)))
            self.bodies.append(body)
        if step > 0:
            self._close(plant)
        plant.Finalize()
        self.plant = plant
        self.context = plant.CreateDefaultContext()

    def _close(self, plant: MultibodyPlant) -> None:
        """Two points of each closing hinge's axis held together."""
        for h in self.case.loops:
            for shift in (-0.5, 0.5):
                at = h.point + shift * h.axis
                ends: list[object] = []
                for k in (h.a, h.b):
                    ends += [self.bodies[k], at - self.case.tree[k].point] if k >= 0 else [plant.world_body(), at]
                plant.AddBallConstraint(*ends)

    def _set(self, context: object, q: Array, v: Array) -> None:
        for joint, angle, rate in zip(self.joints, q, v, strict=True):
            joint.set_angle(context, angle)
            joint.set_angular_rate(context, rate)

    def _read(self, context: object) -> tuple[Array, Array]:
        q = np.array([joint.get_angle(context) for joint in self.joints])
        return q, np.array([joint.get_angular_rate(context) for joint in self.joints])

    def accelerations(self, q: Array, v: Array) -> Array:
        """q̈ (n,) of the tree's hinges: where gears are, along the motions which they allow."""
        plant, context, N = self.plant, self.context, self.free
        plant.SetPositionsAndVelocities(context, np.concatenate([q, v]))
        if N is None:
            return plant.EvalTimeDerivatives(context).CopyToVector()[len(q) :]
        M = plant.CalcMassMatrix(context)
        force = plant.CalcGravityGeneralizedForces(context) - plant.CalcBiasTerm(context)
        return N @ np.linalg.solve(N.T @ M @ N, N.T @ force)

    def evaluation(self) -> Evaluation | None:
        """Time derivatives of the continuous plant; None with loops, which only its discrete steps know."""
        if self.case.loops:
            return None
        what = "EvalTimeDerivatives" if self.free is None else "mass matrix, gears eliminated"
        call = partial(self.accelerations, np.zeros(self.case.count), self.case.first_rates())
        return Evaluation(what, timed(call), call())

    def runs(self) -> Iterator[Run]:
        """Simulations, from coarse to fine."""
        if self.case.loops:
            yield from (self._discrete(step) for step in STEPS)
        elif self.free is not None:
            yield from (self._reduced(step) for step in STEPS)
        else:
            yield from (self._continuous(tolerance) for tolerance in TOLERANCES)

    def _start(self) -> Simulator:
        simulator = Simulator(self.plant)
        self._set(simulator.get_mutable_context(), np.zeros(self.case.count), self.case.first_rates())
        return simulator

    def _continuous(self, tolerance: float) -> Run:
        def walk() -> Simulator:
            simulator = self._start()
            integrator = ResetIntegratorFromFlags(simulator, "runge_kutta3", self.case.duration)
            integrator.set_target_accuracy(tolerance)
            simulator.Initialize()
            simulator.AdvanceTo(self.case.duration)
            return simulator

        seconds, simulator = stopwatch(walk)
        steps = simulator.get_integrator().get_num_steps_taken()
        motion = self.case.motion(*self._read(simulator.get_context()))
        return Run("RK3", tolerance, seconds, steps, motion, seconds)

    def _discrete(self, step: float) -> Run:
        count, h = whole_steps(self.case.duration, step)
        self._ready(h)

        def walk() -> Simulator:
            simulator = self._start()
            simulator.Initialize()
            simulator.AdvanceTo(self.case.duration)
            return simulator

        seconds, simulator = stopwatch(walk)
        return stepped("SAP", h, seconds, count, self.case.motion(*self._read(simulator.get_context())))

    def _reduced(self, step: float) -> Run:
        count, h = whole_steps(self.case.duration, step)
        first = (np.zeros(self.case.count), self.case.first_rates())
        seconds, (q, v) = stopwatch(lambda: runge_kutta(self.accelerations, *first, h, count))
        return stepped("RK4", h, seconds, count, self.case.motion(q, v))
