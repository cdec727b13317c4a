"""What a person says of a machine in words: hints without coordinates, where no question has the truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.recognition import mates_text, recognise
from cadbridge.recognition.choice.hypotheses import hypotheses
from cadbridge.recognition.hints import Hints, Told
from cadbridge.recognition.questions.alike import equal_pairs
from cadbridge.recognition.questions.changes import Page, PageEntry
from cadbridge.recognition.questions.inquiry import Inquiry, told_by
from cadbridge.recognition.questions.saying import parts_text, said
from cadbridge.recognition.writing.edited import write_mates
from cadbridge.recognition.writing.hints_text import hints_of
from tests.late import cq
from tests.recognition.solids import plate


@pytest.fixture(scope="module")
def bolt_table(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A table on which two equal blocks lie, each a disc with a handle beside it at another angle; and a long rail."""
    disc = cq.Workplane().circle(8).extrude(4).union(cq.Workplane().box(30, 3, 4, centered=(False, True, False)))
    assembly = cq.Assembly(name="all")
    assembly.add(plate(200, 100, 10, [], 1), name="table")
    for k, angle in ((-1, 0), (1, 70)):
        place = cq.Location(cq.Vector(50 * k, 0, 10))
        assembly.add(cq.Workplane().circle(8).extrude(6), name=f"post{k}", loc=place)
        assembly.add(disc, name=f"hand{k}", loc=place * cq.Location(cq.Vector(0, 0, 6), cq.Vector(0, 0, 1), angle))
    assembly.add(cq.Workplane().box(120, 6, 6), name="rail", loc=cq.Location(cq.Vector(0, -40, 13)))
    path = tmp_path_factory.mktemp("table") / "table.step"
    assembly.export(str(path))
    return cb.read(path)


def test_lines_become_hints(made: Assembly) -> None:
    found = recognise(made)
    assert said("fixed lev, base", found).hints(Hints()).pairs("fixed") == (("base", "lever"),)
    assert said("FIXED 1, 3", found).hints(Hints()).pairs("fixed") == (("base", "lever"),)
    assert said("apart disc, lever", found).hints(Hints()).pairs("apart") == (("disc", "lever"),)
    assert said("moves disc", found).hints(Hints()).pairs("joint") == (("base", "disc"),)
    assert said("ground disc", found).hints(Hints()).ground == "disc"
    assert said("freedoms 2", found).hints(Hints()).freedoms == 2
    slide = said("slide disc, base along lever", found).hints(Hints())
    assert slide.told_of(("disc", "base")) == Told("prismatic", about="lever")
    assert said("cylindrical disc, base", found).hints(Hints()).told_of(("disc", "base")) == Told("cylindrical")
    assert len(said("fixed 1 2 3", found).hints(Hints()).pairs("fixed")) == 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("weld a, b", "Say, for example"),
        ("fixed base", "two different parts"),
        ("joint base, base", "two different parts"),
        ("joint disc, bore", "No part is called bore"),
        ("joint e, disc", "may be"),
        ("fixed 1, 9", "no part 9"),
        ("fixed base, disc about lever", "has no axis"),
        ("moves lever", "Nothing holds lever"),
    ],
)
def test_what_says_nothing_is_told_with_its_cure(made: Assembly, line: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        said(line, recognise(made))


def test_apart_leaves_no_joint_between_two_bodies(made: Assembly) -> None:
    found = recognise(made, hints=Hints().having("apart", (("lever", "base"),)))
    assert not found.joints
    body_of = {name: k for k, body in enumerate(found.bodies) for name in body.instances}
    assert body_of["lever"] != body_of["base"]


def test_an_axis_is_that_of_a_part(made: Assembly, tmp_path: Path) -> None:
    hints = Hints().having("joint", [("disc", "base")], Told("prismatic", about="lever"))
    found = recognise(made, hints=hints)
    joint = next(j for j in found.joints if j.confidence == 1.0)
    assert joint.type == "prismatic"
    assert joint.axis is not None
    assert np.abs(joint.axis) == pytest.approx([1, 0, 0])  # the lever is longest along x
    path = tmp_path / "made.mates.yaml"
    write_mates(path, mates_text(found))
    assert "about: lever" in path.read_text()
    assert hints_of(path) == found.hints


def test_an_axis_of_a_part_that_is_not_there_is_told(made: Assembly) -> None:
    hints = Hints().having("joint", [("disc", "base")], Told("revolute", about="pin"))
    found = recognise(made, hints=hints)
    assert "pin" in next(f for f in found.findings if f.code == "CB1640").items


def test_what_is_said_of_one_pair_holds_for_those_alike_at_another_angle(bolt_table: Assembly) -> None:
    axis = (np.array([-0.05, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    assert len(equal_pairs(bolt_table, ("hand-1", "post-1"))) == 1
    assert len(equal_pairs(bolt_table, ("hand-1", "post-1"), axis)) == 2
    inquiry = Inquiry(bolt_table, True, (), Hints())
    statement = inquiry.heard("joint hand-1, post-1")
    assert "1 pair alike" in statement.title
    assert statement.hints(Hints()).pairs("joint") == (("hand-1", "post-1"), ("hand1", "post1"))
    assert len(inquiry.heard("only joint hand-1, post-1").hints(Hints()).pairs("joint")) == 1
    assert len(inquiry.heard("fixed hand-1, post-1").hints(Hints()).pairs("fixed")) == 1


def test_who_does_not_know_of_one_pair_is_not_asked_of_equal_parts_at_another_angle(bolt_table: Assembly) -> None:
    """Of six equal drives of a robot each was asked about, after the first was passed over."""
    asked = []
    inquiry = Inquiry(bolt_table, True, (), Hints(freedoms=3))
    while (question := inquiry.next) is not None:
        # The two posts and the two hands have a digit of their own in the name.
        asked.append(frozenset(name.rstrip("-1") for name in (question.a, question.b)))
        inquiry.skip(question)
    assert frozenset(("post", "table")) in asked
    assert len(set(asked)) == len(asked)
    assert inquiry.undo()
    assert inquiry.next is not None


def test_what_is_sure_is_not_asked_once_the_mobility_is_as_told(made: Assembly) -> None:
    asked: dict[int | None, set[frozenset[str]]] = {}
    for told, ending in ((None, "Nothing is left"), (1, "that you gave"), (9, "should have 9")):
        inquiry = Inquiry(made, True, (), Hints(freedoms=told))
        asked[told] = set()
        while (question := inquiry.next) is not None:
            asked[told].add(frozenset((question.a, question.b)))
            inquiry.skip(question)
        assert ending in inquiry.ended
    weld, hinge = frozenset(("disc", "base")), frozenset(("lever", "base"))
    assert weld in asked[None]
    assert asked[1] == {hinge}


def test_a_joint_without_an_axis_is_told_with_its_cure(made: Assembly, bolt_table: Assembly) -> None:
    inquiry = Inquiry(bolt_table, True, (), Hints())
    before = inquiry.found
    inquiry.say(inquiry.heard("joint rail, table").hints(before.hints))
    (text,) = told_by(before, inquiry.found)
    assert "hinge A, B about pin" in text
    inquiry.say(inquiry.heard("slide rail, table along rail").hints(before.hints))
    assert "CB1642" not in {f.code for f in inquiry.found.findings}
    assert "prismatic" in [j.type for j in inquiry.found.joints]
    known = recognise(made, hints=Hints().having("joint", (("lever", "base"),)))  # which the geometry shows
    assert "CB1642" not in {f.code for f in known.findings}


def test_answers_are_taken_back_one_by_one(made: Assembly) -> None:
    inquiry = Inquiry(made, True, (), Hints())
    first = inquiry.found.freedoms
    inquiry.say(Hints().having("apart", (("lever", "base"),)))
    assert inquiry.found.freedoms != first
    assert inquiry.undo()
    assert inquiry.found.freedoms == first
    assert not inquiry.undo()


def test_parts_are_listed_with_their_numbers_and_what_holds_them(made: Assembly) -> None:
    text = parts_text(recognise(made))
    assert "   1 base" in text
    assert "1 base: 2 disc, 3 parallel lines" in text
    assert "revolute on 1 base" in text
    assert "lever" in parts_text(recognise(made), "LEV")
    assert "No part" in parts_text(recognise(made), "zz")


def test_a_dialogue_takes_words_and_keeps_them_where_stdin_ends(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = iter(["", "?", "parts disc", "fixed lever", "apart disc, base", "u", "joint disc, base", "u", "u", "a"])

    def reply(text: str) -> str:
        try:
            return next(replies)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("cadbridge.cli.asking._reply", reply)
    path = tmp_path / "made.mates.yaml"
    assert main(["recognise", str(file), "--ask", "-o", str(path), "--no-limits"]) == 0
    told = capsys.readouterr().err
    assert "hinge A, B" in told
    assert "two different parts" in told
    assert "Nothing was said yet" in told
    assert len(hints_of(path).pairs("apart")) == 1


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A base with three levers on studs of one size: three hinges that are equally sure."""
    base = plate(120, 40, 10, [], 1)
    for x in (-40, 0, 40):
        base = base.union(cq.Workplane().center(x, 0).circle(4).extrude(18))
    assembly = cq.Assembly(name="chain")
    assembly.add(base, name="base")
    for k, x in enumerate((-40, 0, 40)):
        lever = plate(30 + k, 12, 4, [(0, 0)], 4)  # no two are equal
        assembly.add(lever, name=f"lever{k}", loc=cq.Location(cq.Vector(x, 0, 10)))
    path = tmp_path_factory.mktemp("chain") / "chain.step"
    assembly.export(str(path))
    return cb.read(path)


def test_copies_that_are_parts_of_their_own_are_one_decision(tmp_path: Path) -> None:
    """As in FreeCAD: the same question was asked for each pair, with `2 pairs alike` behind it each time."""
    made = cq.Assembly(name="chain")
    for k, x in enumerate((0, 200, 400)):
        base = plate(60, 40, 10, [], 1).union(cq.Workplane().circle(4).extrude(18))
        made.add(base, name=f"base{k}", loc=cq.Location(cq.Vector(x, 0, 0)))
        made.add(plate(30, 12, 4, [(0, 0)], 4), name=f"lever{k}", loc=cq.Location(cq.Vector(x, 0, 10)))
    made.export(str(tmp_path / "chain.step"))
    known = cb.read(tmp_path / "chain.step")
    parts = tuple(replace(known.part(i.part), name=i.name) for i in known.instances)
    apart = replace(known, parts=parts, instances=tuple(replace(i, part=i.name) for i in known.instances))
    asked = [[(h.a, h.b, len(h.equal)) for h in hypotheses(recognise(of))] for of in (known, apart)]
    assert asked[0] == asked[1]
    assert 3 in {equal for _, _, equal in asked[0]}


def test_decisions_changed_for_the_mobility_are_asked_about_in_one(chain: Assembly) -> None:
    inquiry = Inquiry(chain, True, (), Hints())
    before = inquiry.found.freedoms, inquiry.changes
    inquiry.freedoms(1)
    assert (before, inquiry.found.freedoms) == ((3, None), 1)
    changes = inquiry.changes
    assert changes is not None
    assert len(list(changes.lines)) == 2
    assert changes.verdicts("y") == {0: "fixed", 1: "fixed"}
    assert changes.verdicts("n") == {0: "joint", 1: "joint"}
    assert changes.verdicts("2") == {0: "fixed", 1: "joint"}
    assert changes.verdicts("1a, 2?") == {0: "apart", 1: ""}
    assert changes.verdicts("fixed 1, 2") is None
    assert changes.verdicts("") is None
    with pytest.raises(InputError, match="from 1 to 2"):
        changes.verdicts("3")
    inquiry.sort_out(changes, {0: "joint", 1: "joint"})
    assert (len(inquiry.found.hints.pairs("joint")), len(inquiry.found.hints.pairs("fixed"))) == (2, 0)
    inquiry.undo()
    inquiry.sort_out(changes, {0: "", 1: ""})
    assert inquiry.changes is None  # of which nothing is known is not asked without end
    inquiry.undo()
    inquiry.skip(changes)
    after = inquiry.changes, inquiry.next
    assert after[0] is None
    assert after[1] is not None
    inquiry.sort_out(changes, {0: "fixed", 1: "fixed"})
    assert inquiry.found.freedoms == 1
    assert len(inquiry.found.hints.pairs("fixed")) == 2


def test_what_nobody_called_wrong_yields_to_what_was(made: Assembly) -> None:
    """base, disc and lever: that disc and lever move makes it untrue that both are fixed to the base."""
    entries = [
        PageEntry(pair, pair, "fixed", (pair,), "") for pair in (("base", "disc"), ("base", "lever"), ("disc", "lever"))
    ]
    page = Page("", tuple(entries))
    hints = page.answered(Hints(), page.verdicts("3") or {})
    assert hints.pairs("joint") == (("disc", "lever"),)
    assert hints.pairs("fixed") == (("base", "disc"),)  # the other is asked about again


def test_a_mobility_that_is_not_reached_changes_no_decision(chain: Assembly) -> None:
    own, told = recognise(chain), recognise(chain, hints=Hints(freedoms=40))
    assert [j.name for j in told.joints] == [j.name for j in own.joints]
    assert "CB1644" in {f.code for f in told.findings}
    assert not told.turned


def test_a_mobility_that_is_told_rules_over_the_drives_that_are_seen(made: Assembly) -> None:
    names = {"base": "base", "disc": "servo 1", "lever": "servo 2"}
    driven = replace(
        made,
        instances=tuple(replace(i, name=names[i.name], component=names[i.component]) for i in made.instances),
        components=tuple(
            replace(c, name=names[c.name], instances=tuple(names[n] for n in c.instances)) for c in made.components
        ),
    )
    assert recognise(driven).drives == 2
    found = recognise(driven, hints=Hints(freedoms=1))
    assert found.freedoms == 1
    assert not {f.code for f in found.findings} & {"CB1643", "CB1644"}


def test_several_unsure_decisions_are_asked_about_in_one(chain: Assembly) -> None:
    inquiry = Inquiry(chain, True, (), Hints(freedoms=3))
    page = inquiry.page
    assert page is not None
    assert [entry.now for entry in page.entries] == ["joint"] * 3
    inquiry.sort_out(page, {0: "joint", 1: "", 2: "joint"})
    assert (inquiry.page, inquiry.next) == (None, None)
    assert len(inquiry.found.hints.pairs("joint")) == 2
    inquiry.undo()
    inquiry.skip(page)
    after = inquiry.page, inquiry.next
    assert after[0] is None
    assert after[1] is not None
    inquiry.undo()  # the list that was passed over is asked about again
    again = inquiry.page
    assert again is not None
    assert again.entries == page.entries
