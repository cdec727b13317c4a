"""Gear trains as a person writes them: a URDF of hinges and slides beside a mates file of gears."""

from __future__ import annotations

from pathlib import Path

_LINK = """  <link name="{0}"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
_JOINT = """  <joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>
    <origin xyz="{4}"/><axis xyz="{5}"/>{6}</joint>"""
_WIDE = '<limit lower="-1000" upper="1000" effort="1e6" velocity="1e6"/>'

Joint = tuple[str, str, str, str, str]
"""Name, parent, child, origin and axis; a name that begins with "slide" is a slide."""


def train(folder: Path, joints: list[Joint], gears: str, drives: str = "") -> Path:
    """Write `train.urdf` and its mates file with the entries given of `gears` and `drives`; the path of the URDF."""
    links = dict.fromkeys(name for _, parent, child, *_ in joints for name in (parent, child) if name != "base")
    parts = ['<robot name="train">', '  <link name="base"/>', *map(_LINK.format, links)]
    for name, parent, child, origin, axis in joints:
        slides = name.startswith("slide")
        kind = "prismatic" if slides else "continuous"
        parts.append(_JOINT.format(name, kind, parent, child, origin, axis, _WIDE if slides else ""))
    (folder / "train.urdf").write_text("\n".join([*parts, "</robot>"]), "utf-8")
    said = "format: cadbridge.mates/1\nunits: {length: m, angle: deg}\ngears:\n" + gears + drives
    (folder / "train.mates.yaml").write_text(said, "utf-8")
    return folder / "train.urdf"


def planetary(folder: Path, first: float, second: float, more: str = "", frames: str = "") -> Path:
    """A sun of 20 teeth hinged on the base, a planet of 20 on the arm, and a ring of 60 in the base."""
    z = "0 0 1"
    joints = [
        ("sun_joint", "base", "sun", "0 0 0", z),
        ("arm_joint", "base", "arm", "0 0 0", z),
        ("planet_joint", "arm", "planet", "0.04 0 0", z),
    ]
    gears = f"""
  - {{name: inner, type: spur, teeth: [20, 20], efficiency: {first}, pressure_angle: 20, {more}
     a: {{component: sun, point: [0, 0, 0], axis: [0, 0, 1]}},
     b: {{component: planet, point: [0, 0, 0], axis: [0, 0, 1]}}}}
  - {{name: outer, type: internal, teeth: [20, 60], efficiency: {second}, pressure_angle: 20,
     a: {{component: planet, point: [0, 0, 0], axis: [0, 0, 1]}},
     b: {{component: base, point: [0, 0, 0], axis: [0, 0, 1]}}}}
"""
    return train(folder, joints, gears, frames)


def pair(folder: Path, gear: str, efficiency: float, first: Joint, second: Joint) -> Path:
    """Two links, each on its joint, and one gear of the keys given between them."""
    entry = f"""
  - {{name: gear, {gear}, efficiency: {efficiency},
     a: {{component: {first[2]}, point: [0, 0, 0], axis: [{", ".join(first[4].split())}]}},
     b: {{component: {second[2]}, point: [0, 0, 0], axis: [{", ".join(second[4].split())}]}}}}
"""
    return train(folder, [first, second], entry)
