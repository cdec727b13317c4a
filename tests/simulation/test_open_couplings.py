"""Couplings with an offset: a run begins with their leaders as designed, their followers where the offset has them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cadbridge as cb
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Run, Scenario, initial, simulate
from cadbridge.verification import verify

LINK = (
    '<link name="{0}"><inertial><origin xyz=".2 0 0"/><mass value="1"/>'
    '<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz=".4 0 0"/>'
    '<axis xyz="0 1 0"/>{3}</joint>'
)
FOLLOWS = '<mimic joint="{}" multiplier="{}" offset="{}"/>'


def _chain(folder: Path, offset: float) -> Mechanism:
    """j3 follows j2, which follows j1; the last stands first in the file."""
    path = folder / "chain.urdf"
    links = "".join(map(LINK.format, "abc"))
    joints = (
        JOINT.format("j3", "b", "c", FOLLOWS.format("j2", -0.1, 0.05)),
        JOINT.format("j2", "a", "b", FOLLOWS.format("j1", -2, offset)),
        JOINT.format("j1", "base", "a", ""),
    )
    path.write_text(f'<robot name="r"><link name="base"/>{links}{"".join(joints)}</robot>', encoding="utf-8")
    return cb.build(cb.read(path))


def _first(run: Run) -> dict[str, float]:
    return {j.name: float(q) for j, q in zip(run.lowered.joints, run.result.trajectory.coordinates[0], strict=True)}


@pytest.mark.parametrize("offset", [0.3, 13.0])
def test_followers_of_followers_are_moved_and_the_leader_stays(offset: float, tmp_path: Path) -> None:
    """The leader was moved by what weighs least, by 9° of 0.3 rad, without a word; two turns are kept as such."""
    run = simulate(_chain(tmp_path, offset), Scenario(duration=0.01))
    assert _first(run) == pytest.approx({"j1": 0.0, "j2": offset, "j3": 0.05 - 0.1 * offset}, abs=1e-10)
    told = [f for f in run.findings if f.code == "CB698"]
    assert [f.items for f in told] == [("j3 mimic", "j2 mimic")]
    assert f"j2 mimic ({math.degrees(offset):.4g}° off)" in told[0].message


def test_an_initial_value_leads_from_there(tmp_path: Path) -> None:
    run = simulate(_chain(tmp_path, 7.0), Scenario(duration=0.01, positions={"j1": -1.0}))
    assert _first(run) == pytest.approx({"j1": -1.0, "j2": 9.0, "j3": -0.85}, abs=1e-10)
    assert "CB698" in {f.code for f in run.findings}


@pytest.mark.parametrize(("positions", "leader"), [({}, 0.0), ({"j1": -1.0}, -1.0)])
def test_the_rate_of_a_follower_moves_no_leader(positions: dict[str, float], leader: float, tmp_path: Path) -> None:
    """The follower was held at its designed 0: the leader began elsewhere, or nowhere (CB614)."""
    run = simulate(_chain(tmp_path, 0.3), Scenario(duration=0.01, positions=positions, rates={"j2": 1.0}))
    follower = 0.3 - 2 * leader
    assert _first(run) == pytest.approx({"j1": leader, "j2": follower, "j3": 0.05 - 0.1 * follower}, abs=1e-10)
    rates = dict(zip((j.name for j in run.lowered.joints), run.result.trajectory.coordinate_rates[0], strict=True))
    assert rates == pytest.approx({"j1": -0.5, "j2": 1.0, "j3": -0.1}, abs=1e-10)


HELD = """<mujoco><worldbody><body name="a"><joint name="u" axis="0 1 0"/>{0}
  <body name="b" pos=".3 0 0"><joint name="v" axis="0 1 0"/>{0}</body></body></worldbody>
  <equality><joint joint1="u" polycoef="{1} 0 0 0 0"/></equality></mujoco>"""
BOX = '<geom type="box" size=".1 .05 .2"/>'


@pytest.mark.parametrize("positions", [{}, {"v": 0.2}])
def test_a_joint_that_is_held_at_a_value_stands_there_and_moves_no_other(
    positions: dict[str, float], tmp_path: Path
) -> None:
    """The next joint went along, by −0.72 rad."""
    path = tmp_path / "held.xml"
    path.write_text(HELD.format(BOX, 0.4), encoding="utf-8")
    run = simulate(cb.build(cb.read(path)), Scenario(duration=0.01, positions=positions))
    assert _first(run) == pytest.approx({"u": 0.4, "v": positions.get("v", 0.0)}, abs=1e-10)


def test_that_an_engine_begins_with_a_jump_has_a_cure_that_names_no_other_format(tmp_path: Path) -> None:
    """It said to verify as MJCF, where the motion was not tested either."""
    (told,) = (f for f in verify(_chain(tmp_path, 0.3), "urdf").findings if f.code == "CB538")
    assert told.message.endswith("the engine begins with a jump")
    assert told.hint.startswith("No other format helps")
    assert "place the parts" in told.hint


def test_couplings_that_hold_are_not_spoken_of(tmp_path: Path) -> None:
    path = tmp_path / "held.xml"
    path.write_text(HELD.format(BOX, 0), encoding="utf-8")
    assert "CB698" not in {f.code for f in simulate(cb.build(cb.read(path)), Scenario(duration=0.01)).findings}


FIVE_BAR = """<mujoco><worldbody>
<body name="a"><joint name="u" axis="0 1 0"/><geom type="capsule" size=".01" fromto="0 0 0 0 0 .3"/>
 <body name="b" pos="0 0 .3"><joint name="v" axis="0 1 0"/>
  <geom type="capsule" size=".01" fromto="0 0 0 .25 0 .1"/></body></body>
<body name="c" pos=".5 0 0"><joint name="w" axis="0 1 0"/><geom type="capsule" size=".01" fromto="0 0 0 0 0 .3"/>
 <body name="d" pos="0 0 .3"><joint name="x" axis="0 1 0"/>
  <geom type="capsule" size=".01" fromto="0 0 0 -.25 0 .1"/></body></body></worldbody>
<equality><connect body1="b" body2="d" anchor=".25 0 .1"/>
 <joint joint1="w" joint2="u" polycoef="{} -1 0 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize(("offset", "follows"), [(-0.3, False), (0.3, True)])
def test_a_leader_that_cannot_stay_is_told(offset: float, follows: bool, tmp_path: Path) -> None:
    """At 0.3 rad the second crank is out of the rods' reach while the first stands upright: it moved without a word."""
    path = tmp_path / "five.xml"
    path.write_text(FIVE_BAR.format(offset), encoding="utf-8")
    run = simulate(cb.build(cb.read(path)), Scenario(duration=0.01))
    first = _first(run)
    assert first["u"] + first["w"] == pytest.approx(offset, abs=1e-9)
    assert (abs(first["u"]) > 0.1) == follows
    assert "CB698" in {f.code for f in run.findings}
    assert [f.items for f in run.findings if f.code == "CB696"] == ([("u",)] if follows else [])


def test_that_no_small_steps_lead_to_the_couplings_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*given: Any) -> Any:
        found = led(*given)
        return replace(found, status=replace(found.status, ok=False))

    led = initial._led
    monkeypatch.setattr(initial, "_led", lost)
    run = simulate(_chain(tmp_path, 0.3), Scenario(duration=0.01))
    (told,) = (f for f in run.findings if f.code == "CB696")
    assert told.items == ("j3 mimic", "j2 mimic")
    assert "no small steps" in told.message
