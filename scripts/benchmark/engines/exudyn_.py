"""Exudyn: absolute coordinates with Euler parameters, generalised-α at fixed steps; gears between bodies it has not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import exudyn as exu
import numpy as np
from exudyn.utilities import RigidBodyInertia, SensorBody

from benchmark.cases import Case, Motion
from benchmark.engines.base import Evaluation, Path, Run, UnsupportedError, stepped, stopwatch, whole_steps

STEPS = (1e-2, 4e-3, 2e-3, 1e-3, 5e-4)
REDUNDANT = 40
"""Bodies up to which a redundant system is given to the dense factor with full pivoting, which is cubic."""


class Engine:
    """Rigid bodies as Exudyn makes them by default; redundant loops need its dense factor with full pivoting."""

    def __init__(self, case: Case) -> None:
        if case.gears:
            raise UnsupportedError("it has no gear between rigid bodies in absolute coordinates")
        if case.loops and case.count > REDUNDANT:
            raise UnsupportedError("redundant rows need its dense factor with full pivoting, cubic in the bodies")
        self.case = case
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        ground = self.system.CreateGround()
        start = case.motion(np.zeros(case.count), case.first_rates())
        bodies = []
        for i in range(case.count):
            bodies.append(
                self.system.CreateRigidBody(
                    inertia=RigidBodyInertia(mass=case.masses[i], inertiaTensor=case.inertias[i]),
                    referencePosition=case.positions[i],
                    initialVelocity=start.velocities[i, :3],
                    initialAngularVelocity=start.velocities[i, 3:],
                    gravity=list(case.gravity),
                )
            )
        for h in (*case.tree, *case.loops):
            self.system.CreateRevoluteJoint(
                bodyNumbers=[bodies[k] if k >= 0 else ground for k in (h.a, h.b)],
                position=h.point,
                axis=h.axis,
                useGlobalFrame=True,
                show=False,
            )
        self.bodies = bodies
        position = {"outputVariableType": exu.OutputVariableType.Position, "storeInternal": True}
        self.sensors = [self.system.AddSensor(SensorBody(bodyNumber=b, **position)) for b in bodies]
        self.system.Assemble()

    def evaluation(self) -> Evaluation | None:
        """None: its accelerations belong to a step."""
        return None

    def runs(self) -> Iterator[Run]:
        """Simulations, from coarse to fine."""
        for step in STEPS:
            count, h = whole_steps(self.case.duration, step)
            settings = self._settings(count)
            seconds, done = stopwatch(partial(self.system.SolveDynamic, settings, showHints=False))
            if not done:
                raise ArithmeticError(f"generalised-α at {h:g} s did not converge")
            motion, settings.solutionSettings.sensorsWritePeriod = self._motion(), h
            self.system.SolveDynamic(settings, showHints=False)
            yield stepped("generalised-α", h, seconds, count, motion, self._path())

    def _settings(self, count: int) -> exu.SimulationSettings:
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = count
        settings.timeIntegration.endTime = self.case.duration
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = self.case.duration
        settings.displayGlobalTimers = False
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
        if self.case.loops:
            settings.linearSolverType = exu.LinearSolverType.EigenDense
            settings.linearSolverSettings.ignoreSingularJacobian = True
        return settings

    def _path(self) -> Path:
        """Where the bodies were after each step."""
        found = np.array([self.system.GetSensorStoredData(sensor) for sensor in self.sensors])
        return found[0, :, 0], found[:, :, 1:4].transpose(1, 0, 2)

    def _motion(self) -> Motion:
        def read(kind: exu.OutputVariableType) -> np.ndarray:
            return np.array([self.system.GetObjectOutputBody(b, kind, [0, 0, 0]) for b in self.bodies])

        kinds = exu.OutputVariableType
        velocities = np.hstack([read(kinds.Velocity), read(kinds.AngularVelocity)])
        return Motion(read(kinds.Position), read(kinds.RotationMatrix).reshape(-1, 3, 3), velocities)
