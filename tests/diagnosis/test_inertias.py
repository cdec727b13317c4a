"""A freedom without inertia is told by a check, before a run has to refuse it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.errors import ModelError
from cadbridge.simulation import Scenario

ARM = """<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="1"/>
  <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="flange"><inertial><origin xyz="{arm} 0 0"/><mass value="{mass}"/>
  <inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
  <joint name="wrist" type="{type}"><parent link="rod"/><child link="flange"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("mass", "moment", "arm", "type_", "told"),
    [
        (0, 0, 0, "continuous", True),
        (1e-6, 0, 0, "continuous", True),
        (1, 0, 0.1, "continuous", False),  # a point, but beside the axis
        (0, 1e-6, 0, "continuous", False),
        (0, 0, 0, "fixed", False),
    ],
)
def test_a_check_tells_what_a_run_refuses(
    mass: float, moment: float, arm: float, type_: str, told: bool, tmp_path: Path
) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(mass=mass, moment=moment, arm=arm, type=type_))
    mechanism = cb.build(cb.read(path))
    found = [f for f in cb.diagnose(mechanism).findings if f.code == "CB417"]
    assert [(f.where.item, f.items) for f in found] == [("flange", ("flange", "wrist"))] * told
    refused = False
    try:
        cb.simulate(mechanism, Scenario(duration=0.01))
    except ModelError as fault:
        refused = "CB697" in {f.code for f in fault.findings}
    assert refused is told


def test_an_unknown_mass_elsewhere_hides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(mass=0, moment=0, arm=0, type="continuous"))
    mechanism = cb.build(cb.read(path))
    bodies = tuple(replace(b, mass=None) if b.name == "rod" else b for b in mechanism.bodies)
    found = cb.diagnose(replace(mechanism, bodies=bodies)).findings
    assert [f.where.item for f in found if f.code == "CB417"] == ["flange"]
