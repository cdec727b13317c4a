"""Robots drawn without a screw: pins that nothing stops, bars in holes, poses that were never solved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cadbridge.recognition.choice.calibration import of_joint
from tests.late import cq
from tests.recognition.solids import Parts, box, disc, joints, link, plate, recognised, tube


def test_a_pin_that_nothing_stops_is_a_hinge_and_says_what_speaks_against_it(tmp_path: Path) -> None:
    arm = box(20, 100, 20).union(cq.Workplane("XZ").center(0, 10).circle(5).extrude(120))
    car = box(60, 30, 40).faces("<Y").workplane(origin=(0, 0, 10)).hole(10)
    found = recognised(tmp_path, {"arm": (arm, (0, 0, 0)), "car": (car, (0, -100, 0))})
    (joint,) = found.joints
    assert joint.type == "revolute"
    assert joint.confidence == of_joint(0.6, links=True)
    assert joint.against == ("nothing holds it along the axis",)


def test_a_rod_that_goes_into_a_tube_by_its_end_slides(tmp_path: Path) -> None:
    found = recognised(tmp_path, {"tube": (tube(20, 10, 200), (0, 0, 0)), "rod": (disc(10, 200), (0, 0, 150))})
    assert list(joints(found).values()) == ["cylindrical"]


@pytest.mark.parametrize(("deep", "kinds"), [(60, ["prismatic"]), (8, [])])
def test_a_square_bar_slides_in_a_long_hole_and_sits_in_a_shallow_one(
    tmp_path: Path, deep: float, kinds: list[str]
) -> None:
    sleeve = box(60, 60, deep).cut(box(30, 30, deep))
    found = recognised(tmp_path, {"bar": (box(30, 30, 300), (0, 0, 0)), "sleeve": (sleeve, (0, 0, 100))})
    assert list(joints(found).values()) == kinds


def fork(radius: float) -> cq.Workplane:
    """A round link on a shaft, its end a fork: a screw's shape, at the size of a link."""
    head = cq.Workplane().workplane(offset=4 * radius).circle(1.4 * radius).extrude(2 * radius)
    slot = cq.Workplane().workplane(offset=4.6 * radius).rect(0.8 * radius, 4 * radius).extrude(2 * radius)
    return cq.Workplane().circle(radius).extrude(4 * radius).union(head).cut(slot)


@pytest.mark.parametrize(("radius", "kinds"), [(12.0, ["revolute"]), (3.0, [])])
def test_a_fork_is_no_screw_however_much_it_looks_like_one(tmp_path: Path, radius: float, kinds: list[str]) -> None:
    base = plate(12 * radius, 10 * radius, 3 * radius, [(0, 0)], radius)
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "wrist": (fork(radius), (0, 0, -radius))})
    assert list(joints(found).values()) == kinds


@pytest.mark.parametrize(("radius", "kinds"), [(10.0, ["revolute"]), (4.0, [])])
def test_a_forked_rod_is_no_grub_screw(tmp_path: Path, radius: float, kinds: list[str]) -> None:
    slot = cq.Workplane().workplane(offset=7 * radius).rect(0.6 * radius, 4 * radius).extrude(radius)
    rod = cq.Workplane().circle(radius).extrude(8 * radius).cut(slot)
    base = plate(12 * radius, 10 * radius, 3 * radius, [(0, 0)], radius)
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "rod": (rod, (0, 0, 0))})
    assert list(joints(found).values()) == kinds


def test_a_shallow_seat_between_flats_is_no_slide(tmp_path: Path) -> None:
    """A motor's collar in a recess of 1 mm, its flanks between two cheeks that do not reach its bottom."""
    motor = box(40, 40, 30).union(cq.Workplane().workplane(offset=-1).circle(10).extrude(1))
    cheeks = box(10, 40, 30).translate((25, 0, 0)).union(box(10, 40, 30).translate((-25, 0, 0)))
    base = plate(60, 40, 4, [(0, 0)], 10).translate((0, 0, -4.5)).union(cheeks.translate((0, 0, -0.5)))
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "motor": (motor, (0, 0, 0))})
    assert found.joints == ()


def test_wheels_on_stub_axles_turn_and_a_collar_does_not(tmp_path: Path) -> None:
    base = box(200, 80, 40).union(cq.Workplane("XZ").center(0, 20).circle(12).extrude(90))
    wheel = cq.Workplane("XZ").circle(36).circle(12).extrude(30)
    collar = cq.Workplane("XZ").circle(14).circle(12).extrude(6)
    found = recognised(
        tmp_path, {"base": (base, (0, 0, 0)), "wheel": (wheel, (0, -45, 20)), "collar": (collar, (0, -78, 20))}
    )
    assert joints(found) == {frozenset(("base", "wheel")): "revolute"}


def drawn_apart(height: float) -> Parts:
    arm = plate(60, 12, 8, [(0, 0)], 5)
    base = box(80, 40, 10).union(cq.Workplane().workplane(offset=10).circle(5).extrude(8))
    return {"base": (base, (0, 0, 0)), "arm": (arm, (0, 0, height))}


def test_a_shaft_that_ends_where_its_bore_begins_is_a_hinge(tmp_path: Path) -> None:
    screw = cq.Workplane().polygon(6, 9).extrude(3).faces(">Z").workplane().circle(2).extrude(12)
    found = recognised(tmp_path, drawn_apart(18) | {"screw": (screw, (200, 0, 0))})
    assert joints(found)[frozenset(("arm", "base"))] == "revolute"


def test_a_shaft_ends_where_its_bore_begins_to_the_clearance_of_the_placements(tmp_path: Path) -> None:
    parts = drawn_apart(18.2) | {"beside": (drawn_apart(10)["base"][0], (200, 0, 0))}
    parts["lever"] = (drawn_apart(10)["arm"][0], (200.1, 0, 10))
    found = recognised(tmp_path, parts)
    (apart,) = [j for j in found.joints if "arm" in {*found.bodies[j.a].instances, *found.bodies[j.b].instances}]
    assert apart.confidence == of_joint(0.6, links=True)


def test_far_apart_nothing_is_made_up(tmp_path: Path) -> None:
    found = recognised(tmp_path, drawn_apart(400))
    assert found.joints == ()
    assert found.loose == ("arm",)


def test_a_hole_that_meets_another_is_seen_beside_round_faces_on_the_same_line(tmp_path: Path) -> None:
    """Fillets and rims about a hinge begin and end between its two holes."""
    fork = box(60, 40, 40).cut(box(60, 20, 40).translate((20, 0, 0)))
    fork = fork.faces("<Y").workplane(origin=(20, 0, 20)).hole(12)
    arm = cq.Workplane("XZ").rect(100, 24).extrude(20, both=False).translate((0, 10, 0))
    arm = arm.union(cq.Workplane("XZ").center(-45, 0).circle(12).extrude(20).translate((0, 10, 0)))
    arm = arm.cut(cq.Workplane("XZ").center(-45, 0).circle(6).extrude(60, both=True))
    found = recognised(tmp_path, {"fork": (fork, (0, 0, 0)), "arm": (arm, (65, 0, 20))})
    assert list(joints(found).values()) == ["revolute"]


def test_a_face_on_one_side_of_the_axis_stops_one_way(tmp_path: Path) -> None:
    """The leaf of a hinge lies on its frame, which goes on behind the axis where the leaf is round."""
    frame = box(70, 10, 20).translate((5, -10, 0)).union(box(70, 20, 5).translate((5, -5, -5))).union(disc(3, 20))
    leaf = box(50, 10, 20).translate((-25, 0, 0)).union(disc(5, 20)).cut(disc(3, 20))
    (joint,) = recognised(tmp_path, {"frame": (frame, (0, 0, 0)), "leaf": (leaf, (0, 0, 0))}).joints
    assert (joint.type, joint.against) == ("revolute", ())


@pytest.mark.parametrize(("clips", "kinds"), [(0, ["revolute"]), (1, [])])
def test_a_shaft_beside_a_flat_turns_where_links_alone_are_drawn(tmp_path: Path, clips: int, kinds: list[str]) -> None:
    """Links at rest lie flat against each other; where standard parts are drawn too, a flat is a key."""
    base = box(80, 40, 10).union(disc(5, 30)).union(box(10, 40, 20).translate((-30, 0, 10)))
    parts = {"base": (base, (0, 0, 0)), "strip": (plate(50, 12, 8, [(0, 0)], 5), (0, 0, 10))}
    ring = cq.Workplane().circle(6.6).circle(5).extrude(1)
    found = recognised(tmp_path, parts | {f"circlip{i}": (ring, (0, 0, 18)) for i in range(clips)})
    assert list(joints(found).values()) == kinds
    if not clips:
        assert found.joints[0].against == ("flat faces beside the axis stop the turn both ways",)
        assert found.joints[0].confidence == of_joint(0.4, links=True)


def test_eyes_of_links_drawn_beside_each_other_are_hinges_and_close_the_loop(tmp_path: Path) -> None:
    """A parallelogram whose couplers are drawn a washer's width beside its cranks, without a pin."""
    bar, crank = link(100), cq.Workplane().circle(8).extrude(3)
    crank = crank.union(box(16, 60, 3).translate((0, 30, 0))).union(crank.translate((0, 60, 0)))
    crank = crank.cut(cq.Workplane().pushPoints([(0, 0), (0, 60)]).circle(3).extrude(3))
    places = {"base": (bar, (0, 0, 0)), "left": (crank, (0, 0, 4)), "right": (crank, (100, 0, 4))}
    found = recognised(tmp_path, places | {"coupler": (bar, (0, 60, 8))})
    assert list(joints(found).values()) == ["revolute"] * 4
    assert all("1 mm apart" in joint.evidence[0] for joint in found.joints)


@pytest.mark.parametrize(("height", "count"), [(4.0, 1), (-0.9, 1), (-3.5, 0)])
def test_an_eye_drawn_a_little_into_a_square_plate_is_a_hinge(tmp_path: Path, height: float, count: int) -> None:
    """Its mate left it free along the axis."""
    base = box(90, 60, 5).translate((0, 0, -5)).cut(disc(3, 5).translate((0, 0, -5)))
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "arm": (link(100), (0, 0, height))})
    assert sum(any("goes on" in text for text in j.evidence) for j in found.joints) == count


def test_holes_of_one_radius_far_apart_on_one_line_are_no_hinge(tmp_path: Path) -> None:
    found = recognised(tmp_path, {"one": (link(100), (0, 0, 0)), "other": (link(100), (0, 0, 60))})
    assert found.joints == ()


def test_a_flat_cone_about_a_hole_is_as_wide_as_its_face_and_makes_no_eye_of_it(tmp_path: Path) -> None:
    """Screw holes of twins across a machine: where the axis passes the part's origin their cones are 100 mm wide."""
    cone = cq.Workplane().circle(6).workplane(offset=1).circle(4).loft().translate((0, 0, 4))
    boss = box(30, 20, 4).union(cone).cut(disc(3, 5)).translate((0, 0, 50))
    found = recognised(tmp_path, {"one": (boss, (0, 0, 0)), "other": (boss, (0, 0, 60))})
    assert found.joints == ()


def test_the_ring_of_a_rod_end_about_its_ball_is_spherical(tmp_path: Path) -> None:
    ball = (
        cq.Workplane()
        .sphere(6.35)
        .cut(box(20, 20, 20).translate((0, 0, 4.5)))
        .cut(box(20, 20, 20).translate((0, 0, -24.5)))
    )
    ring = tube(10, 5, 5).translate((0, 0, -2.5)).cut(cq.Workplane().sphere(6.35))
    found = recognised(tmp_path, {"ring": (ring, (0, 0, 0)), "ball": (ball, (0, 0, 0))})
    assert list(joints(found).values()) == ["spherical"]


@pytest.mark.parametrize(("closed", "count"), [(True, 4), (False, 3)])
def test_a_hole_that_goes_on_in_a_body_of_the_same_loop_is_a_pivot(tmp_path: Path, closed: bool, count: int) -> None:
    """A square plate with a hole on the corner of another is bolted, unless both move with others already."""
    screw = cq.Workplane().polygon(6, 9).extrude(3).faces(">Z").workplane().circle(2).extrude(12)
    base = box(160, 60, 6).cut(cq.Workplane().pushPoints([(-60, 0), (60, 0)]).circle(4).extrude(6))
    crank = plate(20, 100, 4, [(0, -40), (0, 40)], 4)
    bar = plate(180, 60, 4, [(-60, 0), (60 if closed else 70, 0)], 4)
    parts: Parts = {
        "base": (base, (0, 0, 0)), "pin0": (disc(4, 10), (-60, 0, 0)), "pin1": (disc(4, 10), (60, 0, 0)),
        "crank0": (crank, (-60, 40, 6)), "crank1": (crank, (60, 40, 6)), "pin2": (disc(4, 8), (-60, 80, 6)),
        "bar": (bar, (0, 80, 10)), "screw": (screw, (300, 0, 0)),
    }  # fmt: skip
    assert len(recognised(tmp_path, parts).joints) == count


@pytest.mark.parametrize(
    ("aside", "tilt", "kinds"),
    [(3.0, 0.0, ["revolute"]), (3.0, 6.0, ["revolute"]), (3.0, 20.0, []), (14.0, 0.0, [])],
)
def test_a_shaft_beside_the_axis_of_its_bore_is_a_hinge_of_a_pose_not_solved(
    tmp_path: Path, aside: float, tilt: float, kinds: list[str]
) -> None:
    post = box(80, 80, 60).faces(">Z").workplane().hole(40, 40)
    arm = disc(19.9, 50).union(box(90, 14, 12).translate((0, 0, 50))).rotate((0, 0, 20), (1, 0, 20), tilt)
    found = recognised(tmp_path, {"post": (post, (0, 0, 0)), "arm": (arm, (aside, 0, 30))})
    assert [j.type for j in found.joints] == kinds
    if kinds:
        assert "beside its axis" in found.joints[0].against[0]
        assert "CB1601" in {f.code for f in found.findings}


def exact() -> Parts:
    """Pegs in their holes, which say that places are exact."""
    holes = [(-30.0, 0.0), (0.0, 0.0), (30.0, 0.0)]
    pegs: Parts = {f"peg{k}": (disc(4, 10), (500 + x, y, 0)) for k, (x, y) in enumerate(holes)}
    return pegs | {"board": (plate(90, 30, 10, holes, 4), (500, 0, 0))}


def test_a_boss_beside_the_axis_of_its_clearance_hole_is_no_hinge(tmp_path: Path) -> None:
    post = box(80, 80, 60).faces(">Z").workplane().hole(40, 40)
    boss = disc(19.8, 50).union(box(90, 14, 12).translate((0, 0, 50)))
    assert recognised(tmp_path, exact() | {"post": (post, (0, 0, 0)), "boss": (boss, (0.1, 0, 21))}).joints == ()


@pytest.mark.parametrize(("aside", "kinds"), [(0.05, ["cylindrical"]), (0.3, [])])
def test_a_piston_a_little_beside_the_axis_of_its_cylinder_is_in_it(
    tmp_path: Path, aside: float, kinds: list[str]
) -> None:
    piston = disc(10, 20).union(disc(6, 250))
    parts: Parts = {"tube": (tube(20, 10, 200), (0, 0, 0)), "rod": (piston, (aside, 0, 50.137))}
    found = recognised(tmp_path, exact() | parts)
    assert [j.type for j in found.joints if "shaft of radius 10 mm in a bore," in j.evidence[0]] == kinds


def test_a_plate_cut_to_fit_a_rounded_corner_is_held_by_it(tmp_path: Path) -> None:
    bucket = box(100, 100, 100).edges("|Z").fillet(20)
    bracket = box(100, 100, 10).translate((60, 60, 40)).cut(bucket)
    found = recognised(tmp_path, {"bucket": (bucket, (0, 0, 0)), "bracket": (bracket, (0, 0, 0))})
    assert ["rounded corner of radius 20 mm" in bond.reason for bond in found.bodies[0].bonds] == [True]


@pytest.mark.parametrize(("name", "count"), [("motor", 1), ("spool", 2)])
def test_a_motor_of_one_part_turns_on_its_shaft_with_what_holds_it(tmp_path: Path, name: str, count: int) -> None:
    spool = disc(5, 60).union(box(40, 40, 20).translate((0, 0, -25)))
    base, wheel = plate(90, 90, 10, [(0, 0)], 5), tube(40, 5, 12)
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), name: (spool, (0, 0, 0)), "wheel": (wheel, (0, 0, 30))})
    assert len(found.joints) == count


@pytest.mark.parametrize(("radius", "kinds"), [(4.0, ["revolute"]), (20.0, [])])
def test_a_drum_turns_on_its_thin_stub_and_a_pin_is_pressed_in(tmp_path: Path, radius: float, kinds: list[str]) -> None:
    drum = cq.Workplane().circle(20).extrude(60).union(cq.Workplane().workplane(offset=60).circle(radius).extrude(10))
    arm = box(100, 60, 40).cut(cq.Workplane().circle(radius).extrude(10))
    found = recognised(tmp_path, {"drum": (drum, (0, 0, 0)), "arm": (arm, (0, 0, 60))})
    assert list(joints(found).values()) == kinds


@pytest.mark.parametrize("off", [0.0, 0.2])
def test_clearances_are_seen_where_no_shaft_stands_in_a_bore(tmp_path: Path, off: float) -> None:
    """A turntable's faces and holes are all that tell."""
    base, table = plate(80, 80, 20, [(0, 0)], 6), cq.Workplane().circle(30).circle(6).extrude(12)
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "table": (table, (0.5 * off, 0, 20 + off))})
    assert list(joints(found).values()) == ["revolute"]


@pytest.mark.parametrize(("cup", "fits"), [(50.0, True), (60.0, False)])
def test_a_points_cone_turns_in_a_wider_cup(tmp_path: Path, cup: float, fits: bool) -> None:
    """A hinge that is printed in place: points of 45° on the cheeks of a fork, in cups of 50° of its tongue."""

    def cone(half: float, height: float) -> cq.Workplane:
        wide = height * float(np.tan(np.radians(half)))
        return cq.Workplane(cq.Solid.makeCone(wide, 0.0, height))

    cheek = box(20, 20, 4).translate((0, 0, -4)).union(cone(45.0, 3.0))
    fork = cheek.union(cheek.mirror("XY").translate((0, 0, 12))).union(box(4, 20, 20).translate((-12, 0, -4)))
    hollow = cone(cup, 3.0)
    tongue = box(40, 16, 12).translate((14, 0, 0)).cut(hollow).cut(hollow.mirror("XY").translate((0, 0, 12)))
    found = recognised(tmp_path, {"fork": (fork, (0, 0, 0)), "tongue": (tongue, (0, 0, 0))})
    assert [j.type for j in found.joints] == ["revolute"]
    assert ("in 2 cones" in found.joints[0].evidence[0]) == fits


def test_bars_that_lie_on_each_other_are_joined_and_not_by_way_of_one_that_is_drawn_into_both(tmp_path: Path) -> None:
    bars: Parts = {"lower": (link(70), (0, 0, 0)), "upper": (link(50), (0, 0, 3)), "sunk": (link(30), (0, 0, 1.5))}
    kinds = joints(recognised(tmp_path, bars))
    assert kinds[frozenset(("lower", "upper"))] == "revolute"
    assert len(kinds) == 2


@pytest.mark.parametrize("bolts", [0, 4])
def test_a_tongue_with_a_flat_back_turns_on_the_pin_of_its_fork(tmp_path: Path, bolts: int) -> None:
    cheeks = box(60, 40, 60).translate((0, 0, 0)).cut(box(60, 40, 30).translate((15, 0, 15)))
    screws = [(15.0, 15.0), (-15.0, 15.0), (15.0, -15.0), (-15.0, -15.0)][:bolts]
    fork = cheeks.cut(disc(8, 60)).cut(cq.Workplane().pushPoints(screws).circle(1.5).extrude(60))
    pin = disc(8, 64).union(plate(40, 40, 4, screws, 1.5).translate((0, 0, 60)))
    tongue = box(45, 30, 30).translate((7.5, 0, 0)).cut(disc(8, 30))
    found = recognised(tmp_path, {"fork": (fork, (0, 0, 0)), "tongue": (tongue, (0, 0, 15)), "pin": (pin, (0, 0, 0))})
    turned = found.body_of["tongue"]
    assert {j.type for j in found.joints if turned in (j.a, j.b)} == {"revolute"}
    assert turned != found.body_of["fork"]


@pytest.mark.parametrize("count", [4, 0])
def test_a_plate_drawn_into_a_block_that_has_its_bolt_holes_too_is_no_hinge(tmp_path: Path, count: int) -> None:
    holes = cq.Workplane().pushPoints([(14, 14), (-14, 14), (14, -14), (-14, -14)][:count])
    block, lid = box(90, 50, 30).cut(disc(12, 30)), disc(20, 4)
    if count:
        block, lid = block.cut(holes.circle(2).extrude(30)), lid.cut(holes.circle(2).extrude(4))
    found = recognised(tmp_path, {"block": (block, (0, 0, 0)), "lid": (lid, (0, 0, 26))})
    assert len(found.joints) == (0 if count else 1)


@pytest.mark.parametrize("deep", [12, 15])
def test_a_cup_over_the_end_of_a_rod_goes_with_the_rod_and_a_collar_does_not(tmp_path: Path, deep: float) -> None:
    guide, rod = box(60, 40, 70).cut(disc(6, 70)), disc(6, 120).union(disc(9, 5))
    cup = disc(11, 15).cut(disc(6, deep))
    places: Parts = {"guide": (guide, (0, 0, 0)), "rod": (rod, (0, 0, -20)), "cup": (cup, (0, 0, 88))}
    found = recognised(tmp_path, places)
    assert (found.body_of["cup"] == found.body_of["rod"]) == (deep < 15)


@pytest.mark.parametrize("stands", [True, False])
def test_a_bracket_between_a_floor_and_a_wall_is_a_hinge_only_where_the_wall_stands_off(
    tmp_path: Path, stands: bool
) -> None:
    floor = plate(200, 150, 5, [(60, 10)], 3)
    drill = cq.Workplane("XZ").pushPoints([(0, 16), (0, 30)]).circle(2).extrude(40, both=True)
    wall = box(140, 10, 90).cut(drill.translate((60, 0, 0)))
    foot = box(16, 20, 4).union(box(16, 4, 40).translate((0, -8, 0))).cut(disc(3, 4)).cut(drill)
    raised = 0 if stands else 6
    wall = (
        wall.translate((0, 0, 5)).cut(box(140, 10, raised).translate((0, 0, 5)))
        if raised
        else wall.translate((0, 0, 5))
    )
    found = recognised(tmp_path, {"floor": (floor, (0, 0, 0)), "wall": (wall, (0, -5, 0)), "foot": (foot, (60, 10, 5))})
    assert len(found.joints) == (0 if stands else 1)


def forked_bracket(other: bool) -> cq.Workplane:
    """A small bracket about a hole through its foot, and perhaps another hole across that."""
    foot = box(12, 12, 4).faces(">Z").workplane().hole(8)
    wall = box(12, 3, 24).translate((0, 7.5, 0))
    return foot.union(wall.faces("<Y").workplane(origin=(0, 0, 17)).hole(8) if other else wall)


@pytest.mark.parametrize(("other", "count"), [(True, 1), (False, 0)])
def test_a_small_part_with_holes_across_each_other_is_a_link_and_no_spacer(
    tmp_path: Path, other: bool, count: int
) -> None:
    strip = plate(120, 30, 4, [(-40, 0)], 4)
    found = recognised(tmp_path, {"strip": (strip, (40, 0, 0)), "bracket": (forked_bracket(other), (0, 0, 4))})
    assert len(found.joints) == count


@pytest.mark.parametrize(("apart", "clips", "count"), [(0, 0, 1), (7, 0, 0), (0, 1, 0)])
def test_links_drawn_into_each_other_turn_about_the_line_that_both_are_round_about(
    tmp_path: Path, apart: float, clips: int, count: int
) -> None:
    """A trunnion without its bore. In a machine with standard parts it is pressed in."""
    arm = box(100, 20, 20).translate((50, 0, 0)).union(disc(10, 20))
    lever = box(20, 90, 8).translate((0, 45, 24)).union(disc(4, 18).translate((0, apart, 10)))
    parts: Parts = {"arm": (arm, (0, 0, 0)), "cross bar": (lever, (0, 0, 0))}
    parts |= {f"clip{k}": (tube(10, 5.2, 1.6), (300, 0, 0)) for k in range(clips)}
    found = recognised(tmp_path, parts)
    assert [j.type for j in found.joints] == ["revolute"] * count
    assert all(
        abs(j.axis @ [0, 0, 1]) > 1 - 1e-9 and np.hypot(*j.point[:2]) < 1e-9 for j in found.joints if j.axis is not None
    )


def test_a_square_arm_as_wide_and_high_as_a_key_turns_on_its_bore(tmp_path: Path) -> None:
    """DIN 6885 has keys of 20 × 12 mm; the bore takes as much of a square bar as round ends would."""
    base, arm = box(60, 60, 10).union(disc(6, 30)), box(100, 20, 12).cut(disc(6, 12))
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "arm": (arm, (0, 0, 10))})
    assert joints(found) == {frozenset(("base", "arm")): "revolute"}
