"""Standard parts by their shape: screws, nuts, washers, balls and pins as meshes made here; names only as witness."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.geometry import Shape
from cadbridge.recognition.standard.names import StandardKind, called_drive
from cadbridge.recognition.standard.parts import standard_part
from tests.late import cq
from tests.recognition.gear_shapes import polygon, ridged, ring, turned, wheel
from tests.recognition.solids import box, disc, tube

M5 = 2.5e-3


def socket_screw() -> Shape:
    """An M5 × 16 cap screw with a hexagon socket."""
    return turned((ring(M5), -16e-3), (ring(M5), 0), (ring(4.25e-3), 0), (ring(4.25e-3), 5e-3),
                  (polygon(6, 2e-3), 5e-3), (polygon(6, 2e-3), 2.5e-3))  # fmt: skip


def hexagon_screw() -> Shape:
    """An M8 × 30 screw with a hexagon head."""
    return turned((ring(4e-3), -30e-3), (ring(4e-3), 0), (polygon(6, 6.5e-3), 0), (polygon(6, 6.5e-3), 5.3e-3))


def nut(bore: float = 4e-3, flat: float = 6.5e-3, height: float = 6.5e-3) -> Shape:
    return turned((polygon(6, flat), 0), (polygon(6, flat), height), (ring(bore), height), (ring(bore), 0), closed=True)


def flat_ring(bore: float, outer: float, height: float) -> Shape:
    return turned((ring(outer), 0), (ring(outer), height), (ring(bore), height), (ring(bore), 0), closed=True)


def cylinder(radius: float, length: float, chamfer: float = 0.0) -> Shape:
    edge = chamfer or 1e-9
    return turned((ring(radius - chamfer), 0), (ring(radius), edge), (ring(radius), length - edge),
                  (ring(radius - chamfer), length))  # fmt: skip


def bar(side: float, length: float) -> Shape:
    """A square bar, as the shortest and the longest key of DIN 6885 beside its width (3 × 3 × 6 and 36)."""
    return turned((polygon(4, side / 2), 0), (polygon(4, side / 2), length))


def ball(radius: float) -> Shape:
    angles = np.linspace(-1.5, 1.5, 40)
    return turned(*((ring(radius * float(np.cos(a))), radius * float(np.sin(a))) for a in angles))


@pytest.mark.parametrize(
    ("shape", "kind", "radius"),
    [
        (socket_screw(), StandardKind.SCREW, M5),
        (hexagon_screw(), StandardKind.SCREW, 4e-3),
        (nut(), StandardKind.NUT, 4e-3),
        (flat_ring(4.2e-3, 8e-3, 1.6e-3), StandardKind.WASHER, 4.2e-3),
        (flat_ring(5e-3, 6e-3, 1e-3), StandardKind.CIRCLIP, 5e-3),
        (flat_ring(4e-3, 11e-3, 7e-3), StandardKind.BEARING, 4e-3),
        (flat_ring(8.5e-3, 15e-3, 7e-3), StandardKind.BEARING, 8.5e-3),
        (cylinder(3e-3, 20e-3, 0.5e-3), StandardKind.PIN, 3e-3),
        (ball(3e-3), StandardKind.BALL, 3e-3),
        (bar(3e-3, 6e-3), StandardKind.KEY, 1.5e-3),
        (bar(3e-3, 36e-3), StandardKind.KEY, 1.5e-3),
    ],
)
def test_the_shape_says_the_kind(shape: Shape, kind: StandardKind, radius: float) -> None:
    found = standard_part(shape)
    assert found is not None
    assert found.kind is kind, found.evidence
    assert found.radius == pytest.approx(radius, rel=0.02)


def test_a_screw_knows_where_its_head_bears_and_what_turns_it() -> None:
    found = standard_part(socket_screw())
    assert found is not None
    assert "hexagon socket" in found.evidence
    assert found.head == pytest.approx(4.25e-3, rel=0.01)
    assert found.under_head is not None
    bearing = found.point + found.under_head * found.axis
    assert bearing == pytest.approx([0, 0, 0], abs=1e-5)


def test_a_name_is_a_second_witness_only() -> None:
    plain = standard_part(hexagon_screw())
    named = standard_part(hexagon_screw(), ["ISO 4017 M8x30 hexagon screw"])
    misnamed = standard_part(hexagon_screw(), ["Washer 8"])
    assert plain is not None
    assert named is not None
    assert misnamed is not None
    assert misnamed.confidence < plain.confidence < named.confidence
    assert misnamed.kind is StandardKind.SCREW


@pytest.mark.parametrize(
    ("shape", "what"),
    [
        (flat_ring(20e-3, 24e-3, 60e-3), "a tube"),
        (flat_ring(30e-3, 90e-3, 10e-3), "a flange"),
        (cylinder(40e-3, 300e-3), "a thick shaft"),
        (wheel(24, 1e-3, 8e-3), "a gear"),
        (turned((polygon(4, 50e-3), 0), (polygon(4, 50e-3), 10e-3)), "a plate"),
    ],
)
def test_other_parts_are_none(shape: Shape, what: str) -> None:
    assert standard_part(shape) is None, what


@pytest.mark.parametrize(("depth", "kind"), [(6e-3, StandardKind.SCREW), (24e-3, None)])
def test_a_bore_that_goes_on_below_its_head_makes_a_shaft_and_no_screw(depth: float, kind: StandardKind | None) -> None:
    """A head of 10 mm on a shank of 16 × 30 mm, with a round recess or a bore from its top."""
    shape = turned((ring(8e-3), -30e-3), (ring(8e-3), 0), (ring(12e-3), 0), (ring(12e-3), 10e-3),
                   (ring(5e-3), 10e-3), (ring(5e-3), 10e-3 - depth))  # fmt: skip
    found = standard_part(shape)
    assert (None if found is None else found.kind) == kind


def test_a_threaded_rod_is_known_by_its_ridges() -> None:
    rod = ridged(1, 4e-3, 3.3e-3, 1.25e-3, 30, turns=20)
    assert standard_part(rod) is None  # it has a bore along it, as no rod has


@pytest.mark.parametrize("balls", [True, False])
def test_balls_make_a_bearing_and_the_corners_of_a_rounded_block_do_not(tmp_path: Path, balls: bool) -> None:
    """A servo's case of several solids, bored through: its eight corners are pieces of balls of one size."""
    if balls:
        rings = [tube(15, 12, 9), tube(8, 5, 9)]
        solids = [*rings, *(cq.Workplane().sphere(2.9).translate((10, 0, 4.5)).rotate((0, 0, 0), (0, 0, 1), 60 * k)
                            for k in range(6))]  # fmt: skip
    else:
        case = box(40, 20, 36).edges().fillet(1).translate((8, 0, 0)).cut(disc(1.5, 36))
        solids = [case, *(tube(7, 1.5, 2).translate((0, 0, z)) for z in (-2, 36))]
    made = cq.Compound.makeCompound([s.val() for s in solids])
    cq.Assembly(name="made").add(made, name="part").export(str(tmp_path / "made.step"))
    part = cb.read(tmp_path / "made.step").part("part")
    assert part.shape is not None
    found = standard_part(part.shape)
    assert (found is not None and "balls between rings" in found.evidence) == balls


MOTORS = (
    "JGY-370 v1:1", "JGA25-370", "25GA370", "GA12-N20", "17HS19-2004S1", "SY20STH42-0804A", "28BYJ-48", "42BYGH40",
    "RS-775", "2212-920KV", "AK80-9", "DM-J4310-2EC", "DS3218", "HS-422", "DC07_A_DUMMY_AL",
    "25d-metal-gearmotor-172-227-encoder",
)  # fmt: skip


@pytest.mark.parametrize("name", MOTORS)
def test_a_motor_is_known_by_its_makers_type(name: str) -> None:
    assert called_drive(name)
    assert not called_drive(f"{name} bracket")


@pytest.mark.parametrize(
    "name",
    [
        "14t steel pinion of a motor",
        "GA 12",
        "DIN 912",
        "HS 20",
        "Part 370",
        "plate 4310",
        "motor encoder",
        "DC15_A01_HORN_DUMMY",
        "servo dummy",
        "ServoArm001",
    ],
)
def test_what_is_for_a_motor_or_has_a_number_is_none(name: str) -> None:
    assert not called_drive(name)
