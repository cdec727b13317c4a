"""Each freedom moved: stops, joints that cannot move, loops, and limits that the mates file carries."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cadbridge as cb
from cadbridge.cli.app import app
from cadbridge.mechanism import build
from cadbridge.recognition import Recognition, mates_text, move_each, recognise
from cadbridge.recognition.choice import sweep
from cadbridge.recognition.hints import Hints, Told
from cadbridge.simulation.limits import of_recognised
from tests.late import cq
from tests.recognition.solids import Parts, box, disc, recognised


def lever_and_posts(folder: Path, angles: list[float], radius: float = 4.0, more: Parts | None = None) -> Path:
    """A lever along x on a boss at the origin, round posts on the base at angles (degrees) and 50 mm away, and more."""
    base = cq.Workplane().box(160, 160, 10, centered=(True, True, False))
    base = base.union(cq.Workplane().workplane(offset=10).circle(5).extrude(8))
    for angle in angles:
        x, y = 50 * math.cos(math.radians(angle)), 50 * math.sin(math.radians(angle))
        base = base.union(cq.Workplane().workplane(offset=10).center(x, y).circle(radius).extrude(8))
    lever = cq.Workplane().box(70, 10, 8, centered=(False, True, False)).translate((-10, 0, 0))
    lever = lever.cut(cq.Workplane().circle(5.05).extrude(8))
    made = cq.Assembly(name="made").add(base, name="base").add(lever, name="lever", loc=cq.Location((0, 0, 10)))
    for name, (shape, place) in (more or {}).items():
        made.add(shape, name=name, loc=cq.Location(place))
    file = folder / "made.step"
    made.export(str(file))
    return file


def moved(file: Path, limits: bool = True) -> Recognition:
    found = move_each(recognise(cb.read(file)))
    return of_recognised(found) if limits else found


def touching(post: float, radius: float = 4.0) -> float:
    """The angle at which the lever's side (half its width 5 mm) meets a post, degrees."""
    return post - math.degrees(math.asin((5 + radius) / 50))


def test_a_lever_stops_at_its_posts(tmp_path: Path) -> None:
    (joint,) = moved(lever_and_posts(tmp_path, [60, -110])).joints
    assert joint.axis is not None
    assert joint.limit is not None
    assert joint.motion is not None
    way = 1.0 if joint.axis[2] > 0 else -1.0
    ends = sorted(way * math.degrees(x) for x in (joint.limit.lower or 0.0, joint.limit.upper or 0.0))
    # Meshes are off by some tenths of a millimetre at 50 mm: the stop is felt half a degree late.
    assert ends == pytest.approx([-touching(110), touching(60)], abs=1.0)
    assert "lever meets base" in joint.motion.reason


def test_the_mates_file_carries_the_limits_the_right_way_round(tmp_path: Path) -> None:
    file = lever_and_posts(tmp_path, [60])
    found = moved(file)
    mates = tmp_path / "limits.mates.yaml"
    mates.write_text(mates_text(found))
    (joint,) = build(cb.read(file, mates=mates)).joints
    assert joint.limit is not None
    axis = joint.X_AJ.R[:, 2]
    upper = joint.limit.upper if axis[2] > 0 else joint.limit.lower
    other = joint.limit.lower if axis[2] > 0 else joint.limit.upper
    assert joint.a == -1
    assert math.degrees(abs(upper or 0.0)) == pytest.approx(touching(60), abs=1.0)
    # The other way round the lever meets the same post from behind.
    assert math.degrees(abs(other or 0.0)) == pytest.approx(360 - 60 - math.degrees(math.asin(9 / 50)), abs=1.0)


def test_a_free_lever_turns_all_round(tmp_path: Path) -> None:
    (joint,) = moved(lever_and_posts(tmp_path, [])).joints
    assert joint.limit is None
    assert joint.motion is not None
    assert joint.motion.state == "free"


@pytest.mark.parametrize(("name", "ends"), [("GT2 belt", False), ("post", True)])
def test_a_belt_ends_no_travel(tmp_path: Path, name: str, ends: bool) -> None:
    post = cq.Workplane().circle(4).extrude(8)
    (joint,) = moved(lever_and_posts(tmp_path, [], more={name: (post, (25, 43.3, 10))})).joints
    assert (joint.limit is not None) is ends


def test_a_lever_caught_between_posts_is_a_weld_and_as_a_joint_that_was_told_cannot_move(tmp_path: Path) -> None:
    gap = math.degrees(math.asin((5 + 4 + 0.05) / 50))
    file = lever_and_posts(tmp_path, [gap, -gap])
    found = moved(file)
    assert not found.joints
    (reason,) = {bond.reason for body in found.bodies for bond in body.bonds}
    assert "it could not move: " in reason
    told = recognise(cb.read(file), hints=Hints().having("joint", (("base", "lever"),)))
    for found in (move_each(told), of_recognised(move_each(told))):
        (joint,) = found.joints
        assert joint.motion is not None
        assert joint.motion.state == "blocked"
        assert [f.code for f in found.findings if f.code in ("CB1610", "CB1611")] == ["CB1610"]


def test_a_loop_is_not_moved_and_says_so(tmp_path: Path) -> None:
    def link(length: float) -> cq.Workplane:
        bar = cq.Workplane().box(length + 20, 16, 6, centered=(True, True, False))
        return bar.faces(">Z").workplane().pushPoints([(-length / 2, 0), (length / 2, 0)]).hole(8)

    made = cq.Assembly(name="made")
    made.add(link(100), name="low").add(link(100), name="top", loc=cq.Location((0, 60, 0)))
    for k, x in enumerate((-50, 50)):
        side = link(60).rotate((0, 0, 0), (0, 0, 1), 90)
        made.add(side, name=f"side{k}", loc=cq.Location((x, 30, 6)))
        for m, y in enumerate((0, 60)):
            made.add(cq.Workplane().circle(4).extrude(12), name=f"pin{k}{m}", loc=cq.Location((x, y, 0)))
    made.export(str(tmp_path / "made.step"))
    found = moved(tmp_path / "made.step", limits=False)
    states = {j.motion.state for j in found.joints if j.motion is not None}
    assert "untested" in states
    assert any(f.code == "CB1611" and "closed loop" in f.message for f in found.findings)


def test_the_command_writes_limits_with_the_parts_that_meet_unless_it_is_told_not_to(tmp_path: Path) -> None:
    file = lever_and_posts(tmp_path, [60])
    plain = CliRunner().invoke(app, ["recognise", str(file)])
    bare = CliRunner().invoke(app, ["recognise", str(file), "--no-limits"])
    assert plain.exit_code == bare.exit_code == 0
    assert "limits: {" in plain.stdout
    assert "# lower end: lever meets base" in plain.stdout
    assert "# upper end: lever meets base" in plain.stdout
    assert "limits:" not in bare.stdout
    assert "# moved: moves a little both ways" in bare.stdout


def test_joints_that_the_work_does_not_reach_are_named(tmp_path: Path) -> None:
    found = of_recognised(move_each(recognise(cb.read(lever_and_posts(tmp_path, [60])))), triangles=0.0)
    (joint,) = found.joints
    assert joint.limit is None
    assert [f.items for f in found.findings if f.code == "CB1650"] == [(joint.name,)]


def test_an_end_belongs_to_its_limit_where_the_mechanism_counts_the_other_way(tmp_path: Path) -> None:
    """Of a lever between a near and a far post each end is a post of its own name, whichever way its axis points."""
    base = cq.Workplane().box(160, 160, 10, centered=(True, True, False)).union(cylinder(0.0, 5))
    made = cq.Assembly(name="made").add(base, name="base")
    lever = cq.Workplane().box(70, 10, 8, centered=(False, True, False)).translate((-10, 0, 0))
    made.add(lever.cut(cq.Workplane().circle(5.05).extrude(8)), name="lever", loc=cq.Location((0, 0, 10)))
    for name, angle in (("left", 60.0), ("right", -110.0)):
        made.add(cylinder(angle, 4), name=name)
    made.export(str(tmp_path / "made.step"))
    (joint,) = moved(tmp_path / "made.step").joints
    assert joint.limit is not None
    assert joint.motion is not None
    for value, end in zip((joint.limit.lower, joint.limit.upper), joint.motion.ends, strict=True):
        assert value is not None
        assert end == f"lever meets {'left' if abs(value) < 1.2 else 'right'}"


def cylinder(angle: float, radius: float) -> cq.Workplane:
    """A post on the base at an angle (degrees) and 50 mm from the middle; a boss in the middle for 0."""
    x, y = (50 * math.cos(math.radians(angle)), 50 * math.sin(math.radians(angle))) if angle else (0.0, 0.0)
    return cq.Workplane().workplane(offset=10).center(x, y).circle(radius).extrude(8)


def test_a_pin_in_the_slot_of_what_turns_itself_is_not_blocked_by_it(tmp_path: Path) -> None:
    base = cq.Workplane().box(160, 80, 10, centered=(True, True, False))
    for x in (-30, 30):
        base = base.union(cq.Workplane().workplane(offset=10).center(x, 0).circle(5).extrude(20))
    bar = cq.Workplane().box(80, 20, 8, centered=(True, True, False)).translate((-10, 0, 0))
    slotted = bar.cut(cq.Workplane().center(-30, 0).circle(5.05).extrude(8)).cut(
        cq.Workplane().box(20, 8.1, 8, centered=(True, True, False)).translate((10, 0, 0))
    )
    crank = cq.Workplane().box(40, 20, 8, centered=(True, True, False)).translate((20, 0, 0))
    crank = crank.cut(cq.Workplane().center(30, 0).circle(5.05).extrude(8))
    crank = crank.union(cq.Workplane().center(10, 0).circle(4).extrude(-9))
    made = cq.Assembly(name="made").add(base, name="base")
    made.add(slotted, name="slotted", loc=cq.Location((0, 0, 10))).add(crank, name="crank", loc=cq.Location((0, 0, 19)))
    made.export(str(tmp_path / "made.step"))
    found = moved(tmp_path / "made.step", limits=False)
    assert len(found.bodies) == 3
    assert sorted(round(1e3 * float(joint.point[0])) for joint in found.joints) == [-30, 30]
    assert not [f for f in found.findings if f.code == "CB1610"]
    # What a person takes as the ground changes neither joints nor bodies.
    for ground in ("slotted", "crank"):
        other = recognise(cb.read(tmp_path / "made.step"), hints=Hints(ground=ground))
        assert other.bodies[other.ground].name == ground
        assert len(other.joints) == 2
        assert other.freedoms == found.freedoms


def test_a_ball_moves_with_no_hinge_as_one_body_would(tmp_path: Path) -> None:
    """What it runs into may have a hinge of its own, by which it moves out of the way."""
    base = box(60, 60, 20).translate((0, 0, -20)).cut(cq.Workplane().sphere(8))
    base = base.union(disc(4, 15).translate((20, 20, 0)))
    lever = box(80, 10, 6).translate((30, 0, 0)).cut(disc(4, 6))
    stick = cq.Workplane().sphere(8).union(box(6, 6, 80))
    made = {"base": (base, (0.0, 0.0, 0.0)), "stick": (stick, (0.0, 0.0, 0.0)), "lever": (lever, (20.0, 20.0, 0.0))}
    hinge, ball = sorted(recognised(tmp_path, made).joints, key=lambda j: j.type)
    assert (hinge.type, ball.type) == ("revolute", "spherical")
    assert sweep._together(hinge, hinge)
    assert not sweep._together(ball, hinge)
    assert not sweep._together(hinge, ball)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_what_is_carried_by_a_ball_has_no_limit_of_the_ball(tmp_path: Path, kind: str) -> None:
    """As the weight was moved the horn gave way about its ball and met the base: the weight had a range of ±30.3°."""
    horn = disc(4, 20).union(box(40, 12, 5).translate((0, 0, 20)))
    parts: Parts = {
        "base": (box(60, 60, 20).cut(disc(4, 20)), (0, 0, 0)),
        "horn": (horn, (0, 0, 5)),
        "weight": (box(8, 8, 8), (15, 0, 30)),
    }
    recognised(tmp_path, parts)
    said = Hints().having("joint", [("base", "horn")], Told("spherical"))
    said = said.having("joint", [("horn", "weight")], Told(kind, point=(0.015, 0.0, 0.03), axis=(0.0, 0.0, 1.0)))
    found = of_recognised(recognise(cb.read(tmp_path / "made.step"), hints=said))
    (weight,) = [j for j in found.joints if j.type == kind]
    assert weight.motion is not None
    assert not any("base" in end for end in weight.motion.ends)
    assert weight.limit is None or kind == "prismatic"
