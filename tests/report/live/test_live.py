"""The live view, driven by its server's own callbacks."""

import html
import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser
from websockets.sync.client import connect
from websockets.typing import Origin

from cadbridge.cli.view import source_of
from cadbridge.diagnosis import diagnose
from cadbridge.errors import InputError
from cadbridge.geometry import Face
from cadbridge.mechanism import Mechanism, build
from cadbridge.reading import read
from cadbridge.report.live import LiveView
from cadbridge.report.live.picking import face_of
from cadbridge.report.live.scene import body_names
from cadbridge.report.page.items import Items
from cadbridge.report.page.motions import RunData
from cadbridge.simulation import simulate, write_trajectory
from tests.report.live.browsing import place, shown
from tests.report.page.models import HOSTILE, door
from tests.waiting import settled

DEMO = Path(__file__).resolve().parents[3] / "cadbridge" / "data" / "demo" / "demo.step"
Open = Callable[..., LiveView]


@pytest.fixture(scope="module")
def demo() -> Mechanism:
    """The shipped gear train."""
    return build(read(DEMO))


@pytest.fixture
def live() -> Iterator[Open]:
    views: list[LiveView] = []

    def opened(mechanism: Mechanism, **options: Any) -> LiveView:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        views.append(LiveView(mechanism, port=port, **options))
        return views[-1]

    yield opened
    for view in views:
        view.close()


def test_gears_close_while_a_slider_is_dragged(demo: Mechanism, live: Open) -> None:
    view = live(demo, say=lambda line: None)
    name = next(iter(view.moving.sliders))
    gears = [c.primitive for c in demo.couplings]
    assert gears
    view.moving.sliders[name].enter(50.0)
    assert settled(lambda: view.moving.mover.values[name] == pytest.approx(np.radians(50.0)))
    joints = [p for j in demo.joints for p in j.primitives]
    from cadbridge.mechanism.twists import jacobian

    open_by, _ = jacobian(joints, view.poses)
    assert np.max(np.abs(open_by)) < 1e-9
    turned = [abs(view.poses[k].R[0, 0] - b.X_WB.R[0, 0]) for k, b in enumerate(demo.bodies)]
    assert sum(t > 1e-3 for t in turned) == len(demo.bodies)


def test_a_slider_that_cannot_go_on_says_so_and_goes_back(live: Open) -> None:
    mechanism = build(door())
    view = live(mechanism)
    name = next(iter(view.moving.sliders))
    found = view.moving.mover.move({})
    stuck = replace(found.status, ok=False, message="the loop cannot close")
    view.moving.mover.move = lambda values: replace(found, status=stuck)  # type: ignore[method-assign]
    view.moving.sliders[name].enter(30.0)
    assert settled(lambda: view.moving.sliders[name].value == 0.0)
    assert "the loop cannot close" in view.answer.content


def test_home_puts_everything_back(live: Open) -> None:
    mechanism = build(door())
    view = live(mechanism)
    name = next(iter(view.moving.sliders))
    view.moving.sliders[name].enter(30.0)
    assert settled(lambda: view.moving.mover.values[name] != 0.0)
    view.moving.home()
    assert view.moving.sliders[name].value == 0.0
    assert view.poses[0].p == pytest.approx(mechanism.bodies[0].X_WB.p, abs=1e-9)


def test_a_clicked_face_is_named_as_in_a_mates_file(demo: Mechanism, live: Open) -> None:
    lines: list[str] = []
    view = live(demo, say=lines.append)
    assembly = demo.assembly
    instance = assembly.instances[-1]
    shape = assembly.part(instance.part).shape
    assert shape is not None
    assert shape.fine is not None
    X_WI = instance.X_WI
    top = shape.fine.vertices[np.argmax(shape.fine.vertices[:, 2])]
    line = view.pick(len(assembly.instances) - 1, X_WI.point(top), X_WI.vector(np.array([0.0, 0.0, 1.0])))
    assert line is not None
    assert lines == [line]
    assert line.startswith("{component: ")
    assert line in html.unescape(view.answer.content)


def test_a_part_without_faces_is_told_and_its_name_stays_text(live: Open) -> None:
    view = live(build(door(HOSTILE)))
    assert view.pick(1, np.array([0.5, 0.0, 0.15]), np.array([0.0, 0.0, 1.0])) is None
    assert "has no faces to name" in view.answer.content
    assert "<img" not in view.answer.content


@pytest.mark.parametrize(
    ("point", "normal", "index"),
    [
        ((0.0, 0.0, 0.1), (0.0, 0.0, 1.0), 0),
        ((0.0, 0.05, 0.02), (0.0, 1.0, 0.0), 1),
        ((0.02, 0.0, 0.05), (-1, 0, 0), 2),
    ],
)
def test_the_face_under_a_point_is_the_one_that_fits(
    point: tuple[float, ...], normal: tuple[float, ...], index: int
) -> None:
    z = np.array([0.0, 0.0, 1.0])
    faces = (
        Face("plane", np.array([0.0, 0.0, 0.1]), z, area=0.007, centre=np.array([0.0, 0.0, 0.1])),
        Face("cylinder", np.zeros(3), z, radius=0.05, area=0.03, centre=np.array([0.0, 0.0, 0.05])),
        Face("cylinder", np.zeros(3), z, radius=0.02, area=0.012, centre=np.array([0.0, 0.0, 0.05])),
    )
    assert face_of(faces, np.array(point), np.array(normal, dtype=float), 0.17) is faces[index]


def test_a_run_is_played_on_the_page_and_what_is_saved_stands_there(
    live: Open, browser: Browser, tmp_path: Path
) -> None:
    mechanism = build(door())
    write_trajectory(simulate(mechanism, duration=0.3), tmp_path / "run.parquet")
    run = RunData(mechanism, tmp_path / "run.parquet")
    view = live(mechanism, run=run)
    with shown(browser, view) as page:
        assert page.locator("figure.plot .u-over").count() > 0
        page.get_by_role("slider", name="Position in the motion").focus()
        page.get_by_role("button", name="A step on").click(click_count=2)
        there = run.poses(np.array([2]))[0, 0, :3]
        assert settled(lambda: bool(np.allclose(view.poses[0].p, there)))
        page.get_by_label("Speed", exact=True).select_option("0.1")
        page.get_by_role("button", name="Play", exact=True).first.click()
        assert settled(lambda: float(page.locator("#view").get_attribute("data-frame") or 0) > 3)


def test_a_run_finds_its_source_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    write_trajectory(simulate(build(door()), duration=0.1), path)
    with pytest.raises(InputError, match=r"a run of door, which is not beside it"):
        source_of(path)
    (tmp_path / "door").write_text("")
    assert source_of(path) == tmp_path / "door"
    elsewhere = tmp_path.with_name(f"{tmp_path.name}-elsewhere")
    (tmp_path / "door").replace(elsewhere)
    (tmp_path / "door").symlink_to(elsewhere)  # a link out of the run's folder is none beside it
    with pytest.raises(InputError, match="not beside it nor here"):
        source_of(path)


def test_it_says_nothing_on_stdout(demo: Mechanism, live: Open, capsys: pytest.CaptureFixture[str]) -> None:
    assert "token=" in live(demo).address
    assert capsys.readouterr().out == ""


def test_a_body_is_dragged_and_the_gears_follow(demo: Mechanism, live: Open) -> None:
    view = live(demo)
    turret = next(k for k, b in enumerate(demo.bodies) if b.name == "Turret")
    start = demo.bodies[turret].X_WB.point(np.array([0.03, 0.0, 0.0]))
    view.drag(turret, "start", start, start)
    for _ in range(10):
        view.drag(turret, "update", start, start + np.array([-0.01, 0.03, 0.0]))
    view.drag(turret, "end", start, start)
    turned = view.moving.mover.values["A1"]
    assert abs(turned) > 0.5
    assert view.moving.sliders["A1"].value == pytest.approx(np.degrees(turned))
    assert "Insert:2" in view.moving.values.content
    joints = [p for j in demo.joints for p in j.primitives] + [c.primitive for c in demo.couplings]
    from cadbridge.mechanism.twists import jacobian

    assert np.max(np.abs(jacobian(joints[: -len(demo.couplings)], view.poses)[0])) < 1e-6


def test_of_many_places_of_a_drag_only_the_newest_is_followed(live: Open) -> None:
    view = live(build(door()))
    heard: list[float] = []
    waiting = threading.Event()

    def slow(body: int, phase: str, start: np.ndarray, end: np.ndarray) -> None:
        waiting.wait(10)
        heard.append(float(end[0]))

    view.drag = slow  # type: ignore[method-assign]
    host, token = f"127.0.0.1:{view.server.port}", view.address.partition("?")[2]
    with connect(f"ws://{host}/socket?{token}", origin=Origin(f"http://{host}")) as socket:
        for k in range(5):
            said = {"key": "drag", "drag": 0, "phase": "update", "start": [0, 0, 0], "end": [k, 0, 0]}
            socket.send(json.dumps(said))
        assert settled(lambda: view.server._newest.get("drag", {}).get("end") == [4, 0, 0])
        waiting.set()
        assert settled(lambda: heard[-1:] == [4.0])
    assert len(heard) <= 2


def test_redundant_mates_come_first_and_are_lit(demo: Mechanism, live: Open, browser: Browser) -> None:
    view = live(demo, diagnosis=diagnose(demo))
    first = next(iter(view.mates.labels))
    assert first.endswith("(redundant)")
    with shown(browser, view) as page:
        page.get_by_role("tab", name="Mates").click()
        page.get_by_label("mate", exact=True).select_option(first)
        ref = f"mate:{Items(demo).mates[view.mates.labels[first]]}"
        page.wait_for_selector(f'#view[data-selected="{ref}"]')
        other = page.locator("#mates tr[data-ref]").first
        page.locator("#mates summary").first.click()
        other.locator("th, td").first.click()
        chosen = next(name for name, k in Items(demo).mates.items() if f"mate:{k}" == other.get_attribute("data-ref"))
        assert settled(lambda: view.mates.labels.get(view.mates.choice.value) == chosen)


def test_joints_that_follow_stand_with_their_ratios(demo: Mechanism, live: Open) -> None:
    """The turret has 36 teeth for 12 of the pinion that Insert:2 carries: a turn of the one is three of the other."""
    assert "A1 1 : 3, reversed" in live(demo).moving.values.content


def test_a_mate_is_left_out_and_put_back(live: Open) -> None:
    mechanism = build(door())
    view = live(mechanism, diagnosis=diagnose(mechanism))
    view.leave_out(("upper",))
    assert "Without upper: It moves with 1 degree of freedom. No mate repeats another." in view.answer.content
    view.leave_out(("upper", "lower"))
    assert "Nothing holds its body" in view.answer.content
    assert view.moving.sliders == {}
    view.leave_out(())
    assert "5 of 10 equations are redundant" in view.answer.content
    assert list(view.moving.sliders) == [mechanism.joints[0].name]


def test_bodies_of_one_name_are_told_apart() -> None:
    twins = [replace(b, name="link") for b in build(door()).bodies * 2]
    assert body_names(replace(build(door()), bodies=tuple(twins))) == ["link", "link (1)"]


def test_the_stick_figure_of_a_body_without_a_shape_is_dragged_and_picked(live: Open, browser: Browser) -> None:
    assembly = door()
    parts = tuple(replace(p, shape=None) if p.name == "leaf" else p for p in assembly.parts)
    mechanism = build(replace(assembly, parts=parts))
    view = live(mechanism)
    with shown(browser, view) as page:
        x, y = place(page, view.poses[0].p)
        page.mouse.click(x, y)
        page.wait_for_selector('#view[data-selected="body:0"]')
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 100, y - 50, steps=10)
        assert settled(lambda: abs(view.moving.mover.values[mechanism.joints[0].name]) > 0.05)
        page.mouse.up()


def test_the_mouse_drags_a_body_and_a_section_and_a_film_do_what_they_say(live: Open, browser: Browser) -> None:
    """The leaf of a door is pressed where it is drawn, and pulled to the side; the ground turns the view instead.

    The leaf stands wholly beyond the section plane when that is moved to one end: nothing is there to be named.
    """
    mechanism = build(door())
    view = live(mechanism)
    name = mechanism.joints[0].name
    with shown(browser, view) as page:
        x, y = place(page, view.poses[0].p)
        page.mouse.click(x, y)
        assert settled(lambda: "leaf" in view.answer.content)
        view._notify("nothing yet")
        page.get_by_label("Section plane").select_option("x")
        page.get_by_label("Position of the section").fill("-0.9")
        page.mouse.click(x, y)
        page.wait_for_timeout(300)
        assert "leaf" not in view.answer.content
        page.get_by_label("Section plane").select_option("none")
        page.mouse.move(x, y)
        page.mouse.down()
        for k in range(1, 11):
            page.mouse.move(x + 10 * k, y - 5 * k)
            page.wait_for_timeout(20)
        assert settled(lambda: abs(view.moving.mover.values[name]) > 0.05)
        page.mouse.up()
        assert settled(lambda: view.moving._held is None)
        before, there = view.poses, place(page, np.array([0.0, 0.0, 0.2]))
        page.mouse.move(*place(page, np.zeros(3)))
        page.mouse.down()
        page.mouse.move(x, y + 60, steps=5)
        page.mouse.up()
        assert place(page, np.array([0.0, 0.0, 0.2])) != pytest.approx(there, abs=5)
        assert view.poses == before
        film = page.get_by_role("button", name="video", exact=True)
        film.click()
        for angle in range(0, 60, 5):
            view.moving.sliders["upper"].enter(angle)
            page.wait_for_timeout(40)
        with page.expect_download() as found:
            film.click()
        assert found.value.suggested_filename == "motion.webm"
        assert found.value.path().read_bytes()[:4] == b"\x1aE\xdf\xa3"  # Matroska
        with page.expect_download() as found:
            page.get_by_role("button", name="picture", exact=True).click()
        assert found.value.path().read_bytes().startswith(b"\x89PNG")
