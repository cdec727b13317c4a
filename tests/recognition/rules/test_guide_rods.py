"""Carriages on parallel rods: what holds the rods is a frame, bearings may be drawn or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.late import cq
from tests.recognition.solids import Parts, box, joints, recognised, tube

PLACES = [(-20.0, 15.0), (20.0, 15.0)]
"""mm across the rods."""


def along(radius: float, length: float, inner: float = 0.0) -> cq.Workplane:
    """A rod or a tube along x from the origin, mm."""
    rod = cq.Workplane("YZ").circle(radius)
    return (rod.circle(inner) if inner else rod).extrude(length)


def stage(bore: float, carriage: str = "carriage") -> Parts:
    """Two rods of radius 4 between two blocks on a bed, and a carriage with bores of a radius about them."""
    holes = cq.Workplane("YZ").pushPoints(PLACES)
    end, block = box(10, 70, 30).cut(holes.circle(4).extrude(20, both=True)), box(30, 60, 20).translate((0, 0, 5))
    parts = {
        "left": (end, (-95, 0, 0)), "right": (end, (95, 0, 0)), "bed": (box(220, 90, 6), (0, 0, -6)),
        carriage: (block.cut(holes.circle(bore).extrude(50, both=True)), (0, 0, 0)),
    }  # fmt: skip
    return parts | {f"rod{k}": (along(4, 200), (-100, *place)) for k, place in enumerate(PLACES)}


@pytest.mark.parametrize("bore", [4.0, 4.05, 4.5, 5.0, 7.5])
@pytest.mark.parametrize("carriage", ["carriage", "a", "z"])
def test_a_carriage_slides_on_rods_between_two_blocks_with_and_without_its_bearings(
    tmp_path: Path, bore: float, carriage: str
) -> None:
    """The blocks hold the ends of both rods: they slide on nothing."""
    found = recognised(tmp_path, stage(bore, carriage))
    assert joints(found) == {frozenset(("bed", carriage)): "prismatic"}
    (joint,) = found.joints
    assert joint.axis is not None
    assert abs(joint.axis[0]) == pytest.approx(1.0)


def test_a_carriage_slides_by_the_bearings_that_are_drawn(tmp_path: Path) -> None:
    bearings: Parts = {f"lm{k}": (along(7.5, 24, 4.0), (-12, *place)) for k, place in enumerate(PLACES)}
    found = recognised(tmp_path, stage(7.5) | bearings)
    assert joints(found) == {frozenset(("bed", "carriage")): "prismatic"}


@pytest.mark.parametrize(("plates", "freedoms"), [(2, 2), (3, 0)])
def test_three_plates_on_the_same_rods_are_a_stack_and_two_are_carriages(
    tmp_path: Path, plates: int, freedoms: int
) -> None:
    parts = {name: part for name, part in stage(4.0).items() if name != "carriage"}
    block = stage(4.0)["carriage"][0]
    parts |= {f"plate{k}": (block, (-50.0 + 50.0 * k, 0.0, 0.0)) for k in range(plates)}
    found = recognised(tmp_path, parts)
    assert found.freedoms == freedoms
    assert {j.type for j in found.joints} == ({"prismatic"} if freedoms else set())


def test_rods_that_nothing_holds_are_one_frame(tmp_path: Path) -> None:
    parts = {name: part for name, part in stage(5.0).items() if name.startswith(("rod", "carriage"))}
    found = recognised(tmp_path, parts)
    assert [j.type for j in found.joints] == ["prismatic"]
    assert len(found.bodies) == 2


def test_collars_on_both_sides_of_a_hole_hold_what_has_it(tmp_path: Path) -> None:
    """Threaded rods with their nuts go with room through a plate that slides on nothing."""
    collars: Parts = {
        f"collar{k}{m}": (along(6.5, 5, 4.0), (x, *place))
        for k, place in enumerate(PLACES) for m, x in enumerate((-20.0, 15.0))
    }  # fmt: skip
    found = recognised(tmp_path, stage(4.6) | collars)
    assert not any(j.type == "prismatic" for j in found.joints)


def test_axles_through_a_chassis_are_no_rods_of_a_frame(tmp_path: Path) -> None:
    """Two equal rods beside each other, but each carries its wheels."""
    holes = cq.Workplane("YZ").pushPoints([(-35.0, 10.0), (35.0, 10.0)]).circle(2).extrude(100, both=True)
    chassis = box(60, 100, 20).cut(box(52, 100, 20).translate((0, 0, 3))).cut(holes)
    parts: Parts = {"chassis": (chassis, (0, 0, 0))}
    for y in (-35.0, 35.0):
        parts[f"axle{y:+.0f}"] = (along(2, 90), (-45, y, 10))
        for x in (-42.0, 34.0):
            parts[f"wheel{y:+.0f}{x:+.0f}"] = (along(15, 8, 2.0), (x, y, 10))
    found = recognised(tmp_path, parts)
    assert set(joints(found).values()) == {"revolute"}
    assert all(len(body.instances) <= 2 for body in found.bodies)


@pytest.mark.parametrize("end", [0.0, 22.0])
def test_a_gantry_on_two_rods_with_supports_of_their_own_slides(tmp_path: Path, end: float) -> None:
    """Two brackets, each along one rod, are one body by the rods across: on these a carriage slides."""
    bore = along(4, 80).translate((-40, 0, 15))
    across = cq.Workplane("XZ").pushPoints([(-12, 35), (12, 35)]).circle(3).extrude(20, both=True)
    support, bracket = box(10, 20, 30).cut(bore), box(40, 30, 50).cut(bore).cut(across)
    block = box(50, 20, 20).translate((0, 0, 25)).cut(across)
    parts: Parts = {"carriage": (block, (0, 10, 0))}
    for k, y in enumerate((-100.0, 100.0)):
        parts[f"rod{k}"] = (along(4, 400 + end), (-200, y, 15))
        parts[f"bracket{k}"] = (bracket, (0, y, 0))
        parts[f"low{k}"], parts[f"high{k}"] = (support, (-195, y, 0)), (support, (195, y, 0))
        rail = cq.Workplane("XZ").circle(3).extrude(-230)
        parts[f"rail{k}"] = (rail, (-12 + 24 * k, -115, 35))
    found = recognised(tmp_path, parts)
    assert [j.type for j in found.joints] == ["prismatic"] * 2
    assert found.freedoms == 2


def test_a_pin_between_the_cheeks_of_a_fork_is_no_rod_of_a_frame(tmp_path: Path) -> None:
    """The pin spins as it did: the cheeks are of one part, and no two supports."""
    hole = cq.Workplane("XZ").circle(2).extrude(60, both=True).translate((0, 0, 10))
    fork = box(20, 60, 20).cut(box(20, 52, 20)).cut(hole)
    eye = tube(6, 2, 6).translate((0, 0, -3)).rotate((0, 0, 0), (1, 0, 0), 90).translate((0, 0, 10))
    pin = cq.Workplane("XZ").circle(2).extrude(-60)
    parts: Parts = {"fork-1": (fork, (0, 0, 0)), "eye-1": (eye, (0, 0, 0)), "pin-1": (pin, (0, -30, 10))}
    found = recognised(tmp_path, parts)
    assert len(found.bodies) == 3


@pytest.mark.parametrize("thick", [20, 12])
def test_rods_go_with_the_plate_that_is_screwed_to_their_ends_and_another_slides_on_them(
    tmp_path: Path, thick: float
) -> None:
    """Rods each held by one screw along their axis: they would turn in either plate, and went with the longer bore.

    In a plate that is hardly thicker than the rod it was a pin in its one bore.
    """
    holes = cq.Workplane("YZ").pushPoints(PLACES)
    rod = along(4, 80).cut(along(1.5, 12))
    back = box(5, 70, 60).translate((-2.5, 0, 0)).cut(holes.circle(1.5).extrude(30, both=True))
    slider = box(thick, 70, 60).cut(holes.circle(4).extrude(30, both=True))
    screw = along(1.5, 15).union(along(2.75, 3).translate((-3, 0, 0)))
    parts: Parts = {"back": (back, (0, 0, 0)), "slider": (slider, (40, 0, 0))}
    parts |= {f"rod{k}": (rod, (0, *place)) for k, place in enumerate(PLACES)}
    parts |= {f"screw_m3_{k}": (screw, (-5, *place)) for k, place in enumerate(PLACES)}
    found = recognised(tmp_path, parts)
    assert [j.type for j in found.joints] == ["prismatic"]
    assert found.body_of["rod0"] == found.body_of["rod1"] == found.body_of["back"] != found.body_of["slider"]
