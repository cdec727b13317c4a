"""Exports with one thing wrong in each: `verify` notices it, or says that it did not compare it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

import cadbridge as cb
from cadbridge.assembly import Limit
from cadbridge.exporters import ExportOptions
from cadbridge.exporters.fmu.binary import NoBinaryError, shared_library
from cadbridge.findings import Finding
from cadbridge.mechanism import Mechanism
from cadbridge.shapes.process import Worker
from cadbridge.simulation import Run, Scenario
from cadbridge.verification import Verification, verify
from tests.readers.test_usd import Near
from tests.verification.faults import ROBOT, SPOILT, USDS, Packed, Spoil, Text

RIG = """<mujoco model="rig">
  <compiler angle="radian"/>
  <worldbody>
    <body name="upper" pos="0 0 .5">
      <joint name="shoulder" axis="0 1 0" range="-1.5 2" damping=".3" frictionloss=".1" armature=".02" stiffness="2"
        springref=".4"/>
      <geom type="box" size=".02 .03 .1" pos=".01 0 -.1" mass="1.5"/>
      <body name="lower" pos="0 0 -.2">
        <joint name="elbow" axis=".1 1 0" range="-2 2" damping=".1"/>
        <geom type="box" size=".015 .02 .08" pos="0 .01 -.08" mass=".8"/>
        <site name="tool" pos="0 0 -.16"/>
        <body name="finger" pos="0 .05 -.16">
          <joint name="grip" type="slide" axis="0 1 0" range="-.02 .03" damping="2"/>
          <geom type="box" size=".005 .01 .03" pos="0 0 -.03" mass=".2"/>
        </body>
        <body name="thumb" pos="0 -.05 -.16">
          <joint name="follow" type="slide" axis="0 1 0"/>
          <geom type="box" size=".005 .01 .04" pos="0 0 -.04" mass=".3"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="follow" joint2="grip" polycoef="0 -1.5 0 0 0"/></equality>
  <actuator>
    <position name="servo" joint="shoulder" kp="40" kv="3" forcerange="-25 25" ctrlrange="-1 1"/>
    <motor name="push" joint="elbow" gear="2"/>
  </actuator>
</mujoco>"""
"""An arm with all that a joint can have, and a gripper whose thumb follows its finger."""


@pytest.fixture(scope="module", autouse=True)
def source_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is right is made once: our own run of the same mechanism and scenario, and an export to compare lines with.

    That both are the same each time other tests hold.
    """
    runs: dict[bytes, Run] = {}
    made: dict[bytes, Path] = {}

    def run(mechanism: Mechanism, scenario: Scenario) -> Run:
        key = pickle.dumps((mechanism, scenario))
        if key not in runs:
            runs[key] = cb.simulate(mechanism, scenario)
        return runs[key]

    def exported(mechanism: Mechanism, folder: Path, to: str, options: ExportOptions) -> None:
        key = pickle.dumps((mechanism, to, options))
        if key not in made:
            made[key] = tmp_path_factory.mktemp("right") / to
            cb.export(mechanism, made[key], to, options=options)
        copytree(made[key], folder, dirs_exist_ok=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cadbridge.verification.swing.simulate", run)
        patch.setattr("cadbridge.verification.compare.export", exported)
        # Each stage has a path of its own: what OpenUSD keeps of another is not met.
        patch.setattr("cadbridge.readers.usd.robot.Worker", Near)
        yield


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Mechanism:
    path = tmp_path_factory.mktemp("rig") / "rig.xml"
    path.write_text(RIG)
    return cb.build(cb.read(path))


@pytest.fixture(scope="module")
def exports(rig: Mechanism, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def export(to: str) -> Path:
        if to not in made:
            made[to] = tmp_path_factory.mktemp("exports") / to
            cb.export(rig, made[to], to=to)
        return made[to]

    return export


NOTICED = {"CB530", "CB531", "CB1489", "CB1400", "CB1443"}
"""Differences, or why an engine or our own reader (CB1443: a file is missing) does not take the export at all."""

SAYS_NOTHING = {
    "mjcf": {"limits of velocity", "collision geometry", "colours"},
    "urdf": {"gravity", "springs", "rotor inertias", "servos of servo", "sensors", "collision geometry", "colours"},
    "sdf": {
        "gravity",
        "rotor inertias",
        "sensors",
        "dry friction",
        "collision geometry",
        "colours",
        "model-1_9.sdf",
        "drives of push",
    },
    "usd": {"limits of velocity", "springs", "sensors", "collision geometry", "colours"},
    "fmu": {"limits", "limits of effort", "limits of velocity", "shapes", "sensors", "collision geometry"},
}
"""What the engine of a format cannot say: a fault in it would be named as not compared."""


def compared(rig: Mechanism, to: str, folder: Path) -> Verification:
    if to == "fmu":
        pytest.importorskip("fmpy", reason="FMPy, which runs FMUs, is not installed")
        try:
            shared_library()
        except NoBinaryError as fault:
            pytest.skip(str(fault))
    return verify(rig, to, duration=0.1, folder=folder)


@pytest.mark.parametrize("to", sorted(SPOILT))
def test_what_is_right_passes_and_says_what_was_compared(
    to: str, rig: Mechanism, exports: Callable[[str], Path]
) -> None:
    right = compared(rig, to, exports(to))
    assert not {f.code for f in right.findings} & NOTICED
    assert set(right.not_compared) - {"motion"} == SAYS_NOTHING[to]
    assert {"masses", "centres of mass", "inertias", "poses"} <= set(right.compared)
    assert right.passed or right.verdict in ("not tested", "same but for losses")


AT_NIGHT = {
    "urdf": {"inertia", "centre", "origin"},
    "sdf": {"inertia", "centre", "origin", "coupling", "damping", "spring", "servo", "servo's bound", "missing shape"},
    "usd": {"inertia", "centre", "origin", "dry friction", "damping", "servo's range", "kinematic"},
    "fmu": {"inertia", "axis", "origin", "coupling", "damping", "dry friction", "spring", "rotor", "gravity"},
}
"""Faults like others of the same format, where a case takes 0.6 s and more: the mass stands for all of a body, the axis
for all of a frame, a ratio for a coupling, no servo for a wrong one; an FMU of another mechanism is noticed by how it
moves. What is compared of each quantity is tested by day of MJCF, where a case takes 0.1 s; that rotors are compared is
noticed by the stage's alone: it stays."""


@pytest.mark.parametrize(
    ("to", "what"),
    [
        pytest.param(to, what, marks=pytest.mark.nightly if what in AT_NIGHT.get(to, ()) else ())
        for to, spoilt in SPOILT.items()
        for what in spoilt
    ],
)
def test_what_is_wrong_is_noticed(
    to: str, what: str, rig: Mechanism, exports: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / to
    copytree(exports(to), folder)
    SPOILT[to][what].spoil(folder, rig)
    assert {f.code for f in faults(rig, to, folder)} & NOTICED


WALKER = """<mujoco><worldbody><body name="torso" pos="0 0 1.2"><joint name="x" type="slide" axis="1 0 0"/>
  <joint name="z" type="slide" axis="0 0 1"/><joint name="pitch" axis="0 1 0"/>
  <geom type="box" size=".1 .1 .2" mass="3"/>
  <body name="leg" pos="0 0 -.2"><joint name="hip" axis="0 1 0"/><geom type="box" size=".05 .05 .3" mass="1"/></body>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize("to", ["mjcf", "urdf", "usd"])
def test_links_between_joints_in_series_have_no_centre_to_compare(to: str, tmp_path: Path) -> None:
    """In an MJCF they are no bodies; a URDF has no place for the centre of what has no mass."""
    (tmp_path / "walker.xml").write_text(WALKER)
    found = verify(cb.build(cb.read(tmp_path / "walker.xml")), to, duration=0.05)
    assert {f.code for f in found.findings} <= {"CB538", "CB1484"}
    assert found.passed or to == "usd"


def test_a_stage_is_read_as_it_is_now(rig: Mechanism, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenUSD keeps what a process has read, by its path."""
    monkeypatch.setattr("cadbridge.readers.usd.robot.Worker", Worker)
    cb.export(rig, tmp_path / "usd", to="usd")
    assert "CB530" not in {f.code for f in compared(rig, "usd", tmp_path / "usd").findings}
    USDS["mass"].spoil(tmp_path / "usd", rig)
    assert "CB530" in {f.code for f in compared(rig, "usd", tmp_path / "usd").findings}


def test_a_limit_of_nothing_is_none_in_a_right_export(rig: Mechanism, tmp_path: Path) -> None:
    """Exporters of CAD systems write 0 for what nobody gave."""
    joints = tuple(
        replace(j, limit=replace(j.limit, velocity=0.0, effort=0.0)) if j.limit is not None else j for j in rig.joints
    )
    cb.export(replace(rig, joints=joints), tmp_path / "sdf", to="sdf")
    found = compared(replace(rig, joints=joints), "sdf", tmp_path / "sdf")
    assert not {f.code for f in found.findings} & NOTICED


def test_a_range_of_nothing_is_kept_in_an_mjcf(rig: Mechanism, tmp_path: Path) -> None:
    """MuJoCo drops a range whose ends are equal."""
    for at in (0.0, 1.5):
        joints = tuple(replace(j, limit=Limit(at, at)) if j.name == "elbow" else j for j in rig.joints)
        held = replace(rig, joints=joints)
        folder = tmp_path / str(at)
        cb.export(held, folder, to="mjcf")
        assert not {f.code for f in compared(held, "mjcf", folder).findings} & NOTICED
        Text(ROBOT, r'(name="elbow"[^>]*) range="[^"]*"', r"\1").spoil(folder, held)
        assert "CB530" in {f.code for f in compared(held, "mjcf", folder).findings}


@pytest.mark.parametrize(("key", "ends"), [("control", (0.3, 0.3)), ("effort", (0.0, 0.0)), ("effort", (2.0, 2.0))])
def test_a_servo_whose_range_has_equal_ends_keeps_it_in_an_mjcf(
    key: str, ends: tuple[float, float], rig: Mechanism, tmp_path: Path
) -> None:
    """A drive of USD that may give nothing would give anything in MuJoCo."""
    law = next(d.law for d in rig.drives if d.name == "servo")
    assert law is not None
    law = replace(law, **{key: ends})  # type: ignore[arg-type]
    held = replace(rig, drives=tuple(replace(d, law=law) if d.name == "servo" else d for d in rig.drives))
    cb.export(held, tmp_path / "mjcf", to="mjcf")
    assert not {f.code for f in compared(held, "mjcf", tmp_path / "mjcf").findings} & NOTICED
    Text(ROBOT, rf'(name="servo"[^>]*) {"ctrl" if key == "control" else "force"}range="[^"]*"', r"\1").spoil(
        tmp_path / "mjcf", held
    )
    assert "CB530" in {f.code for f in compared(held, "mjcf", tmp_path / "mjcf").findings}


def test_a_filtered_servo_with_a_range_of_controls_is_the_same_in_mujoco(tmp_path: Path) -> None:
    """A filter whose control was far beyond its range was asked for what it never gives, and called a bug of ours."""
    (tmp_path / "arm.xml").write_text(
        """<mujoco><worldbody><body name="arm"><joint name="j" axis="0 1 0"/><geom type="box" size="0.2 0.1 0.1"
        pos="0.1 0 0"/></body></worldbody><actuator><general joint="j" ctrllimited="true" ctrlrange="-1 1"
        dyntype="filter" dynprm="0.1" gainprm="1000" biastype="affine" biasprm="0 -1000"/></actuator></mujoco>""",
        encoding="utf-8",
    )
    arm = cb.build(cb.read(tmp_path / "arm.xml"))
    cb.export(arm, tmp_path / "mjcf", to="mjcf")
    found = compared(arm, "mjcf", tmp_path / "mjcf")
    assert not {f.code for f in found.findings} & NOTICED
    Text(ROBOT, 'gainprm="1000', 'gainprm="1001').spoil(tmp_path / "mjcf", arm)
    assert "CB530" in {f.code for f in compared(arm, "mjcf", tmp_path / "mjcf").findings}


UNSAID: dict[tuple[str, str], Spoil] = {
    ("mjcf", "colour"): Text(ROBOT, 'rgba="[^"]*"', 'rgba="1 0 0 1"'),
    ("mjcf", "softness"): Text(ROBOT, 'solimp="0.99 0.9999', 'solimp="0.5 0.6'),
    ("sdf", "older description"): Text("model-1_9.sdf", "<mass>1.5<", "<mass>1.51<"),
    ("usd", "comment"): Text("rig.usda", 'upAxis = "Z"', 'upAxis = "Z"  # up'),
    ("fmu", "description"): Packed("modelDescription.xml", 'description="[^"]*"', 'description="other"'),
}
"""What no engine says."""


@pytest.mark.parametrize(("to", "what"), list(UNSAID))
def test_what_no_engine_says_is_named_with_its_line(
    to: str, what: str, rig: Mechanism, exports: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / to
    copytree(exports(to), folder)
    UNSAID[to, what].spoil(folder, rig)
    found = compared(rig, to, folder)
    assert not {f.code for f in found.findings} & NOTICED
    assert "(line" in found.not_compared["what an export made now has otherwise"]


@pytest.mark.parametrize(("to", "share"), [("mjcf", 0.5), ("sdf", 1.0), ("sdf", 0.5)])
def test_a_weight_that_is_carried_is_compared(to: str, share: float, rig: Mechanism, tmp_path: Path) -> None:
    source = rig.assembly
    components = tuple(replace(c, gravity_compensation=share) if c.name == "lower" else c for c in source.components)
    carrying = cb.build(replace(source, components=components))
    cb.export(carrying, tmp_path / to, to=to)
    right = compared(carrying, to, tmp_path / to)
    assert not {f.code for f in right.findings} & NOTICED
    assert "gravity compensation" in right.compared
    if share == 1.0 or to == "mjcf":
        Text("model.sdf" if to == "sdf" else ROBOT, ' gravcomp="0.5"|<gravity>false</gravity>', "").spoil(
            tmp_path / to, carrying
        )
        assert "CB530" in {f.code for f in compared(carrying, to, tmp_path / to).findings}


def faults(rig: Mechanism, to: str, folder: Path) -> tuple[Finding, ...]:
    """What is found, or why an engine does not load it at all: MuJoCo without a mesh."""
    try:
        found = compared(rig, to, folder)
    except cb.InputError as fault:
        return tuple(fault.findings)
    assert not found.passed
    return found.findings


def test_forty_and_more_are_spoilt() -> None:
    assert sum(map(len, SPOILT.values())) >= 40
