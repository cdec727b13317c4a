"""Waiting for changes, and running again what depends on them."""

import signal
import threading
import time
from pathlib import Path

from cadbridge.jobs import load, run
from cadbridge.jobs.local import Local
from cadbridge.jobs.watching import changes, dependencies
from tests.jobs.making import batch, robot
from tests.waiting import SLOW


def test_what_jobs_depend_on_is_watched_and_what_they_write_is_not(tmp_path: Path, warm: Local) -> None:
    outside = robot(tmp_path / "elsewhere" / "far.urdf")
    robot(tmp_path / "set" / "near.urdf")
    path = tmp_path / "set" / "jobs.yaml"
    path.write_text(f"jobs: [{{sources: near.urdf}}, {{sources: {outside}, name: far}}]")
    plan = load(path)
    results = list(run(plan, executor=warm))
    assert dependencies(plan, results) >= {path, outside, tmp_path / "set" / "near.mates.yaml"}
    for changed in (outside, tmp_path / "set" / "near.mates.yaml", tmp_path / "set" / "new.urdf", path):
        assert _seen(plan, results, changed) == {changed}
    stop = threading.Event()
    timer = threading.Timer(1.5, stop.set)
    timer.start()
    threading.Timer(0.5, (plan.output / "far" / "x.json").write_text, ["{}"]).start()
    assert changes(plan, results, stop) == set()
    timer.join()


def _seen(plan: object, results: object, changed: Path) -> set[Path]:
    stop, done = threading.Event(), threading.Event()

    def alter() -> None:
        while not done.wait(0.3):  # until it is seen: when watching begins is not told
            with changed.open("a") as file:
                file.write(" ")

    thread = threading.Thread(target=alter)
    thread.start()
    try:
        return changes(plan, results, stop)  # type: ignore[arg-type]
    finally:
        done.set()
        thread.join()


def test_a_batch_that_watches_runs_again_what_changed(tmp_path: Path) -> None:
    for n in (1, 2):
        robot(tmp_path / f"r{n}.urdf", n)
    (tmp_path / "jobs.yaml").write_text("jobs: [{sources: '*.urdf'}]")
    said: list[str] = []
    with batch(tmp_path / "jobs.yaml", "--watch") as process:
        reader = threading.Thread(target=lambda: said.extend(iter(process.stderr.readline, "")))  # type: ignore[union-attr]
        reader.start()
        try:
            _until(said, "watching", 1)
            _until(said, "watching", 2, lambda: robot(tmp_path / "r2.urdf", 2, mass=7.0))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(SLOW)
            reader.join()
    text = "".join(said)
    second = text[text.index("changed: ") :]
    assert "r2.urdf" in second
    assert "r1/check: done (known)" in second
    assert "r2/check: done (known)" not in second.split("changed: ")[1]
    assert process.returncode == 130


def _until(said: list[str], word: str, count: int, again: object = None) -> None:
    deadline = time.monotonic() + SLOW
    while sum(word in line for line in said) < count:
        assert time.monotonic() < deadline, said
        if callable(again):
            again()
            time.sleep(1.0)
        time.sleep(0.1)
