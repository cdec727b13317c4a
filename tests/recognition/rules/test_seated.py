"""What could move by its contacts alone and is no joint: spacers, trays, what is blocked; and wheels with no axle."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition import Recognition, read_bare, recognise
from tests.late import cq
from tests.recognition.solids import at, link, plate

CORNERS = [(50, 20), (-50, 20), (50, -20), (-50, -20)]


def recognised(folder: Path, made: cq.Assembly) -> Recognition:
    """What is recognised in an assembly, by way of a STEP file."""
    file = folder / "made.step"
    made.export(str(file))
    return recognise(read_bare(file))


def moves_with(found: Recognition, part: str) -> set[str]:
    """The parts that move with a part, it too, by their last names."""
    bodies = ({n.split("/")[-1] for n in body.instances} for body in found.bodies)
    return next(names for names in bodies if part in names)


@pytest.mark.parametrize(("round_", "holes", "turns"), [(True, 1, True), (False, 1, True), (False, 2, False)])
def test_a_wheel_in_a_fork_without_an_axle_turns_and_a_block_on_two_lines_does_not(
    tmp_path: Path, round_: bool, holes: int, turns: bool
) -> None:
    cheeks = (
        cq.Workplane().box(4, 20, 60).translate((-13, 0, 0)).union(cq.Workplane().box(4, 20, 60).translate((13, 0, 0)))
    )
    fork = cheeks.union(cq.Workplane().box(30, 20, 6).translate((0, 0, 33)))
    lines = [(0, 0), (0, -12)][:holes]
    fork = fork.cut(cq.Workplane("YZ").pushPoints(lines).circle(4).extrude(60, both=True))
    profile = cq.Workplane("YZ").circle(30) if round_ else cq.Workplane("YZ").rect(50, 40)
    caster = (
        cq.Assembly(name="caster")
        .add(fork, name="fork")
        .add(profile.pushPoints(lines).circle(6 if round_ else 4).extrude(12), name="disc", loc=at(-6, 0, 0))
    )
    made = cq.Assembly(name="made").add(caster)
    made.add(cq.Workplane().box(80, 80, 5), name="plate", loc=at(0, 0, 38.5))
    made.add(cq.Workplane().box(200, 200, 5), name="deck", loc=at(0, 0, 43.5))
    found = recognised(tmp_path, made)
    assert [j.type for j in found.joints] == ["revolute"] * turns
    for joint in found.joints:
        assert joint.confidence < 0.7
        assert joint.axis is not None
        assert abs(float(joint.axis[0])) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["card", "gripper_link"])
def test_a_board_in_an_open_tray_is_put_there_and_a_gripper_slides(tmp_path: Path, name: str) -> None:
    # A groove along x, open at its ends, with a step across it: the board stands against that.
    tray = cq.Workplane().box(160, 60, 20).cut(cq.Workplane().box(200, 40, 20).translate((0, 0, 5)))
    tray = tray.union(cq.Workplane().box(10, 40, 15))
    made = cq.Assembly(name="made").add(tray, name="tray")
    made.add(cq.Workplane().box(40, 40, 8), name=name, loc=at(25, 0, -1))
    for k, (x, y) in enumerate(CORNERS):
        for part, size, z in (("leg", 8, -20), ("foot", 12, -40), ("pad", 14, -60)):
            made.add(cq.Workplane().box(size, size, 20), name=f"{part}{k}", loc=at(x, y, z))
    found = recognised(tmp_path, made)
    tray = any("in an open tray" in bond.reason for body in found.bodies for bond in body.bonds)
    assert (name in moves_with(found, "tray"), tray) == ((True, True) if name == "card" else (False, False))


def test_a_hinge_that_runs_into_parts_both_ways_at_once_is_a_weld_and_says_why(tmp_path: Path) -> None:
    def base(cheeks: bool) -> cq.Workplane:
        plate = cq.Workplane().box(120, 80, 10).union(cq.Workplane().circle(6).extrude(15))
        for y in (10.05, -10.05) if cheeks else ():
            plate = plate.union(cq.Workplane().box(10, 8, 20).translate((40, y + (4 if y > 0 else -4), 10)))
        return plate

    lever = cq.Workplane().box(60, 20, 8).translate((20, 0, 4)).cut(cq.Workplane().circle(6.05).extrude(20))
    for cheeks in (False, True):
        made = cq.Assembly(name="made").add(base(cheeks), name="base").add(lever, name="lever", loc=at(0, 0, 5))
        found = recognised(tmp_path, made)
        assert len(found.joints) == (not cheeks)
        reasons = [bond.reason for body in found.bodies for bond in body.bonds]
        assert any("it could not move: " in reason for reason in reasons) == cheeks


@pytest.mark.parametrize("named", ["pin", "pin-1"])
def test_a_rod_on_which_levers_turn_spins_for_nothing(tmp_path: Path, named: str) -> None:
    """Two levers on one rod in a bracket: two freedoms, and three where names say that SolidWorks counts its spin."""
    end = "" if named == "pin" else "-1"
    bracket = cq.Workplane().box(20, 60, 60).cut(cq.Workplane("YZ").circle(5.02).extrude(60, both=True))
    rod = cq.Workplane("YZ").circle(5).extrude(100).union(cq.Workplane("YZ").circle(8).extrude(-4))
    lever = cq.Workplane("YZ").slot2D(60, 20).extrude(12).translate((0, 20, 0))
    lever = lever.cut(cq.Workplane("YZ").circle(5.02).extrude(60))
    made = cq.Assembly(name="made").add(bracket, name=f"bracket{end}").add(rod, name=f"{named}", loc=at(-10, 0, 0))
    for k, x in enumerate((20, 50)):
        made.add(lever, name=f"lever{'ab'[k]}{end}", loc=at(x, 0, 0))
    found = recognised(tmp_path, made)
    assert found.freedoms == (2 if named == "pin" else 3)


def test_a_rod_that_its_name_alone_calls_a_screw_is_as_wide_as_its_hole(tmp_path: Path) -> None:
    """Two links on one headless screw: faces that reach three times its radius clamp nothing."""
    link = cq.Workplane().slot2D(60, 10).extrude(2).translate((25, 0, 0)).cut(cq.Workplane().circle(1.5).extrude(2))
    made = cq.Assembly(name="made").add(link, name="low")
    made.add(link.rotate((0, 0, 0), (0, 0, 1), 90), name="high", loc=at(0, 0, 2))
    made.add(cq.Workplane().circle(1.5).extrude(6), name="screw", loc=at(0, 0, -1))
    found = recognised(tmp_path, made)
    assert [j.type for j in found.joints] == ["revolute"]
    assert "high" not in moves_with(found, "low")


def of(folder: Path, first: cq.Workplane, name: str, second: cq.Workplane) -> Recognition:
    """What is recognised in a base and a part in its frame."""
    return recognised(folder, cq.Assembly(name="made").add(first, name="base").add(second, name=name))


@pytest.mark.parametrize(
    ("name", "joints"),
    [("crank", 1), ("Closing Cap", 0), ("16mmPushButton", 0), ("DC jack", 0), ("0.196 ID Custom Spacer", 1)],
)
def test_what_is_called_a_cap_is_put_on(tmp_path: Path, name: str, joints: int) -> None:
    base = cq.Workplane().box(80, 60, 40, centered=(True, True, False)).cut(cq.Workplane().circle(4).extrude(10))
    head = cq.Workplane().box(30, 14, 4, centered=(True, True, False)).translate((8, 0, -4))
    found = of(tmp_path, base, name, head.union(cq.Workplane().circle(4).extrude(10)))
    assert len(found.joints) == joints


@pytest.mark.parametrize(("name", "joints"), [("lever", 1), ("Encoder_01", 0)])
def test_what_is_called_an_encoder_turns_on_no_pin_that_is_not_drawn(tmp_path: Path, name: str, joints: int) -> None:
    plate = cq.Workplane().box(80, 60, 6, centered=(True, True, False)).cut(cq.Workplane().circle(1).extrude(6))
    board = cq.Workplane().slot2D(40, 16).extrude(4).translate((12, 0, -4)).cut(cq.Workplane().circle(0.9).extrude(-4))
    assert len(of(tmp_path, plate, name, board).joints) == joints


@pytest.mark.parametrize(
    ("name", "joints"),
    [("lever", 1), ("0.196 ID Custom Spacer", 0), ("Clamp", 0), ("T-Slotted Framing008:3", 0), ("Clamp lever", 1)],
)
def test_what_is_called_a_spacer_or_a_clamp_turns_on_no_bolt(tmp_path: Path, name: str, joints: int) -> None:
    plate = cq.Workplane().box(80, 60, 6, centered=(True, True, False)).cut(cq.Workplane().circle(2.1).extrude(6))
    block = cq.Workplane().box(16, 16, 20, centered=(True, True, False)).cut(cq.Workplane().circle(2.1).extrude(20))
    bolt = cq.Workplane().circle(2).extrude(12).union(cq.Workplane().circle(3.5).extrude(4).translate((0, 0, 12)))
    made = cq.Assembly(name="made").add(plate, name="base").add(block, name=name, loc=at(0, 0, 6))
    made.add(bolt.rotate((0, 0, 0), (1, 0, 0), 180), name="M4x12", loc=at(0, 0, 12))
    assert len(recognised(tmp_path, made).joints) == joints


@pytest.mark.parametrize("slides", [False, True])
def test_rods_that_end_in_shallow_holes_are_set_in_there(tmp_path: Path, slides: bool) -> None:
    places, depth = [(-20.0, 0.0), (20.0, 0.0)], 8.0 if slides else 2.0
    frame = cq.Workplane().box(60, 30, 10, centered=(True, True, False)).translate((0, 0, -10))
    frame = frame.union(cq.Workplane().pushPoints(places).circle(3).extrude(59.5))
    holes = cq.Workplane().pushPoints(places).circle(3.05).extrude(depth)
    block = cq.Workplane().box(60, 30, 8, centered=(True, True, False)).cut(holes)
    found = of(tmp_path, frame, "block", block.translate((0, 0, 30 if slides else 58)))
    assert [joint.type for joint in found.joints] == ["prismatic"] * slides


@pytest.mark.parametrize("lever", [False, True])
def test_a_rod_with_any_head_in_its_bore_would_only_spin(tmp_path: Path, lever: bool) -> None:
    base = cq.Workplane().box(80, 60, 40, centered=(True, True, False)).cut(cq.Workplane().circle(4).extrude(30))
    head = cq.Workplane().box(30 if lever else 14, 9, 4, centered=(True, True, False)).translate((0, 0, -4))
    found = of(tmp_path, base, "rod", head.union(cq.Workplane().circle(4).extrude(29)))
    assert len(found.joints) == lever


def test_standoffs_hold_the_boards_between_them(tmp_path: Path) -> None:
    board = cq.Workplane().box(60, 40, 2, centered=(True, True, False)).faces(">Z").workplane()
    board = board.rect(50, 30, forConstruction=True).vertices().hole(3.2)
    hexagon = cq.Workplane().polygon(6, 6.4).extrude(15).cut(cq.Workplane().workplane(offset=8).circle(1.25).extrude(7))
    standoff = hexagon.union(cq.Workplane().circle(1.5).extrude(-6))
    made = cq.Assembly(name="made")
    for k in range(3):
        made.add(board, name=f"board{k}", loc=at(0, 0, 17 * k))
        for m, (x, y) in enumerate([(25, 15), (-25, 15), (25, -15), (-25, -15)]):
            made.add(standoff, name=f"Standoff_15_{k}{m}", loc=at(x, y, 17 * k + 2))
    found = recognised(tmp_path, made)
    assert not found.joints
    assert len(found.bodies) == 1


@pytest.mark.parametrize(("number", "freedoms"), [(8, 0), (2, 2)])
def test_many_equal_blocks_in_the_slots_of_a_ring_are_set_in(tmp_path: Path, number: int, freedoms: int) -> None:
    """Magnets of a rotor; two are jaws."""
    ring = cq.Workplane().circle(60).circle(40).extrude(20)
    made = cq.Assembly(name="rotor")
    block = cq.Workplane().box(8, 10, 30)
    for k in range(number):
        way = cq.Location(cq.Vector(0, 0, 0), cq.Vector(0, 0, 1), 360 / number * k)
        place = way * cq.Location(cq.Vector(50, 0, 10))
        ring = ring.cut(cq.Workplane().box(8, 10, 30).val().located(place))
        made.add(block, name=f"block{k}", loc=place)
    found = recognised(tmp_path, made.add(ring, name="ring"))
    assert found.freedoms == freedoms


@pytest.mark.parametrize(
    ("name", "turns"), [("arm", True), ("bracket 2", False), ("motor_Halterung", False), ("bearing bracket", True)]
)
def test_what_is_screwed_on_by_its_name_is_no_joint_where_holes_meet(tmp_path: Path, name: str, turns: bool) -> None:
    own = cq.Assembly(name="own").add(plate(80, 40, 10, [(0, 0)], 3), name="base")  # nested: no model of links alone
    made = cq.Assembly(name="made").add(own).add(link(40), name=name, loc=at(0, 0, 10))
    found = recognised(tmp_path, made)
    assert [j.type for j in found.joints] == (["revolute"] if turns else [])
