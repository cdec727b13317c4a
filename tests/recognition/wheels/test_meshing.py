"""Which wheels mesh: by where they stand and how many teeth they have, never by radii."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cadbridge.assembly import Assembly, CouplingKind
from cadbridge.frames import Pose
from cadbridge.geometry import Face, Shape
from cadbridge.recognition import read_recognised
from cadbridge.recognition.model import FoundBody, Recognition
from cadbridge.recognition.wheels.finding import find_wheels
from cadbridge.recognition.wheels.gears import with_gears
from cadbridge.recognition.wheels.meshing import Meshing, carrier_of, find_meshing, unfit_pairs
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind
from tests.late import cq
from tests.recognition import gear_shapes

I3 = np.eye(3)


def placed(name: str, shape: Shape, p: tuple[float, float, float], R: gear_shapes.Array = I3) -> list[Wheel]:
    return [replace(w, instance=name) for w in find_wheels(gear_shapes.moved(shape, R, np.array(p)))]


def one(meshing: Meshing) -> tuple[CouplingKind, float, set[str]]:
    assert len(meshing.pairs) == 1
    pair = meshing.pairs[0]
    return pair.kind, pair.ratio, {pair.a.instance, pair.b.instance}


@pytest.mark.parametrize("off", [0.0, 0.1e-3, 0.2e-3])
def test_two_spur_wheels_at_their_centre_distance_and_with_clearance(off: float) -> None:
    small, large = gear_shapes.wheel(17, 1e-3, 6e-3), gear_shapes.wheel(43, 1e-3, 5e-3)
    meshing = find_meshing([*placed("a", small, (0, 0, 0)), *placed("b", large, (30e-3 + off, 0, 1e-3))])
    assert one(meshing) == (CouplingKind.SPUR, pytest.approx(43 / 17), {"a", "b"})
    assert meshing.alone == ()


def test_profile_shift_moves_the_axes_and_not_the_ratio() -> None:
    small, large = gear_shapes.wheel(12, 1e-3, 6e-3, shift=0.4), gear_shapes.wheel(30, 1e-3, 6e-3, shift=0.3)
    meshing = find_meshing([*placed("a", small, (0, 0, 0)), *placed("b", large, (21.62e-3, 0, 0))])
    assert one(meshing)[1] == pytest.approx(2.5)


def test_a_pinion_with_the_measures_of_a_sprocket_is_a_gear_by_its_partner() -> None:
    small, large = gear_shapes.wheel(7, 2.5e-3, 10e-3), gear_shapes.wheel(23, 2.5e-3, 10e-3)
    pinion, wheel = placed("a", small, (0, 0, 0)), placed("b", large, (37.5e-3, 0, 0))
    sprocket = [replace(p, kind=WheelKind.SPROCKET) for p in pinion]
    meshing = find_meshing([*sprocket, *wheel])
    assert one(meshing) == (CouplingKind.SPUR, pytest.approx(23 / 7), {"a", "b"})
    assert {p.kind for p in meshing.wheels} == {WheelKind.SPUR}
    assert find_meshing([*sprocket, *(replace(p, instance="b") for p in sprocket)]).pairs == ()


@pytest.mark.parametrize(
    ("teeth", "module", "where", "why"),
    [
        (43, 1e-3, (34e-3, 0, 0), "too far apart"),
        (43, 1e-3, (30e-3, 0, 20e-3), "side by side along the axis"),
        (34, 1.25e-3, (29.8e-3, 0, 0), "of another module"),
    ],
)
def test_wheels_that_do_not_mesh_are_alone(
    teeth: int, module: float, where: tuple[float, float, float], why: str
) -> None:
    small, large = gear_shapes.wheel(17, 1e-3, 6e-3), gear_shapes.wheel(teeth, module, 6e-3)
    meshing = find_meshing([*placed("a", small, (0, 0, 0)), *placed("b", large, where)])
    assert meshing.pairs == (), why
    assert {p.instance for p in meshing.alone} == {"a", "b"}


def test_helical_wheels_need_opposite_hands() -> None:
    left, right = gear_shapes.wheel(20, 1e-3, 10e-3, helix=-20), gear_shapes.wheel(30, 1e-3, 10e-3, helix=20)
    where = (25e-3, 0.0, 0.0)
    assert one(find_meshing([*placed("a", left, (0, 0, 0)), *placed("b", right, where)]))[0] is CouplingKind.SPUR
    same = gear_shapes.wheel(20, 1e-3, 10e-3, helix=20)
    assert find_meshing([*placed("a", same, (0, 0, 0)), *placed("b", right, where)]).pairs == ()


def test_a_pinion_in_a_ring() -> None:
    ring, pinion = gear_shapes.wheel(60, 1e-3, 8e-3, inside=True), gear_shapes.wheel(18, 1e-3, 8e-3)
    meshing = find_meshing([*placed("ring", ring, (0, 0, 0)), *placed("pinion", pinion, (21e-3, 0, 0))])
    assert one(meshing) == (CouplingKind.INTERNAL, pytest.approx(60 / 18), {"ring", "pinion"})
    assert meshing.pairs[0].a.instance == "pinion"


def test_bevels_whose_apexes_meet() -> None:
    small, large = gear_shapes.bevel(20, 2e-3, math.degrees(math.atan(0.5)), 12e-3), gear_shapes.bevel(
        40, 2e-3, math.degrees(math.atan(2)), 12e-3)  # fmt: skip
    # Apexes: the small one's 40 mm above its base, the large one's 20 mm.
    turned = Rotation.from_euler("y", 90, degrees=True).as_matrix()
    meshing = find_meshing([*placed("a", small, (0, 0, -40e-3)), *placed("b", large, (-20e-3, 0, 0), turned)])
    assert one(meshing) == (CouplingKind.BEVEL, pytest.approx(2.0), {"a", "b"})


def test_a_worm_with_its_wheel() -> None:
    module, starts, teeth = 1.5e-3, 2, 30
    worm = gear_shapes.ridged(starts, 12e-3, 8.7e-3, math.pi * module, 20)
    lead_angle = math.degrees(math.atan(starts * module / (2 * 10.5e-3)))
    turned = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    wheel = gear_shapes.wheel(teeth, module * math.cos(math.radians(lead_angle)), 8e-3, helix=lead_angle)
    middle = 3 * math.pi * module
    distance = 10.5e-3 + module * teeth / 2
    meshing = find_meshing(
        [*placed("worm", worm, (0, 0, -middle)), *placed("wheel", wheel, (distance, 4e-3, 0), turned)]
    )
    kind, ratio, _ = one(meshing)
    assert kind is CouplingKind.WORM
    assert ratio == pytest.approx(15)


def test_a_worm_meshes_where_its_wheel_was_drawn_by_eye() -> None:
    """The reference circle that was read of odd flanks lay outside of the teeth: no pitch was that of a worm."""
    worm = gear_shapes.ridged(1, 8e-3, 5.8e-3, math.pi * 1e-3, 20)
    turned = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    wheel = placed("wheel", gear_shapes.wheel(20, 1.06e-3, 8e-3, helix=4.0), (17.6e-3, 4e-3, 0), turned)
    drawn = [replace(w, reference=1.13 * w.reference, module=1.13 * w.module) for w in wheel]
    threads = placed("worm", worm, (0, 0, -3 * math.pi * 1e-3))
    assert one(find_meshing([*threads, *drawn]))[0] is CouplingKind.WORM
    # Where it stands it must roll, all the same.
    assert find_meshing([*threads, *(replace(w, teeth=30) for w in drawn)]).pairs == ()


@pytest.mark.parametrize(("teeth", "away"), [(24, 0.0), (30, 0.02)])
def test_a_worm_and_a_wheel_of_another_module_do_not_fit_where_they_stand(teeth: int, away: float) -> None:
    """They were said to have no partner where their teeth would mesh."""
    worm = gear_shapes.ridged(2, 12e-3, 8.7e-3, math.pi * 1.5e-3, 20)
    turned = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    wheel = gear_shapes.wheel(teeth, 45e-3 / teeth, 8e-3, helix=8.0)
    middle = 3 * math.pi * 1.5e-3
    standing = placed("wheel", wheel, (10.5e-3 + 22.5e-3 + away, 4e-3, 0), turned)
    meshing = find_meshing([*placed("worm", worm, (0, 0, -middle)), *standing])
    if away:
        assert unfit_pairs(meshing.alone) == []
        return
    assert meshing.pairs == ()
    assert [{w.instance for w in pair} for pair in unfit_pairs(meshing.alone)] == [{"worm", "wheel"}]


def test_short_teeth_become_wheels_by_a_partner() -> None:
    def stub(teeth: int) -> Shape:
        reference = teeth * 0.5e-3
        return gear_shapes.plate(gear_shapes.star(teeth, reference + 0.55e-3, reference - 0.75e-3), 6e-3)

    alone = find_meshing(placed("a", stub(20), (0, 0, 0)))
    assert alone.wheels == ()
    both = find_meshing([*placed("a", stub(20), (0, 0, 0)), *placed("b", stub(40), (30e-3, 0, 0))])
    assert one(both)[1] == pytest.approx(2.0)
    assert all(p.sure for p in both.wheels)


def sector(line: gear_shapes.Array, teeth: int, present: int, arm: float = 0.0) -> Shape:
    """A plate of the first `present` teeth of an outline; the rest at their roots, an `arm` of so many teeth beyond."""
    r, theta = np.hypot(*line.T), np.unwrap(np.arctan2(line[:, 1], line[:, 0]))
    at = (theta - theta[0]) / (2 * math.pi / teeth)
    r = np.where(at < present, r, np.where((at > present + 0.7) & (at < present + 0.7 + arm), 2 * r.max(), r.min()))
    plate = gear_shapes.plate(np.column_stack([r * np.cos(theta), r * np.sin(theta)]), 6e-3)
    z = np.array([0.0, 0.0, 1.0])
    return replace(plate, faces=(Face("cylinder", np.zeros(3), z, 1e-3, area=1e-4), Face("other", np.zeros(3), None)))


def test_sectors_with_an_arm_at_no_step_of_their_teeth_mesh() -> None:
    """The claws of a gripper: their arm stood in the count of the teeth, which then were none."""
    claw = find_wheels(sector(gear_shapes.outline(35, 1e-3), 35, 26, 4.4))
    assert [(w.teeth, w.present, w.sure) for w in claw] == [(35, 26, True)]
    away = Pose(np.diag([1.0, -1, -1]), np.array([35.2e-3, 0, 6e-3]))
    meshing = find_meshing([*(replace(w, instance="a") for w in claw), *(w.moved(away, "b") for w in claw)])
    assert one(meshing) == (CouplingKind.SPUR, 1.0, {"a", "b"})


@pytest.mark.parametrize(("present", "pairs"), [(8, 1), (5, 0)])
def test_a_sector_of_teeth_that_are_no_involutes_is_a_gear_by_its_partner(present: int, pairs: int) -> None:
    # Hollow flanks, which no involute has.
    steps = 2 * math.pi / 18 * (np.arange(18)[:, None] + np.array([-0.36, -0.17, -0.14, 0.14, 0.17, 0.36])).ravel()
    r = 1e-3 * np.tile([7.8, 8.6, 10.0, 10.0, 8.6, 7.8], 18)
    hollow = r[:, None] * np.column_stack([np.cos(steps), np.sin(steps)])
    link = find_wheels(sector(hollow, 18, present))
    away = Pose(I3, np.array([18e-3, 0, 0]))
    meshing = find_meshing([*(replace(w, instance="a") for w in link), *(w.moved(away, "b") for w in link)])
    assert len(meshing.pairs) == pairs
    assert [(w.teeth, w.sure) for w in meshing.wheels] == [(18, True)] * 2 * pairs
    assert find_meshing([replace(w, instance="a") for w in link]).wheels == (), "alone they are no wheel's"


def test_the_carrier_holds_both_axes_through_concentric_shafts() -> None:
    small, large = gear_shapes.wheel(17, 1e-3, 6e-3), gear_shapes.wheel(43, 1e-3, 6e-3)
    pair = find_meshing([*placed("a", small, (0, 0, 0)), *placed("b", large, (30e-3, 0, 0))]).pairs[0]
    z, here, there = np.array([0.0, 0, 1]), np.zeros(3), np.array([30e-3, 0, 0])
    bodies = {"a": "shaft", "b": "wheel"}
    joints = [("shaft", "tube", here, z), ("tube", "box", here, z), ("wheel", "box", there, z)]
    assert carrier_of(pair, bodies, joints) == "box"
    assert carrier_of(pair, bodies, joints[:2]) is None
    # Drawn beside its shaft by less than the depth of its teeth, a wheel turns about that all the same.
    for beside, carrier in ((0.45e-3, "box"), (0.8e-3, None)):
        assert carrier_of(pair, bodies, [*joints[:2], ("wheel", "box", there + np.array([0, beside, 0]), z)]) == carrier


def test_of_a_part_with_several_wheels_the_one_that_is_alone_is_told_by_its_teeth() -> None:
    """A part was said to mesh with another, twice, and to mesh with none."""
    small, large = gear_shapes.wheel(17, 1e-3, 6e-3), gear_shapes.wheel(43, 1e-3, 6e-3)
    other = gear_shapes.wheel(31, 2e-3, 6e-3)
    wheels = [*placed("a", small, (0, 0, 0)), *placed("b", large, (30e-3, 0, 0)), *placed("b", other, (30e-3, 0, 0.1))]
    meshing = find_meshing(wheels)
    twice = replace(meshing, pairs=meshing.pairs * 2)
    bodies = tuple(FoundBody(name, (name,), ()) for name in "abc")
    empty = Assembly("made", "made", "step", (), (), (), ())
    found = with_gears(Recognition(empty, bodies, 2, "", (), (), (), 0.0), wheels, twice)
    told = [f"{f.code} {f.message}" for f in found.findings]
    assert told == [
        "CB1608 no other wheel of the same module stands where it would mesh with the 31 teeth of b",
        "CB1609 a and b mesh, but no body holds both axes",
    ]


def test_what_holds_the_axes_of_wheels_that_mesh_is_one_body(tmp_path: Path) -> None:
    def gear(teeth: int, turn: float) -> cq.Workplane:
        points = [tuple(1e3 * p) for p in gear_shapes.outline(teeth, 1e-3, points=2)]
        return cq.Workplane().polyline(points).close().extrude(5).faces(">Z").workplane().hole(6).rotate(
            (0, 0, 0), (0, 0, 1), turn
        )  # fmt: skip

    post = cq.Workplane().box(9, 9, 20, centered=(True, True, False)).faces(">Z").workplane().circle(3).extrude(6)
    made = cq.Assembly(name="made")
    for name, teeth, x, turn in (("small", 12, 0, 0), ("large", 24, 18, 7.5)):
        made.add(post, name=f"post_{name}", loc=cq.Location(cq.Vector(x, 0, -20)))
        made.add(gear(teeth, turn), name=name, loc=cq.Location(cq.Vector(x, 0, 0)))
    made.export(str(tmp_path / "made.step"))
    _, found = read_recognised(tmp_path / "made.step")
    (pair,) = found.gears
    assert pair.carrier == found.ground
    assert set(found.bodies[found.ground].instances) == {"post_small", "post_large"}
    assert any("both hold axes of" in bond.reason for body in found.bodies for bond in body.bonds)
    assert found.loose == ()
