"""Solids that reach into each other, and fits that do not."""

from __future__ import annotations

import numpy as np
import pytest

from cadbridge.assembly import Assembly, Part
from cadbridge.findings import Findings
from cadbridge.geometry import Mesh
from cadbridge.mass import overlaps_of
from cadbridge.mass.overlap import solid_of
from tests.mass.solids import box, placed, shape, tube

BLOCK = Part("block", shape(box(0.1, 0.1, 0.1)))
PEG = Part("peg", shape(box(0.02, 0.02, 0.2)))


def test_two_blocks_share_what_they_share() -> None:
    findings = Findings()
    (found,) = overlaps_of(placed([BLOCK], ("block", (0, 0, 0)), ("block", (0.09, 0.05, 0.0))), findings)
    assert (found.a, found.b) == ("block:0", "block:1")
    assert found.volume == pytest.approx(0.01 * 0.05 * 0.1, rel=1e-5)
    assert found.share == pytest.approx(0.05, rel=1e-5)
    (finding,) = findings
    assert (finding.code, finding.message) == ("CB315", "block:0 and block:1 share 50 cm³, 5 % of the smaller")


def test_blocks_that_touch_share_nothing() -> None:
    findings = Findings()
    assert overlaps_of(placed([BLOCK], ("block", (0, 0, 0)), ("block", (0.1, 0, 0))), findings) == ()
    assert len(findings) == 0


def test_a_duplicate_in_the_same_place_lies_inside() -> None:
    findings = Findings()
    (found,) = overlaps_of(placed([BLOCK], ("block", (1, 0, 0)), ("block", (1, 0, 0))), findings)
    assert found.share == pytest.approx(1.0, rel=1e-6)
    assert [f.code for f in findings] == ["CB316"]
    assert "1000 cm³ counted twice" in findings.as_tuple()[0].message


def test_pairs_of_the_same_parts_are_told_once() -> None:
    findings = Findings()
    places = [("block", (k, 0, 0)) for k in range(3)] + [("peg", (k, 0, 0)) for k in range(3)]
    found = overlaps_of(placed([BLOCK, PEG], *places), findings)
    assert [o.volume for o in found] == pytest.approx([4e-5] * 3, rel=1e-5)
    (finding,) = findings
    assert finding.message.endswith("and 2 more pairs of the same parts")


def test_a_shaft_that_fits_its_hole_shares_nothing_whatever_the_meshes_are_off() -> None:
    """The corners of one mesh reach through the chords of the other: 0.5 mm on a radius of 50 mm with 24 sides."""
    shaft = Part("shaft", shape(tube(0, 0.05, 0.3, 24), tube(0, 0.05, 0.3, 240)))
    hub = Part("hub", shape(tube(0.05, 0.08, 0.1, 17), tube(0.05, 0.08, 0.1, 233)))
    assert overlaps_of(placed([shaft, hub], ("shaft", (0, 0, 0)), ("hub", (0, 0, 0))), Findings()) == ()
    tight = Part("hub", shape(tube(0.047, 0.08, 0.1, 17), tube(0.047, 0.08, 0.1, 233)))
    (found,) = overlaps_of(placed([shaft, tight], ("shaft", (0, 0, 0)), ("hub", (0, 0, 0))), Findings())
    assert found.volume == pytest.approx(np.pi * (0.05**2 - 0.047**2) * 0.1, rel=0.02)


def test_parts_of_one_shape_are_intersected_once_and_open_ones_are_all_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Mesh | None] = []

    def counted(mesh: Mesh | None) -> object:
        made.append(mesh)
        return solid_of(mesh)

    monkeypatch.setattr("cadbridge.mass.overlap.solid_of", counted)
    whole = box(0.1, 0.1, 0.1)
    block, sheet = shape(whole), shape(Mesh(whole.vertices, whole.triangles[:-1]))
    parts = [Part(f"block{k}", block) for k in range(6)] + [Part(f"sheet{k}", sheet) for k in range(2)]
    findings = Findings()
    found = overlaps_of(placed(parts, *((part.name, (0.09 * k, 0, 0)) for k, part in enumerate(parts))), findings)
    assert [(o.a, o.volume) for o in found] == [(f"block{k}:{k}", pytest.approx(1e-4, rel=1e-5)) for k in range(5)]
    assert len(made) == 3
    assert [f.message for f in findings if f.code == "CB317"] == ["2 parts have no closed mesh: sheet0, sheet1"]


def test_an_open_mesh_is_told_not_tested() -> None:
    whole = box(0.1, 0.1, 0.1)
    sheet = Part("sheet", shape(Mesh(whole.vertices, whole.triangles[:-1])))
    findings = Findings()
    assert overlaps_of(placed([BLOCK, sheet], ("block", (0, 0, 0)), ("sheet", (0.05, 0, 0))), findings) == ()
    assert [f.message for f in findings] == ["1 part has no closed mesh: sheet"]


def test_a_mesh_beyond_single_precision_is_told_not_tested() -> None:
    far = box(0.1, 0.1, 0.1)
    far.vertices[0] = 1e37
    findings = Findings()
    places = ("block", (0, 0, 0)), ("far", (0.05, 0, 0))
    assert overlaps_of(placed([BLOCK, Part("far", shape(far))], *places), findings) == ()
    assert [f.message for f in findings] == ["1 part has no closed mesh: far"]


def test_the_order_of_parts_does_not_matter() -> None:
    places = [("block", (0, 0, 0)), ("peg", (0.03, 0.02, 0.02)), ("peg", (0.4, 0.0, 0.0)), ("block", (0.06, 0.0, 0.0))]

    def said(model: Assembly) -> list[tuple[object, float]]:
        at = {i.name: (i.part, *i.X_WI.p.tolist()) for i in model.instances}
        found = [(sorted((at[o.a], at[o.b])), round(o.volume, 12)) for o in overlaps_of(model, Findings())]
        return [(pair, volume) for pair, volume in sorted(found)]

    first = said(placed([BLOCK, PEG], *places))
    assert len(first) == 3
    assert said(placed([PEG, BLOCK], *reversed(places))) == first
