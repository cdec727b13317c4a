"""OCCT's process can open what was copied for it, and nothing else; it starts threads, but no program."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cadbridge.findings import Findings
from cadbridge.processes import ONE_CORE, environment
from cadbridge.shapes import limits
from cadbridge.shapes.part21 import Sources
from cadbridge.shapes.process import Worker, WorkerDiedError, WorkerRefusedError
from cadbridge.shapes.workspace import Workspace
from tests.late import cq
from tests.readers.test_step_beside_occt import external
from tests.shapes.solids import write_part
from tests.waiting import SLOW

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process of C++")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    return folder


@pytest.fixture
def worker(own: Path) -> Iterator[Worker]:
    worker = Worker(workspace=Workspace(own))
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Worker, Path]]:
    """A worker for tests that leave it alive, and the folder that it may read: to start one takes a second."""
    folder = tmp_path_factory.mktemp("held")
    worker = Worker(workspace=Workspace(folder))
    yield worker, folder
    worker.close()


def _whole(worker: Worker, path: Path) -> Any:
    return worker.request("whole", {"path": str(path), "memory": 1_200_000_000, "length_unit": None}, 60.0)


def test_a_step_file_elsewhere_is_refused(held: tuple[Worker, Path], tmp_path: Path) -> None:
    worker, own = held
    outside = write_part(tmp_path / "part.step", cq.Workplane().box(1, 2, 3))
    inside = own / "part.step"
    inside.write_bytes(outside.read_bytes())
    assert _whole(worker, inside).solids == 1
    (own / "link.step").symlink_to(outside)
    up = Path(os.path.relpath(outside, own))
    for path in (outside, own / up, own / "link.step"):
        with pytest.raises(WorkerRefusedError, match="no STEP entities"):
            _whole(worker, path)


def test_a_brep_elsewhere_is_refused(held: tuple[Worker, Path], tmp_path: Path) -> None:
    worker, own = held
    cq.Workplane().box(1, 2, 3).val().exportBrep(str(tmp_path / "part.brp"))
    (own / "part.brp").write_bytes((tmp_path / "part.brp").read_bytes())
    asked = {"paths": [str(own / "part.brp"), str(tmp_path / "part.brp")], "scale": 1.0}
    inner, outer = worker.request("breps", asked, 60.0)
    assert inner.shape.solids == 1
    assert outer == "ValueError: OCCT finds no shape in it"


def test_a_reference_that_was_overlooked_opens_nothing(held: tuple[Worker, Path], tmp_path: Path) -> None:
    """As if `external.references` had missed it: OCCT itself resolves the name."""
    worker, own = held
    part = write_part(tmp_path / "part.stp", cq.Workplane().box(10, 20, 30))
    external(own / "source.stp", str(part))
    try:
        asked = {"path": str(own / "source.stp"), "memory": 1_200_000_000, "length_unit": None, "geometry": True}
        found = worker.request("read", asked, 60.0).shapes
    except WorkerRefusedError:
        found = {}
    assert found == {}


_HELD = """
import os, socket, subprocess, sys, threading
from pathlib import Path
from cadbridge.shapes.worker import hold
print(*hold(Path({folder!r})))
def attempt(what):
    try:
        what()
        print("possible")
    except OSError:
        print("refused")
for what in (
    lambda: open("/etc/passwd"),
    lambda: open({folder!r} + "/new", "w"),
    lambda: os.fork(),
    lambda: os.execv("/bin/true", ["true"]),
    lambda: subprocess.run(["/bin/true"]),
    lambda: socket.socket(),
    lambda: os.kill(os.getppid(), 0),
    lambda: os.unlink({folder!r} + "/own"),
):
    attempt(what)
read = []
thread = threading.Thread(target=lambda: read.append(open({folder!r} + "/own").read()))
thread.start()
thread.join()
print(*read)
thread = threading.Thread(target=lambda: attempt(lambda: open("/etc/passwd")))
thread.start()
thread.join()
import pyparsing
print("loaded")
"""


def test_it_starts_threads_and_loads_libraries_and_does_nothing_else(own: Path) -> None:
    (own / "own").write_text("own", "utf-8")
    done = subprocess.run(
        [sys.executable, "-P", "-c", _HELD.format(folder=str(own))],
        capture_output=True, text=True, env=environment(ONE_CORE), check=False, timeout=SLOW,
    )  # fmt: skip
    layers, *said = done.stdout.splitlines()
    assert layers == "limits landlock seccomp", done.stderr
    assert said == [*["refused"] * 8, "own", "refused", "loaded"], done.stderr
    assert [p.name for p in own.iterdir()] == ["own"]


def test_a_killed_process_leaves_no_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        "import os, signal; from cadbridge.shapes.workspace import WORKSPACE\n"
        "(WORKSPACE.new() / 'source.stp').write_bytes(b'x'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    env = {**environment(), "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-P", "-c", script], env=env, check=False)
    (left,) = tmp_path.iterdir()
    assert (left / "1/source.stp").is_file()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first, second = Workspace(), Workspace()
    try:
        assert {first.path, second.path} == set(tmp_path.iterdir()), "those in use stay"
    finally:
        first.close()
        second.close()
    assert list(tmp_path.iterdir()) == []


def test_a_small_file_ends_soon_and_a_large_one_within_what_machines_have(own: Path, tmp_path: Path) -> None:
    """Some broken files of 10 kB keep OCCT busy for ever, others of 100 MB let it fill the memory."""
    assert 10.0 < limits.seconds(10_000) < 12.0
    assert limits.seconds(400_000) == 20.0
    assert limits.memory(100 << 20) < 2_000_000_000
    part = write_part(tmp_path / "part.stp", cq.Workplane().box(10, 20, 30))
    external(tmp_path / "all.stp", part.name)
    prepared = Sources(Workspace(own)).prepare(tmp_path / "all.stp", Findings())
    assert prepared.text_bytes > part.stat().st_size + (tmp_path / "all.stp").stat().st_size - 10


def test_a_file_that_fills_the_memory_is_refused_at_its_limit(worker: Worker, own: Path, tmp_path: Path) -> None:
    part = write_part(tmp_path / "part.stp", cq.Workplane().box(10, 20, 30)).read_text("utf-8")
    broken = "#999999=A(" + ("(" * 30 + "1)") * 200_000 + ");"
    (own / "broken.step").write_text(part.replace("DATA;", f"DATA;\n{broken}"), "utf-8")
    with pytest.raises((WorkerRefusedError, WorkerDiedError)) as caught:
        worker.request("whole", {"path": str(own / "broken.step"), "memory": 100_000_000, "length_unit": None}, 60.0)
    if isinstance(caught.value, WorkerRefusedError):
        assert "0.1 GB, what OCCT may take" in caught.value.message
        assert caught.value.kind == "memory"
    else:  # where it looks for memory that it was not given, OCCT may die: its caller says so with the limit
        assert "SIGSEGV" in str(caught.value)


def test_copies_of_the_last_files_only_are_kept(own: Path, tmp_path: Path) -> None:
    sources, findings = Sources(Workspace(own)), Findings()
    part = write_part(tmp_path / "0.step", cq.Workplane().box(1, 2, 3)).read_bytes()
    paths = [tmp_path / f"{k}.step" for k in range(20)]
    for path in paths:
        path.write_bytes(part)
        assert sources.prepare(path, findings).path.read_bytes() == part
    assert len(list(own.iterdir())) == 8
    assert sources.prepare(paths[0], findings).path.read_bytes() == part, "one that went is copied again"
    assert findings.as_tuple() == ()
