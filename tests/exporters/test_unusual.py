"""Unusual machines: plates, joints that stand still, free bodies in a medium. Nothing is lost without a word."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import cadbridge as cb
from cadbridge.exporters import ExportResult
from cadbridge.mechanism import Mechanism

PLATE = """<sdf version="1.9"><model name="m"><link name="a"><pose>0 0 0 {rpy}</pose><inertial>
  <pose>.1 0 .05 {rpy}</pose><mass>1</mass><inertia><ixx>.01</ixx><iyy>.02</iyy><izz>.03</izz></inertia></inertial>
  </link>
  <joint name="u" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


def _read(folder: Path, name: str, text: str) -> Mechanism:
    (folder / name).write_text(text, encoding="utf-8")
    return cb.build(cb.read(folder / name))


def _told(exported: ExportResult, code: str) -> list[str]:
    return [f.message for f in exported.findings if f.code == code]


@pytest.mark.parametrize("rpy", ["0 0 0", ".1 .2 .3", "1 2 3", ".3 .2 .1", "0 1 .5"])
def test_mujoco_takes_a_plate_however_it_stands(rpy: str, tmp_path: Path) -> None:
    """Of a plate A + B = C, which twelve digits break; MuJoCo refused the file."""
    plate = _read(tmp_path, "plate.sdf", PLATE.format(rpy=rpy))
    cb.export(plate, tmp_path / "out", "mjcf")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "robot.xml"))
    assert np.sort(model.body("a").inertia) == pytest.approx([0.01, 0.02, 0.03], rel=1e-9)


HELD = """<mujoco><worldbody><body name="a"><joint name="u" axis="0 1 0"/><geom type="box" size=".1 .05 .2"/></body>
  </worldbody><equality><joint joint1="u" polycoef="0 0 0 0 0"/></equality></mujoco>"""


def test_a_joint_that_stands_still_is_told_in_a_urdf(tmp_path: Path) -> None:
    """Its range of one value holds it in no dynamics, and nothing was said."""
    exported = cb.export(_read(tmp_path, "held.xml", HELD), tmp_path / "out", "urdf")
    (told,) = _told(exported, "CB507")
    assert "u stands still" in told


FREE = """<mujoco><worldbody><body name="a"><joint type="free" damping="2" armature=".3"/>
  <geom type="box" size=".1 .05 .2"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("to", "told"), [("urdf", 1), ("sdf", 1), ("usd", 1), ("mjcf", 0)])
def test_what_acts_on_a_free_body_is_told_where_it_is_lost(to: str, told: int, tmp_path: Path) -> None:
    found = _told(cb.export(_read(tmp_path, "free.xml", FREE), tmp_path / "out", to), "CB529")
    assert len(found) == told
    assert all("damping 2, rotor inertia 0.3" in message for message in found)


PAIR = """<robot name="r"><link name="base"/>{links}
  <joint name="u" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="v" multiplier="-2" offset="0.1"/></joint>
  <joint name="v" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>"""
LINK = """<link name="{}"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


@pytest.mark.parametrize(("to", "written"), [("urdf", '<mimic joint="v" multiplier="-2" offset="0.1"'), ("mjcf", "u")])
def test_who_follows_whom_stays(to: str, written: str, tmp_path: Path) -> None:
    """The follower came first in the file and has limits: the leader was made to follow it, by half and backwards."""
    links = "".join(map(LINK.format, "ab"))
    exported = cb.export(_read(tmp_path, "pair.urdf", PAIR.format(links=links)), tmp_path / "out", to)
    if to == "mjcf":
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "robot.xml"))
        assert model.joint(int(model.eq_obj1id[0])).name == written
        assert model.eq_data[0][:2] == pytest.approx([0.1, -2.0])
    else:
        assert written in next(p for p in exported.directory.rglob("r.urdf")).read_text("utf-8")
