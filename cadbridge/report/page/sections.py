"""The sections of the page that are more than a table: the answer, the findings, motions with a button, changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cadbridge.catalogue import CATALOGUE
from cadbridge.findings import Finding, Severity
from cadbridge.report.html import Html, el, join
from cadbridge.report.page.items import Items
from cadbridge.report.page.tables import draw, picks
from cadbridge.report.views import ReportVerdict, Row
from cadbridge.report.views.findings import grouped
from cadbridge.report.views.numbers import figure
from cadbridge.report.views.tables import freedoms as freedom_table
from cadbridge.report.views.verdict import figures

Document = Mapping[str, Any]

MOST_SHOWN = 200
"""Findings of one code that the page lists; the document of `--json` has all of them."""


def panel(model: int) -> Html:
    """The place of a live view's controls, which its server names one by one."""
    heading = el("h2", "Live", id="live-h", class_="sr")
    return el("section", heading, el("p", "Connecting …", class_="note"), id="live", data_model=model,
              aria_labelledby="live-h")  # fmt: skip


def summary(document: Document, answer: ReportVerdict) -> Html:
    """The answer in a few sentences, and the numbers behind it."""
    return el(
        "section",
        el("h2", "Summary", id="summary-h", class_="sr"),
        el("p", el("strong", answer.sentences[0]), " ", " ".join(answer.sentences[1:]),
           class_=f"verdict {answer.level}", role="status"),
        el("dl", [
            el("div", el("dt", name), el("dd", el("strong", value), " ", el("span", more)), class_=class_)
            for name, value, more, class_ in figures(document)
        ], class_="cards"),
        id="summary", aria_labelledby="summary-h",
    )  # fmt: skip


def findings(items: Items, found: Sequence[Finding]) -> Html:
    """Findings by code, gravest first; a group is folded unless it holds an error."""
    heading = el("h2", "Findings", " ", el("span", str(len(found)), class_="count"), id="findings-h")
    body = [_group(items, group) for group in grouped(found)]
    if not body:
        body = [el("p", "No findings.", class_="note")]
    return el("section", heading, *body, id="findings", aria_labelledby="findings-h")


def _group(items: Items, group: Sequence[Finding]) -> Html:
    """All findings of one code: what they mean, how to fix it, and each with its place."""
    first = group[0]
    title = CATALOGUE[first.code].title
    count = f" × {len(group)}" if len(group) > 1 else ""
    head = join(
        el("span", first.severity.value, class_=f"badge {first.severity.value}"), " ",
        el("b", first.code), f" {title}{count}",
    )  # fmt: skip
    listed = []
    hints = list(dict.fromkeys(f.hint for f in group))
    for f in group[:MOST_SHOWN]:
        about = picks(items, items.named_in(f))
        at = el("span", f" {f.where}", class_="where") if str(f.where) else None
        own_hint = el("p", "How to fix: ", f.hint) if len(hints) > 1 and f.hint else None
        listed.append(el("li", f.message, el("div", about, class_="about") if about else None, at, own_hint))
    if len(group) > MOST_SHOWN:
        listed.append(el("li", f"… and {len(group) - MOST_SHOWN} more (all of them with --json)."))
    cure = el("p", el("b", "How to fix: "), hints[0], class_="cure") if len(hints) == 1 and hints[0] else None
    every = el("ul", listed, tabindex="0", aria_label=f"all of {title}")
    return el("details", el("summary", head), cure, every, class_="finding",
              open=first.severity is Severity.ERROR)  # fmt: skip


def freedoms(items: Items, document: Document, clips: Sequence[Mapping[str, Any]]) -> Html:
    """How it moves, in words, each freedom with a button that plays it where one does."""
    played = {clip["joint"]: k for k, clip in enumerate(clips) if clip["kind"] == "freedom"}
    table = freedom_table(document)
    rows = []
    for row, f in zip(table.rows, document["freedoms"], strict=True):
        joint = next((name for name in (f["leader"], *f["rates"]) if name in played), None)
        rows.append(Row((*row.cells, *_play(clips, played.pop(joint) if joint is not None else None))))
    rows += [Row((clips[k]["name"], "–", *_play(clips, k))) for k in played.values()]
    return draw(items, replace(table, head=(*table.head, "shown from", "in the picture"), rows=rows))


def _play(clips: Sequence[Mapping[str, Any]], k: int | None) -> tuple[str, Html]:
    """The range of a clip and the button that plays it."""
    if k is None:
        return "–", Html("")
    clip = clips[k]
    values = clip["values"]
    label = f"{figure(min(values))} to {figure(max(values))} {clip['unit']}"
    return label, el("button", "Play", type="button", data_clip=k, aria_label=f"Play: {clip['name']}")


def changes(lines: Sequence[str], since: str) -> Html:
    """What changed since an older document."""
    body = el("ul", [el("li", line) for line in lines]) if lines else el("p", "Nothing changed.", class_="note")
    heading = el("h2", f"Changes since {since}", id="changes-h")
    return el("section", heading, body, id="changes", aria_labelledby="changes-h")


def provenance(facts: Sequence[tuple[str, str]]) -> Html:
    """Where the page comes from: version, command, and the files that were read with their hashes."""
    body = [el("div", el("dt", name), el("dd", value)) for name, value in facts]
    heading = el("h2", "Provenance", id="provenance-h")
    return el("section", heading, el("dl", body, class_="facts"), id="provenance", aria_labelledby="provenance-h")
