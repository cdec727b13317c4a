"""What a person says of two parts becomes a joint, also where the geometry shows none by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.recognition import Recognition, recognise
from cadbridge.recognition.hints import Hints, Pair, Told
from cadbridge.recognition.writing.mates_text import freedoms_text, mates_text
from tests.late import cq
from tests.recognition.solids import Parts, at, box, disc, joints, plate, read, recognised, with_block

JOINT = Hints().having("joint", (("base", "part"),))


def told(folder: Path, parts: Parts, hints: Hints = JOINT) -> Recognition:
    made = cq.Assembly(name="made")
    for name, (shape, place) in parts.items():
        made.add(shape, name=name, loc=at(*place))
    return read(folder, made, hints)


def in_a_groove(long: float) -> Parts:
    """A block in a groove along x, 20 mm wide and open at both ends."""
    base = box(120, 60, 20).cut(box(120, 20, 10).translate((0, 0, 10)))
    return {"base": (base, (0, 0, 0)), "part": (box(long, 20, 14), (10, 0, 10))}


def test_what_stands_between_walls_slides_along_them(tmp_path: Path) -> None:
    parts = in_a_groove(12)
    assert joints(told(tmp_path, parts, Hints())) == {}  # shorter than it is wide, it would jam: a seat
    found = told(tmp_path, parts)
    (joint,) = found.joints
    assert (joint.type, found.freedoms) == ("prismatic", 1)
    assert joint.axis is not None
    assert abs(joint.axis[0]) == pytest.approx(1.0)
    assert "along faces that both share" in joint.evidence
    assert "CB1642" not in {f.code for f in found.findings}


def test_a_stop_on_one_side_is_none_on_the_other(tmp_path: Path) -> None:
    base = box(120, 60, 20).cut(box(60, 20, 10).translate((30, 0, 10)))  # the groove ends in the middle
    parts: Parts = {"base": (base, (0, 0, 0)), "part": (box(12, 20, 14), (6, 0, 10))}
    (joint,) = told(tmp_path, parts).joints
    assert joint.type == "prismatic"
    assert joint.axis is not None
    assert abs(joint.axis[0]) == pytest.approx(1.0)


def test_a_drawer_slides_along_what_stands_before_its_faces(tmp_path: Path) -> None:
    """It touches nothing, and has no two walls of one part before it: each wall of the cabinet is a part."""
    parts: Parts = {
        "base": (box(200, 5, 60), (0, 55, 0)),
        "right": (box(200, 5, 60), (0, -55, 0)),
        "floor": (box(200, 105, 5), (0, 0, -5)),
        "back": (box(5, 105, 60), (-102, 0, 0)),
        "part": (box(196, 102, 40), (0, 0, 1)),
    }
    slide = Hints().having("joint", (("base", "part"),), Told("prismatic"))
    (joint,) = told(tmp_path, parts, slide).joints
    assert joint.type == "prismatic"
    assert joint.axis is not None
    assert abs(joint.axis[0]) == pytest.approx(1.0)
    assert "along faces that stand before its own" in joint.evidence


def test_on_a_floor_alone_there_is_no_way(tmp_path: Path) -> None:
    parts: Parts = {"base": (box(120, 60, 20), (0, 0, 0)), "part": (box(12, 20, 14), (10, 0, 20))}
    found = told(tmp_path, parts)
    assert found.joints == ()
    (why,) = [f for f in found.findings if f.code == "CB1642"]
    assert set(why.items) == {"base", "part"}
    assert "faces that guide a slide" in why.message
    assert "`about: pin`" in why.hint
    ball = told(tmp_path, parts, Hints().having("joint", (("base", "part"),), Told("spherical")))
    (why,) = [f for f in ball.findings if f.code == "CB1642"]
    assert "no ball or socket" in why.message
    assert "slide" not in why.message
    assert "`point`" in why.hint
    assert "about" not in why.hint


def test_of_a_part_without_shape_no_axis_is_missed(tmp_path: Path) -> None:
    made = told(tmp_path, {"base": (box(120, 60, 20), (0, 0, 0)), "part": (box(12, 20, 14), (10, 0, 20))}).assembly
    made = replace(made, parts=tuple(replace(p, shape=None) if p.name == "part" else p for p in made.parts))
    (why,) = [f for f in recognise(made, hints=JOINT).findings if f.code == "CB1642"]
    assert "part has no faces to go by" in why.message
    assert "`point`" in why.hint
    assert "about" not in why.hint


def test_a_round_part_on_a_plate_turns_about_its_own_axis(tmp_path: Path) -> None:
    parts: Parts = {"base": (plate(80, 50, 10, [(-20, 0)], 3), (0, 0, 0)), "part": (disc(12, 6), (15, 5, 10))}
    assert joints(told(tmp_path, parts, Hints())) == {}
    found = told(tmp_path, parts)
    (joint,) = found.joints
    assert (joint.type, found.freedoms) == ("revolute", 1)
    assert np.linalg.norm(joint.point[:2] - (0.015, 0.005)) < 1e-6
    assert "the axis of the one that is round outside" in joint.evidence
    both = Hints().having("joint", (("base", "part"),), Told("cylindrical"))
    (joint,) = told(tmp_path, parts, both).joints
    assert joint.type == "cylindrical"
    assert np.linalg.norm(joint.point[:2] - (0.015, 0.005)) < 1e-6


@pytest.mark.parametrize(
    ("pin", "why"),
    [("spindle", "the axis of spindle0, a round part that both touch"), ("screw_M8", "the bolt through both")],
)
@pytest.mark.parametrize(("places", "hinges"), [(((30, 0),), 1), (((30, 0), (45, 0)), 0)])
def test_parts_without_holes_turn_about_the_one_pin_or_screw_that_is_drawn_into_both(
    tmp_path: Path, pin: str, why: str, places: tuple[tuple[float, float], ...], hinges: int
) -> None:
    """What the person said was not used."""
    parts: Parts = {"base": (box(120, 60, 10), (0, 0, 0)), "part": (box(60, 20, 8), (30, 0, 10))}
    parts |= {f"{pin}{k}": (disc(4, 26), (x, y, -4)) for k, (x, y) in enumerate(places)}
    assert joints(told(tmp_path, parts, Hints())) == {}
    found = told(tmp_path, parts)
    assert [j.type for j in found.joints] == ["revolute"] * hinges
    assert ("CB1642" in {f.code for f in found.findings}) == (not hinges)
    for joint in found.joints:
        assert np.linalg.norm(joint.point[:2] - (0.030, 0.0)) < 1e-6
        assert why in joint.evidence


def test_a_slide_takes_faces_before_a_round_axis(tmp_path: Path) -> None:
    parts = in_a_groove(12)
    hole = cq.Workplane().circle(3).extrude(40)
    base, (block, place) = parts["base"][0].cut(hole.translate((10, 0, 0))), parts["part"]
    parts = {"base": (base, (0, 0, 0)), "part": (block.cut(hole), place)}
    assert [j.type for j in told(tmp_path, parts).joints] == ["revolute"]  # the one axis that both are round about
    slide = Hints().having("joint", (("base", "part"),), Told("prismatic"))
    (joint,) = told(tmp_path, parts, slide).joints
    assert joint.type == "prismatic"
    assert joint.axis is not None
    assert abs(joint.axis[0]) == pytest.approx(1.0)


def test_what_nothing_shows_is_not_used_and_said(tmp_path: Path) -> None:
    """A hint that nothing came of held its parts apart: a body floated that had been held before."""
    parts: Parts = {"base": (box(120, 60, 20), (0, 0, 0)), "part": (box(12, 20, 14), (10, 0, 20))}
    without = told(tmp_path, parts, Hints())
    found = told(tmp_path, parts)
    assert [b.instances for b in found.bodies] == [b.instances for b in without.bodies]
    assert found.freedoms == without.freedoms == 0
    assert [f.code for f in found.findings if f.code == "CB1642"] == ["CB1642"]
    assert found.hints == JOINT  # it stays in the file


@pytest.mark.parametrize("other", [(), (("cover", "block"),)])
def test_a_joint_of_other_parts_is_not_taken_for_what_was_said(tmp_path: Path, other: tuple[Pair, ...]) -> None:
    """The block was left on the base, so that the arm's hinge was between the bodies of both, and became a slide."""
    without = recognised(tmp_path, with_block())
    slide = Hints().having("joint", (("arm", "block"),), Told("prismatic"))
    found = recognise(cb.read(tmp_path / "made.step"), hints=slide.having("joint", other))
    assert [f.code for f in found.findings if f.code == "CB1642"] == ["CB1642"] * (1 + len(other))
    assert joints(found) == joints(without) == {frozenset(("base", "arm")): "revolute"}
    assert found.body_of["block"] == found.body_of["arm"]


def test_a_part_is_called_by_any_piece_of_its_path(tmp_path: Path) -> None:
    """FreeCAD shows the name of a link, which stands amid the path: top/wheel/Body."""
    inner = cq.Assembly(name="wheel").add(disc(12, 6), name="body")
    middle = cq.Assembly(name="axle").add(inner, name="wheel")
    made = cq.Assembly(name="made").add(plate(80, 50, 10, [(-20, 0)], 3), name="base")
    made.add(middle, name="axle", loc=at(15, 5, 10))
    found = read(tmp_path, made, Hints().having("joint", (("base", "wheel"),)))
    assert [j.type for j in found.joints] == ["revolute"]
    assert not {"CB1640", "CB1642"} & {f.code for f in found.findings}


def test_what_the_source_grounds_stands_still(tmp_path: Path) -> None:
    """Another ground beside it would lock what is between the two: 1 degree of freedom in recognise, 0 in check."""
    axle = disc(5, 30).union(disc(9, 5).translate((0, 0, 10)))
    parts: Parts = {"base": (plate(80, 50, 10, [(0, 0)], 5), (0, 0, 0)), "part": (axle, (0, 0, 0))}
    made = told(tmp_path, parts, Hints()).assembly
    for name in ("base", "part"):
        components = tuple(replace(c, grounded=name in c.instances) for c in made.components)
        found = recognise(replace(made, components=components))
        assert name in found.bodies[found.ground].instances
        assert (len(found.joints), found.freedoms) == (1, 1)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_of_machines_beside_each_other_none_floats_whichever_is_the_ground(tmp_path: Path, k: int) -> None:
    """They touch nothing of each other: without the hint they stand on one ground, and so they do with it."""
    base, lever = box(40, 40, 10).union(disc(4, 20)), box(40, 12, 5).translate((14, 0, 0)).cut(disc(4, 5))
    parts: Parts = {f"base{n}": (base, (100 * n, 0, 0)) for n in range(3)}
    parts |= {f"lever{n}": (lever, (100 * n, 0, 10)) for n in range(3)}
    found = told(tmp_path, parts, Hints(ground=f"base{k}"))
    assert found.freedoms == 3
    assert {f"base{n}" for n in range(3)} <= set(found.bodies[found.ground].instances)
    (held,) = (f for f in found.findings if f.code == "CB1602")
    assert held.message.endswith(f"the ground, base{k}")
    assert f"ground:\n  - base{k}  # you said so (hints)\n" in mates_text(found)
    assert f"base{k}" not in held.items


def test_a_rocker_turns_on_the_ridge_that_it_lies_on(tmp_path: Path) -> None:
    """A groove of half a circle on a narrower ridge, whose middles are half a millimetre beside each other."""
    ridge = cq.Workplane("YZ").circle(2).extrude(60, both=True).translate((0, 0, 10))
    groove = cq.Workplane("YZ").circle(2.5).extrude(60, both=True).translate((0, 0, 9.5))
    base = box(100, 60, 10).union(ridge.intersect(box(100, 60, 20)))
    rocker = box(80, 50, 8).translate((0, 0, 10.5)).cut(groove)
    parts: Parts = {"base": (base, (0, 0, 0)), "part": (rocker, (0, 0, 0))}
    (joint,) = told(tmp_path, parts).joints
    assert joint.type == "revolute"
    assert "round faces of both, nearly on one line" in joint.evidence
    assert joint.axis is not None
    assert abs(joint.axis[0]) == pytest.approx(1.0)
    assert joint.point[2] == pytest.approx(0.01)


def test_eyes_that_are_placed_by_hand_turn_amid_their_holes(tmp_path: Path) -> None:
    eye = box(40, 6, 3).union(disc(3, 3).translate((20, 0, 0))).cut(disc(1, 3).translate((20, 0, 0)))
    parts: Parts = {"base": (eye, (0, 0, 0)), "part": (eye, (0.6, 1.0, 4.0))}
    (joint,) = told(tmp_path, parts).joints
    assert joint.type == "revolute"
    assert np.linalg.norm(joint.point[:2] - (0.0203, 0.0005)) < 1e-6


def test_eyes_that_are_askew_turn_about_the_middle_of_their_axes(tmp_path: Path) -> None:
    """By 2.3°, as the solver of a CAD system left them: their centres are one, their directions are not."""
    eye = box(40, 6, 3).union(disc(3, 3).translate((20, 0, 0))).cut(disc(1, 3).translate((20, 0, 0)))
    turned = eye.rotate((20, 0, 3), (20, 1, 3), 2.3).translate((0, 0, 3.1))
    (joint,) = told(tmp_path, {"base": (eye, (0, 0, 0)), "part": (turned, (0, 0, 0))}).joints
    assert joint.type == "revolute"
    assert joint.axis is not None
    half = np.deg2rad(2.3) / 2
    np.testing.assert_allclose(joint.axis * np.sign(joint.axis[2]), (np.sin(half), 0.0, np.cos(half)), atol=1e-6)


def test_a_ball_is_in_the_socket_that_is_nearest_to_the_other(tmp_path: Path) -> None:
    """Neither the ball nor its screw is drawn."""
    socket = cq.Workplane().sphere(4).translate((30, 0, 6))
    link = box(80, 12, 12).cut(socket).cut(socket.translate((-60, 0, 0)))
    parts: Parts = {"base": (plate(40, 40, 5, [(0, 0)], 1.5), (30, 0, -6)), "part": (link, (0, 0, 0))}
    ball = Hints().having("joint", (("base", "part"),), Told("spherical"))
    found = told(tmp_path, parts, ball)
    (joint,) = found.joints
    assert (joint.type, found.freedoms) == ("spherical", 3)
    assert np.linalg.norm(joint.point - (0.03, 0.0, 0.006)) < 1e-6


def test_a_ball_stays_where_it_is_whatever_part_a_hint_names_for_its_axis(tmp_path: Path) -> None:
    base = box(60, 60, 20).translate((0, 0, -20)).cut(cq.Workplane().sphere(8))
    parts: Parts = {"base": (base, (0, 0, 0)), "part": (cq.Workplane().sphere(8).union(disc(3, 40)), (0, 0, 0))}
    (joint,) = told(tmp_path, parts, Hints().having("joint", (("base", "part"),), Told(about="part"))).joints
    assert joint.type == "spherical"
    np.testing.assert_allclose(joint.point, 0.0, atol=1e-9)


def test_a_joint_that_becomes_that_of_a_hint_is_what_was_said(tmp_path: Path) -> None:
    """An arm turns on a bracket that touches nothing, and so stands on the base; the hint names arm and base."""
    parts: Parts = {
        "base": (box(300, 300, 20), (0, 0, -400)),
        "bracket": (box(40, 40, 40).cut(disc(5, 40)), (0, 0, 0)),
        "part": (plate(60, 20, 5, [(0, 0)], 5).union(disc(4.98, 30).translate((0, 0, -30))), (0, 0, 40)),
    }
    found = told(tmp_path, parts)
    (joint,) = found.joints
    assert "you said so (hints)" in joint.evidence
    assert joint.confidence == 1.0


def test_of_a_robot_of_meshes_its_own_mates_are_known(tmp_path: Path) -> None:
    """It was said that nothing can be known of how it moves, beside the joints that it has."""
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{n}">{mass}</link>' for n in ("base", "arm", "hand"))
    hinge = '<joint name="{0}" type="continuous"><parent link="base"/><child link="{0}"/><axis xyz="0 0 1"/></joint>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{links}{hinge.format("arm")}{hinge.format("hand")}</robot>')
    found = recognise(cb.read(tmp_path / "r.urdf"))
    said = {f.code: f.message for f in found.findings}
    assert "adds nothing to the mates that it has" in said["CB1652"]
    assert said["CB1603"].endswith("no shape; contacts of their own are not seen")
    assert "has mates of its own" in freedoms_text(found)
