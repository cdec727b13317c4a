"""The SRDF: planning group, passive joints, home, and which pairs of links need no check for collisions."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from cadbridge.exporters.markup import add, document
from cadbridge.exporters.numbers import number
from cadbridge.exporters.ros2.collisions import Disabled
from cadbridge.exporters.ros2.roles import Roles
from cadbridge.exporters.urdf import Description

GROUP = "manipulator"


def document_of(described: Description, roles: Roles, name: str, disabled: tuple[Disabled, ...]) -> bytes:
    """The file; a serial arm is a chain from its first to its last link, any other group a list of joints."""
    root = ET.Element("robot", name=name)
    if roles.commanded:
        group = add(root, "group", name=GROUP)
        ends = _chain(described)
        # MoveIt plans for every joint of a chain; those that a loop moves take no commands.
        if ends is not None and not roles.relayed:
            add(group, "chain", base_link=ends[0], tip_link=ends[1])
        else:
            for joint in roles.controlled:
                add(group, "joint", name=joint)
        state = add(root, "group_state", name="home", group=GROUP)
        for joint in roles.commanded:
            add(state, "joint", name=joint, value=number(roles.home.get(joint, 0.0)))
    for joint in (*roles.undriven, *roles.passive):
        add(root, "passive_joint", name=joint)
    for pair in disabled:
        add(root, "disable_collisions", link1=pair.a, link2=pair.b, reason=pair.reason)
    return document(root)


def _chain(described: Description) -> tuple[str, str] | None:
    """The first and last link of a tree without branches; None of any other."""
    tree = described.plan.tree
    parents = [link.parent for link in tree.links[1:]]
    if not parents or parents != list(range(len(parents))) or any(link.floats for link in tree.links):
        return None
    return described.plan.link_names[0], described.plan.link_names[-1]
