"""Kamino, Newton's solver for any loops: all joints are constraints between bodies, and may repeat each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cadbridge.exporters.tree import Tree, kinematics
from cadbridge.frames import Pose, Vector
from cadbridge.verification.engines import steps
from cadbridge.verification.start import Start

TYPES = ("root", "revolute", "prismatic", "cylindrical", "universal", "spherical", "fixed")
"""Joints that Kamino of Newton 1.8 has."""

KAMINO_STEP = 2e-3
"""s. The method is of first order: two runs, the second in half steps, give values of second order."""

POSES_APART = 0.02
"""s between poses, in which no joint turns by half a revolution."""


def in_kamino(tree: Tree) -> bool:
    """Whether Kamino has all that moves: it leaves out couplings, and floating trees begin otherwise here."""
    types = {link.type for link in tree.links} | {joint.type for joint in tree.closures}
    return types <= set(TYPES) and not tree.mechanism.couplings


class Kamino:
    """Newton's `model` of an export moved by Kamino; `names` are those of the export, by kind, to what they name."""

    def __init__(self, newton: Any, model: Any, tree: Tree, names: Mapping[str, Mapping[str, str]]) -> None:
        self._newton, self._model, self._tree = newton, model, tree
        body = {label.rsplit("/", 1)[-1]: k for k, label in enumerate(model.body_label)}
        at = {old: body[new] for new, old in names["links"].items()}
        self._bodies = [at[tree.body(link).name] for link in tree.links]
        self._freedom_of = names["joints"]
        self._index = {freedom.name: k for k, freedom in enumerate(tree.freedoms)}

    def swing(self, joints: Sequence[str], start: Start, duration: float, finer: int) -> dict[str, float]:
        """Coordinates of joints of one freedom after `duration` (s)."""
        coarse, fine = (self._run(start, duration, KAMINO_STEP / finer / k) for k in (1, 2))
        q = 2.0 * fine - coarse
        return {name: float(q[self._index[self._freedom_of[name]]]) for name in joints}

    def _config(self) -> Any:
        """How Kamino solves a model that has neither limits nor contacts: all rows at once, directly."""
        # A step of a delta takes 0.021 s of processor time so, 0.088 s with the sparse Jacobian that is DVI's default.
        config = self._newton.solvers.SolverKamino.Config(dynamics_solver="dvi", sparse_jacobian=False)
        config.dvi.max_alternating_iterations = 1  # by default 24, between joints and the contacts that are not here
        return config

    def _run(self, start: Start, duration: float, longest: float) -> Vector:
        """The coordinates at the end; those of joints of several freedoms are 0."""
        newton, model = self._newton, self._model
        solver = newton.solvers.SolverKamino(model, self._config())
        now, after, control = model.state(), model.state(), model.control()
        newton.eval_fk(model, model.joint_q, model.joint_qd, now)
        now.body_qd.assign(self._twists(start, now.body_q.numpy()))
        count, step = steps(duration, longest)
        every = max(1, int(POSES_APART / step))
        values = [np.zeros(len(self._tree.freedoms))]
        for k in range(1, count + 1):
            solver.step(now, after, control, None, step)
            now, after = after, now
            if k % every == 0 or k == count:
                values.append(self._coordinates(now.body_q.numpy()))
        turns = np.array([freedom.turns for freedom in self._tree.freedoms])
        found = np.array(values)
        # A pose tells a turn up to whole turns only.
        found[:, turns] = np.unwrap(found[:, turns], axis=0)
        return np.asarray(found[-1])

    def _twists(self, start: Start, poses: Any) -> Any:
        """Newton's twists: the velocity of the centre of mass and the rotation, in world axes."""
        rates = np.zeros(len(self._index))
        for name, rate in start.rates.items():
            rates[self._index[self._freedom_of[name]]] = rate
        centres = self._model.body_com.numpy()
        twists = np.zeros((len(poses), 6), dtype=np.float32)
        moving = kinematics(self._tree, np.zeros(len(rates))).J @ rates
        for body, (v, w) in zip(self._bodies, moving.reshape(-1, 2, 3), strict=True):
            twists[body] = [*(v + np.cross(w, _pose(poses[body]).R @ centres[body])), *w]
        return twists

    def _coordinates(self, poses: Any) -> Vector:
        q = np.zeros(len(self._index))
        X_WL = [_pose(poses[body]) for body in self._bodies]
        for link, X in zip(self._tree.links, X_WL, strict=True):
            if link.parent is None or len(link.freedoms) != 1:
                continue
            moved = self._tree.X_PL(link).inverse() @ X_WL[link.parent].inverse() @ X
            (freedom,), R = link.freedoms, moved.R
            turn = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) @ freedom.axis
            angle = np.arctan2(turn, np.trace(R) - 1.0)
            q[link.first] = angle if freedom.turns else moved.p @ freedom.axis
        return q


def _pose(values: Any) -> Pose:
    """Of Newton's position and quaternion with w last."""
    x, y, z, w = (float(v) for v in values[3:])
    return Pose.from_quaternion(np.asarray(values[:3], dtype=float), np.array([w, x, y, z]))
