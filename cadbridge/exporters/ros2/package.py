"""Manifest, build file, launch files, view, and the relay with its mathematics."""

from __future__ import annotations

from pathlib import Path

from cadbridge.exporters.ros import RVIZ, manifest
from cadbridge.exporters.ros2.roles import Roles

_ALWAYS = (
    "ament_index_python", "joint_state_publisher_gui", "launch", "launch_ros", "robot_state_publisher", "rviz2",
    "xacro",
)  # fmt: skip
_CONTROLLED = (
    "controller_manager", "gz_ros2_control", "joint_state_broadcaster", "joint_trajectory_controller", "ros_gz_bridge",
    "ros_gz_sim",
)  # fmt: skip
_RELAYED = ("rclpy", "sensor_msgs", "python3-numpy")
_MATHEMATICS = ("loop_closure.py", "loop_rows.py", "loop_tree.py")
"""Files of this folder that the relay imports: the package has them as they are."""


def files(name: str, package: str, root: str, roles: Roles) -> dict[str, bytes]:
    """The files of the package besides description, control and SRDF; `root` is the link that stands."""
    folders = ["config", "launch", "meshes", "rviz", "urdf"]
    written = {
        "package.xml": _manifest(name, package, roles),
        "CMakeLists.txt": _cmake(package, folders, roles.relayed),
        "rviz/view.rviz": RVIZ.format(root=root).encode(),
        "launch/view.launch.py": _filled(_VIEW, name, package, roles),
    }
    if roles.controlled:
        written["launch/bringup.launch.py"] = _filled(_BRINGUP, name, package, roles)
        written["launch/gazebo.launch.py"] = _filled(_GAZEBO, name, package, roles)
    if roles.relayed:
        written[f"{package}/__init__.py"] = b""
        for module in _MATHEMATICS:
            written[f"{package}/{module}"] = Path(__file__).with_name(module).read_bytes()
        written["scripts/loop_relay"] = _filled(_RELAY, name, package, roles)
    return written


def _manifest(name: str, package: str, roles: Roles) -> bytes:
    used = {*_ALWAYS, *(_CONTROLLED if roles.controlled else ()), *(_RELAYED if roles.relayed else ())}
    tools = ["ament_cmake", *(["ament_cmake_python"] if roles.relayed else [])]
    return manifest(name, package, sorted(used), tools)


def _cmake(package: str, folders: list[str], relayed: bool) -> bytes:
    lines = ["cmake_minimum_required(VERSION 3.8)", f"project({package})", "find_package(ament_cmake REQUIRED)"]
    if relayed:
        lines += [
            "find_package(ament_cmake_python REQUIRED)",
            "ament_python_install_package(${PROJECT_NAME})",
            "install(PROGRAMS scripts/loop_relay DESTINATION lib/${PROJECT_NAME})",
        ]
    lines += [f"install(DIRECTORY {' '.join(folders)} DESTINATION share/${{PROJECT_NAME}})", "ament_package()"]
    return ("\n".join(lines) + "\n").encode()


def _filled(template: str, name: str, package: str, roles: Roles) -> bytes:
    """A template with its names; lines between `#relay` and `#end` stay where there is a relay, and so on."""
    holds = {"#relay": roles.relayed, "#no-relay": not roles.relayed, "#commands": bool(roles.commanded)}
    lines, keep = [], True
    for line in template.splitlines():
        mark = line.strip()
        if mark in holds:
            keep = holds[mark]
        elif mark == "#end":
            keep = True
        elif keep:
            lines.append(line)
    text = "\n".join(lines) + "\n"
    return text.replace("@NAME@", name).replace("@PACKAGE@", package).encode()


_VIEW = '''"""Shows @NAME@ in RViz with a slider for each joint: ros2 launch @PACKAGE@ view.launch.py"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.substitutions import Command, FindExecutable
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def generate_launch_description():
    share = Path(get_package_share_directory("@PACKAGE@"))
    model = share / "urdf" / "@NAME@.urdf.xacro"
    command = Command([FindExecutable(name="xacro"), f' "{model}"'])
    description = {"robot_description": ParameterValue(command, value_type=str)}
    return LaunchDescription(
        [
            Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[description]),
            #relay
            # The sliders of the active joints count; the relay moves the others.
            Node(
                package="joint_state_publisher_gui",
                executable="joint_state_publisher_gui",
                parameters=[description],
                remappings=[("joint_states", "active_joint_states")],
            ),
            Node(package="@PACKAGE@", executable="loop_relay", parameters=[description]),
            #end
            #no-relay
            Node(package="joint_state_publisher_gui", executable="joint_state_publisher_gui", parameters=[description]),
            #end
            Node(package="rviz2", executable="rviz2", arguments=["-d", str(share / "rviz" / "view.rviz")]),
        ]
    )
'''

_BRINGUP = '''"""Starts ros2_control, on mock hardware by default: ros2 launch @PACKAGE@ bringup.launch.py"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition
from launch.substitutions import Command, FindExecutable, LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def generate_launch_description():
    share = Path(get_package_share_directory("@PACKAGE@"))
    model = share / "urdf" / "@NAME@.urdf.xacro"
    command = Command(
        [
            FindExecutable(name="xacro"),
            f' "{model}" use_mock_hardware:=',
            LaunchConfiguration("use_mock_hardware"),
            ' hardware_plugin:="',
            LaunchConfiguration("hardware_plugin"),
            '"',
        ]
    )
    description = {"robot_description": ParameterValue(command, value_type=str)}
    return LaunchDescription(
        [
            DeclareLaunchArgument("use_mock_hardware", default_value="true"),
            DeclareLaunchArgument("hardware_plugin", default_value="", description="of the real robot"),
            DeclareLaunchArgument("rviz", default_value="true"),
            Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[description]),
            Node(
                package="controller_manager",
                executable="ros2_control_node",
                parameters=[str(share / "config" / "controllers.yaml")],
                remappings=[("~/robot_description", "/robot_description")],
            ),
            Node(package="controller_manager", executable="spawner", arguments=["joint_state_broadcaster"]),
            #commands
            Node(package="controller_manager", executable="spawner", arguments=["joint_trajectory_controller"]),
            #end
            #relay
            Node(
                package="@PACKAGE@",
                executable="loop_relay",
                parameters=[description],
                remappings=[("active_joint_states", "/joint_state_broadcaster/joint_states")],
            ),
            #end
            Node(
                package="rviz2",
                executable="rviz2",
                arguments=["-d", str(share / "rviz" / "view.rviz")],
                condition=IfCondition(LaunchConfiguration("rviz")),
            ),
        ]
    )
'''

_GAZEBO = '''"""Puts @NAME@ into Gazebo with gz_ros2_control: ros2 launch @PACKAGE@ gazebo.launch.py"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import AppendEnvironmentVariable, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import Command, FindExecutable
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def generate_launch_description():
    share = Path(get_package_share_directory("@PACKAGE@"))
    gazebo = Path(get_package_share_directory("ros_gz_sim")) / "launch" / "gz_sim.launch.py"
    model = share / "urdf" / "@NAME@.urdf.xacro"
    controllers = share / "config" / "controllers.yaml"
    command = Command([FindExecutable(name="xacro"), f' "{model}" sim_gazebo:=true controllers_file:="{controllers}"'])
    description = {"robot_description": ParameterValue(command, value_type=str), "use_sim_time": True}
    return LaunchDescription(
        [
            # Gazebo turns package:// into model://, and looks for the package below these folders.
            AppendEnvironmentVariable("GZ_SIM_RESOURCE_PATH", str(share.parent)),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(gazebo)), launch_arguments={"gz_args": "-r empty.sdf"}.items()
            ),
            Node(
                package="ros_gz_bridge",
                executable="parameter_bridge",
                arguments=["/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock"],
            ),
            Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[description]),
            Node(
                package="ros_gz_sim",
                executable="create",
                arguments=["-topic", "robot_description", "-name", "@NAME@"],
            ),
            Node(package="controller_manager", executable="spawner", arguments=["joint_state_broadcaster"]),
            #commands
            Node(package="controller_manager", executable="spawner", arguments=["joint_trajectory_controller"]),
            #end
            #relay
            Node(
                package="@PACKAGE@",
                executable="loop_relay",
                parameters=[description],
                remappings=[("active_joint_states", "/joint_state_broadcaster/joint_states")],
            ),
            #end
        ]
    )
'''

_RELAY = '''#!/usr/bin/env python3
"""Takes the states of the active joints, closes the loops, and publishes the states of all joints.

Subscribes to active_joint_states, publishes joint_states. Where the loops do not close at the values received (out of
range, or a toggle position is in the way) it warns and publishes nothing.
"""

from pathlib import Path

import rclpy
from ament_index_python.packages import get_package_share_directory
from rclpy.node import Node
from sensor_msgs.msg import JointState

from @PACKAGE@.loop_closure import LoopClosure


class LoopRelay(Node):
    def __init__(self):
        super().__init__("loop_relay")
        urdf = self.declare_parameter("robot_description", "").value
        closures = Path(get_package_share_directory("@PACKAGE@")) / "config" / "closures.json"
        self.loops = LoopClosure(urdf, closures.read_text(encoding="utf-8"))
        for closure, reason in self.loops.left_open.items():
            self.get_logger().warning(f"{closure} is not closed: {reason}")
        self.publisher = self.create_publisher(JointState, "joint_states", 10)
        self.create_subscription(JointState, "active_joint_states", self.relay, 10)

    def relay(self, message):
        given = dict(zip(message.name, message.position))
        solution = self.loops.follow({name: value for name, value in given.items() if name in self.loops.joints})
        if not solution.closed:
            wanted = ", ".join(f"{name} = {given[name]:.4g}" for name in self.loops.active if name in given)
            text = f"the loops do not close at {wanted} (off by {solution.error:.2g})"
            self.get_logger().warning(text, throttle_duration_sec=1.0)
            return
        everything = JointState()
        everything.header = message.header
        everything.name = list(solution.values)
        everything.position = list(solution.values.values())
        self.publisher.publish(everything)


def main():
    rclpy.init()
    node = LoopRelay()
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
'''
