"""MuJoCo's compiled models of an MJCF and of what is exported of it, field by field and by their accelerations."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from cadbridge.errors import InputError, ModelError
from cadbridge.exporters import export
from cadbridge.exporters.names import clean
from cadbridge.findings import Finding
from cadbridge.mechanism import build
from cadbridge.readers import ReadOptions
from cadbridge.readers.mjcf.context import Context
from cadbridge.readers.mjcf.leftovers import MOVING, OF_SPATIAL
from cadbridge.reading import read

Array = np.ndarray[Any, Any]

FREE, BALL = 0, 1
JOINT = mujoco.mjtWrap.mjWRAP_JOINT
TENDON = mujoco.mjtTrn.mjTRN_TENDON
STATES = 3
_OF_FREE_JOINTS = ("nv", "neq", "jnt_type")
"""What differs where an equality stands as a joint in the place of a free one (CB1255)."""
QUIET = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
"""Contacts, limits and equalities are penalties in MuJoCo; without them accelerations are those of the free tree."""


@dataclass
class Compared:
    """`fields` that differ, name → how; the relative difference of accelerations; what was told on the way."""

    findings: tuple[Finding, ...] = ()
    fields: dict[str, str] = field(default_factory=dict)
    acceleration: float = math.nan
    exported: bool = True

    @property
    def codes(self) -> set[str]:
        """The codes told."""
        return {f.code for f in self.findings}


def compare(path: Path, folder: Path) -> Compared:
    """Read an MJCF, export it to `folder`, and compare both compiled models without what was told to be left out."""
    mechanism = build(read(path, options=ReadOptions(geometry=False)))
    told = (*mechanism.assembly.findings, *mechanism.findings)
    try:
        told += export(mechanism, folder, "mjcf").findings
    except (InputError, ModelError) as error:
        return Compared((*told, *error.findings), exported=False)
    before = original(path)
    after = mujoco.MjModel.from_xml_path(str(folder / "robot.xml"))
    names = json.loads((folder / "losses.json").read_text("utf-8"))["names"]
    return _Comparison(before, after, names, told).result()


def original(path: Path) -> mujoco.MjModel:
    """The model as the reader has it compiled."""
    spec = mujoco.MjSpec.from_file(str(path))
    spec.compiler.fusestatic = False
    return spec.compile()


class _Comparison:
    def __init__(
        self,
        before: mujoco.MjModel,
        after: mujoco.MjModel,
        names: dict[str, dict[str, str]],
        told: tuple[Finding, ...],
    ) -> None:
        self._m0, self._m1 = before, after
        self._found = Compared(told)
        named = _named(before)
        of_joint = {old: new for new, old in names["joints"].items()}
        of_link = {old: new for new, old in names["links"].items()}
        self._pairs: list[tuple[int, int]] = []
        for j in range(before.njnt):
            if before.jnt_type[j] in (FREE, BALL):
                new = _joint_of(after, of_link.get(named.bodies[before.jnt_bodyid[j]], ""))
            else:
                new = mujoco.mj_name2id(after, mujoco.mjtObj.mjOBJ_JOINT, of_joint.get(named.joints[j], "?"))
            if new >= 0:
                self._pairs.append((j, new))

    def result(self) -> Compared:
        m0, m1 = self._m0, self._m1
        self._same("mass", np.array(_moving_mass(m0)), np.array(_moving_mass(m1)))
        self._neutral()
        for what in ("nv", "nu", "neq"):
            self._same(what, np.array(getattr(m0, what)), np.array(getattr(m1, what)))
        self._same("gravity", self._gravity(), m1.opt.gravity)
        for what in ("density", "viscosity", "wind"):
            self._same(what, np.array(getattr(m0.opt, what)), np.array(getattr(m1.opt, what)))
        self._bodies()
        self._joints()
        self._tendons()
        self._actuators()
        self._sites()
        if len(self._pairs) == m0.njnt and m0.nv == m1.nv:
            self._keys()
        if len(self._pairs) == m0.njnt and m0.nv == m1.nv:
            self._found.acceleration = max(self._acceleration(np.random.default_rng(k)) for k in range(STATES))
        if "CB1255" in self._found.codes:
            self._found.fields = {k: v for k, v in self._found.fields.items() if k not in _OF_FREE_JOINTS}
        return self._found

    def _gravity(self) -> Array:
        off = self._m0.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
        return np.zeros(3) if off else self._m0.opt.gravity

    def _neutral(self) -> None:
        """Take out of the original what is told to be left out; what is not told stays and shows."""
        m0 = self._m0
        told = [f.message.removeprefix("left out: ") for f in self._found.findings if f.code == "CB1410"]
        for entry in (*MOVING, *OF_SPATIAL):
            if hasattr(m0, entry.field) and any(message.startswith(entry.meaning) for message in told):
                values = getattr(m0, entry.field)
                among = [i for i in range(len(values)) if entry in MOVING or m0.wrap_type[m0.tendon_adr[i]] != JOINT]
                values[among] = entry.default
        if any("fluidshape" in message for message in told):
            m0.geom_fluid[:] = 0.0
        if any("dragged with what bears them" in f.message for f in self._found.findings):
            for model in (m0, self._m1):
                model.opt.density = model.opt.viscosity = 0.0
        lost = {item for f in self._found.findings if f.code in ("CB1409", "CB1412") for item in f.items}
        self._kept = [i for i in range(m0.nu) if (m0.actuator(i).name or f"actuator {i + 1}") not in lost]
        self._kept.sort(key=lambda i: m0.actuator_trntype[i] == TENDON)
        for i in set(range(m0.nu)) - set(self._kept):
            m0.actuator_gainprm[i] = m0.actuator_biasprm[i] = 0.0
            m0.actuator_gear[i] = 0.0

    def _same(self, what: str, a: Array, b: Array) -> None:
        scale = 1.0 + float(np.abs(a).max(initial=0.0))
        if np.shape(a) != np.shape(b) or not np.allclose(a, b, rtol=1e-9, atol=1e-9 * scale):
            self._found.fields.setdefault(what, f"{np.ravel(a)[:4]} → {np.ravel(b)[:4]}")

    def _joints(self) -> None:
        m0, m1 = self._m0, self._m1
        for j, k in self._pairs:
            d, e = int(m0.jnt_dofadr[j]), int(m1.jnt_dofadr[k])
            self._same("jnt_type", m0.jnt_type[j], m1.jnt_type[k])
            self._same("stiffness", _leading(m0.jnt_stiffness[j]), _leading(m1.jnt_stiffness[k]))
            self._same("damping", _leading(m0.dof_damping[d]), _leading(m1.dof_damping[e]))
            self._same("powers of damping", m0.dof_dampingpoly[d], m1.dof_dampingpoly[e])
            self._same("powers of stiffness", m0.jnt_stiffnesspoly[j], m1.jnt_stiffnesspoly[k])
            self._same("armature", m0.dof_armature[d], m1.dof_armature[e])
            if m0.jnt_type[j] in (FREE, BALL):
                continue
            self._same("frictionloss", m0.dof_frictionloss[d], m1.dof_frictionloss[e])
            zero = m0.qpos0[m0.jnt_qposadr[j]]
            self._same("limited", m0.jnt_limited[j], m1.jnt_limited[k])
            if m0.jnt_limited[j]:
                self._same("range", m0.jnt_range[j] - zero, m1.jnt_range[k])
            if m0.jnt_stiffness[j].any():
                self._same("springref", m0.qpos_spring[m0.jnt_qposadr[j]] - zero, m1.qpos_spring[m1.jnt_qposadr[k]])
            if m0.jnt_actfrclimited[j] and "CB1305" not in self._found.codes:
                self._same("actfrcrange", m0.jnt_actfrcrange[j], m1.jnt_actfrcrange[k])

    def _bodies(self) -> None:
        """Gravity compensation of the bodies that bear joints."""
        m0, m1 = self._m0, self._m1
        for j, k in self._pairs:
            a, b = int(m0.jnt_bodyid[j]), int(m1.jnt_bodyid[k])
            if (m0.body_weldid == a).sum() == 1:  # nothing is fixed to it
                self._same("gravcomp", m0.body_gravcomp[a], m1.body_gravcomp[b])

    def _tendons(self) -> None:
        """Fixed tendons by name, their lengths counted from the reference pose."""
        m0, m1 = self._m0, self._m1
        for t in range(m0.ntendon):
            u = mujoco.mj_name2id(m1, mujoco.mjtObj.mjOBJ_TENDON, clean(m0.tendon(t).name))
            if not m0.tendon(t).name or m0.wrap_type[m0.tendon_adr[t]] != JOINT:
                continue
            if u < 0:
                self._found.fields["tendon"] = m0.tendon(t).name
                continue
            for what in ("stiffness", "stiffnesspoly", "damping", "dampingpoly", "frictionloss", "armature", "limited"):
                self._same(f"tendon {what}", getattr(m0, f"tendon_{what}")[t], getattr(m1, f"tendon_{what}")[u])
            zero, shift = m0.tendon_length0[t], m1.tendon_length0[u]
            if m0.tendon_stiffness[t]:
                self._same("springlength", m0.tendon_lengthspring[t] - zero, m1.tendon_lengthspring[u] - shift)
            if m0.tendon_limited[t]:
                self._same("tendon range", m0.tendon_range[t] - zero, m1.tendon_range[u] - shift)

    def _actuators(self) -> None:
        m0, m1 = self._m0, self._m1
        self._found.fields.pop("nu", None)
        spare = m1.nu - len(self._kept)  # a motor stands for each whose law is told to be left out
        if spare != sum(f.code == "CB1412" for f in self._found.findings):
            self._same("nu", np.array(len(self._kept)), np.array(m1.nu))
            return
        for i in self._kept:
            k = self._actuator(i)
            for what in ("gear", "ctrllimited", "ctrlrange", "forcelimited", "forcerange", "dyntype", "actlimited"):
                self._same(f"actuator {what}", getattr(m0, f"actuator_{what}")[i], getattr(m1, f"actuator_{what}")[k])
            if m0.actuator_dyntype[i]:
                self._same("actuator dynprm", m0.actuator_dynprm[i][:3], m1.actuator_dynprm[k][:3])
            if m0.actuator_trntype[i] != TENDON and m0.qpos0[m0.jnt_qposadr[m0.actuator_trnid[i, 0]]] == 0.0:
                self._same("actuator gainprm", m0.actuator_gainprm[i][:3], m1.actuator_gainprm[k][:3])
                if m0.actuator_biastype[i]:
                    self._same("actuator biasprm", m0.actuator_biasprm[i][:3], m1.actuator_biasprm[k][:3])

    def _actuator(self, i: int) -> int:
        """The exported actuator of an original one that is kept: by its place among those of its kind."""
        m0, m1 = self._m0, self._m1
        named = mujoco.mj_name2id(m1, mujoco.mjtObj.mjOBJ_ACTUATOR, clean(m0.actuator(i).name or f"actuator {i + 1}"))
        return int(named)

    def _sites(self) -> None:
        """Named sites, where they stand in the reference pose."""
        m0, m1 = self._m0, self._m1
        d0, d1 = mujoco.MjData(m0), mujoco.MjData(m1)
        mujoco.mj_kinematics(m0, d0)
        mujoco.mj_kinematics(m1, d1)
        for s in range(m0.nsite):
            name = m0.site(s).name
            if name:
                found = mujoco.mj_name2id(m1, mujoco.mjtObj.mjOBJ_SITE, clean(name, "frame"))
                self._same("site", d0.site_xpos[s], d1.site_xpos[found] if found >= 0 else np.full(3, np.nan))

    def _keys(self) -> None:
        m0, m1 = self._m0, self._m1
        lost = any(f.code == "CB1248" and "keyframe" in f.message for f in self._found.findings)
        if not lost:
            self._same("nkey", np.array(m0.nkey), np.array(m1.nkey))
        d0, d1 = mujoco.MjData(m0), mujoco.MjData(m1)
        mujoco.mj_kinematics(m0, d0)
        mujoco.mj_kinematics(m1, d1)
        frames = [self._frames(d0, d1, j, k) for j, k in self._pairs]
        for n in range(min(m0.nkey, m1.nkey) if not lost else 0):
            d0.qpos[:] = m0.key_qpos[n]
            for (j, k), (R, p) in zip(self._pairs, frames, strict=True):
                self._state(d0, d1, j, k, R, p)
            difference = np.zeros(m1.nv)
            mujoco.mj_differentiatePos(m1, difference, 1.0, d1.qpos, m1.key_qpos[n])
            self._same("key qpos", np.zeros(m1.nv), difference)

    # --- accelerations ---

    def _acceleration(self, random: np.random.Generator) -> float:
        """max |q̈₁ − q̈₀| / max(1, |q̈₀|) at a random state, with random controls, without contacts and limits."""
        m0, m1 = self._m0, self._m1
        d0, d1 = mujoco.MjData(m0), mujoco.MjData(m1)
        mujoco.mj_kinematics(m0, d0)
        mujoco.mj_kinematics(m1, d1)
        frames = [self._frames(d0, d1, j, k) for j, k in self._pairs]
        d0.qvel[:] = random.uniform(-1, 1, m0.nv)
        mujoco.mj_integratePos(m0, d0.qpos, random.uniform(-1, 1, m0.nv), 0.5)
        self._controls(random, d0, d1)
        for (j, k), (R, p) in zip(self._pairs, frames, strict=True):
            self._state(d0, d1, j, k, R, p)
        for m, d in ((m0, d0), (m1, d1)):
            m.opt.disableflags |= QUIET
            mujoco.mj_forward(m, d)
        wanted = np.zeros(m1.nv)
        for (j, k), (R, p) in zip(self._pairs, frames, strict=True):
            self._rates(d0, j, k, R, p, d0.qacc, wanted, moving=True)
        return float(np.abs(wanted - d1.qacc).max(initial=0.0) / max(1.0, float(np.abs(wanted).max(initial=0.0))))

    def _frames(self, d0: Any, d1: Any, j: int, k: int) -> tuple[Array, Array]:
        """X_BL: the exported body's frame in the original's, both in the reference pose."""
        B, L = int(self._m0.jnt_bodyid[j]), int(self._m1.jnt_bodyid[k])
        R_WB = d0.xmat[B].reshape(3, 3)
        return R_WB.T @ d1.xmat[L].reshape(3, 3), R_WB.T @ (d1.xpos[L] - d0.xpos[B])

    def _controls(self, random: np.random.Generator, d0: Any, d1: Any) -> None:
        """The same random controls, and activations equal to them; none for what is told to be left out."""
        d0.act[:] = 0
        if any(what.startswith("actuator") or what == "nu" for what in self._found.fields):
            return
        for i in self._kept:
            k, control = self._actuator(i), random.uniform(-1, 1)
            for model, data, at in ((self._m0, d0, i), (self._m1, d1, k)):
                data.ctrl[at] = control
                if model.actuator_actadr[at] >= 0:
                    data.act[model.actuator_actadr[at]] = control

    def _state(self, d0: Any, d1: Any, j: int, k: int, R: Array, p: Array) -> None:
        m0, m1 = self._m0, self._m1
        a, b = int(m0.jnt_qposadr[j]), int(m1.jnt_qposadr[k])
        kind = m0.jnt_type[j]
        if kind == FREE:
            turned = _matrix(d0.qpos[a + 3 : a + 7])
            d1.qpos[b : b + 3] = d0.qpos[a : a + 3] + turned @ p
            d1.qpos[b + 3 : b + 7] = _quaternion(turned @ R)
        elif kind == BALL:
            d1.qpos[b : b + 4] = _quaternion(R.T @ _matrix(d0.qpos[a : a + 4]) @ R)
        else:
            d1.qpos[b] = d0.qpos[a] - m0.qpos0[a]
        self._rates(d0, j, k, R, p, d0.qvel, d1.qvel, moving=False)

    def _rates(self, d0: Any, j: int, k: int, R: Array, p: Array, of: Array, to: Array, moving: bool) -> None:
        """Rates (or accelerations, `moving`) of the original as those of the export."""
        a, b = int(self._m0.jnt_dofadr[j]), int(self._m1.jnt_dofadr[k])
        kind = self._m0.jnt_type[j]
        if kind == BALL:
            to[b : b + 3] = R.T @ of[a : a + 3]
        elif kind == FREE:
            turned = _matrix(d0.qpos[self._m0.jnt_qposadr[j] + 3 :][:4])
            arm, spin, rate = turned @ p, turned @ of[a + 3 : a + 6], turned @ d0.qvel[a + 3 : a + 6]
            to[b : b + 3] = of[a : a + 3] + np.cross(spin, arm)
            if moving:
                to[b : b + 3] += np.cross(rate, np.cross(rate, arm))
            to[b + 3 : b + 6] = R.T @ of[a + 3 : a + 6]
        else:
            to[b] = of[a]


def _named(model: mujoco.MjModel) -> Context:
    """The names that the reader gives to bodies and joints, which may be without."""
    compiled = {"body_jntadr": model.body_jntadr, "body_jntnum": model.body_jntnum}
    compiled["bodies"] = [model.body(i).name for i in range(model.nbody)]
    compiled["joints"] = [model.joint(i).name for i in range(model.njnt)]
    named = Context(Path(), ReadOptions(), compiled, lines=False)
    named.name_all()
    return named


def _joint_of(model: mujoco.MjModel, body: str) -> int:
    """The last joint of a body; −1 where it has none."""
    i = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body)
    return -1 if i < 0 or not model.body_jntnum[i] else int(model.body_jntadr[i] + model.body_jntnum[i] - 1)


def _leading(value: Any) -> Array:
    return np.ravel(value)[:1]


def _moving_mass(model: mujoco.MjModel) -> float:
    return float(
        sum(model.body_mass[i] for i in range(model.nbody) if model.body_weldid[i] != 0 and model.body_mocapid[i] < 0)
    )


def _matrix(quaternion: Array) -> Array:
    found = np.zeros(9)
    mujoco.mju_quat2Mat(found, quaternion / np.linalg.norm(quaternion))
    return found.reshape(3, 3)


def _quaternion(matrix: Array) -> Array:
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, np.ascontiguousarray(matrix).ravel())
    return found
