"""FMPy parses the names of the variables of an FMU by their grammar, which takes longest of its check: once each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session", autouse=True)
def names_parsed_once() -> Iterator[None]:
    """A name that was parsed is not parsed again: some hundred of an FMU take a second, and most FMUs have the same.

    FMPy's check runs on each FMU, and each name that is new, or was refused, is still parsed.
    """
    try:
        import lark
    except ImportError:  # without FMPy no name is parsed
        yield
        return
    parse, parsed = lark.Lark.parse, {}

    def once(self: Any, text: str, *given: Any, **named: Any) -> Any:
        key = (self.source_grammar, text)
        if key not in parsed:
            parsed[key] = parse(self, text, *given, **named)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lark.Lark, "parse", once)
        yield
