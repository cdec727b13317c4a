"""What a URDF holds for other programs: put back into a URDF, reported by every other export.

Elements keep their text. Names of links and joints in them follow those of the export, and places given in a link's
frame are counted in the frame that the link has there.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.exporters.markup import add
from cadbridge.exporters.numbers import numbers
from cadbridge.exporters.plan import LinkPlan
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose

WRITTEN_ANEW = "mujoco"
"""The export has such an element of its own."""

LOOPS = "loop_joint", "ball_constraint"
"""What closes loops: mates of the model, which every export carries or reports as such."""

_PLACED = ("sensor", "visual", "collision", "light", "joint")
"""What stands at a <pose> in the frame of a link within <gazebo>."""
_NAMED = ("joint", "link", "parent", "child")
"""Elements whose `name` is a joint's or link's."""


def extensions_of(assembly: Assembly) -> dict[str, list[str]]:
    """The texts of kept elements by tag."""
    extensions = assembly.extra.get("extensions")
    found = extensions if isinstance(extensions, dict) else {}
    return {tag: [t for t in texts if isinstance(t, str)] for tag, texts in found.items() if isinstance(texts, list)}


def joint_elements_of(assembly: Assembly) -> dict[str, dict[str, dict[str, str]]]:
    """Safety controllers and calibrations: joint → tag → attributes."""
    by_joint = assembly.extra.get("joints")
    found: dict[str, dict[str, dict[str, str]]] = {}
    for joint, elements in by_joint.items() if isinstance(by_joint, dict) else ():
        for tag, attributes in elements.items() if isinstance(elements, dict) else ():
            if isinstance(attributes, dict) and all(isinstance(v, str) for v in attributes.values()):
                found.setdefault(str(joint), {})[str(tag)] = attributes
    return found


def report_kept(assembly: Assembly, to: str, findings: Findings) -> None:
    """Report what an export without place for it leaves behind; what closes loops is exported as mates."""
    kept = {tag: texts for tag, texts in extensions_of(assembly).items() if tag not in LOOPS}
    counts = [f"{len(texts)} <{tag}>" for tag, texts in sorted(kept.items()) if texts]
    counts += [f"<{tag}> of {name}" for name, tags in joint_elements_of(assembly).items() for tag in sorted(tags)]
    if counts:
        findings.add("CB532", f"{to} has no place for {', '.join(counts)} of the URDF", Where(file=assembly.source))


def put_back(robot: ET.Element, plan: LinkPlan, findings: Findings) -> set[str]:
    """Add what was kept to a URDF; what no longer fits is reported and left out.

    The names of the transmissions that stand in what was added, which need no further ones.
    """
    assembly = plan.mechanism.assembly
    if not extensions_of(assembly) and not joint_elements_of(assembly):
        return set()
    return _Back(plan, findings).put(robot)


def _parsed(text: str) -> ET.Element | None:
    try:
        # A document type may define entities that grow without bound; ElementTree expands them.
        return None if "<!DOCTYPE" in text else ET.fromstring(text)
    except ET.ParseError:
        return None


@dataclass(frozen=True, eq=False)
class _Place:
    """Where a link of the source is in the export: its name, X_LS of the source's frame, whether others share it."""

    name: str
    X_LS: Pose
    shared: bool


@dataclass(eq=False)
class _Back:
    plan: LinkPlan
    findings: Findings
    links: dict[str, _Place] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        plan, mechanism = self.plan, self.plan.mechanism
        # Of a body that was halved the first link counts, as everywhere.
        link_of = {link.body: i for i, link in reversed(list(enumerate(plan.tree.links)))}
        for component in mechanism.assembly.components:
            i = link_of[mechanism.body_of[component.name]]
            link = plan.tree.links[i]
            shared = len(plan.tree.body(link).components) > 1
            self.links[component.name] = _Place(plan.link_names[i], link.X_WL.inverse() @ component.X_WC, shared)
        for name, frame in zip(plan.frame_names, mechanism.assembly.frames, strict=True):
            self.links[frame.name] = _Place(name, Pose(), False)
        self.joints = {f.name: name for name, f in zip(plan.joint_names, plan.tree.freedoms, strict=True)}
        self.gone = {m.joint_name or m.name for m in mechanism.assembly.mates} - set(self.joints)

    def put(self, robot: ET.Element) -> set[str]:
        """Joints' own elements first, then those of the robot."""
        assembly = self.plan.mechanism.assembly
        written = {e.get("name"): e for e in robot.findall("joint")}
        for joint, elements in joint_elements_of(assembly).items():
            at = written.get(self.joints.get(joint, ""))
            for tag, attributes in elements.items():
                if at is None:
                    self._report(f"<{tag}> of {joint}, which is not a joint of one freedom here", joint)
                else:
                    add(at, tag, attributes)
        held: set[str] = set()
        for tag, texts in extensions_of(assembly).items():
            for text in texts:
                element = _parsed(text)
                if element is None or tag == WRITTEN_ANEW:
                    why = "it cannot be parsed" if element is None else "the export has its own"
                    self._report(f"<{tag}> of the source, as {why}", tag)
                elif self._fits(element):
                    robot.append(element)
                    held |= {t.get("name", "") for t in element.iter("transmission")}
        return held

    def _report(self, what: str, item: str) -> None:
        self.findings.add("CB533", f"the export lacks {what}", Where(item=item))

    def _fits(self, element: ET.Element) -> bool:
        """Give the element the export's poses and names; False, with a finding, if it refers to what is not there."""
        tag, reference = element.tag, element.get("reference")
        if reference is not None and reference not in self.links and reference not in self.joints:
            self._report(f"<{tag}> of {reference}, which the export does not have as link or joint", reference)
            return False
        lost = sorted({name for e in element.iter("joint") if (name := e.get("name")) in self.gone and _refers(e)})
        if lost:
            self._report(
                f"<{tag}>, which speaks of {', '.join(map(str, lost))}, no joint of one freedom here", str(lost[0])
            )
            return False
        if not self._closes(element):
            return False
        try:
            if tag in _PLACING:
                _PLACING[tag](self, element)
        except ValueError:
            self._report(f"<{tag}>, a place in which cannot be read", tag)
            return False
        at = self.links.get(reference or "")
        if at is not None and at.shared:
            text = f"<{tag}> of {reference} speaks of the whole of {at.name} now, which {reference} is a part of"
            self.findings.add("CB534", text, Where(item=reference))
        self._rename(element)
        return True

    def _closes(self, element: ET.Element) -> bool:
        """Of what closes a loop: whether it is that joint which the export leaves open."""
        names = [element.get("name")] if element.tag in LOOPS else []
        names += [e.get("name") for e in element.findall("joint")] if element.tag == "gazebo" else []
        closures = {name for joint in self.plan.tree.closures for name in (joint.name, *joint.mates)}
        for name in names:
            if name not in closures:
                self._report(f"<{element.tag}> {name}: it is not a closure here", str(name))
                return False
        return True

    def _X_LS(self, link: str | None) -> Pose:
        place = self.links.get((link or "").strip())
        return Pose() if place is None else place.X_LS

    def gazebo(self, element: ET.Element) -> None:
        """What stands in the link that the element is of; of a joint, in its child."""
        for child in element:
            if child.tag in _PLACED:
                link = child.findtext("child") if child.tag == "joint" else element.get("reference")
                _move_pose(child, self._X_LS(link))

    def loop_joint(self, element: ET.Element) -> None:
        """A frame in either link."""
        for end in element.findall("link1") + element.findall("link2"):
            X = self._X_LS(end.get("link")) @ Pose.from_rpy(_three(end.get("xyz")), _three(end.get("rpy")))
            end.attrib.update(xyz=numbers(X.p), rpy=numbers(X.rpy()))

    def ball_constraint(self, element: ET.Element) -> None:
        """A point in either link."""
        for body, point in (("body_A", "p_AP"), ("body_B", "p_BQ")):
            held, at = (element.find(f"ball_constraint_{key}") for key in (body, point))
            if held is not None and at is not None:
                at.set("value", numbers(self._X_LS(held.get("name")).point(_three(at.get("value")))))

    def _rename(self, element: ET.Element) -> None:
        """Links and joints by their names in the export, wherever a text or an attribute is just a name."""
        new = {old: place.name for old, place in self.links.items()} | self.joints
        for e in element.iter():
            for key, value in e.attrib.items():
                if value in new and (key != "name" or (_refers(e) and e is not element)):
                    e.set(key, new[value])
            if (e.text or "").strip() in new:
                e.text = new[(e.text or "").strip()]


def _refers(element: ET.Element) -> bool:
    """Whether its `name` is that of a joint or link elsewhere (a joint with a type is made here)."""
    return (element.tag in _NAMED or element.tag.startswith("ball_constraint_body")) and element.get("type") is None


_PLACING: dict[str, Callable[[_Back, ET.Element], None]] = {
    "gazebo": _Back.gazebo,
    "loop_joint": _Back.loop_joint,
    "ball_constraint": _Back.ball_constraint,
}
"""Elements that give places in the frames of links: what counts these anew (ValueError where they are none)."""


def _three(text: str | None) -> list[float]:
    return _floats(text or "0 0 0", 3)


def _floats(text: str, count: int) -> list[float]:
    values = [float(v) for v in text.split()]
    if len(values) != count:
        raise ValueError(f"{text!r} are not {count} numbers")
    return values


def _move_pose(element: ET.Element, X_LS: Pose) -> None:
    """Count the <pose> of an element in another frame; one that has none gets one where the frames differ."""
    # m and sines: a file that writes the very pose of its link back has lost a few last digits.
    if np.allclose(X_LS.matrix(), np.eye(4), atol=1e-12):
        return
    pose = element.find("pose")
    pose_values = _floats((pose.text if pose is not None else None) or "0 0 0 0 0 0", 6)
    X = X_LS @ Pose.from_rpy(pose_values[:3], pose_values[3:])
    (add(element, "pose") if pose is None else pose).text = f"{numbers(X.p)} {numbers(X.rpy())}"
