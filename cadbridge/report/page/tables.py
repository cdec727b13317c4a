"""Tables of the page: they read without any script; the page's code sorts and filters them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cadbridge.report.page.html import Child, Html, el, join
from cadbridge.report.page.items import Items

LONG = 24
"""Letters from which the text of a cell may break anywhere."""


@dataclass(frozen=True)
class Number:
    """A cell that sorts by `value` and shows `text`; None sorts last and shows a dash."""

    value: float | None
    text: str = ""


@dataclass(frozen=True)
class Row:
    """Cells of one item, and the reference by which it is picked, if it can be."""

    ref: str | None
    cells: Sequence[Child | Number]
    class_: str | None = None


def table(name: str, caption: str, head: Sequence[str], rows: Sequence[Row], note: Child = None) -> Html:
    """A section with a heading, a field to filter by, and a table with a caption; empty where there are no rows.

    The first cell of a row names its item; columns of numbers stand to the right.
    """
    if not rows:
        return Html("")
    numeric = [any(isinstance(r.cells[k], Number) for r in rows) for k in range(len(head))]
    heads = [el("th", title, scope="col", class_="n" if numeric[k] else None) for k, title in enumerate(head)]
    body = el("tbody", [_row(row, numeric) for row in rows])
    return el(
        "section",
        el("h2", caption, " ", el("span", str(len(rows)), class_="count"), id=f"{name}-h"),
        el("div" if isinstance(note, Html) else "p", note, class_="note") if note else None,
        el("div", el("table", el("caption", caption, class_="sr"), el("thead", el("tr", heads)), body),
           class_="scroll", tabindex="0", role="region", aria_labelledby=f"{name}-h"),
        id=name,
        aria_labelledby=f"{name}-h",
        class_="data",
    )  # fmt: skip


def pick(name: str, ref: str | None) -> Html:
    """A name as a button that picks its item, or as plain text where it is none; long paths break at their slashes."""
    if ref is None:
        return join(name)
    levels = name.split("/")
    return el(
        "button",
        [join(level, "/", el("wbr")) for level in levels[:-1]],
        levels[-1],
        type="button",
        class_="pick",
        data_pick=ref,
    )


def picks(items: Items, names: Sequence[str], *kinds: str, most: int = 40) -> Html:
    """Names as buttons, separated by commas; the first `most`, the rest counted."""
    pieces: list[Child] = []
    for name in names[:most]:
        pieces += [pick(name, items.ref(name, *kinds)), ", "]
    pieces = pieces[:-1]
    if len(names) > most:
        pieces.append(f" and {len(names) - most} more")
    return join(pieces)


def figure(value: float | None, digits: int = 4) -> Number:
    """A number to some digits, or a dash."""
    return Number(value, "–" if value is None else f"{value:.{digits}g}")


def _row(row: Row, numeric: Sequence[bool]) -> Html:
    cells = []
    for k, cell in enumerate(row.cells):
        class_ = "n" if numeric[k] else None
        if isinstance(cell, Number):
            value = "" if cell.value is None else repr(float(cell.value))
            cells.append(el("td", cell.text, data_v=value, class_=class_))
        elif k == 0:
            cells.append(el("th", cell if row.ref is None or isinstance(cell, Html) else pick(str(cell), row.ref),
                            scope="row"))  # fmt: skip
        else:
            cells.append(
                el(
                    "td",
                    cell,
                    class_="long"
                    if isinstance(cell, str) and len(cell) > LONG and not isinstance(cell, Html)
                    else None,
                )
            )
    return el("tr", cells, data_ref=row.ref, class_=row.class_)
