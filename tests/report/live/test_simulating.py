"""Simulation in the live view: run, changed on the way, pulled by hand, in a real browser too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Browser

from cadbridge.mechanism import Mechanism, build
from cadbridge.report.live import LiveView
from cadbridge.report.live.joint_charts import MOST_SAMPLES, JointCharts
from cadbridge.report.live.panel import Panel
from cadbridge.report.live.player import Player
from cadbridge.report.live.simulating import Simulation
from cadbridge.simulation import Scenario
from cadbridge.simulation.interactive import InteractiveRun
from solver.result import Status
from tests.report.live.browsing import place, press, served, shown
from tests.report.page.models import HOSTILE, door
from tests.waiting import settled

SIDEWAYS = Scenario(gravity=(0.0, -9.81, 0.0)), {"format": "cadbridge.scenario/1", "gravity": [0.0, -9.81, 0.0]}


@pytest.fixture(scope="module")
def mechanism() -> Mechanism:
    return build(door())


@pytest.fixture
def view(mechanism: Mechanism) -> Iterator[LiveView]:
    with served(mechanism, scenario=SIDEWAYS) as found:
        yield found


def simulation(view: LiveView) -> Simulation:
    assert view.simulation is not None
    return view.simulation


def time_of(view: LiveView) -> float:
    player = simulation(view).player
    assert player is not None
    with player.with_run() as run:
        return run.t


def force(view: LiveView) -> str | None:
    """What stands at the spring that is drawn; None where there is none."""
    pull = simulation(view).pull
    return None if pull is None else pull[2]


def test_it_plays_pauses_steps_and_resets(view: LiveView) -> None:
    sim, start = simulation(view), view.poses[0].p
    sim.press("Play")
    assert settled(lambda: abs(view.poses[0].p[1] - start[1]) > 0.05)
    sim.press("Pause")
    there = time_of(view)
    assert "paused" in sim.answer.content
    sim.press("Step")
    assert time_of(view) == pytest.approx(there + 1 / 30)
    sim.press("Reset")
    assert not sim.active
    assert view.poses[0].p == pytest.approx(start)


def test_a_slider_ends_the_run(view: LiveView) -> None:
    simulation(view).press("Step")
    view.moving.sliders["upper"].enter(20.0)
    assert settled(lambda: view.moving.mover.values["upper"] == pytest.approx(np.radians(20.0)))
    assert not simulation(view).active
    simulation(view).press("Step")
    assert view.poses[0].p[1] > 0.1  # it went on from where the slider had put it


def test_a_locked_joint_stands_and_is_listed_and_undone(view: LiveView) -> None:
    sim = simulation(view)
    sim.press("Step")
    sim.joint_change("Lock")
    assert "Nothing can move now." in view.answer.content
    assert "lock upper" in sim.list.content
    sim.joint_change("Lock")
    assert "Not done. upper is locked already" in view.answer.content
    sim.undo()
    assert "undone" in view.answer.content
    assert sim.list.content == ""


def test_bodies_are_attached_and_detached(view: LiveView) -> None:
    sim = simulation(view)
    sim.attach("Rigid")
    assert "leaf to ground" in sim.list.content
    assert sim.made.value == "leaf to ground"
    sim.take_off(sim.made.value)
    assert "unlock leaf to ground" in sim.list.content
    sim.take_off(sim.made.value)
    assert "Nothing is attached by hand." in view.answer.content


def test_a_hinge_is_put_where_the_face_was_clicked(view: LiveView) -> None:
    sim = simulation(view)
    sim.joint_change("Release")
    sim.attach("Hinge")
    assert "Click the face" in view.answer.content
    sim.picked(0, np.zeros(3), np.array([1.0, 0.0, 0.0]))
    sim.attach("Hinge")
    assert "It moves with 1 degree of freedom now." in view.answer.content
    sim.take_off(sim.made.options[0])
    assert "It moves with 6 degrees of freedom now." in view.answer.content


def test_a_body_is_pulled_by_a_spring_that_is_drawn(view: LiveView) -> None:
    sim, start = simulation(view), view.poses[0].p
    sim.press("Step")
    view.drag(0, "start", start, start)
    assert "paused" in view.answer.content
    sim.press("Play")
    up = np.array([0.0, 0.6, 0.0])
    view.drag(0, "update", start, start + up)
    assert settled(lambda: view.poses[0].p[1] > 0.2)
    assert (force(view) or "").endswith(" N")
    view.drag(0, "end", start, start + up)
    assert force(view) is None
    sim.press("Pause")


def test_a_run_that_cannot_go_on_is_told(view: LiveView) -> None:
    sim = simulation(view)
    sim.press("Step")
    assert sim.player is not None
    sim.player._run.advance = lambda *_: Status(False, "singular", "Two parts jam", "Turn one.")  # type: ignore[method-assign]
    sim.press("Play")
    assert settled(lambda: "Two parts jam" in view.answer.content)
    assert "Turn one." in view.answer.content
    assert "The run stopped" in sim.answer.content
    assert not sim.playing


def test_without_masses_it_says_what_is_missing() -> None:
    assembly = door()
    bare = replace(assembly, parts=tuple(replace(p, declared=None) for p in assembly.parts))
    with served(build(bare)) as view:
        simulation(view).press("Play")
        assert "cannot be simulated" in simulation(view).answer.content
        assert "mass" in view.answer.content
        assert "--density" in view.answer.content


def test_hostile_names_are_text() -> None:
    with served(build(door(HOSTILE))) as view:
        simulation(view).attach("Rigid")
        assert "<img" not in simulation(view).list.content


def test_a_long_run_is_thinned_evenly(mechanism: Mechanism) -> None:
    """It was thinned exponentially: after a minute the first half of a run was four straight lines."""
    charts = JointCharts(Panel(lambda item, name: None), mechanism)
    poses = tuple(body.X_WB for body in mechanism.bodies)
    for k in range(20_000):
        charts.sample(0.01 * k, poses)
    times = np.array([sample[0] for sample in charts.samples])
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(199.99)
    assert MOST_SAMPLES / 2 <= len(times) <= MOST_SAMPLES
    gaps = np.diff(times)[:-1]
    assert gaps.max() < 2.1 * gaps.min()
    charts.sample(50.0, poses)  # a change was undone: the run goes on from there
    assert charts.samples[-1][0] == 50.0
    assert charts.samples[-2][0] < 50.0


def test_turns_and_slides_have_charts_of_their_own(view: LiveView, mechanism: Mechanism, browser: Browser) -> None:
    """One unit an axis; and numbers of any width stand beside the label of their axis, not under it."""
    hinge = mechanism.joints[0]
    slide = replace(hinge, name="slide", type="prismatic")
    both = JointCharts(Panel(lambda item, name: None), replace(mechanism, joints=(hinge, slide)))
    assert list(both.charts) == ["angle", "distance"]
    poses = tuple(body.X_WB for body in mechanism.bodies)
    for t in (0.0, 1.0):
        both.sample(t, poses)
    both.draw()
    axes = {
        kind: (chart.value["axis"], [line["name"] for line in chart.value["lines"]])
        for kind, chart in both.charts.items()
    }
    assert axes == {"angle": ("value in °", [hinge.name]), "distance": ("value in mm", ["slide"])}
    chart, left = simulation(view).charts.charts["angle"], []
    with shown(browser, view) as page:
        page.get_by_role("tab", name="Simulate", exact=True).click()
        for size in (1.0, 1e6):
            line = {"name": "a", "values": [-size, size], "look": "c0"}
            chart.value = {"title": "T", "axis": "value in °", "logarithmic": False, "time": [0, 1], "lines": [line]}
            page.locator(".u-over").wait_for()
            assert settled(lambda: page.locator(".u-over").evaluate("e => e.offsetLeft") not in left)
            left.append(page.locator(".u-over").evaluate("e => e.offsetLeft"))
    assert left[1] > left[0] + 20  # pixels: of five more digits


class _Slow:
    """A run that takes three times as long as it simulates."""

    t = 0.0

    def advance(self, seconds: float, should_stop: object = None) -> Status:
        import time

        time.sleep(3 * seconds)
        self.t += seconds
        return Status(True, "ok", "", "")


def test_a_run_that_is_too_slow_says_by_how_much() -> None:
    player = Player(_Slow(), lambda run: None, lambda status: None)  # type: ignore[arg-type]
    player.play()
    assert settled(lambda: "slower than the 1 × asked for" in player.pace())
    factor = float(player.pace().split(" ")[0])
    assert 0.0 < factor < 0.34
    player.pause()
    assert not player.playing


@pytest.mark.parametrize(
    ("speed", "simulated", "said"),
    [
        (1.0, 1.0, "real time"),
        (0.5, 0.5, "0.5 × real time"),
        (1.0, 0.4, "0.4 × real time, slower than the 1 × asked for"),
    ],
)
def test_the_pace_in_words(speed: float, simulated: float, said: str, mechanism: Mechanism) -> None:
    player = Player(InteractiveRun(mechanism, SIDEWAYS[0]), lambda run: None, lambda status: None)
    assert player.pace() == ""
    player.speed, player._marks = speed, [(10.0, 0.0), (11.0, simulated)]
    assert player.pace() == said


def test_a_person_plays_pulls_locks_and_leaves(view: LiveView, browser: Browser) -> None:
    """By mouse and keyboard: Play, the space bar, a drag of the leaf, Lock and Undo; a page that is closed stops it."""
    sim = simulation(view)
    with shown(browser, view) as page:
        press(page, "Simulate", "Play")
        assert settled(lambda: sim.playing and time_of(view) > 0.1)
        page.keyboard.press("Space")
        assert settled(lambda: not sim.playing)
        page.get_by_role("button", name="Reset", exact=True).click()
        assert settled(lambda: not sim.active)
        x, y = place(page, view.poses[0].p)
        page.get_by_role("button", name="Lock", exact=True).click()
        assert settled(lambda: "lock upper" in sim.list.content)
        page.keyboard.press("Space")
        assert settled(lambda: sim.playing)
        page.mouse.move(x, y)
        page.mouse.down()
        for k in range(1, 6):
            page.mouse.move(x + 8 * k, y - 8 * k)
            page.wait_for_timeout(60)
        assert settled(lambda: force(view) is not None)
        assert view.poses[0].p == pytest.approx([0.5, 0.0, 0.0], abs=1e-6)  # locked, whatever pulls
        page.mouse.up()
        assert settled(lambda: force(view) is None)
        page.get_by_role("button", name="Undo the last change").click()
        assert settled(lambda: sim.list.content == "")
        assert settled(lambda: abs(view.poses[0].p[1]) > 0.05)
        assert sim.playing
    assert settled(lambda: not sim.playing)
