"""Names that nobody has: one way for readers, exporters and the command line."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from cadbridge.exporters.names import UniqueNames
from cadbridge.findings import Findings
from cadbridge.readers.finish import unique_names
from cadbridge.readers.names import free_name


@dataclass(frozen=True)
class Item:
    """Something that has a name."""

    name: str


def renamed(*names: str) -> tuple[list[str], int]:
    findings = Findings()
    done = unique_names(tuple(map(Item, names)), "part", findings)
    return [item.name for item in done], len(findings)


def test_the_later_of_two_gets_a_count_that_no_other_item_bears() -> None:
    assert renamed("a", "a", "a (2)", "a") == (["a", "a (3)", "a (2)", "a (4)"], 2)
    assert renamed("a", "b") == (["a", "b"], 0)


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "b"]), max_size=12))
def test_all_names_differ_and_the_first_of_each_keeps_its_own(names: list[str]) -> None:
    done, told = renamed(*names)
    assert len(set(done)) == len(names)
    assert told == sum(a != b for a, b in zip(names, done, strict=True))
    assert all(done[names.index(name)] == name for name in names)


def test_twenty_thousand_of_one_name_are_counted_once_each() -> None:
    """Work that grows with the square would take 200 million steps."""
    asked = UniqueNames("item")
    names = [asked.give("arm") for _ in range(20_000)]
    assert (names[0], names[1], names[-1], len(set(names))) == ("arm", "arm_2", "arm_20000", 20_000)
    assert renamed(*["arm"] * 20_000)[0][-1] == "arm (20000)"


def test_a_name_is_taken_from_then_on() -> None:
    taken = {"rod"}
    assert [free_name("rod", taken), free_name("rod", taken, "{}_{}"), free_name("pin", taken)] == [
        "rod (2)", "rod_2", "pin",
    ]  # fmt: skip
