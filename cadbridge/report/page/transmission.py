"""The section of a geared robot: its canonical graph, its lines, its structure matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cadbridge.errors import ModelError
from cadbridge.report.html import Html, el
from cadbridge.report.page.items import Items
from cadbridge.report.page.tables import draw
from cadbridge.report.views.table import Row, Table, number, whole
from solver.constraints import GearPair

if TYPE_CHECKING:
    from cadbridge.geared import Analysis
    from cadbridge.mechanism.model import Mechanism


def transmission_section(mechanism: Mechanism, items: Items) -> Html:
    """Sections of the robot's transmission; empty where the mechanism is no geared robot with a known output link."""
    if not any(isinstance(c.primitive, GearPair) for c in mechanism.couplings):
        return Html("")
    from cadbridge.geared import transmission
    from cadbridge.report.drawing import transmission_svg

    try:
        found = transmission(mechanism)
    except ModelError:
        return Html("")
    form = "pseudo-triangular" if found.robot.pseudo_triangular else "general"
    summary = (
        "Boxes with corners are the links of the open-loop chain to the output link, round ones turn on them. Thin "
        "lines are hinges with the names of their axes, heavy ones gear pairs, in the colour of their line. "
        f"The structure matrix has {form} form."
    )
    drawing = el("div", transmission_svg(found), class_="drawing natural", tabindex="0", role="region",
                 aria_label="Canonical graph of the transmission")  # fmt: skip
    heading = el("h2", "Transmission", id="transmission-h")
    head = el("section", heading, el("p", summary, class_="note"), drawing, id="transmission",
              aria_labelledby="transmission-h")  # fmt: skip
    return Html(head + draw(items, _structure(found)))


def _structure(found: Analysis) -> Table:
    """Lines with their columns of the structure matrix A."""
    robot, graph = found.robot, found.robot.graph
    chain = [graph.pairs[link].name for link in robot.primary[1:]]
    largest = float(abs(robot.structure).max())
    rows = [
        Row((
            graph.pairs[line.input].name,
            whole(line.level),
            " → ".join(found.name(i) for i in line.links),
            *(number(float(v), scale=largest) for v in robot.structure[:, k]),
        ))
        for k, line in enumerate(robot.lines)
    ]  # fmt: skip
    note = "How often each motor turns per turn of each joint (the structure matrix, transposed)."
    return Table("lines", "Transmission lines", ("input", "level", "links", *chain), rows, note)
