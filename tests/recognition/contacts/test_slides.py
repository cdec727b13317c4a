"""Slides between walls."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition.choice.calibration import of_joint
from tests.late import cq
from tests.recognition.solids import Parts, box, disc, joints, link, recognised, tube


@pytest.mark.parametrize(
    ("block", "slot", "kinds"),
    [
        ((10.0, 10.0, 20.0), 80.0, ["prismatic"]),
        ((5.0, 10.0, 20.0), 80.0, []),  # a strut between two rails: it would jam
        ((10.0, 10.0, 20.0), 15.0, []),  # no stroke
    ],
)
def test_a_block_in_a_slot_through_a_plate_slides_along_the_slot(
    tmp_path: Path, block: tuple[float, float, float], slot: float, kinds: list[str]
) -> None:
    """Two walls and no floor; the block is higher than the plate."""
    guide = box(120, 40, 5).cut(box(slot, block[1], 5))
    found = recognised(tmp_path, {"guide": (guide, (0, 0, 0)), "slider": (box(*block), (0, 0, -8))})
    assert [j.type for j in found.joints] == kinds
    if kinds:
        axis = found.joints[0].axis
        assert axis is not None
        assert abs(axis[0]) == pytest.approx(1.0)


def test_a_slider_crank_in_a_slot_closes_its_loop(tmp_path: Path) -> None:
    """The slider's slide is in the same loop as its pin: neither is moved alone, and no turn is blocked by the slot."""
    base = box(200, 40, 6).cut(box(100, 10, 6).translate((40, 0, 0))).cut(disc(3, 6).translate((-70, 0, 0)))
    pin = disc(3, 7).translate((0, 20, 0))
    crank = box(8, 30, 3).translate((0, 10, 0)).union(disc(3, 6).translate((0, 0, -6))).union(pin)
    slider = box(10, 10, 9).union(disc(3, 14))
    rod = link((100**2 + 20**2) ** 0.5).rotate((0, 0, 0), (0, 0, 1), -11.309932474)
    found = recognised(tmp_path, {
        "base": (base, (0, 0, 0)), "crank": (crank, (-70, 0, 6)), "slider": (slider, (30, 0, -1)),
        "rod": (rod, (-70, 20, 9.5)),
    })  # fmt: skip
    assert joints(found) == {
        frozenset(("base", "crank")): "revolute", frozenset(("crank", "rod")): "revolute",
        frozenset(("rod", "slider")): "revolute", frozenset(("base", "slider")): "prismatic",
    }  # fmt: skip
    assert found.freedoms == 1


@pytest.mark.parametrize(("length", "kinds"), [(20.0, ["prismatic"]), (8.0, [])])
def test_a_tab_in_a_channel_wider_than_it_is_long_is_a_seat(tmp_path: Path, length: float, kinds: list[str]) -> None:
    """A tongue under a wide table, in a channel with a floor: short, it would jam like a drawer of one side."""
    guide = box(120, 40, 8).cut(box(120, 16, 3).translate((0, 0, 5)))
    table = box(60, 60, 5).translate((0, 0, 5)).union(box(length, 16, 5))
    found = recognised(tmp_path, {"guide": (guide, (0, 0, 0)), "table": (table, (0, 0, 5))})
    assert [j.type for j in found.joints] == kinds


@pytest.mark.parametrize(("at", "strength"), [(0.0, 0.55), (20.0, 0.45)])
def test_a_slide_that_a_face_stops_one_way_is_in_doubt(tmp_path: Path, at: float, strength: float) -> None:
    """A channel that ends: what lies at its end may be held there."""
    guide = box(120, 40, 8).cut(box(90, 16, 3).translate((-15, 0, 5)))
    table = box(60, 60, 5).translate((0, 0, 5)).union(box(20, 16, 5))
    found = recognised(tmp_path, {"guide": (guide, (0, 0, 0)), "table": (table, (at, 0, 5))})
    (joint,) = found.joints
    assert (joint.type, joint.confidence) == ("prismatic", of_joint(strength, links=True))
    assert ("a face across it stops one way" in joint.against) == (at > 0)


def hook() -> tuple[cq.Workplane, cq.Workplane]:
    """A rail with a foot, and a block that reaches round its head."""
    rail = box(200, 20, 10).translate((0, 0, 10)).union(box(200, 10, 10))
    room = box(300, 20, 10).translate((0, 0, 10)).union(box(300, 12, 30))
    return rail, box(40, 36, 20).translate((0, 0, 6)).cut(room)


@pytest.mark.parametrize("names", [("guide", "table"), ("z", "a")])
def test_what_a_guide_holds_all_round_slides(tmp_path: Path, names: tuple[str, str]) -> None:
    guide, table = hook()
    guide = guide.union(box(20, 100, 5).translate((80, 0, 0))).union(disc(3, 14).translate((80, 45, 0)))
    lever = link(30).translate((80, 45, 5))
    parts: Parts = {names[0]: (guide, (0, 0, 0)), names[1]: (table, (7, 0, 0)), "lever": (lever, (0, 0, 0))}
    found = recognised(tmp_path, parts)
    assert joints(found) == {frozenset(names): "prismatic", frozenset((names[0], "lever")): "revolute"}
    slide = next(j for j in found.joints if j.type == "prismatic")
    assert slide.axis is not None
    assert abs(slide.axis[0]) == pytest.approx(1.0)


def test_a_hub_with_a_hexagon_turns_with_its_shaft(tmp_path: Path) -> None:
    """Walls all round, but it does not go along them: a prism of six sides carries a torque."""
    base = tube(20, 4.01, 4).translate((0, 0, -4))
    shaft = cq.Workplane().polygon(6, 12).extrude(60).union(disc(4, 20).translate((0, 0, -20)))
    hub = disc(20, 12).cut(cq.Workplane().polygon(6, 12).extrude(12))
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "shaft": (shaft, (0, 0, 0)), "hub": (hub, (0, 0, 20))})
    assert not any(j.type == "prismatic" for j in found.joints)


@pytest.mark.parametrize(("length", "kinds"), [(200.0, ["prismatic"]), (30.0, [])])
def test_a_block_slides_on_the_rail_whose_rounded_edges_it_has(tmp_path: Path, length: float, kinds: list[str]) -> None:
    """Where both end together, it is an edge cut to fit."""
    rail = box(length, 12, 8).edges("|X and >Z").fillet(0.5)
    block = box(30, 27, 10).translate((0, 0, 3)).cut(rail)
    found = recognised(tmp_path, {"rail": (rail, (0, 0, 0)), "block": (block, (0, 0, 0))})
    assert [j.type for j in found.joints] == kinds
