"""MJCF, MuJoCo's format, through MuJoCo's own parser: bodies, joints, equalities, actuators. SI throughout."""

from __future__ import annotations

import atexit
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly, Component, Drive, Instance, NamedFrame
from cadbridge.errors import InputError, MissingExtraError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.readers.bounds import READABLE
from cadbridge.readers.mjcf.bodies import read_part
from cadbridge.readers.mjcf.context import Context, free
from cadbridge.readers.mjcf.equalities import read_equalities
from cadbridge.readers.mjcf.files import check_files
from cadbridge.readers.mjcf.joints import HINGE, SLIDE, read_joints
from cadbridge.readers.options import ReadOptions
from cadbridge.shapes.process import Worker, WorkerDiedError, WorkerRefusedError

__all__ = ["read"]

TIME_LIMIT = 120.0
"""Seconds that MuJoCo may take to compile a model."""

_WORKER = Worker("cadbridge.readers.mjcf.worker")
atexit.register(_WORKER.close)

_GRAVITY = np.array([0.0, 0.0, -9.81])


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """A model in its reference pose (qpos0), all joint coordinates zero there; world is MuJoCo's.

    Every body is a component, the world's own geoms are the grounded component "world".
    Needs the extra `mjcf` (MissingExtraError). InputError where MuJoCo refuses the file.
    """
    path, options, findings = Path(path), options or ReadOptions(), Findings()
    lines = check_files(path, options, findings)
    c = Context(path, options, _compile(path, findings), lines, findings)
    c.name_all()
    X = _placements(c)
    parts = [read_part(c, body) for body in range(len(c.bodies))]
    mates, between = read_joints(c, X)
    loops, couplings = read_equalities(c)
    _tell(c)
    named = list(zip(c.bodies, parts, X, strict=True))
    return Assembly(
        name=str(c.model["model"]) or path.stem,
        source=str(path),
        format="mjcf",
        parts=tuple(part for part in parts if part is not None),
        instances=tuple(Instance(name, name, X_WB, name) for name, part, X_WB in named if part is not None),
        components=(
            *(
                Component(name, (name,) if part else (), X_WB, c.stands(i), where=c.where("bodies", i, name))
                for i, (name, part, X_WB) in enumerate(named)
            ),
            *between,
        ),
        mates=(*mates, *loops),
        couplings=tuple(couplings),
        drives=_drives(c),
        frames=_frames(c),
        home=_home(c),
        units=("MJCF: m, kg, rad (compiled by MuJoCo, degrees converted)",),
        mates_in_file=len(mates) + len(c.model["eq_type"]),  # all joints are understood, several may make one mate
        extra={"gravity": tuple(float(g) for g in c.model["gravity"])},
        findings=c.findings.as_tuple(),
    )


def _compile(path: Path, findings: Findings) -> dict[str, Any]:
    where = Where(str(path))
    try:
        answer: dict[str, Any] = _WORKER.request("compile", {"path": str(path.resolve())}, TIME_LIMIT)
        arrays = {key: value for key, value in answer.items() if isinstance(value, np.ndarray)}
        wild = [key for key, value in arrays.items() if not _finite(value)]
        wild += [k for k, v in arrays.items() if k.endswith(("quat", "jnt_axis")) and not v.any(axis=-1).all()]
        if not wild:
            return answer
        reason = f"numbers that are not finite or turn nothing, in MuJoCo's {', '.join(wild)}"
    except WorkerRefusedError as error:
        if error.kind == "missing":
            raise MissingExtraError("MJCF is read by MuJoCo: pip install 'cadbridge[mjcf]'", findings) from error
        reason = error.message
    except WorkerDiedError as error:
        reason = f"MuJoCo's process stopped: {error.reason}"
    findings.add("CB1400", reason, where)
    raise InputError(f"{path.name}: {reason}", findings)


def _finite(values: NDArray[Any]) -> bool:
    return values.dtype.kind != "f" or bool((np.abs(values) < READABLE).all())


def _placements(c: Context) -> list[Pose]:
    """X_WB of every body in the reference pose; parents come before children."""
    X = [Pose()]
    for body in range(1, len(c.bodies)):
        X.append(X[int(c.model["body_parentid"][body])] @ c.X_PB(body))
    return X


def _drives(c: Context) -> tuple[Drive, ...]:
    """A drive for every actuator of a joint, its gear as reduction; armatures become rotors behind it."""
    m = c.model
    taken: set[str] = set()
    drives: list[Drive] = []
    borne: set[int] = set()
    for i, kind in enumerate(m["actuator_trntype"]):
        joint = int(m["actuator_trnid"][i][0])
        name = m["actuators"][i] or f"actuator {i + 1}"
        where = c.where("actuators", i, name)
        gear = float(m["actuator_gear"][i][0])
        if int(kind) not in (0, 1) or int(m["jnt_type"][joint]) not in (SLIDE, HINGE) or gear == 0.0:
            c.findings.add("CB1409", f"{name} drives no joint of one freedom", where)
            continue
        rotor = 0.0 if joint in borne else _armature(c, joint) / gear**2
        borne.add(joint)
        drives.append(Drive(free(name, taken), c.joints[joint], gear, rotor, where))
    for joint, name in enumerate(c.joints):
        armature = _armature(c, joint)
        if joint not in borne and armature and int(m["jnt_type"][joint]) in (SLIDE, HINGE):
            drives.append(Drive(free(f"{name} armature", taken), name, 1.0, armature, c.where("joints", joint, name)))
    return tuple(drives)


def _armature(c: Context, joint: int) -> float:
    return float(c.model["dof_armature"][int(c.model["jnt_dofadr"][joint])])


def _frames(c: Context) -> tuple[NamedFrame, ...]:
    m, taken = c.model, set[str]()
    return tuple(
        NamedFrame(free(name, taken), c.bodies[int(body)], Pose.from_quaternion(p, q))
        for name, body, p, q in zip(m["sites"], m["site_bodyid"], m["site_pos"], m["site_quat"], strict=True)
        if name
    )


def _home(c: Context) -> dict[str, float]:
    """The keyframe "home", as values of joints with one freedom from the reference pose."""
    m = c.model
    if "home" not in m["keys"]:
        return {}
    q = m["key_qpos"][m["keys"].index("home")] - m["qpos0"]
    single = [j for j, kind in enumerate(m["jnt_type"]) if int(kind) in (SLIDE, HINGE)]
    return {c.joints[j]: float(q[int(m["jnt_qposadr"][j])]) for j in single}


def _tell(c: Context) -> None:
    """Gravity other than ours, and what is not read."""
    where = Where(str(c.path))
    gravity = c.model["gravity"]
    if not np.allclose(gravity, _GRAVITY):
        c.findings.add("CB1406", f"gravity is {' '.join(f'{g:g}' for g in gravity)} m/s² in the file", where)
    counts = [f"{n} {kind}" for kind, n in sorted(c.model["counts"].items()) if n]
    if counts:
        c.findings.add("CB1405", f"not read: {', '.join(counts)}", where)
