"""MuJoCo: joint coordinates; loops and gears are soft equalities at its defaults."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import mujoco
import numpy as np

from benchmark.cases import Case
from benchmark.engines.base import Evaluation, Run, stepped, stopwatch, timed, whole_steps

STEPS = (1e-2, 4e-3, 2e-3, 1e-3, 2.5e-4)
METHODS = {
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
}


class Engine:
    """A model of hinges; the loops' hinges as two connects each, gears as equal tendons."""

    def __init__(self, case: Case) -> None:
        self.case = case
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        spec.compiler.balanceinertia = False
        spec.option.gravity = list(case.gravity)
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        bodies = []
        for i, h in enumerate(case.tree):
            parent = bodies[h.a] if h.a >= 0 else spec.worldbody
            base = case.tree[h.a].point if h.a >= 0 else np.zeros(3)
            body = parent.add_body(name=f"b{i}", pos=h.point - base)
            body.mass = case.masses[i]
            body.ipos = case.positions[i] - h.point
            J = case.inertias[i]
            body.fullinertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
            body.explicitinertial = True
            body.add_joint(name=f"j{i}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=h.axis)
            bodies.append(body)
        self._equalities(spec)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def _equalities(self, spec: mujoco.MjSpec) -> None:
        case = self.case
        for h in case.loops:
            for shift in (-0.5, 0.5):
                at = h.point + shift * h.axis
                one, other = (h.a, h.b) if h.a >= 0 else (h.b, h.a)
                equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT)
                equality.objtype = mujoco.mjtObj.mjOBJ_BODY
                equality.name1 = f"b{one}"
                equality.name2 = f"b{other}" if other >= 0 else "world"
                equality.data[:3] = at - case.tree[one].point
        for k, row in enumerate(case.couplings if case.couplings is not None else ()):
            tendon = spec.add_tendon(name=f"t{k}")
            for i in np.flatnonzero(np.abs(row) > 1e-9):
                tendon.wrap_joint(f"j{i}", row[i])
            equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_TENDON)
            equality.objtype = mujoco.mjtObj.mjOBJ_TENDON
            equality.name1 = f"t{k}"
            equality.data[:] = 0.0

    def _reset(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        if self.case.rates is not None:
            self.data.qvel[:] = self.case.rates
        mujoco.mj_forward(self.model, self.data)

    def evaluation(self) -> Evaluation:
        """`mj_forward`, contacts switched off."""
        self._reset()
        seconds = timed(lambda: mujoco.mj_forward(self.model, self.data))
        return Evaluation("mj_forward", seconds, self.data.qacc.copy())

    def runs(self) -> Iterator[Run]:
        """Simulations, from coarse to fine within each method."""
        for method, kind in METHODS.items():
            self.model.opt.integrator = kind
            for step in STEPS:
                count, h = whole_steps(self.case.duration, step)
                self.model.opt.timestep = h
                seconds, _ = stopwatch(partial(self._walk, count))
                motion = self.case.motion(self.data.qpos.copy(), self.data.qvel.copy())
                yield stepped(method, h, seconds, count, motion)

    def _walk(self, count: int) -> None:
        self._reset()
        mujoco.mj_step(self.model, self.data, nstep=count)
