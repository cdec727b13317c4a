"""Limits of joints by moving them: what meets what, followers move with their leaders, loops stop where they must."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
import shapely
from shapely import Polygon
from shapely.affinity import rotate, translate
from typer.testing import CliRunner

import cadbridge as cb
from cadbridge.cli.app import app
from cadbridge.findings import Findings
from cadbridge.jobs.work import Order, perform
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.simulation import Scenario
from cadbridge.simulation.limits import with_limits
from tests.late import cq

BOX = """
  <link name="{name}">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="{at}"/><geometry><box size="{size}"/></geometry></visual>
  </link>"""
HINGE = """
  <joint name="{name}" type="continuous">
    <parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/><axis xyz="0 0 1"/>{more}
  </joint>"""


def robot(*elements: str) -> str:
    return f'<robot name="made">{"".join(elements)}\n</robot>'


def box(name: str, size: str, at: str = "0 0 0") -> str:
    return BOX.format(name=name, size=size, at=at)


def hinge(name: str, parent: str, child: str, at: str = "0 0 0", more: str = "") -> str:
    return HINGE.format(name=name, parent=parent, child=child, at=at, more=more)


LEVER = box("lever", "0.2 0.02 0.02", "0.1 0 0")
POST = box("base", "0.02 0.02 0.02", "0 0.15 0")
"""A post on the y axis, 0.14 to 0.16 m from the hinge of a lever along x."""
MIMIC = '<mimic joint="one" multiplier="-1"/>'
FINGERS = robot(
    box("base", "0.01 0.01 0.01", "0 -0.5 0"),
    box("left", "0.02 0.2 0.02", "0 0.1 0"),
    box("right", "0.02 0.2 0.02", "0 0.1 0"),
    hinge("one", "base", "left", "-0.05 0 0"),
    hinge("two", "base", "right", "0.05 0 0", MIMIC),
)
"""Two fingers along y, 0.1 m apart, that close by the same angle."""


def limited(text: str, folder: Path) -> tuple[Mechanism, Findings]:
    path = folder / "made.urdf"
    path.write_text(text)
    findings = Findings()
    return with_limits(cb.build(cb.read(path)), findings), findings


def ends(joint: Joint) -> tuple[float | None, float | None]:
    """Degrees."""
    assert joint.limit is not None
    found = (joint.limit.lower, joint.limit.upper)
    return tuple(None if x is None else math.degrees(x) for x in found)  # type: ignore[return-value]


FOUR_BAR = """
<mujoco model="four_bar"><worldbody>
  <body name="crank"><joint name="in" axis="0 0 1"/><geom type="box" size="0.005 0.05 0.001" pos="0 0.05 0" mass="1"/>
    <body name="coupler" pos="0 0.1 0.01"><joint name="mid" axis="0 0 1"/>
      <geom type="box" size="0.05 0.005 0.001" pos="0.05 0 0" mass="1"/></body></body>
  <body name="rocker" pos="0.1 0.04 0.02"><joint name="out" axis="0 0 1"/>
    <geom type="box" size="0.005 0.03 0.001" pos="0 0.03 0" mass="1"/></body>
</worldbody>
<equality><connect body1="coupler" body2="rocker" anchor="0.1 0 0"/></equality></mujoco>
"""
"""Crank and coupler of 0.1 m, rocker of 0.06 m; no part is in another's plane."""


def test_a_lever_stops_at_a_post_from_both_sides(tmp_path: Path) -> None:
    mechanism, findings = limited(robot(POST, LEVER, hinge("one", "base", "lever")), tmp_path)
    # Its side, 0.01 m from its axis, meets the post's nearer corner at (0.01, 0.14).
    first = math.degrees(math.atan2(0.14, 0.01) - math.asin(0.01 / math.hypot(0.01, 0.14)))
    assert ends(mechanism.joint("one")) == pytest.approx((-(180 + first), first), abs=0.25)
    assert [(f.code, "lever meets base" in f.message) for f in findings] == [("CB1480", True)]


def test_limits_of_the_source_stay(tmp_path: Path) -> None:
    stopped = hinge("one", "base", "lever", more='<limit lower="-1" upper="1" effort="1" velocity="1"/>')
    text = robot(POST, LEVER, stopped.replace("continuous", "revolute"))
    mechanism, findings = limited(text, tmp_path)
    assert ends(mechanism.joint("one")) == pytest.approx((-math.degrees(1), math.degrees(1)))
    assert not len(findings)


def test_a_follower_moves_with_its_leader(tmp_path: Path) -> None:
    mechanism, _ = limited(FINGERS, tmp_path)
    # Their inner corners meet half way between the hinges: 0.2 sin a + 0.01 cos a = 0.05.
    closed = math.degrees(math.asin(0.05 / math.hypot(0.2, 0.01)) - math.atan2(0.01, 0.2))
    assert ends(mechanism.joint("one"))[0] == pytest.approx(-closed, abs=0.25)
    assert ends(mechanism.joint("two"))[1] == pytest.approx(closed, abs=0.25)


def test_where_a_loop_closes_no_further_is_told_and_is_no_limit(tmp_path: Path) -> None:
    path = tmp_path / "four_bar.xml"
    path.write_text(FOUR_BAR)
    findings = Findings()
    mechanism = with_limits(cb.build(cb.read(path)), findings)
    # Coupler and rocker in line, stretched (0.16 m) and folded (0.04 m), from the law of cosines.
    reach, toward = math.hypot(0.1, 0.04), math.atan2(0.04, 0.1)
    out, fold = (toward + math.acos((0.01 + reach**2 - d**2) / (0.2 * reach)) for d in (0.16, 0.04))
    assert mechanism.joint("in").limit is None
    (told,) = (f.message for f in findings if f.message.startswith("in: its loops close no further than"))
    given = [float(x) for x in re.findall(r"(\S+)°", told)]
    assert given == pytest.approx([math.degrees(fold) - 90, math.degrees(out) - 90], abs=0.25)


SLIDER_CRANK = """
<mujoco model="slider_crank"><worldbody>
  <body name="crank"><joint name="in" axis="0 0 1"/><geom type="box" size="0.005 0.02 0.001" pos="0 0.02 0" mass="1"/>
    <body name="rod" pos="0 0.04 0.01"><joint name="mid" axis="0 0 1"/>
      <geom type="box" size="0.06 0.005 0.001" pos="0.06 0 0" mass="1"/></body></body>
  <body name="piston" pos="0.12 0.04 0.02"><joint name="out" type="slide" axis="1 0 0"/>
    <geom type="box" size="0.01 0.01 0.001" mass="1"/></body>
</worldbody>
<equality><connect body1="rod" body2="piston" anchor="0.12 0 0"/></equality></mujoco>
"""
"""A crank of 0.04 m, a rod of 0.12 m and a piston beside the crank's axis."""


@pytest.mark.parametrize(("text", "crank"), [(FOUR_BAR, "out"), (SLIDER_CRANK, "in")])
def test_stops_let_a_crank_turn_round_past_the_dead_centres_of_its_follower(
    text: str, crank: str, tmp_path: Path
) -> None:
    """The follower had stops a little short of its dead centres, which held the crank there."""
    (tmp_path / "made.xml").write_text(text)
    findings = Findings()
    mechanism = with_limits(cb.build(cb.read(tmp_path / "made.xml")), findings)
    assert f"{crank}: turns all round, and nothing collides" in {f.message for f in findings}
    still = {"gravity": (0.0, 0.0, 0.0), "duration": 40.0, "rate": 5.0}
    run = cb.simulate(mechanism, Scenario(rates={crank: math.radians(10)}, limits="stop", **still))  # type: ignore[arg-type]
    column = [j.name for j in run.lowered.joints].index(crank)
    assert np.ptp(run.result.trajectory.coordinates[:, column]) > math.tau
    assert "CB612" not in {f.code for f in run.findings}


def four_bar_at(crank: float) -> tuple[float, float]:
    """The angles of the coupler and the rocker of `FOUR_BAR` where its crank turned so far, degrees from the design."""
    tip = 0.1 * np.array([-math.sin(math.radians(crank)), math.cos(math.radians(crank))])
    way = np.array([0.1, 0.04]) - tip
    far = float(np.linalg.norm(way))
    # The coupler of 0.1 m turns from the line to the rocker's hinge up to the rocker's tip: law of cosines.
    inner = math.acos((0.01 + far**2 - 0.0036) / (0.2 * far))
    coupler = math.atan2(way[1], way[0]) + inner
    end = tip + 0.1 * np.array([math.cos(coupler), math.sin(coupler)]) - (0.1, 0.04)
    return math.degrees(coupler), math.degrees(math.atan2(-end[0], end[1]))


def bar(length: float, at: tuple[float, float], angle: float) -> Polygon:
    return translate(rotate(shapely.box(0, -0.005, length, 0.005), angle, origin=(0, 0)), *at)


def test_each_joint_of_a_loop_stops_where_the_loop_does_by_a_fine_sweep(tmp_path: Path) -> None:
    """Joints of one loop lead the same motion: what one found free is not looked at again."""
    posts = [(-0.03, 0.1), (0.13, 0.1)]
    solid = "".join(f'<geom type="box" size="0.005 0.02 0.001" pos="{x} {y} 0.01"/>' for x, y in posts)
    path = tmp_path / "four_bar.xml"
    path.write_text(FOUR_BAR.replace("<worldbody>", f"<worldbody>{solid}"))
    joints = {j.name: j for j in with_limits(cb.build(cb.read(path)), Findings()).joints}
    stops = []
    for way in (-1, 1):
        crank = 0.0
        while True:
            tip = (-0.1 * math.sin(math.radians(crank)), 0.1 * math.cos(math.radians(crank)))
            coupler = bar(0.1, tip, four_bar_at(crank)[0])
            if any(coupler.intersects(shapely.box(x - 0.005, y - 0.02, x + 0.005, y + 0.02)) for x, y in posts):
                break
            crank += 0.02 * way
        stops.append(crank)
    assert ends(joints["in"]) == pytest.approx(tuple(stops), abs=0.35)
    for name, values in (
        ("out", [four_bar_at(crank)[1] for crank in stops]),
        ("mid", [four_bar_at(crank)[0] - crank for crank in stops]),
    ):
        assert ends(joints[name]) == pytest.approx(tuple(sorted(values)), abs=0.5), name


def test_nothing_to_meet_is_no_limit(tmp_path: Path) -> None:
    far = box("base", "0.02 0.02 0.02", "0 0.5 0")
    mechanism, findings = limited(robot(far, LEVER, hinge("one", "base", "lever")), tmp_path)
    assert mechanism.joint("one").limit is None
    assert ["turns all round" in f.message for f in findings] == [True]


def test_a_joint_that_cannot_move_is_told(tmp_path: Path) -> None:
    wall = ("0.02 0.5 0.02", "0.1 0.2602 0")
    held = robot(box("base", *wall), LEVER, box("other", wall[0], "0.1 -0.2602 0"), hinge("one", "base", "lever"),
                 '<joint name="fixed" type="fixed"><parent link="base"/><child link="other"/></joint>')  # fmt: skip
    mechanism, findings = limited(held, tmp_path)
    assert mechanism.joint("one").limit is None
    assert [(f.code, "cannot move" in f.message) for f in findings] == [("CB1481", True)]


@pytest.mark.parametrize("to", ["urdf", "mjcf"])
def test_convert_writes_them(to: str, tmp_path: Path) -> None:
    source = tmp_path / "made.urdf"
    source.write_text(robot(POST, LEVER, hinge("one", "base", "lever")))
    result = CliRunner().invoke(app, ["convert", str(source), "--to", to, "--limits", "-o", str(tmp_path / "out")])
    assert result.exit_code == 0
    assert "CB1480: one: lower limit" in result.stderr
    again = next(p for p in (tmp_path / "out").rglob("*") if p.name in ("made.urdf", "robot.xml"))
    lower, upper = ends(cb.build(cb.read(again)).joint("one"))
    assert lower == pytest.approx(-262, abs=1)
    assert upper == pytest.approx(82, abs=1)


def swinging(file: Path) -> None:
    """A lever on the post of a foot, with a wall behind it."""
    foot = cq.Workplane().box(400, 400, 20, centered=(True, True, False)).union(cq.Workplane().circle(20).extrude(80))
    foot = foot.union(cq.Workplane().box(20, 100, 80, centered=(True, True, False)).translate((-100, 0, 0)))
    lever = cq.Workplane().box(200, 30, 20, centered=(False, True, False)).union(cq.Workplane().circle(40).extrude(20))
    lever = lever.cut(cq.Workplane().circle(20.1).extrude(20))
    made = cq.Assembly(name="made").add(foot, name="foot")
    made.add(lever, name="lever", loc=cq.Location(cq.Vector(0, 0, 20))).export(str(file))


@pytest.mark.parametrize("command", ["convert --to urdf", "simulate --duration 0.01"])
def test_what_was_recognised_has_the_limits_that_recognise_proposes(command: str, tmp_path: Path) -> None:
    swinging(file := tmp_path / "made.step")
    name, *more = command.split()
    args = [name, str(file), "--recognise", "--density", "7850", *more, "-o"]
    told = CliRunner().invoke(app, [*args, str(tmp_path / ("one.csv" if name == "simulate" else "one"))])
    assert told.exit_code == 0, told.output
    (line,) = (line for line in told.output.splitlines() if "CB1480: lever: lower limit" in line)
    said = sorted(abs(float(x)) for x in re.findall(r"limit (\S+)°", line))
    given = re.search(r"limits: {lower: (\S+), upper: (\S+)}", CliRunner().invoke(app, ["recognise", str(file)]).output)
    assert given is not None
    assert said == pytest.approx(sorted(abs(float(x)) for x in given.groups()), abs=0.1)
    without = CliRunner().invoke(
        app, [*args, str(tmp_path / ("two.csv" if name == "simulate" else "two")), "--no-limits"]
    )
    assert without.exit_code == 0
    assert "CB1480" not in without.output


def test_an_export_with_limits_that_were_found_is_verified_against_its_source(tmp_path: Path) -> None:
    swinging(file := tmp_path / "made.step")
    how = ["--recognise", "--density", "7850"]
    written = CliRunner().invoke(app, ["convert", str(file), *how, "--to", "mjcf", "-o", str(tmp_path / "one")])
    assert written.exit_code == 0, written.output
    args = ["verify", str(tmp_path / "one"), "--to", "mjcf", "--against", str(file), *how]
    same = CliRunner().invoke(app, args)
    assert same.exit_code == 0, same.output
    without = CliRunner().invoke(app, [*args, "--no-limits"])
    assert without.exit_code == 1
    assert "CB530" in without.output


@pytest.mark.parametrize(("wished", "found"), [(None, True), (False, False), (True, True)])
def test_a_job_gives_what_was_recognised_its_limits_too(wished: bool | None, found: bool, tmp_path: Path) -> None:
    swinging(file := tmp_path / "made.step")
    options = {"recognise": True, "density": 7850.0, "to": "urdf"} | ({} if wished is None else {"limits": wished})
    (tmp_path / "out").mkdir()
    findings = perform(Order("convert", str(file), options, tmp_path / "out"))
    assert ("CB1480" in {f.code for f in findings}) is found
