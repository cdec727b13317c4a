"""The sections of an inverse analysis: efforts over the motion, peaks, and the bond graph where one was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cadbridge.report.html import Html, el, join
from cadbridge.report.page.items import Items
from cadbridge.report.page.plots import PlotLine, plot_figure, plot_of
from cadbridge.report.page.tables import draw
from cadbridge.report.views.numbers import figure
from cadbridge.report.views.table import Badge, Cell, ItemNames, Number, Row, Table, number
from cadbridge.wording import count

if TYPE_CHECKING:
    from cadbridge.efforts import Inverse

_KINDS = {"actuator": ("joint",), "joint": ("joint",), "gear": ("gear",), "tooth": ("gear",), "bearing": ("joint",)}


def efforts_sections(found: Inverse, items: Items) -> Html:
    """Efforts drawn, their peaks and those of reactions as a table, and the graph."""
    return join(_efforts(found, items), draw(items, _peaks(found)), _graph(found))


def _efforts(found: Inverse, items: Items) -> Html:
    from cadbridge.efforts import effort_unit

    t = found.run.result.trajectory.t
    lines = [
        PlotLine(f"{j.name} ({effort_unit(j)})", found.forces.efforts[:, k], items.ref(j.name, "joint"))
        for k, j in enumerate(found.actuators)
    ]
    external = [PlotLine(f"force on {n} (N)", np.linalg.norm(w[:, :3], axis=1)) for n, w in found.external.items()]
    drawn = [p for p in (plot_of("Efforts", "effort in N m or N", lines), plot_of("From outside", "N", external)) if p]
    text = f"What the motion asks for, by the method {found.method}: {found.summary['message']}."
    return el(
        "section",
        el("h2", "Efforts", id="efforts-h"),
        el("p", text, class_="note"),
        el("div", [plot_figure(t, p) for p in drawn], class_="plots"),
        id="efforts",
        aria_labelledby="efforts-h",
    )


def _peaks(found: Inverse) -> Table:
    from cadbridge.efforts import peaks

    rows = []
    for p in peaks(found):
        named: Cell = ItemNames((p.name,), _KINDS[p.kind]) if p.kind in _KINDS else p.name
        largest = Number(p.peak, f"{figure(p.peak)} {p.unit}")
        mean = Number(p.rms, f"{figure(p.rms)} {p.unit}")
        determined = Badge("determined", "good") if p.determined else Badge("not determined", "mark")
        rows.append(Row((named, p.kind, p.what, largest, number(p.at_s), mean, determined)))
    return Table("peaks", "Peaks", ("of", "kind", "what", "peak", "at s", "root mean square", "rigid model"), rows)


def _graph(found: Inverse) -> Html:
    """The bond graph, where the method made one."""
    analysis = found.forces.graph
    if analysis is None:
        return Html("")
    from cadbridge.report.bond_graph import bond_graph_svg

    text = (
        "Grey boxes are bodies, the others joints. A half arrow tells the direction of positive power, a stroke the "
        "end that receives the effort; heavy bonds are vectors. Sources that drive are red, those of constraints blue "
        "(by them the graph is augmented, so that every storage is integral), known ones green. "
        f"{count(len(analysis.built.graph.nodes), 'node')}, {count(len(analysis.built.graph.bonds), 'bond')}."
    )
    drawing = el("div", bond_graph_svg(analysis.built), class_="drawing natural", tabindex="0", role="region",
                 aria_label="Vector bond graph")  # fmt: skip
    heading = el("h2", "Bond graph", id="bondgraph-h")
    return el("section", heading, el("p", text, class_="note"), drawing, id="bondgraph", aria_labelledby="bondgraph-h")
