"""Fasteners are taken out first: what they hold, what turns on them, and where they go in the end."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cadbridge.recognition.evidence.gathering import toothed
from cadbridge.recognition.faces.layers import Layer
from cadbridge.recognition.standard.names import StandardKind, called_fastener, named_size
from cadbridge.recognition.standard.screws import layered_part
from cadbridge.recognition.wheels.wheel import WheelKind
from tests.late import cq
from tests.recognition.solids import Parts, joints, recognised


def bolt(radius: float, length: float) -> cq.Workplane:
    """A cap screw along -z, its head above z = 0."""
    head = cq.Workplane().circle(1.8 * radius).extrude(2 * radius).faces(">Z").workplane().polygon(6, 2 * radius)
    return head.cutBlind(-radius).union(cq.Workplane().circle(radius).extrude(-length))


def nut(radius: float) -> cq.Workplane:
    return cq.Workplane().polygon(6, 4 * radius).circle(radius).extrude(1.6 * radius)


def washer(radius: float) -> cq.Workplane:
    return cq.Workplane().circle(2.2 * radius).circle(1.07 * radius).extrude(0.5)


def link(length: float, radius: float) -> cq.Workplane:
    return cq.Workplane().slot2D(length, 8 * radius).extrude(4).faces(">Z").workplane().pushPoints(
        [(-length / 2 + 4 * radius, 0), (length / 2 - 4 * radius, 0)]
    ).hole(2 * radius)  # fmt: skip


def test_one_bolt_with_washers_through_two_links_is_a_pivot(tmp_path: Path) -> None:
    parts: Parts = {
        "low": (link(60, 1.5), (0, 0, 0)),
        "high": (link(60, 1.5), (48, 0, 4.5)),
        "washer": (washer(1.5), (24, 0, 4)),
        "bolt": (bolt(1.5, 14), (24, 0, 8.5)),
        "nut": (nut(1.5), (24, 0, -2.4)),
    }
    found = recognised(tmp_path, parts)
    assert joints(found) == {frozenset(("low", "high")): "revolute"}
    assert sorted(n for body in found.bodies for n in body.instances) == sorted(parts)


def test_two_bolts_hold_what_one_lets_turn(tmp_path: Path) -> None:
    parts: Parts = {"low": (link(60, 1.5), (0, 0, 0)), "high": (link(60, 1.5), (0, 0, 4))}
    one = {"bolt0": (bolt(1.5, 8), (24, 0, 8))}
    both = one | {"bolt1": (bolt(1.5, 8), (-24, 0, 8))}
    assert len(recognised(tmp_path, {**parts, **both}).bodies) == 1


def test_a_screw_on_the_axis_on_which_a_horn_turns_fixes_nothing(tmp_path: Path) -> None:
    case = cq.Workplane().box(40, 20, 20, centered=(True, True, False)).faces(">Z").workplane().circle(3).cutBlind(-8)
    case = case.faces("<Z[1]").workplane().circle(1).cutBlind(-6)
    horn = cq.Workplane().circle(10).extrude(3).union(cq.Workplane().circle(3).extrude(-4)).faces(">Z").workplane()
    parts: Parts = {
        "case": (case, (0, 0, 0)),
        "horn": (horn.hole(2), (0, 0, 20)),
        "M2x12": (bolt(1, 12), (0, 0, 23)),
    }
    assert joints(recognised(tmp_path, parts)) == {frozenset(("case", "horn")): "revolute"}


def test_a_screw_with_a_hexalobular_socket_is_no_splined_hub(tmp_path: Path) -> None:
    """The socket of its head has six teeth, as a spline has; its name and its shape say what it is."""
    lobes = [
        ((1.2 + 0.2 * math.cos(6 * t)) * math.cos(t), (1.2 + 0.2 * math.cos(6 * t)) * math.sin(t))
        for t in np.linspace(0, 2 * math.pi, 12, endpoint=False)
    ]
    socket = cq.Workplane().workplane(offset=1.5).spline(lobes, periodic=True).close().extrude(1.5)
    screw = cq.Workplane().circle(2.75).extrude(3).cut(socket).union(cq.Workplane().circle(1.5).extrude(-12))
    parts: Parts = {
        "low": (link(60, 1.5), (0, 0, 0)),
        "high": (link(60, 1.5), (48, 0, 4)),
        "M3x12-Screw007": (screw, (24, 0, 8)),
    }
    found = recognised(tmp_path, parts)
    assert joints(found) == {frozenset(("low", "high")): "revolute"}
    assert found.fasteners == {"M3x12-Screw007"}


@pytest.mark.parametrize(("head", "meshes", "out"), [(True, False, True), (False, False, False), (True, True, False)])
def test_even_ridges_below_a_driven_head_are_a_thread(head: bool, meshes: bool, out: bool) -> None:
    """Makers' models have threads of 2.1 modules with flanks of 30°, which a worm may have: screws turned as hinges."""
    shank = [Layer(0.0, 0.01, ())]
    under = 0.01 if head else None
    screw = layered_part(StandardKind.SCREW, shank, 0.0015, 0.003, 0.9, "hexagon socket", under)
    worm = SimpleNamespace(instance="screw", kind=WheelKind.WORM)
    pairs = (SimpleNamespace(instances=("screw", "wheel")),) if meshes else ()
    scene: Any = SimpleNamespace(standards={"screw": screw})
    meshing: Any = SimpleNamespace(pairs=pairs)
    wheels: Any = (worm,)
    assert toothed(scene, wheels, meshing) == (set() if out else {"screw"})


def test_a_nut_in_a_slot_holds_the_part_that_it_lies_in(tmp_path: Path) -> None:
    """The bolt of a laser-cut box stands in one plate only; its nut lies in a slot of the other."""
    wall = cq.Workplane().box(40, 40, 4, centered=(True, True, False)).faces(">Z").workplane().hole(3)
    tab = cq.Workplane().box(30, 4, 30, centered=(True, True, False))
    tab = tab.cut(cq.Workplane().box(3.2, 4, 12, centered=(True, True, False)))
    tab = tab.cut(cq.Workplane().box(6.4, 4, 2.4, centered=(True, True, False)).translate((0, 0, 5)))
    parts: Parts = {
        "wall": (wall, (0, 0, -4)),
        "tab": (tab, (0, 0, 0)),
        "bolt": (bolt(1.5, 14).rotate((0, 0, 0), (1, 0, 0), 180), (0, 0, -4)),
        "nut": (nut(1.5), (0, 0, 5)),
    }
    assert len(recognised(tmp_path, parts).bodies) == 1


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Philips M3X30", StandardKind.SCREW),
        ("PHS_1_7X20_5_DC10:1", StandardKind.SCREW),
        ("Zylinderschraube DIN 912", StandardKind.SCREW),
        ("tornillo", StandardKind.SCREW),
        ("内六角螺钉 M4×12", StandardKind.SCREW),
        ("M3 Locknut", StandardKind.NUT),
        ("M2-Nut001", StandardKind.NUT),
        ("M2-Nut127", StandardKind.NUT),
        ("Sechskantmutter", StandardKind.NUT),
        ("écrou M5", StandardKind.NUT),
        ("M3 Threaded Insert (1)", StandardKind.NUT),
        ("2020 Drop-in T-nut, M5", StandardKind.NUT),
        ("T-nut plate", None),
        ("Unterlegscheibe", StandardKind.WASHER),
        ("servo-screw-003", StandardKind.SCREW),
        ("MOUNT SCREW:2", StandardKind.SCREW),
        ("DX124_SCREW-COVER", None),
        ("servo-screw-cover-003", None),
        ("Riemenscheibe", None),
        ("lead screw Tr8x2", None),
        ("servo", None),
    ],
)
def test_fasteners_are_known_by_their_names(name: str, kind: StandardKind | None) -> None:
    assert called_fastener([name]) == kind


@pytest.mark.parametrize(("name", "joined"), [("15circlip", False), ("part", True)])
def test_a_circlip_with_ears_is_known_by_its_name_and_spins_nothing(tmp_path: Path, name: str, joined: bool) -> None:
    """It lies in the groove of a shaft that a plate holds: without the name it would turn there."""
    shaft = cq.Workplane().circle(8).extrude(40).cut(
        cq.Workplane().workplane(offset=30).circle(9).circle(7).extrude(1.2)
    )  # fmt: skip
    clip = cq.Workplane().workplane(offset=30).circle(9).circle(7.1).extrude(1.2)
    clip = clip.cut(cq.Workplane().workplane(offset=30).center(12, 0).rect(14, 3).extrude(1.2))
    clip = clip.union(cq.Workplane().workplane(offset=30).pushPoints([(10, 3), (10, -3)]).circle(2).extrude(1.2))
    base = cq.Workplane().rect(60, 60).extrude(10).union(shaft)
    lever = cq.Workplane().workplane(offset=12).rect(60, 26).circle(8).extrude(6)
    parts: Parts = {"base": (base, (0, 0, 0)), "lever": (lever, (0, 0, 0)), name: (clip, (0, 0, 0))}
    found = recognised(tmp_path, parts)
    assert (frozenset(("base", name)) in joints(found)) == joined
    assert (name in found.fasteners) != joined


def test_a_name_says_the_size_of_a_screw() -> None:
    assert named_size(["M3x20"]) == pytest.approx((0.003, 0.020))
    assert named_size(["FHS_M2_5X10"]) == pytest.approx((0.0025, 0.010))
    assert named_size(["M3x020"]) == pytest.approx((0.003, 0.020))
    assert named_size(["bolt"]) is None


@pytest.mark.parametrize("barred", [True, False])
def test_a_screw_with_a_bar_across_is_turned_by_hand(tmp_path: Path, barred: bool) -> None:
    screw = cq.Workplane().circle(8).extrude(12).union(cq.Workplane().circle(5).extrude(-60))
    cross = cq.Workplane("XZ").center(0, 6).circle(2).extrude(40, both=True)
    block = cq.Workplane().box(40, 40, 20, centered=(True, True, False)).faces(">Z").workplane().hole(10)
    parts: Parts = {"block": (block, (0, 0, -30)), "jaw screw": (screw.cut(cross) if barred else screw, (0, 0, 0))}
    parts["base"] = (cq.Workplane().box(200, 100, 10, centered=(True, True, False)), (0, 0, -40))
    found = recognised(tmp_path, parts | ({"bar": (cross, (0, 0, 0))} if barred else {}))
    assert any("jaw screw" in pair for pair in joints(found)) is barred


@pytest.mark.parametrize(("name", "bodies"), [("T-Nut 3030 M3", 1), ("slider", 2)])
def test_a_nut_for_a_slot_is_known_by_its_name_whatever_its_form(tmp_path: Path, name: str, bodies: int) -> None:
    """One bolt alone would let it turn beneath the plate that it clamps to a profile."""
    plate = cq.Workplane().box(60, 60, 6, centered=(True, True, False)).faces(">Z").workplane().hole(3.4)
    slot_nut = cq.Workplane().box(16, 8, 4, centered=(True, True, False)).faces(">Z").workplane().hole(3)
    parts: Parts = {"plate": (plate, (0, 0, 0)), name: (slot_nut, (0, 0, -7)), "bolt": (bolt(1.5, 13), (0, 0, 6))}
    parts["base"] = (cq.Workplane().box(200, 100, 10, centered=(True, True, False)), (0, 0, -20))
    found = recognised(tmp_path, parts)
    assert len({found.body_of[part] for part in ("plate", name)}) == bodies
