"""The page: sections that read without a script, the picture's data, and our bundled code and style."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadbridge.errors import InputError, MissingExtraError
from cadbridge.files import replacing
from cadbridge.report.document import all_findings, check_document
from cadbridge.report.page import sections
from cadbridge.report.page.buffer import Buffer
from cadbridge.report.page.efforts import efforts_sections
from cadbridge.report.page.graph import graph
from cadbridge.report.page.html import Html, el, join, raw
from cadbridge.report.page.items import Items
from cadbridge.report.page.scene import scene
from cadbridge.report.page.transmission import transmission_section

if TYPE_CHECKING:
    from cadbridge.diagnosis.model import Diagnosis
    from cadbridge.efforts import Inverse
    from cadbridge.findings import Finding
    from cadbridge.mechanism.model import Mechanism

NAVIGATION = {
    "summary": "Summary", "findings": "Findings", "redundancies": "Redundant mates", "groups": "Groups",
    "freedoms": "Freedoms",
    "graph": "Graph", "transmission": "Transmission", "efforts": "Efforts", "peaks": "Peaks",
    "bondgraph": "Bond graph", "joints": "Joints", "gears": "Gears", "ratios": "Ratios", "bodies": "Bodies",
    "mates": "Mates", "parts": "Parts", "masses": "Masses", "overlaps": "Overlaps", "run": "Run",
}  # fmt: skip


def write_page(
    path: Path,
    mechanism: Mechanism,
    diagnosis: Diagnosis,
    run: Path | None = None,
    findings: Sequence[Finding] | None = None,
    efforts: Inverse | None = None,
) -> None:
    """Write the page, with a trajectory of the mechanism where one is given; it appears whole or not at all.

    `findings` are those to tell, by default all. `efforts` is an inverse analysis to show; its motion is played where
    there is no run.

    InputError where the file cannot be written or the run is of another model, MissingExtraError where the
    page's code was not built.
    """
    text = page_html(mechanism, diagnosis, run, findings, efforts)
    try:
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    except OSError as fault:
        raise InputError(f"The page {path} cannot be written: {fault.strerror or fault}.") from fault


def page_html(
    mechanism: Mechanism,
    diagnosis: Diagnosis,
    run: Path | None = None,
    findings: Sequence[Finding] | None = None,
    efforts: Inverse | None = None,
) -> str:
    """The page as a string."""
    from cadbridge.efforts import inverse_table
    from cadbridge.report.page.motions import RunData, freedom_clips, run_clip
    from cadbridge.report.page.plots import plots

    code, style = built("page.js"), built("page.css")
    items, buffer = Items(mechanism), Buffer()
    told = all_findings(mechanism, diagnosis) if findings is None else findings
    document = check_document(mechanism, diagnosis, told)
    played = RunData(mechanism, run) if run is not None else None
    if played is None and efforts is not None:
        played = RunData(mechanism, Path("the motion prescribed"), inverse_table(efforts))
    clips = [run_clip(played, buffer)] if played is not None else []
    clips += freedom_clips(mechanism, buffer)
    picture = scene(mechanism, diagnosis, items, clips, buffer)
    content = [
        sections.summary(document),
        sections.findings(items, told),
        sections.redundancies(items, document),
        sections.groups(items, document),
        sections.freedoms(items, diagnosis, clips),
        graph(mechanism, diagnosis, items),
        transmission_section(mechanism),
        efforts_sections(efforts, items) if efforts is not None else Html(""),
        sections.joints(items, document),
        sections.gears(items, document),
        sections.ratios(items, document),
        sections.bodies(items, document),
        sections.mates(items),
        sections.parts(items),
        sections.masses(items, document),
        sections.overlaps(items, document),
        plots(played) if played is not None else Html(""),
    ]
    return "<!doctype html>\n" + el(
        "html",
        _head(mechanism.assembly.name, code, style),
        el("body", _header(document, content), el("main", _view(), el("div", content, class_="content"), id="main"),
           _data("scene", picture), el("script", raw(buffer.base64()), type="text/plain", id="buffer"),
           el("script", raw(code))),
        lang="en",
    ) + "\n"  # fmt: skip


def built(name: str) -> str:
    """A file of the page's bundle; MissingExtraError where the package was never built."""
    try:
        return (resources.files("cadbridge.data") / "page" / name).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise MissingExtraError(
            "The code of the report page is not built. In a checkout, run `python hatch_build.py` "
            "(or `pip install -e .`); an installed wheel has it."
        ) from None


def _head(title: str, code: str, style: str) -> Html:
    policy = f"default-src 'none'; script-src '{_digest(code)}'; style-src '{_digest(style)}'; img-src data:; "
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


def _view() -> Html:
    """The place of the picture; the page's code fills it, else its text stays."""
    return el(
        "section",
        el("h2", "The assembly in 3D", id="view-h", class_="sr"),
        el("p", "The picture needs a browser with JavaScript and WebGL. All that it shows stands in the tables.",
           id="fallback", class_="note"),
        id="view", aria_labelledby="view-h",
    )  # fmt: skip


def _data(name: str, document: Any) -> Html:
    """A JSON document that no name in it can end early."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    escaped = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return el("script", raw(escaped), type="application/json", id=name)
