"""OpenUSD with UsdPhysics, through USD's own library: bodies, masses, joints, couplings, shapes of a robot.

The stage is composed in a process of its own (`worker`), which is held to the folders of the source. World: z up, m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.assembly import TOUCHING, Assembly, Component, Instance, NamedFrame, Part
from cadbridge.budget import raised, with_option
from cadbridge.confinement import MEMORY
from cadbridge.errors import InputError, MissingExtraError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.geometry import Shape
from cadbridge.readers import solids
from cadbridge.readers.names import free_name
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.usd.context import Context, vector
from cadbridge.readers.usd.couplings import read_couplings, read_drives
from cadbridge.readers.usd.joints import read_joints
from cadbridge.readers.usd.masses import declared
from cadbridge.readers.usd.shapes import mesh_of
from cadbridge.readers.usd.worker import SECONDS_OF_STAGE
from cadbridge.shapes.process import Worker, WorkerDiedError, WorkerRefusedError
from cadbridge.touched import looked_for
from cadbridge.units import GIGABYTE

__all__ = ["read"]

_BODIES_ELSEWHERE = "Give the files that could not be opened (CB1443) first: they may hold the bodies."
_MOVING = ("deformable bodies and cloth", "particle systems", "vehicles", "tendons", "forces")


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """The robot of a stage, as it stands at its first time code. Every rigid body is a component.

    Bodies that a fixed joint holds on the world, that are switched off or kinematic stand still; what belongs to no
    body is the grounded component "world". Needs the extra `usd` (MissingExtraError). InputError where USD makes no
    stage of the file or where it holds neither a body nor a shape in a scene of physics.
    """
    path, options, findings = Path(path), options or ReadOptions(), Findings()
    c = Context(path, options, _composed(path, options, findings), findings)
    # A scene of physics that nothing moves in is one all the same: a table, a hall.
    if not c.stage["bodies"] and not (c.stage["scenes"] and c.stage["shapes"]):
        missing = any(f.code == "CB1443" for f in findings)
        _refuse(c, "it holds no rigid body (PhysicsRigidBodyAPI)", _BODIES_ELSEWHERE if missing else None)
    _refuse_wild(c)
    c.settle()
    joints, mates, between, standing = read_joints(c)
    couplings = read_couplings(c, joints)
    shapes = _by_body(c)
    parts = [_part(c, body, shapes.get(body, []), standing) for body in c.stage["bodies"]]
    components = [_component(c, body, part, standing) for body, part in zip(c.stage["bodies"], parts, strict=True)]
    rest = _rest(c, shapes.get("", []))
    _tell(c)
    kept = [part for part in (*parts, rest) if part is not None]
    X = {name: c.X[body] for body, name in c.names.items()}
    return Assembly(
        name=c.stage["name"] or path.stem,
        source=str(path),
        format="usd",
        parts=tuple(kept),
        instances=tuple(Instance(p.name, p.name, X.get(p.name, Pose()), p.name) for p in kept),
        components=(*components, *between, *([Component(rest.name, (rest.name,), Pose(), True)] if rest else [])),
        mates=tuple(mates),
        couplings=tuple(couplings),
        drives=tuple(read_drives(c, joints)),
        frames=_frames(c),
        units=(_ledger(c),),
        mates_in_file=len(mates) + len(couplings) + sum(f.code in ("CB1444", "CB1450") for f in findings),
        gravity=c.gravity(),
        extra=_contact(c),
        findings=findings.as_tuple(),
    )


def _contact(c: Context) -> dict[str, Any]:
    """How many shapes may touch others: those of one body, or of the world alone, do not."""
    owners = [shape["body"] for shape in c.stage["shapes"] if shape["touches"]]
    return {TOUCHING: len(owners)} if len(set(owners)) > 1 else {}


def _composed(path: Path, options: ReadOptions, findings: Findings) -> dict[str, Any]:
    """What the worker found in the stage; InputError with CB1440 where USD refuses it or its process ended."""
    worker = Worker("cadbridge.readers.usd.worker", answers={"read": dict[str, Any]})
    request = {
        "path": str(path.resolve()),
        "package_dirs": [str(d.resolve()) for d in options.package_dirs],
        "geometry": options.geometry,
        "larger": options.larger,
    }
    try:
        stage: dict[str, Any] = worker.request("read", request, raised(SECONDS_OF_STAGE))
    except WorkerRefusedError as error:
        if error.kind == "missing":
            raise MissingExtraError("USD is read by usd-core: pip install 'cadbridge[usd]'", findings) from error
        reason = error.message
    except WorkerDiedError as error:
        bounds = f"{raised(MEMORY) / GIGABYTE:.0f} GB and {raised(SECONDS_OF_STAGE):g} s of processor time"
        reason = with_option(f"USD's process stopped: {error.reason}; it may use {bounds}")
    else:
        for code, message in stage["remarks"]:
            findings.add(code, message, Where(str(path)))
        for name in stage["files"]:
            looked_for(name)
        return stage
    finally:
        worker.close()
    findings.add("CB1440", reason, Where(str(path)))
    raise InputError(f"{path.name}: {reason}", findings)


def _refuse(c: Context, reason: str, cure: str | None = None) -> None:
    c.findings.add("CB1440", reason, Where(str(c.path)), cure)
    raise InputError(f"{c.path.name}: {reason}", c.findings)


def _refuse_wild(c: Context) -> None:
    """InputError where a placement, a point or a size is not finite, or any number is none."""
    for item in (*c.stage["bodies"].values(), *c.stage["joints"], *c.stage["shapes"], *c.stage["frames"]):
        ends = [end["matrix"] for end in item.get("ends", ())]
        whole = [item.get("matrix", np.eye(4)), *ends, *item.get("sizes", {}).values()]
        numbers = [v for v in whole if not isinstance(v, str)]
        loose = [v for v in item.get("attributes", {}).values() if isinstance(v, float | np.ndarray)]
        if not all(np.isfinite(v).all() for v in numbers if v is not None) or any(np.isnan(v).any() for v in loose):
            _refuse(c, f"{item.get('path', item['name'])}: a number is not finite")
    # A nanometre to a million kilometres a unit: nobody draws a machine in others.
    if not 1e-9 < float(c.stage["units"]["metersPerUnit"] or 0.0) < 1e9:
        _refuse(c, f"metersPerUnit is {c.stage['units']['metersPerUnit']}")


def _by_body(c: Context) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for shape in c.stage["shapes"]:
        found.setdefault(shape["body"], []).append(shape)
    return found


def _part(c: Context, body: str, shapes: Sequence[Mapping[str, Any]], standing: set[str]) -> Part | None:
    """The part of a body in the body's frame; None where it has neither mass nor shape."""
    name = c.names[body]
    properties, override = declared(c, c.stage["bodies"][body], shapes)
    made = _shape(c, name, c.X[body], shapes)
    if made is None and properties is None and override is None:
        if name not in standing:
            c.say("CB1449", f"{name} has neither a mass nor a shape: it weighs nothing", name)
        return None
    colour = next((shape["colour"] for shape in shapes if shape["colour"]), None)
    return Part(name, made, declared=properties, override=override, colour=colour, where=Where(str(c.path), item=name))


def _shape(c: Context, name: str, X_WB: Pose, shapes: Sequence[Mapping[str, Any]]) -> Shape | None:
    """What is seen, or what collides where nothing is; and what collides."""
    if not c.options.geometry:
        return None
    seen, touching = [], []
    for shape in shapes:
        linear, p = c.affine(shape["matrix"])
        mesh = mesh_of(shape, X_WB.R.T @ linear, X_WB.inverse().point(p))
        if mesh is None:
            # A plane without end is the floor of a scene.
            if shape["type"] != "Plane":
                c.say("CB1452", f"{shape['path']} ({shape['type']}) makes no closed shape", name)
            continue
        seen += [mesh] if shape["seen"] else []
        touching += [mesh] if shape["touches"] else []
    return solids.shape(solids.joined(seen or touching), solids.joined(touching), ("the stage", "the stage"))


def _component(c: Context, body: str, part: Part | None, standing: set[str]) -> Component:
    name, attributes = c.names[body], c.stage["bodies"][body]["attributes"]
    idle = [text for key, still, text in (
        ("physics:rigidBodyEnabled", False, "is switched off"), ("physics:kinematicEnabled", True, "is kinematic"),
    ) if attributes.get(key) is still]  # fmt: skip
    if idle:
        c.say("CB1455", f"{name} {' and '.join(idle)}: it stands still", name)
    if any(vector(attributes, f"physics:{key}", (0.0, 0.0, 0.0)).any() for key in ("velocity", "angularVelocity")):
        c.say("CB1446", f"{name}: its initial velocity is left out", name)
    return Component(
        name,
        (name,) if part else (),
        c.X[body],
        name in standing or bool(idle),
        gravity_compensation=1.0 if attributes.get("physxRigidBody:disableGravity") is True else 0.0,
        where=Where(str(c.path), item=name),
    )


def _rest(c: Context, shapes: Sequence[Mapping[str, Any]]) -> Part | None:
    """What belongs to no body: a table, a floor that is no endless plane."""
    made = _shape(c, "world", Pose(), shapes)
    return None if made is None else Part(free_name("world", c.taken), made, where=Where(str(c.path)))


def _frames(c: Context) -> tuple[NamedFrame, ...]:
    taken: set[str] = set()
    return tuple(
        NamedFrame(free_name(f["name"], taken), c.names[f["body"]], c.X[f["body"]].inverse() @ c.pose(f["matrix"])[0])
        for f in c.stage["frames"]
    )


def _tell(c: Context) -> None:
    """What is in the stage and not in the assembly, each kind once."""
    counts = dict(c.stage["others"])
    for kind in _MOVING:
        if counts.get(kind):
            c.say("CB1446", f"not read: {counts.pop(kind)} {kind}")
    touching = sum(shape["touches"] for shape in c.stage["shapes"])
    counts |= {"contacts of shapes": touching}
    unread = [f"{n} {kind}" for kind, n in counts.items() if n]
    if unread:
        c.say("CB190", f"not read: {', '.join(unread)}")
    for text in c.stage["variants"]:
        c.say("CB1453", text)


def _ledger(c: Context) -> str:
    up = "z up" if np.array_equal(c.up, np.eye(3)) else "y up → z up"
    return f"USD: {c.length:g} m, {c.mass:g} kg, degrees, {up} → m, kg, rad"
