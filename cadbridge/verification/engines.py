"""The engines that load our exports, behind one face; each is imported only when requested.

An engine takes joint coordinates by name (rad, m; of joints of one freedom, the others stay as designed) and gives
poses and masses by link name. Fixed-step swings are RK4 where the engine has or lets us write it.
"""

from __future__ import annotations

import contextlib
import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.errors import InputError
from cadbridge.exporters.tree import Tree
from cadbridge.frames import Pose, Vector
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Mechanism
from cadbridge.mechanism.weights import carried_weights
from cadbridge.verification.contents import Contents
from cadbridge.verification.held import of_drake, of_mujoco
from cadbridge.verification.start import Start
from cadbridge.wording import listed

Values = Mapping[str, float]


class Engine(ABC):
    """A model loaded by an engine from the files of an export.

    It swings without what engines treat differently by design: limits, dry friction, damping, servos.
    """

    name: str
    precision = 1e-9
    """Up to which masses and inertias (relative), centres and poses (m, rad) count as the same."""
    holds_ground = True
    """Whether what stands still has a mass and a place in it that can be read."""
    leads_within_followers = False
    """Whether an export narrows the limits of a joint to those of what follows it."""
    joins_series = False
    """Whether joints in series stand at one body, so that the links between them are none."""

    @abstractmethod
    def masses(self, links: Sequence[str]) -> dict[str, MassProperties]:
        """Mass properties in the links' own frames."""

    @abstractmethod
    def poses(self, links: Sequence[str], values: Values) -> dict[str, Pose]:
        """Poses of the links in the world at joint coordinates."""

    @abstractmethod
    def lacks(self, mechanism: Mechanism, tree: Tree) -> str:
        """What of the mechanism, exported as `tree`, moves otherwise in this engine; "" where all is carried."""

    @abstractmethod
    def contents(self, links: Sequence[str], joints: Sequence[str]) -> Contents:
        """What it has beside masses and motion."""

    def faults(self) -> Iterable[str]:
        """What is wrong with the files themselves, each in a sentence."""
        return ()

    @abstractmethod
    def swing(self, joints: Sequence[str], start: Start, duration: float, finer: int = 1) -> dict[str, float]:
        """Joint coordinates `duration` (s) after `start`, in steps that many times finer than usual."""


class MuJoCo(Engine):
    """MJCF by MuJoCo: RK4 at 0.1 ms; couplings and loops as its soft constraints."""

    name = "MuJoCo"
    step = 1e-4
    joins_series = True
    bodies, joints = "{}", "{}"
    """How the model names the links and joints of the export."""

    def __init__(self, folder: Path, gravity: Sequence[float]) -> None:
        self._lib: Any = load_module("mujoco")
        self._model = self._compiled(folder)
        types = (int(self._lib.mjtJoint.mjJNT_HINGE), int(self._lib.mjtJoint.mjJNT_SLIDE))
        joints = (self._model.joint(k) for k in range(self._model.njnt))
        self._scalars = {joint.name for joint in joints if int(joint.type[0]) in types}

    def _compiled(self, folder: Path) -> Any:
        return self._lib.MjModel.from_xml_path(str(folder / "scene.xml"))

    def masses(self, links: Sequence[str]) -> dict[str, MassProperties]:
        found = {}
        for link in links:
            body = self._model.body(self.bodies.format(link))
            R = Pose.from_quaternion(np.zeros(3), body.iquat).R
            found[link] = MassProperties(float(body.mass[0]), np.array(body.ipos), R @ np.diag(body.inertia) @ R.T)
        return found

    def poses(self, links: Sequence[str], values: Values) -> dict[str, Pose]:
        data = self._lib.MjData(self._model)
        for name, value in values.items():
            data.joint(self.joints.format(name)).qpos[0] = value
        self._lib.mj_kinematics(self._model, data)
        found = {name: data.body(self.bodies.format(name)) for name in links}
        return {name: Pose(body.xmat.reshape(3, 3).copy(), body.xpos.copy()) for name, body in found.items()}

    def lacks(self, mechanism: Mechanism, tree: Tree) -> str:
        return ""

    def contents(self, links: Sequence[str], joints: Sequence[str]) -> Contents:
        return of_mujoco(self._lib, self._model, links, joints)

    def _bare(self) -> None:
        """Leave to the model what a swing compares."""
        m = self._model
        for values in (m.jnt_limited, m.jnt_stiffness, m.dof_damping, m.dof_frictionloss, m.jnt_actfrclimited,
                       m.tendon_stiffness, m.tendon_damping, m.tendon_frictionloss, m.tendon_armature):  # fmt: skip
            values[:] = 0
        for powers in ("jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly", "tendon_dampingpoly"):
            getattr(m, powers, np.zeros(1))[:] = 0
        m.opt.density = m.opt.viscosity = 0.0
        m.opt.wind[:] = 0.0
        m.opt.disableflags |= int(self._lib.mjtDisableBit.mjDSBL_ACTUATION)
        # Sums over joints that are held are equalities on tendons; a range of a tendon is a limit.
        m.tendon_limited[:] = 0

    def swing(self, joints: Sequence[str], start: Start, duration: float, finer: int = 1) -> dict[str, float]:
        self._bare()
        count, step = steps(duration, self.step / finer)
        self._model.opt.timestep = step
        # Couplings and loops as stiff as the step allows: they are springs here. Loops yield a little more, since their
        # rows repeat each other and rounded poses (Newton's) contradict each other.
        self._model.eq_solref[:, 0] = self._model.tendon_solref_lim[:, 0] = 2 * step
        coupled = self._model.eq_type >= int(self._lib.mjtEq.mjEQ_JOINT)
        self._model.eq_solimp[coupled, :2] = self._model.tendon_solimp_lim[:, :2] = self._lib.mjMAXIMP
        self._model.opt.integrator = self._lib.mjtIntegrator.mjINT_RK4
        data = self._lib.MjData(self._model)
        self._start(data, start)
        self._lib.mj_step(self._model, data, count)
        return {name: float(data.joint(self.joints.format(name)).qpos[0]) for name in joints}

    def _start(self, data: Any, start: Start) -> None:
        for name, rate in start.rates.items():
            if self.joints.format(name) in self._scalars:
                data.joint(self.joints.format(name)).qvel[0] = rate
        for name, turning in start.balls.items():
            data.joint(self.joints.format(name)).qvel[:] = turning
        for link, twist in start.floats.items():
            body = self._model.body(self.bodies.format(link))
            first = int(self._model.jnt_dofadr[body.jntadr[0]])
            # MuJoCo's velocities of a free joint are linear in the world's axes and angular in the body's.
            R = Pose.from_quaternion(np.zeros(3), body.quat).R
            data.qvel[first : first + 6] = [*twist[:3], *(R.T @ twist[3:])]


def _no_plugin(record: logging.LogRecord) -> bool:
    """Whether a line of Drake's is of something else than servos, which are Gazebo's plugins: each was told each time
    that it is left out, and the comparison says it once."""
    return "unsupported SDFormat element in model: plugin" not in record.getMessage()


class Drake(Engine):
    """SDF by Drake: error-controlled where nothing is coupled, else its discrete solver at 0.1 ms."""

    name = "Drake"
    step = 1e-4

    def __init__(self, folder: Path, gravity: Sequence[float]) -> None:
        load_module("pydrake", "drake")
        self._folder, self._gravity = folder, np.asarray(gravity, dtype=float)
        self._coupled = "drake:mimic" in (folder / "model.sdf").read_text("utf-8")
        self._plant = self._load(self.step)

    def _load(self, step: float) -> Any:
        plant = self._parsed(step)
        for k in plant.GetJointIndices():
            joint = plant.get_mutable_joint(k)
            endless = np.full(joint.num_positions(), math.inf)
            if joint.num_positions() == joint.num_velocities():
                joint.set_position_limits(-endless, endless)
            joint.set_default_damping_vector(np.zeros(joint.num_velocities()))
        plant.mutable_gravity_field().set_gravity_vector(self._gravity)
        plant.Finalize()
        return plant

    def _parsed(self, step: float, scene: Any = None) -> Any:
        """The plant as the file has it, its shapes in a scene."""
        plants, parsing = import_module("pydrake.multibody.plant"), import_module("pydrake.multibody.parsing")
        # Drake's mimics act in its discrete solver alone.
        plant = plants.MultibodyPlant(step if self._coupled else 0.0)
        if self._coupled:
            plant.set_discrete_contact_approximation(plants.DiscreteContactApproximation.kSap)
        if scene is not None:
            plant.RegisterAsSourceForSceneGraph(scene)
        log = logging.getLogger("drake")
        log.addFilter(_no_plugin)
        try:
            parsing.Parser(plant).AddModels(str(self._folder / "model.sdf"))
        finally:
            log.removeFilter(_no_plugin)
        return plant

    def contents(self, links: Sequence[str], joints: Sequence[str]) -> Contents:
        scene = import_module("pydrake.geometry").SceneGraph()
        plant = self._parsed(self.step, scene)
        plant.Finalize()
        return of_drake(plant, scene, joints, self._folder / "model.sdf")

    def masses(self, links: Sequence[str]) -> dict[str, MassProperties]:
        context, found = self._plant.CreateDefaultContext(), {}
        for link in links:
            M = self._plant.GetBodyByName(link).CalcSpatialInertiaInBodyFrame(context)
            # Drake keeps an inertia about the body's origin, not about its centre.
            central = M.Shift(M.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
            found[link] = MassProperties(M.get_mass(), np.array(M.get_com()), central)
        return found

    def poses(self, links: Sequence[str], values: Values) -> dict[str, Pose]:
        plant = self._plant
        context = plant.CreateDefaultContext()
        q = plant.GetPositions(context)
        for name, value in values.items():
            q[plant.GetJointByName(name).position_start()] = value
        plant.SetPositions(context, q)
        found = {name: plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(name)) for name in links}
        return {n: Pose(X.rotation().matrix().copy(), X.translation().copy()) for n, X in found.items()}

    def lacks(self, mechanism: Mechanism, tree: Tree) -> str:
        if tree.closures:
            return "sdf leaves the loops open, so it swings otherwise"
        if carried_weights(mechanism):
            return "Drake gives every link all of its weight, so it swings otherwise"
        sprung = [j.name for j in mechanism.joints if j.kind.coupled and (j.stiffness or j.damping)]
        return f"Drake leaves out what acts on screw joints: {listed(sprung)}" if sprung else ""

    def swing(self, joints: Sequence[str], start: Start, duration: float, finer: int = 1) -> dict[str, float]:
        step = steps(duration, self.step / finer)[1]
        plant = self._load(step)
        simulator = import_module("pydrake.systems.analysis").Simulator(plant)
        self._start(plant, simulator.get_mutable_context(), start)
        if not self._coupled:
            # Drake's default, of third order at 1e-4, shows its errors beside what is compared, and takes twenty times
            # as many steps where they do not show. A step half as long has a 32nd of this method's.
            import_module("pydrake.systems.analysis").ResetIntegratorFromFlags(simulator, "runge_kutta5", 0.1)
            simulator.get_mutable_integrator().set_target_accuracy(1e-12 / finer**5)
        # The step that begins half a step earlier reaches the end; rounding may else add another.
        simulator.AdvanceTo(duration - step / 2 if self._coupled else duration)
        q = plant.GetPositions(simulator.get_context())
        return {name: float(q[plant.GetJointByName(name).position_start()]) for name in joints}

    def _start(self, plant: Any, context: Any, start: Start) -> None:
        v = plant.GetVelocities(context)
        for name, rate in start.rates.items():
            if plant.HasJointNamed(name) and plant.GetJointByName(name).num_velocities() == 1:
                v[plant.GetJointByName(name).velocity_start()] = rate
        for name, turning in start.balls.items():
            first = plant.GetJointByName(name).velocity_start()
            v[first : first + 3] = turning
        plant.SetVelocities(context, v)
        for link, twist in start.floats.items():
            moving = import_module("pydrake.multibody.math").SpatialVelocity(w=twist[3:], v=twist[:3])
            plant.SetFreeBodySpatialVelocity(body=plant.GetBodyByName(link), V_PB=moving, context=context)


def steps(duration: float, longest: float) -> tuple[int, float]:
    """How many equal steps of at most `longest` (s) make up the duration, and their length."""
    # A quotient that rounding puts above a whole number needs no step more.
    count = max(1, math.ceil(duration / longest - 1e-6))
    return count, duration / count


def rk4(acceleration: Callable[[Vector, Vector], Vector], v: Vector, h: float) -> tuple[Vector, Vector]:
    """The increments of position (in the tangent space at the step's begin) and velocity over a step."""
    zero = np.zeros_like(v)
    a1 = acceleration(zero, v)
    a2 = acceleration(h / 2 * v, v + h / 2 * a1)
    a3 = acceleration(h / 2 * v + h * h / 4 * a1, v + h / 2 * a2)
    a4 = acceleration(h * v + h * h / 2 * a2, v + h * a3)
    return h * v + h * h / 6 * (a1 + a2 + a3), h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def load_module(module: str, package: str | None = None) -> Any:
    """An engine's module; InputError that names the package to install where it is missing."""
    with contextlib.suppress(ImportError):
        return import_module(module)
    raise InputError(f"{module} is not installed; `pip install {package or module}` or `cadbridge[oracles]` brings it")
