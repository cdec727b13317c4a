"""How many drives an assembly shows: servos, motors, gear motors and cylinders, each counted once.

A machine has most often as many degrees of freedom as drives. Names say what is one; a part whose shape has an output
that carries something is one too.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from cadbridge.recognition.actuators import NAMES
from cadbridge.recognition.scene import Groups, Scene

_OF_A_DRIVE = re.compile(
    r"\b(mounts?|brackets?|holders?|horns?|plates?|covers?|screws?|bolts?|shafts?|coupl\w*|wheels?|pulleys?|caps?"
    r"|gears?(?! ?(motor|box|head))"
    r"|arms?|bases?|pins?|washers?|nuts?|spacers?|hubs?|discs?|disks?|adapt\w*|clamps?|links?|rotors?|stators?|frames?"
    r"|housings?|cases?|casings?|flanges?|drivers?|controllers?|boards?|cables?|connectors?|dumm(y|ies)|idlers?|bodies"
    r"|to|boxes|supports?|seats?|blocks?|rings?|brakes?|encoders?|fans?|belts?|tops?|bottoms?|middle|ends?|side)\b",
    re.IGNORECASE,
)
"""What is called by a drive and is none itself."""


def drives_of(scene: Scene, cases: Collection[str]) -> int:
    """The number of drives; `cases`: instances that have an output by their shape. What touches is one drive."""
    drive: dict[str, str] = {}
    for instance in scene.assembly.instances:
        steps = instance.name.split("/")
        called = [k for k, step in enumerate(steps) if is_drive(step)]
        if called:
            drive[instance.name] = "/".join(steps[: called[0] + 1])
        elif is_drive(instance.part) or instance.name in cases:
            drive[instance.name] = instance.name
    parts = {name: scene.assembly.instance(name).part for name in drive}
    groups = Groups(drive.values())
    for a, b in scene.contacts.by_pair:
        # Two servos back to back are two: parts of one are unlike.
        if a in drive and b in drive and drive[a] == a and drive[b] == b and parts[a] != parts[b]:
            groups.join(a, b)
    return len(groups.members())


def is_drive(name: str) -> bool:
    """Whether a part or sub-assembly is a drive by its name."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    plain = re.sub(r"[_\W]+", " ", plain)
    return bool(NAMES.search(plain)) and not _OF_A_DRIVE.search(plain)
