"""A process that a file has taken over can answer what it likes: that runs nothing, and ends as its crash does."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.processes import HOME
from cadbridge.readers import mjcf
from cadbridge.readers.mjcf.worker import ANSWERS as MJCF_ANSWERS
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.usd import robot
from cadbridge.shapes import face_features, load_breps, load_shapes, protocol, select_faces
from cadbridge.shapes.packing import pack
from cadbridge.shapes.process import WORKER, Worker, WorkerDiedError
from cadbridge.storage import use_cache
from tests.late import cq
from tests.shapes.solids import write_part

ANSWER = "import sys, time; out = sys.stdout.buffer; out.write(open(sys.argv[1], 'rb').read()); out.flush(); "
LIVES = ANSWER + "sys.stdin.buffer.read()"
SILENT = ANSWER + "import os; os.close(1); sys.stdin.buffer.read()"


class Evil:
    """Writes a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    return tmp_path / "it-ran"


@pytest.fixture(autouse=True)
def _apart() -> Iterator[None]:
    """No process of OCCT from before, none after, and no answer that is kept."""
    WORKER.close()
    use_cache(False)
    yield
    use_cache(True)
    WORKER.close()


def _say(monkeypatch: pytest.MonkeyPatch, folder: Path, said: bytes, program: str = LIVES) -> None:
    """All processes that read say this, whatever they are asked."""
    (folder / "said").write_bytes(said)
    command = [sys.executable, "-c", program, str(folder / "said")]
    monkeypatch.setattr("cadbridge.shapes.process.python", lambda *_: command)


def _framed(pickled: bytes) -> bytes:
    return struct.pack("<Q", len(pickled)) + pickled


def _hostile(trap: Path) -> dict[str, bytes]:
    evil = pickle.dumps(Evil(trap), protocol=5)
    mesh = (np.zeros((3, 3)), np.array([[0, 1, 2]], np.int32))
    empty = np.zeros((0, 3))
    table = protocol.FaceTable([], empty, empty, np.zeros(0), np.zeros(0), empty, [])

    def shape(**other: Any) -> bytes:
        fields = {"closed": mesh, "coarse": mesh, "brep": None, "faces": table, "solids": 1, "sheets": 0, "area": 1.0}
        return pack(protocol.ShapeData("key", "", **{**fields, **other}))

    return {
        "pickle": _framed(evil),
        "bare pickle": evil * 9,
        "pickle in the tree": struct.pack("<8sQQ", b"cadbdata", len(evil), 0) + evil,
        "claims 10^12 of text": struct.pack("<8sQQ", b"cadbdata", 10**12, 0),
        "claims 10^12 of arrays": struct.pack("<8sQQ", b"cadbdata", 4, 10**12) + b"null",
        "no dictionary": pack(7),
        "another class": pack(table),
        "numbers of another type": shape(coarse=(np.zeros((3, 3), np.float32), mesh[1])),
        "two coordinates": shape(coarse=(np.zeros((3, 2)), mesh[1])),
        "a vertex that is not there": shape(coarse=(mesh[0], np.array([[0, 1, 3]], np.int32))),
        "a vertex before the first": shape(coarse=(mesh[0], np.array([[0, 1, -1]], np.int32))),
        "a text for a number": shape(area="1"),
        "a kind of face that is none": shape(faces=protocol.FaceTable(["x"], empty, empty, empty, empty, empty, [])),
    }


@pytest.mark.parametrize("which", _hostile(Path()))
def test_an_answer_of_a_stranger_ends_as_a_crash_of_occt_and_runs_nothing(
    which: str, tmp_path: Path, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_part(tmp_path / "part.step", cq.Workplane().box(1, 2, 3))
    _say(monkeypatch, tmp_path, _hostile(trap)[which])
    with pytest.raises(InputError) as caught:
        load_shapes([path])
    (finding,) = caught.value.findings
    assert (finding.code, finding.where and finding.where.file) == ("CB124", str(path))
    assert not trap.exists()


def test_a_pickle_of_the_trap_does_run_where_it_is_unpickled(trap: Path) -> None:
    pickle.loads(pickle.dumps(Evil(trap), protocol=5))
    assert trap.exists()


@pytest.mark.parametrize("which", ["pickle", "claims 10^12 of arrays", "no dictionary"])
def test_an_answer_of_a_stranger_is_a_finding_of_mjcf_and_usd(
    which: str, tmp_path: Path, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, stage = tmp_path / "robot.xml", tmp_path / "robot.usda"
    model.write_text("<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>")
    stage.write_text("#usda 1.0\n")
    _say(monkeypatch, tmp_path, _hostile(trap)[which])
    mjcf._WORKER.close()
    codes = []
    for read, path in ((mjcf.read, model), (robot.read, stage)):
        with pytest.raises(InputError) as caught:
            read(path, ReadOptions())
        codes.append([f.code for f in caught.value.findings])
    mjcf._WORKER.close()
    assert codes == [["CB1400"], ["CB1440"]]
    assert not trap.exists()


EVIL_MODEL = """
import os
from cadbridge.readers.mjcf import worker
from cadbridge.shapes.packing import pack

compiled = worker._answer

def answer(arguments):
    if "evil" in arguments["path"]:
        for each in range(3, 64):  # the first three are none of its own, and the log
            try:
                os.write(each, 3 * pack({"model": "a lie"}))
            except OSError:
                pass
        os._exit(0)
    return compiled(arguments)

worker._answer = answer
worker.main()
"""
"""MuJoCo's process in which a model writes three answers wherever it can, among them to its caller."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each model has a process of its own where the system can fork")
def test_a_model_that_takes_over_its_process_answers_for_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mujoco")
    monkeypatch.setattr("cadbridge.shapes.process.python", lambda *_: [sys.executable, "-c", EVIL_MODEL])
    said = []
    worker = Worker("of the test", answers=MJCF_ANSWERS)
    for name in ("evil", "good"):
        path = tmp_path / f"{name}.xml"
        path.write_text(f"<mujoco model='{name}'><worldbody><body><geom size='1'/></body></worldbody></mujoco>")
        request = {"path": str(path), "files": [str(path)], "memory": 4 * 10**9}
        said.append(worker.request("compile", request, 60.0)["model"])
    worker.close()
    assert said == ["a lie", "good"]


def test_more_answers_than_shapes_and_faces_that_are_not_there_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_part(tmp_path / "part.step", cq.Workplane().box(1, 2, 3))
    shape = load_shapes([path])[path]
    texts = {"a": b"brep", "b": b"brep"}
    WORKER.close()
    _say(monkeypatch, tmp_path, pack(["one", "two", "three"]))
    findings = Findings()
    assert load_breps(texts, path, findings) == {}
    assert [(f.code, f.where and f.where.item) for f in findings] == [("CB125", "a"), ("CB125", "b")]
    WORKER.close()
    assert isinstance(face_features([shape])[shape.key], str)
    for picked in ([6], [-1]):
        WORKER.close()
        _say(monkeypatch, tmp_path, pack(picked))
        with pytest.raises(InputError, match="does not have"):
            select_faces(shape, ">Z")


def _document(products: dict[str, list[str]], shape: str | None = None) -> bytes:
    made = {
        label: protocol.Product(label, "", [protocol.Occurrence("", x, np.eye(3, 4)) for x in inside], shape)
        for label, inside in products.items()
    }
    return pack(protocol.Document([protocol.Occurrence("", "a", np.eye(3, 4))], made, {}, []))


@pytest.mark.parametrize(
    "said",
    [_document({"a": ["b"], "b": ["a"]}), _document({"a": ["b"]}), _document({"b": []}), _document({"a": []}, "none")],
)
def test_a_product_that_lies_in_itself_or_is_not_there_is_refused(
    said: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(monkeypatch, tmp_path, said)
    worker = Worker()
    with pytest.raises(WorkerDiedError, match=r"its answer cannot be used: the answer"):
        worker.request("read", {}, 60.0)
    assert worker.pid is None


@pytest.mark.parametrize("said", [b"", pack(7)[:-1]])
def test_a_process_that_closes_its_pipe_and_lives_on_is_ended(
    said: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cadbridge.shapes.process._LAST_WORDS", 0.1)
    _say(monkeypatch, tmp_path, said, SILENT)
    worker = Worker()
    with pytest.raises(WorkerDiedError, match="fell silent"):
        worker.request("ping", {}, 60.0)
    assert worker.pid is None


def test_a_process_that_reads_nothing_is_stopped_at_its_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(monkeypatch, tmp_path, b"", "import time; time.sleep(600)")
    worker = Worker()
    with pytest.raises(WorkerDiedError, match="time limit"):
        worker.request("read", {"path": "x" * 10**6}, 0.01)


def test_no_module_that_meets_answers_of_such_processes_can_unpickle() -> None:
    """Sweeps alone do: they read what our own processes say, which no file has reached."""
    words = ("import pickle", "from pickle", "allow_pickle=True", "import marshal", "multiprocessing")
    root = HOME / "cadbridge"
    texts = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in sorted(root.rglob("*.py"))}
    found = [name for name, text in texts.items() if any(word in text for word in words)]
    assert found == ["sweeps/crew.py", "sweeps/running.py", "sweeps/worker.py"]
