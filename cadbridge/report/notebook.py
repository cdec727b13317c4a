"""What a notebook shows of a result: a heading, a picture where there are shapes, and a short table."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

from cadbridge.assembly import Assembly
from cadbridge.diagnosis.model import Diagnosis
from cadbridge.efforts.inverse import Inverse
from cadbridge.geared.analysis import Analysis
from cadbridge.mechanism.model import Mechanism
from cadbridge.misfit.model import Fit
from cadbridge.recognition.model import Recognition
from cadbridge.report.html import Child, Html, el, raw
from cadbridge.report.still import still
from cadbridge.report.views import tables
from cadbridge.report.views.numbers import figure
from cadbridge.simulation.run import Run

MOST_ROWS = 12
"""Rows of a table; the others are counted."""
WIDTH, HEIGHT = 480, 320
"""Pixels of the picture."""
Rows = Sequence[Sequence[Child]]


def notebook_html(thing: object) -> str:
    """The HTML of a result; its one line where there is nothing to draw. TypeError for what is no result of ours."""
    for kind, painter in _PAINTERS.items():
        if isinstance(thing, kind):
            return str(el("div", el("p", el("b", repr(thing).strip("<>"))), painter(thing), _findings(thing)))
    raise TypeError(f"nothing draws {type(thing).__name__}")


def _assembly(it: Assembly) -> list[Child]:
    rows = [(m.name, m.kind.value, f"{m.a.component} – {m.b.component}") for m in it.mates]
    return [_picture(it), _table(("mate", "type", "between"), rows)]


def _mechanism(it: Mechanism) -> list[Child]:
    rows = [(j.name, j.type, f"{it.body_name(j.a)} – {it.body_name(j.b)}", ", ".join(j.mates)) for j in it.joints]
    return [_picture(it.assembly), _table(("joint", "type", "between", "mates"), rows)]


def _diagnosis(it: Diagnosis) -> list[Child]:
    freedoms = [(f.words, "finite" if f.finite else "only at this pose") for f in it.freedoms]
    wrong = [r for r in it.redundancies if r.kind == "conflicting"]
    right = [r for r in it.redundancies if r.kind != "conflicting"]
    rows = [
        (r.mate, kind, f"{r.rows} of {r.of}", ", ".join(r.duplicates), tables.gap(r.residual_mm, r.residual_deg))
        for kind, found in (("conflicting", wrong), ("consistent", right))
        for r in found
    ]
    head = ("redundant mate", "kind", "equations repeated", "which these hold", "gap")
    return [_table(("how it moves", "extent"), freedoms), _table(head, rows)]


def _run(it: Run) -> list[Child]:
    rows = [(name.replace("_", " "), figure(v) if isinstance(v, float) else str(v)) for name, v in it.summary.items()]
    return [_plot(it), _table(("summary", ""), rows)]


def _inverse(it: Inverse) -> list[Child]:
    from cadbridge.efforts import peaks

    rows = [(p.name, p.kind, p.what, f"{figure(p.peak)} {p.unit}", f"{figure(p.at_s)} s") for p in peaks(it)]
    return [_table(("of", "kind", "what", "peak", "at"), rows)]


def _analysis(it: Analysis) -> list[Child]:
    from cadbridge.report.drawing import transmission_svg

    return [transmission_svg(it)]


def _recognition(it: Recognition) -> list[Child]:
    names = [body.name for body in it.bodies]
    rows = [(j.type, f"{names[j.a]} – {names[j.b]}") for j in it.joints]
    return [_picture(it.assembly), _table(("joint", "between"), rows)]


def _fit(it: Fit) -> list[Child]:
    from cadbridge.report.views.misfit import answers, headline

    if not it.groups:
        return []
    return [
        el("p", headline(it)),
        _table(("question", "answer"), [(q, " Or: ".join(texts)) for q, texts in answers(it)]),
    ]


_PAINTERS: dict[type, Callable[[Any], list[Child]]] = {
    Assembly: _assembly,
    Mechanism: _mechanism,
    Diagnosis: _diagnosis,
    Run: _run,
    Inverse: _inverse,
    Analysis: _analysis,
    Recognition: _recognition,
    Fit: _fit,
}


def _findings(thing: Any) -> Html:
    rows = [(f.code, f.severity.value, f.message, f.hint) for f in thing.findings]
    return _table(("finding", "severity", "what", "cure"), rows)


def _table(head: Sequence[str], rows: Rows) -> Html:
    """A table of the first rows; empty where there are none."""
    if not rows:
        return Html("")
    drawn = [el("tr", [el("td", cell, style="text-align:left") for cell in row]) for row in rows[:MOST_ROWS]]
    more = el("p", f"… and {len(rows) - MOST_ROWS} more") if len(rows) > MOST_ROWS else None
    heads = el("tr", [el("th", title, scope="col", style="text-align:left") for title in head])
    return Html(el("table", el("thead", heads), el("tbody", drawn)) + (more or ""))


def _picture(assembly: Assembly) -> Child:
    png = still(assembly, WIDTH, HEIGHT)
    if png is None:
        return None
    source = "data:image/png;base64," + base64.b64encode(png).decode()
    return el("p", el("img", src=source, alt=f"{assembly.name} as designed", width=WIDTH))


def _plot(run: Run) -> Child:
    """The joints over the time of the run, as the plots that are written draw them."""
    import tempfile
    from pathlib import Path

    from cadbridge.simulation.plots import write_joints

    with tempfile.TemporaryDirectory() as folder:
        written = [p for p in write_joints(run, Path(folder)) if p.suffix == ".svg"]
        drawn = written[0].read_text(encoding="utf-8") if written else ""
    return raw(drawn[drawn.index("<svg") :]) if drawn else None
