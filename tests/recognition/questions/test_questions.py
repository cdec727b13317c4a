"""What a person says of a file, in its mates file or when asked: it holds, and all is inferred anew."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.cli import main
from cadbridge.recognition import Recognition, mates_text, read_bare, recognise
from cadbridge.recognition.hints import Hints, Told
from cadbridge.recognition.questions.changes import page_of
from cadbridge.recognition.questions.inquiry import Inquiry, told_by
from cadbridge.recognition.questions.questions import for_page, questions, questions_document, wider
from cadbridge.recognition.writing.edited import write_mates
from cadbridge.recognition.writing.hints_text import hints_of
from tests.late import cq
from tests.recognition.solids import at, box, link, plate, read

DEMO = Path(cb.__file__).parent / "data" / "demo" / "demo.step"


def test_freedoms_are_counted_and_head_the_file(made: Assembly) -> None:
    found = recognise(made)
    assert found.freedoms == len(found.joints) == 1
    assert mates_text(found).startswith("# 1 degree of freedom")


def test_a_joint_that_is_told_is_one_on_the_axis_that_both_share(made: Assembly) -> None:
    found = recognise(made, hints=Hints().having("joint", (("disc", "base"),)))
    assert found.freedoms == 2
    joint = next(j for j in found.joints if "disc" in (found.bodies[j.a].name, found.bodies[j.b].name))
    assert joint.confidence == 1.0
    assert list(joint.point[:2]) == pytest.approx([-0.02, 0.0], abs=1e-6)


def test_what_is_told_to_be_fixed_is(made: Assembly) -> None:
    found = recognise(made, hints=Hints().having("fixed", (("lever", "base"),)))
    assert len(found.bodies) == 1
    assert "fixed, as you said" in mates_text(found)


def test_the_number_of_freedoms_turns_the_decision_that_costs_least(made: Assembly) -> None:
    two = recognise(made, hints=Hints(freedoms=2))
    assert two.freedoms == 2
    assert [f.code for f in two.findings if f.code in ("CB1643", "CB1644")] == ["CB1643"]
    none = recognise(made, hints=Hints(freedoms=0))
    assert none.freedoms == 0
    many = recognise(made, hints=Hints(freedoms=50))
    assert "CB1644" in {f.code for f in many.findings}


def test_contradicting_and_unknown_hints_are_named_and_not_taken(made: Assembly) -> None:
    hints = Hints().having("joint", [("disc", "lever")]).having("fixed", [("disc", "base"), ("base", "lever")])
    found = recognise(made, hints=hints)
    (finding,) = [f for f in found.findings if f.code == "CB1641"]
    assert {"disc", "lever", "base"} == set(finding.items)
    assert found.freedoms == 1
    found = recognise(made, hints=Hints().having("fixed", (("disk", "base"),)))
    (finding,) = [f for f in found.findings if f.code == "CB1640"]
    assert finding.items == ("disk",)


def test_an_answer_is_a_hint_that_survives_in_the_file(made: Assembly, tmp_path: Path) -> None:
    inquiry = Inquiry(made, True, (), Hints())
    question = next(q for q in questions(inquiry.found) if {q.a, q.b} == {"disc", "base"})
    assert question.now == "fixed"
    inquiry.answer(question, "joint")
    assert inquiry.found.freedoms == 2
    assert {frozenset(p) for p in inquiry.found.hints.pairs("joint")} == {frozenset(("disc", "base"))}
    path = tmp_path / "made.mates.yaml"
    write_mates(path, mates_text(inquiry.found))
    assert hints_of(path) == inquiry.found.hints
    assert not any({q.a, q.b} == {"disc", "base"} for q in questions(inquiry.found))


def test_hints_written_by_hand_make_the_file_anew(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "made.mates.yaml"
    assert main(["recognise", str(file), "-o", str(path)]) == 0
    text = path.read_text()
    path.write_text(text.replace("ground:", "hints:\n  - joint: [disc, base]\nground:", 1))
    assert main(["recognise", str(file), "-o", str(path)]) == 0
    assert path.read_text().count("type: revolute") == 2
    assert hints_of(path).pairs("joint") == (("disc", "base"),)
    assert main(["check", str(file), "--mates", str(path)]) == 0


def test_hints_alone_are_a_file_that_is_recognised(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "made.mates.yaml"
    path.write_text("format: cadbridge.mates/1\nhints:\n  - joint: [disc, base]\n")
    assert main(["recognise", str(file), "-o", str(path), "--no-limits"]) == 0
    assert path.read_text().count("type: revolute") == 2
    assert hints_of(path).pairs("joint") == (("disc", "base"),)
    capsys.readouterr()
    commented = "format: cadbridge.mates/1\n# asked in March\nhints:\n  - joint: [disc, base]\n"
    path.write_text(commented)
    assert main(["recognise", str(file), "-o", str(path), "--no-limits"]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert path.read_text() == commented
    assert main(["recognise", str(file), "-o", str(path), "--no-limits", "--overwrite"]) == 0
    assert path.read_text().count("type: revolute") == 2


@pytest.mark.parametrize(
    ("hints", "code"),
    [
        ("  - fredoms: 2\n", "CB144"),
        ("  - freedoms: [2\n", "CB140"),
        ("  - joint: [disc]\n", "CB145"),
        ("  - freedoms: 1\n  - freedoms: 2\n", "CB145"),
        ("  - ground: base\n  - ground: disc\n", "CB145"),
        ("  - fixed: [disc, disc]\n", "CB145"),
    ],
)
def test_a_hint_that_cannot_be_read_is_told_and_kept(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], hints: str, code: str
) -> None:
    path = tmp_path / "made.mates.yaml"
    assert main(["recognise", str(file), "-o", str(path), "--no-limits"]) == 0
    text = path.read_text() + "hints:\n" + hints
    path.write_text(text)
    capsys.readouterr()
    assert main(["recognise", str(file), "-o", str(path), "--no-limits", "--overwrite"]) == 2
    told = capsys.readouterr().err
    assert code in told
    # A fault of the whole list stands where that begins.
    assert f"{path.name}:{text.count(chr(10)) - hints.count(chr(10)) + 1}" in told or code == "CB140"
    assert path.read_text() == text


def test_questions_are_json_with_answers_to_copy(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recognise", str(file), "--questions"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["format"] == "cadbridge.questions/1"
    assert document["freedoms"]["found"] == 1
    assert document["questions"][0]["answers"]["joint"][0].keys() == {"joint"}


def test_what_is_ignored_is_not_asked_about_and_goes_with_what_it_touches(made: Assembly) -> None:
    found = recognise(made, ignore=["lev*"])
    assert not found.joints
    (body,) = (b for b in found.bodies if "lever" in b.instances)
    assert any("--ignore" in bond.reason for bond in body.bonds)


@pytest.mark.parametrize("part", ["Base", "Wheel"])
def test_whatever_is_ignored_its_teeth_and_screws_hold_nothing_else(part: str) -> None:
    """The base holds four screws, the wheel meshes: with them out of sight, their contacts are gone too."""
    found = recognise(read_bare(DEMO), ignore=[part])
    body_of = {name: k for k, body in enumerate(found.bodies) for name in body.instances}
    assert len(body_of) == len(found.assembly.instances)
    assert len(found.gears) == (part != "Wheel")
    assert part != "Base" or len({body_of[name] for name in ("Base", "Screw:1", "Screw:2")}) == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_parts_changes_nothing(made: Assembly, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(made.instances))
    shuffled = replace(made, instances=tuple(made.instances[k] for k in order), parts=made.parts[::-1])
    first, second = recognise(made), recognise(shuffled)
    assert {frozenset(b.instances) for b in first.bodies} == {frozenset(b.instances) for b in second.bodies}
    assert [(j.name, j.type, j.confidence) for j in first.joints] == [
        (j.name, j.type, j.confidence) for j in second.joints
    ]


def test_a_hint_gives_a_joint_its_axis_its_type_and_its_name(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "made.mates.yaml"
    path.write_text(
        "format: cadbridge.mates/1\nunits: {length: cm, angle: deg}\nhints:\n"
        "  - joint: [disc, base]\n    type: prismatic\n    point: [-2, 0, 1.4]\n    axis: [0, 0, 2]\n    in: world\n"
        "    name: lift\n  - ground: lever\n"
    )
    hints = hints_of(path)
    found = recognise(cb.read(file), hints=hints)
    joint = next(j for j in found.joints if j.name == "lift")
    assert joint.type == "prismatic"
    assert list(joint.point) == pytest.approx([-0.02, 0.0, 0.014])
    assert found.bodies[found.ground].name == "lever"
    write_mates(tmp_path / "again.mates.yaml", mates_text(found))
    again = hints_of(tmp_path / "again.mates.yaml")
    told = again.told_of(("disc", "base"))
    assert (told.type, told.name, told.frame) == ("prismatic", "lift", "")
    assert told.point == pytest.approx((-0.02, 0.0, 0.014))
    assert again.ground == "lever"


def test_an_axis_in_the_frame_of_a_part_stands_in_the_world(made: Assembly) -> None:
    told = Told(point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), frame="disc")
    found = recognise(made, hints=Hints().having("joint", [("disc", "base")], told))
    joint = next(j for j in found.joints if j.confidence == 1.0)
    assert list(joint.point) == pytest.approx(list(made.instance("disc").X_WI.p))
    assert "in: world" not in mates_text(found)


def test_hints_survive_a_new_export(made: Assembly) -> None:
    """The next export puts other counters and versions behind its names, and its parts stand in another order."""
    names = {"base": "base v3:1", "disc": "Disc v3:1", "lever": "lever v3:1"}
    new = replace(
        made,
        instances=tuple(replace(i, name=names[i.name], component=names[i.component]) for i in made.instances[::-1]),
        components=tuple(
            replace(c, name=names[c.name], instances=tuple(names[n] for n in c.instances)) for c in made.components
        ),
    )
    hints = Hints().having("joint", [("disc", "base")]).having("fixed", [("lever", "base")])
    found = recognise(new, hints=hints)
    assert [{found.bodies[j.a].name, found.bodies[j.b].name} for j in found.joints] == [{"Disc v3:1", "base v3:1"}]
    (told,) = [f for f in found.findings if f.code == "CB1651"]
    assert set(told.items) == {"disc", "base", "lever"}
    assert found.hints == hints  # as they were written, for the next export


def test_a_name_that_may_be_several_is_told(made: Assembly) -> None:
    twice = replace(
        made, instances=tuple(replace(i, name="disc:1" if i.name == "lever" else i.name) for i in made.instances)
    )
    found = recognise(twice, hints=Hints().having("fixed", (("disc v2", "base"),)))
    (finding,) = [f for f in found.findings if f.code == "CB1640"]
    assert "disc" in finding.message
    assert "disc:1" in finding.message


def test_of_one_solid_nothing_is_asked_and_the_file_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cq.Assembly(name="one").add(plate(40, 12, 4, [(0, 0)], 4), name="plate").export(str(tmp_path / "one.step"))
    assert main(["recognise", str(tmp_path / "one.step"), "--ask", "-o", str(tmp_path / "one.mates.yaml")]) == 0
    told = capsys.readouterr().err
    assert told.index("CB1652") < told.index("CB1600")
    assert told.count("it is one part") == 1
    assert main(["recognise", str(tmp_path / "one.step"), "--questions"]) == 0
    assert json.loads(capsys.readouterr().out)["questions"] == []


def test_a_dialogue_says_what_each_answer_makes(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = iter(["", "y", "q"])
    monkeypatch.setattr("cadbridge.cli.asking._reply", lambda text: next(replies))
    path = tmp_path / "made.mates.yaml"
    assert main(["recognise", str(file), "--ask", "-o", str(path), "--no-limits"]) == 0
    told = capsys.readouterr().err
    assert "Now they are " in told
    assert "1 degree of freedom now." in told
    assert len(hints_of(path).pairs("joint")) == 1


@pytest.mark.parametrize("slip", ["1?, 2?", "y", "-1", "2.5", "99999"])
def test_what_is_no_number_is_asked_for_again(
    slip: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was said to say nothing, beside words about hinges, and the number was not asked for again."""
    replies, asked = iter([slip, "2", "q"]), list[str]()

    def reply(text: str) -> str:
        asked.append(text)
        return next(replies)

    monkeypatch.setattr("cadbridge.cli.asking._reply", reply)
    path = tmp_path / "made.mates.yaml"
    assert main(["recognise", str(file), "--ask", "-o", str(path), "--no-limits"]) == 0
    assert asked[0] == asked[1]
    assert f"one number, such as 6, or Enter; {slip!r} is none" in capsys.readouterr().err
    assert hints_of(path).freedoms == 2


def test_answers_that_contradict_each_other_are_told_at_once_and_kept(made: Assembly) -> None:
    inquiry = Inquiry(made, True, (), Hints().having("fixed", (("disc", "base"), ("base", "lever"))))
    before = inquiry.found
    inquiry.take(before.hints.having("joint", [("disc", "lever")]))
    (text,) = told_by(before, inquiry.found)
    assert "contradict" in text
    assert "joint: [disc, lever]" in text
    assert "fixed: [base, lever]" in text
    assert len(inquiry.found.hints.pairs("fixed")) == 2
    assert len(inquiry.found.hints.pairs("joint")) == 1


def three_levers(folder: Path, told: Hints | None = None) -> Recognition:
    """A table with three feet, on each a lever: two stand at one angle, the first at another."""
    made = cq.Assembly(name="made").add(box(240, 60, 5), name="table", loc=at(0, 0, -5))
    for k, (x, angle) in enumerate([(-80, 40), (0, 70), (80, 70)]):
        made.add(plate(40, 40, 5, [(0, 0)], 3), name=f"foot{k}", loc=at(x, 0, 0))
        made.add(link(30), name=f"lever{k}", loc=cq.Location(cq.Vector(x, 0, 5), cq.Vector(0, 0, 1), angle))
    return read(folder, made, told)


def test_pairs_alike_at_other_angles_are_asked_about_once_and_counted_together(tmp_path: Path) -> None:
    found = three_levers(tmp_path)
    levers = [q for q in questions(found) if q.now == "joint"]
    assert (found.freedoms, [len(q.equal) for q in levers], [q.change for q in levers]) == (3, [1, 2], [-1, -2])
    assert [(len(q.equal), q.change) for q in (wider(found, q) for q in levers)] == [(3, -3), (3, -3)]
    (entry,) = page_of(for_page(found, levers)).entries
    assert len(entry.equal) == 3
    asked = [q for q in questions_document(found)["questions"] if q["now"] == "joint"]
    assert [(q["freedoms"], len(q["answers"]["fixed"])) for q in asked] == [(0, 3)]


def test_what_is_right_of_a_page_says_nothing_of_pairs_alike_that_are_decided_otherwise(tmp_path: Path) -> None:
    found = three_levers(tmp_path, Hints().having("fixed", [("foot1", "lever1")]))
    found = replace(found, hints=Hints())
    (first, *_) = [q for q in questions(found) if q.now == "joint"]
    assert {pair for q in for_page(found, [first]) for pair in q.equal} == {("foot0", "lever0"), ("foot2", "lever2")}


def test_what_is_called_wrong_on_a_page_is_not_right_by_another_entry(tmp_path: Path) -> None:
    found = three_levers(tmp_path)
    page = page_of([wider(found, q) for q in questions(found) if q.now == "joint"])
    said = page.verdicts("1")
    assert said is not None
    hints = page.answered(Hints(), said)
    assert (len(hints.pairs("fixed")), len(hints.pairs("joint"))) == (3, 0)
