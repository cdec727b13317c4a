"""Small mechanisms: their absolute tolerance falls with their size, so that they move as large ones do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Run, Scenario, simulate

ROD = """<robot name="r"><link name="base"/>
<link name="rod"><inertial><origin xyz="{half} 0 0"/><mass value="{mass}"/>
<inertia ixx="{thin}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


def rod(folder: Path, length: float) -> Mechanism:
    """A rod that lies level, to fall about its end."""
    mass, path = 50.0 * length**3, folder / "rod.urdf"
    inertia = mass * length**2 / 12.0
    path.write_text(ROD.format(half=length / 2.0, mass=mass, thin=inertia / 50.0, inertia=inertia), encoding="utf-8")
    return cb.build(cb.read(path))


def swings(folder: Path, length: float) -> Run:
    """Twelve swings: times go with the square root of the length."""
    time = length**0.5
    return simulate(rod(folder, length), Scenario(duration=31.0 * time, rate=2.0 / time))


@pytest.mark.parametrize("length", [1e-2, 1e-3, 1e-4])
def test_a_small_pendulum_swings_as_a_large_one(length: float, tmp_path: Path) -> None:
    """At 1 mm it was off by 1e-5 rad, at 0.1 mm by 2e-4, and was called wrong (CB683)."""
    large, small = swings(tmp_path, 1.0), swings(tmp_path, length)
    angles = [run.result.trajectory.coordinates[:, 0] for run in (large, small)]
    np.testing.assert_allclose(angles[1], angles[0], atol=2e-6)
    assert "CB683" not in {f.code for f in small.findings}


def test_what_a_scenario_says_of_both_is_kept(tmp_path: Path) -> None:
    mechanism = rod(tmp_path, 1e-3)
    kept = simulate(mechanism, Scenario(duration=0.01, rtol=1e-7, atol=1e-8)).scenario
    assert (kept.rtol, kept.atol) == (1e-7, 1e-8)
    assert simulate(mechanism, Scenario(duration=0.01, rtol=1e-7, atol=1e-7)).scenario.atol == pytest.approx(5e-10)
    assert simulate(rod(tmp_path, 1.0), Scenario(duration=0.01)).scenario.atol == 1e-8
