"""One choice over all hypotheses: the cheapest, whatever stands first, with the second verdicts and their costs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.recognition import mates_text, read_bare, recognise
from cadbridge.recognition.choice.freedoms import freedoms
from cadbridge.recognition.choice.hypotheses import Hypothesis, hypotheses, otherwise
from cadbridge.recognition.choice.inferring import infer
from cadbridge.recognition.choice.programme import UNLIKE_EQUALS, WRONG_FREEDOM, cheapest
from cadbridge.recognition.evidence.drives import drives_of
from cadbridge.recognition.evidence.gathering import gather
from cadbridge.recognition.hints import Hint, Hints
from cadbridge.recognition.rules.table import RULES
from tests.late import cq
from tests.recognition.solids import Parts, box, disc, plate, recognised, two_levers


def random_hypotheses(rng: np.random.Generator, count: int) -> list[Hypothesis]:
    return [
        Hypothesis(
            f"a{k}", f"b{k}", "fixed" if rng.random() < 0.5 else "joint", float(rng.uniform(0.3, 0.95)), "", (), True,
            int(rng.integers(0, count)), int(rng.integers(-2, 3)),
        )
        for k in range(count)
    ]  # fmt: skip


def price(known: list[Hypothesis], taken: tuple[bool, ...], gap: int) -> float:
    """What a set of second verdicts costs, by the formula in the docstring of `cheapest`."""
    pairs = [(i, j) for i, j in itertools.combinations(range(len(known)), 2) if known[i].kind == known[j].kind]
    unlike = sum(not taken[i] and not taken[j] for i, j in pairs)
    moved = sum(h.change or 0 for h, one in zip(known, taken, strict=True) if one)
    decided = sum(h.cost for h, one in zip(known, taken, strict=True) if one)
    return decided + UNLIKE_EQUALS * unlike + WRONG_FREEDOM * abs(gap - moved)


@pytest.mark.parametrize("seed", range(6))
def test_the_programme_finds_what_trying_all_sets_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    known, gap = random_hypotheses(rng, 7), int(rng.integers(-3, 4))
    sets = sorted(itertools.product((False, True), repeat=7), key=lambda taken: price(known, taken, gap))
    refused: list[np.ndarray] = []
    for k in range(3):
        taken = cheapest(known, gap, refused)
        assert taken is not None
        assert price(known, tuple(taken), gap) == pytest.approx(price(known, sets[k], gap))
        refused.append(taken)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_levers(tmp_path_factory.mktemp("choosing"))


@pytest.fixture(scope="module")
def made(file: Path) -> Assembly:
    return cb.read(file)


def shuffled(assembly: Assembly, rng: np.random.Generator) -> Assembly:
    instances, parts = (
        tuple(items[k] for k in rng.permutation(len(items))) for items in (assembly.instances, assembly.parts)
    )
    return replace(assembly, instances=instances, parts=parts)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_parts_hints_and_rules_decides_nothing(made: Assembly, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = (("lever1", "base"), ("lever2", "base"))
    hints = Hints((*(Hint("fixed", pair) for pair in pairs), Hint("joint", ("disc", "base"))))
    turned_round = Hints(tuple(replace(hint, pair=hint.pair[::-1]) for hint in hints.said[::-1]))
    known, other = recognise(made, hints=hints), recognise(shuffled(made, rng), hints=turned_round)
    assert mates_text(replace(other, hints=Hints())) == mates_text(replace(known, hints=Hints()))
    rules = tuple(RULES[k] for k in rng.permutation(len(RULES)))
    evidence = gather(shuffled(made, rng), True)
    assert mates_text(infer(evidence, Hints(), rules)) == mates_text(infer(gather(made, True), Hints()))


@pytest.mark.parametrize("name", ["hand_crane", "quadruped_solidworks"])
def test_the_order_of_parts_and_mates_of_real_files_decides_nothing(corpus: Path, name: str) -> None:
    assembly = read_bare(corpus / name / "bare.step")
    known = mates_text(recognise(assembly))
    assert mates_text(recognise(shuffled(assembly, np.random.default_rng(0)))) == known


def test_each_decision_keeps_its_second_verdict_with_its_cost_and_what_it_changes(made: Assembly) -> None:
    found = recognise(made)
    known = hypotheses(found)
    disc = next(h for h in known if "disc" in (h.a, h.b))
    assert (disc.now, disc.other, disc.change) == ("fixed", "joint", 1)
    assert disc.cost == pytest.approx(np.log(disc.confidence / (1 - disc.confidence)))
    assert freedoms(otherwise(found, (disc,))) == 3
    assert sum(len(h.equal) for h in known if h.now == "joint") == 2


def test_drives_are_counted_by_their_names_and_their_holders_are_not(tmp_path: Path) -> None:
    assembly = cq.Assembly(name="made")
    names = ["servo_1", "servo_2", "servo_horn", "motor_mount", "NEMA17", "StepperMotor", "lever", "XL330_to_XL430"]
    for k, name in enumerate(names):
        assembly.add(cq.Workplane().box(10, 10, 10), name=name, loc=cq.Location(cq.Vector(50 * k, 0, 0)))
    path = tmp_path / "made.step"
    assembly.export(str(path))
    evidence = gather(cb.read(path), True)
    assert drives_of(evidence.whole, ()) == 4


def test_what_is_chosen_for_the_mobility_says_so_and_is_not_taken_for_what_a_person_said(made: Assembly) -> None:
    found = recognise(made, hints=Hints(freedoms=3))
    assert found.freedoms == 3
    joint = next(j for j in found.joints if "disc" in (found.bodies[j.a].name, found.bodies[j.b].name))
    assert joint.evidence[0].startswith("chosen for the mobility")
    assert joint.confidence < 0.5
    assert not found.hints.pairs("joint")
    none = recognise(made, hints=Hints(freedoms=0))
    reasons = [b.reason for body in none.bodies for b in body.bonds if {"lever1", "lever2"} & {b.instance, b.to}]
    assert all(reason.startswith("chosen for the mobility") for reason in reasons)


def test_a_joint_that_runs_into_parts_at_once_is_not_chosen_for_the_mobility(tmp_path: Path) -> None:
    """Two hands lie on posts; one stands between two blocks, and cannot be the second freedom."""
    hand = disc(8, 4).union(cq.Workplane().box(30, 3, 4, centered=(False, True, False)))
    table = plate(200, 100, 10, [], 1)
    for y in (-3.55, 3.55):
        table = table.union(box(8, 4, 12).translate((-28, y, 10)))
    parts: Parts = {"table": (table, (0, 0, 0))}
    for side, x in (("held", -50), ("free", 50)):
        parts |= {f"post {side}": (disc(8, 6), (x, 0, 10)), f"hand {side}": (hand, (x, 0, 16))}
    own = recognised(tmp_path, parts)
    assert own.freedoms == 1
    told = recognise(own.assembly, hints=Hints(freedoms=2))
    assert "CB1644" in {f.code for f in told.findings}
    assert not told.turned
    assert [frozenset((told.bodies[j.a].name, told.bodies[j.b].name)) for j in told.joints] == [{"table", "hand free"}]


@pytest.mark.parametrize("eccentric", ["knob1", "knob2"])
def test_a_freedom_that_is_told_is_one_that_moves_something(eccentric: str, tmp_path: Path) -> None:
    """Of two round parts in their bores one has a notch; the other would only spin, at the same cost."""
    bores = (disc(8, 6).translate((x, 0, 4)) for x in (50, -30))
    base = box(160, 100, 10).cut(next(bores)).cut(next(bores))
    notched = disc(8, 10).cut(box(4, 4, 3).translate((4, 0, 7)))
    parts: Parts = {"base": (base, (0, 0, 0))}
    for name, x in (("knob1", 50), ("knob2", -30)):
        parts[name] = (notched if name == eccentric else disc(8, 10), (x, 0, 4))
    own = recognised(tmp_path, parts)
    assert own.freedoms == 0
    found = recognise(own.assembly, hints=Hints(freedoms=1))
    assert (found.freedoms, found.spins) == (1, 0)
    assert {n for h in found.turned for n in (h.a, h.b)} == {"base", eccentric}
    assert "CB1660" not in {f.code for f in found.findings}
    both = recognise(own.assembly, hints=Hints(freedoms=2))
    assert (both.freedoms, both.spins) == (2, 1)
    (plain,) = {"knob1", "knob2"} - {eccentric}
    assert [f.items for f in both.findings if f.code == "CB1660"] == [(plain,)]


def test_a_number_between_what_equal_pairs_give_is_told_with_the_numbers_that_they_give(tmp_path: Path) -> None:
    """Nothing says which of two equal levers is fixed: a hint does, and then the number is reached."""
    lever = plate(40, 12, 6, [(0, 0)], 4)
    base = box(120, 60, 10).union(cq.Workplane().pushPoints([(-30, 0), (30, 0)]).circle(4).extrude(18))
    parts: Parts = {"bed": (box(140, 160, 5), (0, 40, -5))}
    for k in (0, 1):
        parts |= {f"base{k}": (base, (0, 80 * k, 0)), f"left{k}": (lever, (-30, 80 * k, 10))}
        parts[f"right{k}"] = (lever, (30, 80 * k, 10))
    made = recognised(tmp_path, parts).assembly
    one = {"base1": "base0", **dict.fromkeys(("left1", "right0", "right1"), "left0")}
    made = replace(made, instances=tuple(replace(i, part=one.get(i.part, i.part)) for i in made.instances))
    told = recognise(made, hints=Hints(freedoms=3))
    (why,) = [f for f in told.findings if f.code == "CB1644"]
    assert "which gives 2 or 4: base0 - left0 and 1 pair like it" in why.message
    assert "`fixed: [base0, left0]`" in why.hint
    told = recognise(made, hints=Hints(freedoms=3).having("fixed", [("base0", "left0")]))
    assert told.freedoms == 3
    assert not {"CB1643", "CB1644"} & {f.code for f in told.findings}
