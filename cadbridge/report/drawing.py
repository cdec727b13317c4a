"""The canonical graph of a geared robot as SVG: primary links in a row, what they carry below, gear pairs heavy.

Laid out by its own rule, as the literature draws such graphs: an open-loop chain with its secondary links under their
carriers. Colours are attributes, so that the drawing needs no style sheet.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cadbridge.files import output
from cadbridge.report.html import Child, Html, el
from solver.geared import Transmission

if TYPE_CHECKING:
    from cadbridge.geared import Analysis

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2")
"""Of the transmission lines, again from the first when they run out."""
LETTER, MOST_LETTERS = 7.0, 22
ROW, HALF = 92.0, 13.0
MARGIN = 24.0


@dataclass(frozen=True)
class _Places:
    """Where links stand (by index, the base with it), and the size of the picture."""

    at: dict[int, tuple[float, float]]
    width: float
    height: float


def transmission_svg(found: Analysis) -> Html:
    """The drawing as an SVG element."""
    robot = found.robot
    places = _places(found)
    rows: list[Child] = [_thin(found, places, link) for link in range(len(robot.graph.pairs))]
    line_of = {g: k for k, line in enumerate(robot.lines) for g in line.meshes}
    rows += [_heavy(found, places, g, line_of.get(g)) for g in range(len(robot.graph.meshes))]
    rows += [_box(found, places, link) for link in places.at]
    rows += _legend(found, places)
    height = places.height + 18 * len(robot.lines)
    summary = f"{len(robot.graph.pairs)} links, {len(robot.graph.meshes)} gear pairs in {len(robot.lines)} lines"
    return el("svg", rows, xmlns="http://www.w3.org/2000/svg", viewbox=f"0 0 {places.width:.0f} {height:.0f}",
              width=f"{places.width:.0f}", height=f"{height:.0f}", font_family="sans-serif", font_size="12",
              role="img", aria_label=f"Canonical graph: {summary}")  # fmt: skip


def write_transmission_svg(found: Analysis, path: Path) -> None:
    """Write the drawing to a file, whole or not at all; OSError as from the system."""
    with output(path) as temporary:
        temporary.write_text(str(transmission_svg(found)) + "\n", encoding="utf-8", newline="\n")


def _shown(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"


def _places(found: Analysis) -> _Places:
    """Primary links in a row, each over the columns of what it carries; deeper ones in further rows."""
    robot: Transmission = found.robot
    step = max(len(_shown(found.name(i))) for i in range(-1, len(robot.graph.pairs))) * LETTER + 50
    children: dict[int, list[int]] = {}
    for link in robot.secondary:
        children.setdefault(robot.graph.canonical[link], []).append(link)
    at: dict[int, tuple[float, float]] = {}
    left, deepest = MARGIN, 0

    def put(link: int, left: float, depth: int) -> float:
        """Place a link and all secondary ones on it from `left` on; the width used."""
        nonlocal deepest
        deepest = max(deepest, depth)
        used = 0.0
        for child in children.get(link, ()):
            used += put(child, left + used, depth + 1)
        width = max(used, step)
        at[link] = (left + width / 2, MARGIN + HALF + ROW * depth)
        return width

    for link in robot.primary:
        left += put(link, left, 0)
    bow = 40.0
    return _Places(at, left + MARGIN, MARGIN + 2 * HALF + ROW * deepest + bow + MARGIN)


def _thin(found: Analysis, places: _Places, link: int) -> Html:
    """A turning pair with its axis label."""
    graph = found.robot.graph
    (x1, y1), (x2, y2) = places.at[graph.canonical[link]], places.at[link]
    pair = graph.pairs[link]
    share = 0.5 if y1 == y2 else 2 / 3
    at = x1 + share * (x2 - x1) + 5, y1 + share * (y2 - y1) - 5
    return el(
        "g",
        el("title", f"{pair.name}, axis {pair.label}"),
        el("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", stroke="currentColor",
           stroke_width="1"),
        el("text", pair.label, x=f"{at[0]:.1f}", y=f"{at[1]:.1f}", fill="currentColor", font_style="italic"),
    )  # fmt: skip


def _heavy(found: Analysis, places: _Places, g: int, line: int | None) -> Html:
    """A gear pair, bowed so that it runs beside the thin edges."""
    robot = found.robot
    mesh = robot.graph.meshes[g]
    (x1, y1), (x2, y2) = places.at[robot.driver[g]], places.at[robot.driven[g]]
    deeper = y1 + 40.0 if y1 == y2 else (y1 + y2) / 2 + 10.0
    colour = "currentColor" if line is None else COLOURS[line % len(COLOURS)]
    path = f"M{x1:.1f} {y1:.1f}Q{(x1 + x2) / 2:.1f} {deeper:.1f} {x2:.1f} {y2:.1f}"
    summary = f"{mesh.name}, carrier {found.name(mesh.carrier)}"
    return el("g", el("title", summary), el("path", d=path, fill="none", stroke=colour, stroke_width="4"))


def _box(found: Analysis, places: _Places, link: int) -> Html:
    """A link: primary ones with a double border."""
    x, y = places.at[link]
    name = found.name(link)
    width = LETTER * len(_shown(name)) + 14
    primary = link in found.robot.primary
    return el(
        "g",
        el("title", f"{name}, {'primary' if primary else 'secondary'}"),
        el("rect", x=f"{x - width / 2:.1f}", y=f"{y - HALF:.1f}", width=f"{width:.1f}", height=f"{2 * HALF:.0f}",
           rx="4" if primary else "13", fill="none", stroke="currentColor", stroke_width="2" if primary else "1"),
        el("text", _shown(name), x=f"{x:.1f}", y=f"{y + 4:.1f}", text_anchor="middle", fill="currentColor"),
    )  # fmt: skip


def _legend(found: Analysis, places: _Places) -> list[Child]:
    """The colour of each line, with its input and its level."""
    robot, rows = found.robot, []
    for k, line in enumerate(robot.lines):
        y = places.height + 18 * k
        message = f"{robot.graph.pairs[line.input].name}: {' → '.join(found.name(i) for i in line.links)}, "
        rows.append(
            el("g",
               el("line", x1=MARGIN, x2=MARGIN + 24, y1=y - 4, y2=y - 4, stroke=COLOURS[k % len(COLOURS)],
                  stroke_width="4"),
               el("text", message + f"level {line.level}", x=MARGIN + 32, y=y, fill="currentColor"))
        )  # fmt: skip
    return list(rows)
