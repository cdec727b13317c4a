"""Names that nobody has: what two items of a file share is told apart by a count."""

from __future__ import annotations

from collections.abc import Container


def unused(name: str, taken: Container[str], form: str = "{} ({})") -> str:
    """The name, or the first of 'name (2)', 'name (3)' … that is not taken; `form` says how the count is written."""
    final, count = name, 2
    while final in taken:
        final, count = form.format(name, count), count + 1
    return final


def free_name(name: str, taken: set[str], form: str = "{} ({})") -> str:
    """As `unused`; taken from now on."""
    final = unused(name, taken, form)
    taken.add(final)
    return final
