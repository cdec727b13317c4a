"""Mechanisms whose mobility and redundancy every textbook gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cadbridge.assembly import GROUND, Mate, MateKind
from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.frames import unit
from cadbridge.mechanism import build
from tests.diagnosis.pool import POOL
from tests.mechanism.building import assembly, mate

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BARS = {"crank": (0.0, 0.1, 0.0), "coupler": (0.2, 0.3, 0.0), "rocker": (0.5, 0.15, 0.0)}
FOUR_BAR = [
    mate(BARS, "O", MateKind.INSERT, GROUND, "crank", (0.0, 0.0, 0.0), Z),
    mate(BARS, "A", MateKind.INSERT, "crank", "coupler", (0.05, 0.2, 0.0), Z),
    mate(BARS, "B", MateKind.INSERT, "coupler", "rocker", (0.45, 0.35, 0.0), Z),
    mate(BARS, "C", MateKind.INSERT, "rocker", GROUND, (0.5, 0.0, 0.0), Z),
]
DOOR = {"door": (0.4, 0.0, 1.0)}


def door(hinges: int) -> Diagnosis:
    mates = [mate(DOOR, f"hinge {i}", MateKind.INSERT, GROUND, "door", (0.0, 0.0, 0.3 * i), Z) for i in range(hinges)]
    return diagnose(build(assembly(DOOR, mates)))


def test_a_planar_four_bar_in_space() -> None:
    found = diagnose(build(assembly(BARS, FOUR_BAR)))
    assert found.mobility.gruebler == -2
    assert found.mobility.dof == 1
    assert found.mobility.redundant == 3
    assert [g.mates for g in found.groups] == [("A", "B", "C", "O")]
    assert sum(r.rows for r in found.redundancies) == 3
    assert {r.joint: r.determined for r in found.reactions} == dict.fromkeys("OABC", False)


@pytest.mark.parametrize("hinges", [1, 2, 3])
def test_a_door_on_hinges(hinges: int) -> None:
    found = door(hinges)
    assert found.mobility.dof == 1
    assert found.mobility.redundant == 5 * (hinges - 1)
    # Each further hinge repeats all its rows, and one other hinge is enough to hold them.
    assert [(r.rows, r.of, len(r.duplicates)) for r in found.redundancies] == [(5, 5, 1)] * (hinges - 1)
    assert all(r.kind == "benign" for r in found.redundancies)


def test_three_planes_lock_a_block_and_none_can_be_left_out() -> None:
    places = {"block": (0.1, 0.2, 0.3)}
    mates = [
        mate(places, n, MateKind.FLUSH, GROUND, "block", (0.0, 0.0, 0.0), u)
        for n, u in zip("xyz", (X, Y, Z), strict=True)
    ]
    found = diagnose(build(assembly(places, mates)))
    assert (found.mobility.rows, found.mobility.rank, found.mobility.dof) == (9, 6, 0)
    assert all(r.rows < r.of for r in found.redundancies)
    for left_out in mates:
        rest = [m for m in mates if m is not left_out]
        assert diagnose(build(assembly(places, rest))).mobility.dof == 1


def test_hinges_that_do_not_line_up_conflict() -> None:
    mates = [
        mate(DOOR, "low", MateKind.INSERT, GROUND, "door", (0.0, 0.0, 0.0), Z),
        Mate(
            "high",
            MateKind.INSERT,
            mate(DOOR, "", MateKind.INSERT, GROUND, "door", (0.002, 0.0, 1.0), Z).a,
            mate(DOOR, "", MateKind.INSERT, GROUND, "door", (0.0, 0.0, 1.0), Z).b,
        ),
    ]
    found = diagnose(build(assembly(DOOR, mates)))
    (redundancy,) = found.redundancies
    assert redundancy.kind == "conflicting"
    assert redundancy.residual_mm == pytest.approx(2.0, rel=1e-6)
    assert "CB403" in {f.code for f in found.findings}


def test_two_pins_in_line_but_for_rounding_hold_no_turn() -> None:
    """Of rows that all coordinates depend on, the singular values do not show what some add by rounding alone."""
    at, square = (0.3, 0.2, 0.0), mate(DOOR, "square", MateKind.PARALLEL, GROUND, "door", (0.0, 0.0, 0.0), X)
    pins = [mate(DOOR, name, MateKind.CONCENTRIC, GROUND, "door", at, Z) for name in ("pin", "pin again")]
    pins[1] = replace(pins[1], b=replace(pins[1].b, direction=unit((1e-6, 5e-7, 1.0))))
    seat = mate(DOOR, "seat", MateKind.FLUSH, GROUND, "door", (0.0, 0.0, 0.0), Z)
    found = diagnose(build(assembly(DOOR, [*pins, seat, square])))
    assert (found.mobility.rows, found.mobility.rank, found.mobility.dof) == (13, 6, 0)
    assert {f.code for f in found.findings} == {"CB404"}


@settings(max_examples=20)
@given(st.permutations(range(4)))
def test_the_order_of_mates_changes_neither_mobility_nor_groups(order: Sequence[int]) -> None:
    found = diagnose(build(assembly(BARS, [FOUR_BAR[i] for i in order])))
    usual = diagnose(build(assembly(BARS, FOUR_BAR)))
    assert found.mobility == usual.mobility
    assert found.groups == usual.groups
    assert {(r.mate, r.rows, r.duplicates) for r in found.redundancies} == {
        (r.mate, r.rows, r.duplicates) for r in usual.redundancies
    }


@pytest.mark.parametrize(
    ("name", "rows", "rank", "dof", "finite"),
    [
        ("universal joint", 19, 17, 1, 1),  # both shafts in bearings: one turn, two rows of the forks too many
        ("crank-slider", 19, 17, 1, 1),
        ("door on two", 10, 5, 1, 1),
        ("door on three", 15, 5, 1, 1),
        ("block", 9, 6, 0, 0),
        ("planetary", 31, 29, 1, 1),
        ("locked trains", 18, 18, 0, 0),
        ("shaky", 15, 11, 1, 0),
    ],
)
def test_mobilities_of_the_textbooks(name: str, rows: int, rank: int, dof: int, finite: int) -> None:
    m = diagnose(build(POOL[name]())).mobility
    assert (m.rows, m.rank, m.dof, m.finite) == (rows, rank, dof, finite)
