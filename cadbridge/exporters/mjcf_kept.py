"""What an MJCF held for MuJoCo alone (`cadbridge.readers.mjcf.kept`), put back into an exported MJCF.

Names follow those of the export; what no longer fits is reported (CB1248) and left out.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from cadbridge.errors import InputError
from cadbridge.exporters.markup import add
from cadbridge.exporters.names import UniqueNames
from cadbridge.exporters.numbers import exact, numbers
from cadbridge.exporters.plan import LinkPlan
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.mechanism.model import Mechanism
from cadbridge.mjcf_data import Activation, Keyframe, MjcfData, mjcf_data

HOME = "home"


def medium_of(mechanism: Mechanism) -> dict[str, list[float]]:
    """Density (kg/m³), viscosity (Pa s) and wind (m/s, world axes) as an export has them; what is absent is 0."""
    try:
        return mjcf_data(mechanism.assembly).medium
    except InputError:
        return {}  # nothing of it is put back


@dataclass(eq=False)
class Kept:
    """What is put back into the model `root`; `joints` are the names that joints of the source have there."""

    plan: LinkPlan
    root: ET.Element
    data: MjcfData = field(default_factory=MjcfData)
    lost: list[str] = field(default_factory=list)
    joints: dict[str, str] = field(default_factory=dict)
    tendons: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        plan = self.plan
        try:
            self.data = mjcf_data(plan.mechanism.assembly)
        except InputError:
            self.lost.append("data of another form")
        for link in plan.tree.links:
            names = plan.joint_names[link.first : link.first + len(link.freedoms)]
            if link.floats:
                held = plan.mechanism.floats.get(link.body)
                self.joints |= {held.joint_name or held.name: names[0]} if held is not None else {}
            elif link.kind.ball and link.joint is not None:
                self.joints[link.joint.name] = names[-3]
            else:
                self.joints |= {f.name: name for f, name in zip(link.freedoms, names, strict=True)}

    def put_back(self) -> None:
        """The medium, the powers of joints, and tendons; actuators and keyframes follow when theirs are written."""
        option = self.root.find("option")
        for what, values in self.data.medium.items():
            if option is not None:
                option.set(what, numbers(values))
        elements = {e.get("name"): e for e in self.root.iter("joint")}
        for name, springs in self.data.joints.items():
            at = elements.get(self.joints.get(name))
            if at is None:
                self.lost.append(f"springs and dampers of {name}")
                continue
            for what, values in springs.items():
                at.set(what, " ".join(exact(v) for v in values))
        self._tendons()

    def _tendons(self) -> None:
        found = self.root.find("tendon")
        parent = ET.Element("tendon") if found is None else found
        names = UniqueNames("tendon", [e.get("name", "") for e in parent])
        for tendon in self.data.tendons:
            joints = [(self.joints.get(joint), factor) for joint, factor in tendon.joints]
            if any(joint is None for joint, _ in joints):
                self.lost.append(f"tendon {tendon.name}")
                continue
            name = self.tendons[tendon.name] = names.give(tendon.name)
            element = add(parent, "fixed", name=name)
            _set(element, tendon.values)
            for joint, factor in joints:
                add(element, "joint", joint=str(joint), coef=exact(factor))
        if found is None and len(parent):
            self.root.append(parent)

    def actuators(self, parent: ET.Element, names: UniqueNames) -> None:
        """The actuators of tendons."""
        for actuator in self.data.actuators:
            tendon = self.tendons.get(actuator.tendon)
            if tendon is None:
                self.lost.append(f"actuator {actuator.name}")
                continue
            element = add(parent, "general", name=names.give(actuator.name), tendon=tendon)
            _set(element, _given(actuator.attributes))

    def activate(self, element: ET.Element, drive: str) -> None:
        """The activation dynamics of a drive, which only a general actuator has."""
        attributes = self.data.activations.get(drive)
        if attributes is not None:
            element.tag = "general"
            _set(element, _given(attributes))

    def keyframes(self) -> set[str]:
        """Add the keyframes; the names of those that are in the export."""
        parent = ET.Element("keyframe")
        names, found = UniqueNames("key"), set()
        for key in self.data.keys:
            qpos = _qpos(self.plan, key)
            if qpos is None:
                self.lost.append(f"keyframe {key.name}")
            else:
                found.add(key.name)
                add(parent, "key", name=names.give(key.name), qpos=numbers(qpos))
        if len(parent):
            self.root.append(parent)
        return found

    def report(self, findings: Findings) -> None:
        """Report what was left out."""
        if self.lost:
            where = Where(file=self.plan.mechanism.assembly.source)
            findings.add("CB1248", f"left out of the MJCF: {', '.join(self.lost)}", where, items=self.lost)


def _given(attributes: Activation) -> dict[str, Any]:
    """Those that the source has."""
    return {key: value for key, value in asdict(attributes).items() if value is not None}


def _set(element: ET.Element, attributes: Mapping[str, Sequence[float] | str]) -> None:
    for key, value in attributes.items():
        element.set(key, value if isinstance(value, str) else " ".join(exact(v) for v in value))


def _qpos(plan: LinkPlan, key: Keyframe) -> list[float] | None:
    """qpos in the order of the links; None where the keyframe does not say all of it."""
    found: list[float] = []
    for i, link in enumerate(plan.tree.links):
        if link.floats:
            values = _placed(plan, i, key.poses)
        elif link.kind.ball and link.joint is not None:
            values = _turned(plan, i, key.turns.get(link.joint.name))
        else:
            values = [key.joints[f.name] for f in link.freedoms if f.name in key.joints]
            values = None if len(values) < len(link.freedoms) else values
        if values is None:
            return None
        found += values
    return found


def _reference(plan: LinkPlan, component: str, i: int) -> Pose:
    """X_CL: a link's frame in that of a component, as designed."""
    return plan.mechanism.assembly.component(component).X_WC.inverse() @ plan.tree.links[i].X_WL


def _placed(plan: LinkPlan, i: int, poses: Mapping[str, Sequence[float]]) -> list[float] | None:
    """The pose of a free link."""
    of_link = [c for c in plan.tree.body(plan.tree.links[i]).components if c in poses]
    if len(of_link) != 1:
        return None
    p = np.array(poses[of_link[0]], dtype=float)
    X_WL = Pose.from_quaternion(p[:3], p[3:]) @ _reference(plan, of_link[0], i)
    return [*X_WL.p, *X_WL.quaternion()]


def _turned(plan: LinkPlan, i: int, turn: Sequence[float] | None) -> list[float] | None:
    """The turn of a ball, stated in the frame of its component, in that of its link."""
    joint = plan.tree.links[i].joint
    if turn is None or joint is None:
        return None
    mate = next((m for m in plan.mechanism.assembly.mates if m.name in joint.mates), None)
    if mate is None:
        return None
    R_CL = _reference(plan, mate.b.component, i).R
    R = Pose.from_quaternion(np.zeros(3), np.array(turn, dtype=float)).R
    return [float(v) for v in Pose(R_CL.T @ R @ R_CL, np.zeros(3)).quaternion()]
