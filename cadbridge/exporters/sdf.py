"""SDFormat 1.11: model.sdf and model.config, meshes as OBJ; for Drake and Gazebo.

Every link's frame is its joint's frame as designed, so that each joint's pose is that of its child. Gears become mimics
where one joint follows one other; screws and ball joints are the format's own.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from cadbridge.assembly import Limit
from cadbridge.exporters import sidecars
from cadbridge.exporters.collision import Solid
from cadbridge.exporters.markup import add, document, solid_element
from cadbridge.exporters.numbers import exact, number, numbers, small, tensor
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.plan import Plan, make_plan, tell_limits
from cadbridge.exporters.relations import Dependence, eliminate, ranking
from cadbridge.exporters.tree import Freedom, Link, spanning_tree
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Joint, Mechanism

MESHES = "meshes"
LEAST_MASS, LEAST_INERTIA = 1e-9, 1e-12
"""kg and kg m² of the links between the single freedoms of a joint: SDFormat takes none without mass."""

_FREE = ("free", "generic")
_NATIVE = {"spherical": "ball", "screw": "screw"}


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export, relative path → bytes; the model first."""
    tree = spanning_tree(mechanism)
    plan = make_plan(
        tree, findings, options, folders=(MESHES, MESHES), masses_needed=True, meshes="obj", one_namespace=True
    )
    _tell(plan, findings)
    if findings.errors:
        return {}
    screws = {link.joint.name for link in tree.links if link.type == "screw" and link.joint is not None}
    dependences, agree = eliminate([r for r in plan.relations if r.name not in screws], ranking(tree))
    if not agree:
        findings.add("CB518", "the couplings contradict each other at the designed pose")
    sums = [d for d in dependences if len(d.terms) != 1]
    for d in sums:
        joint = plan.joint_names[d.dependent]
        drivers = " and ".join(plan.joint_names[k] for k, _ in d.terms) or "none: it stands still"
        findings.add("CB507", f"joint {joint} follows {drivers}", Where(item=joint))
    model = _Writer(plan, {d.dependent: d for d in dependences if len(d.terms) == 1}).model(name)
    left_out = [*tree.closures, *(link.joint for link in tree.links if link.joint and link.type == "generic")]
    return {
        "model.sdf": model,
        "model.config": _config(name),
        sidecars.CLOSURES: sidecars.closures(tree, plan.link_names, plan.joint_names, left_out, sums, plan.lost),
        sidecars.LOSSES: sidecars.losses("sdf", name, plan.names, findings, mechanism.assembly.home),
        **plan.meshes.contents,
    }


def _tell(plan: Plan, findings: Findings) -> None:
    """What SDFormat has no place for."""
    tree, mechanism = plan.tree, plan.mechanism
    for joint in tree.closures:
        code = "CB504" if joint.type == "generic" else "CB503"
        findings.add(code, f"joint {joint.name} ({joint.type}) closes a loop", Where(item=joint.name))
    for link in tree.links:
        if link.joint is None:
            continue
        if link.type == "generic":
            findings.add("CB504", f"joint {link.joint.name} is no lower pair", Where(item=link.joint.name))
        elif len(link.freedoms) > 1 and link.type not in _NATIVE:
            message = f"the {link.type} joint {link.joint.name} became {len(link.freedoms)} joints"
            findings.add("CB505", message, Where(item=link.joint.name))
    tell_limits(tree, findings)
    if not np.allclose(mechanism.gravity, (0.0, 0.0, -9.81), atol=1e-9):
        findings.add("CB515", f"gravity is ({numbers(mechanism.gravity)}) m/s²")
    rotors = [j.name for j in mechanism.joints if j.armature > 0]
    if rotors:
        findings.add("CB516", f"rotor inertia on {', '.join(rotors)}")
    if mechanism.assembly.home:
        findings.add("CB517", f"home pose of {', '.join(sorted(mechanism.assembly.home))}")
    for drive in mechanism.drives:
        findings.add("CB520", f"drive {drive.name} on {drive.joint}", drive.where)


class _Writer:
    """Puts the elements of one model together."""

    def __init__(self, plan: Plan, mimics: dict[int, Dependence]) -> None:
        self._plan, self._mimics = plan, mimics
        self._taken = set(plan.link_names) | set(plan.joint_names) | set(plan.frame_names)

    def model(self, name: str) -> bytes:
        root = ET.Element("sdf", {"version": "1.11", "xmlns:drake": "http://drake.mit.edu"})
        model = add(root, "model", name=name)
        ground = self._plan.link_names[0]
        if self._plan.instances(self._plan.tree.links[0]):
            fixed = add(model, "joint", name=self._fresh("ground_to_world"), type="fixed")
            self._between(fixed, "world", ground)
            self._link(model, 0)
        else:
            ground = "world"
        for i, link in enumerate(self._plan.tree.links):
            if link.parent is not None:
                self._link(model, i)
                parent = ground if link.parent == 0 else self._plan.link_names[link.parent]
                self._joints(model, i, parent)
        for frame, i, X_LF in self._plan.frames():
            attached = ground if i == 0 else self._plan.link_names[i]
            element = add(model, "frame", {"name": frame, "attached_to": attached})
            _pose(element, X_LF)
        return document(root)

    def _fresh(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _link(self, model: ET.Element, i: int) -> None:
        plan = self._plan
        link = plan.tree.links[i]
        element = add(model, "link", name=plan.link_names[i])
        _pose(element, link.X_WL)
        mass = plan.tree.mass(link)
        if mass is not None and mass.mass > 0:
            _inertial(element, mass)
        for instance, X_LI in plan.instances(link):
            files = plan.meshes.of_instance.get(instance.name)
            if files is None:
                continue
            stem = instance.name.replace("/", "_")
            shown = _geometry(element, "visual", f"{stem}_visual", X_LI, files.visual)
            add(add(shown, "material"), "diffuse").text = numbers(plan.colour(instance))
            for n, touched in enumerate(files.collision, 1):
                name = f"{stem}_collision{n if len(files.collision) > 1 else ''}"
                _geometry(element, "collision", name, X_LI @ touched.X_IP, touched.body)

    def _joints(self, model: ET.Element, i: int, parent: str) -> None:
        """The joint above a link; the freedoms of a composite one have links of hardly any mass between them."""
        plan = self._plan
        link, child = plan.tree.links[i], plan.link_names[i]
        if link.type in _FREE and link.parent == 0:
            return  # a link without a joint floats
        if link.type in _NATIVE:
            native = add(model, "joint", name=plan.joint_names[link.first], type=_NATIVE[link.type])
            self._between(native, parent, child)
            if link.type == "screw":
                self._axis(native, link.freedoms[0], link.joint, link.first, (child, parent))
                pitch = 2 * np.pi * ((link.joint.pitch if link.joint is not None else None) or 0.0)
                add(native, "screw_thread_pitch").text = exact(pitch)
            return
        for n, freedom in enumerate(link.freedoms):
            last = n == len(link.freedoms) - 1
            below = child if last else self._fresh(f"{child}_via{n + 1}")
            if not last:
                _between_link(model, below, link.X_WL)
            bounded = freedom.kind == "prismatic" or _range(link, freedom) is not None
            kind = freedom.kind if bounded else "continuous"
            joint = add(model, "joint", name=plan.joint_names[link.first + n], type=kind)
            self._between(joint, parent, below)
            self._axis(joint, freedom, link.joint, link.first + n, (below, parent))
            parent = below

    def _between(self, joint: ET.Element, parent: str, child: str) -> None:
        add(joint, "parent").text = parent
        add(joint, "child").text = child

    def _axis(self, element: ET.Element, freedom: Freedom, joint: Joint | None, k: int, ends: tuple[str, str]) -> None:
        axis = add(element, "axis")
        add(axis, "xyz").text = numbers(freedom.axis)
        own = joint is not None and freedom.name == joint.name and joint.type != "cylindrical"
        if joint is not None and (joint.damping or joint.friction) and (own or freedom.kind == "revolute"):
            dynamics = add(axis, "dynamics")
            add(dynamics, "damping").text = number(joint.damping)
            add(dynamics, "friction").text = number(joint.friction)
        if own and joint is not None and joint.limit is not None:
            _limit(axis, joint.limit)
        mimic = self._mimics.get(k)
        if mimic is not None:
            ((driver, factor),) = mimic.terms
            follows = add(axis, "mimic", joint=self._plan.joint_names[driver], axis="axis")
            add(follows, "multiplier").text = exact(factor)
            add(follows, "offset").text = number(mimic.offset)
            add(follows, "reference").text = "0"
            # Drake passes over the format's own element and reads this one.
            drake = {
                "joint": self._plan.joint_names[driver],
                "multiplier": exact(factor),
                "offset": number(mimic.offset),
            }
            add(element, "drake:mimic", drake)


def _geometry(link: ET.Element, tag: str, name: str, X: Pose, body: str | Solid) -> ET.Element:
    element = add(link, tag, name=name)
    _pose(element, X)
    geometry = add(element, "geometry")
    if isinstance(body, str):
        add(add(geometry, "mesh"), "uri").text = body
    else:
        kind, values = solid_element(body)
        solid = add(geometry, kind)
        for key, value in values.items():
            add(solid, key).text = value
    return element


def _range(link: Link, freedom: Freedom) -> Limit | None:
    """The limit of a link's freedom, where it bounds the coordinate."""
    joint = link.joint
    if joint is None or joint.limit is None or freedom.name != joint.name or joint.type == "cylindrical":
        return None
    return joint.limit if joint.limit.lower is not None or joint.limit.upper is not None else None


def _limit(axis: ET.Element, limit: Limit) -> None:
    element = add(axis, "limit")
    for tag, value in (
        ("lower", limit.lower),
        ("upper", limit.upper),
        ("effort", limit.effort),
        ("velocity", limit.velocity),
    ):
        if value is not None:
            add(element, tag).text = number(value)


def _between_link(model: ET.Element, name: str, X_WL: Pose) -> None:
    link = add(model, "link", name=name)
    _pose(link, X_WL)
    _inertial(link, MassProperties(LEAST_MASS, np.zeros(3), LEAST_INERTIA * np.eye(3)))


def _inertial(element: ET.Element, mass: MassProperties) -> None:
    inertial = add(element, "inertial")
    _pose(inertial, Pose(np.eye(3), mass.com))
    add(inertial, "mass").text = small(mass.mass)
    inertia, values = tensor(mass.inertia), add(inertial, "inertia")
    for tag, (i, j) in {
        "ixx": (0, 0),
        "ixy": (0, 1),
        "ixz": (0, 2),
        "iyy": (1, 1),
        "iyz": (1, 2),
        "izz": (2, 2),
    }.items():
        add(values, tag).text = small(inertia[i, j])


def _pose(element: ET.Element, X: Pose) -> None:
    add(element, "pose").text = f"{numbers(X.p)} {numbers(X.rpy())}"


def _config(name: str) -> bytes:
    """The manifest by which Gazebo knows a model folder."""
    root = ET.Element("model")
    add(root, "name").text = name
    add(root, "version").text = "1.0"
    add(root, "sdf", version="1.11").text = "model.sdf"
    add(root, "description").text = f"{name}, written by cadbridge."
    return document(root)
