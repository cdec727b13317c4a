"""The live view, driven by its server's own callbacks."""

import html
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from cadbridge.assembly import Face
from cadbridge.cli.view import source_of
from cadbridge.diagnosis import diagnose
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism, build
from cadbridge.readers import read
from cadbridge.report.live import LiveView
from cadbridge.report.live.picking import face_of
from cadbridge.report.live.scene import scene_names
from cadbridge.report.page.motions import RunData
from cadbridge.simulation import simulate, write_trajectory
from tests.report.live.browsing import on_screen, settled
from tests.report.page.models import HOSTILE, door

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
    name = next(iter(view.sliders))
    gears = [c.primitive for c in demo.couplings]
    assert gears
    view.sliders[name].value = 50.0
    assert settled(lambda: view.mover.values[name] == pytest.approx(np.radians(50.0)))
    joints = [p for j in demo.joints for p in j.primitives]
    from cadbridge.mechanism.twists import jacobian

    open_by, _ = jacobian(joints, view.poses)
    assert np.max(np.abs(open_by)) < 1e-9
    turned = [abs(view.poses[k].R[0, 0] - b.X_WB.R[0, 0]) for k, b in enumerate(demo.bodies)]
    assert sum(t > 1e-3 for t in turned) == len(demo.bodies)


def test_a_slider_that_cannot_go_on_says_so_and_goes_back(live: Open) -> None:
    from dataclasses import replace

    mechanism = build(door())
    view = live(mechanism)
    name = next(iter(view.sliders))
    found = view.mover.move({})
    stuck = replace(found.status, ok=False, message="the loop cannot close")
    view.mover.move = lambda values: replace(found, status=stuck)  # type: ignore[method-assign]
    view.sliders[name].value = 30.0
    assert settled(lambda: view.sliders[name].value == 0.0)
    assert "the loop cannot close" in view.told.content


def test_home_puts_everything_back(live: Open) -> None:
    mechanism = build(door())
    view = live(mechanism)
    name = next(iter(view.sliders))
    view.sliders[name].value = 30.0
    assert settled(lambda: view.mover.values[name] != 0.0)
    view.home()
    assert view.sliders[name].value == 0.0
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
    middle = X_WI.point(shape.fine.vertices.mean(axis=0))
    line = view.pick((middle[0], middle[1], middle[2] + 5.0), [0.0, 0.0, -2.0])
    assert line is not None
    assert lines == [line]
    assert line.startswith("{component: ")
    assert line in html.unescape(view.told.content)
    assert view.pick([0.0, 0.0, 50.0], [0.0, 0.0, 1.0]) is None


def test_a_part_without_faces_is_told_and_its_name_stays_text(live: Open) -> None:
    view = live(build(door(HOSTILE)))
    assert view.pick([0.5, 0.0, 5.0], [0.0, 0.0, -1.0]) is None
    assert "has no faces to name" in view.told.content
    assert "<img" not in view.told.content


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


def test_a_run_is_played(live: Open, tmp_path: Path) -> None:
    mechanism = build(door())
    write_trajectory(simulate(mechanism, duration=0.3), tmp_path / "run.parquet")
    run = RunData(mechanism, tmp_path / "run.parquet")
    view = live(mechanism, run=run)
    assert view.time is not None
    view.time.value = 0.15
    half = run.poses(np.array([int(np.searchsorted(run.time, view.time.value))]))[0, 0, :3]
    assert settled(lambda: bool(np.allclose(view.poses[0].p, half)))
    view.toggle()
    clock = view.time
    assert settled(lambda: clock.value > 0.2)
    view.toggle()


def test_a_run_finds_its_source_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    write_trajectory(simulate(build(door()), duration=0.1), path)
    with pytest.raises(InputError, match=r"a run of door, which is not beside it"):
        source_of(path)
    (tmp_path / "door").write_text("")
    assert source_of(path) == tmp_path / "door"


def test_it_opens_on_the_whole_model_and_says_nothing_on_stdout(
    demo: Mechanism, live: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    view = live(demo)
    camera = view.server.initial_camera
    points = np.array([i.X_WI.p for i in demo.assembly.instances])
    away = float(np.linalg.norm(camera.position - camera.look_at))
    assert away > 0.5 * float(np.linalg.norm(np.ptp(points, axis=0)))
    assert away < 2.0  # the crane is 0.25 m long
    assert camera.near < 0.01 * away < away < camera.far
    assert capsys.readouterr().out == ""


def test_a_body_is_dragged_and_the_gears_follow(demo: Mechanism, live: Open) -> None:
    view = live(demo)
    turret = next(k for k, b in enumerate(demo.bodies) if b.name == "Turret")
    start = demo.bodies[turret].X_WB.point(np.array([0.03, 0.0, 0.0]))
    view.drag(turret, "start", start, start)
    for _ in range(10):
        view.drag(turret, "update", start, start + np.array([-0.01, 0.03, 0.0]))
    view.drag(turret, "end", start, start)
    turned = view.mover.values["A1"]
    assert abs(turned) > 0.5
    assert view.sliders["A1"].value == pytest.approx(np.degrees(turned))
    assert "Insert:2" in view.values.content
    joints = [p for j in demo.joints for p in j.primitives] + [c.primitive for c in demo.couplings]
    from cadbridge.mechanism.twists import jacobian

    assert np.max(np.abs(jacobian(joints[: -len(demo.couplings)], view.poses)[0])) < 1e-6


def test_of_many_events_of_a_drag_only_the_newest_is_followed(live: Open) -> None:
    from cadbridge.report.live.dragging import Drags

    drags = Drags(live(build(door())).mover)
    first, second = drags.ticket(), drags.ticket()
    assert (drags.newest(first), drags.newest(second)) == (False, True)
    assert drags.pull(np.zeros(3)).status.ok  # nothing is held: nothing moves


def test_redundant_mates_come_first_and_are_lit(demo: Mechanism, live: Open) -> None:
    view = live(demo, diagnosis=diagnose(demo))
    first = next(iter(view.mates.labels))
    assert view.mates.state(view.mates.labels[first].name) == "redundant"
    view.mates.choice.value = first
    assert settled(lambda: "are held by" in view.told.content)
    assert len(view.mates._lit) == 4  # a ball and a line at each end
    view.mates.choice.value = "– none –"
    assert settled(lambda: not view.mates._lit)
    redundant = [m for m in demo.assembly.mates if view.mates.state(m.name)]
    view.mates.all.value = True
    assert settled(lambda: len(view.mates._lit) >= 2 * len(redundant) > 2)
    view.mates.all.value = False
    assert settled(lambda: not view.mates._lit)


def test_bodies_are_hidden_alone_and_seen_through(demo: Mechanism, live: Open) -> None:
    view = live(demo)
    showing, name = view.showing, view._meshes[0][0]
    showing.body.value = name

    def seen() -> set[str]:
        return {own for own, node in view._meshes if node.visible}

    every = seen()
    showing.press("Hide")
    assert seen() == every - {name}
    showing.press("Isolate")
    assert seen() == {name}
    showing.press("See through")
    assert {own for own, node in view._meshes if node.opacity} == {name}
    showing.press("Show all")
    assert seen() == every
    assert not any(node.opacity for _, node in view._meshes)


def test_joints_that_follow_stand_with_their_ratios(demo: Mechanism, live: Open) -> None:
    """The turret has 36 teeth for 12 of the pinion that Insert:2 carries: a turn of the one is three of the other."""
    assert "A1 1 : 3, reversed" in live(demo).values.content


def test_a_mate_is_left_out_and_put_back(live: Open) -> None:
    mechanism = build(door())
    view = live(mechanism, diagnosis=diagnose(mechanism))
    view.leave_out(("upper",))
    assert "Without upper: It moves with 1 degree of freedom. No mate repeats another." in view.told.content
    view.leave_out(("upper", "lower"))
    assert "Nothing holds its 1 body" in view.told.content
    assert view.sliders == {}
    view.leave_out(())
    assert "5 of 10 equations are redundant" in view.told.content
    assert list(view.sliders) == [mechanism.joints[0].name]


def test_a_run_is_stepped_slowed_and_looped(live: Open, tmp_path: Path) -> None:
    mechanism = build(door())
    write_trajectory(simulate(mechanism, duration=0.3), tmp_path / "run.parquet")
    view = live(mechanism, run=RunData(mechanism, tmp_path / "run.parquet"))
    assert view.time is not None
    view.step(2)
    assert view.time.value == pytest.approx(0.02)
    view.step(-1)
    assert view.time.value == pytest.approx(0.01)
    view.step(-5)
    assert view.time.value == 0.0
    view.speed.value, view.loop.value = "5 ×", True
    clock, seen = view.time, [0.0]

    def went_back() -> bool:
        seen.append(clock.value)
        return bool(min(np.diff(seen)) < -0.1)

    view.toggle()
    assert settled(went_back)
    view.toggle()


def test_names_make_a_tree_of_one_level_a_body() -> None:
    names = scene_names(build(door("/inner")))
    assert names == ["leaf∕inner"]


def test_the_mouse_drags_a_body_in_a_real_browser(live: Open, browser: Browser) -> None:
    """The leaf of a door is pressed where the camera shows it, and drawn to the side."""
    mechanism = build(door())
    view = live(mechanism)
    page = browser.new_page(viewport={"width": 1200, "height": 600})
    page.goto(view.address)
    camera = view.server.initial_camera
    x, y = on_screen(mechanism.bodies[0].X_WB.p, camera.position, camera.look_at, camera.fov, (1200, 600))

    def there() -> bool:
        """Whether a click meets the leaf: from then on the scene is drawn and answers."""
        page.mouse.click(x, y)
        page.wait_for_timeout(400)
        return "leaf" in view.told.content

    page.wait_for_selector("canvas", timeout=120_000)
    assert settled(there, 120.0)
    name = mechanism.joints[0].name
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 11):
        page.mouse.move(x + 10 * k, y - 5 * k)
        page.wait_for_timeout(60)
    moved = settled(lambda: abs(view.mover.values[name]) > 0.05, 60.0)
    page.mouse.up()
    page.close()
    assert moved
