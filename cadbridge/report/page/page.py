"""The page: sections that read without a script, the picture's data, and our bundled code and style."""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadbridge.errors import MissingExtraError
from cadbridge.files import write_text
from cadbridge.report.document import all_findings, check_document
from cadbridge.report.html import Html, el, embedded, join, raw
from cadbridge.report.page import sections
from cadbridge.report.page.buffer import Buffer
from cadbridge.report.page.efforts import efforts_sections
from cadbridge.report.page.graph import graph
from cadbridge.report.page.items import Items
from cadbridge.report.page.scene import scene
from cadbridge.report.page.sources import is_stale
from cadbridge.report.page.tables import draw
from cadbridge.report.page.transmission import transmission_section
from cadbridge.report.still import still
from cadbridge.report.views import tables, verdict
from cadbridge.report.views.findings import forwarded
from cadbridge.report.views.table import Table
from cadbridge.version import PACKAGE

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.diagnosis.model import Diagnosis
    from cadbridge.efforts import Inverse
    from cadbridge.findings import Finding
    from cadbridge.mechanism.model import Mechanism
    from cadbridge.report.page.misfit import FitShown
    from cadbridge.report.page.motions import RunData

NAVIGATION = {
    "summary": "Summary", "changes": "Changes", "recognised": "Recognised", "redundancies": "Redundant mates",
    "fit": "Play and forces",
    "freedoms": "Motion", "findings": "Findings", "graph": "Graph", "transmission": "Transmission", "ratios": "Ratios",
    "efforts": "Efforts", "peaks": "Peaks", "run": "Run", "bondgraph": "Bond graph", "joints": "Joints",
    "gears": "Gears", "bodies": "Bodies", "masses": "Masses", "overlaps": "Overlaps", "mates": "Mates",
    "parts": "Parts", "provenance": "Provenance",
}  # fmt: skip


FALLBACK = (
    "To turn the picture and pick parts, use a browser with JavaScript and WebGL. The tables tell all that it shows."
)
STILL_PICTURE = (640, 420)
"""Pixels of the picture that stands in where the browser draws no WebGL."""


@dataclass(frozen=True)
class Extras:
    """What a page can show beside the diagnosis.

    `run` is a trajectory of the mechanism or its file, played and plotted, with `others` laid over it; `efforts` an
    inverse analysis, whose motion is played where there is no run. `findings` are those to list, by default all.
    `changes` are the changes since the older document that `since` names. `provenance` are names and values of where
    the page comes from. `tables` are sections of their own after the answer. `live` numbers the page of a
    live view: it has a panel that speaks to its server, and joints to be moved in place of freedoms to be played. `fit`
    is what redundant mates cost.
    """

    run: Path | RunData | None = None
    findings: Sequence[Finding] | None = None
    efforts: Inverse | None = None
    changes: Sequence[str] | None = None
    since: str = ""
    provenance: Sequence[tuple[str, str]] = ()
    others: Sequence[Path] = ()
    tables: Sequence[Table] = ()
    live: int | None = None
    fit: FitShown | None = None


def write_page(path: Path, mechanism: Mechanism, diagnosis: Diagnosis, extras: Extras | None = None) -> None:
    """Write the page; it appears whole or not at all.

    InputError where the file cannot be written or the run is of another model, MissingExtraError where the
    page's code was not built.
    """
    write_text(path, page_html(mechanism, diagnosis, extras))


def page_html(mechanism: Mechanism, diagnosis: Diagnosis, extras: Extras | None = None) -> str:
    """The page as a string."""
    from cadbridge.report.page.motions import freedom_clips, run_clip
    from cadbridge.report.page.plots import labelled

    extras = extras or Extras()
    code, style = built("page.js"), built("page.css")
    items, buffer = Items(mechanism), Buffer()
    listed = all_findings(mechanism, diagnosis) if extras.findings is None else extras.findings
    found = tuple(map(forwarded, listed))
    document = check_document(mechanism, diagnosis, found, twists=False)
    played = _played(mechanism, extras)
    clips = [run_clip(run, buffer, label) for label, run in labelled(played)]
    if extras.live is None:
        clips += freedom_clips(mechanism, buffer)
    picture = scene(mechanism, diagnosis, items, clips, buffer)
    content = _content(mechanism, diagnosis, extras, (items, document, found, clips, played))
    view = _view(mechanism.assembly)
    return "<!doctype html>\n" + el(
        "html",
        _head(mechanism.assembly.name, code, style, "" if extras.live is None else "connect-src 'self'; "),
        el("body", _header(document, content), el("main", view, el("div", content, class_="content"), id="main"),
           embedded(picture, "scene"), el("script", raw(buffer.base64()), type="text/plain", id="buffer"),
           el("script", raw(code))),
        lang="en",
    ) + "\n"  # fmt: skip


def _played(mechanism: Mechanism, extras: Extras) -> list[RunData]:
    """The runs, else the motion of the inverse analysis, that the page plays."""
    from cadbridge.efforts import inverse_table
    from cadbridge.report.page.motions import RunData

    if extras.run is not None:
        runs = (extras.run, *extras.others)
        return [RunData(mechanism, run) if isinstance(run, Path) else run for run in runs]
    if extras.efforts is not None:
        return [RunData(mechanism, Path("the motion prescribed"), inverse_table(extras.efforts))]
    return []


def _content(
    mechanism: Mechanism,
    diagnosis: Diagnosis,
    extras: Extras,
    drawn: tuple[Items, dict[str, Any], tuple[Finding, ...], list[dict[str, Any]], list[RunData]],
) -> list[Html]:
    """The sections in the order in which a person asks: the answer, what is wrong, how it moves, then the lists."""
    from cadbridge.report.page.plots import plots

    items, document, found, clips, played = drawn
    between = tables.components_between(mechanism)
    empty = Html("")
    return [
        sections.panel(extras.live) if extras.live is not None else empty,
        sections.summary(document, verdict(document, between)),
        sections.changes(extras.changes, extras.since) if extras.changes is not None else empty,
        *(draw(items, table) for table in extras.tables),
        draw(items, tables.redundancies(document, between)),
        _fit(mechanism, extras, items),
        sections.freedoms(items, document, clips),
        sections.findings(items, found),
        graph(mechanism, diagnosis, items),
        transmission_section(mechanism, items),
        draw(items, tables.ratios(document)),
        efforts_sections(extras.efforts, items) if extras.efforts is not None else empty,
        plots(played) if played else empty,
        draw(items, tables.joints(document)),
        draw(items, tables.shares(document)),
        draw(items, tables.carried_weights(document)),
        draw(items, tables.gears(document, between)),
        draw(items, tables.bodies(document)),
        draw(items, tables.groups(document)),
        draw(items, tables.deletable(document)),
        draw(items, tables.masses(document)),
        draw(items, tables.overlaps(document)),
        draw(items, tables.mates(mechanism, between)),
        draw(items, tables.parts(mechanism)),
        sections.provenance(extras.provenance) if extras.provenance else empty,
    ]


def _fit(mechanism: Mechanism, extras: Extras, items: Items) -> Html:
    if extras.fit is None:
        return Html("")
    from cadbridge.report.page.misfit import fit_section

    return fit_section(mechanism, items, extras.fit, extras.live is not None)


def require_built() -> None:
    """MissingExtraError where no page could be drawn, for who is to compute long before it is."""
    built("page.js")


def built(name: str) -> str:
    """A file of the page's bundle; MissingExtraError where the package was never built."""
    tell_stale()
    try:
        return (resources.files("cadbridge.data") / "page" / name).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise MissingExtraError(
            "The code of the report page is not built. In a checkout, run `python hatch_build.py` "
            "(or `pip install -e .`); an installed wheel has it."
        ) from None


@cache
def tell_stale() -> None:
    """Say once, in a checkout, that the page's code was built from other sources than are there now."""
    if is_stale(PACKAGE / "data" / "page", PACKAGE.parent / "web"):
        sys.stderr.write("The code of the report page is older than web/: run `python hatch_build.py`.\n")
        sys.stderr.flush()


def _head(title: str, code: str, style: str, more: str) -> Html:
    # Names of strangers stand in the page: markup that got through all the same could run nothing and call nobody.
    policy = f"default-src 'none'; script-src '{_digest(code)}'; style-src '{_digest(style)}'; img-src data:; {more}"
    return el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy + "base-uri 'none'; form-action 'none'"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"{title} – cadbridge"),
        el("style", raw(style)),
    )


def _digest(text: str) -> str:
    """How a content security policy names an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _header(document: dict[str, Any], content: list[Html]) -> Html:
    there = "".join(content)
    links = [el("a", text, href=f"#{name}") for name, text in NAVIGATION.items() if f' id="{name}"' in there]
    return join(
        el("a", "Skip to the report", href="#summary", class_="skip"),
        el("header",
           el("p", "cadbridge", class_="brand"),
           el("h1", Path(document["source"]).name or document["source"]),
           el("nav", links, aria_label="Sections")),
    )  # fmt: skip


def _view(assembly: Assembly) -> Html:
    """The place of the picture; the page's code fills it, else its text and the picture made beforehand stay."""
    png = still(assembly, *STILL_PICTURE)
    source = "" if png is None else "data:image/png;base64," + base64.b64encode(png).decode()
    picture = el("img", src=source, alt="The assembly as designed", class_="still") if png is not None else None
    return el(
        "section",
        el("h2", "The assembly in 3D", id="view-h", class_="sr"),
        el("div", picture, el("p", FALLBACK, class_="note"), id="fallback"),
        id="view", aria_labelledby="view-h",
    )  # fmt: skip
