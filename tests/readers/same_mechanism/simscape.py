"""The mechanism as Simscape Multibody XML, with a mates file for what the format lacks: gear and limit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tests.readers.same_mechanism.model import BODIES, GUIDE, HINGES, Body, Hinge, X, Z
from tests.readers.same_mechanism.plain import (
    beside,
    constraint_mates,
    gears,
    joint_mates,
    limits,
    write_mates,
)

XMLNS = 'xmlns="urn:mathworks:SimscapeMultibody:import"'


def words(values: Iterable[float]) -> str:
    """Numbers as the format has them, in full."""
    return " ".join(repr(float(v)) for v in values)


def bare(path: Path, joints: str = "", constraints: str = "") -> Path:
    """The assembly with its parts, masses and places, and the mates given as XML."""
    path.write_text(
        f"""<?xml version="1.0" encoding="UTF-8"?>
<SimscapeMultibodyImportXML version="2.0" {XMLNS}>
<ModelUnits mass="pound" length="inch"/>
<DataUnits mass="kilogram" length="meter"/>
<RootAssembly name="fourbar" uid="fourbar"><InstanceTree>
{"".join(map(_instance, BODIES.values()))}</InstanceTree>
<Constraints>{constraints}</Constraints>
<Joints>{joints}</Joints>
</RootAssembly>
<Assemblies/>
<Parts>
{"".join(map(_part, BODIES.values()))}</Parts>
</SimscapeMultibodyImportXML>
"""
    )
    return path


def _instance(body: Body) -> str:
    grounded = ' grounded="true"' if body.grounded else ""
    place = f"<Rotation>{words(body.X.R.ravel())}</Rotation><Translation>{words(body.X.p)}</Translation>"
    head = f'<Instance name="{body.name}" uid="{body.name}" entityUid="{body.name}.prt"{grounded}>'
    return f"{head}<Transform>{place}</Transform></Instance>\n"


def _part(body: Body) -> str:
    J = body.inertia
    six = (J[0, 0], J[1, 1], J[2, 2], J[1, 2], J[0, 2], J[0, 1])
    return f"""<Part name="{body.name}" uid="{body.name}.prt"><MassProperties><Mass>{body.mass!r}</Mass>
<CenterOfMass>{words(body.com)}</CenterOfMass><Inertia>{words(six)}</Inertia></MassProperties></Part>\n"""


def joint(tag: str, hinge: Hinge) -> str:
    """A joint between the frames at a point, with the world's axes."""
    sides = []
    for side, name in (("BaseFrame", hinge.a), ("FollowerFrame", hinge.b)):
        body = BODIES[name]
        R = np.column_stack([body.vector(X), body.vector(np.cross(Z, X)), body.vector(Z)])
        place = f"<Rotation>{words(R.ravel())}</Rotation><Translation>{words(body.point(hinge.point))}</Translation>"
        path = f"<InstancePath><Uid>{name}</Uid></InstancePath>"
        sides.append(f"<{side}>{path}<Transform>{place}</Transform></{side}>")
    return f'<{tag} name="{hinge.name}">{"".join(sides)}</{tag}>\n'


def constraint(tag: str, geometry: str, hinge: Hinge, end: str = "") -> str:
    """A constraint between two planes or two cylinders along z of the world."""
    sides = []
    for name in (hinge.a, hinge.b):
        body = BODIES[name]
        path = f"<InstancePath><Uid>{name}</Uid></InstancePath>"
        at = f"<Position>{words(body.point(hinge.point))}</Position><Axis>{words(body.vector(Z))}</Axis>"
        sides.append(f'<ConstraintGeometry geomType="{geometry}">{path}{at}</ConstraintGeometry>')
    return f'<{tag} name="{hinge.name}{end}">{"".join(sides)}</{tag}>\n'


def plain_joints(folder: Path) -> Path:
    """The mates file alone, one mate a hinge: the reference of formats that have joints."""
    source = bare(folder / "plain.xml")
    write_mates(beside(source), joint_mates(), gears(), limits())
    return source


def plain_constraints(folder: Path) -> Path:
    """The mates file alone, two mates a hinge: the reference of formats that have none."""
    source = bare(folder / "plain.xml")
    write_mates(beside(source), constraint_mates(), gears(), limits())
    return source


def with_joints(folder: Path) -> Path:
    """Hinges and guide as Simscape's joints."""
    text = "".join(joint("Revolute", h) for h in HINGES) + joint("Planar", GUIDE)
    source = bare(folder / "fourbar.xml", joints=text)
    write_mates(beside(source), gears(), limits())
    return source


def with_constraints(folder: Path) -> Path:
    """Hinges and guide as constraints between cylinders and planes."""
    text = ""
    for hinge in HINGES:
        text += constraint("Concentric", "cylinder", hinge) + constraint("Coincident", "plane", hinge, " plane")
    source = bare(folder / "fourbar.xml", constraints=text + constraint("Coincident", "plane", GUIDE))
    write_mates(beside(source), gears(), limits())
    return source
