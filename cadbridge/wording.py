"""Numbers with their nouns, for messages of every layer."""

from __future__ import annotations


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun in the right form: "1 joint", "2 joints", "no joints"."""
    noun = one if number == 1 else many or f"{one}s"
    return f"{number or 'no'} {noun}"
