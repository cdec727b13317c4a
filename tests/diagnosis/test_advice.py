"""Whatever `check` says to do with redundant mates is done, all of it at once: the motion is the same afterwards."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cadbridge.assembly import GROUND, Assembly, Drive, FeatureKind, Limit, Mate, MateKind
from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.diagnosis.advice import deletions
from cadbridge.diagnosis.spans import full_rank
from cadbridge.mechanism import build
from cadbridge.reading import read
from cadbridge.report.document import check_document
from cadbridge.report.views.tables import chosen, redundancies
from cadbridge.study import MotionLaw, Study
from tests.diagnosis.dense import motions, without
from tests.diagnosis.following import followed
from tests.diagnosis.pool import POOL
from tests.mechanism.building import assembly, feature

CORPUS = [
    "quadruped_solidworks/Assem4.xml",
    "hand_crane/Assem1.xml",
    "delta_inventor/Delta_Manipulator_2023.xml",
    "creo_kinematicmodel/ASM0002.xml",
    "icub_simmechanics/LEGS_MECHANISM.xml",
    "icub_link48/SIM_LEFT_HAND.xml",
    "ondsel/fourbar.asmt",
    "ondsel/crank_slider.asmt",
    "ondsel/Schmidt_Coupling_Ass_1-1.asmt",
    "ondsel/constvel.asmt",
    "ondsel/CylSphJt.asmt",
    "ondsel/engine1.asmt",
    "ondsel/parm.asmt",
    "freecad/universal_joint_assembly.FCStd",
    pytest.param("intothedeepclaws/AssemblyWBAssembly.FCStd", marks=pytest.mark.nightly),
    "fingertip_sw2robot/graph.json",
    "chrono_biped/bp.py",
    "onshape_neurobionics",
]
FIXTURES = ["bendix_wrist/bendix_wrist.urdf", "crank_slider/crank_slider.urdf", "delta/delta.sdf", "door/door.sdf",
            "four_bar/four_bar.urdf", "geared_robot3/geared_robot3.urdf", "puma560/puma560.urdf", "rrrt3/rrrt3.sdf",
            "stewart/stewart.sdf", "trrr3/trrr3.sdf"]  # fmt: skip


def gives_up(found: Diagnosis, after: Diagnosis) -> None:
    """The same freedoms, and as many rows less as are redundant less."""
    was, now = found.mobility, after.mobility
    assert now.dof == was.dof
    assert now.rank == was.rank
    assert was.redundant - now.redundant == was.rows - now.rows


@pytest.mark.parametrize("name", POOL)
def test_the_advice_on_textbook_mechanisms_keeps_every_motion(name: str) -> None:
    model = POOL[name]()
    found = diagnose(build(model))
    whole = motions(model)
    for rest in followed(model, found):
        assert np.allclose(motions(rest), whole, atol=1e-6)
        gives_up(found, diagnose(build(rest)))


@pytest.mark.parametrize("source", CORPUS)
def test_the_advice_on_designs_by_others_keeps_their_mobility(corpus: Path, source: str) -> None:
    at = corpus / source
    model = read(next(at.glob("*.json")) if at.is_dir() else at)
    found = diagnose(build(model))
    for rest in followed(model, found):
        gives_up(found, diagnose(build(rest)))


@pytest.mark.parametrize("source", FIXTURES)
def test_the_advice_on_the_fixtures_keeps_their_mobility(source: str) -> None:
    model = read(Path(__file__).resolve().parents[2] / "fixtures" / source)
    found = diagnose(build(model))
    for rest in followed(model, found):
        gives_up(found, diagnose(build(rest)))


def test_one_of_three_mates_of_the_hand_crane_can_go(corpus: Path) -> None:
    found = diagnose(build(read(corpus / "hand_crane" / "Assem1.xml")))
    three = ("Çakisik1", "Çakisik30", "Çakisik32")
    (choice,) = found.deletion_choices
    assert (choice.mates, choice.count) == (three, 1)
    assert not [r for r in found.redundancies if r.deletable]
    assert {r.weaker for r in found.redundancies if r.mate in three} == {"point on plane instead of plane on plane"}


def door_with(**carried: Any) -> Assembly:
    """A door on three hinges, the last of which carries something."""
    model = POOL["door on three"]()
    last = model.mates[-1]
    return replace(model, mates=(*model.mates[:-1], replace(last, **carried)))


@pytest.mark.parametrize(
    ("carried", "words"),
    [
        ({"limit": Limit(-0.5, 1.0)}, "its limit"),
        ({"stiffness": 2.0, "rest": 0.1}, "its spring"),
        ({"damping": 0.1}, "its damping"),
        ({"friction": 0.1}, "its friction"),
        ({"armature": 0.1}, "its armature"),
        ({"joint_name": "swing"}, "the joint's name swing"),
    ],
)
def test_a_mate_that_carries_something_is_not_called_deletable(carried: dict[str, Any], words: str) -> None:
    found = diagnose(build(door_with(**carried)))
    by_name = {r.mate: r for r in found.redundancies}
    loaded = by_name["hinge 2"]
    assert (loaded.deletable, loaded.alone, loaded.carries, loaded.weaker) == (False, True, (words,), None)
    assert by_name["hinge 1"].deletable
    assert "hinge 2" not in {m for s in found.deletable_sets for m in s.mates}
    document = check_document(build(door_with(**carried)), found)
    rows = [row.cells[-1] for row in redundancies(document, {}).rows]
    assert rows == ["Delete it", f"Keep it: without it {words} would go too"]


def test_a_drive_and_a_motion_go_with_the_mate_that_they_name() -> None:
    model = door_with()
    driven = replace(model, drives=(Drive("motor", "hinge 2"),), home={"hinge 1": 0.2})
    found = {r.mate: r.carries for r in diagnose(build(driven)).redundancies}
    assert found == {"hinge 1": ("the joint's value at home",), "hinge 2": ("the drive motor",)}
    led = replace(model, study=Study(motions=(MotionLaw("opens", "hinge 2", "angle", "t"),)))
    assert {r.carries for r in diagnose(build(led)).redundancies if r.mate == "hinge 2"} == {("the motion opens",)}


def test_a_conflicting_mate_is_called_deletable_only_where_nothing_moves_more_without_it() -> None:
    model = door_with()
    off = replace(model.mates[-1], value=0.002)
    wrong = replace(model, mates=(*model.mates[:-1], off))
    found = diagnose(build(wrong))
    (told,) = [f for f in found.findings if f.code == "CB403"]
    assert told.hint == "Correct the dimension in which it disagrees, or delete it."
    after = diagnose(build(without(wrong, "hinge 2")))
    assert after.mobility.dof == found.mobility.dof == 1
    assert "CB403" not in {f.code for f in after.findings}


def test_axes_at_a_right_angle_that_should_be_parallel_repeat_nothing_and_are_said_to_be_off() -> None:
    """The row has no direction there; it was said to repeat nothing at all: "side repeats  and disagrees"."""
    places = {"block": (0.3, 0.0, 0.0)}
    a = feature(places, GROUND, FeatureKind.AXIS, (0, 0, 0), (0, 0, 1))
    b = feature(places, "block", FeatureKind.AXIS, (0.3, 0, 0), (1, 0, 0))
    found = diagnose(build(assembly(places, [Mate("side", MateKind.PARALLEL, a, b)])))
    (told,) = [f for f in found.findings if f.code == "CB403"]
    assert told.message == "side is off by 0 mm, 90°, and no small motion lessens that"


def test_choices_are_worded_as_what_can_be_done() -> None:
    assert chosen({"mates": ["a", "b", "c"], "count": 1, "sets": []}) == "Delete one of a, b, c"
    assert chosen({"mates": ["a", "b", "c"], "count": 2, "sets": []}) == "Delete 2 of a, b, c"
    assert chosen({"mates": ["a", "b", "c"], "count": None, "sets": [["a", "b"], ["c"]]}) == "Delete a and b, or c"


def test_of_random_spans_exactly_what_is_said_can_go() -> None:
    """Stresses of mates drawn at random, some made of others': each set that is named has full rank, none larger."""
    random = np.random.default_rng(7)
    for _ in range(60):
        width = int(random.integers(2, 7))
        pool = random.normal(size=(4, width))
        whole = {
            f"m{k}": np.round(random.normal(size=(int(random.integers(1, 3)), 4))) @ pool
            if random.random() < 0.6 else random.normal(size=(1, width))
            for k in range(int(random.integers(2, 6)))
        }  # fmt: skip
        whole = {name: N for name, N in whole.items() if full_rank(N)}
        deletable, choices = deletions(whole)
        always = [whole[m] for m in deletable]
        for choice in choices:
            sets = [*combinations(choice.mates, choice.count)] if choice.count is not None else [*choice.sets]
            for s in sets:
                assert full_rank(np.vstack([*always, *(whole[m] for m in s)]))
        for mates in (set(whole) - deletable - {m for c in choices for m in c.mates},):
            assert not mates
        if len(deletable) == len(whole) and whole:
            assert full_rank(np.vstack(list(whole.values())))
        for choice in choices:
            assert not full_rank(np.vstack([whole[m] for m in choice.mates]))
