"""The section of a geared robot: its canonical graph, its lines, its structure matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cadbridge.errors import ModelError
from cadbridge.report.page.html import Html, el
from cadbridge.report.page.tables import Number, Row, table
from solver.constraints import GearPair

if TYPE_CHECKING:
    from cadbridge.geared import Analysis
    from cadbridge.mechanism.model import Mechanism


def transmission_section(mechanism: Mechanism) -> Html:
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
    told = (
        "Boxes with corners are the links of the open-loop chain to the output link, round ones turn on them. Thin "
        "lines are hinges with the names of their axes, heavy ones gear pairs, in the colour of their line. "
        f"The structure matrix has {form} form."
    )
    drawing = el("div", transmission_svg(found), class_="drawing natural", tabindex="0", role="region",
                 aria_label="Canonical graph of the transmission")  # fmt: skip
    heading = el("h2", "Transmission", id="transmission-h")
    head = el("section", heading, el("p", told, class_="note"), drawing, id="transmission",
              aria_labelledby="transmission-h")  # fmt: skip
    return Html(head + _structure(found))


def _structure(found: Analysis) -> Html:
    """Lines with their columns of A."""
    robot, graph = found.robot, found.robot.graph
    chain = [graph.pairs[link].name for link in robot.primary[1:]]
    rows = [
        Row(
            None,
            (
                graph.pairs[line.input].name,
                Number(line.level, str(line.level)),
                " → ".join(found.name(i) for i in line.links),
                *(Number(float(v), f"{v:.6g}" if abs(v) > 1e-12 else "0") for v in robot.structure[:, k]),
            ),
        )
        for k, line in enumerate(robot.lines)
    ]
    note = "Turns of each input for one of each joint of the chain: the columns of the structure matrix as rows."
    return table("lines", "Transmission lines", ("input", "level", "links", *chain), rows, note)
