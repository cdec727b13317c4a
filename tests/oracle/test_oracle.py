"""Runs of mechanisms made at random are right within a hundred tolerances, or say that they are not.

A small part of what `scripts/measure/oracle.py` does for hours: one case of each kind.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.oracle.cases import Case
from tests.oracle.comparing import MARGIN, How, Reference, Verdict, held, reference, ways
from tests.oracle.machines import KINDS, case
from tests.oracle.trains import PAIRS

OTHERS = (
    "tree",
    "four-bar",
    "parallelogram",
    "slider",
    "pulse",
    "stiff",
    "stop",
    "servo",
    "change",
    "masses",
    "corners",
    "hundreds",
    "friction",
)
SHARE = {"hundreds": 0.3, "crossed belt": 0.3, "differential": 0.4}
"""Of the time of a case that is run here: what turns many times is as wrong, and says so, after a part of it."""
WAYS = (How(1e-4), How(1e-7), How(1e-6, "absolute"))
EACH = tuple((kind, way) for kind in (*PAIRS, *OTHERS) for way in range(len(WAYS)))


def by_day(kind: str, way: int) -> bool:
    """A day runs each kind in one way, neighbours in different ones; what turns hundreds of times in the cheapest."""
    return way == (0 if kind == "hundreds" else (*PAIRS, *OTHERS).index(kind) % len(WAYS))


@cache
def known_of(kind: str) -> tuple[Case, Reference]:
    """A kind's case, for a part of its time, and what is right."""
    made = case(kind, 0)
    made = replace(made, scenario=replace(made.scenario, duration=SHARE.get(kind, 1.0) * made.scenario.duration))
    return made, reference(made)


@pytest.mark.parametrize(
    ("kind", "way"), [pytest.param(*each, marks=() if by_day(*each) else pytest.mark.nightly) for each in EACH]
)
def test_a_run_is_right_or_says_that_it_is_not(kind: str, way: int) -> None:
    made, known = known_of(kind)
    how = WAYS[way]
    assert known.known < 0.1 * MARGIN * min(how.tolerance for how in WAYS)
    verdict = held(made, known, how)
    assert verdict.status == known.status, (str(how), verdict)
    assert not verdict.wrong or verdict.told, (str(how), verdict)


@pytest.mark.parametrize("method", ["auto", "absolute"])
def test_no_step_is_longer_where_the_estimates_of_rates_pass_through_zero(method: str) -> None:
    """A spring of 4.7e7 N m/rad: a step of 3.5 times the length passed, and was off by 350 tolerances."""
    made = case("rigid", 12)
    assert held(made, reference(made), How(1e-10, method)).ratio < MARGIN


def test_a_stop_that_is_met_in_the_last_thousandth_of_a_step() -> None:
    """The step ended beyond the corner, and was off by 630 tolerances where its estimate allowed one."""
    made = case("stop", 45)
    assert held(made, reference(made), How(1e-9)).ratio < 20.0


def test_generalised_alpha_between_steps_that_do_not_follow_a_stiff_spring() -> None:
    """Its accelerations swing there: polynomials that had them were off by 153 tolerances between right ends."""
    made = case("rigid", 26)
    assert held(made, reference(made), How(1e-5, "auto", "generalized_alpha")).ratio < 20.0


def test_a_pulse_that_turns_a_disc_far_in_one_step_of_generalised_alpha() -> None:
    """A cubic of its quaternion was off by 830 tolerances between right ends."""
    made = case("pulse", 62)
    verdict = held(made, reference(made), How(1e-5, "auto", "generalized_alpha"))
    assert verdict.ratio < 20.0
    assert verdict.trusted


@pytest.mark.parametrize(
    ("kind", "seed", "how"),
    [("spur", 74, How(1e-6, "absolute", collapse=False)), ("rack", 66, How(1e-6, "auto", "dop853"))],
)
def test_a_step_that_ends_where_the_other_wheel_begins_to_drive(kind: str, seed: int, how: How) -> None:
    """The teeth pull by nothing but rounding there, of which losses never agreed: no acceleration was found."""
    made = case(kind, seed)
    verdict = held(made, reference(made), how)
    assert verdict.status == "ok"
    assert verdict.ratio < 20.0


def test_a_vibration_that_a_damper_ends_before_the_samples_is_no_alarm() -> None:
    made = case("rigid", 25)
    verdict = held(made, reference(made), How(1e-5, "auto", "generalized_alpha"))
    assert not verdict.wrong
    assert verdict.trusted


def test_the_same_seed_makes_the_same_case_and_another_one_another() -> None:
    one, same, other = case("bevel", 3), case("bevel", 3), case("bevel", 4)
    assert one.scenario.rate == same.scenario.rate != other.scenario.rate
    assert [str(h) for h in ways(3, 5, one)] == [str(h) for h in ways(3, 5, same)]
    assert len(KINDS) == len(set(KINDS))


def test_an_error_is_counted_in_tolerances_of_its_column() -> None:
    made = case("ratio", 0)
    known = reference(made)
    off = {**known.columns, "joint.Wheel.q": known.columns["joint.Wheel.q"] + 1e-3}
    spoilt = type(known)(known.t, off, known.scales, known.known, known.status)
    found = held(made, spoilt, How(1e-8))
    assert found.column == "joint.Wheel.q"
    assert found.ratio == pytest.approx(1e-3 / known.scales["joint.Wheel.q"] / 1e-8, rel=1e-2)
    assert found.wrong
    assert not found.told


def test_a_run_without_a_number_is_wrong() -> None:
    nothing = Verdict(np.nan, "", 0.0, 0.0, "", True, "ok", (), 1)
    assert nothing.wrong
    assert not nothing.told
