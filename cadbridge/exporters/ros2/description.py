"""The xacro of the package: NAME.urdf.xacro over a macro with links and joints, and one with ros2_control."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from copy import deepcopy

from cadbridge.exporters.markup import add, document

NAMESPACE = "http://www.ros.org/wiki/xacro"
_REFERS = {"parent": "link", "child": "link", "mimic": "joint"}
"""Elements within a joint that name others, and by which attribute."""


def files(robot: ET.Element, name: str, package: str, root: str, controlled: bool) -> dict[str, bytes]:
    """The model and its macro; `robot` is the plain URDF, `root` its first link."""
    return {
        f"urdf/{name}.urdf.xacro": _model(robot, name, root, controlled),
        f"urdf/{name}.macro.xacro": _macro(robot, name),
    }


def new_file(name: str | None = None) -> ET.Element:
    """The root of a xacro file; only the model's own has a name."""
    root = ET.Element("robot", {"xmlns:xacro": NAMESPACE})
    if name is not None:
        root.set("name", name)
    return root


def _model(robot: ET.Element, name: str, root: str, controlled: bool) -> bytes:
    top = new_file(name)
    for argument, default in _ARGUMENTS if controlled else _ARGUMENTS[:1]:
        add(top, "xacro:arg", name=argument, default=default)
    add(top, "xacro:include", filename=f"{name}.macro.xacro")
    if controlled:
        add(top, "xacro:include", filename=f"{name}.ros2_control.xacro")
    # In the order of the plain URDF, which has its settings for MuJoCo before the links.
    top.extend(_escaped(e) for e in robot if e.tag == "mujoco")
    after = [e for e in robot if e.tag not in ("mujoco", "link", "joint")]
    add(top, f"xacro:{name}_robot", prefix="")
    top.extend(_escaped(e) for e in after if e.tag != "ros2_control")
    own = [_escaped(e) for e in after if e.tag == "ros2_control"]
    if own:
        # Two systems that command the same joints cannot be loaded.
        (add(top, "xacro:unless", value="$(arg ros2_control)") if controlled else top).extend(own)
    if controlled:
        within = add(top, "xacro:if", value="$(arg ros2_control)")
        given = {a: f"$(arg {a})" for a, _ in _ARGUMENTS if a not in ("ros2_control", "controllers_file")}
        add(within, f"xacro:{name}_ros2_control", {"name": name, "prefix": ""} | given)
    _gazebo(top, root, controlled)
    return document(top)


_ARGUMENTS = (
    ("sim_gazebo", "false"),
    ("ros2_control", "true"),
    ("use_mock_hardware", "true"),
    ("hardware_plugin", ""),
    ("initial_positions_file", "../config/initial_positions.yaml"),
    ("controllers_file", "../config/controllers.yaml"),
)
"""What may be passed to xacro, and what stands where it is not; the first is known without ros2_control too."""


def _gazebo(top: ET.Element, root: str, controlled: bool) -> None:
    """In Gazebo the first link is fixed to the world, and a plugin runs the controllers."""
    within = add(top, "xacro:if", value="$(arg sim_gazebo)")
    add(within, "link", name="world")
    joint = add(within, "joint", name=f"world_to_{root}", type="fixed")
    add(joint, "parent", link="world")
    add(joint, "child", link=root)
    if controlled:
        plugin = add(
            add(within, "gazebo"), "plugin",
            filename="gz_ros2_control-system", name="gz_ros2_control::GazeboSimROS2ControlPlugin",
        )  # fmt: skip
        add(plugin, "parameters").text = "$(arg controllers_file)"


def _macro(robot: ET.Element, name: str) -> bytes:
    top = new_file()
    macro = add(top, "xacro:macro", name=f"{name}_robot", params="prefix:=''")
    for element in robot:
        if element.tag in ("link", "joint"):
            macro.append(_prefixed(_escaped(element)))
    return document(top)


def _prefixed(element: ET.Element) -> ET.Element:
    """A link or joint (changed in place) with `prefix` before its name and those that it refers to."""
    element.set("name", f"${{prefix}}{element.get('name')}")
    for tag, attribute in _REFERS.items():
        for child in element.findall(tag):
            child.set(attribute, f"${{prefix}}{child.get(attribute)}")
    return element


def _escaped(element: ET.Element) -> ET.Element:
    """A copy in which xacro finds nothing to evaluate: what other programs wrote stays text."""
    copy = deepcopy(element)
    for e in copy.iter():
        e.attrib = {key: _text(value) for key, value in e.attrib.items()}
        e.text = None if e.text is None else _text(e.text)
    return copy


def _text(value: str) -> str:
    return value.replace("${", "$${").replace("$(", "$$(")
