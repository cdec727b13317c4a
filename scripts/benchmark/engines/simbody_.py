"""Simbody through OpenSim: joint coordinates; loops as point constraints, gears as linear couplers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import opensim as osim

from benchmark.cases import Array, Case, Hinge
from benchmark.engines.base import Evaluation, Run, stopwatch, timed

TOLERANCES = (1e-3, 1e-4, 1e-6, 1e-8, 1e-10)


class Engine:
    """A model of pins; its default integrator is Runge–Kutta–Merson."""

    def __init__(self, case: Case) -> None:
        osim.Logger.setLevelString("error")
        self.case = case
        self.model = osim.Model()
        self.model.setGravity(osim.Vec3(*case.gravity))
        self.bodies: list[osim.Body] = []
        self.joints: list[osim.PinJoint] = []
        for i, h in enumerate(case.tree):
            self._add(i, h)
        for k, (h, shift) in enumerate((h, s) for h in case.loops for s in (-0.5, 0.5)):
            at = h.point + shift * h.axis
            ends: list[object] = []
            for body in (h.a, h.b):
                base = case.tree[body].point if body >= 0 else np.zeros(3)
                ends += [self._frame(body), osim.Vec3(*(at - base))]
            constraint = osim.PointConstraint(*ends)
            constraint.setName(f"c{k}")
            self.model.addConstraint(constraint)
        for k, row in enumerate(case.couplings if case.couplings is not None else ()):
            self._couple(k, row)
        self.state = self.model.initSystem()
        self.coordinates = [joint.getCoordinate() for joint in self.joints]

    def _frame(self, body: int) -> osim.PhysicalFrame:
        return self.bodies[body] if body >= 0 else self.model.getGround()

    def _add(self, i: int, h: Hinge) -> None:
        case = self.case
        J = case.inertias[i]
        about = osim.Inertia(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        body = osim.Body(f"b{i}", case.masses[i], osim.Vec3(*(case.positions[i] - h.point)), about)
        base = case.tree[h.a].point if h.a >= 0 else np.zeros(3)
        turn = osim.Vec3(*_pin(h.axis))
        joint = osim.PinJoint(
            f"j{i}", self._frame(h.a), osim.Vec3(*(h.point - base)), turn, body, osim.Vec3(0, 0, 0), turn
        )
        joint.updCoordinate().setName(f"q{i}")
        self.model.addBody(body)
        self.model.addJoint(joint)
        self.bodies.append(body)
        self.joints.append(joint)

    def _couple(self, k: int, row: Array) -> None:
        used = np.flatnonzero(np.abs(row) > 1e-9)
        dependent, *others = used[::-1]
        coupler = osim.CoordinateCouplerConstraint()
        coupler.setName(f"g{k}")
        names = osim.ArrayStr()
        function = osim.LinearFunction()
        factors = osim.ArrayDouble()
        for other in others:
            names.append(f"q{other}")
            factors.append(-row[other] / row[dependent])
        factors.append(0.0)
        function.setCoefficients(factors)
        coupler.setIndependentCoordinateNames(names)
        coupler.setDependentCoordinateName(f"q{dependent}")
        coupler.setFunction(function)
        self.model.addConstraint(coupler)

    def _reset(self) -> osim.State:
        state = osim.State(self.state)
        for coordinate, rate in zip(self.coordinates, self.case.first_rates(), strict=True):
            coordinate.setValue(state, 0.0, False)
            coordinate.setSpeedValue(state, float(rate))
        return state

    def evaluation(self) -> Evaluation:
        """Accelerations realised anew, multipliers included."""
        state = self._reset()

        def call() -> None:
            state.invalidateAllCacheAtOrAbove(osim.Stage(osim.Stage.Position))
            self.model.realizeAcceleration(state)

        seconds = timed(call)
        found = np.array([c.getAccelerationValue(state) for c in self.coordinates])
        return Evaluation("realizeAcceleration", seconds, found)

    def runs(self) -> Iterator[Run]:
        """Simulations, from coarse to fine."""
        for tolerance in TOLERANCES:
            seconds, state = stopwatch(partial(self._walk, tolerance))
            q = np.array([c.getValue(state) for c in self.coordinates])
            v = np.array([c.getSpeedValue(state) for c in self.coordinates])
            yield Run("Merson", tolerance, seconds, 0, self.case.motion(q, v), seconds)

    def _walk(self, tolerance: float) -> osim.State:
        manager = osim.Manager(self.model)
        manager.setPerformAnalyses(False)
        manager.setWriteToStorage(False)
        manager.setIntegratorAccuracy(tolerance)
        manager.initialize(self._reset())
        return osim.State(manager.integrate(self.case.duration))


def _pin(axis: Array) -> Array:
    """Body-fixed XYZ angles that turn z into the axis."""
    return np.array([np.arctan2(-axis[1], axis[2]), np.arcsin(np.clip(axis[0], -1, 1)), 0.0])
