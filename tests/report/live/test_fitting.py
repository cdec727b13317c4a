"""Play and forces in the live view: of the pose that is shown, and along the motion of a joint."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Browser

from cadbridge.assembly import Assembly
from cadbridge.mechanism import Mechanism, build
from cadbridge.misfit import fit
from cadbridge.report.live import LiveView
from cadbridge.report.live.fitting import Fitting
from tests.diagnosis.linkages import planar
from tests.misfit.test_along import drawn, parallelogram
from tests.report.live.browsing import press, served, shown
from tests.report.page.models import door
from tests.waiting import settled

START, TURN = 1.2, 60.0


def four_bar(angle: float) -> Assembly:
    return planar(drawn(angle))


@pytest.fixture(scope="module")
def mechanism(page_code: None) -> Mechanism:
    return build(four_bar(START))


def fitting(view: LiveView) -> Fitting:
    assert view.fitting is not None
    return view.fitting


def turned(mechanism: Mechanism) -> Assembly:
    """The four-bar drawn where its crank has turned by TURN."""
    joint = mechanism.joint_named("hinge 0")
    assert joint is not None
    return four_bar(START + float(joint.X_AJ.R[2, 2]) * np.radians(TURN))


def expected(assembly: Assembly) -> tuple[float, dict[str, float]]:
    """Of a mechanism drawn at a pose: the play (mm), and the largest force (N) of each mate."""
    group = fit(build(assembly), releases=0).groups[0]
    forces = {m: max(x.worst for x in group.loads if x.mate == m and not x.turns) for m in group.mates}
    return group.play.worst * 1e3, forces


def test_the_panel_has_play_and_forces_of_the_pose_that_is_shown(mechanism: Mechanism) -> None:
    with served(mechanism) as view:
        name = next(iter(view.moving.sliders))
        assert name == "hinge 0"
        view.moving.sliders[name].enter(TURN)
        fitting(view).ask()
        assert settled(lambda: "Play needed" in fitting(view).answer.content)
        text = fitting(view).answer.content
        assert f"With hinge 0 at {TURN:g}°" in text
        play, forces = expected(turned(mechanism))
        assert play_in(text) == pytest.approx(play, rel=5e-3)
        assert forces_in(text) == pytest.approx(forces, rel=6e-3)
        assert forces != pytest.approx(expected(mechanism.assembly)[1], rel=0.02)  # so that the pose matters


def play_in(text: str) -> float:
    found = re.search(r"worst case: ([\d.]+) mm", text)
    assert found is not None
    return float(found[1])


def forces_in(text: str) -> dict[str, float]:
    rows = re.findall(r"<tr><td[^>]*>([^<]+)</td><td[^>]*>([\d.]+)</td>", text)
    return {mate: float(force) for mate, force in rows}


def test_a_person_moves_a_joint_and_forces_follow(mechanism: Mechanism, browser: Browser) -> None:
    with served(mechanism) as view, shown(browser, view) as page:
        assert "The tab Fit" in page.locator("#fit").inner_text()
        press(page, "Fit", "For this pose")
        page.get_by_text("As designed: 3 of").wait_for()
        page.get_by_label("while it moves").check()
        page.get_by_role("tab", name="Move").click()
        page.get_by_label("hinge 0 (°)").evaluate(
            "(e, to) => { e.value = to; e.dispatchEvent(new Event('input')); }", TURN
        )
        page.get_by_role("tab", name="Fit").click()
        page.get_by_text(f"With hinge 0 at {TURN:g}°: 3 of").wait_for()
        assert page.locator("#live table tbody tr:visible").count() == 4


def test_the_motion_of_a_joint_is_plotted_on_the_page(mechanism: Mechanism, browser: Browser) -> None:
    with served(mechanism) as view, shown(browser, view) as page:
        assert page.locator("#fit figure.plot").count() == 0
        press(page, "Fit", "Plot along its motion")
        page.locator("#fit figure.plot").first.wait_for()
        assert page.locator("#fit figure.plot").count() == 3
        page.get_by_text("the mechanism binds first at").first.wait_for()
        page.wait_for_selector("canvas[data-drawn=yes]")


def test_a_mechanism_that_fits_has_no_tab_and_hostile_names_stay_text(mechanism: Mechanism) -> None:
    from tests.report.page.models import HOSTILE

    with served(build(door(HOSTILE))) as view:
        fitting(view).ask()
        assert settled(lambda: "As designed" in fitting(view).answer.content)
        assert settled(lambda: "Play needed" in fitting(view).answer.content)
        assert "<img" not in fitting(view).answer.content
        view.leave_out([view.mechanism.assembly.mates[0].name])
        assert view.fitting is None


def test_loops_that_fit_as_designed_have_the_tab_for_other_poses(mechanism: Mechanism) -> None:
    """Nothing is redundant in a parallelogram with weaker mates, but where it lies on a line."""
    with served(build(parallelogram(0.5, exact=True))) as view:
        found = fitting(view)
        found.ask()
        assert settled(lambda: "nothing binds" in found.answer.content)
        found.joint.value = "hinge 0"
        found.ask_along()
        assert settled(lambda: "becomes redundant that is not so elsewhere" in found.answer.content)


def test_a_computation_that_outlives_the_view_tells_nobody(mechanism: Mechanism) -> None:
    """Its answer came to a server that was closed: the thread died with an exception, on a person's terminal."""
    with served(mechanism) as view:
        found = fitting(view)
    found.answer.content = "late"
    assert found.answer.content == "late"
