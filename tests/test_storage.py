"""What was computed once is kept by its key, and survives damage, full and read-only folders."""

import os
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from cadbridge import storage
from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.storage import ANSWERS, computed_once, use_cache
from cadbridge.version import version_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CADBRIDGE_NO_CACHE", raising=False)
    yield tmp_path / "cache" / ANSWERS
    use_cache(True)


class Counting:
    """A computation that counts how often it was made."""

    def __init__(self, answer: str = "answer") -> None:
        self.calls, self.answer = 0, answer

    def __call__(self) -> str:
        self.calls += 1
        return self.answer


def asked(key: object, compute: Counting) -> str:
    def unpack(data: bytes) -> str:
        return data.decode("ascii")

    return computed_once(key, compute, str.encode, unpack)


def test_an_answer_is_computed_once_for_its_key(folder: Path) -> None:
    compute = Counting()
    assert [asked(["a", 1], compute) for _ in range(3)] == ["answer"] * 3
    assert compute.calls == 1
    asked(["a", 2], compute)
    assert compute.calls == 2


def test_without_cache_nothing_is_used_or_kept(folder: Path) -> None:
    compute = Counting()
    use_cache(False)
    asked("a", compute)
    asked("a", compute)
    assert compute.calls == 2
    assert not folder.exists()


def test_a_damaged_answer_is_computed_anew(folder: Path) -> None:
    compute = Counting()
    asked("a", compute)
    (entry,) = [p for p in folder.rglob("*") if p.is_file()]
    entry.write_bytes(entry.read_bytes() + b"x")
    assert asked("a", compute) == "answer"
    assert compute.calls == 2
    storage.keep(entry, b"\xff\xfe")  # whole, but nothing that can be unpacked
    assert asked("a", compute) == "answer"
    assert compute.calls == 3


def test_a_folder_that_cannot_be_written_keeps_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.parent.write_text("a file in the place of the folder")
    compute = Counting()
    assert asked("a", compute) == "answer"
    assert asked("a", compute) == "answer"
    assert compute.calls == 2
    told = capsys.readouterr().err
    assert told.count("what is computed is not kept. CADBRIDGE_CACHE may name another folder.") == 1
    assert main(["cache", "show"]) == 0
    assert "what is computed is not kept" in capsys.readouterr().err


def test_the_longest_unused_answers_go_beyond_the_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CADBRIDGE_CACHE_LIMIT", "5000")
    old, new = Counting("o" * 1000), Counting("n" * 1000)
    asked("old", old)
    (entry,) = [p for p in folder.rglob("*") if p.is_file()]
    os.utime(entry, (1, 1))
    for k in range(4):
        asked(["new", k], new)
    assert not entry.exists()
    assert asked(["new", 3], new) == "n" * 1000
    assert new.calls == 4
    huge = Counting("h" * 4000)
    asked("huge", huge)
    asked("huge", huge)
    assert huge.calls == 2  # larger than a quarter of the limit: not kept


def test_a_limit_that_is_no_number_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was taken for the default without a word."""
    monkeypatch.setenv("CADBRIDGE_CACHE_LIMIT", "abc")
    with pytest.raises(InputError, match="CADBRIDGE_CACHE_LIMIT is 'abc'; it takes a number of bytes"):
        use_cache(True)
    use_cache(False)  # nobody asks for the limit of what is not used
    assert main(["cache", "show"]) == 2  # it was taken for the usual limit
    monkeypatch.setenv("CADBRIDGE_CACHE_LIMIT", " 5000 ")
    use_cache(True)


def test_the_version_of_a_library_is_that_of_its_metadata() -> None:
    for name in ("manifold3d", "cadquery-ocp", "numpy"):
        assert version_of(name) == version(name)
    assert version_of("no-such-library") == "unknown"


def test_the_version_of_a_library_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found in a part is kept by two of them: of a machine of 500 parts the looking took seconds."""
    found = version_of("numpy")
    monkeypatch.setattr(sys, "path", [])
    assert version_of("numpy") == found


def test_an_answer_in_the_place_of_another_is_not_taken(folder: Path) -> None:
    """As a backup that was put back in part may leave it: whole, but the answer to another question."""
    first, second = Counting("first"), Counting("second")
    asked("a", first)
    (one,) = folder.rglob("??/*")
    asked("b", second)
    (other,) = (path for path in folder.rglob("??/*") if path != one)
    other.write_bytes(one.read_bytes())
    assert asked("b", second) == "second"
    assert second.calls == 2


def test_a_folder_in_the_place_of_an_answer_goes(folder: Path) -> None:
    """Nothing could be kept there: each command computed the answer anew, for ever."""
    compute = Counting()
    asked("a", compute)
    (one,) = folder.rglob("??/*")
    one.unlink()
    (one / "in it").mkdir(parents=True)
    assert asked("a", compute) == asked("a", compute) == "answer"
    assert compute.calls == 2
    assert one.is_file()
