"""What lies in a cache is taken only if it is the user's own; limits of the machine are told truly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cadbridge import storage
from cadbridge.processes import environment
from solver.compilation import caches, library

CUBE = "demo.step"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CADBRIDGE_KERNELS", raising=False)
    monkeypatch.delenv("CADBRIDGE_NO_CACHE", raising=False)
    return tmp_path


@pytest.mark.parametrize("value", ["", "kernels", "./x", ".."])
def test_an_empty_or_relative_name_means_no_folder_where_the_user_stands(
    value: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("CADBRIDGE_CACHE", "CADBRIDGE_KERNELS"):
        monkeypatch.setenv(variable, value)
    monkeypatch.chdir(folder)
    for place in (caches.cache_folder(), library.kernel_folder()):
        assert place.is_absolute()
        assert not place.is_relative_to(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no owners of files")
def test_kernels_that_others_can_write_are_not_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = library.kernel_folder() / f"{library.name()}.so"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"machine code of others")
    monkeypatch.setattr(library, "SHIPPED", folder / "none")
    monkeypatch.setattr(library, "_made", lambda: Path("made anew"))
    monkeypatch.setattr(library, "opened", lambda path: str(path))
    for path, mode, taken in (
        (kept, 0o644, True),
        (kept, 0o666, False),
        (kept, 0o664, False),
        (kept.parent, 0o777, False),
    ):
        kept.chmod(0o644)
        kept.parent.chmod(0o755)
        path.chmod(mode)
        assert library._library.__wrapped__() == (str(kept) if taken else "made anew")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to others")
def test_what_belongs_to_another_is_not_taken(folder: Path) -> None:
    path = folder / "kept"
    storage.keep(path, b"mine")
    assert storage.kept(path) == b"mine"
    os.chown(path, 12345, 12345)
    assert storage.kept(path) is None
    assert path.exists()
    assert not caches.is_own(path)


def test_an_answer_that_others_can_write_is_not_believed(folder: Path) -> None:
    storage.computed_once("key", lambda: 1, lambda n: str(n).encode(), int)
    (path,) = (p for p in (folder / "cache").rglob("*") if p.is_file())
    assert caches.is_own(path)
    storage.keep(path, b"2")
    assert storage.computed_once("key", lambda: 1, lambda n: str(n).encode(), int) == 2
    path.chmod(0o666)
    assert storage.computed_once("key", lambda: 3, lambda n: str(n).encode(), int) == 3


def test_kernels_are_made_in_a_folder_that_only_the_user_writes(folder: Path) -> None:
    open_to_all = folder / "cache" / "kernels"
    open_to_all.mkdir(parents=True)
    open_to_all.chmod(0o777)
    assert caches.make_own(open_to_all)
    assert not open_to_all.stat().st_mode & 0o022


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is set as Linux has it")
@pytest.mark.parametrize(("kilobytes", "status", "says"), [(600_000, 2, "ulimit -v"), (2_000_000, 0, "")])
def test_a_limit_of_the_person_is_kept_or_told(kilobytes: int, status: int, says: str, tmp_path: Path) -> None:
    source = Path(storage.__file__).parent / "data" / "demo" / CUBE
    command = f'ulimit -v {kilobytes}; exec "$0" -P -m cadbridge check "$1" --ignore CB415'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, str(source)], capture_output=True, text=True, check=False, timeout=300,
        env=environment({"CADBRIDGE_NO_CACHE": "1"}),
    )  # fmt: skip
    assert (done.returncode, says in done.stderr) == (status, True), done.stderr
    assert "current limit exceeds" not in done.stderr
