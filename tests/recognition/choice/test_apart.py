"""A hint `apart` takes the joint of two bodies, and no other: what both were drawn with says nothing of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.recognition import recognise
from cadbridge.recognition.hints import Hints
from tests.recognition.linkages import four_bar

LINKS = [("base", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("base", "rocker")]


@pytest.mark.parametrize("pair", LINKS)
def test_of_a_four_bar_the_other_three_joints_stay(pair: tuple[str, str], tmp_path: Path) -> None:
    """The pin of the pair stood in their way, so that they were welds, and what was apart one body."""
    found = recognise(cb.read(four_bar(tmp_path / "four_bar.step")), hints=Hints().having("apart", [pair]))
    assert len({found.body_of[name] for name in ("base", "crank", "coupler", "rocker")}) == 4
    joined = {frozenset((found.bodies[j.a].name, found.bodies[j.b].name)) for j in found.joints}
    assert joined == {frozenset(link) for link in LINKS} - {frozenset(pair)}
    assert found.freedoms == 3
    assert not {"CB1604", "CB1610", "CB1658"} & {f.code for f in found.findings}
