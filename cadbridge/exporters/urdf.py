"""URDF in a ROS package: a tree of links, mimic joints for gears, and sidecars for what a tree cannot say.

The same model is written twice: NAME.urdf names meshes relative to itself, NAME.ros.urdf by package://. The <mujoco>
element of each file tells MuJoCo where its meshes are (of NAME.ros.urdf MuJoCo loads collision geometry only, its
default). Pinocchio must be given the folder of the URDF, or the folder that holds the package.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import Limit
from cadbridge.exporters import ros, sidecars
from cadbridge.exporters.collision import Capsule, Cylinder, Solid, Sphere
from cadbridge.exporters.kept import put_back
from cadbridge.exporters.markup import add, document, solid_element
from cadbridge.exporters.names import WITH_COUNT
from cadbridge.exporters.numbers import NO_LIMIT, balanced, exact, number, numbers, small, tensor
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.plan import LinkPlan, make_plan, report_tree
from cadbridge.exporters.ranges import report_apart, within_followers
from cadbridge.exporters.relations import LinearRelation
from cadbridge.exporters.tree import Link, Tree, TreeFreedom, limit_of, spanning_tree
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Joint, Mechanism
from cadbridge.readers.names import free_name

ROOT = "base_link"
"""The link that stands, as ROS's programs expect it (REP 105)."""


@dataclass(frozen=True, eq=False)
class Description:
    """A mechanism as URDF: the document, with meshes named from the package's folder on, and what it came from.

    `left_out` are the joints that are not in the tree, `sums` the coordinates that follow several others.
    """

    plan: LinkPlan
    robot: ET.Element
    left_out: tuple[Joint, ...]
    sums: tuple[LinearRelation, ...]


def describe(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> Description:
    """The URDF of a mechanism; what it cannot say is reported."""
    mechanism, narrowed = within_followers(mechanism)
    for leader, narrowing in narrowed.items():
        if told := narrowing.told():
            findings.add("CB563", f"joint {leader} leads others: {told}", Where(item=leader))
    report_apart(narrowed, findings)
    tree = spanning_tree(mechanism)
    folders = "meshes/visual", "meshes/collision"
    plan = make_plan(tree, findings, options, folders=folders, masses_needed=False, root=ROOT)
    _report(plan, findings)
    dependences = plan.dependences(findings)
    mimics = {d.dependent: d for d in dependences if len(d.terms) <= 1}
    sums = tuple(d for d in dependences if len(d.terms) > 1)
    for d in dependences:
        joint = plan.joint_names[d.dependent]
        if len(d.terms) > 1:
            drivers = ", ".join(plan.joint_names[k] for k, _ in d.terms)
            findings.add("CB507", f"joint {joint} follows {drivers} together", Where(item=joint))
        elif not d.terms:
            text = f"joint {joint} stands still, which is written as a range of one value"
            findings.add("CB507", text, Where(item=joint))
    left_out = (*tree.closures, *(link.joint for link in tree.links if link.joint and link.kind.unbound))
    return Description(plan, _robot(plan, name, mimics, findings), left_out, sums)


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export, relative path → bytes; the model first."""
    described = describe(mechanism, name, findings, options)
    plan, robot = described.plan, described.robot
    package = ros.package_name(name)
    models = {
        f"urdf/{name}.urdf": document(_placed(robot, "..", {"strippath": "false", "discardvisual": "false"})),
        # MuJoCo knows no packages: it takes file names alone, of one folder.
        f"urdf/{name}.ros.urdf": document(by_package(robot, package)),
    }
    rest = {**plan.meshes.contents, **ros.files(name, f"{name}.ros.urdf", plan.link_names[0])}
    return {
        **{f"{package}/{path}": data for path, data in {**models, **rest}.items()},
        sidecars.CLOSURES: closures_of(described),
        sidecars.LOSSES: sidecars.losses("urdf", name, plan.names, findings, mechanism.assembly.home),
    }


def closures_of(described: Description, active: Iterable[str] | None = None) -> bytes:
    """`closures.json` of a description; `active` are the joints from which all others follow."""
    plan = described.plan
    return sidecars.closures(
        plan.tree, plan.link_names, plan.joint_names, described.left_out, described.sums, plan.lost, active
    )


def by_package(robot: ET.Element, package: str) -> ET.Element:
    """A copy whose meshes are named by package://."""
    return _placed(robot, f"package://{package}", {"strippath": "true", "meshdir": "../meshes/collision"})


def _report(plan: LinkPlan, findings: Findings) -> None:
    """What URDF has no place for."""
    report_tree(plan, findings)
    mechanism = plan.mechanism
    sprung = [j.name for j in mechanism.joints if j.stiffness]
    if sprung:
        findings.add("CB535", f"springs are left out: {', '.join(sprung)}", items=sprung)
    servos = [d.name for d in mechanism.drives if d.law is not None and any(d.law.bias)]
    if servos:
        findings.add("CB536", f"the control laws of the servos {', '.join(servos)} are left out", items=servos)


def _robot(plan: LinkPlan, name: str, mimics: dict[int, LinearRelation], findings: Findings) -> ET.Element:
    """The URDF itself; meshes are named from the package's folder on."""
    robot = ET.Element("robot", name=name)
    _mujoco(robot, plan.tree)
    unknown: list[str] = []
    via = set(plan.link_names)
    for i, link in enumerate(plan.tree.links):
        _link(robot, plan, i)
        if link.parent is not None:
            _joints(robot, plan, i, mimics, unknown, via)
    for frame, i, X_LF in plan.frames():
        # URDF has no frames: a link without mass on a fixed joint is what tf shows.
        add(robot, "link", name=frame)
        joint = add(robot, "joint", name=f"{frame}_fixed", type="fixed")
        _connect(joint, X_LF, plan.link_names[i], frame)
    held = put_back(robot, plan, findings)
    for drive in plan.mechanism.drives:
        if drive.name not in held:
            _transmission(robot, plan, drive.name, findings)
    _agree(robot, unknown)
    if unknown:
        findings.add("CB512", f"unknown limits are written as 1e9: {', '.join(unknown)}")
    return robot


def _placed(robot: ET.Element, before: str, compiler: dict[str, str]) -> ET.Element:
    """A copy with `before` put before its mesh paths, and <compiler> set so that MuJoCo finds them."""
    robot = deepcopy(robot)
    for mesh in robot.iter("mesh"):
        mesh.set("filename", f"{before}/{mesh.get('filename')}")
    for element in robot.iter("compiler"):
        element.attrib.update(compiler)
    return robot


def _mujoco(robot: ET.Element, tree: Tree) -> None:
    """MuJoCo's own element: links without mass get its least one, inertias that it refuses are balanced (CB1434)."""
    within = all(b.mass is None or balanced(b.mass) for b in tree.mechanism.bodies)
    compiler = add(
        add(robot, "mujoco"),
        "compiler",
        balanceinertia="false" if within else "true",
        # MuJoCo allows a free joint on bodies of the world alone, and makes them that by fusing the root into it.
        fusestatic="true" if any(link.kind.unbound for link in tree.links) else "false",
    )
    if tree.serial or any(len(link.freedoms) > 1 and not _floating(link) for link in tree.links):
        compiler.set("boundmass", "1e-9")
        compiler.set("boundinertia", "1e-12")


def _floating(link: Link) -> bool:
    return link.floats


def _link(robot: ET.Element, plan: LinkPlan, i: int) -> None:
    link = plan.tree.links[i]
    element = add(robot, "link", name=plan.link_names[i])
    mass = plan.tree.mass(link)
    if mass is not None and mass.mass > 0:
        _inertial(element, mass)
    for instance, X_LI, files in plan.shown(link):
        shown = _geometry(element, "visual", X_LI, files.visual)
        colour = plan.colour(instance)
        # A material's name holds in the whole file: each colour has one of its own.
        material = add(shown, "material", name="rgba_" + "_".join(f"{c:.3f}" for c in colour))
        add(material, "color", rgba=numbers(colour))
        for touched in files.collision:
            for X_PS, body in _known(touched.body):
                _geometry(element, "collision", X_LI @ touched.X_IP @ X_PS, body)


def _known(body: str | Solid) -> list[tuple[Pose, str | Solid]]:
    """What URDF can say: a capsule is a cylinder and two spheres."""
    if not isinstance(body, Capsule):
        return [(Pose(), body)]
    ends = [Pose(np.eye(3), np.array([0.0, 0.0, side * body.length / 2])) for side in (-1, 1)]
    return [(Pose(), Cylinder(body.radius, body.length)), *((end, Sphere(body.radius)) for end in ends)]


def _geometry(link: ET.Element, tag: str, X: Pose, body: str | Solid) -> ET.Element:
    element = add(link, tag)
    _origin(element, X)
    if isinstance(body, str):
        add(add(element, "geometry"), "mesh", filename=body)
    else:
        name, values = solid_element(body)
        add(add(element, "geometry"), name, values)
    return element


def _inertial(element: ET.Element, mass: MassProperties) -> None:
    inertial = add(element, "inertial")
    add(inertial, "origin", xyz=numbers(mass.com), rpy="0 0 0")
    add(inertial, "mass", value=small(mass.mass))
    inertia = tensor(mass.inertia)
    pairs = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    values = {key: small(inertia[i, j]) for key, (i, j) in pairs.items()}
    add(inertial, "inertia", values)


def _origin(element: ET.Element, X: Pose) -> None:
    add(element, "origin", xyz=numbers(X.p), rpy=numbers(X.rpy()))


def _connect(joint: ET.Element, X: Pose, parent: str, child: str) -> None:
    _origin(joint, X)
    add(joint, "parent", link=parent)
    add(joint, "child", link=child)


def _joints(
    robot: ET.Element, plan: LinkPlan, i: int, mimics: dict[int, LinearRelation], unknown: list[str], via: set[str]
) -> None:
    """The joint above a link; one of several freedoms has links without mass in between."""
    link = plan.tree.links[i]
    assert link.parent is not None
    parent, X = plan.link_names[link.parent], plan.tree.X_PL(link)
    if _floating(link):
        name = link.joint.name if link.joint is not None else plan.joint_names[link.first]
        joint = add(robot, "joint", name=free_name(f"{plan.link_names[i]}_floating", via, WITH_COUNT), type="floating")
        plan.names["joints"][joint.attrib["name"]] = name
        _connect(joint, X, parent, plan.link_names[i])
        return
    for n, freedom in enumerate(link.freedoms):
        k = link.first + n
        last = n == len(link.freedoms) - 1
        child = plan.link_names[i] if last else free_name(f"{plan.link_names[i]}_via{n + 1}", via, WITH_COUNT)
        if not last:
            add(robot, "link", name=child)
        _single(robot, plan, link.joint, freedom, k, (X, parent, child), mimics.get(k), unknown)
        parent, X = child, Pose()


def _single(
    robot: ET.Element, plan: LinkPlan, joint: Joint | None, freedom: TreeFreedom, k: int,
    between: tuple[Pose, str, str], mimic: LinearRelation | None, unknown: list[str],
) -> None:  # fmt: skip
    """A joint of one freedom."""
    name = plan.joint_names[k]
    own = joint is not None and freedom.name == joint.name and joint.coordinate is not None
    limit = limit_of(joint, freedom)
    if mimic is not None and not mimic.terms:
        # A joint that couplings hold still follows nobody: its range is one value.
        limit = Limit(lower=mimic.offset, upper=mimic.offset)
    bounded = limit is not None and (limit.lower is not None or limit.upper is not None)
    endless = freedom.turns and not bounded
    kind = "continuous" if endless else freedom.kind
    element = add(robot, "joint", name=name, type=kind)
    _connect(element, *between)
    add(element, "axis", xyz=numbers(freedom.axis))
    if limit is not None or not endless:
        _limit(element, limit or Limit(), not endless, name, unknown)
    # Of a joint of several freedoms the losses are those of its turn (`JointType.resisted`).
    if joint is not None and (joint.damping or joint.friction) and (own or freedom.turns):
        add(element, "dynamics", damping=small(joint.damping), friction=small(joint.friction))
    if mimic is not None and mimic.terms:
        driver, factor = mimic.terms[0]
        add(element, "mimic", joint=plan.joint_names[driver], multiplier=exact(factor), offset=number(mimic.offset))


def _limit(element: ET.Element, limit: Limit, bounded: bool, name: str, unknown: list[str]) -> None:
    """<limit> with all it demands; what nobody gave is `NO_LIMIT`, and noted in `unknown`."""
    wanted = {"lower": limit.lower, "upper": limit.upper} if bounded else {}
    wanted |= {"effort": limit.effort, "velocity": limit.velocity}
    missing = [key for key, value in wanted.items() if value is None]
    if missing:
        unknown.append(f"{name} ({', '.join(missing)})")
    values = {k: (-NO_LIMIT if k == "lower" else NO_LIMIT) if v is None else v for k, v in wanted.items()}
    add(element, "limit", {key: number(value) for key, value in values.items()})


def _agree(robot: ET.Element, unknown: list[str]) -> None:
    """Joints that follow one another are all continuous or all bounded: Pinocchio counts the two otherwise."""
    joints = {joint.get("name", ""): joint for joint in robot.findall("joint")}
    groups: dict[str, list[str]] = {}
    for name, joint in joints.items():
        mimic = joint.find("mimic")
        if mimic is not None:
            driver = mimic.get("joint", "")
            groups.setdefault(driver, [driver]).append(name)
    for group in groups.values():
        endless = [name for name in group if joints[name].get("type") == "continuous"]
        if len(endless) in (0, len(group)):
            continue
        for name in endless:
            joint = joints[name]
            joint.set("type", "revolute")
            limit = joint.find("limit")
            if limit is None:
                at = [element.tag for element in joint].index("axis") + 1
                limit = ET.Element("limit", effort=number(NO_LIMIT), velocity=number(NO_LIMIT))
                joint.insert(at, limit)
            limit.attrib.update(lower=number(-NO_LIMIT), upper=number(NO_LIMIT))
            unknown.append(f"{name} (lower, upper)")


def _transmission(robot: ET.Element, plan: LinkPlan, name: str, findings: Findings) -> None:
    drive = next(d for d in plan.mechanism.drives if d.name == name)
    found = plan.driven(drive, findings)
    if found is None:
        return
    element = add(robot, "transmission", name=f"{drive.name}_transmission")
    add(element, "type").text = "transmission_interface/SimpleTransmission"
    joint = add(element, "joint", name=plan.joint_names[found[1]])
    add(joint, "hardwareInterface").text = "hardware_interface/EffortJointInterface"
    actuator = add(element, "actuator", name=drive.name)
    add(actuator, "mechanicalReduction").text = number(drive.reduction)
    if drive.rotor_inertia:
        # No engine that we know reads it here; cadbridge does.
        add(actuator, "rotorInertia").text = small(drive.rotor_inertia)
