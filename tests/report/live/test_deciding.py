"""Decisions in the live view, by mouse in a real browser too, and what is saved from it."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from playwright.sync_api import Browser, Page

from cadbridge.cli.view import _glb
from cadbridge.diagnosis import diagnose
from cadbridge.frames import Pose
from cadbridge.mechanism import build
from cadbridge.reading import read
from cadbridge.recognition.writing.deciding import MatesEditor
from cadbridge.report.live import LiveView
from cadbridge.report.live.deciding import Deciding
from tests.recognition.writing.test_deciding import ROBOT
from tests.report.live.browsing import press, served, shown
from tests.report.page.browser import barriers
from tests.waiting import settled


@pytest.fixture
def editor(tmp_path: Path) -> MatesEditor:
    (path := tmp_path / "arm.urdf").write_text(ROBOT)
    return MatesEditor(path)


@pytest.fixture
def view(editor: MatesEditor) -> Iterator[LiveView]:
    mechanism = build(editor.assembly())
    with served(mechanism, diagnosis=diagnose(mechanism), editor=editor, glb=_glb) as found:
        yield found


def deciding(view: LiveView) -> Deciding:
    assert view.deciding is not None
    return view.deciding


def types(editor: MatesEditor) -> dict[str, str]:
    return {j.name: j.type for j in build(read(editor._source)).joints}


def test_a_joint_is_rejected_and_mobility_is_told(view: LiveView, editor: MatesEditor) -> None:
    deciding(view).choice.value = "elbow"
    deciding(view).decide("Reject")
    assert "elbow rejected." in view.answer.content
    assert "bodies that nothing holds" in view.answer.content
    assert list(view.moving.sliders) == ["shoulder"]
    deciding(view).step("Undo")
    assert list(view.moving.sliders) == ["shoulder", "elbow"]
    deciding(view).step("Redo")
    deciding(view).save()
    assert types(editor) == {"shoulder": "revolute"}


@pytest.mark.parametrize("kind", ["cylindrical", "prismatic", "spherical", "planar", "fixed"])
def test_a_joint_is_given_another_type(kind: str, view: LiveView, editor: MatesEditor) -> None:
    deciding(view).choice.value = "elbow"
    deciding(view).change_type(kind)
    assert "Not done" not in view.answer.content
    deciding(view).save()
    assert list(types(editor).values())[1:] == ([kind] if kind != "fixed" else [])
    made = build(read(editor._source))
    at = made.bodies[-1].X_WB.p
    assert at == pytest.approx([1.0, 0.0, 0.0] if kind != "fixed" else [0.0, 0.0, 0.0], abs=1e-9)


def test_a_type_that_was_changed_is_changed_again_in_its_line(view: LiveView, editor: MatesEditor) -> None:
    deciding(view).choice.value = "elbow"
    deciding(view).change_type("prismatic")
    deciding(view).choice.value = "elbow, prismatic"
    deciding(view).change_type("cylindrical")
    deciding(view).save()
    assert types(editor) == {"shoulder": "revolute", "elbow, prismatic": "cylindrical"}


def test_ground_and_home_are_written(view: LiveView, editor: MatesEditor) -> None:
    view.moving.sliders["elbow"].enter(30.0)
    assert settled(lambda: view.moving.mover.values["elbow"] == pytest.approx(np.radians(30.0)))
    deciding(view).take_home()
    deciding(view).choose_ground("lower")
    deciding(view).save()
    document = yaml.safe_load(editor.path.read_text())
    assert document["home"] == {"shoulder": 0, "elbow": pytest.approx(30.0)}
    assert document["ground"] == ["lower"]
    assert read(editor._source).home["elbow"] == pytest.approx(np.radians(30.0))


def test_the_pose_of_a_run_becomes_home(view: LiveView, editor: MatesEditor) -> None:
    assert view.simulation is not None
    view.moving.sliders["elbow"].enter(30.0)
    assert settled(lambda: view.moving.mover.values["elbow"] == pytest.approx(np.radians(30.0)))
    there = view.poses
    view.moving.home()
    view.simulation.press("Step")
    view.show(there)  # as a run that got there does
    deciding(view).take_home()
    deciding(view).save()
    assert yaml.safe_load(editor.path.read_text())["home"]["elbow"] == pytest.approx(30.0, rel=1e-6)


def test_a_joint_is_tried_and_comes_back(view: LiveView) -> None:
    seen: list[float] = []
    show = view.show

    def watched(poses: Sequence[Pose]) -> None:
        seen.append(float(poses[1].R[1, 0]))
        show(poses)

    view.moving._show = watched
    deciding(view).decide("Try")
    assert (max(seen), min(seen)) == (pytest.approx(0.5), pytest.approx(-0.5))
    assert pytest.approx(np.eye(3)) == view.poses[1].R


def test_a_file_that_changed_is_kept_and_read_again(view: LiveView, editor: MatesEditor) -> None:
    deciding(view).choice.value = "elbow"
    deciding(view).decide("Reject")
    editor.path.write_text("format: cadbridge.mates/1\n# mine\n")
    deciding(view).save()
    assert "changed on disk" in view.answer.content
    assert editor.path.read_text() == "format: cadbridge.mates/1\n# mine\n"
    assert deciding(view).again.visible
    deciding(view).read_again()
    deciding(view).save()
    assert "# mine" in editor.path.read_text()
    assert types(editor) == {"shoulder": "revolute"}


def test_a_mate_left_out_is_a_decision_too(view: LiveView, editor: MatesEditor) -> None:
    view.leave_out(("elbow",))
    assert list(editor.decided) == ["without elbow"]
    view.leave_out(())
    assert list(editor.decided) == ["without elbow", "elbow put back"]
    assert list(view.moving.sliders) == ["shoulder", "elbow"]


def test_pose_run_and_scenario_are_saved(view: LiveView, tmp_path: Path) -> None:
    files: dict[str, bytes] = {}
    view.saving._give = files.__setitem__
    view.saving.send("x", view.saving.table)
    assert "There is no run" in view.answer.content
    assert view.simulation is not None
    view.simulation.press("Step")
    for name in ("table", "scenario", "model", "film"):
        view.saving.send(name, getattr(view.saving, name))
    assert files["table"].startswith(b"PAR1")
    assert yaml.safe_load(files["scenario"])["format"] == "cadbridge.scenario/1"
    assert not gltf(files["model"]).get("animations")
    assert gltf(files["film"])["animations"]


def test_a_saved_model_stands_at_the_pose(view: LiveView) -> None:
    view.moving.sliders["shoulder"].enter(90.0)
    assert settled(lambda: view.poses[1].p[1] > 0.99)
    node = next(n for n in gltf(view.saving.model())["nodes"] if n["name"] == "lower")
    assert node["translation"] == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)


def gltf(content: bytes) -> dict[str, Any]:
    (length,) = struct.unpack("<I", content[12:16])
    found: dict[str, Any] = json.loads(content[20 : 20 + length])
    return found


CHAIN = "abcd"
"""Joints, each on the link before."""


@pytest.fixture
def chain(tmp_path: Path) -> MatesEditor:
    inertial = ROBOT.partition("<inertial>")[2].partition("</inertial>")[0]
    links = "".join(f'<link name="link {name}"><inertial>{inertial}</inertial></link>' for name in CHAIN)
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{f"link {CHAIN[k - 1]}" if k else "base"}"/>'
        f'<child link="link {name}"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>'
        for k, name in enumerate(CHAIN)
    )
    (path := tmp_path / "chain.urdf").write_text(f'<robot name="chain"><link name="base"/>{links}{joints}</robot>')
    # The joints stand in the mates file, as what was recognised does: only there can they be accepted.
    mates = "".join(
        f"- {{name: {name.upper()}, type: revolute, a: {{component: {f'link {CHAIN[k - 1]}' if k else 'base'}, "
        f"point: [1000, 0, 0], axis: [0, 0, 1]}}, b: {{component: link {name}}}}}\n"
        for k, name in enumerate(CHAIN)
    )
    path.with_suffix(".mates.yaml").write_text(
        f"format: cadbridge.mates/1\nleave_out: [{', '.join(CHAIN)}]\nmates:\n{mates}"
    )
    return MatesEditor(path)


@pytest.fixture
def chained(chain: MatesEditor) -> Iterator[LiveView]:
    mechanism = build(chain.assembly())
    with served(mechanism, diagnosis=diagnose(mechanism), editor=chain) as found:
        yield found


def test_each_decision_goes_on_to_the_next_joint_that_is_undecided(chained: LiveView, chain: MatesEditor) -> None:
    def chosen() -> str:
        return str(deciding(chained).choice.value)

    deciding(chained).choice.value = "C"
    deciding(chained).decide("Accept")
    assert chosen() == "D"
    deciding(chained).change_type("cylindrical")
    assert chosen() == "A"  # from the last to the first
    deciding(chained).step("Undo")
    assert chosen() == "D"
    deciding(chained).step("Redo")
    assert chosen().startswith("D")
    deciding(chained).choice.value = "B"
    deciding(chained).take_home()  # about no joint: the choice stays
    assert chosen() == "B"
    deciding(chained).step("Undo")
    assert chosen() == "B"
    deciding(chained).decide("Reject")
    assert "B rejected" in chained.answer.content
    assert chosen() == "A"
    deciding(chained).save()
    deciding(chained).change_type("prismatic")
    assert chosen().startswith("A")  # nothing is left to decide
    assert chain.settled >= set("ABCD")


def test_a_person_accepts_one_joint_after_the_other(chained: LiveView, chain: MatesEditor, browser: Browser) -> None:
    """Accept, then Reject: it was the first joint that the second click decided about, whatever was chosen before."""
    with shown(browser, chained) as page:
        page.get_by_role("tab", name="Edit", exact=True).click()
        page.get_by_label("joint or gear").select_option("B")
        for joint, button, done in (("B", "Accept", "accepted"), ("C", "Reject", "rejected")):
            assert page.get_by_label("joint or gear").input_value() == joint
            page.get_by_role("button", name=button, exact=True).click()
            page.get_by_text(f"{joint} {done}.").wait_for()
        assert settled(lambda: page.get_by_label("joint or gear").input_value() == "D")
        page.locator("#joints tbody tr button").first.click()
        assert settled(lambda: page.get_by_label("joint or gear").input_value() == "A")
    assert chain.decided == ("B accepted", "C rejected")


def test_a_person_rejects_undoes_and_writes_in_a_browser(view: LiveView, editor: MatesEditor, browser: Browser) -> None:
    with shown(browser, view) as page:
        _rejects_undoes_and_writes(page, editor)
    assert types(editor) == {"elbow": "revolute"}


def _rejects_undoes_and_writes(page: Page, editor: MatesEditor) -> None:
    press(page, "Edit", "Reject")
    page.get_by_text("shoulder rejected.").wait_for()  # what it replaces in the panel is gone by then
    page.get_by_text("leave_out:").wait_for()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("Undone: shoulder rejected.").wait_for()
    page.get_by_role("button", name="Make rigid", exact=True).click()
    page.get_by_text("shoulder made rigid.").wait_for()
    page.get_by_role("button", name="Write arm.mates.yaml").click()
    assert settled(editor.path.is_file)


def test_axe_finds_no_barrier_in_any_tab(view: LiveView, browser: Browser) -> None:
    assert view.simulation is not None
    view.simulation.press("Step")
    view.simulation.press("Step")
    with shown(browser, view) as page:
        assert barriers(page) == []
        for tab in page.get_by_role("tab").all():
            tab.click()
            assert barriers(page, f"#{tab.get_attribute('aria-controls')}") == []
        page.keyboard.press("ArrowRight")
        assert page.get_by_role("tab", name="Move").get_attribute("aria-selected") == "true"
        page.emulate_media(color_scheme="dark")
        assert barriers(page) == []
