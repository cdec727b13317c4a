"""ros2_control: its xacro, the controllers, and where the joints begin."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from cadbridge.exporters.markup import add, document
from cadbridge.exporters.numbers import NO_LIMIT, number
from cadbridge.exporters.ros2.description import new_file
from cadbridge.exporters.ros2.roles import Roles

_PARAMETERS = "name prefix use_mock_hardware sim_gazebo hardware_plugin initial_positions_file"
UPDATE_RATE = 100
"""Hz of the controller manager: the default of ros2_control's documentation and demos; a robot's own is edited there.
"""


def files(roles: Roles, name: str, robot: ET.Element) -> dict[str, bytes]:
    """The xacro with the hardware, `config/controllers.yaml` and `config/initial_positions.yaml`."""
    return {
        f"urdf/{name}.ros2_control.xacro": _hardware(roles, name, robot),
        "config/controllers.yaml": _controllers(roles),
        "config/initial_positions.yaml": _initial_positions(roles),
    }


def _hardware(roles: Roles, name: str, robot: ET.Element) -> bytes:
    top = new_file()
    macro = add(top, "xacro:macro", name=f"{name}_ros2_control", params=_PARAMETERS)
    positions = "${xacro.load_yaml(initial_positions_file)['initial_positions']}"
    add(macro, "xacro:property", name="initial_positions", value=positions)
    system = add(macro, "ros2_control", name="${name}", type="system")
    hardware = add(system, "hardware")
    for condition, plugin in (
        ("${sim_gazebo}", "gz_ros2_control/GazeboSimSystem"),
        ("${use_mock_hardware and not sim_gazebo}", "mock_components/GenericSystem"),
        ("${not use_mock_hardware and not sim_gazebo}", "${hardware_plugin}"),
    ):
        add(add(hardware, "xacro:if", value=condition), "plugin").text = plugin
    limits = {e.get("name"): e.find("limit") for e in robot.findall("joint")}
    for joint in roles.controlled:
        _joint(system, joint, roles, limits.get(joint))
    return document(top)


def _joint(system: ET.Element, name: str, roles: Roles, limit: ET.Element | None) -> None:
    """A joint with its interfaces; one that mimics has no command."""
    element = add(system, "joint", name=f"${{prefix}}{name}")
    if name in roles.commanded:
        command = add(element, "command_interface", name="position")
        for key, bound in (("min", "lower"), ("max", "upper")):
            value = None if limit is None else limit.get(bound)
            if value is not None and abs(float(value)) < NO_LIMIT:
                add(command, "param", name=key).text = value
    state = add(element, "state_interface", name="position")
    if name not in roles.mimics:
        add(state, "param", name="initial_value").text = f"${{initial_positions['{name}']}}"
    add(element, "state_interface", name="velocity")


def _controllers(roles: Roles) -> bytes:
    """YAML with a comment; names are quoted, since `no` and `on` are none to YAML."""
    broadcaster = "joint_state_broadcaster"
    lines = [
        "controller_manager:",
        "  ros__parameters:",
        f"    update_rate: {UPDATE_RATE}",
        f"    {broadcaster}:",
        f"      type: {broadcaster}/JointStateBroadcaster",
    ]
    if roles.commanded:
        lines += [
            "    joint_trajectory_controller:",
            "      type: joint_trajectory_controller/JointTrajectoryController",
        ]
    if roles.relayed:
        lines += [
            "",
            "# The relay takes these states, and publishes those of all joints in /joint_states.",
            f"{broadcaster}:",
            "  ros__parameters:",
            "    use_local_topics: true",
        ]
    if roles.commanded:
        lines += [
            "",
            "joint_trajectory_controller:",
            "  ros__parameters:",
            "    joints:",
            *(f'      - "{name}"' for name in roles.commanded),
            "    command_interfaces:",
            "      - position",
            "    state_interfaces:",
            "      - position",
            "      - velocity",
        ]
    return ("\n".join(lines) + "\n").encode()


def _initial_positions(roles: Roles) -> bytes:
    home = roles.home
    lines = ["initial_positions:"]
    lines += [f'  "{name}": {_floating(home.get(name, 0.0))}' for name in roles.controlled if name not in roles.mimics]
    return ("\n".join(lines) + "\n").encode()


def _floating(value: float) -> str:
    """A number that YAML reads as a float, not as an integer or a text (1e-05 has no point)."""
    text = number(value)
    if "e" in text and "." not in text:
        return text.replace("e", ".0e")
    return text if "." in text or "e" in text else f"{text}.0"
