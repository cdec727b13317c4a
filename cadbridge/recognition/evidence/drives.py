"""How many drives an assembly shows: servos, motors, gear motors and cylinders, each counted once.

A machine has most often as many degrees of freedom as drives. Names say what is one; a part whose shape has an output
that carries something is one too.
"""

from __future__ import annotations

from collections.abc import Collection

from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.standard.names import called_drive


def is_drive(scene: Scene, instance: str) -> bool:
    """Whether an instance is a drive by its own name, without where it is, or by that of its part."""
    return any(map(called_drive, scene.called(instance)))


def drives_of(scene: Scene, cases: Collection[str]) -> int:
    """The number of drives; `cases`: instances that have an output by their shape. What touches is one drive."""
    drive: dict[str, str] = {}
    for instance in scene.assembly.instances:
        steps = instance.name.split("/")
        called = [k for k, step in enumerate(steps) if called_drive(step)]
        if called:
            # All parts of a sub-assembly that is called a drive are one drive: its rotor is no second one.
            drive[instance.name] = "/".join(steps[: called[0] + 1])
        elif called_drive(instance.part) or instance.name in cases:
            drive[instance.name] = instance.name
    parts = {name: scene.assembly.instance(name).part for name in drive}
    groups = Groups(drive.values())
    for a, b in scene.contacts.by_pair:
        # Two servos back to back are two: parts of one are unlike.
        if a in drive and b in drive and drive[a] == a and drive[b] == b and parts[a] != parts[b]:
            groups.join(a, b)
    return len(groups.members())
