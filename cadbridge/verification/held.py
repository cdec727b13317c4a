"""What MuJoCo, Drake and Pinocchio have of a loaded export, as `Contents`."""

from __future__ import annotations

import json
import math
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.exporters.mjcf import SETTINGS as MJCF_SETTINGS
from cadbridge.exporters.sdf_writer import is_controller
from cadbridge.frames import Pose
from cadbridge.readers.urdf import drives_of
from cadbridge.reading import read
from cadbridge.verification.contents import (
    FRICTION,
    GRAVITY,
    ROTORS,
    SENSORS,
    SERVOS,
    SPEED,
    SPRINGS,
    Array,
    Contents,
    EngineMesh,
    Extent,
    extent_of,
)

# --- MuJoCo ---


def of_mujoco(lib: Any, model: Any, links: Sequence[str], joints: Sequence[str]) -> Contents:
    """MuJoCo's compiled model; what is seen is in the geoms of group 2."""
    return Contents(
        gravity=np.array(model.opt.gravity, dtype=float),
        joints={name: _mujoco_joint(model, model.joint(name)) for name in joints},
        shapes={name: extent_of(_mujoco_pieces(lib, model, int(model.body(name).id))) for name in links},
        servos=lambda joint, states: _mujoco_efforts(lib, model, joint, states),
        couplings=tuple(_mujoco_couplings(lib, model, set(joints))),
        sensors=frozenset(_mujoco_sensors(lib, model)),
        weights={name: float(model.body_gravcomp[model.body(name).id]) for name in links},
        medium={what: np.ravel(getattr(model.opt, what)).astype(float) for what in _MEDIUM},
        settings=dict(_mujoco_settings(lib, model)),
        faults=tuple(_mujoco_switched_off(lib, model)),
        unsaid={SPEED: "MJCF has none"},
    )


def _mujoco_switched_off(lib: Any, model: Any) -> Iterator[str]:
    """What flags of <option> switch off; an export switches nothing off."""
    prefix = "mjDSBL_"
    for constant in sorted(name for name in dir(lib.mjtDisableBit) if name.startswith(prefix)):
        if int(model.opt.disableflags) & int(getattr(lib.mjtDisableBit, constant)):
            yield f"the flag {constant.removeprefix(prefix).lower()} of <option> is disabled"


_MEDIUM = ("density", "viscosity", "wind")


def _mujoco_settings(lib: Any, model: Any) -> Iterator[tuple[str, tuple[Array, Array]]]:
    """All of <option> that is compared by no name of its own: the model's, and that of a model with our settings."""
    option = " ".join(f'{key}="{value}"' for key, value in MJCF_SETTINGS.items())
    usual = lib.MjModel.from_xml_string(f"<mujoco><option {option}/></mujoco>").opt
    for name in dir(usual):
        if not name.startswith("_") and name not in (*_MEDIUM, "gravity", "disableflags"):
            theirs, ours = (np.ravel(getattr(opt, name)).astype(float) for opt in (model.opt, usual))
            yield name, (theirs, ours)


def _mujoco_joint(model: Any, joint: Any) -> dict[str, float]:
    k, dof, at = int(joint.id), int(model.jnt_dofadr[joint.id]), int(model.jnt_qposadr[joint.id])
    zero = float(model.qpos0[at])
    low, high = model.jnt_range[k] - zero if model.jnt_limited[k] else (-math.inf, math.inf)
    stiffness = float(np.ravel(model.jnt_stiffness[k])[0])
    return {
        "lower limit": float(low),
        "upper limit": float(high),
        "limit of effort": float(np.abs(model.jnt_actfrcrange[k]).max()) if model.jnt_actfrclimited[k] else math.inf,
        "damping": float(np.ravel(model.dof_damping[dof])[0]),
        "dry friction": float(model.dof_frictionloss[dof]),
        "spring": stiffness,
        "rest of the spring": float(model.qpos_spring[at]) - zero if stiffness else 0.0,
        "rotor inertia": float(model.dof_armature[dof]),
    }


_SEEN = 2
"""The group of geoms that exports give to what is seen."""


def _mujoco_pieces(lib: Any, model: Any, body: int) -> Iterator[EngineMesh]:
    """The meshes of a body in the frames of their files: MuJoCo moves each to its centre and principal axes."""
    mesh_geom = int(lib.mjtGeom.mjGEOM_MESH)
    first, many = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    for g in range(first, first + many):
        if int(model.geom_type[g]) != mesh_geom or int(model.geom_group[g]) != _SEEN:
            continue
        k = int(model.geom_dataid[g])
        X_LC = Pose.from_quaternion(model.geom_pos[g], model.geom_quat[g])
        X_MC = Pose.from_quaternion(model.mesh_pos[k], model.mesh_quat[k])
        vertices, faces = int(model.mesh_vertadr[k]), int(model.mesh_faceadr[k])
        points = np.asarray(model.mesh_vert[vertices : vertices + int(model.mesh_vertnum[k])], dtype=float)
        triangles = np.asarray(model.mesh_face[faces : faces + int(model.mesh_facenum[k])], dtype=np.int64)
        yield EngineMesh(X_LC @ X_MC.inverse(), points @ X_MC.R.T + X_MC.p, triangles)


def _mujoco_efforts(lib: Any, model: Any, joint: str, states: Array) -> Array:
    """What all actuators of a joint exert on it, their activations being their controls."""
    own = int(model.joint(joint).id)
    of_joint = [
        i
        for i in range(model.nu)
        if int(model.actuator_trnid[i][0]) == own and int(model.actuator_trntype[i]) in (0, 1)
    ]
    filters = (int(lib.mjtDyn.mjDYN_FILTER), int(lib.mjtDyn.mjDYN_FILTEREXACT))
    found = np.zeros(len(states))
    for k, (control, value, rate) in enumerate(states):
        data = lib.MjData(model)
        data.joint(joint).qpos[0] = value + float(model.qpos0[int(model.jnt_qposadr[own])])
        data.joint(joint).qvel[0] = rate
        for i in of_joint:
            data.ctrl[i] = control
            if model.actuator_actadr[i] >= 0:
                # A filter comes to rest at its control, of which it is given no more than lies in the range.
                bounded = model.actuator_ctrllimited[i] and int(model.actuator_dyntype[i]) in filters
                at = np.clip(control, *model.actuator_ctrlrange[i]) if bounded else control
                data.act[int(model.actuator_actadr[i])] = at
        # Not mj_forward, which would solve the constraints too: only what actuators exert is asked for.
        lib.mj_fwdPosition(model, data)
        lib.mj_fwdVelocity(model, data)
        lib.mj_fwdActuation(model, data)
        found[k] = sum(float(model.actuator_gear[i][0] * data.actuator_force[i]) for i in of_joint)
    return np.clip(found, *model.jnt_actfrcrange[own]) if model.jnt_actfrclimited[own] else found


def _mujoco_couplings(lib: Any, model: Any, joints: set[str]) -> Iterator[tuple[dict[str, float], float]]:
    """Equalities of joints, and of fixed tendons, that are linear."""
    for i in range(model.neq):
        data, one, two = model.eq_data[i], int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        if not model.eq_active0[i] or np.any(data[2:5]):
            continue
        terms: dict[str, float] = {}
        if int(model.eq_type[i]) == int(lib.mjtEq.mjEQ_JOINT):
            terms = {model.joint(one).name: 1.0}
            terms |= {model.joint(two).name: -float(data[1])} if two >= 0 else {}
        elif int(model.eq_type[i]) == int(lib.mjtEq.mjEQ_TENDON) and two < 0:
            first = int(model.tendon_adr[one])
            wraps = range(first, first + int(model.tendon_num[one]))
            terms = {model.joint(int(model.wrap_objid[w])).name: float(model.wrap_prm[w]) for w in wraps}
        if terms and set(terms) <= joints:
            yield terms, float(data[0])


_SENSED = {"jointpos": "mjSENS_JOINTPOS", "jointvel": "mjSENS_JOINTVEL", "framepos": "mjSENS_FRAMEPOS",
           "framequat": "mjSENS_FRAMEQUAT", "actuatorfrc": "mjSENS_ACTUATORFRC"}  # fmt: skip


def _mujoco_sensors(lib: Any, model: Any) -> Iterator[tuple[str, str]]:
    kinds = {int(getattr(lib.mjtSensor, constant)): kind for kind, constant in _SENSED.items()}
    for k in range(model.nsensor):
        kind = kinds.get(int(model.sensor_type[k]))
        if kind is not None:
            of = lib.mj_id2name(model, int(model.sensor_objtype[k]), int(model.sensor_objid[k]))
            yield kind, of or ""


# --- Pinocchio ---


def of_pinocchio(
    lib: Any, model: Any, path: Path, folders: Sequence[Path], joints: Sequence[str], closures: str
) -> Contents:
    """A URDF as Pinocchio and coal read it; what binds its joints stands in the file, and in `closures`."""
    faults: tuple[str, ...] = ()
    shapes: dict[str, Extent | None] | None = None
    try:
        shown = lib.buildGeomFromUrdf(
            model, str(path), lib.GeometryType.VISUAL, package_dirs=[str(folder) for folder in folders]
        )
        shapes = _pinocchio_shapes(model, shown)
    except ValueError as fault:
        faults = (f"Pinocchio does not load the shapes: {fault}".splitlines()[0],)
    reason = "a URDF has none"
    return Contents(
        joints={name: _pinocchio_joint(model, model.joints[model.getJointId(name)]) for name in joints},
        shapes=shapes,
        transmissions=_transmissions(path),
        couplings=tuple(_mimics(path, set(joints), json.loads(closures).get("follows"))),
        sums="follows" in json.loads(closures),
        faults=(*faults, *twin_faults(path, path.with_suffix(".ros.urdf"))),
        unsaid={GRAVITY: reason, SPRINGS: reason, SERVOS: reason, SENSORS: reason}
        | {ROTORS: "joints of a URDF have none; its transmissions do, and no engine reads them"},
    )


def _transmissions(path: Path) -> dict[str, list[tuple[float, float]]]:
    """By joint the reductions and rotors, as our own reader has them: no engine reads them."""
    found: dict[str, list[tuple[float, float]]] = {}
    for drive in drives_of(path):
        found.setdefault(drive.joint, []).append((drive.reduction, drive.rotor_inertia))
    return found


def twin_faults(path: Path, twin: Path) -> tuple[str, ...]:
    """How a second description beside `path` says something else, but for how it names meshes; () without one."""
    if not twin.exists():
        return ()
    try:
        one, two = (list(ET.parse(file).getroot().iter()) for file in (path, twin))
    except ET.ParseError as fault:
        return (f"{twin.name} is not XML: {fault}",)
    for ours, theirs in zip_longest(one, two):
        if ours is None or theirs is None:
            return (f"{twin.name} has other elements than {path.name}",)
        if ours.tag != "compiler" and _content(ours) != _content(theirs):
            return (f"{twin.name} has another {theirs.tag} than {path.name}: {theirs.attrib} for {ours.attrib}",)
    return ()


def _content(element: ET.Element) -> tuple[str, dict[str, str], str]:
    """What an element says; of a mesh's file its path below the folder `meshes`."""
    values = {k: v.rpartition("meshes/")[2] if k == "filename" else v for k, v in element.attrib.items()}
    return element.tag, values, (element.text or "").strip()


def _pinocchio_joint(model: Any, joint: Any) -> dict[str, float]:
    q, v = joint.idx_q, joint.idx_v
    # Pinocchio counts an endless hinge by cosine and sine, and its limits are of those.
    endless = joint.nq == 2
    return {
        "lower limit": -math.inf if endless else float(model.lowerPositionLimit[q]),
        "upper limit": math.inf if endless else float(model.upperPositionLimit[q]),
        "limit of velocity": float(model.upperVelocityLimit[v]) or math.inf,
        "limit of effort": float(model.upperEffortLimit[v]) or math.inf,
        "damping": float(model.damping[v]),
        "dry friction": float(model.upperDryFrictionLimit[v]),
    }


def _mimics(
    path: Path, joints: set[str], follows: Sequence[dict[str, Any]] | None
) -> Iterator[tuple[dict[str, float], float]]:
    """The mimics of a URDF, and what follows several in a ROS 2 package."""
    for element in ET.parse(path).getroot().findall("joint"):
        mimic = element.find("mimic")
        if mimic is not None and {element.get("name"), mimic.get("joint")} <= joints:
            yield _mimic(str(element.get("name")), mimic)
    for sums in follows or ():
        terms = {sums["joint"]: 1.0} | {term["joint"]: -float(term["factor"]) for term in sums["terms"]}
        if set(terms) <= joints:
            yield terms, float(sums["offset"])


def _mimic(name: str, mimic: ET.Element) -> tuple[dict[str, float], float]:
    return {name: 1.0, str(mimic.get("joint")): -float(mimic.get("multiplier", 1.0))}, float(mimic.get("offset", 0.0))


def _pinocchio_shapes(model: Any, shown: Any) -> dict[str, Extent | None]:
    pieces: dict[str, list[EngineMesh]] = {}
    for item in shown.geometryObjects:
        frame = model.frames[item.parentFrame]
        placed = frame.placement.inverse() * item.placement
        mesh = item.geometry
        if not hasattr(mesh, "tri_indices"):
            continue  # exports write meshes alone: a solid in place of one is a missing mesh
        corners = (mesh.tri_indices(i) for i in range(mesh.num_tris))
        triangles = np.array([[t[0], t[1], t[2]] for t in corners], dtype=np.int64)
        X_LM = Pose(np.array(placed.rotation), np.array(placed.translation))
        points = np.array(mesh.vertices(), dtype=float)
        pieces.setdefault(frame.name, []).append(EngineMesh(X_LM, points, triangles.reshape(-1, 3)))
    return {name: extent_of(found) for name, found in pieces.items()}


# --- Drake ---


def of_drake(plant: Any, scene: Any, joints: Sequence[str], file: Path) -> Contents:
    """A plant of Drake that is registered as a source of `scene`; what its couplers bind stands in the file alone."""
    shapes, faults = _drake_shapes(plant, scene.model_inspector())
    springs = _drake_springs(plant)
    reason = "an SDF model has none"
    links = list(ET.parse(file).getroot().iter("link"))
    return Contents(
        joints={name: _drake_joint(plant, name) | springs.get(name, _SLACK) for name in joints},
        shapes=shapes,
        couplings=tuple(_drake_mimics(file, set(joints))),
        sums=False,
        # Drake passes over these words of a link.
        weights={str(link.get("name")): float(_says(link, "gravity") is False) for link in links},
        divided=False,
        faults=(*faults, *_sdf_links(links)),
        servos=_sdf_efforts(file),
        led=False,
        places=lambda drives: [d for d in drives if is_controller(d)][:1],
        unsaid={
            GRAVITY: "the world of an SDF has it, and a model does not",
            ROTORS: reason,
            SENSORS: reason,
            FRICTION: "Drake reads none",
            "model-1_9.sdf": "of the two descriptions Drake reads the newer",
        },
    )


def _sdf_efforts(file: Path) -> Callable[[str, Array], Array]:
    """What Gazebo's controllers of a joint give, as our own reader has them: Drake passes over plug-ins."""
    tree = ET.parse(file)
    for link in tree.getroot().iter("link"):
        for shape in [e for e in link if e.tag in ("visual", "collision")]:
            link.remove(shape)
    with tempfile.TemporaryDirectory(prefix="cadbridge-") as scratch:
        tree.write(Path(scratch) / file.name, encoding="utf-8")
        drives = read(Path(scratch) / file.name).drives

    def efforts(joint: str, states: Array) -> Array:
        own = [(d.reduction, d.law) for d in drives if d.joint == joint and d.law is not None]
        return np.array([sum(r * law.effort_at(law.start + u, r * q, r * v) for r, law in own) for u, q, v in states])

    return efforts


def _says(link: ET.Element, tag: str) -> bool | None:
    """What a truth value of SDFormat says, None where it is absent."""
    text = link.findtext(tag)
    return None if text is None else text.strip().lower() in ("true", "1")


def _sdf_links(links: Sequence[ET.Element]) -> Iterator[str]:
    """How links would move otherwise in Gazebo."""
    for link in links:
        for tag in ("kinematic", "enable_wind"):
            if _says(link, tag):
                yield f"the link {link.get('name')} has <{tag}>, and no export has"


_SLACK = {"spring": 0.0, "rest of the spring": 0.0}


def _drake_joint(plant: Any, name: str) -> dict[str, float]:
    joint = plant.GetJointByName(name)
    found = {
        "lower limit": float(joint.position_lower_limits()[0]),
        "upper limit": float(joint.position_upper_limits()[0]),
        "limit of velocity": float(joint.velocity_upper_limits()[0]) or math.inf,
        "damping": float(joint.default_damping_vector()[0]),
    }
    efforts = [a.effort_limit() for a in map(plant.get_joint_actuator, plant.GetJointActuatorIndices())
               if a.joint().name() == name]  # fmt: skip
    return found | ({"limit of effort": float(efforts[0])} if efforts else {})


def _drake_mimics(path: Path, joints: set[str]) -> Iterator[tuple[dict[str, float], float]]:
    for element in ET.parse(path).getroot().iter("joint"):
        mimic = element.find("{http://drake.mit.edu}mimic")
        if mimic is not None and {element.get("name"), mimic.get("joint")} <= joints:
            yield _mimic(str(element.get("name")), mimic)


def _drake_springs(plant: Any) -> dict[str, dict[str, float]]:
    tree, found = import_module("pydrake.multibody.tree"), {}
    for k in range(plant.num_force_elements()):
        spring = plant.get_force_element(tree.ForceElementIndex(k))
        if isinstance(spring, tree.RevoluteSpring):
            values = spring.default_stiffness(), spring.default_nominal_angle()
        elif isinstance(spring, tree.PrismaticSpring):
            values = spring.stiffness(), spring.nominal_position()
        else:
            continue
        found[spring.joint().name()] = dict(zip(_SLACK, map(float, values), strict=True))
    return found


def _drake_shapes(plant: Any, inspector: Any) -> tuple[dict[str, Extent | None], list[str]]:
    geometry = import_module("pydrake.geometry")
    pieces: dict[str, list[EngineMesh]] = {}
    files: dict[Path, Any] = {}
    faults: list[str] = []
    for shape in inspector.GetAllGeometryIds(geometry.Role.kIllustration):
        body = plant.GetBodyFromFrameId(inspector.GetFrameId(shape))
        mesh = inspector.GetShape(shape)
        if body is None or not isinstance(mesh, geometry.Mesh):
            continue
        path = Path(mesh.source().path())
        try:
            read = files.get(path) or geometry.ReadObjToTriangleSurfaceMesh(str(path))
        except RuntimeError as fault:
            faults.append(f"Drake does not load {path.name}: {fault}".splitlines()[0])
            continue
        files[path] = read
        X = inspector.GetPoseInFrame(shape)
        points = np.array(read.vertices(), dtype=float) * np.array(mesh.scale3(), dtype=float)
        triangles = np.array([[t.vertex(i) for i in range(3)] for t in read.triangles()], dtype=np.int64)
        X_LM = Pose(X.rotation().matrix().copy(), X.translation().copy())
        pieces.setdefault(body.name(), []).append(EngineMesh(X_LM, points, triangles))
    return {name: extent_of(found) for name, found in pieces.items()}, faults
