"""Tables drawn on the page: they read without any script; the page's code sorts, filters and shortens them."""

from __future__ import annotations

from collections.abc import Sequence

from cadbridge.report.html import Child, Html, el, join
from cadbridge.report.page.items import Items
from cadbridge.report.views.table import Badge, Cell, ItemNames, Number, Row, Table

LONG = 24
"""Letters from which the text of a cell may break anywhere."""
MOST_NAMES = 40
"""Names in one cell; the others are counted."""


def draw(items: Items, table: Table) -> Html:
    """A section with a heading, a table and its note; empty where there are no rows.

    The first cell of a row names its item; columns of numbers stand to the right. A folded table is closed at first.
    """
    if not table.rows:
        return Html("")
    numeric = [any(isinstance(r.cells[k], Number) for r in table.rows) for k in range(len(table.head))]
    heads = [el("th", title, scope="col", class_="n" if numeric[k] else None) for k, title in enumerate(table.head)]
    title = f"{table.name}-h"
    heading = el("h2", table.title, " ", el("span", str(len(table.rows)), class_="count"), id=title)
    body = el("tbody", [_row(items, row, numeric) for row in table.rows])
    drawn = join(
        el("p", table.note, class_="note") if table.note else None,
        el("div", el("table", el("caption", table.title, class_="sr"), el("thead", el("tr", heads)), body),
           class_="scroll", tabindex="0", role="group", aria_labelledby=title),
    )  # fmt: skip
    content = el("details", el("summary", heading), drawn) if table.folded else join(heading, drawn)
    return el("section", content, id=table.name, aria_labelledby=title, class_="data")


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


def picks(items: Items, names: Sequence[str], *kinds: str, joined: str = ", ") -> Html:
    """Names as buttons with `joined` between them; the first ones, the rest counted."""
    # What joins two names stays on the line of the first.
    shown = names[:MOST_NAMES]
    pieces: list[Child] = [
        (el("span", pick(name, items.ref(name, *kinds)), joined.rstrip(), class_="kept"), " ") for name in shown[:-1]
    ]
    pieces += [pick(name, items.ref(name, *kinds)) for name in shown[-1:]]
    if len(names) > MOST_NAMES:
        pieces.append(f" and {len(names) - MOST_NAMES} more")
    return join(pieces)


def badge(it: Badge) -> Html:
    """A word that stands out, with what follows it."""
    return join(el("span", it.text, class_=f"badge {it.level}"), it.after)


def _row(items: Items, row: Row, numeric: Sequence[bool]) -> Html:
    ref = row.ref or _ref(items, row.cells[0])
    cells = []
    for k, cell in enumerate(row.cells):
        if isinstance(cell, Number):
            value = "" if cell.value is None else repr(float(cell.value))
            cells.append(el("td", cell.text, data_v=value, class_="n"))
        elif k == 0:
            named = pick(cell, ref) if isinstance(cell, str) and not isinstance(cell, Html) and ref else None
            cells.append(el("th", named or _child(items, cell), scope="row"))
        else:
            plain = isinstance(cell, str) and not isinstance(cell, Html)
            class_ = "long" if plain and len(str(cell)) > LONG else "n" if numeric[k] else None
            cells.append(el("td", _child(items, cell), class_=class_))
    return el("tr", cells, data_ref=ref, class_=row.level)


def _ref(items: Items, cell: Cell) -> str | None:
    """The reference of a row whose first cell names one item."""
    return items.ref(cell.names[0], *cell.kinds) if isinstance(cell, ItemNames) and len(cell.names) == 1 else None


def _child(items: Items, cell: Cell) -> Child:
    if isinstance(cell, ItemNames):
        return picks(items, cell.names, *cell.kinds, joined=cell.joined)
    if isinstance(cell, Badge):
        return badge(cell)
    return cell.text if isinstance(cell, Number) else cell
