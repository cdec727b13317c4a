"""What makes a folder of URDF and meshes a ROS package: manifest, build file, launch file, view (REP 103, 140)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence

from cadbridge.exporters.markup import add, document

_USED = ("joint_state_publisher_gui", "launch", "launch_ros", "robot_state_publisher", "rviz2")
FOLDERS = ("launch", "meshes", "rviz", "urdf")
"""What a package installs."""


def package_name(name: str) -> str:
    """The package of a model: small letters, digits and underscores, beginning with a letter."""
    return f"{name.lower().lstrip('_')}_description"


def files(name: str, urdf: str, root: str) -> dict[str, bytes]:
    """The files of the package besides URDF and meshes; `urdf` is the file to launch, `root` the link that stands."""
    package = package_name(name)
    return {
        "package.xml": manifest(name, package, _USED),
        "CMakeLists.txt": _CMAKE.format(package=package, folders=" ".join(FOLDERS)).encode(),
        "launch/display.launch.py": _LAUNCH.format(name=name, package=package, urdf=urdf).encode(),
        "rviz/view.rviz": RVIZ.format(root=root).encode(),
    }


def manifest(name: str, package: str, used: Iterable[str], tools: Sequence[str] = ("ament_cmake",)) -> bytes:
    """The package.xml of a description: `used` packages at run time, `tools` that build it, the first one leading."""
    root = ET.Element("package", format="3")
    for tag, text in (
        ("name", package),
        ("version", "0.0.0"),
        ("description", f"Robot description of {name}, written by cadbridge."),
        ("maintainer", "unknown"),
        ("license", "unknown"),
    ):
        element = add(root, tag)
        element.text = text
        if tag == "maintainer":
            element.set("email", "unknown@localhost")
    for tool in tools:
        add(root, "buildtool_depend").text = tool
    for other in used:
        add(root, "exec_depend").text = other
    add(add(root, "export"), "build_type").text = tools[0]
    return document(root)


_CMAKE = """cmake_minimum_required(VERSION 3.8)
project({package})
find_package(ament_cmake REQUIRED)
install(DIRECTORY {folders} DESTINATION share/${{PROJECT_NAME}})
ament_package()
"""

_LAUNCH = '''"""Shows {name} in RViz with a slider for each joint: ros2 launch {package} display.launch.py"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch_ros.actions import Node


def generate_launch_description():
    share = Path(get_package_share_directory("{package}"))
    description = {{"robot_description": (share / "urdf" / "{urdf}").read_text(encoding="utf-8")}}
    return LaunchDescription(
        [
            Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[description]),
            Node(package="joint_state_publisher_gui", executable="joint_state_publisher_gui", parameters=[description]),
            Node(package="rviz2", executable="rviz2", arguments=["-d", str(share / "rviz" / "view.rviz")]),
        ]
    )
'''

RVIZ = """Visualization Manager:
  Global Options:
    Fixed Frame: {root}
  Displays:
    - Class: rviz_default_plugins/Grid
      Name: Grid
      Enabled: true
    - Class: rviz_default_plugins/RobotModel
      Name: RobotModel
      Enabled: true
      Description Source: Topic
      Description Topic:
        Value: /robot_description
    - Class: rviz_default_plugins/TF
      Name: TF
      Enabled: false
  Tools:
    - Class: rviz_default_plugins/MoveCamera
"""
