"""What may be wrong in an export: each fault of its files, of a scene, of a robot, made on purpose."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

import cadbridge as cb
from cadbridge.assembly import Drive
from cadbridge.exporters.meshes import obj_bytes, shown_mesh, stl_bytes, usdc_bytes
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import Mechanism


@dataclass(frozen=True)
class Text:
    """`pattern` in the files becomes `into`."""

    files: str
    pattern: str
    into: str
    times: int = 1

    def spoil(self, folder: Path, rig: Mechanism) -> None:
        changed = 0
        for path in folder.glob(self.files):
            text, n = re.subn(self.pattern, self.into, path.read_text("utf-8"), count=self.times, flags=re.DOTALL)
            path.write_text(text, encoding="utf-8")
            changed += n
        assert changed, "nothing was spoilt"


@dataclass(frozen=True)
class Packed:
    """`pattern` in a file of an FMU becomes `into`."""

    file: str
    pattern: str
    into: str

    def spoil(self, folder: Path, rig: Mechanism) -> None:
        (path,) = folder.glob("*.fmu")
        with ZipFile(path) as packed:
            files = {name: packed.read(name) for name in packed.namelist()}
        text = files[self.file].decode()
        files[self.file] = re.sub(self.pattern, self.into, text, count=1).encode()
        assert files[self.file].decode() != text, "nothing was spoilt"
        with ZipFile(path, "w") as packed:
            for name, data in files.items():
                packed.writestr(name, data)


@dataclass(frozen=True)
class Scaled:
    """A mesh a thousand times as large."""

    file: str

    def spoil(self, folder: Path, rig: Mechanism) -> None:
        (path,) = folder.glob(self.file)
        shape = rig.assembly.part("upper").shape
        mesh = shown_mesh(shape) if shape is not None else None
        assert mesh is not None
        write = {".stl": stl_bytes, ".obj": obj_bytes, ".usdc": usdc_bytes}[path.suffix]
        path.write_bytes(write(Mesh(1e3 * mesh.vertices, mesh.triangles)))


@dataclass(frozen=True)
class Gone:
    """A file that is missing."""

    file: str

    def spoil(self, folder: Path, rig: Mechanism) -> None:
        (path,) = folder.glob(self.file)
        path.unlink()


@dataclass(frozen=True)
class Other:
    """The export of another mechanism: for formats that nobody edits."""

    change: Callable[[Mechanism], Mechanism]

    def spoil(self, folder: Path, rig: Mechanism) -> None:
        cb.export(self.change(rig), folder, to="fmu")


Spoil = Text | Scaled | Gone | Other | Packed
ROBOT, URDF, SDF, PHYSICS = "robot.xml", "*/urdf/rig.urdf", "model.sdf", "layers/physics.usda"
NEWTON = "layers/newton.usda"


def of_joint(name: str, **changes: Any) -> Other:
    return Other(
        lambda rig: replace(rig, joints=tuple(replace(j, **changes) if j.name == name else j for j in rig.joints))
    )


def of_mass(change: Callable[[MassProperties], MassProperties]) -> Other:
    def changed(rig: Mechanism) -> Mechanism:
        bodies = [replace(b, mass=change(b.mass)) if b.name == "upper" and b.mass else b for b in rig.bodies]
        return replace(rig, bodies=tuple(bodies))

    return Other(changed)


def turned(rig: Mechanism) -> Mechanism:
    """The elbow's axis leans over by a milliradian."""
    source = rig.assembly
    lean = np.array([1e-3, 0.0, 0.0])
    mates = [
        m if m.name != "elbow" else replace(m, a=replace(m.a, direction=m.a.direction + lean),
                                            b=replace(m.b, direction=m.b.direction + lean))
        for m in source.mates
    ]  # fmt: skip
    return cb.build(replace(source, mates=tuple(mates)))


def moved(rig: Mechanism) -> Mechanism:
    """The elbow sits a millimetre further."""
    source, by = rig.assembly, np.array([0.0, 0.0, 1e-3])
    mates = [
        m
        if m.name != "elbow"
        else replace(m, a=replace(m.a, point=m.a.point + by), b=replace(m.b, point=m.b.point + by))
        for m in source.mates
    ]
    return cb.build(replace(source, mates=tuple(mates)))


def stiffer(drive: Drive) -> Drive:
    if drive.law is None or not any(drive.law.bias):
        return drive
    return replace(drive, law=replace(drive.law, bias=(0.0, 1.01 * drive.law.bias[1], drive.law.bias[2])))


def coupled(rig: Mechanism, ratio: float | None) -> Mechanism:
    source = rig.assembly
    couplings = () if ratio is None else tuple(replace(c, ratio=ratio) for c in source.couplings)
    return cb.build(replace(source, couplings=couplings))


MJCF: dict[str, Spoil] = {
    "mass": Text(ROBOT, 'mass="1.5"', 'mass="1.51"'),
    "inertia": Text(ROBOT, 'fullinertia="0.00065 ', 'fullinertia="0.00066 '),
    "centre": Text(ROBOT, 'inertial pos="0.1 ', 'inertial pos="0.101 '),
    "axis": Text(ROBOT, '(name="elbow" type="hinge" axis=)"0 0 1"', r'\1"0 0.001 1"'),
    "origin": Text(ROBOT, '(name="lower" pos=)"0.2 ', r'\1"0.201 '),
    "ratio": Text(ROBOT, "0 -1.5 0 0 0", "0 -1.49 0 0 0"),
    "coupling": Text(ROBOT, "<equality>.*</equality>", ""),
    "range of a control": Text(ROBOT, 'ctrlrange="-1 1"', 'ctrlrange="-1 1.1"'),
    "timestep": Text(ROBOT, 'timestep="0.001"', 'timestep="0.002"'),
    "integrator": Text(ROBOT, 'integrator="implicitfast"', 'integrator="Euler"'),
    "gravity": Text(ROBOT, "0 0 -9.81", "0 0 -1.62"),
    "gravity switched off": Text(ROBOT, r"<option ([^>]*)/>", r'<option \1><flag gravity="disable"/></option>'),
    "springs switched off": Text(ROBOT, r"<option ([^>]*)/>", r'<option \1><flag spring="disable"/></option>'),
    "carried weight": Text(ROBOT, 'body name="lower"', 'body name="lower" gravcomp="0.5"'),
    "density": Text(ROBOT, "<option ", '<option density="1.2" '),
    "viscosity": Text(ROBOT, "<option ", '<option viscosity="2e-5" '),
    "wind": Text(ROBOT, "<option ", '<option wind="0 3 0" '),
    "shape": Scaled("assets/upper.stl"),
    "missing shape": Gone("assets/upper.stl"),
    "dropped shape": Text(ROBOT, '<geom class="visual" mesh="upper"[^>]*/>', ""),
    "limit": Text(ROBOT, 'range="-1.5 2"', 'range="-1.5 2.1"'),
    "damping": Text(ROBOT, 'damping="0.3"', 'damping="0.31"'),
    "dry friction": Text(ROBOT, 'frictionloss="0.1"', 'frictionloss="0.2"'),
    "spring": Text(ROBOT, 'stiffness="2"', 'stiffness="2.1"'),
    "rest": Text(ROBOT, 'springref="0.4"', 'springref="0.3"'),
    "rotor": Text(ROBOT, 'armature="0.02"', ""),
    "servo": Text(ROBOT, 'gainprm="40 ', 'gainprm="41 '),
    "servo's range": Text(ROBOT, 'forcerange="-25 25"', 'forcerange="-25 30"'),
    "reduction": Text(ROBOT, 'gear="2"', 'gear="3"'),
    "actuator": Text(ROBOT, '<motor name="push" [^>]*/>(.*)<actuatorfrc name="push_effort"[^>]*/>', r"\1"),
    "sensor": Text(ROBOT, '<jointvel name="grip_velocity"[^>]*/>', ""),
}
URDFS: dict[str, Spoil] = {
    "mass": Text(URDF, 'mass value="1.5"', 'mass value="1.51"'),
    "inertia": Text(URDF, 'ixx="0.00065"', 'ixx="0.00066"'),
    "centre": Text(URDF, 'origin xyz="0.1 ', 'origin xyz="0.101 '),
    "axis": Text(URDF, '("elbow".*?axis xyz=)"0 0 1"', r'\1"0 0.001 1"'),
    "origin": Text(URDF, '("elbow".*?origin xyz=)"0.2 ', r'\1"0.201 '),
    "ratio": Text(URDF, 'multiplier="-1.5"', 'multiplier="-1.49"'),
    "coupling": Text(URDF, "<mimic [^>]*/>", ""),
    "shape": Text(URDF, '(visual/upper.stl")', r'\1 scale="1000 1000 1000"'),
    "missing shape": Gone("*/meshes/visual/upper.stl"),
    "limit": Text(URDF, 'upper="2"', 'upper="2.1"'),
    "velocity": Text(URDF, 'velocity="1000000000"', 'velocity="3"'),
    "effort": Text(URDF, 'effort="1000000000"', 'effort="3"'),
    "damping": Text(URDF, 'damping="0.3"', 'damping="0.31"'),
    "dry friction": Text(URDF, 'friction="0.1"', 'friction="0.2"'),
    "reduction": Text(URDF, "<mechanicalReduction>2<", "<mechanicalReduction>200<"),
    "rotor": Text(URDF, "(<mechanicalReduction>2</mechanicalReduction>)", r"\1<rotorInertia>1e-4</rotorInertia>"),
    "transmission": Text(URDF, '<transmission name="push.*?</transmission>', ""),
    "description for ROS": Text("*/urdf/rig.ros.urdf", 'mass value="1.5"', 'mass value="1.51"'),
}
SDFS: dict[str, Spoil] = {
    "mass": Text(SDF, "<mass>1.5<", "<mass>1.51<"),
    "inertia": Text(SDF, "<ixx>0.00065<", "<ixx>0.00066<"),
    "centre": Text(SDF, "<pose>0.1 -0.01 0 0", "<pose>0.101 -0.01 0 0"),
    "axis": Text(SDF, '("elbow".*?<xyz>)0 0 1', r"\g<1>0 0.001 1"),
    "origin": Text(SDF, "<pose>0 0 0.3 ", "<pose>0 0 0.301 "),
    "ratio": Text(SDF, 'multiplier="-1.5"', 'multiplier="-1.4"'),
    "coupling": Text(SDF, "<drake:mimic [^>]*/>", ""),
    "carried weight": Text(SDF, '(link name="lower">)', r"\1<gravity>false</gravity>"),
    "kinematic": Text(SDF, '(link name="lower">)', r"\1<kinematic>true</kinematic>"),
    "shape": Text(SDF, "(<uri>meshes/upper.obj</uri>)", r"\1<scale>1000 1000 1000</scale>"),
    "missing shape": Gone("meshes/upper.obj"),
    "limit": Text(SDF, "<upper>2<", "<upper>2.1<"),
    "damping": Text(SDF, "<damping>0.3<", "<damping>0.31<"),
    "spring": Text(SDF, "<spring_stiffness>2<", "<spring_stiffness>2.1<"),
    "servo": Text(SDF, "<p_gain>40<", "<p_gain>41<"),
    "servo's bound": Text(SDF, "<cmd_max>25<", "<cmd_max>26<"),
    "no servo": Text(SDF, "<plugin.*?</plugin>", ""),
}
USDS: dict[str, Spoil] = {
    "mass": Text(PHYSICS, "physics:mass = 1.5", "physics:mass = 1.51"),
    "inertia": Text(PHYSICS, r"physics:diagonalInertia = \(0.00065", "physics:diagonalInertia = (0.00066"),
    "centre": Text(PHYSICS, r"physics:centerOfMass = \(0.1,", "physics:centerOfMass = (0.101,"),
    "axis": Text(PHYSICS, '(Joint "elbow".*?physics:localRot1 = )[^\n]*', r"\1(0.9998, 0, 0.02, 0)"),
    "origin": Text(PHYSICS, r'(Joint "elbow".*?physics:localPos0 = )\(0.2,', r"\1(0.201,"),
    "ratio": Text(NEWTON, "mimicCoef1 = -1.5", "mimicCoef1 = -1.4"),
    "gravity": Text(PHYSICS, "gravityMagnitude = 9.81", "gravityMagnitude = 1.62"),
    "no scene": Text(PHYSICS, 'def PhysicsScene "physicsScene"[^{]*{[^}]*}', ""),
    "unit of length": Text("rig.usda", "metersPerUnit = 1", "metersPerUnit = 0.001"),
    "unit of mass": Text("rig.usda", "kilogramsPerUnit = 1", "kilogramsPerUnit = 0.001"),
    "axis that is up": Text("rig.usda", 'upAxis = "Z"', 'upAxis = "Y"'),
    "body": Text(PHYSICS, "float physics:mass = 1.5", r"bool physics:rigidBodyEnabled = 0\n\g<0>"),
    "no body": Text(PHYSICS, '"PhysicsRigidBodyAPI"(, "PhysicsMassAPI"|[^]]*"PhysicsMassAPI")', '"PhysicsMassAPI"'),
    "kinematic": Text(PHYSICS, "float physics:mass = 1.5", r"bool physics:kinematicEnabled = 1\n\g<0>"),
    "joint": Text(PHYSICS, '(Joint "elbow".*?)(uniform token physics:axis)', r"\1bool physics:jointEnabled = 0\n\2"),
    "shape": Scaled("meshes/upper.usdc"),
    "missing shape": Gone("meshes/upper.usdc"),
    "limit": Text(PHYSICS, "upperLimit = 114.59", "upperLimit = 120.59"),
    "damping": Text(NEWTON, "damping = 0.005", "damping = 0.006"),
    "dry friction": Text(NEWTON, "friction = 0.1", "friction = 0.2"),
    "rotor": Text(NEWTON, "armature = 0.02", "armature = 0.03"),
    "servo": Text(PHYSICS, r"(physics:stiffness = )0\.698", r"\g<1>0.7"),
    "servo's range": Text(PHYSICS, "maxForce = 25", "maxForce = 30"),
}
FMUS: dict[str, Spoil] = {
    "mass": of_mass(lambda m: replace(m, mass=1.01 * m.mass)),
    "inertia": of_mass(lambda m: replace(m, inertia=1.01 * np.asarray(m.inertia))),
    "centre": of_mass(lambda m: m.moved(Pose(np.eye(3), np.array([1e-3, 0.0, 0.0])))),
    "axis": Other(turned),
    "origin": Other(moved),
    "ratio": Other(lambda rig: coupled(rig, -1.49)),
    "coupling": Other(lambda rig: coupled(rig, None)),
    "gravity": Other(lambda rig: replace(rig, gravity=(0.0, 0.0, -1.62))),
    "damping": of_joint("shoulder", damping=0.31),
    "dry friction": of_joint("shoulder", friction=0.2),
    "spring": of_joint("shoulder", stiffness=2.1),
    "rotor": of_joint("shoulder", armature=0.03),
    "servo": Other(lambda rig: replace(rig, drives=tuple(stiffer(d) for d in rig.drives))),
    "unit": Packed("modelDescription.xml", 'unit="rad"', 'unit="deg"'),
}
SPOILT = {"mjcf": MJCF, "urdf": URDFS, "sdf": SDFS, "usd": USDS, "fmu": FMUS}
