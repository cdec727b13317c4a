"""The answer in a sentence: what it says, and at which level."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from cadbridge.diagnosis import diagnose
from cadbridge.mechanism import build
from cadbridge.report import check_document
from cadbridge.report.views import verdict
from cadbridge.report.views.numbers import figure, vector
from cadbridge.report.views.tables import components_between, cures, redundancies
from cadbridge.report.views.verdict import figures
from tests.report.page.models import door


@pytest.fixture(scope="module")
def doored() -> tuple[dict[str, Any], Any]:
    mechanism = build(door())
    return check_document(mechanism, diagnose(mechanism)), components_between(mechanism)


def test_a_door_on_two_hinges_moves_and_one_hinge_can_go(doored: tuple[dict[str, Any], Any]) -> None:
    answer = verdict(*doored)
    assert answer.level == "good"
    assert answer.sentences[0] == "It moves with 1 degree of freedom."
    assert "5 of 10 equations are redundant and consistent" in answer.text


def test_a_conflict_comes_first_with_both_components_and_the_gap(doored: tuple[dict[str, Any], Any]) -> None:
    document, between = copy.deepcopy(doored[0]), doored[1]
    wrong = document["redundancies"][0]
    wrong["kind"], wrong["residual"] = "conflicting", {"mm": 30.0, "deg": 0.0}
    answer = verdict(document, between)
    assert answer.level == "bad"
    assert answer.sentences[0].startswith(f"1 mate contradicts other mates: {wrong['mate']} (frame – leaf) by 30 mm.")
    for table in (redundancies(document, between), cures(document, between)):
        assert table.rows[0].cells[-1] == "Correct this mate, or one that it contradicts"


def test_loops_that_the_source_leaves_open_are_in_the_answer(doored: tuple[dict[str, Any], Any]) -> None:
    document, between = copy.deepcopy(doored[0]), doored[1]
    document["findings"].append({"code": "CB199", "severity": "warning"})
    answer = verdict(document, between)
    assert answer.level == "mark"
    assert "loops that it does not close (CB199)" in answer.sentences[1]


def test_kinds_of_couplings_stand_behind_their_number_in_words(doored: tuple[dict[str, Any], Any]) -> None:
    document = copy.deepcopy(doored[0])
    document["counts"]["couplings"] = 1
    document["counts"]["gears"] |= {"joints": 1}
    about = {name: text for name, _, text, _ in figures(document)}
    assert about["mates"] == "1 coupling (1 of joints)"


@pytest.mark.parametrize(
    ("value", "scale", "shown"),
    [(None, 0.0, "–"), (-3.9e-14, 82.0, "0"), (-80.0, 0.0, "−80"), (4.6489, 0.0, "4.649"), (-0.0, 0.0, "0")],
)
def test_numbers_have_four_digits_one_minus_sign_and_no_noise(value: float | None, scale: float, shown: str) -> None:
    assert figure(value, scale=scale) == shown


def test_components_that_are_rounding_beside_the_largest_are_zero() -> None:
    assert vector([-3.935e-14, 4.649e-14, -0.08204], 1e3) == "0, 0, −82.04"


def test_a_load_that_several_mates_carry_is_told_at_its_joint(doored: tuple[dict[str, Any], Any]) -> None:
    document, between = copy.deepcopy(doored[0]), doored[1]
    joint = document["reactions"][0]
    joint["determined"], joint["shares"] = True, [{"mate": "a", "determined": True}, {"mate": "b", "determined": False}]
    document["reactions"] = [joint]
    carried = f"The reactions of the joint are determined. In {joint['joint']} several mates carry one load; the share"
    assert carried in verdict(document, between).text


@pytest.mark.parametrize(
    ("dof", "finite", "said"),
    [
        (1, 0, "It cannot move, yet is not stiff at this pose: its degree of freedom is infinitesimal."),
        (3, 2, "It moves with 2 degrees of freedom; 1 more exists only at this pose."),
    ],
)
def test_freedoms_of_an_instant_are_told(dof: int, finite: int, said: str, doored: tuple[dict[str, Any], Any]) -> None:
    document, between = copy.deepcopy(doored[0]), doored[1]
    document["mobility"]["dof"], document["motion"]["finite"] = dof, finite
    assert said in verdict(document, between).sentences
