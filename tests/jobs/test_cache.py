"""The cache as a person asks after it, and the hashes of files."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from cadbridge.cli import main
from cadbridge.exporters.meshes import stl_bytes
from cadbridge.jobs import Cache, plan, run
from cadbridge.jobs.child import _outside
from cadbridge.jobs.hashing import Hashes
from cadbridge.jobs.local import Local
from cadbridge.storage import digest, keep
from tests.exporters.models import box
from tests.jobs.making import robot


@pytest.fixture
def filled(tmp_path: Path, cache: Path, warm: Local) -> Path:
    """A cache with the results of three jobs."""
    for n in range(3):
        robot(tmp_path / f"r{n}.urdf", n)
    (tmp_path / "jobs.yaml").write_text("jobs: [{sources: '*.urdf'}]")
    assert all(r.ok for r in run(tmp_path / "jobs.yaml", executor=warm))
    return cache


def test_show(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "show", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["folder"] == str(filled)
    assert said["entries"] == 3
    assert said["objects"] >= 6
    kernels = {p for p in (filled / "kernels").rglob("*") if p.is_file()}
    others = {p for p in filled.rglob("*") if p.is_file()} - kernels
    assert said["bytes"] == sum(p.stat().st_size for p in others)
    assert said["kernel_bytes"] == sum(p.stat().st_size for p in kernels)


def test_verify_drops_what_is_damaged(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "verify"]) == 0
    objects = sorted(p for p in (filled / "objects").rglob("*") if p.is_file())
    objects[0].write_bytes(b"other")
    next((filled / "jobs").rglob("*.json")).write_bytes(b"{")
    assert main(["cache", "verify"]) == 1
    assert "is not what was stored" in capsys.readouterr().out
    assert main(["cache", "verify"]) == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_in_the_cache_holds_nobody_up(filled: Path, tmp_path: Path, warm: Local) -> None:
    def pipes() -> None:
        for path in [p for kind in ("objects", "jobs") for p in (filled / kind).rglob("*") if p.is_file()]:
            path.unlink()
            os.mkfifo(path)

    pipes()
    assert all(r.ok and not r.cached for r in run(tmp_path / "jobs.yaml", executor=warm))
    pipes()
    assert main(["cache", "verify"]) == 1
    assert main(["cache", "verify"]) == 0


def test_a_damaged_answer_is_told(filled: Path) -> None:
    answer = filled / "answers" / "ab" / "abcdef0123456789"
    answer.parent.mkdir(parents=True)
    answer.write_bytes(b"no hash\nof this")
    (said,) = Cache(filled).verify()
    assert said == "answer abcdef012345 is not what was stored"
    assert not answer.exists()
    assert Cache(filled).verify() == []


def test_prune_by_age_by_size_and_whole(filled: Path) -> None:
    assert main(["cache", "prune"]) == 2  # say what
    assert main(["cache", "prune", "--size", "lots"]) == 2
    assert main(["cache", "prune", "--older", "1"]) == 0
    cache = Cache(filled)
    assert cache.size()["entries"] == 3
    oldest = sorted((filled / "jobs").rglob("*.json"))[1]
    long_ago = time.time() - 3 * 86400
    os.utime(oldest, (long_ago, long_ago))
    assert main(["cache", "prune", "--older", "1"]) == 0
    assert cache.size()["entries"] == 2
    assert not oldest.exists()
    assert cache.verify() == []
    assert main(["cache", "prune", "--size", "1KB"]) == 0
    assert cache.size()["entries"] == 0
    assert cache.size()["objects"] == 0
    assert main(["cache", "prune", "--all"]) == 0
    assert cache.size()["bytes"] == 0


def test_what_commands_keep_is_counted_and_pruned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They take most of a cache, and were neither shown nor pruned."""
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path / "cache"))
    names = [f"{k:02x}" + "0" * 62 for k in range(4)]
    files = [tmp_path / "cache" / "answers" / name[:2] / name for name in names]
    for k, file in enumerate(files):
        keep(file, b"x" * 2_000_000)
        os.utime(file, (time.time() - 86400 * k, time.time() - 86400 * k))
    assert main(["cache", "show"]) == 0
    assert "no results, no files, 4 answers, 8.0 MB" in capsys.readouterr().out
    assert main(["cache", "prune", "--older", "2.5"]) == 0
    assert "dropped no results, no files, 1 answer, 2.0 MB" in capsys.readouterr().out
    assert main(["cache", "prune", "--size", "5MB"]) == 0
    assert [file.exists() for file in files] == [True, True, False, False]
    assert main(["cache", "prune", "--all"]) == 0
    assert Cache(tmp_path / "cache").size() == {"entries": 0, "objects": 0, "answers": 0, "bytes": 0}


def test_hashes_are_remembered_until_a_file_changes(tmp_path: Path) -> None:
    file, index = tmp_path / "a", tmp_path / "index.json"
    file.write_text("one")
    time.sleep(0.06)  # younger files are read each time
    first = Hashes(index)
    assert first.of(file) == digest(b"one")
    first.save()
    index.write_text(index.read_text().replace(digest(b"one"), "remembered"))
    assert Hashes(index).of(file) == "remembered"
    status = file.stat()
    file.write_text("two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))  # the same size and time: not the same change time
    assert Hashes(index).of(file) == digest(b"two")
    assert Hashes(index).of(tmp_path / "none") is None
    assert Hashes(index).of(tmp_path) is None


def test_what_packages_hold_is_no_input_wherever_they_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / "elsewhere" / "site-packages"
    monkeypatch.setattr("sys.path", [*sys.path, str(packages)])
    opened: dict[str, list[int] | None] = {
        str(packages / "other-1.0.dist-info" / "entry_points.txt"): None,
        str(tmp_path / "r.urdf"): None,
    }
    assert _outside(opened, tmp_path / "stage", None) == {str(tmp_path / "r.urdf"): None}


def test_a_file_just_written_is_not_trusted_by_its_time(tmp_path: Path) -> None:
    file, index = tmp_path / "a", tmp_path / "index.json"
    file.write_text("one")
    hashes = Hashes(index)
    assert hashes.of(file) == digest(b"one")
    hashes.save()
    assert str(file) not in json.loads(index.read_bytes() if index.exists() else b"{}")


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b'{"a": 3}', b"\xff\xfe"])
def test_a_damaged_index_is_as_none(tmp_path: Path, content: bytes) -> None:
    index = tmp_path / "index.json"
    index.write_bytes(content)
    (tmp_path / "a").write_text("one")
    assert Hashes(index).of(tmp_path / "a") == digest(b"one")


def test_collision_geometry_is_kept_shown_verified_and_pruned(tmp_path: Path, warm: Local) -> None:
    robot(tmp_path / "in" / "a.urdf", geometry='<mesh filename="a.stl"/>')
    (tmp_path / "in" / "a.stl").write_bytes(stl_bytes(box((0.1, 0.2, 0.3))))
    job = {"sources": "a.urdf", "do": "convert", "to": "urdf", "collision": "primitives"}
    plan_of = plan([job], base=tmp_path / "in", output=tmp_path / "out")
    (done,) = run(plan_of, executor=warm, cache=tmp_path / "cache")
    assert done.ok, done.reason
    assert "CB523" in [f.code for f in done.findings]
    (file,) = (p for p in (tmp_path / "cache" / "collision").rglob("*") if p.is_file())
    assert [name for name in done.inputs if "cache/" in name] == []
    cache = Cache(tmp_path / "cache")
    objects = cache.size()["objects"]
    file.write_bytes(file.read_bytes() + b"more")
    (said,) = cache.verify()
    assert "collision geometry" in said
    assert cache.size()["objects"] == objects - 1
    assert cache.prune()["entries"] == 1
    assert cache.size() == {"entries": 0, "objects": 0, "answers": 0, "bytes": 0}


needs_owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")


def _cached(folder: Path, tmp_path: Path, warm: Local, named: bool) -> tuple[list[bool], list[str]]:
    results = list(run(tmp_path / "jobs.yaml", executor=warm, cache=folder if named else True))
    assert all(r.ok for r in results)
    return [r.cached for r in results], [f.code for r in results for f in r.findings if f.code.startswith("CB73")]


@needs_owners
def test_in_the_users_own_folder_an_entry_that_others_can_write_is_not_believed(
    filled: Path, tmp_path: Path, warm: Local
) -> None:
    assert _cached(filled, tmp_path, warm, False) == ([True] * 3, [])
    for entry in (filled / "jobs").rglob("*.json"):
        entry.chmod(0o664)
    assert _cached(filled, tmp_path, warm, False) == ([False] * 3, ["CB731"])
    assert _cached(filled, tmp_path, warm, False) == ([True] * 3, []), "its own take their place"


@needs_owners
def test_a_folder_that_is_named_is_shared_unless_everybody_can_write_it(
    filled: Path, tmp_path: Path, warm: Local
) -> None:
    for entry in (filled / "jobs").rglob("*.json"):
        entry.chmod(0o664)
    filled.chmod(0o775)
    assert _cached(filled, tmp_path, warm, True) == ([True] * 3, [])
    filled.chmod(0o777)
    assert _cached(filled, tmp_path, warm, True) == ([False] * 3, ["CB731"])


@needs_owners
def test_hashes_that_others_can_write_are_not_believed(tmp_path: Path) -> None:
    source, kept = tmp_path / "a", tmp_path / "hashes.json"
    source.write_bytes(b"a")
    os.utime(source, (1e9, 1e9))
    state = source.stat()
    false = {str(source): [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, "0" * 64]}
    kept.write_text(json.dumps(false))
    kept.chmod(0o600)
    assert Hashes(kept).of(source) == "0" * 64
    kept.chmod(0o666)
    assert Hashes(kept).of(source) == digest(b"a")


def test_caches_are_no_input_wherever_they_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that two first jobs compile at once come and go: neither result was kept."""
    monkeypatch.setenv("CADBRIDGE_KERNELS", str(tmp_path / "kernels"))
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path / "kept"))
    own = str(tmp_path / "r.urdf")
    caches = (tmp_path / "kernels" / "kernels-0.o", tmp_path / "kept" / "shapes" / "0.json")
    opened: dict[str, list[int] | None] = {own: None, **dict.fromkeys(map(str, caches))}
    assert _outside(opened, tmp_path / "stage", None) == {own: None}
