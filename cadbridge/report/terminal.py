"""Tables and paragraphs in plain text, as wide as the reader's terminal."""

from __future__ import annotations

import io
import shutil
import textwrap
from collections.abc import Iterable, Sequence

from cadbridge.report.views.table import Badge, Cell, ItemNames, Number, Table
from cadbridge.visible import visible
from cadbridge.wording import listed

MAX_ROWS = 60
"""Rows of a table on the terminal; JSON has all of them."""
PIPED = 120
"""Columns where no terminal says how wide it is."""
NARROWEST = 40
"""Columns below which a table is not squeezed further: words of `LONGEST_WORD` letters would break."""
MOST_NAMES = 4
"""Names in one cell; the others are counted."""
LONGEST_WORD = 28
"""Letters of a word that a column keeps together."""
EDGE = "   "
"""Between two columns of a drawn table."""


def width() -> int:
    """Columns of the terminal."""
    return max(NARROWEST, shutil.get_terminal_size((PIPED, 24)).columns)


def wrapped(lines: Iterable[str], columns: int) -> list[str]:
    """Lines broken between words, continued two columns further in."""
    found: list[str] = []
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())] + "  "
        found += textwrap.wrap(line, columns, subsequent_indent=indent, break_long_words=False,
                               break_on_hyphens=False) or [""]  # fmt: skip
    return found


def draw(table: Table, columns: int) -> str:
    """A table with its title; records below each other where the columns do not fit beside each other."""
    numeric = [any(isinstance(row.cells[k], Number) for row in table.rows) for k in range(len(table.head))]
    rows = [[_text(cell) for cell in row.cells] for row in table.rows]
    return f"{table.title}\n" + plain_table(table.head, rows, columns, numeric)


def plain_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], columns: int, numeric: Sequence[bool] | None = None
) -> str:
    """Rows below their heads, numbers to the right; the first `MAX_ROWS`, the rest counted."""
    items = [list(row) for row in rows]
    # A name with a line break would take its row apart.
    shown = [[visible(cell, lines=False) for cell in row] for row in items[:MAX_ROWS]]
    least = [_least(title, [row[k] for row in shown]) for k, title in enumerate(head)]
    # With the space before the first. What is wider would be cut at the right, so that two names may read alike.
    if 1 + sum(least) + len(EDGE) * (len(head) - 1) <= columns:
        lines = _columns(head, shown, least, numeric or [False] * len(head), columns)
    else:
        lines = _records(head, shown, columns)
    if len(items) > MAX_ROWS:
        lines.append(f"… and {len(items) - MAX_ROWS} more (all of them with --json)")
    return "\n".join(lines) + "\n"


def _least(title: str, cells: Sequence[str]) -> int:
    """The width of a column's longest word."""
    return max(min(len(word), LONGEST_WORD) for text in (title, *cells) for word in (text.split() or [""]))


def _columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], least: Sequence[int], numeric: Sequence[bool], columns: int
) -> list[str]:
    from rich.cells import cell_len

    texts = [head, *rows]
    room = [max(low, *(cell_len(row[k]) for row in texts)) for k, low in enumerate(least)]
    whole = sum(room) + len(EDGE) * (len(room) - 1)
    if whole + len(EDGE) - 1 <= columns:  # nothing to break: rich, which takes long to load, would draw the same
        lines = [EDGE.join(map(_filled, row, room, numeric, map(cell_len, row))) for row in texts]
        return [f" {line}".rstrip() for line in (lines[0], "─" * whole, *lines[1:]) if line.strip()]
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for title, wide, right in zip(head, _widths(least, room, columns), numeric, strict=True):
        # A word that is longer is broken: cut, two names would read alike.
        drawn.add_column(title, width=wide, justify="right" if right else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    paper = io.StringIO()
    Console(file=paper, width=columns, color_system=None).print(drawn)
    text = paper.getvalue()
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _widths(least: Sequence[int], room: Sequence[int], columns: int) -> list[int]:
    """The widths of columns that take all the space: the longest word of each, then more, those first that need least.

    Rich would give a column its least width beyond the right edge, and cut it there.
    """
    widths, left = list(least), columns - 1 - sum(least) - len(EDGE) * (len(least) - 1)
    order = sorted(range(len(least)), key=lambda k: room[k] - least[k])
    for waiting, k in zip(range(len(order), 0, -1), order, strict=True):
        more = min(room[k] - least[k], left // waiting)
        widths[k], left = widths[k] + more, left - more
    return widths


def _filled(text: str, wide: int, right: bool, long: int) -> str:
    return " " * (wide - long) + text if right else text + " " * (wide - long)


def _records(head: Sequence[str], rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Each row as its first cell, with the other cells below it by name."""
    lines = []
    for row in rows:
        summary = (f"  {title}: {cell}" for title, cell in zip(head[1:], row[1:], strict=True) if cell not in ("", "–"))
        lines += wrapped([row[0], *summary], columns)
    return lines


def _text(cell: Cell) -> str:
    if isinstance(cell, ItemNames):
        return listed(cell.names, MOST_NAMES, cell.joined)
    if isinstance(cell, Badge):
        return cell.text + cell.after
    return cell.text if isinstance(cell, Number) else cell
