"""What a person says of a file, in its mates file or when asked: it holds, and all is inferred anew."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cadquery as cq
import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.cli import main
from cadbridge.recognition import mates_text, recognise
from cadbridge.recognition.edited import write_mates
from cadbridge.recognition.hints import Hints, hints_of
from cadbridge.recognition.inquiry import Inquiry
from cadbridge.recognition.questions import questions
from tests.recognition.test_recognise import plate


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base, a disc that lies on its boss with a bolted look (two holes that meet), and a lever on a stud."""
    base = plate(80, 40, 10, [(-26, 0), (-14, 0)], 1.5).union(cq.Workplane().center(20, 0).circle(4).extrude(18))
    disc = cq.Workplane().circle(12).extrude(4).faces(">Z").workplane().pushPoints([(-6, 0), (6, 0)]).hole(3)
    hub = cq.Workplane().center(-20, 0).circle(3).extrude(10)
    assembly = cq.Assembly(name="made")
    assembly.add(base.cut(hub), name="base")
    assembly.add(disc.union(cq.Workplane().circle(3).extrude(-10)), name="disc", loc=cq.Location(cq.Vector(-20, 0, 10)))
    assembly.add(plate(40, 12, 4, [(0, 0)], 4), name="lever", loc=cq.Location(cq.Vector(20, 0, 10)))
    path = tmp_path_factory.mktemp("hints") / "made.step"
    assembly.export(str(path))
    return path


@pytest.fixture(scope="module")
def made(file: Path) -> Assembly:
    return cb.read(file)


def test_freedoms_are_counted_and_head_the_file(made: Assembly) -> None:
    found = recognise(made)
    assert found.freedoms == len(found.joints) == 1
    assert mates_text(found).startswith("# 1 degree of freedom")


def test_a_joint_that_is_told_is_one_on_the_axis_that_both_share(made: Assembly) -> None:
    found = recognise(made, hints=Hints(joint=(("disc", "base"),)))
    assert found.freedoms == 2
    joint = next(j for j in found.joints if "disc" in (found.bodies[j.a].name, found.bodies[j.b].name))
    assert joint.confidence == 1.0
    assert list(joint.point[:2]) == pytest.approx([-0.02, 0.0], abs=1e-6)


def test_what_is_told_to_be_fixed_is(made: Assembly) -> None:
    found = recognise(made, hints=Hints(fixed=(("lever", "base"),)))
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
    hints = Hints(joint=(("disc", "lever"),), fixed=(("disc", "base"), ("base", "lever")))
    found = recognise(made, hints=hints)
    (finding,) = [f for f in found.findings if f.code == "CB1641"]
    assert {"disc", "lever", "base"} == set(finding.items)
    assert found.freedoms == 1
    found = recognise(made, hints=Hints(fixed=(("disk", "base"),)))
    (finding,) = [f for f in found.findings if f.code == "CB1640"]
    assert finding.items == ("disk",)


def test_an_answer_is_a_hint_that_survives_in_the_file(made: Assembly, tmp_path: Path) -> None:
    inquiry = Inquiry(made, True, (), Hints())
    question = next(q for q in questions(inquiry.found) if {q.a, q.b} == {"disc", "base"})
    assert question.now == "fixed"
    inquiry.answer(question, True)
    assert inquiry.found.freedoms == 2
    assert {frozenset(p) for p in inquiry.found.hints.joint} == {frozenset(("disc", "base"))}
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
    assert hints_of(path).joint == (("disc", "base"),)
    assert main(["check", str(file), "--mates", str(path)]) == 0


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


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_parts_changes_nothing(made: Assembly, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(made.instances))
    shuffled = replace(made, instances=tuple(made.instances[k] for k in order), parts=made.parts[::-1])
    first, second = recognise(made), recognise(shuffled)
    assert {frozenset(b.instances) for b in first.bodies} == {frozenset(b.instances) for b in second.bodies}
    assert [(j.name, j.type, j.confidence) for j in first.joints] == [
        (j.name, j.type, j.confidence) for j in second.joints
    ]
