"""Questions of recognition, and joints made of two parts, in the live view; by mouse in a real browser too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from cadbridge.mechanism import build
from cadbridge.reading import read
from cadbridge.recognition.writing.deciding import MatesEditor
from cadbridge.recognition.writing.edited import unedited
from cadbridge.recognition.writing.hints_text import hints_of
from cadbridge.report.live import LiveView
from cadbridge.report.live.asking import APART, FIXED, MOVE, NEXT, RIGHT, Asking
from cadbridge.report.live.joining import FIX, JOIN, PART, Joining
from tests.recognition.solids import bolted_look
from tests.report.live.browsing import place, served, shown
from tests.report.page.browser import barriers
from tests.waiting import settled


@pytest.fixture
def editor(tmp_path: Path) -> MatesEditor:
    found = MatesEditor(bolted_look(tmp_path), recognised=True)
    # What is shown may hold the instances in another order than what was recognised.
    found._bare = replace(found._bare, instances=found._bare.instances[::-1])
    return found


@pytest.fixture
def view(editor: MatesEditor) -> Iterator[LiveView]:
    with served(build(editor.assembly()), editor=editor) as found:
        yield found


def asking(view: LiveView) -> Asking:
    assert view.asking is not None
    return view.asking


def joining(view: LiveView) -> Joining:
    assert view.joining is not None
    return view.joining


def ways(editor: MatesEditor) -> tuple[int | None, int | None]:
    """The degrees of freedom found, and told."""
    assert editor.found is not None
    return editor.found.freedoms, editor.found.hints.freedoms


def joints(view: LiveView) -> int:
    return len(view.mechanism.joints)


def about(view: LiveView) -> set[str]:
    question = asking(view).asked
    return set() if question is None else {question.a, question.b}


def until(view: LiveView, *parts: str) -> None:
    """Pass over questions until it is asked about two parts."""
    for _ in range(9):
        if about(view) == set(parts):
            return
        asking(view).answer(NEXT)
    raise AssertionError(f"nothing was asked about {parts}")


def click(view: LiveView, part: str, point: tuple[float, float, float], normal: tuple[float, float, float]) -> None:
    index = [i.name for i in view.mechanism.assembly.instances].index(part)
    view.pick(index, np.array(point), np.array(normal))


def test_an_answer_is_a_hint_and_all_is_inferred_anew(view: LiveView, editor: MatesEditor) -> None:
    until(view, "disc", "base")
    assert "Now they are fixed to each other" in asking(view).question.content
    asking(view).answer(MOVE)
    assert {j.type for j in view.mechanism.joints} == {"revolute"}
    assert joints(view) == 2
    assert about(view) != {"disc", "base"}
    deciding = view.deciding
    assert deciding is not None
    deciding.step("Undo")
    assert joints(view) == 1
    deciding.step("Redo")
    deciding.save()
    assert {frozenset(p) for p in hints_of(editor.path).pairs("joint")} == {frozenset(("disc", "base"))}
    assert unedited(editor.path.read_text())
    assert len(read(editor._source).mates) == 2


def test_the_two_parts_are_lit_and_the_motion_is_that_of_the_answer(view: LiveView) -> None:
    until(view, "disc", "base")
    pointed = view._pointed["Ask"]
    assert pointed is not None
    names = [i.name for i in view.mechanism.assembly.instances]
    assert {names[pointed.first], names[pointed.second]} == {"disc", "base"}
    assert [names[k] for k in pointed.moving] == ["disc"]
    assert pointed.motion is not None
    assert pointed.motion["point"][:2] == pytest.approx([-0.02, 0.0], abs=1e-6)
    assert pointed.motion["turn"] > 0.1


def test_the_number_of_freedoms_is_told(view: LiveView, editor: MatesEditor) -> None:
    asking(view).freedoms.enter("six")
    assert "six is not a number" in view.answer.content
    asking(view).freedoms.enter("²")
    assert "² is not a number" in view.answer.content
    asking(view).freedoms.enter("2")
    assert ways(editor) == (2, 2)
    assert len(view.mechanism.joints) == 2
    asking(view).freedoms.enter("")
    assert ways(editor) == (1, None)


def test_a_weld_is_split_on_an_axis_that_both_parts_share(view: LiveView, editor: MatesEditor) -> None:
    click(view, "disc", (-0.02, 0.0, 0.014), (0.0, 0.0, 1.0))
    click(view, "base", (0.0, 0.018, 0.01), (0.0, 0.0, 1.0))
    assert "are one body; a joint splits it here" in joining(view).parts.content
    axes = joining(view).axis.options
    assert axes[0].startswith("axis 1 of")
    joining(view).axis.enter(axes[0])
    joining(view).name.enter("turntable")
    joining(view).press(JOIN)
    assert {j.name for j in view.mechanism.joints} >= {"turntable"}
    joint = next(j for j in view.mechanism.joints if j.name == "turntable")
    assert joint.X_AJ.p[:2] == pytest.approx([-0.02, 0.0], abs=1e-6)
    click(view, "disc", (-0.02, 0.0, 0.014), (0.0, 0.0, 1.0))
    click(view, "base", (0.0, 0.018, 0.01), (0.0, 0.0, 1.0))
    assert "are joined by turntable" in joining(view).parts.content
    joining(view).press(FIX)
    assert "turntable" not in {j.name for j in view.mechanism.joints}


def test_decisions_about_a_recognised_joint_survive_the_next_recognition(editor: MatesEditor, tmp_path: Path) -> None:
    with served(build(editor.assembly()), editor=editor) as view:
        assert view.deciding is not None
        view.deciding.choice.value = "lever"
        view.deciding.change_type("cylindrical")
        view.deciding.choice.value = "lever"
        view.deciding.name.enter("boom")
        view.deciding.decide("Accept")
        view.deciding.save()
    again = MatesEditor(editor._source, recognised=True)
    assert again.found is not None
    assert [(j.name, j.type, j.confidence) for j in again.found.joints] == [("boom", "cylindrical", 1.0)]
    assert again.path == editor.path


def test_a_joint_between_two_faces_is_written_where_mates_are_not_recognised(tmp_path: Path) -> None:
    source = bolted_look(tmp_path)
    editor = MatesEditor(source)
    with served(build(editor.assembly()), editor=editor) as view:
        assert view.asking is None
        click(view, "base", (-0.04, 0.0, 0.005), (-1.0, 0.0, 0.0))
        click(view, "lever", (0.024, 0.0, 0.012), (1.0, 0.0, 0.0))
        joining(view).name.enter("boom")
        joining(view).press(JOIN)
        assert view.deciding is not None
        view.deciding.save()
    (mate,) = read(source).mates
    assert mate.name == "boom"
    (joint,) = build(read(source)).joints
    assert (joint.name, joint.type) == ("boom", "revolute")


def test_an_edited_file_is_left_alone_and_the_answer_goes_beside_it(tmp_path: Path) -> None:
    source = bolted_look(tmp_path)
    MatesEditor(source, recognised=True).write()
    mates = source.with_name("made.mates.yaml")
    mates.write_text(mates.read_text() + "# mine\n")
    mine = mates.read_text()
    editor = MatesEditor(source, recognised=True)
    with served(build(editor.assembly()), editor=editor) as view:
        until(view, "disc", "base")
        asking(view).answer(MOVE)
        assert "made.recognised.mates.yaml" in view.answer.content
        assert view.deciding is not None
        view.deciding.save()
    assert mates.read_text() == mine
    assert len(hints_of(tmp_path / "made.recognised.mates.yaml").pairs("joint")) == 1


@contextmanager
def deciding(page: Page, view: LiveView) -> Iterator[None]:
    """Within it the page is made to decide; at its end the decision is taken and the page shows what it made."""
    before = view._model  # as it is ahead of the click: the page may have loaded the new one a moment after
    yield
    assert settled(lambda: view._model != before)
    page.wait_for_selector(f"[data-model='{view._model}'] [role=tab]")
    page.wait_for_selector("canvas[data-drawn=yes]")


def test_a_person_answers_and_splits_in_a_browser(view: LiveView, editor: MatesEditor, browser: Browser) -> None:
    until(view, "disc", "base")
    with shown(browser, view) as page:
        page.get_by_role("tab", name="Ask", exact=True).click()
        page.get_by_text("Does disc move against base?").or_(
            page.get_by_text("Does base move against disc?")
        ).wait_for()
        assert barriers(page) == []
        with deciding(page, view):
            page.get_by_role("button", name=FIXED, exact=True).click()
        with deciding(page, view):
            page.get_by_label("degrees of freedom, if known").fill("1")
            page.get_by_label("degrees of freedom, if known").press("Enter")
        page.get_by_role("tab", name="Join", exact=True).click()
        page.mouse.click(*place(page, np.array([0.028, 0.0, 0.014])))
        assert settled(lambda: "now click the other part" in joining(view).parts.content)
        page.mouse.click(*place(page, np.array([-0.02, -0.018, 0.01])))
        page.get_by_text("are joined by lever").wait_for()
        assert page.evaluate("scrollY") == 0  # the panel stays where it is
    assert ways(editor) == (1, 1)


def test_what_no_question_asks_is_said_in_words(view: LiveView, editor: MatesEditor) -> None:
    asking(view).words.enter("apart lever, base")
    assert joints(view) == 0
    assert editor.decided == ("lever and base have no joint between them",)
    asking(view).words.enter("parts lev")
    assert "3 lever" in asking(view).listed.content
    heard: list[str] = []
    asking(view)._notify = heard.append
    asking(view).words.enter("weld lever")
    assert "Say, for example" in heard[0]
    assert len(editor.decided) == 1


def test_parts_without_a_joint_between_them_by_a_button(view: LiveView, editor: MatesEditor) -> None:
    until(view, "lever", "base")
    asking(view).answer(APART)
    assert joints(view) == 0
    click(view, "disc", (-0.02, 0.0, 0.014), (0.0, 0.0, 1.0))
    click(view, "base", (0.0, 0.0, 0.005), (0.0, 0.0, 1.0))
    joining(view).press(PART)
    assert editor.found is not None
    assert {frozenset(p) for p in editor.found.hints.pairs("apart")} == {
        frozenset(("lever", "base")),
        frozenset(("disc", "base")),
    }


def test_decisions_changed_for_the_mobility_are_asked_about_in_one(view: LiveView, editor: MatesEditor) -> None:
    asking(view).tell("0")
    inquiry = editor.inquiry
    assert inquiry is not None
    one = inquiry.found.turned[0]
    # One decision alone is a question as any other; two are asked about together.
    inquiry.found = replace(inquiry.found, turned=(one, replace(one, a="disc", now="fixed", equal=(("disc", "base"),))))
    asking(view).ask()
    assert "1" in asking(view).question.content
    assert asking(view).buttons.options == (RIGHT, "They are all wrong", NEXT)
    asking(view).words.enter("2")
    assert editor.found is not None
    assert {"disc", "base"} in [set(p) for p in editor.found.hints.pairs("fixed")]
