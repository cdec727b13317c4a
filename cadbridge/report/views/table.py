"""A table of a report as data: the terminal and the page draw the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cadbridge.report.views.numbers import DIGITS, figure


@dataclass(frozen=True, slots=True)
class Number:
    """A cell that sorts by `value` and shows `text`; None sorts last and shows a dash."""

    value: float | None
    text: str


@dataclass(frozen=True, slots=True)
class ItemNames:
    """Names of items, looked for among `kinds` (mate, joint, gear, body, part; all of them where it is empty).

    `joined` stands between them.
    """

    names: Sequence[str]
    kinds: tuple[str, ...] = ()
    joined: str = ", "


@dataclass(frozen=True, slots=True)
class Badge:
    """A word that stands out; `level` is good, mark, error, warning or info. `after` follows as plain text."""

    text: str
    level: str
    after: str = ""


Cell = str | Number | ItemNames | Badge


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of one item. `ref` is the reference by which it is picked (`mate:7`), `level` error, mark or none."""

    cells: Sequence[Cell]
    ref: str | None = None
    level: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A section of a report: its name in links, its title, the heads of its columns, its rows and a note.

    The first cell of a row names its item. `folded` says that the page shows it closed at first.
    """

    name: str
    title: str
    head: Sequence[str]
    rows: Sequence[Row]
    note: str = ""
    folded: bool = False


def number(value: float | None, digits: int = DIGITS, scale: float = 0.0) -> Number:
    """A cell of a number to some digits, or a dash."""
    return Number(value, figure(value, digits, scale))


def whole(value: int) -> Number:
    """A cell of a whole number."""
    return Number(value, str(value))
