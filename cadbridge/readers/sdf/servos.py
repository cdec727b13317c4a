"""Servos of joints: Gazebo's joint position controllers, as drives with their law."""

from __future__ import annotations

from collections.abc import Collection

from cadbridge.assembly import ControlLaw, Drive
from cadbridge.readers.sdf.context import Context
from cadbridge.readers.sdf.frames import Scope
from cadbridge.readers.xml import Element, children

_CONTROLLER = "jointpositioncontroller"
"""Of the plug-in's name, whatever program and version it is of."""


def read_servos(c: Context, scope: Scope, joints: Collection[str]) -> list[Drive]:
    """A drive for each joint of one freedom that a controller of the model moves; `joints` are those by name."""
    drives = []
    for plugin in children(scope.element, "plugin"):
        # gz::sim::systems::JointPositionController and ignition::gazebo's of that name are the same plug-in.
        if _CONTROLLER not in (plugin.get("name") or "").lower().replace("_", "").rsplit("::", 1)[-1]:
            continue
        c.unread.subtract(("plugin",))
        for element in children(plugin, "joint_name"):
            name = scope.named((element.text or "").strip())
            if name not in joints:
                text = f"a joint position controller names {name}, which is not a joint of one freedom here"
                cure = "Write the name of a joint of this model in <joint_name>; of a model within it, MODEL::JOINT."
                c.say("CB1425", text, element, name, cure)
            elif c.flag(plugin, "use_velocity_commands"):
                c.say("CB1413", f"{name}: its controller sets rates in place of efforts", plugin, name)
            else:
                law = _law(c, plugin, name)
                drives.append(Drive(f"{name} controller", name, law=law, where=c.where(plugin, name)))
    return drives


def _law(c: Context, plugin: Element, name: str) -> ControlLaw:
    """p (u − q) − d q̇ + offset with Gazebo's defaults; u is the position wished for, at first `initial_position`."""
    # The defaults of Gazebo's JointPositionController: gains 1, 0.1 and 0.01 …
    p, i, d = (c.number(plugin, f"{k}_gain", name, default) for k, default in (("p", 1.0), ("i", 0.1), ("d", 0.01)))
    # … and commands within ±1000.
    low, high = c.number(plugin, "cmd_min", name, -1000.0), c.number(plugin, "cmd_max", name, 1000.0)
    offset, start = c.number(plugin, "cmd_offset", name, 0.0), c.number(plugin, "initial_position", name, 0.0)
    if i:
        c.say("CB1413", f"{name}: the integral part ({i:g}) of its controller is left out", plugin, name)
    return ControlLaw((p, 0.0, 0.0), (offset, -p, -d), effort=(low, high) if low <= high else None, start=start)
