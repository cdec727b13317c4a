"""The fuzzer: the same cases for the same seed, failures seen for what they are, and a few cases of every format."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it sends signals")

FORMATS = {
    "chrono", "compare", "config", "edited", "freecad", "freecad-document", "fusion", "jobs", "mates-file", "mechanism",
    "mesh-dae", "mesh-obj", "mesh-stl", "mjcf", "motion", "ondsel", "onshape", "onshape-features", "package", "run",
    "scenario", "sdf", "simmechanics", "simscape", "step", "step-kinematics", "step-packed", "sw2robot", "sweep",
    "urdf", "usd", "xacro",
}  # fmt: skip


@pytest.fixture(scope="module")
def fuzzing() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT / "scripts"))
    yield SimpleNamespace(
        **{name: import_module(f"fuzzing.{name}") for name in ("__main__", "case", "forked", "mutate", "seeds")}
    )
    sys.path.remove(str(ROOT / "scripts"))


@pytest.fixture(scope="module")
def sound(fuzzing: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return fuzzing.seeds.seeds(tmp_path_factory.mktemp("seeds"))


def test_every_format_has_seeds(sound: Any) -> None:
    assert set(sound) == FORMATS
    assert all((seed.folder / seed.broken).is_file() for found in sound.values() for seed in found)


def test_every_reader_is_fuzzed(sound: Any) -> None:
    from cadbridge.readers.registry import FORMATS as READERS
    from cadbridge.readers.registry import taken_by

    models = [seed.folder / seed.source for found in sound.values() for seed in found]
    taken = [found for path in models if (found := taken_by(path)) is not None]
    assert {reader.name for reader, _ in taken} == {reader.name for reader in READERS}


def test_the_same_seed_breaks_the_same_way(fuzzing: Any, sound: Any) -> None:
    runs = vars(fuzzing)["__main__"]
    first, again, other = (list(runs.cases("urdf", sound["urdf"], range(20), seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert {way for _, way, _, _ in first} == set(fuzzing.mutate.WAYS)
    assert sum(content != (seed.folder / seed.broken).read_bytes() for _, _, seed, content in first) > 15


_WORKER = """
import json, os, sys, time
for line in sys.stdin:
    way = json.loads(line)["way"]
    if way == "exception":
        print(json.dumps({"kind": "exception", "said": "ZeroDivisionError: nine", "peak": 0}), flush=True)
    elif way == "crash":
        os.abort()
    elif way == "memory":
        held = bytearray(300 << 20); time.sleep(60)
    elif way == "burning":
        while True: pass
    elif way == "asleep":
        time.sleep(60)
    else:
        print(json.dumps({"kind": way, "said": "", "peak": 0}), flush=True)
"""


@pytest.mark.parametrize(
    ("way", "kind"),
    [
        ("fine", "fine"),
        ("refused", "refused"),
        ("exception", "exception"),
        ("crash", "crash"),
        ("memory", "memory"),
        ("burning", "hang"),
        ("asleep", "hang"),
    ],
)
def test_what_a_case_ends_in(
    way: str, kind: str, fuzzing: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sham_worker.py").write_text(
        f"import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n{_WORKER}"
    )
    monkeypatch.setattr(fuzzing.case, "PATHS", (*fuzzing.case.PATHS, tmp_path))
    # Only what sleeps is stopped by the clock: a process that burns or fills memory gets little of a busy machine.
    monkeypatch.setattr("cadbridge.processes.PATIENCE", 0.1 if way == "asleep" else 100.0)
    runner = fuzzing.case.Runner("sham_worker", seconds=0.3 if way == "burning" else 1.0, memory=200 << 20)
    try:
        outcome = runner.run(way, tmp_path, "none", "none")
        assert outcome.kind == kind
        assert kind != "exception" or "nine" in outcome.said
        monkeypatch.setattr("cadbridge.processes.PATIENCE", 100.0)
        assert runner.run("fine", tmp_path, "none", "none").kind == "fine"  # another process serves on
    finally:
        runner.close()


def test_occt_is_a_fork_that_is_held_and_whose_end_is_told(
    fuzzing: Any, sound: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cadbridge.processes import family
    from cadbridge.shapes import process
    from cadbridge.shapes.workspace import Workspace

    monkeypatch.setattr("cadbridge.shapes.process.subprocess", subprocess)  # put back at the end
    fuzzing.forked.fork_occt()
    workspace = Workspace()
    worker = process.Worker(workspace=workspace)
    elsewhere = sound["step"][0].folder / sound["step"][0].source
    copy = Path(shutil.copy(elsewhere, workspace.path))
    how = {"memory": 1 << 30, "length_unit": None, "geometry": True}
    try:
        for _ in range(2):
            pid = worker.request("ping", {}, 60.0)
            assert pid == worker.pid
            assert pid in family(os.getpid())
            assert worker.request("read", {"path": str(copy), **how}, 60.0)
            with pytest.raises(process.WorkerRefusedError):
                worker.request("read", {"path": str(elsewhere), **how}, 60.0)
            threading.Timer(0.05, os.kill, (pid, signal.SIGSEGV)).start()
            with pytest.raises(process.WorkerDiedError, match="ended by SIGSEGV"):
                worker.request("brep_features", {"paths": [str(copy)] * 10**6}, 60.0)
    finally:
        worker.close()
        workspace.close()


def test_a_member_of_an_archive_is_broken_alone(fuzzing: Any, sound: Any) -> None:
    import random
    import zipfile
    from io import BytesIO

    (seed, *_) = sound["freecad-document"]
    data = (seed.folder / seed.broken).read_bytes()
    broken = fuzzing.mutate.within(data, seed.inner, lambda content, chance: b"x" + content, random.Random(1))
    with zipfile.ZipFile(BytesIO(data)) as before, zipfile.ZipFile(BytesIO(broken)) as after:
        assert after.namelist() == before.namelist()
        assert after.read(seed.inner) == b"x" + before.read(seed.inner)


def test_step_files_are_broken_by_their_entities(fuzzing: Any, sound: Any) -> None:
    found = list(vars(fuzzing)["__main__"].cases("step", sound["step"], range(40), 1))
    made = [content for _, way, _, content in found if way == "entities"]
    assert len(set(made)) > 20
    assert all(text.startswith(b"ISO-10303-21;") and text.endswith(b"END-ISO-10303-21;\n") for text in made)
    # Most keep their entities: a number, reference, text or choice is another's.
    types = [sorted(re.findall(rb"=\(?([A-Z_0-9]+)", text)) for text in made]
    assert sum(one == max(types, key=types.count) for one in types) > len(made) / 3


def test_a_run_goes_on_where_it_was_stopped(fuzzing: Any, sound: Any, tmp_path: Path) -> None:
    runs, files = vars(fuzzing)["__main__"], {"config": sound["config"]}
    first = runs.fuzz(files, 2, 12, tmp_path, log=tmp_path / "log")
    again = runs.fuzz(files, 2, 12, tmp_path, until=0.0, log=tmp_path / "log")
    assert again == first
    assert first["config"].kinds.total() == 2


@pytest.mark.parametrize("count", [1, pytest.param(3, marks=pytest.mark.nightly)])
def test_broken_files_of_every_format(fuzzing: Any, sound: Any, tmp_path: Path, count: int) -> None:
    """The long run is by hand: `scripts/fuzz --cases 2000`."""
    rows = vars(fuzzing)["__main__"].fuzz(sound, count, 12, tmp_path / "kept")
    failed = {kind: row.kinds for kind, row in rows.items() if set(row.kinds) - {"fine", "refused"}}
    said = "\n\n".join(path.read_text() for path in tmp_path.rglob("said.txt"))
    assert not failed, said
    assert all(row.kinds.total() == count for row in rows.values())
    assert sum(row.kinds["fine"] for row in rows.values()) > 5 * count
    assert sum(row.kinds["refused"] for row in rows.values()) > 5 * count
