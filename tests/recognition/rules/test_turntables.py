"""Joints that no shaft shows, and what the product structure says of spinning parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition.choice.calibration import of_joint
from tests.late import cq
from tests.recognition.solids import Parts, at, box, disc, joints, read, recognised, tube


def arm(radius: float, length: float, height: float) -> cq.Workplane:
    """A link with a rounded end about the origin."""
    return disc(radius, height).union(
        cq.Workplane().box(length, 1.2 * radius, height, centered=(False, True, False))
    )  # fmt: skip


def base(radius: float) -> cq.Workplane:
    """A square foot with a round top, which no body of revolution is."""
    return cq.Workplane().box(120, 120, 10, centered=(True, True, False)).union(disc(radius, 30))


def test_an_arm_turns_on_the_round_top_it_lies_on(tmp_path: Path) -> None:
    made = cq.Assembly(name="made").add(base(30), name="foot").add(arm(25, 120, 8), name="arm", loc=at(0, 0, 30))
    found = read(tmp_path, made)
    assert joints(found) == {frozenset(("foot", "arm")): "revolute"}
    (joint,) = found.joints
    assert joint.confidence == of_joint(0.5, links=True)
    assert joint.point[:2] == pytest.approx([0, 0], abs=1e-9)
    assert [f.code for f in found.findings if f.severity.value != "info"] == ["CB1601"]


@pytest.mark.parametrize("name", ["post", "wheel 2"])
def test_what_is_round_stands_on_the_face_of_a_boss_and_a_wheel_turns_there(tmp_path: Path, name: str) -> None:
    """The posts between the plates of a quadcopter spun, eight of them."""
    made = cq.Assembly(name="made").add(base(12), name="foot").add(disc(10, 40), name=name, loc=at(0, 0, 30))
    found = read(tmp_path, made)
    turns = {frozenset(("foot", name)): "revolute"}
    assert joints(found) == (turns if name == "wheel 2" else {})
    reasons = [bond.reason for body in found.bodies for bond in body.bonds]
    assert ("only spins on the face on which it stands" in reasons) == (name == "post")


def test_a_motor_of_a_sub_assembly_turns_on_the_end_of_its_arm(tmp_path: Path) -> None:
    """What lies in one sub-assembly rests there, but for what lies about an axis that both are round about."""
    motor = disc(10, 20).union(disc(3, 28)).union(cq.Workplane().box(30, 4, 2, centered=(True, True, False)))
    own = cq.Assembly(name="own").add(arm(12, 80, 8), name="arm").add(motor, name="motor", loc=at(0, 0, 8))
    plate = cq.Workplane().box(200, 100, 4, centered=(True, True, False))
    found = read(tmp_path, cq.Assembly(name="made").add(plate, name="plate").add(own, name="own", loc=at(0, 0, 4)))
    assert list(joints(found).values()) == ["revolute"]


@pytest.mark.parametrize(("radius", "held"), [(4.0, True), (1.5, False)])
def test_only_holes_of_like_size_are_a_flange(tmp_path: Path, radius: float, held: bool) -> None:
    """The small holes of a servo's horn above the wide slots of what lies on it hold nothing."""
    spots = [(18, 0), (-18, 0), (0, 18)]
    foot = base(30).faces(">Z").workplane(origin=(0, 0, 0)).pushPoints(spots).hole(2 * radius, 10)
    lever = arm(25, 120, 8).faces(">Z").workplane(origin=(0, 0, 0)).pushPoints(spots).hole(8)
    made = cq.Assembly(name="made").add(foot, name="foot").add(lever, name="arm", loc=at(0, 0, 30))
    assert (not joints(read(tmp_path, made))) == held


def test_an_arm_that_lies_beside_the_middle_is_held(tmp_path: Path) -> None:
    made = cq.Assembly(name="made").add(base(30), name="foot").add(arm(25, 120, 8), name="arm", loc=at(9, 0, 30))
    assert joints(read(tmp_path, made)) == {}


def test_a_flange_with_bolt_holes_is_held(tmp_path: Path) -> None:
    spots = [(18, 0), (-18, 0), (0, 18)]
    foot = base(30).faces(">Z").workplane(origin=(0, 0, 0)).pushPoints(spots).hole(4, 10)
    flange = arm(25, 120, 8).faces(">Z").workplane(origin=(0, 0, 0)).pushPoints(spots).hole(4)
    made = cq.Assembly(name="made").add(foot, name="foot").add(flange, name="arm", loc=at(0, 0, 30))
    assert joints(read(tmp_path, made)) == {}


def test_a_shaft_in_a_wide_hole_of_what_it_lies_on_turns(tmp_path: Path) -> None:
    lever = cq.Workplane().box(60, 12, 8, centered=(False, True, False)).faces("<Z").workplane().pushPoints([(8, 0)])
    boss = lever.circle(3).extrude(6)
    plate = cq.Workplane().box(80, 60, 10, centered=(True, True, False)).faces(">Z").workplane().hole(10)
    found = read(tmp_path, cq.Assembly(name="made").add(plate, name="plate").add(boss, name="lever", loc=at(-8, 0, 10)))
    assert joints(found) == {frozenset(("plate", "lever")): "revolute"}


def carriage(offset: float) -> cq.Assembly:
    """A block on two rods of 200 mm whose bores in it are 8 mm long, in a frame; with `offset` a wall across them."""
    frame = cq.Workplane().box(10, 80, 40).union(cq.Workplane().box(10, 80, 40).translate((200, 0, 0)))
    frame = frame.union(cq.Workplane().box(210, 80, 6).translate((100, 0, -30)))
    rod = cq.Workplane("YZ").circle(4).extrude(210)
    block = cq.Workplane("YZ").rect(70, 30).extrude(8).faces(">X").workplane().pushPoints([(-25, 0), (25, 0)]).hole(8.2)
    holes = cq.Workplane("YZ").pushPoints([(-25, 0), (25, 0)]).circle(4).extrude(210).translate((-5, 0, 0))
    made = cq.Assembly(name="made").add(frame.cut(holes), name="frame").add(block, name="block", loc=at(offset, 0, 0))
    for k, y in enumerate((-25, 25)):
        made.add(rod, name=f"rod{k}", loc=at(-5, y, 0))
    return made


def test_a_thin_block_on_two_long_rods_slides(tmp_path: Path) -> None:
    found = read(tmp_path, carriage(80))
    moving = {pair: kind for pair, kind in joints(found).items() if "block" in pair}
    assert set(moving.values()) == {"prismatic"}


def roller(inside: bool, called: str = "drum") -> cq.Assembly:
    """A fork with a roller on its pin, on a base: in a sub-assembly, or flat."""
    fork = cq.Workplane().box(40, 40, 40).cut(cq.Workplane().box(30, 50, 40).translate((0, 0, 10)))
    fork = fork.cut(cq.Workplane("YZ").circle(4).extrude(60).translate((-30, 0, 8)))
    wheel = cq.Workplane("YZ").circle(10).circle(4.1).extrude(29)
    wheel = wheel.translate((-14.5, 0, 8))
    axle = cq.Workplane("YZ").circle(4).extrude(40).translate((-20, 0, 8))
    ground = cq.Workplane().box(100, 100, 10).translate((0, 0, -25))
    made = cq.Assembly(name="made").add(ground, name="ground")
    own = cq.Assembly(name="truck") if inside else made
    own.add(fork, name="fork").add(wheel, name=called).add(axle, name="axle")
    return made.add(own, name="truck") if inside else made


def test_what_only_spins_inside_a_sub_assembly_is_no_joint(tmp_path: Path) -> None:
    assert joints(read(tmp_path, roller(inside=True))) == {}
    assert list(joints(read(tmp_path, roller(inside=True, called="wheel"))).values()) == ["revolute"]


def test_the_same_parts_in_a_flat_file_turn(tmp_path: Path) -> None:
    assert set(joints(read(tmp_path, roller(inside=False))).values()) == {"revolute"}


def test_a_sub_assembly_that_holds_all_holds_nothing_together(tmp_path: Path) -> None:
    """Robots are often exported as the one sub-assembly of an empty file: the parts are as in a flat file."""
    own = cq.Assembly(name="own").add(base(30), name="foot").add(arm(25, 120, 8), name="arm", loc=at(0, 300, 0))
    found = read(tmp_path, cq.Assembly(name="made").add(own, name="own"))
    assert len(found.loose) == 1
    assert [f.code for f in found.findings if f.code == "CB1602"]


def test_the_rollers_of_an_omnidirectional_wheel_turn(tmp_path: Path) -> None:
    count, made, own = 6, cq.Assembly(name="made"), cq.Assembly(name="omniwheel")
    hub = cq.Workplane().circle(40).extrude(16).translate((0, 0, -8))
    for k in range(count):
        slot = cq.Workplane().box(24, 24, 20).translate((36, 0, 0)).rotate((0, 0, 0), (0, 0, 1), 360 / count * k)
        axle = cq.Workplane("XZ").circle(2).extrude(15, both=True).translate((34, 0, 0))
        hub = hub.cut(slot)
        hub = hub.union(axle.rotate((0, 0, 0), (0, 0, 1), 360 / count * k))
    own.add(hub, name="hub")
    roller = cq.Workplane("XZ").circle(7).circle(2.1).extrude(10, both=True)
    for k in range(count):
        place = cq.Location(cq.Vector(), cq.Vector(0, 0, 1), 360 / count * k) * at(34, 0, 0)
        own.add(roller, name=f"roller{k}", loc=place)
    made.add(cq.Workplane().box(200, 200, 10).translate((0, 0, -30)), name="floor").add(own, name="omniwheel")
    assert sum("roller" in part for pair in joints(read(tmp_path, made)) for part in pair) == count


@pytest.mark.parametrize("screwed", [True, False])
@pytest.mark.parametrize("hub", [7.94, 8.2])
def test_a_wheel_drawn_a_little_beside_its_axle_turns_on_it(tmp_path: Path, hub: float, screwed: bool) -> None:
    """A tenth of a millimetre off, its hub 5/8 of an inch about 16 mm, or with play; its tyre is a torus."""
    tyre = cq.Workplane("XZ").center(60, 0).circle(20).revolve(360, (-60, 0, 0), (-60, 1, 0))
    wheel = tyre.union(tube(60, hub, 30).translate((0, 0, -15)))
    knuckle = (
        box(60, 400, 30).translate((0, 180, 30)).union(cq.Workplane().circle(8).extrude(70).translate((0, 0, -30)))
    )
    parts: Parts = {"wheel": (wheel, (0.11, 0, 0))}
    for k in range(3):  # what fits to the last micron, so that placements are known to be exact
        knuckle = knuckle.union(disc(4, 20).translate((0, 150 + 60 * k, 55)))
        parts[f"lever{k}"] = (arm(8, 40, 5).cut(disc(4, 5)), (0, 150 + 60 * k, 60))
    parts["knuckle"] = (knuckle, (0, 0, 0))
    if screwed:
        parts["knuckle"] = (knuckle.cut(disc(3, 30).translate((0, 350, 30))), (0, 0, 0))
        parts["plate"] = (box(40, 40, 5).cut(disc(3, 5)), (0, 350, 25))
        parts["M6x40 screw"] = (disc(5.5, 6).union(disc(3, 40).translate((0, 0, -40))), (0, 350, 60))
    found = recognised(tmp_path, parts)
    assert found.body_of["wheel"] != found.body_of["knuckle"]
    assert frozenset(("knuckle", "wheel")) in joints(found)


@pytest.mark.parametrize(("name", "turns"), [("bearing_d100", True), ("spacer", False)])
def test_what_a_ring_bearing_alone_is_between_turns(tmp_path: Path, name: str, turns: bool) -> None:
    """A ring drawn as one part stands in grooves of two plates, each with something screwed to it."""
    groove = tube(50, 37.5, 2)
    low = box(140, 140, 8).translate((0, 0, -6)).cut(groove)
    high = box(130, 150, 8).translate((0, 0, 7)).cut(groove.translate((0, 0, 7)))
    holes = cq.Workplane().pushPoints([(-60, -60), (60, 60)]).circle(2).extrude(60, both=True)
    parts: Parts = {
        "base": (low.cut(holes), (0, 0, 0)),
        name: (tube(50, 37.5, 9), (0, 0, 0)),
        "table": (high.cut(holes), (0, 0, 0)),
        "foot": (box(140, 140, 4).cut(holes), (0, 0, -10)),
        "top": (box(130, 150, 4).cut(holes), (0, 0, 15)),
    }
    found = recognised(tmp_path, parts)
    assert (found.body_of["base"] != found.body_of["table"]) is turns
    assert [j.type for j in found.joints] == ["revolute"] * turns
