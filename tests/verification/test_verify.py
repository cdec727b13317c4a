"""Exports in the engines that they were written for: real machines and real URDFs there and back."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from pydrake.systems import analysis

import cadbridge as cb
from cadbridge.assembly import GROUND, FeatureKind, Limit, Mate, MateKind
from cadbridge.errors import InputError
from cadbridge.exporters import mjcf, urdf
from cadbridge.exporters.tree import spanning_tree
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import Mechanism, build
from cadbridge.readers import ReadOptions
from cadbridge.verification import engines, verify
from cadbridge.verification.kamino import in_kamino
from cadbridge.verification.newton import lacking
from cadbridge.verification.start import Start
from tests.exporters import models
from tests.mechanism.building import assembly, feature
from tests.real_robots import ROBOTS, robot_folder

LARGE = ("anymal_b_simple", "g1_")
"""Robots of which most of the time goes into reading meshes."""
CRANE = Path(str(files("cadbridge.data"))) / "demo" / "demo.step"


def source(name: str, corpus: Path) -> Mechanism:
    weighed = ReadOptions(mass_from="mesh", density=2700.0)
    return {
        "crane": lambda: cb.build(cb.read(CRANE)),
        "quadruped": lambda: cb.build(cb.read(corpus / "quadruped_solidworks" / "Assem4.xml")),
        "so100": lambda: cb.build(cb.read(corpus / "so100" / "so100.urdf")),
        "kr16": lambda: cb.build(cb.read(corpus / "kuka_kr16_support" / "urdf" / "kr16_2.urdf", options=weighed)),
    }[name]()


@pytest.mark.parametrize("to", ["mjcf", "urdf", "sdf"])
@pytest.mark.parametrize("name", ["quadruped", "so100", "kr16"])
def test_trees_swing_the_same_in_every_engine(name: str, to: str, corpus: Path) -> None:
    result = verify(source(name, corpus), to, duration=0.1)
    assert max(result.mass, result.inertia, result.centre, result.pose) < 1e-9
    assert result.swing is not None
    assert result.swing < 1e-6
    assert result.moved > 1e-2
    assert result.passed
    assert not result.findings


def test_an_engines_own_error_is_told_and_no_fault_of_the_export(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines.MuJoCo, "step", 0.05)
    result = verify(models.pendulum(), "mjcf", duration=0.4)
    assert result.swing is not None
    assert result.step_error is not None
    assert 1e-6 < result.swing < 2 * result.step_error  # of fourth order: nearly all of it goes with half the step
    assert result.verdict == "same"
    assert not result.findings
    # What no step explains is a fault.
    genuine = engines.MuJoCo.swing
    monkeypatch.setattr(
        engines.MuJoCo, "swing", lambda *given, **how: {k: v + 0.1 for k, v in genuine(*given, **how).items()}
    )
    wrong = verify(models.pendulum(), "mjcf", duration=0.4)
    assert [(f.code, f.items) for f in wrong.findings] == [("CB531", (wrong.swing_joint,))]
    assert wrong.swing_joint in {j.name for j in models.pendulum().joints}
    assert not wrong.passed


def test_drake_takes_few_steps_for_errors_that_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hexapod took a minute: for errors that small a method of third order takes steps of a fifth of a ms."""
    taken: list[int] = []
    genuine = analysis.Simulator.AdvanceTo

    def watched(simulator: analysis.Simulator, boundary_time: float) -> analysis.SimulatorStatus:
        reached = genuine(simulator, boundary_time)
        taken.append(simulator.get_integrator().get_num_steps_taken())
        return reached

    monkeypatch.setattr(analysis.Simulator, "AdvanceTo", watched)
    result = verify(models.pendulum(), "sdf", duration=1.0)
    assert result.swing is not None
    assert result.swing < 1e-8
    assert len(taken) == 1
    assert taken[0] < 500


@pytest.mark.parametrize("to", ["mjcf", "sdf"])
def test_an_inertia_that_the_engine_replaces_is_told_as_the_cause(to: str) -> None:
    whole = models.pendulum()
    body = whole.bodies[0]
    assert body.mass is not None
    odd = replace(body, mass=replace(body.mass, inertia=np.diag([1.0, 1.0, 5.0])))
    result = verify(replace(whole, bodies=(odd, *whole.bodies[1:])), to, duration=0.1)
    assert {f.code for f in result.findings} >= {"CB530"}
    assert all(body.name in f.hint and "CB1433" in f.hint for f in result.findings if f.code in ("CB530", "CB531"))


def test_a_loop_that_swings_otherwise_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verify(models.four_bar(), "mjcf", duration=0.3).passed
    open_loop = replace(models.four_bar(), joints=models.four_bar().joints[:-1])
    honest = mjcf.contents
    monkeypatch.setattr(mjcf, "contents", lambda mechanism, *rest: honest(open_loop, *rest))
    result = verify(models.four_bar(), "mjcf", duration=0.3)
    assert "CB531" in {f.code for f in result.findings}
    assert not result.passed


def test_a_loop_whose_joints_have_limits_passes() -> None:
    """Its closing joint keeps its limit on half of a body: what is compared is cut as the export is."""
    plain = models.four_bar()
    limited = replace(plain, joints=tuple(replace(j, limit=Limit(-2.0, 2.0)) for j in plain.joints))
    result = verify(limited, "mjcf", duration=0.3)
    assert result.passed
    assert result.joints == verify(plain, "mjcf", duration=0.3).joints + 1


def test_a_hinge_across_gravity_moves_from_its_velocity() -> None:
    rig = models.Builder(3)
    turntable = rig.body()
    rig.joint("revolute", -1, turntable, models.at((0, 0, 0), (0, 0, 1)), limit=Limit(velocity=0.01))
    result = verify(rig.build(), "urdf", duration=0.5)
    assert 1e-4 < result.moved <= 0.005 + 1e-12  # as fast as its limit allows at most
    assert result.passed


def test_an_engine_that_is_too_coarse_gets_shorter_swings_and_then_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = engines.MuJoCo.swing

    def coarse(self: engines.MuJoCo, joints: list[str], start: Start, duration: float, finer: int = 1) -> object:
        error = 0.2 / finer if duration > limit else 0.0
        return {k: v + error for k, v in genuine(self, joints, start, duration, finer).items()}

    monkeypatch.setattr(engines.MuJoCo, "swing", coarse)
    limit = 0.05
    shorter = verify(models.pendulum(), "mjcf", duration=0.4)
    assert shorter.duration == pytest.approx(0.025)
    assert shorter.passed
    limit = 0.0
    none = verify(models.pendulum(), "mjcf", duration=0.4)
    assert [f.code for f in none.findings] == ["CB537"]
    assert none.verdict == "not comparable"
    assert not none.passed


def test_a_motion_that_no_engine_can_test_does_not_pass() -> None:
    result = verify(models.four_bar(), "urdf", duration=0.1)
    assert max(result.mass, result.inertia, result.centre, result.pose) < 1e-9
    assert [f.code for f in result.findings] == ["CB538"]
    assert result.verdict == "not tested"
    assert not result.passed


@pytest.mark.parametrize("model", ["four_bar", "planetary", "geared_pair"])
def test_loops_mimics_and_sums_of_a_ros_package_swing_the_same(model: str) -> None:
    """The mass matrix and forces are Pinocchio's, what binds the joints is the package's."""
    result = verify(getattr(models, model)(), "ros2", duration=0.3)
    assert (result.verdict, [f.code for f in result.findings]) == ("same", [])
    assert result.swing is not None
    assert result.swing < 1e-6 < result.moved


def test_a_platform_that_closes_two_loops_is_compared_as_a_whole() -> None:
    source = Path(__file__).resolve().parents[2] / "fixtures" / "rrrt3" / "rrrt3.sdf"
    found = verify(cb.build(cb.read(source)), "mjcf", duration=0.01)
    assert found.passed
    assert found.pose < 1e-9


def test_gears_swing_within_the_error_of_the_engine(corpus: Path) -> None:
    crane = source("crane", corpus)
    in_mujoco = verify(crane, "mjcf", duration=0.3)
    assert in_mujoco.coupling_error is not None
    assert in_mujoco.swing is not None
    assert in_mujoco.swing < 1e-6
    in_drake = verify(crane, "sdf", duration=0.3, accept=["CB516"])  # SDF has no place for its rotor inertias
    assert in_drake.swing is not None
    assert in_drake.swing < 1e-3 * in_drake.moved  # a first-order solver at 0.1 ms
    assert in_mujoco.passed
    assert in_drake.passed


@pytest.mark.parametrize(
    "to", ["mjcf", pytest.param("urdf", marks=pytest.mark.nightly), pytest.param("sdf", marks=pytest.mark.nightly)]
)
def test_the_kr15_has_its_masses_and_poses_in_every_engine(kr15: Mechanism, to: str) -> None:
    result = verify(kr15, to, duration=0.02)
    assert result.links == 26
    assert max(result.mass, result.inertia, result.centre, result.pose) < 1e-9
    # Twenty gears in one wrist: MuJoCo's soft equalities give way, and Drake's coupled solver more so.
    assert {f.code for f in result.findings} == {"mjcf": set(), "urdf": {"CB538"}, "sdf": {"CB537"}}[to]
    assert result.passed == (to == "mjcf")
    assert (result.swing is None) == (to == "urdf")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.nightly) if n.startswith(LARGE) else n for n in ROBOTS]
)
def test_a_real_urdf_there_and_back_is_the_same_robot(name: str, tmp_path: Path) -> None:
    path = robot_folder() / name
    packages = (robot_folder().parent.parent, robot_folder().parent, robot_folder())
    mechanism = cb.build(cb.read(path, options=ReadOptions(package_dirs=packages)))
    result = verify(mechanism, "urdf", duration=0.2)
    assert max(result.mass, result.inertia, result.centre, result.pose) < 1e-9
    assert result.swing is not None
    assert result.swing < 1e-6
    # And against Pinocchio's own reading of the original, which cadbridge had no hand in.
    exported = cb.export(mechanism, tmp_path / "out", to="urdf").files[0]
    first, second = (pinocchio.buildModelFromUrdf(str(p)) for p in (path, exported))
    assert first.nv == second.nv
    moments = [total_inertia(m, value) for m in (first, second) for value in (0.0, 0.3)]
    np.testing.assert_allclose(moments[0], moments[2], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(moments[1], moments[3], rtol=1e-9, atol=1e-9)


def total_inertia(model: pinocchio.Model, value: float) -> np.ndarray:
    """The moving robot's mass, centre and inertia (10,) in the world with every scalar joint at `value`."""
    q = pinocchio.neutral(model)
    for joint in model.joints[1:]:
        if joint.nv == 1:
            turned = [np.cos(value), np.sin(value)] if joint.nq == 2 else value
            q[joint.idx_q : joint.idx_q + joint.nq] = turned
    data = model.createData()
    pinocchio.forwardKinematics(model, data, q)
    total = pinocchio.Inertia.Zero()
    for k in range(1, model.njoints):
        total += data.oMi[k].act(model.inertias[k])
    return np.array(total.toDynamicParameters())


def test_an_export_that_is_wrong_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = urdf.contents

    def dishonest(mechanism: Mechanism, *rest: object) -> dict[str, bytes]:
        shifted = replace(mechanism.bodies[0], X_WB=mechanism.bodies[0].X_WB @ Pose(np.eye(3), np.array([1e-6, 0, 0])))
        return honest(replace(mechanism, bodies=(shifted, *mechanism.bodies[1:])), *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(urdf, "contents", dishonest)
    result = verify(models.pendulum(), "urdf", duration=0.1)
    assert "CB530" in {f.code for f in result.findings}


def test_a_format_without_an_engine_is_refused() -> None:
    with pytest.raises(InputError, match="mjcf, ros2, sdf, urdf, usd"):
        verify(models.pendulum(), "json")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("four_bar", ""),
        ("branched", ""),
        ("planetary", ""),
        ("geared_pair", ""),
        ("joints_of_all_kinds", "divides joints of several freedoms"),
    ],
)
def test_what_newton_moves_otherwise_is_known_before(model: str, said: str) -> None:
    found = lacking(spanning_tree(getattr(models, model)()))
    assert said in found
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    ("file", "whole"),
    [("delta/delta.sdf", True), ("rrrt3/rrrt3.sdf", True), ("geared_robot3/geared_robot3.urdf", False)],
)
def test_kamino_takes_loops_and_no_couplings(file: str, whole: bool) -> None:
    mechanism = cb.build(cb.read(Path(__file__).resolve().parents[2] / "fixtures" / file))
    assert in_kamino(spanning_tree(mechanism)) is whole


GRIPPER = """<mujoco>
  <option density="1000" viscosity="1"/>
  <worldbody>
    <body name="left"><joint name="l" axis="0 1 0" stiffness="1" springref="1"/>
      <geom type="box" size=".1 .01 .02" pos=".1 0 0"/></body>
    <body name="right"><joint name="r" axis="0 1 0"/><geom type="box" size=".1 .01 .02" pos="-.1 0 0"/></body>
  </worldbody>
  <tendon><fixed name="split" stiffness="10" springlength="1"><joint joint="l" coef=".5"/><joint joint="r" coef=".5"/>
  </fixed></tendon>
  <equality><joint joint1="r" joint2="l" polycoef="0 -.5 0 0 0"/></equality>
  <actuator><general tendon="split" gaintype="fixed" biastype="affine" biasprm="3 -100 -10"/></actuator>
</mujoco>"""


def test_drake_does_not_tell_each_servo_that_it_leaves_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "arm.xml"
    path.write_text("""<mujoco><worldbody><body><joint name="A" axis="0 1 0"/><geom size=".02" pos=".2 0 0"
      mass="1"/></body></worldbody><actuator><position name="a" joint="A" kp="20" kv="2"/></actuator></mujoco>""")
    result = verify(cb.build(cb.read(path)), "sdf", duration=0.2)
    assert result.passed
    assert not [r for r in caplog.records if r.name == "drake" and "plugin" in r.getMessage()]


def test_links_without_mass_are_compared(tmp_path: Path) -> None:
    """A body that hangs on joints in series, as in most planar walkers: the links between have no mass."""
    path = tmp_path / "walker.xml"
    path.write_text("""<mujoco><worldbody><body name="torso" pos="0 0 1"><joint name="X" type="slide" axis="1 0 0"/>
      <joint name="Z" type="slide" axis="0 0 1"/><joint name="Y" axis="0 1 0"/><geom size=".1" mass="2"/>
      <body name="leg"><joint name="hip" axis="0 1 0"/><geom type="box" pos="0 0 -.2" size=".02 .02 .2" mass=".5"/>
      </body></body></worldbody></mujoco>""")
    result = verify(cb.build(cb.read(path)), "urdf", duration=0.3)
    assert result.passed
    assert max(result.mass, result.inertia, result.centre, result.pose) < 1e-9


def test_what_acts_in_mujoco_alone_is_not_compared(tmp_path: Path) -> None:
    """The tendon of a gripper held its fingers in MuJoCo, while ours fell: that was called a fault of the export."""
    path = tmp_path / "gripper.xml"
    path.write_text(GRIPPER)
    result = verify(cb.build(cb.read(path)), "mjcf", duration=0.25)
    assert result.verdict == "same"
    assert result.moved > 0.1


def test_a_motion_that_magnifies_the_engines_rounding_is_not_called_different(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that rounds to a thousandth, as one of single precision does to 1e-7."""
    genuine = engines.MuJoCo._compiled

    def rounds(self: engines.MuJoCo, folder: Path) -> object:
        model = genuine(self, folder)
        model.body_mass[:] *= 1 + 1e-3 * np.random.default_rng(0).uniform(-1, 1, len(model.body_mass))
        return model

    monkeypatch.setattr(engines.MuJoCo, "_compiled", rounds)
    assert verify(models.branched(), "mjcf", duration=0.5).verdict == "differs"
    monkeypatch.setattr(engines.MuJoCo, "precision", 1e-3)
    assert verify(models.branched(), "mjcf", duration=0.5).verdict in ("same", "not comparable")


def test_a_balanced_pin_that_feels_a_rounded_axis_is_not_called_different() -> None:
    """Half a nanometre between the two sides of its hinge turns it by 2e-4 rad a second, under its own weight."""
    places, along = {"pin": (0.0, 0.0, 0.0)}, (1.0, 0.0, 0.0)
    bore = feature(places, GROUND, FeatureKind.AXIS, (0, 0, 0), along)
    own = feature(places, "pin", FeatureKind.AXIS, (0, 4.65e-10, 0), along)
    made = assembly(places, [Mate("Pin", MateKind.REVOLUTE, bore, own)])
    pin = replace(made.parts[0], declared=MassProperties(0.04, np.zeros(3), np.diag([4e-7, 1e-4, 1e-4])))
    found = verify(build(replace(made, parts=(pin,))), "mjcf")
    assert found.passed
    assert found.duration < 1.0
