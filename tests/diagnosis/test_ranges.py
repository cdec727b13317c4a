"""Ranges of coupled joints: a pose within all of them must exist."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.assembly import Limit
from cadbridge.diagnosis import diagnose
from cadbridge.findings import Finding
from cadbridge.mechanism import build
from tests.diagnosis.gearing import two_shafts

JOINT = """<link name="{0}"/><joint name="{0} hinge" type="revolute"><parent link="base"/><child link="{0}"/>
<axis xyz="{1}"/><limit lower="{2}" upper="{3}" effort="1" velocity="1"/>{4}</joint>"""


def conflicts(path: Path, *joints: tuple[str, str, float, float, str]) -> list[Finding]:
    path.write_text(f'<robot name="r"><link name="base"/>{"".join(JOINT.format(*j) for j in joints)}</robot>')
    return [f for f in diagnose(build(cb.read(path))).findings if f.code == "CB416"]


def mimic(of: str, ratio: float = 1.0, offset: float = 0.0) -> str:
    return f'<mimic joint="{of} hinge" multiplier="{ratio}" offset="{offset}"/>'


@pytest.mark.parametrize(
    ("ratio", "offset", "told"),
    [(1.0, 0.0, True), (2.0, 0.0, False), (-2.0, 0.0, True), (-3.0, 0.0, False), (1.0, 0.5, False)],
)
@pytest.mark.parametrize("axis", ["0 0 1", "0 0 -1"])
def test_a_mimic_whose_range_its_leader_cannot_reach_is_told(
    ratio: float, offset: float, told: bool, axis: str, tmp_path: Path
) -> None:
    """The leader goes from −0.2 to 0.3 rad, the other from 0.55 to 0.9."""
    leader, follower = ("b", "0 0 1", -0.2, 0.3, ""), ("c", axis, 0.55, 0.9, mimic("b", ratio, offset))
    found = conflicts(tmp_path / "r.urdf", leader, follower)
    assert len(found) == told
    if told:
        assert set(found[0].items) >= {"b hinge", "c hinge"}
        assert found[0].where.line


def test_a_chain_of_mimics_hands_its_ranges_on(tmp_path: Path) -> None:
    """The one between has a range that says nothing."""
    chain = (
        ("b", "0 0 1", -0.2, 0.3, ""), ("c", "1 0 0", -3.0, 3.0, mimic("b", 2.0)), ("d", "0 1 0", 0.7, 0.9, mimic("c"))
    )  # fmt: skip
    (told,) = conflicts(tmp_path / "r.urdf", *chain)
    assert "d hinge" in told.items
    assert not conflicts(tmp_path / "s.urdf", *chain[:2], ("d", "0 1 0", 0.5, 0.9, mimic("c")))


@pytest.mark.parametrize(("second", "told"), [((-0.5, -0.19), False), ((-0.5, -0.21), True), ((0.05, 0.5), True)])
def test_the_ranges_of_two_wheels_in_mesh(second: tuple[float, float], told: bool) -> None:
    """20 : 40 teeth outside each other: the second turns back by half of what the first does, here 0.2 to 0.4 rad."""
    model = two_shafts((20, 40))
    limits = {"axle first": Limit(0.2, 0.4), "axle second": Limit(*second)}
    model = replace(model, mates=tuple(replace(m, limit=limits.get(m.name)) for m in model.mates))
    found = [f for f in diagnose(build(model)).findings if f.code == "CB416"]
    assert [set(f.items) for f in found] == [{"pair 0", "axle first", "axle second"}] * told
