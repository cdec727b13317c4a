"""Lines that round faces share: what lies far away takes none away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cadbridge.frames import Pose
from cadbridge.recognition.contacts import touching
from cadbridge.recognition.contacts.contacts import EXACT_SLACK, Placed
from cadbridge.recognition.contacts.touching import _lines
from cadbridge.recognition.faces.surfaces import Surface
from tests.late import cq
from tests.recognition.solids import at, box, disc, link, read


def eye(instance: str, place: tuple[float, float, float], tilt: float = 0.0) -> Placed:
    """A bore of radius 3 mm, 5 mm long upward from its place (m), that leans by `tilt` rad about y."""
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    point = np.array(place)
    surface = Surface("cylinder", point, axis, 0.003, 0.0, True, 0.0, 0.005, 1e-4, 2 * np.pi, (), (0,))
    return Placed(instance, Pose(np.eye(3), np.zeros(3)), surface, point, axis)


@pytest.mark.parametrize("far", [0.0, 0.1, 10.0])
def test_a_hinge_that_is_askew_has_its_line_wherever_the_middle_of_all_is(far: float) -> None:
    """0.3 mrad, as an assembly's solver leaves it: 0.1 m off, feet of the two axes are 0.03 mm apart."""
    rounds = [eye("a", (0, 0, 0)), eye("b", (0, 0, 0.005), tilt=3e-4)]
    rounds += [eye("c", (0.02, 0, 0)), eye("c", (0.02, 0, 0.02))]
    lines = _lines(rounds, np.array([far, 0.0, far]), EXACT_SLACK)
    assert [{m.instance for m in line.members} for line in lines] == [{"a", "b"}]


@pytest.mark.parametrize("far", [0.0, 0.1, 10.0])
def test_axes_beside_each_other_or_that_part_along_them_are_no_line(far: float) -> None:
    rounds = [eye("a", (0, 0, 0)), eye("b", (2e-5, 0, 0.005)), eye("c", (0.1, 0, 0)), eye("d", (0.1, 0, 0.1), 3e-4)]
    assert _lines(rounds, np.array([far, 0.0, far]), EXACT_SLACK) == []


def test_of_very_many_none_is_compared_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of one direction keep their lines; what is askew may lose its own, as pairs grow with the square."""
    monkeypatch.setattr(touching, "MOST_ASKEW", 3)
    monkeypatch.setattr(touching, "_pair_by_pair", None)
    rounds = [eye("a", (0, 0, 0)), eye("b", (0, 0, 0.005)), eye("c", (0, 0, 0.01)), eye("d", (0, 0, 0.015), tilt=1e-3)]
    (line,) = _lines(rounds, np.array([0.5, 0.0, 0.5]), EXACT_SLACK)
    assert {m.instance for m in line.members} == {"a", "b", "c"}


def test_a_link_askew_turns_beside_a_block_far_away(tmp_path: Path) -> None:
    post = box(30, 30, 10).translate((0, 0, -10)).union(disc(2.95, 3))
    askew = cq.Location(cq.Vector(0, 0, 0), cq.Vector(0, 1, 0), 0.05)
    assembly = cq.Assembly(name="made").add(post, name="post").add(link(40), name="link", loc=askew)
    block = box(50, 50, 50).cut(disc(5, 50).translate((5, 0, -25)))
    assembly.add(block, name="far", loc=at(400, 0, 600)).add(disc(5, 60), name="pin", loc=at(405, 0, 575))
    found = read(tmp_path, assembly)
    ground = found.body_of["post"]
    assert [j.type for j in found.joints if {ground, found.body_of["link"]} == {j.a, j.b}] == ["revolute"]
