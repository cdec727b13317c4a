"""The formats in which the mechanism is written: add a line here, and a module that writes it.

A writer takes an empty folder, writes the source (and its mates file for what the format lacks) and returns the
source's path. `reference` is the plain form with as many mates a hinge: `joints` or `constraints`.
Names are those of `model`: instances (or links) BODIES, mates and joints HINGES and GUIDE, the gear GEAR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.readers.same_mechanism import (
    chrono,
    freecad,
    fusion,
    macros,
    ondsel,
    onshape,
    plain,
    robot_formats,
    simmechanics,
    simscape,
    step,
    sw2robot,
)


@dataclass(frozen=True)
class Sample:
    """How a format is written, and which plain form it is held against.

    `names` are the model's names of mates, joints and gears that the format cannot name, by those that the reader
    gives. `own_frames`: bodies have the frames of the model, not others that the format demands.
    """

    write: Callable[[Path], Path]
    reference: str
    names: dict[str, str] = field(default_factory=dict)
    own_frames: bool = True


REFERENCES: dict[str, Callable[[Path], Path]] = {
    "joints": simscape.plain_joints,
    "constraints": simscape.plain_constraints,
}

FORMATS: dict[str, Sample] = {
    "simscape joints": Sample(simscape.with_joints, "joints"),
    "simscape constraints": Sample(simscape.with_constraints, "constraints"),
    "simmechanics": Sample(simmechanics.write, "joints"),
    "onshape": Sample(onshape.write, "joints"),
    "fusion": Sample(fusion.write, "joints"),
    "sw2robot": Sample(sw2robot.write, "constraints", sw2robot.NAMES),
    "freecad": Sample(freecad.write, "joints"),
    "freecad 1.1": Sample(freecad.newer, "joints"),
    "ondsel": Sample(ondsel.write, "joints"),
    "chrono": Sample(chrono.write, "constraints"),
    "step with mates": Sample(step.with_mates, "joints"),
    "ap242": Sample(step.ap242, "joints"),
    "ap214": Sample(step.ap214, "joints"),
    "ap242 written": Sample(step.converted, "joints"),
    "our json": Sample(plain.converted, "joints"),
    "inventor macro": Sample(macros.inventor, "joints"),
    "solidworks macro": Sample(macros.solidworks, "constraints"),
    "onshape as mates file": Sample(step.mates_of(onshape.write), "joints"),
    "chrono as mates file": Sample(step.mates_of(chrono.write), "constraints"),
    "mjcf as mates file": Sample(step.mates_of(robot_formats.mjcf), "joints"),
    "urdf": Sample(robot_formats.urdf, "joints", robot_formats.URDF_COUPLINGS, own_frames=False),
    "xacro": Sample(robot_formats.xacro, "joints", robot_formats.URDF_COUPLINGS, own_frames=False),
    "sdf": Sample(robot_formats.sdf, "joints"),
    "mjcf": Sample(robot_formats.mjcf, "joints"),
    "usd": Sample(robot_formats.usd, "joints", robot_formats.URDF_COUPLINGS),
}
