"""Pinocchio: joint coordinates; loops as pairs of point contacts by its proximal solver, gears eliminated."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pinocchio as pin

from benchmark.cases import Array, Case
from benchmark.engines.base import Evaluation, Run, free_motions, runge_kutta, stepped, stopwatch, timed, whole_steps

STEPS = (2e-2, 1e-2, 4e-3, 2e-3, 1e-3, 2.5e-4)


class Engine:
    """The compiled dynamics, and Runge–Kutta of order 4 by a loop in Python, for Pinocchio has no integrator."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array(case.gravity), np.zeros(3))
        self.joint: list[int] = []
        points = [h.point for h in case.tree]
        for i, h in enumerate(case.tree):
            parent = self.joint[h.a] if h.a >= 0 else 0
            base = points[h.a] if h.a >= 0 else np.zeros(3)
            place = pin.SE3(np.eye(3), h.point - base)
            self.joint.append(self.model.addJoint(parent, pin.JointModelRevoluteUnaligned(h.axis), place, f"j{i}"))
            inertia = pin.Inertia(case.masses[i], case.positions[i] - h.point, case.inertias[i])
            self.model.appendBodyToJoint(self.joint[i], inertia, pin.SE3.Identity())
        self.data = self.model.createData()
        self.loops = pin.StdVec_RigidConstraintModel()
        self.loop_data = pin.StdVec_RigidConstraintData()
        for model in self._loops(points):
            self.loops.append(model)
            self.loop_data.append(model.createData())
        self.settings = pin.ProximalSettings(1e-12, 1e-10, 1e-8, 20)
        if case.loops:
            pin.initConstraintDynamics(self.model, self.data, self.loops, self.loop_data)
        self.free = None if case.couplings is None else free_motions(case.couplings)
        self.q, self.v, self.zero = np.zeros(case.count), case.first_rates(), np.zeros(case.count)

    def _loops(self, points: list[Array]) -> Iterator[pin.RigidConstraintModel]:
        """Two points of each closing hinge's axis held together; without stabilisation, as by default."""
        for h in self.case.loops:
            for shift in (-0.5, 0.5):
                at = h.point + shift * h.axis
                ends = []
                for body in (h.a, h.b):
                    joint, base = (self.joint[body], points[body]) if body >= 0 else (0, np.zeros(3))
                    ends += [joint, pin.SE3(np.eye(3), at - base)]
                yield pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, *ends)

    def accelerations(self, q: Array, v: Array) -> Array:
        """q̈ (n,) of the tree's hinges."""
        if self.case.loops:
            arguments = (self.model, self.data, q, v, self.zero, self.loops, self.loop_data, self.settings)
            return pin.constraintDynamics(*arguments)
        if self.free is not None:
            M = pin.crba(self.model, self.data, q)
            M = np.triu(M) + np.triu(M, 1).T
            h = pin.nonLinearEffects(self.model, self.data, q, v)
            N = self.free
            return N @ np.linalg.solve(N.T @ M @ N, -N.T @ h)
        return pin.aba(self.model, self.data, q, v, self.zero)

    def evaluation(self) -> Evaluation:
        """`aba` of a tree; with multipliers where loops are."""
        name = "constraintDynamics" if self.case.loops else "crba, gears eliminated" if self.free is not None else "aba"
        seconds = timed(lambda: self.accelerations(self.q, self.v))
        return Evaluation(name, seconds, np.array(self.accelerations(self.q, self.v)))

    def runs(self) -> Iterator[Run]:
        """Simulations, from coarse to fine."""
        for step in STEPS:
            count, h = whole_steps(self.case.duration, step)
            seconds, (q, v) = stopwatch(partial(runge_kutta, self.accelerations, self.q, self.v, h, count))
            yield stepped("RK4", h, seconds, count, self.case.motion(q, v))
