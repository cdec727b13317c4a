"""The mechanism as first-generation SimMechanics XML, with a mates file for gear and limit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cadbridge.frames import Pose
from tests.readers.same_mechanism.model import BODIES, GUIDE, HINGES, Body
from tests.readers.same_mechanism.plain import beside, gears, limits, write_mates

ALL = (*HINGES, GUIDE)
PRIMITIVES = {
    "revolute": [("revolute", "0,0,1")],
    "planar": [("prismatic", "1,0,0"), ("prismatic", "0,1,0"), ("revolute", "0,0,1")],
}


def commas(values: Iterable[float]) -> str:
    return ",".join(repr(float(v)) for v in values)


def frame(name: str, X: Pose, ref: int | None = None, said_in: str = "WORLD") -> str:
    """A coordinate system in mm; rotations go column by column."""
    number = "" if ref is None else f' ref="{ref}"'
    return f"""<Frame{number}><name>"{name}"</name><position>{commas(X.p * 1e3)}</position>
<positionOrigin>"{said_in}"</positionOrigin><positionReferenceFrame>"{said_in}"</positionReferenceFrame>
<positionUnits>"mm"</positionUnits><orientation>{commas(X.R.T.ravel())}</orientation>
<orientationType>"3x3 Transform"</orientationType><orientationReferenceFrame>"{said_in}"</orientationReferenceFrame>
</Frame>"""


def ref(index: int, side: str) -> int:
    return 2 * index + (2 if side == "b" else 1)


def body(which: Body) -> str:
    """CS1 in the world, the centre of mass in CS1, and a coordinate system for each joint, in either."""
    frames = [frame("CG", Pose(p=which.com), said_in="CS1"), frame("CS1", which.X)]
    for i, hinge in enumerate(ALL):
        for side, name in (("a", hinge.a), ("b", hinge.b)):
            if name == which.name and i % 2:
                X = which.X.inverse() @ Pose(p=hinge.point)
                frames.append(frame(f"CS{i + 2}", X, ref(i, side), "CS1"))
            elif name == which.name:
                frames.append(frame(f"CS{i + 2}", Pose(p=hinge.point), ref(i, side)))
    return f"""<Body><name>"{which.name}"</name><nodeID>"{which.name}"</nodeID><mass>{which.mass * 1e3!r}</mass>
<massUnits>"g"</massUnits><inertia>{commas(which.inertia.ravel() * 1e9)}</inertia><inertiaUnits>"g*mm^2"</inertiaUnits>
<frames>{"".join(frames)}</frames><geometryFileName>""</geometryFileName></Body>"""


def joint(name: str, kind: str, a: int, b: int) -> str:
    sides = "".join(
        f'<{tag}><JointSide><connection><Frame ref="{number}"></Frame></connection></JointSide></{tag}>'
        for tag, number in (("base", a), ("follower", b))
    )
    primitives = "".join(
        f'<Primitive><name>"{p}"</name><referenceFrame>"WORLD"</referenceFrame><axis>{axis}</axis></Primitive>'
        for p, axis in PRIMITIVES[kind]
    )
    return f'<SimpleJoint><name>"{name}"</name>{sides}<primitives>{primitives}</primitives></SimpleJoint>'


def write(folder: Path) -> Path:
    """Bodies, hinges and guide."""
    source = folder / "fourbar.xml"
    joints = [
        joint(h.name, "planar" if h is GUIDE else "revolute", ref(i, "a"), ref(i, "b")) for i, h in enumerate(ALL)
    ]
    source.write_text(
        f"""<?xml version="1.0"?><PhysicalModelingXMLFile><SimMechanics><name>"fourbar"</name>
<bodies>{"".join(map(body, BODIES.values()))}</bodies>
<joints>{"".join(joints)}</joints>
<grounds/><subsystems/></SimMechanics></PhysicalModelingXMLFile>"""
    )
    # The base is grounded by the mates file: a weld to the ground would be one mate more than in the other formats.
    write_mates(beside(source), {"ground": ["Base"]}, gears(), limits())
    return source
