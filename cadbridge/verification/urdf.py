"""URDF by Pinocchio, with what the files bind joints by: mimics, sums and the loops that the relay closes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.exporters.relations import eliminate, ranking, relations
from cadbridge.exporters.ros2.loop_closure import LoopClosure
from cadbridge.exporters.tree import Tree
from cadbridge.frames import Matrix, Pose, Vector
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Mechanism
from cadbridge.mechanism.weights import carried_weights
from cadbridge.verification.contents import Contents
from cadbridge.verification.engines import Engine, Values, load_module, rk4, steps
from cadbridge.verification.held import of_pinocchio
from cadbridge.verification.start import Start
from cadbridge.wording import listed

_ALONG = 1e-5
"""s: by so much a pose is moved with its speed, to see how the gradient of the loops changes."""


class Pinocchio(Engine):
    """URDF by Pinocchio: its articulated-body algorithm under our RK4 at 0.1 ms.

    Where the files bind joints to one another (mimics; in a ROS 2 package sums and loops too), its mass matrix and its
    forces are taken for the joints that follow no other, in steps of 1 ms.
    """

    name = "Pinocchio"
    leads_within_followers = True
    step = 1e-4
    bound_step = 1e-3

    def __init__(self, folder: Path, gravity: Sequence[float]) -> None:
        self._lib: Any = load_module("pinocchio", "pin")
        self._path = path = self._model_file(folder)
        self._folders = [path.parent, folder]
        self._model = self._lib.buildModelFromUrdf(str(path))
        self._model.gravity.linear = np.asarray(gravity, dtype=float)
        self._data = self._model.createData()
        self._closure = LoopClosure(path.read_text("utf-8"), self._closures())

    def _closures(self) -> str:
        """What binds joints besides mimics, in the format of closures.json: nothing that a URDF says."""
        return "{}"

    def _model_file(self, folder: Path) -> Path:
        (path,) = (p for p in folder.glob("*/urdf/*.urdf") if not p.name.endswith(".ros.urdf"))
        return path

    def masses(self, links: Sequence[str]) -> dict[str, MassProperties]:
        found = {}
        for link in links:
            # The joint above a link bears its inertia, and the link's frame is the joint's.
            inertia = self._model.inertias[self._model.frames[self._frame(link)].parentJoint]
            found[link] = MassProperties(float(inertia.mass), np.array(inertia.lever), np.array(inertia.inertia))
        return found

    def poses(self, links: Sequence[str], values: Values) -> dict[str, Pose]:
        self._lib.framesForwardKinematics(self._model, self._data, self._configuration(values))
        frames = [self._data.oMf[self._frame(link)] for link in links]
        return {n: Pose(X.rotation.copy(), X.translation.copy()) for n, X in zip(links, frames, strict=True)}

    def lacks(self, mechanism: Mechanism, tree: Tree) -> str:
        if tree.closures:
            return "urdf leaves the loops open, so it swings otherwise"
        if carried_weights(mechanism):
            return "urdf gives every link all of its weight, so it swings otherwise"
        return self._unbound(tree)

    def contents(self, links: Sequence[str], joints: Sequence[str]) -> Contents:
        return of_pinocchio(self._lib, self._model, self._path, self._folders, joints, self._closures())

    def _unbound(self, tree: Tree) -> str:
        """Which couplings the files leave out; "" where none."""
        linear, others = relations(tree)
        if others:
            return f"the ratio of {listed(others)} is not constant, so the files have no place for it"
        followers, _ = eliminate(linear, ranking(tree))
        joints, independent = self._closure.expansion.shape
        return "" if joints - independent == len(followers) else "a URDF has no place for sums over several joints"

    def swing(self, joints: Sequence[str], start: Start, duration: float, finer: int = 1) -> dict[str, float]:
        lib, model, data = self._lib, self._model, self._data
        bound = Bound(lib, model, self._closure)
        if bound.binds:
            return bound.swing(self._velocity(start), *steps(duration, self.bound_step / finer))
        turned = dict.fromkeys(joints, 0.0)
        index = {name: model.joints[model.getJointId(name)].idx_v for name in joints}
        none = np.zeros(model.nv)

        def acceleration(q: Vector, v: Vector) -> Vector:
            return np.array(lib.aba(model, data, q, v, none))

        q, v = lib.neutral(model), self._velocity(start)
        count, h = steps(duration, self.step / finer)
        for _ in range(count):
            dq, dv = rk4(lambda x, dx: acceleration(lib.integrate(model, q, x), dx), v, h)  # noqa: B023 - called at once, in this round of the loop
            q, v = lib.integrate(model, q, dq), v + dv
            for name, k in index.items():
                turned[name] += float(dq[k])
        return turned

    def _velocity(self, start: Start) -> Vector:
        v = np.zeros(self._model.nv)
        for name, rate in start.rates.items():
            v[self._model.joints[self._model.getJointId(name)].idx_v] = rate
        for link, twist in start.floats.items():
            joint = self._model.frames[self._frame(link)].parentJoint
            R = self._model.jointPlacements[joint].rotation
            first = self._model.joints[joint].idx_v
            v[first : first + 6] = [*(R.T @ twist[:3]), *(R.T @ twist[3:])]
        return v

    def _frame(self, link: str) -> int:
        return int(self._model.getFrameId(link, self._lib.FrameType.BODY))

    def _configuration(self, values: Values) -> Vector:
        q = self._lib.neutral(self._model)
        for name, value in values.items():
            joint = self._model.joints[self._model.getJointId(name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(value), np.sin(value)] if joint.nq == 2 else value
        return np.asarray(q)


_DEPENDENT = 1e-7
"""Of the largest: singular values of rows of the loops that repeat others, to the digits that the files have."""


class Bound:
    """Motion of a model whose joints are bound: q = E z, and loops whose gradient by z is J (`LoopClosure`).

    M̂ z̈ + ĥ = Jᵀλ and J z̈ = -J̇ ż, with M̂ = SᵀMS and ĥ = Sᵀh, where S is E with the floating joints beside it. Poses
    and speeds are put on the loops after each step.
    Mates that repeat each other make J deficient, so that orthonormal rows stand in its place.
    """

    def __init__(self, lib: Any, model: Any, closure: LoopClosure) -> None:
        self._lib, self._model, self._data, self._closure = lib, model, model.createData(), closure
        index = [model.joints[model.getJointId(name)].idx_v for name in closure.joints]
        floats = [k for k in range(model.nv) if k not in index]
        self._S = np.zeros((model.nv, closure.expansion.shape[1] + len(floats)))
        self._S[index, : closure.expansion.shape[1]] = closure.expansion
        self._S[floats, closure.expansion.shape[1] :] = np.eye(len(floats))
        self._index = index
        self.binds = self._S.shape[0] > self._S.shape[1] or self._gradient(np.zeros((1, len(index)))).size > 0

    def swing(self, v: Vector, count: int, h: float) -> dict[str, float]:
        """Joint coordinates after `count` steps of h (s) from the designed pose with speeds v (nv,)."""
        q, turned = self._lib.neutral(self._model), np.zeros(len(self._index))
        z = np.asarray(np.linalg.lstsq(self._S, v, rcond=None)[0], dtype=np.float64)
        for _ in range(count):
            dx, dz = rk4(lambda x, dx: self._acceleration(q, turned, x, dx), z, h)  # noqa: B023 - called at once, in this round of the loop
            dq, z = self._S @ dx, z + dz
            settled = self._closure.settle((turned + dq[self._index])[None])[0][0]
            dq[self._index], turned = settled - turned, settled
            q = self._lib.integrate(self._model, q, dq)
            held = self._held(self._gradient(turned[None])[0])[0]
            z = z - held.T @ (held @ z)
        return dict(zip(self._closure.joints, turned.tolist(), strict=True))

    def _acceleration(self, q: Vector, turned: Vector, x: Vector, z: Vector) -> Vector:
        """z̈ at S x from the pose q, where the joints stand at `turned`, and at speeds z."""
        lib, model, S = self._lib, self._model, self._S
        pose, v = lib.integrate(model, q, S @ x), S @ z
        M = np.array(lib.crba(model, self._data, pose))
        # crba fills the upper triangle alone.
        M = S.T @ (np.triu(M) + np.triu(M, 1).T) @ S
        h = S.T @ lib.nonLinearEffects(model, self._data, pose, v)
        at = turned + (S @ x)[self._index]
        J, ahead, behind = self._gradient(at + np.outer([0.0, _ALONG, -_ALONG], v[self._index]))
        held, combine = self._held(J)
        free = np.linalg.solve(M, np.column_stack([-h, held.T]))
        missing = -combine @ ((ahead - behind) @ z) / (2 * _ALONG) - held @ free[:, 0]
        return np.asarray(free[:, 0] + free[:, 1:] @ np.linalg.solve(held @ free[:, 1:], missing))

    @staticmethod
    def _held(J: Matrix) -> tuple[Matrix, Matrix]:
        """Orthonormal rows that hold what J (m, k) holds, and the (r, m) that makes them of J's."""
        U, s, Vt = np.linalg.svd(J, full_matrices=False)
        r = int(np.count_nonzero(s > _DEPENDENT * s.max(initial=0.0)))
        return Vt[:r], (U[:, :r] / s[:r]).T

    def _gradient(self, at: Matrix) -> Matrix:
        """(N, rows, k) of the loops by z at joint values (N, joints)."""
        J, _ = self._closure.jacobian(at)
        return np.concatenate([J, np.zeros((*J.shape[:2], self._S.shape[1] - J.shape[2]))], axis=2)
