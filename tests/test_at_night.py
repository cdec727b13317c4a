"""What is left to the night is there, and a part of each family is run by day."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.at_night import ALONE, ALSO, DEAR, FAMILIES

TESTS = Path(__file__).parent


@cache
def functions_of(file: str) -> set[str]:
    return set(re.findall(r"^def (\w+)\(", (TESTS / file).read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("name", [*FAMILIES, *ALONE, *DEAR])
def test_each_test_that_is_named_is_there(name: str) -> None:
    file, _, function = name.partition("::")
    assert function in functions_of(file)


def test_no_family_is_left_to_the_night_as_a_whole() -> None:
    assert not set(FAMILIES) & set(ALONE)
    assert all(one_in > 1 for one_in in FAMILIES.values())
    assert set(ALSO) <= set(FAMILIES)
