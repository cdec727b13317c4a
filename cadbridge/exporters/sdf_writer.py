"""One model of SDFormat put together, in its newest version or in the one that older programs take."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from cadbridge.assembly import Drive, Limit
from cadbridge.exporters.collision import Solid
from cadbridge.exporters.markup import add, document, solid_element
from cadbridge.exporters.names import WITH_COUNT, UniqueNames
from cadbridge.exporters.numbers import exact, number, numbers, small, tensor
from cadbridge.exporters.plan import LinkPlan
from cadbridge.exporters.relations import LinearRelation
from cadbridge.exporters.tree import Link, TreeFreedom, limit_of
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Joint
from cadbridge.mechanism.weights import carried_weights
from cadbridge.readers.names import free_name

LEAST_MASS, LEAST_INERTIA = 1e-9, 1e-12
"""kg and kg m² of the links between the single freedoms of a joint: SDFormat takes none without mass. A millionth of a
gram, at 3 cm, moves nothing that carries a part, and stays a positive number in single precision."""

_HARDLY = MassProperties(LEAST_MASS, np.zeros(3), LEAST_INERTIA * np.eye(3))

NATIVE = {"spherical": "ball", "screw": "screw"}
"""Joint types that the format has itself."""


class ModelWriter:
    """Puts the elements of one model together, in the newest version of the format."""

    version = "1.11"

    def __init__(self, plan: LinkPlan, mimics: dict[int, LinearRelation]) -> None:
        self._plan, self._mimics = plan, mimics
        self._carried = carried_weights(plan.mechanism)
        self._ground = plan.link_names[0]
        self._taken = set(plan.link_names) | set(plan.joint_names) | set(plan.frame_names)

    def model(self, name: str) -> bytes:
        """The document."""
        root = ET.Element("sdf", {"version": self.version, **self._namespaces()})
        model = add(root, "model", name=name)
        if self._has_ground():
            fixed = add(model, "joint", name=free_name("ground_to_world", self._taken, WITH_COUNT), type="fixed")
            self._between(fixed, "world", self._ground)
            self._link(model, 0)
        else:
            self._ground = "world"
        for i, link in enumerate(self._plan.tree.links):
            if link.parent is not None:
                self._link(model, i)
                self._joints(model, i, self._name(link.parent))
        for frame, i, X_LF in self._plan.frames():
            element = add(model, "frame", {"name": frame, "attached_to": self._name(i)})
            _pose(element, X_LF)
        self._servos(model)
        self._close(model)
        return document(root)

    def _namespaces(self) -> dict[str, str]:
        return {"xmlns:drake": "http://drake.mit.edu"}

    def _has_ground(self) -> bool:
        """Whether the ground is a link of its own: no frame of a model may be attached to the world."""
        frames = any(link == 0 for _, link, _ in self._plan.frames())
        return frames or bool(self._plan.instances(self._plan.tree.links[0]))

    def _name(self, i: int) -> str:
        return self._ground if i == 0 else self._plan.link_names[i]

    def _close(self, model: ET.Element) -> None:
        """What follows the joints."""

    def _link(self, model: ET.Element, i: int) -> None:
        plan = self._plan
        link = plan.tree.links[i]
        element = add(model, "link", name=plan.link_names[i])
        _pose(element, link.X_WL)
        weight = self._carried.get(link.body)
        if weight is not None and weight.share == 1.0:
            # <gravity> is a switch: SDF has no place for a share of the weight.
            add(element, "gravity").text = "false"
        mass = plan.tree.mass(link)
        if i in plan.tree.serial:
            _inertial(element, _HARDLY)
        elif mass is not None and mass.mass > 0:
            _inertial(element, mass)
        names = UniqueNames("part", ())
        for instance, X_LI, files in plan.shown(link):
            stem = names.give(instance.name)
            shown = _geometry(element, "visual", f"{stem}_visual", X_LI, files.visual)
            add(add(shown, "material"), "diffuse").text = numbers(plan.colour(instance))
            for n, touched in enumerate(files.collision, 1):
                name = f"{stem}_collision{n if len(files.collision) > 1 else ''}"
                _geometry(element, "collision", name, X_LI @ touched.X_IP, touched.body)

    def _joints(self, model: ET.Element, i: int, parent: str) -> None:
        """The joint above a link; the freedoms of a composite one have links of hardly any mass between them."""
        plan = self._plan
        link, child = plan.tree.links[i], plan.link_names[i]
        if link.floats:
            return  # a link without a joint floats
        if link.type in NATIVE:
            native = add(model, "joint", name=plan.joint_names[link.first], type=NATIVE[link.type])
            self._between(native, parent, child)
            if link.kind.coupled:
                self._axis(native, link.freedoms[0], link.joint, link.first, (child, parent))
                self._pitch(native, (link.joint.pitch if link.joint is not None else None) or 0.0)
            return
        for n, freedom in enumerate(link.freedoms):
            last = n == len(link.freedoms) - 1
            below = child if last else free_name(f"{child}_via{n + 1}", self._taken, WITH_COUNT)
            if not last:
                _between_link(model, below, link.X_WL)
            bounded = not freedom.turns or _range(link, freedom) is not None
            kind = freedom.kind if bounded else "continuous"
            joint = add(model, "joint", name=plan.joint_names[link.first + n], type=kind)
            self._between(joint, parent, below)
            self._axis(joint, freedom, link.joint, link.first + n, (below, parent))
            parent = below

    def _servos(self, model: ET.Element) -> None:
        """Gazebo's controllers of the joints that servos hold."""
        for joint, values in servos_of(self._plan).values():
            plugin = add(model, "plugin", filename=_CONTROLLER[0], name=_CONTROLLER[1])
            add(plugin, "joint_name").text = joint
            for key, value in values.items():
                add(plugin, key).text = exact(value)

    def _between(self, joint: ET.Element, parent: str, child: str) -> None:
        add(joint, "parent").text = parent
        add(joint, "child").text = child

    def _axis(
        self, element: ET.Element, freedom: TreeFreedom, joint: Joint | None, k: int, ends: tuple[str, str]
    ) -> None:
        axis = add(element, "axis")
        add(axis, "xyz").text = numbers(freedom.axis)
        own = joint is not None and freedom.name == joint.name and joint.coordinate is not None
        loaded = joint is not None and (joint.damping or joint.friction or joint.stiffness)
        if joint is not None and loaded and (own or freedom.turns):
            dynamics = add(axis, "dynamics")
            add(dynamics, "damping").text = small(joint.damping)
            add(dynamics, "friction").text = small(joint.friction)
            if joint.stiffness and own:
                add(dynamics, "spring_stiffness").text = small(joint.stiffness)
                add(dynamics, "spring_reference").text = number(joint.rest)
        if (limit := limit_of(joint, freedom)) is not None:
            _limit(axis, limit)
        mimic = self._mimics.get(k)
        if mimic is not None:
            self._follow(element, axis, mimic)

    def _pitch(self, element: ET.Element, pitch: float) -> None:
        """The travel of a screw; `pitch` in m/rad."""
        add(element, "screw_thread_pitch").text = exact(2 * np.pi * pitch)

    def _follow(self, element: ET.Element, axis: ET.Element, mimic: LinearRelation) -> None:
        """Let a joint follow one other."""
        ((driver, factor),) = mimic.terms
        follows = add(axis, "mimic", joint=self._plan.joint_names[driver], axis="axis")
        add(follows, "multiplier").text = exact(factor)
        add(follows, "offset").text = number(mimic.offset)
        add(follows, "reference").text = "0"
        # Drake passes over the format's own element and reads this one.
        drake = {"joint": self._plan.joint_names[driver], "multiplier": exact(factor), "offset": number(mimic.offset)}
        add(element, "drake:mimic", drake)


class Older(ModelWriter):
    """SDFormat 1.9, for Gazebo and libsdformat 12: gearboxes in place of mimics, the old pitch of a screw."""

    version = "1.9"

    def __init__(self, plan: LinkPlan, mimics: dict[int, LinearRelation], findings: Findings) -> None:
        super().__init__(plan, mimics)
        self._findings = findings

    def _namespaces(self) -> dict[str, str]:
        return {}

    def _has_ground(self) -> bool:
        # A gearbox refers to links, and the world is none.
        return bool(self._mimics) or super()._has_ground()

    def _pitch(self, element: ET.Element, pitch: float) -> None:
        """The old element holds rad/m, of a left-handed thread."""
        add(element, "thread_pitch").text = exact(-1.0 / pitch if pitch else 0.0)

    def _follow(self, element: ET.Element, axis: ET.Element, mimic: LinearRelation) -> None:
        """Nothing in the joint itself: see `_close`."""

    def _close(self, model: ET.Element) -> None:
        for mimic in self._mimics.values():
            name = self._plan.joint_names[mimic.dependent]
            if not self._gearbox(model, mimic):
                self._findings.add(
                    "CB525", f"joint {name} follows nothing in the file of SDFormat 1.9", Where(item=name)
                )

    def _gearbox(self, model: ET.Element, mimic: LinearRelation) -> bool:
        """θ₂ = −ratio θ₁: the turns of child and parent against a body that both joints share; False without one."""
        ((driver, factor),) = mimic.terms
        ends = [self._turning(k) for k in (driver, mimic.dependent)]
        # rad or m: an offset of rounding alone shifts no range.
        if None in ends or abs(mimic.offset) > 1e-12:
            return False
        (one, other) = (end for end in ends if end is not None)
        shared = {one.parent, self._index(one)} & {other.parent, self._index(other)}
        if not shared:
            return False
        reference = min(i for i in shared if i is not None)
        name = free_name(f"{self._plan.joint_names[mimic.dependent]}_gearbox", self._taken, WITH_COUNT)
        gearbox = add(model, "joint", name=name, type="gearbox")
        # A body turns against the shared one as its joint does, or, where it is the joint's parent, the other way.
        far = [self._index(link) if link.parent == reference else link.parent or 0 for link in (one, other)]
        self._between(gearbox, self._name(far[0]), self._name(far[1]))
        for tag, link in (("axis", one), ("axis2", other)):
            direction = link.freedoms[0].axis * (1.0 if link.parent == reference else -1.0)
            xyz = add(add(gearbox, tag), "xyz", expressed_in=self._name(self._index(link)))
            xyz.text = numbers(direction)
        add(gearbox, "gearbox_ratio").text = exact(-factor)
        add(gearbox, "gearbox_reference_body").text = self._name(reference)
        return True

    def _turning(self, k: int) -> Link | None:
        """The link of a joint whose one freedom is the coordinate k, a turn."""
        for link in self._plan.tree.links:
            if link.first == k and len(link.freedoms) == 1 and link.freedoms[0].turns:
                return link
        return None

    def _index(self, link: Link) -> int:
        return next(i for i, other in enumerate(self._plan.tree.links) if other is link)


_CONTROLLER = "gz-sim-joint-position-controller-system", "gz::sim::systems::JointPositionController"


def is_controller(drive: Drive) -> bool:
    """Whether Gazebo's controller can be a drive: one that pulls towards a value."""
    if drive.law is None:
        return False
    _, p, d = drive.law.on_joint(drive.law.start, drive.reduction)
    return p > 0 and d >= 0


def servos_of(plan: LinkPlan) -> dict[str, tuple[str, dict[str, float]]]:
    """By drive, its joint and what Gazebo's controller takes of a servo that pulls towards a value.

    Others have no place, nor has a second one on a joint.
    """
    found: dict[str, tuple[str, dict[str, float]]] = {}
    for drive in plan.mechanism.drives:
        at = plan.joint_of(drive)
        if at is None or plan.joint_names[at[1]] in {joint for joint, _ in found.values()}:
            continue
        if drive.law is None or not is_controller(drive):
            continue
        constant, p, d = drive.law.on_joint(drive.law.start, drive.reduction)
        limit = at[0].limit
        most = limit.effort if limit is not None and limit.effort else np.inf
        # A negative reduction turns the ends round.
        ends = sorted(drive.reduction * end for end in drive.law.effort or (-np.inf, np.inf))
        low, high = max(ends[0], -most, -_ENDLESS), min(ends[1], most, _ENDLESS)
        found[drive.name] = plan.joint_names[at[1]], {
            "p_gain": p, "i_gain": 0.0, "d_gain": d, "cmd_min": low, "cmd_max": high, "initial_position": constant / p,
        }  # fmt: skip
    return found


_ENDLESS = 1e9
"""N m or N: Gazebo's own bounds of a controller are 1000."""


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


def _range(link: Link, freedom: TreeFreedom) -> Limit | None:
    """The limit of a link's freedom, where it bounds the coordinate."""
    limit = limit_of(link.joint, freedom)
    return limit if limit is not None and (limit.lower is not None or limit.upper is not None) else None


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
    _inertial(link, _HARDLY)


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
