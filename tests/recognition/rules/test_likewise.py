"""What strangers' machines showed: interrupted walls, rollers in blind bores, planets in rings, equal parts."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from cadbridge.frames import Vector
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.candidates import Candidate
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.rules.likewise import bind_rails, without_models
from tests.late import cq
from tests.recognition import gear_shapes
from tests.recognition.solids import Parts, box, disc, joints, plate, recognised


def test_jaws_whose_slot_a_window_interrupts_slide(tmp_path: Path) -> None:
    """The lips on both sides of the window are one wall."""
    housing = box(100, 50, 40).cut(box(100, 30, 10).translate((0, 0, 10))).cut(box(50, 30, 10))
    jaw = box(70, 15, 10).union(box(10, 15, 30).translate((-20, 0, -30)))
    base = box(100, 50, 10)
    parts: Parts = {"base": (base, (0, 0, 40)), "housing": (housing, (0, 0, 0))}
    found = recognised(tmp_path, {**parts, "one": (jaw, (0, 7.5, 10)), "two": (jaw, (0, -7.5, 10))})
    slides = [j for j in found.joints if j.type == "prismatic"]
    assert len(slides) == 2
    assert all(abs(j.axis[0]) == pytest.approx(1.0) for j in slides if j.axis is not None)


@pytest.mark.parametrize("alone", [True, False])
def test_a_lone_roller_at_the_bottom_of_its_bore_turns_and_a_plunger_slides(tmp_path: Path, alone: bool) -> None:
    block = box(30, 30, 60).faces(">Z").workplane().hole(4.5, 40)
    roller = disc(2, 50).union(cq.Workplane().workplane(offset=42).circle(9).extrude(8))
    if not alone:
        roller = roller.union(box(40, 8, 8).translate((15, 0, 42)))
    found = recognised(tmp_path, {"block": (block, (0, 0, 0)), "roller": (roller, (0, 0, 20))})
    assert list(joints(found).values()) == ["revolute" if alone else "prismatic"]


def test_the_two_halves_of_a_binding_post_only_spin(tmp_path: Path) -> None:
    """Links that turn on a post with a socket, and a stud in it: one joint."""
    post = disc(5.5, 8).union(cq.Workplane().workplane(offset=-2).circle(9).extrude(2))
    post = post.faces("<Z").workplane().polygon(6, 4).cutBlind(-1).faces(">Z").workplane().hole(4, 6)
    stud = cq.Workplane().circle(9).extrude(2).union(cq.Workplane().workplane(offset=-5).circle(1.9).extrude(5))
    lower, upper = (plate(300, 20, 4, [(0, 0)], 5.6) for _ in range(2))
    found = recognised(
        tmp_path,
        {
            "lower": (lower, (0, 0, 0)),
            "post": (post, (0, 0, 0)),
            "stud": (stud, (0, 0, 8)),
            "upper": (upper, (0, 0, 4)),
        },
    )
    assert [j.type for j in found.joints] == ["revolute"]
    assert found.freedoms == 1


def wheel(teeth: int, inside: bool, outer: float = 0.0) -> cq.Workplane:
    """A wheel of module 3 mm and 10 mm width; `inside`: a ring with that outer radius."""
    points = [tuple(map(float, p)) for p in gear_shapes.outline(teeth, 3.0, inside=inside, points=2)]
    toothed = cq.Workplane().polyline(points).close().extrude(10)
    return cq.Workplane().circle(outer).extrude(10).cut(toothed) if inside else toothed


def test_a_planet_turns_on_its_carrier_and_not_on_the_ring_that_it_meshes_with(tmp_path: Path) -> None:
    floor = cq.Workplane().workplane(offset=-5).circle(75).extrude(5).union(disc(4, 18))
    floor = floor.cut(cq.Workplane("XY", (42, 0, -5)).circle(2).extrude(5))
    stub = cq.Workplane().workplane(offset=10).circle(5).extrude(8)
    planet = wheel(12, False).union(stub).faces("<Z").workplane().hole(4, 5)
    carrier = box(70, 16, 8).faces(">Z").workplane().pushPoints([(27, 0)]).hole(10.2)
    carrier = carrier.faces(">Z").workplane(origin=(0, 0, 8)).pushPoints([(-15, 0)]).hole(8.2)
    found = recognised(
        tmp_path,
        {
            "ring": (wheel(40, True, 75).union(floor), (0, 0, 0)),
            "planet": (planet, (42, 0, 0)),
            "carrier": (carrier, (15, 0, 10)),
        },
    )
    assert [str(g.kind) for g in found.gears if not g.against] == ["internal"]
    assert joints(found) == {frozenset(("planet", "carrier")): "revolute", frozenset(("ring", "carrier")): "revolute"}
    assert found.freedoms == 1


@pytest.mark.parametrize("lifted", [0.0, 0.8])
def test_equal_carriages_slide_alike_and_their_rails_are_one(tmp_path: Path, lifted: float) -> None:
    """One of them is drawn a little above its rail."""
    rail, beam = box(400, 40, 20), box(40, 480, 10)
    carriage = box(60, 50, 25).cut(box(60, 40, 12))
    found = recognised(
        tmp_path,
        {
            "rail_1": (rail, (0, -200, 0)), "rail_2": (rail, (0, 200, 0)), "beam": (beam, (0, 0, 33)),
            "carriage_1": (carriage, (0, -200, 8)), "carriage_2": (carriage, (0, 200, 8 + lifted)),
        },
    )  # fmt: skip
    (joint,) = found.joints
    assert joint.type == "prismatic"
    assert joint.axis is not None
    assert np.abs(joint.axis) == pytest.approx([1, 0, 0], abs=1e-9)
    assert {frozenset(b.instances) for b in found.bodies} == {
        frozenset(("rail_1", "rail_2")), frozenset(("beam", "carriage_1", "carriage_2")),
    }  # fmt: skip
    assert found.freedoms == 1


@pytest.mark.parametrize("rails", list(itertools.permutations("abc")))
def test_three_rails_of_one_carriage_are_one_body(rails: tuple[str, ...]) -> None:
    """After the first two are bound one of them stands for no body any more, whichever it is."""

    class Bound:
        """The groups of a scene, and how long its parts are (m)."""

        groups = Groups(("carriage", *rails))
        bodies = Scene.bodies

        def extent(self, name: str, axis: Vector) -> float:
            return 0.1 if name == "carriage" else 1.0

        def bind(self, a: str, b: str, why: str, confidence: float) -> bool:
            return self.groups.join(a, b)

    slide = Verdict("prismatic", np.zeros(3), np.array([1.0, 0.0, 0.0]), ())
    scene = Bound()
    joints = [Candidate("carriage", rail, slide, (), ("carriage", rail)) for rail in rails]
    bind_rails(cast(Scene, scene), joints)
    assert sorted(scene.groups.group("a")) == ["a", "b", "c"]


@pytest.mark.parametrize("bound", [True, False])
def test_a_joint_falls_with_the_equal_pair_that_showed_it(bound: bool) -> None:
    """What holds the model may be found later than what is like it."""

    class Bound:
        """The groups of a scene."""

        groups = Groups(("horn 1", "arm 1", "horn 2", "arm 2"))
        bodies = Scene.bodies

        def bind(self, a: str, b: str, why: str, confidence: float) -> bool:
            return self.groups.join(a, b)

    hinge = Verdict("revolute", np.zeros(3), np.array([1.0, 0.0, 0.0]), ())
    scene = Bound()
    copy = Candidate("horn 2", "arm 2", hinge, (), ("horn 2", "arm 2"), ("horn 1", "arm 1"))
    if bound:
        scene.groups.join("horn 1", "arm 1")
    assert without_models(cast(Scene, scene), [copy]) == ([] if bound else [copy])
    assert (len(scene.groups.group("arm 2")) == 2) is bound
