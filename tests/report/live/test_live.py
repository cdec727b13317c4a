"""The live view, driven by its server's own callbacks."""

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cadbridge.assembly import Face
from cadbridge.cli.view import source_of
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism, build
from cadbridge.readers import read
from cadbridge.report.live import LiveView
from cadbridge.report.live.picking import face_of
from cadbridge.report.page.motions import RunData
from cadbridge.simulation import simulate, write_trajectory
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


def settled(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether a condition comes true: callbacks run in threads of their own."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


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
    assert line in view.told.content
    assert view.pick([0.0, 0.0, 50.0], [0.0, 0.0, 1.0]) is None


def test_a_part_without_faces_is_told_and_its_name_stays_text(live: Open) -> None:
    view = live(build(door(HOSTILE)))
    assert view.pick([0.5, 0.0, 5.0], [0.0, 0.0, -1.0]) is None
    assert all(line.startswith("    ") for line in view.told.content.splitlines())


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
