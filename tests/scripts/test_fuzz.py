"""The fuzzer: the same cases for the same seed, and failures seen for what they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it forks")


@pytest.fixture(scope="module")
def fuzzing() -> Iterator[tuple[ModuleType, ModuleType]]:
    sys.path.insert(0, str(ROOT / "scripts"))
    yield import_module("fuzzing.__main__"), import_module("fuzzing.case")
    sys.path.remove(str(ROOT / "scripts"))


def test_the_same_seed_breaks_the_same_way(fuzzing: tuple[ModuleType, ModuleType]) -> None:
    runs, _ = fuzzing
    files = [ROOT / "fixtures/four_bar/four_bar.urdf"]
    first, again, other = (list(runs.cases(".urdf", files, 12, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert len({way for _, way, _, _ in first}) == 4
    assert all(content != files[0].read_bytes() for _, _, _, content in first[:4])


@pytest.mark.parametrize(
    ("does", "kind"),
    [
        ("return 'fine'", "fine"),
        ("return 'refused'", "refused"),
        ("raise ZeroDivisionError('nine')", "exception"),
        ("import faulthandler, os; faulthandler.disable(); os.abort()", "crash"),
        ("\n    while True: pass", "hang"),
    ],
)
def test_what_a_case_ends_in(
    does: str, kind: str, fuzzing: tuple[ModuleType, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space: dict[str, object] = {}
    exec(f"def use(path, folder):\n    {does}", space)
    monkeypatch.setattr(fuzzing[1], "use", space["use"])
    monkeypatch.setattr(fuzzing[1], "SECONDS", 1)
    outcome = fuzzing[1].run(tmp_path / "none", tmp_path)
    assert outcome.kind == kind
    assert kind != "exception" or "nine" in outcome.said
