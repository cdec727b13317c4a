"""MJCF, MuJoCo's format, through MuJoCo's own parser: bodies, joints, equalities, actuators. SI throughout."""

from __future__ import annotations

import atexit
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import TOUCHING, UNACTUATED, Assembly, Component, Instance, Mate, MateKind, NamedFrame, Part
from cadbridge.budget import raised, with_option
from cadbridge.errors import InputError, MissingExtraError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.readers.bounds import LARGEST_READ, fault_of
from cadbridge.readers.mjcf.actuators import read_drives
from cadbridge.readers.mjcf.bodies import read_part, without_mass
from cadbridge.readers.mjcf.contact import touching
from cadbridge.readers.mjcf.context import Context
from cadbridge.readers.mjcf.equalities import read_equalities, report_gaps
from cadbridge.readers.mjcf.files import NOT_THERE, Named, check_files
from cadbridge.readers.mjcf.joints import HINGE, SLIDE, read_joints
from cadbridge.readers.mjcf.kept import read_kept
from cadbridge.readers.mjcf.leftovers import gravity, report_leftovers, unactuated
from cadbridge.readers.mjcf.worker import ANSWERS, MUJOCO_MEMORY
from cadbridge.readers.names import free_name
from cadbridge.readers.options import ReadOptions
from cadbridge.shapes.process import Worker, WorkerDiedError, WorkerRefusedError
from cadbridge.units import GIGABYTE

__all__ = ["read"]

SECONDS_TO_COMPILE = 60.0
"""Processor seconds that MuJoCo may take to compile a model, before `--allow-larger`. A choice: most of it
goes into the convex hulls and the inertias of meshes.
"""

_WORKER = Worker("cadbridge.readers.mjcf.worker", answers=ANSWERS)
atexit.register(_WORKER.close)


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """A model in its reference pose (qpos0), all joint coordinates zero there; world is MuJoCo's.

    Every body is a component, the world's own geoms are the grounded component "world".
    Needs the extra `mjcf` (MissingExtraError). InputError where MuJoCo refuses the file.
    """
    path, options, findings = Path(path), options or ReadOptions(), Findings()
    # Before MuJoCo sees the file: its own parser opens whatever the model names.
    leads = check_files(path, options, findings)
    c = Context(path, options, _compile(path, leads, findings), len(leads.models) == 1, findings)
    c.name_all()
    X = _placements(c)
    parts = without_mass(c, [read_part(c, body) for body in range(len(c.bodies))])
    mates, between = read_joints(c, X)
    loops, couplings = read_equalities(c)
    _report_held(c, mates, loops)
    report_gaps(c, loops, X)
    report_leftovers(c)
    kept = read_kept(c)
    named = list(zip(c.bodies, parts, X, strict=True))
    return Assembly(
        name=str(c.model["model"]) or path.stem,
        source=str(path),
        format="mjcf",
        parts=tuple(part for part in parts if part is not None),
        instances=tuple(Instance(name, name, X_WB, name) for name, part, X_WB in named if part is not None),
        components=(
            *(_component(c, i, part, X_WB) for i, (_, part, X_WB) in enumerate(named)),
            *between,
        ),
        mates=(*mates, *loops),
        couplings=tuple(couplings),
        drives=read_drives(c),
        frames=_frames(c),
        home=_home(c),
        units=("MJCF: m, kg, rad (compiled by MuJoCo, degrees converted)",),
        mates_in_file=len(mates) + len(c.model["eq_type"]),  # all joints are understood, several may make one mate
        gravity=gravity(c),
        extra=_extra(c, kept),
        findings=c.findings.as_tuple(),
    )


def _extra(c: Context, kept: dict[str, Any]) -> dict[str, Any]:
    """What other rooms read of an MJCF: what is kept of it, what touches, what no actuator drives."""
    extra = {"mjcf": kept, TOUCHING: touching(c), UNACTUATED: unactuated(c)}
    return {key: value for key, value in extra.items() if value}


def _component(c: Context, i: int, part: Part | None, X_WB: Pose) -> Component:
    name, compensated = c.bodies[i], float(c.model["body_gravcomp"][i])
    where = c.where("bodies", i, name)
    return Component(
        name, (name,) if part else (), X_WB, c.stands(i), gravity_compensation=compensated, where=where
    )  # fmt: skip


def _report_held(c: Context, mates: list[Mate], loops: list[Mate]) -> None:
    """Free joints of bodies that equalities hold: the mechanism joins such a body by an equality in its place."""
    ends = {feature.component for mate in loops for feature in (mate.a, mate.b)}
    for mate in mates:
        if mate.kind is MateKind.FREE and mate.b.component in ends:
            name = mate.b.component
            c.findings.add("CB1255", f"{name} has a free joint and is held by equalities", mate.where, items=(name,))
            if mate.damping or mate.armature or mate.stiffness:
                text = f"{name}: loads of its free joints are left out, which an equality may replace"
                c.findings.add("CB1410", text, mate.where, items=(name,))


_CURES = {
    "opening file": NOT_THERE,
    "Schema violation": "Correct the name of the element or attribute; or install the version of MuJoCo that knows it.",
}
"""The cure of a fault by words of MuJoCo's message; of all others the catalogue has it."""
_NO_MEMORY = ("Caught an unknown exception", "Could not allocate memory", "bad_alloc")
"""How MuJoCo says that it was given no more memory."""


def _compile(path: Path, leads: Named, findings: Findings) -> dict[str, Any]:
    where = Where(str(path))
    files = sorted(map(str, {*leads.models, *leads.files}))
    seconds, memory = raised(SECONDS_TO_COMPILE), int(raised(MUJOCO_MEMORY))
    request = {"path": str(path.resolve()), "files": files, "memory": memory}
    try:
        answer: dict[str, Any] = _WORKER.request("compile", request, seconds)
        arrays = {key: value for key, value in answer.items() if isinstance(value, np.ndarray)}
        # MuJoCo compiles nan and 1e308 without a word; a zero quaternion has no rotation to give.
        wild = {key: fault for key, value in arrays.items() if (fault := _fault(key, value))}
        if not wild:
            return answer
        reason = "; ".join(f"MuJoCo's {key}: {fault}" for key, fault in wild.items())
    except WorkerRefusedError as error:
        if error.kind == "missing":
            raise MissingExtraError("MJCF is read by MuJoCo: pip install 'cadbridge[mjcf]'", findings) from error
        reason = error.message
        if any(words in reason for words in _NO_MEMORY):
            reason = with_option(
                f"MuJoCo gave up, most likely as the model asks for more than {memory / GIGABYTE:g} GB ({reason})"
            )
    except WorkerDiedError as error:
        bounds = f"{memory / GIGABYTE:g} GB and {seconds:g} s of processor time"
        reason = with_option(f"MuJoCo's process stopped: {error.reason}; it may use {bounds}")
    reason = reason.removeprefix("Error: ")
    findings.add("CB1400", reason, where, next((cure for words, cure in _CURES.items() if words in reason), None))
    raise InputError(f"{path.name}: {reason}", findings)


def _fault(key: str, values: NDArray[Any]) -> str:
    """Why an array is none of a machine; "" where it is one."""
    if values.dtype.kind == "f" and (fault := fault_of(values.ravel().tolist(), LARGEST_READ)):
        return fault
    turns = key.endswith(("quat", "jnt_axis"))
    return "a quaternion or axis is zero, which turns nothing" if turns and not values.any(axis=-1).all() else ""


def _placements(c: Context) -> list[Pose]:
    """X_WB of every body in the reference pose; parents come before children."""
    X = [Pose()]
    for body in range(1, len(c.bodies)):
        X.append(X[int(c.model["body_parentid"][body])] @ c.X_PB(body))
    return X


def _frames(c: Context) -> tuple[NamedFrame, ...]:
    m, taken = c.model, set[str]()
    return tuple(
        NamedFrame(free_name(name, taken), c.bodies[int(body)], Pose.from_quaternion(p, q))
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
