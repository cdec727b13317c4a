"""The list of guards is that of the code: each stands where it says, once, and its test is there."""

from __future__ import annotations

from tests.doors.guards import GUARDS, ROOT


def test_each_guard_stands_once_in_its_file() -> None:
    found = {guard.name: (ROOT / guard.file).read_text("utf-8").count(guard.line) for guard in GUARDS}
    assert {name: n for name, n in found.items() if n != 1} == {}


def test_each_guard_has_its_test() -> None:
    for guard in GUARDS:
        file, _, name = guard.test.partition("::")
        assert f"\ndef {name}(" in (ROOT / file).read_text("utf-8"), guard.name
