"""Freedoms by which a part only spins: counted, told apart, and not fixed where a person does not count them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.mass import volume_of
from cadbridge.recognition import Recognition, mates_text, read_bare, recognise
from cadbridge.recognition.choice.freedoms import spins
from cadbridge.recognition.hints import Hints
from tests.late import cq
from tests.recognition.solids import at, box, link, tube


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base with two studs: a lever turns on one, a roller on the other."""
    base = box(120, 60, 10).union(cq.Workplane().pushPoints([(-30, 0), (30, 0)]).circle(3).extrude(30))
    assembly = cq.Assembly(name="made")
    assembly.add(base, name="base")
    assembly.add(link(40), name="lever", loc=at(-30, 0, 12))
    assembly.add(tube(9, 3, 14), name="roller", loc=at(30, 0, 12))
    path = tmp_path_factory.mktemp("spins") / "made.step"
    assembly.export(str(path))
    return path


@pytest.fixture(scope="module")
def found(file: Path) -> Recognition:
    return recognise(read_bare(file))


def test_a_roller_spins_and_a_lever_turns(found: Recognition) -> None:
    assert (found.freedoms, found.spins) == (2, 1)
    assert "2 degrees of freedom, of which 1 only spins a body about its own axis" in mates_text(found)


def test_check_says_the_same_of_the_mates_that_were_found(file: Path, found: Recognition, tmp_path: Path) -> None:
    mates = tmp_path / "made.mates.yaml"
    mates.write_text(mates_text(found), encoding="utf-8")
    checked = cb.diagnose(cb.build(cb.read(file, mates=mates)))
    assert (checked.mobility.dof, [f.bodies for f in checked.freedoms if f.spin]) == (2, [("roller",)])


@pytest.mark.parametrize("told", [1, 2])
def test_whoever_counts_the_roller_or_not_is_right(file: Path, told: int) -> None:
    same = recognise(read_bare(file), hints=Hints(freedoms=told))
    assert (same.freedoms, same.spins, same.as_told, same.turned) == (2, 1, True, ())
    assert not {f.code for f in same.findings} & {"CB1643", "CB1644"}
    assert "as you said" in mates_text(same)


def test_another_mobility_is_sought_and_said(file: Path) -> None:
    other = recognise(read_bare(file), hints=Hints(freedoms=3))
    assert not other.as_told
    assert "CB1644" in {f.code for f in other.findings}


def test_a_wheel_that_meshes_or_hangs_off_its_axis_does_not_only_spin(found: Recognition) -> None:
    aside = tuple(replace(j, point=j.point + np.array([0.004, 0.0, 0.0])) for j in found.joints)
    assert spins(replace(found, joints=aside)) == 0
    roller = found.body_of["roller"]
    twice = (
        *found.joints,
        *(replace(j, point=j.point + np.array([0, 0, 0.1])) for j in found.joints if roller in (j.a, j.b)),
    )
    assert spins(replace(found, joints=twice)) == 1
    slid = tuple(replace(j, type="prismatic") for j in found.joints)
    assert spins(replace(found, joints=slid)) == 0


def test_what_has_no_shape_is_not_weighed(found: Recognition) -> None:
    volume = volume_of(found.assembly, ("roller", "lever"))
    assert volume is not None
    assert volume.mass == pytest.approx(
        sum(v.mass for n in ("roller", "lever") if (v := volume_of(found.assembly, (n,))))
    )
    bare = replace(found.assembly, parts=tuple(replace(p, shape=None) for p in found.assembly.parts))
    assert volume_of(bare, ("roller",)) is None
    assert spins(replace(found, assembly=bare)) == 0


@pytest.mark.parametrize(
    ("spins", "freedoms", "text"),
    [
        (1, 1, "1 degree of freedom, which only spins a body about its own axis"),
        (2, 2, "2 degrees of freedom, both of which only spin a body"),
        (3, 3, "3 degrees of freedom, all of which only spin a body"),
        (2, 3, "3 degrees of freedom, of which 2 only spin a body"),
    ],
)
def test_where_all_only_spin_the_words_say_all(found: Recognition, spins: int, freedoms: int, text: str) -> None:
    """It said "2 degrees of freedom, of which 2 only spin"."""
    assert text in mates_text(replace(found, freedoms=freedoms, spins=spins, turned=(), hints=Hints()))


def test_none_given_is_a_number(file: Path) -> None:
    """The words "no degrees of freedom given" read as if nobody had given any."""
    told = [f.message for f in recognise(read_bare(file), hints=Hints(freedoms=0)).findings]
    assert any(text.startswith("0 degrees of freedom given") for text in told)
