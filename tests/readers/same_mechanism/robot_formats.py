"""The mechanism as URDF, SDF and MJCF: formats of robots, with a mates file for what each lacks.

In URDF a link's frame lies on the axis that it hangs by, so that it is not the part's own; the loop and the guide
are loop joints. SDF joints close loops themselves. MJCF has neither the hinge C nor the guide: a mates file brings
them. The gear is a mimic, a gearbox, an equality.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from cadbridge.frames import Pose
from tests.readers.same_mechanism.model import BODIES, GEAR, GUIDE, HINGES, Body, Hinge, Z
from tests.readers.same_mechanism.plain import beside, ground, joint_mates, write_mates

TREE = tuple(h for h in HINGES if h.name != "Hinge C")
"""The hinges from which the bodies hang."""

LOOPS = ((next(h for h in HINGES if h.name == "Hinge C"), "revolute"), (GUIDE, "planar"))

_XACRO = "http://www.ros.org/wiki/xacro"

URDF_COUPLINGS = {"Hinge E mimic": GEAR[0]}
"""A mimic is named by its joint."""


def text(values: Iterable[float]) -> str:
    return " ".join(repr(float(v)) for v in values)


def rpy(R: np.ndarray) -> str:
    return text(Rotation.from_matrix(R).as_euler("xyz"))


def pose(X: Pose) -> str:
    return f"{text(X.p)} {rpy(X.R)}"


def inertia(body: Body) -> dict[str, float]:
    J = body.inertia
    return {f"i{'xyz'[i]}{'xyz'[k]}": float(J[i, k]) for i in range(3) for k in range(i, 3)}


def urdf(folder: Path) -> Path:
    """No mates file: what URDF lacks stands in the loop joints of converters."""
    hangs = {h.b: h for h in TREE}
    X = {name: Pose(body.X.R, hangs[name].point) if name in hangs else Pose() for name, body in BODIES.items()}
    lines = ['<robot name="fourbar">']
    for name, body in BODIES.items():
        com = X[name].inverse().point(body.X.point(body.com))
        turn = rpy(X[name].R.T @ body.X.R)
        J = " ".join(f'{key}="{value!r}"' for key, value in inertia(body).items())
        lines.append(
            f'<link name="{name}"><inertial><origin xyz="{text(com)}" rpy="{turn}"/><mass value="{body.mass!r}"/>'
            f"<inertia {J}/></inertial></link>"
        )
    for h in TREE:
        X_PJ = X[h.a].inverse() @ X[h.b]
        kind, limit, mimic = "continuous", "", ""
        if h.limits:
            kind = "revolute"
            limit = f'<limit lower="{float(h.limits[0])!r}" upper="{float(h.limits[1])!r}"/>'
        if h.b == GEAR[2]:
            mimic = f'<mimic joint="Hinge A" multiplier="{-1 / GEAR[3]!r}"/>'
        lines.append(
            f'<joint name="{h.name}" type="{kind}"><origin xyz="{text(X_PJ.p)}" rpy="{rpy(X_PJ.R)}"/>'
            f'<parent link="{h.a}"/><child link="{h.b}"/><axis xyz="{text(X[h.b].R.T @ Z)}"/>{limit}{mimic}</joint>'
        )
    for h, kind in LOOPS:
        ends = "".join(
            f'<link{k} link="{body}" xyz="{text(X[body].inverse().point(h.point))}" rpy="{rpy(X[body].R.T)}"/>'
            for k, body in ((1, h.a), (2, h.b))
        )
        lines.append(f'<loop_joint name="{h.name}" type="{kind}">{ends}<axis xyz="0 0 1"/></loop_joint>')
    source = folder / "fourbar.urdf"
    source.write_text("\n".join([*lines, "</robot>"]))
    return source


def xacro(folder: Path) -> Path:
    """The URDF with its masses by a macro and its ratio by a property, both of an included file."""
    plain = urdf(folder)
    text = plain.read_text().replace(
        '<robot name="fourbar">',
        f'<robot name="fourbar" xmlns:xacro="{_XACRO}"><xacro:include filename="parts.xacro"/>',
    )
    text = re.sub(r'<mass value="([^"]+)"/>', r'<xacro:weight of="${\1 / 2}"/>', text)
    text = re.sub(r'multiplier="[^"]+"', 'multiplier="${-1 / ratio}"', text)
    plain.unlink()
    (folder / "parts.xacro").write_text(
        f'<robot xmlns:xacro="{_XACRO}"><xacro:property name="ratio" value="{GEAR[3]!r}"/>'
        '<xacro:macro name="weight" params="of"><mass value="${2 * of}"/></xacro:macro></robot>'
    )
    source = folder / "fourbar.urdf.xacro"
    source.write_text(text)
    return source


def sdf(folder: Path) -> Path:
    """A joint for every hinge, the gear as a gearbox; the mates file brings the guide and grounds the base."""
    lines = ['<sdf version="1.9"><model name="fourbar">']
    for name, body in BODIES.items():
        J = "".join(f"<{key}>{value!r}</{key}>" for key, value in inertia(body).items())
        lines.append(
            f'<link name="{name}"><pose>{pose(body.X)}</pose><inertial><pose>{text(body.com)} 0 0 0</pose>'
            f"<mass>{body.mass!r}</mass><inertia>{J}</inertia></inertial></link>"
        )
    for h in HINGES:
        X_BJ = BODIES[h.b].X.inverse() @ Pose(p=h.point)
        low, high = h.limits or (-np.inf, np.inf)
        lines.append(
            f'<joint name="{h.name}" type="revolute"><parent>{h.a}</parent><child>{h.b}</child>'
            f"<pose>{pose(X_BJ)}</pose><axis><xyz>0 0 1</xyz><limit><lower>{low!s}</lower><upper>{high!s}</upper>"
            "</limit></axis></joint>"
        )
    name, a, b, ratio = GEAR
    lines.append(
        f'<joint name="{name}" type="gearbox"><parent>{a}</parent><child>{b}</child>'
        f"<pose>{pose(BODIES[b].X.inverse() @ Pose(p=_point(b)))}</pose>"
        f"<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2><gearbox_ratio>{1 / ratio!r}</gearbox_ratio>"
        "<gearbox_reference_body>Base</gearbox_reference_body></joint>"
    )
    source = folder / "fourbar.sdf"
    source.write_text("\n".join([*lines, "</model></sdf>"]))
    write_mates(beside(source), ground(), _mates(GUIDE))
    return source


def _point(body: str) -> np.ndarray:
    return next(h.point for h in TREE if h.b == body)


def _mates(*hinges: Hinge) -> dict[str, object]:
    wanted = {h.name for h in hinges}
    return {"mates": [m for m in joint_mates()["mates"] if m["name"] in wanted]}


def mjcf(folder: Path) -> Path:
    """A tree of bodies, the gear as an equality of joints."""

    def body_text(body: Body, X_WP: Pose) -> str:
        X_PB = X_WP.inverse() @ body.X
        q = Rotation.from_matrix(X_PB.R).as_quat(scalar_first=True)
        J = body.inertia
        full = text((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))
        inner = f'<inertial pos="{text(body.com)}" mass="{body.mass!r}" fullinertia="{full}"/>'
        for h in (h for h in TREE if h.b == body.name):
            limits = f'limited="true" range="{text(h.limits)}"' if h.limits else 'limited="false"'
            inner += (
                f'<joint name="{h.name}" pos="{text(body.point(h.point))}" axis="{text(body.vector(Z))}" {limits}/>'
            )
        inner += "".join(body_text(BODIES[h.b], body.X) for h in TREE if h.a == body.name)
        return f'<body name="{body.name}" pos="{text(X_PB.p)}" quat="{text(q)}">{inner}</body>\n'

    name, a, b, ratio = GEAR
    joint = {h.b: h.name for h in TREE}
    source = folder / "fourbar.xml"
    source.write_text(
        f'<mujoco model="fourbar"><compiler angle="radian"/><worldbody>{body_text(BODIES["Base"], Pose())}</worldbody>'
        f'<equality><joint name="{name}" joint1="{joint[b]}" joint2="{joint[a]}" polycoef="0 {-1 / ratio!r} 0 0 0"/>'
        "</equality></mujoco>"
    )
    write_mates(beside(source), _mates(LOOPS[0][0], GUIDE))
    return source


def usd(folder: Path) -> Path:
    """Every joint as UsdPhysics has it, in double precision; loops closed by joints outside the articulation."""

    def tuple_of(values: Iterable[float]) -> str:
        return f"({', '.join(repr(float(v)) for v in values)})"

    def turn(R: np.ndarray) -> str:
        return tuple_of(Rotation.from_matrix(R).as_quat(scalar_first=True))

    lines = ["#usda 1.0", '(defaultPrim = "fourbar"\n metersPerUnit = 1\n upAxis = "Z")', 'def Xform "fourbar" {']
    for name, body in BODIES.items():
        principal, R = np.linalg.eigh(body.inertia)
        R[:, 2] *= np.sign(np.linalg.det(R))
        lines.append(
            f'def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{\n'
            f"double3 xformOp:translate = {tuple_of(body.X.p)}\nquatd xformOp:orient = {turn(body.X.R)}\n"
            'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]\n'
            f"double physics:mass = {body.mass!r}\npoint3d physics:centerOfMass = {tuple_of(body.com)}\n"
            f"double3 physics:diagonalInertia = {tuple_of(principal)}\nquatd physics:principalAxes = {turn(R)}\n}}"
        )
    lines.append('def PhysicsFixedJoint "hold" { rel physics:body1 = </fourbar/Base>\n}')
    name, a, b, ratio = GEAR
    joint = {h.b: h.name for h in TREE}
    for h in (*HINGES, LOOPS[1][0]):
        planar = h.name == GUIDE.name
        locks = "".join(
            f"float limit:{axis}:physics:low = 1\nfloat limit:{axis}:physics:high = -1\n"
            for axis in ("transZ", "rotX", "rotY")
        )
        follows = h.b == b
        schemas = [f"PhysicsLimitAPI:{axis}" for axis in ("transZ", "rotX", "rotY")] if planar else []
        schemas += ["MjcEqualityJointAPI"] if follows else []
        lines.append(
            f'def {"PhysicsJoint" if planar else "PhysicsRevoluteJoint"} "{h.name.replace(" ", "_")}" '
            f'(displayName = "{h.name}"{f"; prepend apiSchemas = {schemas}" if schemas else ""}) {{\n'.replace("'", '"')
            + (locks if planar else 'uniform token physics:axis = "Z"\n')
        )
        for i, end in enumerate((h.a, h.b)):
            X = BODIES[end].X.inverse()
            lines.append(
                f"rel physics:body{i} = </fourbar/{end}>\npoint3d physics:localPos{i} = {tuple_of(X.point(h.point))}\n"
                f"quatd physics:localRot{i} = {turn(X.R)}"
            )
        if h.limits:
            low, high = (float(v) for v in np.degrees(h.limits))
            lines.append(f"double physics:lowerLimit = {low!r}\ndouble physics:upperLimit = {high!r}")
        if follows:
            lines.append(f"rel mjc:target = </fourbar/{joint[a].replace(' ', '_')}>\ndouble mjc:coef1 = {-1 / ratio!r}")
        lines.append(f"bool physics:excludeFromArticulation = {str(h not in TREE).lower()}\n}}")
    source = folder / "fourbar.usda"
    source.write_text("\n".join([*lines, "}"]))
    return source
