"""What the solver refuses has a code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import GROUND, MassOverride, MateKind, Part
from cadbridge.errors import InputError, ModelError
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Scenario
from cadbridge.simulation.refused import refused
from tests.mechanism.building import assembly, mate

ARM = """<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz=".1 0 0"/><mass value="1"/>
  <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tip"/>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
  <joint name="wrist" type="continuous"><parent link="rod"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> Mechanism:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return cb.build(cb.read(path))


def simulated(arm: Mechanism, folder: Path, text: str) -> None:
    path = folder / "s.yaml"
    path.write_text(f"format: cadbridge.scenario/1\n{text}\n")
    cb.simulate(arm, cb.load_scenario(path, arm))


def followed(arm: Mechanism, folder: Path, text: str, **options: str) -> None:
    path = folder / "m.yaml"
    path.write_text(f"format: cadbridge.motion/1\nduration: 0.5\n{text}\n")
    cb.inverse(arm, cb.load_motion(path, arm), **options)  # type: ignore[arg-type]


LED = "motors: [{joint: wrist, angle: 0}, {joint: hinge, angle: %s}]"


@pytest.mark.parametrize(
    ("code", "said", "run"),
    [
        ("CB606", "t = 0", lambda m, at: simulated(m, at, LED % "1/t")),
        ("CB606", "t = 0", lambda m, at: followed(m, at, "joints: {hinge: 1/t, wrist: t}")),
        ("CB607", "1e+07", lambda m, at: simulated(m, at, f"duration: 1.0e+5\nrate: 1.0e+5\n{LED % 0}")),
        ("CB608", "hinge", lambda m, at: cb.simulate(m, Scenario(positions={"hinge": np.nan}))),
        ("CB677", "tip", lambda m, at: followed(m, at, "joints: {hinge: t, wrist: t}", method="bond-graph")),
    ],
    ids=["run", "motion", "samples", "start", "bond graph"],
)
def test_a_refusal_has_a_code(
    code: str, said: str, run: Callable[[Mechanism, Path], object], arm: Mechanism, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as fault:
        run(arm, tmp_path)
    (found,) = [f for f in fault.value.findings if f.code == code]
    assert said in found.message
    assert found.message == str(fault.value)  # else it would be printed twice


def test_any_other_refusal_has_one_too() -> None:
    findings = Findings()
    error = refused(ValueError("body a: its inertia must be symmetric"), findings)
    assert [(f.code, f.message) for f in error.findings] == [("CB608", str(error))]


def test_a_step_that_is_too_short_for_the_run_is_the_cure(arm: Mechanism) -> None:
    """Neither a tiny mass nor the tolerances have to do with it."""
    led = Scenario(duration=1.0, rate=10.0, integrator="rk4", step=1e-12)
    weighty = replace(arm, bodies=tuple(replace(b, mass=arm.bodies[0].mass) for b in arm.bodies))
    (found,) = [f for f in cb.simulate(weighty, led).findings if f.code == "CB611"]
    assert "longer `step`" in found.hint


LIGHT = """<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz=".1 0 0"/><mass value="1"/>
  <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><mass value="1e-9"/>
  <inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
  <joint name="wrist" type="continuous"><parent link="rod"/><child link="tip"/><axis xyz="0 1 0"/>
  <origin xyz=".2 0 0"/><dynamics friction=".1"/></joint></robot>"""
"""A link of no weight whose joint has dry friction: it settles in 2e-10 s, and looser tolerances do not help."""


def test_the_cure_of_steps_without_end_cures(tmp_path: Path) -> None:
    (path := tmp_path / "arm.urdf").write_text(LIGHT)
    light = cb.build(cb.read(path))
    (found,) = [f for f in cb.simulate(light, Scenario(duration=0.2, rate=10.0)).findings if f.code == "CB611"]
    assert "`integrator: generalized_alpha`" in found.hint
    cured = cb.simulate(light, Scenario(duration=0.2, rate=10.0, integrator="generalized_alpha"))
    assert cured.result.status.ok
    assert "CB611" not in [f.code for f in cured.findings]


def test_an_inertia_of_no_body_has_no_density_for_a_cure(tmp_path: Path) -> None:
    """The mass is known; a density, which was asked for, changes nothing."""
    path = tmp_path / "arm.urdf"
    inertia = '<inertia ixx="-.01" iyy=".02" izz=".03" ixy="0" ixz="0" iyz="0"/>'
    path.write_text(
        f"""<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>{inertia}</inertial></link>
        <joint name="u" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
    )
    with pytest.raises(ModelError) as error:
        cb.simulate(cb.build(cb.read(path)), Scenario(duration=0.01))
    (told,) = error.value.findings
    assert told.code == "CB610"
    assert "density" not in told.hint
    assert "moments of inertia" in told.hint


def test_a_body_of_parts_without_a_solid_needs_a_mass_and_its_cure_says_so() -> None:
    """`mass: 0`, which was the cure, leaves a body that turns with nothing to move."""
    places = {"arm": (0.1, 0.0, 0.0)}
    made = assembly(places, [mate(places, "hinge", MateKind.INSERT, GROUND, "arm", (0, 0, 0), (0, 1, 0))])

    def weighed(override: MassOverride | None) -> cb.Run:
        part = Part("block", override=override)
        return cb.simulate(cb.build(replace(made, parts=(part,))), Scenario(duration=0.01))

    with pytest.raises(ModelError) as error:
        weighed(None)
    (told,) = error.value.findings
    assert told.code == "CB610"
    assert "`mass`, `com` and `inertia`" in told.hint
    with pytest.raises(ModelError):
        weighed(MassOverride(mass=0.0))
    assert weighed(MassOverride(2.0, np.zeros(3), np.eye(3))).result.trajectory.t[-1] == pytest.approx(0.01)
