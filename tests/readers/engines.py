"""Robots in the engine of their format: what moves there at a random state, and whether ours accelerates alike.

An engine answers in world axes for named links, so that neither side's joint coordinates are needed: every one of our
bodies is put where the engine has its first link, moves as that does, and must accelerate as that does.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.frames import Pose
from cadbridge.lowering import lower
from cadbridge.mechanism import Mechanism
from solver.equations.system import prepare
from solver.rotation import quaternion
from solver.state import State
from solver.steps.methods import slope_at

Array = np.ndarray[Any, Any]
GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, eq=False)
class Moving:
    """A link's pose X_WL, and of its origin velocity and acceleration (6,): linear, angular, world axes; SI."""

    X_WL: Pose
    velocity: Array
    acceleration: Array

    def at(self, p_L: Array) -> tuple[Array, Array, Array]:
        """Position, velocity (6,) and acceleration (6,) of a point fixed to the link."""
        r = self.X_WL.R @ p_L
        v, w = self.velocity[:3], self.velocity[3:]
        a, e = self.acceleration[:3], self.acceleration[3:]
        linear = a + np.cross(e, r) + np.cross(w, np.cross(w, r))
        return self.X_WL.p + r, np.r_[v + np.cross(w, r), w], np.r_[linear, e]


@dataclass(frozen=True, eq=False)
class Answer:
    """What an engine holds: freedoms, mass of what it has loaded, and the links' motion at one random state."""

    freedoms: int
    links: dict[str, Moving]


def by_pinocchio(path: Path, seed: int = 0, text: str | None = None, mimic: bool = False) -> Answer:
    """A URDF with its root fixed, its damping and its rotors, no dry friction; `text` is the expansion of a xacro.

    With `mimic` the joints' rates are G times those of the leaders: GᵀMG q̈ = Gᵀ(−D G q̇ − n), which Pinocchio's own
    mimics hold only where a leader comes before its followers.
    """
    import pinocchio as pin

    source = path.read_bytes() if text is None else text.encode()
    model = pin.buildModelFromXML(source.decode("utf-8", errors="replace"))
    model.gravity.linear = np.array(GRAVITY)
    data = model.createData()
    random = np.random.default_rng(seed)
    G, offset = _mimics(model, source) if mimic else (np.eye(model.nv), np.zeros(model.nv))
    q = pin.integrate(model, pin.neutral(model), G @ random.uniform(-1, 1, G.shape[1]) + offset)
    v = G @ random.uniform(-1, 1, G.shape[1])
    if mimic:
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        n = np.asarray(model.damping) * v + pin.nonLinearEffects(model, data, q, v)
        a = G @ np.linalg.solve(G.T @ M @ G, -G.T @ n)
    else:
        a = pin.aba(model, data, q, v, -np.asarray(model.damping) * v)
    pin.forwardKinematics(model, data, q, v, a)
    pin.updateFramePlacements(model, data)
    links = {}
    for i, frame in enumerate(model.frames):
        if frame.type == pin.FrameType.BODY:
            X = Pose(data.oMf[i].rotation.copy(), data.oMf[i].translation.copy())
            speed = pin.getFrameVelocity(model, data, i, pin.LOCAL_WORLD_ALIGNED)
            rate = pin.getFrameClassicalAcceleration(model, data, i, pin.LOCAL_WORLD_ALIGNED)
            links[frame.name] = Moving(X, speed.vector.copy(), rate.vector.copy())
    return Answer(G.shape[1], links)


def _mimics(model: Any, source: bytes) -> tuple[Array, Array]:
    """G (nv, free) and the offsets (nv,): the joints' values by those that follow none, as <mimic> says."""
    at = {model.names[j]: int(model.joints[j].idx_v) for j in range(1, model.njoints) if model.joints[j].nv == 1}
    fixed = set[str]()
    rules: dict[int, tuple[str, float, float]] = {}
    for joint in ET.fromstring(source).findall("joint"):
        mimic, name = joint.find("mimic"), joint.get("name", "")
        fixed |= {name} if joint.get("type") == "fixed" else set()
        if mimic is not None and name in at:
            ratio, offset = (float(mimic.get(k, d)) for k, d in (("multiplier", "1"), ("offset", "0")))
            rules[at[name]] = (mimic.get("joint", ""), ratio, offset)
    rules = {k: rule for k, rule in rules.items() if rule[0] in at or rule[0] in fixed}
    free = [k for k in range(model.nv) if k not in rules]
    G, offsets = np.zeros((model.nv, len(free))), np.zeros(model.nv)
    G[free, range(len(free))] = 1.0
    for _ in rules:  # as many rounds as a chain of followers may be long
        for k, (leader, ratio, offset) in rules.items():
            i = at.get(leader)
            G[k] = 0.0 if i is None else ratio * G[i]
            offsets[k] = offset + (0.0 if i is None else ratio * offsets[i])
    return G, offsets


def by_drake(path: Path, seed: int = 0) -> Answer:
    """An SDF as Drake's continuous plant, without contact: damping, springs and rotors; links as "model::link"."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex

    plant: Any = MultibodyPlant(0.0)
    Parser(plant).AddModels(path)
    plant.mutable_gravity_field().set_gravity_vector(GRAVITY)
    plant.Finalize()
    if plant.num_bodies() == 1:
        raise ValueError("no rigid body but the world")
    context = plant.CreateDefaultContext()
    random = np.random.default_rng(seed)
    v = random.uniform(-1, 1, plant.num_velocities())
    q = plant.GetPositions(context) + plant.MapVelocityToQDot(context, random.uniform(-1, 1, plant.num_velocities()))
    bodies = [plant.get_body(BodyIndex(i)) for i in range(plant.num_bodies())]
    for body in bodies:
        if body.is_floating_base_body():
            at = body.floating_positions_start()
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    plant.SetPositions(context, q)
    plant.SetVelocities(context, v)
    links = {}
    for body in bodies:
        X = plant.EvalBodyPoseInWorld(context, body)
        speed = plant.EvalBodySpatialVelocityInWorld(context, body)
        rate = plant.EvalBodySpatialAccelerationInWorld(context, body)
        links[f"{plant.GetModelInstanceName(body.model_instance())}::{body.name()}"] = Moving(
            Pose(X.rotation().matrix(), X.translation()),
            np.r_[speed.translational(), speed.rotational()],
            np.r_[rate.translational(), rate.rotational()],
        )
    return Answer(plant.num_velocities(), links)


def by_mujoco(model: Any, names: list[str], seed: int = 0) -> Answer:
    """A compiled MJCF without contacts, limits, equalities, dry friction and actuators; `names` are its bodies'.

    What equalities take away counts for the freedoms: MuJoCo's nv has them still, and its rows of them have a rank.
    """
    import mujoco

    off = mujoco.mjtDisableBit
    freedoms = model.nv - _held_by_equalities(model)
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_ACTUATION
    data = mujoco.MjData(model)
    random = np.random.default_rng(seed)
    data.qvel[:] = random.uniform(-1, 1, model.nv)
    mujoco.mj_integratePos(model, data.qpos, random.uniform(-1, 1, model.nv), 0.5)
    mujoco.mj_forward(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    lift = -model.opt.gravity * (not model.opt.disableflags & off.mjDSBL_GRAVITY)
    links = {}
    for i, name in enumerate(names):
        speed, rate = np.zeros(6), np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, i, speed, 0)
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_XBODY, i, rate, 0)
        X = Pose(data.xmat[i].reshape(3, 3).copy(), data.xpos[i].copy())
        links[name] = Moving(X, np.r_[speed[3:], speed[:3]], np.r_[rate[3:] - lift, rate[:3]])
    return Answer(freedoms, links)


def _held_by_equalities(model: Any) -> int:
    """The rank of the rows of a model's active equalities, in its reference pose."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rows = np.zeros((data.nefc, model.nv))
    for k in range(data.nefc):
        unit = np.zeros(data.nefc)
        unit[k] = 1.0
        mujoco.mj_mulJacTVec(model, data, rows[k], unit)
    held = rows[np.asarray(data.efc_type) == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    # Above the rounding of rows of length 1 and of 1 m, below what two axes of a second of arc hold apart.
    return int(np.linalg.matrix_rank(held, tol=1e-6)) if len(held) else 0


def link_of(names: tuple[str, ...], links: dict[str, Moving]) -> tuple[str, Moving] | None:
    """The first of our names that the engine knows, under its own or as the end of the engine's scoped one."""
    for name in names:
        if name in links:
            return name, links[name]
        scoped = (f"::{name.replace('/', '::')}", f"::{name}")  # SDF allows names with a slash
        ends = sorted((key for key in links if f"::{key}".endswith(scoped)), key=lambda key: key.count("::"))
        if ends and (len(ends) == 1 or ends[0].count("::") < ends[1].count("::")):
            return name, links[ends[0]]
    return None


def gap(mechanism: Mechanism, answer: Answer, gravity: tuple[float, float, float] = GRAVITY) -> float:
    """max |a − a_engine| / max(1, |a_engine|) over the bodies' centres; NaN where no body is the engine's."""
    lowered = lower(mechanism, gravity=gravity)
    system = prepare(lowered.model)
    x, turns = np.array(lowered.model.positions), np.array(lowered.model.quaternions)
    v, expected = np.zeros((len(x), 6)), np.full((len(x), 6), math.nan)
    for i, (unit, body) in enumerate(zip(lowered.units, mechanism.bodies, strict=True)):
        known = link_of(body.components, answer.links)
        if known is None:
            return math.nan
        name, link = known
        X_LB = mechanism.assembly.component(name).X_WC.inverse() @ body.X_WB
        x[i], v[i], expected[i] = link.at(X_LB.point(unit.mass.com))
        turns[i] = quaternion(np.asarray(link.X_WL.R @ X_LB.R))
    state = State(0.0, x, turns, v, np.zeros(system.program.angle_count))
    found = slope_at(system, state).acceleration.reshape(-1, 6)
    return float(np.abs(found - expected).max(initial=0.0) / max(1.0, float(np.abs(expected).max(initial=0.0))))
