"""The canonical graph of a geared robot as SVG: primary links in a row, what they carry below, gear pairs heavy.

Laid out by its own rule, as the literature draws such graphs: an open-loop chain with its secondary links under their
carriers. Colours are attributes, so that the drawing needs no style sheet.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.files import write_text
from cadbridge.report.html import Child, Html, el
from cadbridge.wording import count
from solver.geared import Transmission

if TYPE_CHECKING:
    from cadbridge.geared import Analysis

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2")
"""Of the transmission lines, again from the first when they run out."""
LETTER, MOST_LETTERS = 7.0, 22
"""Pixels of a letter's width, about, and letters of a name that fit beside a node; longer ones are cut."""
ROW, HALF = 92.0, 13.0
"""Pixels between two rows, and half the height of a node: two lines of letters fit in."""
BOW = 40.0
"""Pixels that the curve of a gear pair between links of one row hangs below it: free of both boxes and their labels."""
MARGIN = 24.0
"""Pixels around the drawing."""
CLEAR = 14.0
"""So far from a curve a label needs no better place."""


Point = tuple[float, float]


@dataclass(frozen=True)
class _Places:
    """Where links stand (by index, the base with it), half the width of their boxes, and the size of the picture."""

    at: dict[int, Point]
    half: dict[int, float]
    width: float
    height: float

    def within(self, link: int, point: Point) -> bool:
        """Whether a point lies in the box of a link."""
        x, y = self.at[link]
        return abs(point[0] - x) <= self.half[link] and abs(point[1] - y) <= HALF


def transmission_svg(found: Analysis) -> Html:
    """The drawing as an SVG element."""
    robot = found.robot
    places = _places(found)
    line_of = {g: k for k, line in enumerate(robot.lines) for g in line.meshes}
    curves = [_bowed(found, places, g) for g in range(len(robot.graph.meshes))]
    struck = np.array([_on(*curve, t) for curve in curves for t in np.linspace(0.0, 1.0, 40)]).reshape(-1, 2)
    rows: list[Child] = [_thin(found, places, link, struck) for link in range(len(robot.graph.pairs))]
    rows += [_heavy(found, g, curve, line_of.get(g)) for g, curve in enumerate(curves)]
    rows += [_box(found, places, link) for link in places.at]
    rows += _legend(found, places)
    height = places.height + 18 * len(robot.lines)
    summary = (
        f"{count(len(robot.graph.pairs), 'link')}, {count(len(robot.graph.meshes), 'gear pair')} "
        f"in {count(len(robot.lines), 'line')}"
    )
    return el("svg", rows, xmlns="http://www.w3.org/2000/svg", viewbox=f"0 0 {places.width:.0f} {height:.0f}",
              width=f"{places.width:.0f}", height=f"{height:.0f}", font_family="sans-serif", font_size="12",
              role="img", aria_label=f"Canonical graph: {summary}")  # fmt: skip


def write_transmission_svg(found: Analysis, path: Path) -> None:
    """Write the drawing to a file, whole or not at all; InputError where it cannot be written."""
    write_text(path, f"{transmission_svg(found)}\n")


def _shown(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"


def _places(found: Analysis) -> _Places:
    """Primary links in a row, each over the columns of what it carries; deeper ones in further rows."""
    robot: Transmission = found.robot
    step = max(len(_shown(found.name(i))) for i in range(-1, len(robot.graph.pairs))) * LETTER + 50
    children: dict[int, list[int]] = {}
    for link in robot.secondary:
        children.setdefault(robot.graph.canonical[link], []).append(link)
    at: dict[int, Point] = {}
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
    half = {link: LETTER * len(_shown(found.name(link))) / 2 + 7 for link in at}
    return _Places(at, half, left + MARGIN, MARGIN + 2 * HALF + ROW * deepest + BOW + MARGIN)


def _on(a: Point, bend: Point, b: Point, t: float) -> Point:
    """The place at t (0 to 1) of a quadratic Bézier curve."""
    x, y = (1 - t) ** 2 * np.array(a) + 2 * t * (1 - t) * np.array(bend) + t**2 * np.array(b)
    return float(x), float(y)


def _outside(places: _Places, a: int, bend: Point, b: int) -> tuple[Point, Point, Point]:
    """The part between two boxes of the quadratic Bézier curve from a's middle by `bend` to b's, as its three points.

    The whole curve where the boxes leave nothing of it.
    """
    first, last = places.at[a], places.at[b]
    # One place about each pixel of the longest arrow.
    place = [(t, _on(first, bend, last, t)) for t in np.linspace(0.0, 1.0, 401)]
    free = [t for t, point in place if not (places.within(a, point) or places.within(b, point))]
    s, t = (free[0], free[-1]) if free else (0.0, 1.0)
    start, end = _on(first, bend, last, s), _on(first, bend, last, t)
    # The blossom at (s, t): the middle point of the part.
    x, y = (1 - s) * (1 - t) * np.array(first) + (s + t - 2 * s * t) * np.array(bend) + s * t * np.array(last)
    return start, (float(x), float(y)), end


def _bowed(found: Analysis, places: _Places, g: int) -> tuple[Point, Point, Point]:
    """The curve of a gear pair, bowed so that it runs beside the thin edges."""
    driver, driven = found.robot.driver[g], found.robot.driven[g]
    (x1, y1), (x2, y2) = places.at[driver], places.at[driven]
    deeper = y1 + BOW if y1 == y2 else (y1 + y2) / 2 + 10.0
    return _outside(places, driver, ((x1 + x2) / 2, deeper), driven)


def _thin(found: Analysis, places: _Places, link: int, struck: NDArray[np.float64]) -> Html:
    """A turning pair; its axis label where it is farthest from the gear pairs' curves (points `struck`, (n, 2))."""
    graph = found.robot.graph
    pair, parent = graph.pairs[link], graph.canonical[link]
    middle = (np.array(places.at[parent]) + places.at[link]) / 2
    a, _, b = _outside(places, parent, (float(middle[0]), float(middle[1])), link)
    # The middle first; then where two lines that cross there leave room.
    spots = np.array([np.array(a) + share * (np.array(b) - a) + (5, -5) for share in (0.5, 0.35, 0.2, 0.65, 0.8)])
    free = np.min(np.linalg.norm(spots[:, None] - struck - (4, -4), axis=2), axis=1, initial=CLEAR)
    x, y = spots[int(np.argmax(free))]
    return el(
        "g",
        el("title", f"{pair.name}, axis {pair.label}"),
        el("line", x1=f"{a[0]:.1f}", y1=f"{a[1]:.1f}", x2=f"{b[0]:.1f}", y2=f"{b[1]:.1f}", stroke="currentColor",
           stroke_width="1"),
        el("text", pair.label, x=f"{x:.1f}", y=f"{y:.1f}", fill="currentColor", font_style="italic"),
    )  # fmt: skip


def _heavy(found: Analysis, g: int, curve: tuple[Point, Point, Point], line: int | None) -> Html:
    """A gear pair in the colour of its line."""
    mesh = found.robot.graph.meshes[g]
    colour = "currentColor" if line is None else COLOURS[line % len(COLOURS)]
    path = "M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}".format(*(value for point in curve for value in point))
    summary = f"{mesh.name}, carrier {found.name(mesh.carrier)}"
    return el("g", el("title", summary), el("path", d=path, fill="none", stroke=colour, stroke_width="4"))


def _box(found: Analysis, places: _Places, link: int) -> Html:
    """A link: primary ones with a double border."""
    x, y = places.at[link]
    name, width = found.name(link), 2 * places.half[link]
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
