"""`recognise` and `check` of what it wrote say one number of freedoms, with the same reserves."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.recognition import Recognition, mates_text, recognise
from cadbridge.recognition.hints import Hints
from tests.late import cq
from tests.recognition.linkages import four_bar


def counts(found: Recognition) -> tuple[int, int, int]:
    """The freedoms that go on, those only at this pose, those that only spin."""
    assert found.freedoms is not None
    return found.freedoms, found.momentary, found.spins


def checked(found: Recognition, folder: Path) -> tuple[int, int, int]:
    """The same as `check` has them of the mates file."""
    mates = folder / "counted.mates.yaml"
    mates.write_text(mates_text(found), encoding="utf-8")
    made = cb.diagnose(cb.build(cb.read(found.assembly.source, mates=mates)))
    finite = made.mobility.finite
    return finite, made.mobility.dof - finite, sum(f.spin for f in made.freedoms)


def balls(file: Path) -> Path:
    """Two arms on a base, and between them a rod with a ball at each end."""
    base = cq.Workplane().box(160, 40, 10).translate((50, 0, -5))
    for x in (0, 100):
        base = base.union(cq.Workplane().center(x, 0).circle(5).extrude(12))
    arm = cq.Workplane().box(60, 20, 12, centered=(False, True, False)).translate((-10, 0, 0))
    arm = arm.union(cq.Workplane().box(20, 20, 24, centered=(True, True, False)).translate((40, 0, 6)))
    arm = arm.cut(cq.Workplane().circle(5.02).extrude(12)).cut(cq.Workplane().sphere(5.02).translate((40, 0, 28)))
    rod = cq.Workplane("YZ").circle(2.5).extrude(100)
    for x in (0, 100):
        rod = rod.union(cq.Workplane().sphere(5).translate((x, 0, 0)))
    made = cq.Assembly(name="balls").add(base, name="base").add(rod, name="rod", loc=cq.Location((0, 40, 28)))
    for name, x in (("crank", 0), ("rocker", 100)):
        made.add(arm, name=name, loc=cq.Location((x, 0, 0), (0, 0, 1), 90))
    made.export(str(file))
    return file


def test_of_a_four_bar(tmp_path: Path) -> None:
    found = recognise(cb.read(four_bar(tmp_path / "made.step")))
    assert counts(found) == checked(found, tmp_path) == (1, 0, 0)


def test_of_a_linkage_drawn_flat_what_ends_at_once_is_no_freedom(tmp_path: Path) -> None:
    """It had two, where `check` has one, and a person who says one had decisions changed."""
    assembly = cb.read(four_bar(tmp_path / "made.step", crank=180.0, coupler=70.0))
    found = recognise(assembly)
    assert counts(found) == checked(found, tmp_path) == (1, 1, 0)
    assert mates_text(found).splitlines()[0].startswith("# 1 degree of freedom, and 1 more only at this pose, not sure")
    told = recognise(assembly, hints=Hints(freedoms=1))
    assert not {"CB1643", "CB1644"} & {f.code for f in told.findings}
    assert len(told.joints) == len(found.joints)


def test_of_a_rod_between_balls(tmp_path: Path) -> None:
    found = recognise(cb.read(balls(tmp_path / "made.step")))
    assert sorted(j.type for j in found.joints) == ["revolute", "revolute", "spherical", "spherical"]
    assert counts(found) == checked(found, tmp_path) == (2, 0, 1)
    assert found.spinning == ("rod",)


@pytest.mark.parametrize("name", ["hand_crane", "quadruped_solidworks"])
def test_of_machines_of_others(name: str, corpus: Path, tmp_path: Path) -> None:
    found = recognise(cb.read(corpus / name / "bare.step"))
    assert counts(found) == checked(found, tmp_path)
