"""Names that nobody has: what two items of a file share is told apart by a count."""

from __future__ import annotations

from collections.abc import Container


def unused(name: str, taken: Container[str], form: str = "{} ({})", counts: dict[str, int] | None = None) -> str:
    """The name, or the first of 'name (2)', 'name (3)' … that is not taken; `form` says how the count is written.

    `counts` keeps how far each name has come, so that thousands of one name are not counted from 2 each time.
    """
    final, count = name, 1 if counts is None else counts.get(name, 1)
    while final in taken:
        count += 1
        final = form.format(name, count)
    if counts is not None:
        counts[name] = count
    return final


def free_name(name: str, taken: set[str], form: str = "{} ({})", counts: dict[str, int] | None = None) -> str:
    """As `unused`; taken from now on."""
    final = unused(name, taken, form, counts)
    taken.add(final)
    return final
