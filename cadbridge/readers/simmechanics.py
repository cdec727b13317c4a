"""SimMechanics Link XML, the first generation: bodies with coordinate systems, joints of primitives, subsystems.

Positions and axes are given in the world or in a coordinate system of the same body. A rotation's nine numbers go
column by column, as MATLAB has them. A body without mass and geometry is a frame that joints refer to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Feature, FeatureKind, Mate, Part
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.frames import Pose, Vector, cross_length, frame_from_axis, perpendicular, unit
from cadbridge.freedoms import FIXED, UNBOUND, Free, free
from cadbridge.inertia import MassProperties
from cadbridge.readers.joints import joint_mates
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.placement import ALIGNED, ROUNDED_ROTATION, affine
from cadbridge.readers.source import XmlSource
from cadbridge.readers.structure import Key, Occurrence, Structure
from cadbridge.readers.xml import Element, child, children, local, parse, report_misspelt
from cadbridge.units import LENGTH, MASS

__all__ = ["read"]


@dataclass(frozen=True, eq=False)
class _Frame:
    """A coordinate system: the path of its body ((): the ground) and X_WF."""

    key: Key
    X: Pose


@dataclass
class _Reader(XmlSource):
    path: Path
    findings: Findings = field(default_factory=Findings)
    frames: dict[str, _Frame] = field(default_factory=dict)
    named: dict[tuple[Key, str], Pose] = field(default_factory=dict)
    joints: list[tuple[Element, str]] = field(default_factory=list)
    units: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.structure = Structure(self.findings)

    def values(self, element: Element, tag: str, count: int, item: str) -> Vector | None:
        """`count` numbers between commas; a finding and None where they cannot be read."""
        return self.numbers(_text(element, tag).replace(",", " "), count, tag, element, item)

    def unit(self, element: Element, tag: str, table: dict[str, float], item: str) -> float:
        """The factor to SI of a unit; a finding and 1 where it is not known."""
        unit = _text(element, tag)
        self.units.add(unit)
        if unit not in table:
            self.say("CB181", f"{item}: the unit {unit!r} is not known; SI is taken", element, item)
        return table.get(unit, 1.0)


def _text(element: Element, tag: str) -> str:
    """The text of a child without its quotes; '' where there is none."""
    found = child(element, tag)
    return "" if found is None else (found.text or "").strip().strip('"').strip()


_NAMES = frozenset((
    "PhysicalModelingXMLFile", "SimMechanics", "SimscapeMultibody", "Subsystem", "Body", "Ground", "SimpleJoint",
    "Joint", "JointSide", "Primitive", "Frame", "MaterialProp", "bodies", "grounds", "joints", "subsystems",
    "frames", "primitives", "connection", "connectionPorts", "base", "follower", "frame", "axis", "ground", "name",
    "nodeID", "displayName", "status", "mass", "massUnits", "inertia", "inertiaUnits", "volume", "volumeUnits",
    "surfaceArea", "surfaceAreaUnits", "position", "positionOrigin", "positionReferenceFrame", "positionUnits",
    "orientation", "orientationType", "orientationUnits", "orientationReferenceFrame", "referenceFrame",
    "geometryFileName", "ambient", "diffuse", "specular", "shininess", "emission", "transparency", "color",
    "createdBy", "createdFrom", "createdOn", "createdUsing", "formatVersion", "internalVersion",
))  # fmt: skip
"""Elements of the format."""


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """An assembly of bodies, masses and joints; subsystems are flexible sub-assemblies. Geometry is not read.

    InputError where nothing can be read; all else is in the findings, and what they concern is left out.
    """
    r = _Reader(Path(path))
    root = parse(r.path, r.findings)
    # Link 4.8 and later write the same content below another name.
    models = children(root, "SimMechanics", "SimscapeMultibody") if local(root) == "PhysicalModelingXMLFile" else []
    model = models[0] if models else None
    if model is None:
        r.say("CB180", f"the root is {local(root)!r}", root)
        raise InputError(f"{r.path.name} is not a SimMechanics file.", r.findings)
    report_misspelt(root, _NAMES, r.say)
    r.structure.place(_occurrences(r, model, ()))
    mates = [m for element, prefix in r.joints for m in _joint(r, element, prefix)]
    return Assembly(
        name=_text(model, "name") or r.path.stem,
        source=str(r.path),
        format="simmechanics",
        parts=tuple(r.structure.parts.values()),
        instances=tuple(r.structure.instances),
        components=r.structure.components,
        mates=tuple(mates),
        units=(f"{', '.join(sorted(r.units - {''}))} → m, kg, kg m²",) if r.units else (),
        mates_in_file=len(r.joints),
        extra={"tree": r.structure.tree},
        findings=r.findings.as_tuple(),
    )


def _occurrences(r: _Reader, system: Element, key: Key, prefix: str = "") -> list[Occurrence]:
    """Bodies and subsystems of a system; frames, grounds and joints are noted on the way."""
    bodies = [_body(r, e, key, f"b{i}") for i, e in enumerate(_in(system, "bodies", "Body"))]
    found = [body for body in bodies if body is not None]
    for ground in _in(system, "grounds", "Ground"):
        for frame in _in(ground, "frame", "Frame"):
            _note(r, frame, (), _frame_pose(r, frame, {}, {}, "ground", frozenset()))
    r.joints += [(e, prefix) for e in _in(system, "joints")]
    for i, element in enumerate(_in(system, "subsystems", "Subsystem")):
        name, uid = _text(element, "name") or "Subsystem", f"s{i}"
        inner = _occurrences(r, element, (*key, uid), f"{prefix}{name}/")
        found.append(Occurrence(name, uid, np.eye(3, 4), None, inner, flexible=True, where=r.where(element, name)))
    return found


def _in(element: Element, section: str, *tags: str) -> list[Element]:
    found = child(element, section)
    return [] if found is None else children(found, *tags)


def _body(r: _Reader, element: Element, above: Key, uid: str) -> Occurrence | None:
    """A body, placed by its CS1 (else its centre of mass), with the mass that the file declares."""
    name = _text(element, "name") or "Body"
    key = (*above, uid)
    # Reversed twice: of two frames of one name the first stays in the dictionary, and the order is the file's.
    elements = {_text(f, "name"): f for f in reversed(_in(element, "frames", "Frame"))}
    done: dict[str, Pose] = {}
    poses = {n: _frame_pose(r, f, done, elements, name, frozenset((n,))) for n, f in reversed(elements.items())}
    for frame in _in(element, "frames", "Frame"):
        _note(r, frame, key, poses.get(_text(frame, "name")))
    r.named |= {(key, n): X for n, X in poses.items() if X is not None}
    X_WB = poses.get("CS1") or poses.get("CG")
    if X_WB is None:
        r.say("CB181", f"{name} has neither CS1 nor CG, so its place is not known", element, name)
        return None
    declared, empty = _declared(r, element, name, X_WB, poses.get("CG"))
    part = None
    if not empty:
        part = "/".join(key)
        r.structure.add_part(part, Part(name=name, declared=declared, where=r.where(element, name)))
    return Occurrence(name, uid, affine(X_WB.R, X_WB.p), part, product=name, where=r.where(element, name))


def _note(r: _Reader, frame: Element, key: Key, X: Pose | None) -> None:
    """Remember a frame by its `ref`, which joints name it by."""
    ref = frame.get("ref")
    if ref is None or X is None:
        return
    if ref in r.frames:
        r.say("CB162", f"a second frame has the ref {ref}; joints take the first", frame)
    else:
        r.frames[ref] = _Frame(key, X)


def _frame_pose(
    r: _Reader, frame: Element, done: dict[str, Pose], others: dict[str, Element], body: str, seen: frozenset[str]
) -> Pose | None:
    """X_WF of a coordinate system, remembered in `done`; a finding and None where it cannot be read."""
    name = _text(frame, "name")
    if name in done and others.get(name) is frame:
        return done[name]
    item = f"{body} {name}"
    p = r.values(frame, "position", 3, item)
    nine = r.values(frame, "orientation", 9, item) if _text(frame, "orientation") else np.eye(3).ravel()
    length = r.unit(frame, "positionUnits", LENGTH, item)
    kind = _text(frame, "orientationType") or "3x3 Transform"
    if p is None or nine is None:
        return None
    # MATLAB lists a matrix column by column; the later schema 2 goes row by row.
    R = nine.reshape(3, 3).T
    if kind != "3x3 Transform" or float(np.max(np.abs(R @ R.T - np.eye(3)))) > ROUNDED_ROTATION or np.linalg.det(R) < 0:
        r.say("CB133", f"{item}: the orientation ({kind}) is not a rotation", frame, item)
        return None
    U, _, Vt = np.linalg.svd(R)
    bases = []
    for tag in ("positionOrigin", "positionReferenceFrame", "orientationReferenceFrame"):
        frame_name = _text(frame, tag) or "WORLD"
        base = Pose() if frame_name == "WORLD" else None
        if base is None and frame_name in others and frame_name not in seen:
            base = _frame_pose(r, others[frame_name], done, others, body, seen | {frame_name})
        if base is None:
            r.say(
                "CB162", f"{item} is given in {frame_name!r}, which is not a coordinate system of {body}", frame, item
            )
            return None
        bases.append(base)
    origin, position, orientation = bases
    # Three frames of reference: one gives the origin, one the axes of the position, one those of the orientation.
    X = Pose(orientation.R @ (U @ Vt), origin.p + position.vector(p * length))
    if others.get(name) is frame:
        done[name] = X
    return X


def _declared(
    r: _Reader, element: Element, name: str, X_WB: Pose, X_WG: Pose | None
) -> tuple[MassProperties | None, bool]:
    """Mass properties in the body's frame, and whether the body is a mere frame (no mass, no geometry)."""
    mass = r.values(element, "mass", 1, name)
    nine = r.values(element, "inertia", 9, name)
    kilograms = r.unit(element, "massUnits", MASS, name)
    units = _text(element, "inertiaUnits").replace(" ", "")
    head, _, tail = units.partition("*")
    factor = 1.0
    if head in MASS and tail.removesuffix("^2") in LENGTH:
        factor = MASS[head] * LENGTH[tail.removesuffix("^2")] ** 2
        r.units.add(units)
    else:
        r.say("CB181", f"{name}: the unit {units!r} is not known; kg*m^2 is taken", element, name)
    if mass is None or nine is None or X_WG is None:
        return None, False
    if not mass[0] > 0:
        if not np.any(nine) and not _text(element, "geometryFileName"):
            r.say("CB169", f"{name} has neither mass nor geometry", element, name)
            return None, True
        r.say("CB163", f"{name} has a mass of {mass[0]:g}", element, name)
        return None, False
    J = nine.reshape(3, 3) * factor
    at_centre = MassProperties(float(mass[0]) * kilograms, np.zeros(3), (J + J.T) / 2)
    return at_centre.moved(X_WB.inverse() @ X_WG), False


# --- joints ---

Axes = list[tuple[str, Vector]]
"""The primitives of a joint: their names and axes in the world."""


def _along(axes: Axes, *names: str) -> list[Vector]:
    """The axes of the primitives of these names."""
    return [axis for name, axis in axes if name in names]


def _z(*names: str) -> Callable[[Axes], tuple[Vector, Vector] | None]:
    """z and x from the axis of the named primitive, and of the one named second where there is one."""

    def choose(axes: Axes) -> tuple[Vector, Vector] | None:
        found = [_along(axes, name)[0] for name in names]
        z = found[0]
        if len(found) == 1:
            return z, perpendicular(z)
        return (z, found[1]) if abs(float(z @ found[1])) < ALIGNED else None

    return choose


def _anyhow(axes: Axes) -> tuple[Vector, Vector]:
    return np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])


def _cylinder(axes: Axes) -> tuple[Vector, Vector] | None:
    z = axes[0][1]
    return (z, perpendicular(z)) if cross_length(z, axes[1][1]) < ALIGNED else None


def _plane(axes: Axes) -> tuple[Vector, Vector] | None:
    """z across both slides, along the turn where there is one."""
    slides = _along(axes, "prismatic")
    normal = np.cross(slides[0], slides[1])
    # Parallel slides are one freedom twice.
    if float(np.linalg.norm(normal)) < ALIGNED:
        return None
    z = unit(normal)
    if any(cross_length(z, turn) > ALIGNED for turn in _along(axes, "revolute")):
        return None
    return z, slides[0]


def _cross(axes: Axes) -> tuple[Vector, Vector] | None:
    """x along the first arm, y along the second."""
    x, y = axes[0][1], axes[1][1]
    return (np.cross(x, y), x) if abs(float(x @ y)) < ALIGNED else None


def _solid(axes: Axes) -> tuple[Vector, Vector] | None:
    """Three independent directions leave all slides, or all turns."""
    volume = float(np.linalg.det(np.array(_along(axes, "prismatic", "revolute"))))
    return _anyhow(axes) if abs(volume) > ALIGNED else None


JOINTS: dict[tuple[str, ...], tuple[tuple[Free, Callable[[Axes], tuple[Vector, Vector] | None]], ...]] = {
    ("weld",): ((FIXED, _anyhow),),
    ("revolute",): ((free("rz"), _z("revolute")),),
    ("prismatic",): ((free("tz"), _z("prismatic")),),
    ("spherical",): ((free("rx ry rz"), _anyhow),),
    ("prismatic", "revolute"): ((free("tz rz"), _cylinder), (free("tx rz"), _z("revolute", "prismatic"))),
    ("revolute", "revolute"): ((free("rx ry"), _cross),),
    ("prismatic", "prismatic"): ((free("tx ty"), _plane),),
    ("prismatic", "prismatic", "revolute"): ((free("tx ty rz"), _plane),),
    ("prismatic", "spherical"): ((free("tz rx ry rz"), _z("prismatic")),),
    ("prismatic", "prismatic", "prismatic"): ((free("tx ty tz"), _solid),),
    ("revolute", "revolute", "revolute"): ((free("rx ry rz"), _solid),),
    ("prismatic", "prismatic", "prismatic", "spherical"): ((UNBOUND, _solid),),
}
"""What sorted primitives leave free of the frame that their axes make: the first that they make."""


def _joint(r: _Reader, element: Element, prefix: str) -> tuple[Mate, ...]:
    name = prefix + (_text(element, "name") or f"{local(element)}@{element.sourceline}")
    ends = [_end(r, element, side, name) for side in ("base", "follower")]
    primitives = _in(element, "primitives", "Primitive")
    base, follower = ends
    if base is None or follower is None:
        return ()
    axes: Axes = []
    for primitive in primitives:
        axis = _axis(r, primitive, name, base, follower)
        if axis is None:
            return ()
        axes.append((_text(primitive, "name").lower(), axis))
    kinds = tuple(sorted(n for n, _ in axes)) or ("weld",)
    for leaves, choose in JOINTS.get(kinds, ()):
        frame = choose(axes)
        if frame is not None:
            a, b = (_feature(r, end, *frame) for end in (base, follower))
            if a.component == b.component:
                r.say("CB168", f"{name} holds two places of {a.component}, which is rigid", element, name)
                return ()
            return joint_mates(leaves, name, a, b, r.where(element, name))
    r.say("CB164", f"joint {name} of {', '.join(kinds)} about these axes is not understood", element, name)
    return ()


def _end(r: _Reader, element: Element, side: str, name: str) -> _Frame | None:
    refs = [f.get("ref") for s in _in(element, side, "JointSide") for f in _in(s, "connection", "Frame")]
    found = r.frames.get(refs[0] or "") if len(refs) == 1 else None
    if found is None or found.key not in r.structure.placed:
        frame_names = ", ".join(map(str, refs)) or "nothing"
        r.say("CB162", f"the {side} of {name} is the frame {frame_names}, which no body has", element, name)
        return None
    return found


def _axis(r: _Reader, primitive: Element, name: str, base: _Frame, follower: _Frame) -> Vector | None:
    """The axis in the world."""
    axis = r.values(primitive, "axis", 3, name)
    frame_name = _text(primitive, "referenceFrame") or "WORLD"
    poses = {"WORLD": Pose(), "BASE": base.X, "FOLLOWER": follower.X}
    X = poses.get(frame_name) or r.named.get((base.key, frame_name)) or r.named.get((follower.key, frame_name))
    if axis is None:
        return None
    size = float(np.linalg.norm(axis))
    if X is None:
        r.say("CB181", f"{name}: its axis is given in the frame {frame_name!r}, which no body has", primitive, name)
        return None
    if not 1e-9 < size < 1e9:  # its square must neither vanish nor overflow where the axis is made a unit vector
        r.say("CB181", f"{name}: its axis in the frame {frame_name!r} has the length {size:g}", primitive, name)
        return None
    return X.vector(axis / size)


def _feature(r: _Reader, end: _Frame, z: Vector, x: Vector) -> Feature:
    """The joint's frame at one end, in its component's frame: world axes z and x at the coordinate system."""
    place = r.structure.placed[end.key]
    X_CW = r.structure.frame(place.component).inverse()
    R = X_CW.R @ frame_from_axis(z, x)
    instance = None if place.component == GROUND else place.instance
    return Feature(place.component, FeatureKind.FRAME, X_CW.point(end.X.p), R[:, 2], R[:, 0], None, instance, "frame")
