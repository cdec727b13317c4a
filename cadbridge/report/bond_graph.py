"""A vector bond graph as SVG: bodies and joints as boxes with their junctions, elements and transformers.

Bodies and joints stand in columns by their distance from the ground, so that power flows from left to right. A
bond bears a half arrow in the direction of positive power and a stroke at the end that receives the effort; bonds of
vectors are drawn heavy. Colours are attributes, so that the drawing needs no style sheet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np

from cadbridge.files import write_text
from cadbridge.report.html import Child, Html, el
from cadbridge.wording import count
from solver.bondgraph.build import Built
from solver.bondgraph.graph import MTF, ONE, SE, ZERO, BondGraph, causality, other

Point = tuple[float, float]

STEP_X, STEP_Y = 58.0, 40.0
"""Between neighbouring nodes of a box, in pixels."""
INSET_X, INSET_Y = 0.75, 1.0
"""Steps from a box's upper left corner to its first node: room for half its text, and for the box's name above."""
OUTSET_X, OUTSET_Y = 1.5, 1.7
"""Steps that a box is larger than the span of its nodes: `INSET_X` on both sides; `INSET_Y` above, a line below."""
BELOW_BODY = 6.5
"""Steps from a body's first node to those of a joint of the same name: below all of `BODY`."""
BETWEEN_LINES, BESIDE = 1.3, 1.1
"""Steps from a joint's last line to its next, and between what acts along the same velocity: texts are free of each
other."""
STROKE = 1.6
"""Pixels: the width of the causal stroke, heavier than the bond of a number that it closes."""
JUNCTION, CHARACTER, PAD = 9.0, 3.2, 5.0
"""Pixels from a node's middle to the end of its text: of a junction's one sign; of others half a letter's width for
each letter, and the space beside it."""
MARGIN, GAP_X, GAP_Y = 30.0, 70.0, 26.0
"""Pixels around the drawing and between its boxes; as they look well."""
MOST_NODES = 6000
"""Nodes that a drawing holds: a browser draws no more without a pause."""
MOST_LETTERS = 4
"""Of a junction's label that is written beside it; longer ones are shown where the pointer rests."""
COLOURS = {"drive": "#d62728", "constraint": "#1f77b4", "given": "#2ca02c"}
"""Of the sources: what drives, what constrains, what is known."""
BODY = {
    "f": (-1, 0), "ṙ": (0, 0), "M": (1, 0), "ω": (0, 1.3), "A": (0, 2.3), "ω′": (0, 3.3), "m": (-1, 4.2), "J": (0, 4.4),
    "EJS": (1, 4.2),
}  # fmt: skip
"""Where the nodes of a body stand in its box, by their labels."""
MOTOR = {"V": (0, 0), "i": (1, 0), "K": (2, 0), "R": (0.5, 1), "G": (0.5, 1), "L": (1.5, 1)}
"""Those of a DC motor's circuit."""
CHAMBER = {"A": (0, 0), "p": (1, 0), "C": (1, 1), "Q": (2, 0), "R": (2, 1), "G": (2, 1), "P": (3, 0)}
"""Those of a cylinder's chamber and the line of its supply."""


@dataclass(frozen=True)
class _Box:
    """A body or joint: its nodes with their places in steps from the box's upper left corner, and its size in steps."""

    name: str
    body: bool
    at: dict[int, Point]
    width: float
    height: float


def bond_graph_svg(built: Built) -> Html:
    """The drawing as an SVG element; a note where the graph is too large to be drawn."""
    graph = built.graph
    if len(graph.nodes) > MOST_NODES:
        return el("p", f"{len(graph.nodes)} nodes are more than a drawing shows.")
    boxes = _boxes(graph)
    corners, width, height = _arranged(graph, boxes)
    at: dict[int, Point] = {}
    rows: list[Child] = []
    for box in boxes:
        x0, y0 = corners[box.name]
        rows.append(_frame(box, x0, y0))
        at |= {i: (x0 + (x + INSET_X) * STEP_X, y0 + (y + INSET_Y) * STEP_Y) for i, (x, y) in box.at.items()}
    effort_from = causality(graph)
    rows += [_bond(graph, k, at, effort_from[k]) for k in range(len(graph.bonds))]
    rows += [_node(graph, i, at[i]) for i in at]
    sources = {role: len(graph.sizes(SE, role)) for role in COLOURS}
    summary = f"{count(len(graph.nodes), 'node')}, {count(len(graph.bonds), 'bond')}; sources: " + ", ".join(
        f"{many} {role}" for role, many in sources.items()
    )
    return el("svg", rows, xmlns="http://www.w3.org/2000/svg", viewbox=f"0 0 {width:.0f} {height:.0f}",
              width=f"{width:.0f}", height=f"{height:.0f}", font_family="sans-serif", font_size="11",
              role="img", aria_label=f"Vector bond graph: {summary}")  # fmt: skip


def write_bond_graph_svg(built: Built, path: Path) -> None:
    """Write the drawing to a file, whole or not at all; InputError where it cannot be written."""
    write_text(path, f"{bond_graph_svg(built)}\n")


def _boxes(graph: BondGraph) -> list[_Box]:
    """A box for every owner of nodes, in the order in which they appear."""
    members: dict[str, list[int]] = {}
    for i, node in enumerate(graph.nodes):
        members.setdefault(node.owner, []).append(i)
    found = []
    for name, nodes in members.items():
        body = any(graph.nodes[i].label == "EJS" for i in nodes)
        at = _circuit(graph, nodes) or (_body(graph, nodes) if body else _joint(graph, nodes))
        left, top = (min(p[k] for p in at.values()) for k in (0, 1))
        at = {i: (x - left, y - top) for i, (x, y) in at.items()}
        right, bottom = (max(p[k] for p in at.values()) for k in (0, 1))
        found.append(_Box(name, body, at, right + OUTSET_X, bottom + OUTSET_Y))
    return found


def _circuit(graph: BondGraph, nodes: list[int]) -> dict[int, Point]:
    """The circuit of a motor, or a chamber of a cylinder; nothing where the nodes are neither."""
    labels = {graph.nodes[i].label for i in nodes}
    places = next((table for table in (MOTOR, CHAMBER) if labels <= table.keys()), {})
    return {i: places[graph.nodes[i].label] for i in nodes if places}


def _body(graph: BondGraph, nodes: list[int]) -> dict[int, Point]:
    """A body's own nodes by their labels; a joint of the same name stands below."""
    own = [i for i in nodes if graph.nodes[i].label in BODY]
    at: dict[int, Point] = {i: BODY[graph.nodes[i].label] for i in own}
    rest = [i for i in nodes if i not in at]
    if rest:
        at |= {i: (x, y + BELOW_BODY) for i, (x, y) in _joint(graph, rest).items()}
    return at


def _joint(graph: BondGraph, nodes: list[int]) -> dict[int, Point]:
    """A joint's nodes: for each relative velocity a line from body to body, and above it what acts along it."""
    inside = set(nodes)
    bodies = {i for i in nodes if graph.nodes[i].kind == ZERO and "×" in graph.nodes[i].label}
    at: dict[int, Point] = {}
    top = 0.0
    for i in nodes:
        if graph.nodes[i].kind != ZERO or i in bodies:
            continue
        line, depth = _line(graph, i, inside)
        at |= {n: (x, y + top + depth) for n, (x, y) in line.items()}
        top = max(y for _, y in at.values()) + BETWEEN_LINES
    for i in (n for n in nodes if n not in at):
        at[i] = (0.0, top)
        top += 1.0
    return at


def _line(graph: BondGraph, zero: int, inside: set[int]) -> tuple[dict[int, Point], float]:
    """The nodes around a 0-junction of a relative velocity, it in (0, 0), and how far they reach above it."""
    at: dict[int, Point] = {zero: (0.0, 0.0)}
    depth = 0.0
    sums = 0
    for b in graph.at(zero):
        bond, node = graph.bonds[b], other(graph.bonds[b], zero)
        if node not in inside:
            continue
        if graph.nodes[node].label.startswith("ṙ of"):
            _side(graph, node, inside, at, 1.0 if bond.head == zero else -1.0)
        elif graph.nodes[node].kind == MTF and bond.head == zero:
            # Rows of any kind: a transformer for each velocity of each body.
            at[node] = ((1.5, -1.5)[sums // 2 % 2], 0.8 * (sums % 2) + 1.6 * (sums // 4))
            sums += 1
        else:
            depth = max(depth, _above(graph, node, zero, inside, at))
    return at, depth


def _side(graph: BondGraph, one: int, inside: set[int], at: dict[int, Point], sign: float) -> None:
    """The velocity of a body's point: its 1-junction, the sum ṙ + ω×r, the transformer of the arm."""
    at[one] = (sign, 0.0)
    for b in graph.at(one):
        zero = other(graph.bonds[b], one)
        if zero in at or zero not in inside:
            continue
        at[zero] = (2 * sign, 0.0)
        for c in graph.at(zero):
            arm = other(graph.bonds[c], zero)
            if arm in inside and arm not in at:
                at[arm] = (2 * sign, 1.0)


def _above(graph: BondGraph, node: int, before: int, inside: set[int], at: dict[int, Point]) -> float:
    """What hangs on a line, upwards, beside each other where it branches; how far it reaches."""
    x, y = at[before]
    at[node] = (x, y - 1.0)
    rows: list[list[int]] = [[node]]
    while rows[-1]:
        further: list[int] = []
        for n in rows[-1]:
            for b in graph.at(n):
                m = other(graph.bonds[b], n)
                if m in inside and m not in at:
                    at[m] = (0.0, 0.0)
                    further.append(m)
        rows.append(further)
    for depth, row in enumerate(rows):
        for k, m in enumerate(row):
            at[m] = (x + (k - (len(row) - 1) / 2) * BESIDE, y - 1.0 - depth)
    return float(len(rows) - 1)


def _arranged(graph: BondGraph, boxes: list[_Box]) -> tuple[dict[str, Point], float, float]:
    """The corners of the boxes in pixels, and the size of the picture: columns by distance from the ground."""
    columns: dict[int, list[_Box]] = {}
    for box, k in zip(boxes, _columns(graph, boxes), strict=True):
        columns.setdefault(k, []).append(box)
    tallest = max(sum(b.height * STEP_Y + GAP_Y for b in column) for column in columns.values())
    corners: dict[str, Point] = {}
    x = MARGIN
    for k in sorted(columns):
        column = _by_neighbours(graph, columns[k], corners)
        room = tallest - sum(b.height * STEP_Y for b in column)
        y = MARGIN + room / (2 * len(column))
        width = max(b.width for b in column) * STEP_X
        for box in column:
            corners[box.name] = (x + (width - box.width * STEP_X) / 2, y)
            y += box.height * STEP_Y + room / len(column)
        x += width + GAP_X
    return corners, x - GAP_X + MARGIN, tallest + 2 * MARGIN


def _neighbours(graph: BondGraph) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for bond in graph.bonds:
        a, b = graph.nodes[bond.tail].owner, graph.nodes[bond.head].owner
        if a != b:
            found.setdefault(a, set()).add(b)
            found.setdefault(b, set()).add(a)
    return found


def _columns(graph: BondGraph, boxes: list[_Box]) -> list[int]:
    """Distance from the joints that hold one body only (on the ground); where there are none, from the first box."""
    near = _neighbours(graph)
    names = {b.name: b for b in boxes}
    drawn: nx.Graph[str] = nx.Graph()
    drawn.add_nodes_from(names)
    drawn.add_edges_from((a, b) for a, others in near.items() for b in sorted(others))
    depth: dict[str, int] = {}
    for part in nx.connected_components(drawn):
        roots = [n for n in names if n in part and not names[n].body and len(near.get(n, ())) == 1]
        roots = roots or [n for n in names if n in part][:1]
        for n, d in nx.multi_source_dijkstra_path_length(drawn, set(roots)).items():
            depth[n] = int(d)
    return [depth[b.name] for b in boxes]


def _by_neighbours(graph: BondGraph, column: list[_Box], placed: dict[str, Point]) -> list[_Box]:
    """The boxes of a column, those first whose neighbours to the left stand higher."""
    near = _neighbours(graph)

    def height(box: _Box) -> float:
        beside = [placed[n][1] for n in near.get(box.name, ()) if n in placed]
        return float(np.mean(beside)) if beside else 0.0

    return sorted(column, key=height)


def _frame(box: _Box, x: float, y: float) -> Html:
    name = box.name if len(box.name) <= 28 else box.name[:27] + "…"
    return el(
        "g",
        el("title", f"{'body' if box.body else 'joint'} {box.name}"),
        el("rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{box.width * STEP_X:.1f}", height=f"{box.height * STEP_Y:.1f}",
           rx="10" if box.body else "3", fill="#8888881c" if box.body else "none", stroke="#888888"),
        el("text", name, x=f"{x + 6:.1f}", y=f"{y + 14:.1f}", fill="currentColor", font_weight="bold"),
    )  # fmt: skip


def _node(graph: BondGraph, i: int, p: Point) -> Html:
    node = graph.nodes[i]
    plain = node.kind in (ONE, ZERO)
    shown = node.kind if plain else f"{node.kind} : {node.label}" if node.kind != node.label else node.kind
    # Half a label: 3.2 pixels a letter of its font, and a margin.
    half = 7.0 if plain else 3.2 * len(shown) + 3
    parts: list[Child] = [
        el("title", f"{node.kind}: {node.label}, {node.owner}" + (f", {node.role}" if node.role else "")),
        el("rect", x=f"{p[0] - half:.1f}", y=f"{p[1] - 8:.1f}", width=f"{2 * half:.1f}", height="16", rx="3",
           fill="#ffffff", stroke=COLOURS.get(node.role, "none")),
        el("text", shown, x=f"{p[0]:.1f}", y=f"{p[1] + 4:.1f}", text_anchor="middle", fill="#222222",
           font_weight="bold" if plain else None),
    ]  # fmt: skip
    if plain and len(node.label) <= MOST_LETTERS:
        parts.append(el("text", node.label, x=f"{p[0] + 9:.1f}", y=f"{p[1] + 14:.1f}", fill="#888888", font_size="9"))
    return el("g", *parts)


def _bond(graph: BondGraph, k: int, at: dict[int, Point], effort_from: int) -> Html:
    """A line with a half arrow at its head and the causal stroke where the effort goes."""
    bond = graph.bonds[k]
    p, q = np.array(at[bond.tail]), np.array(at[bond.head])
    way = q - p
    length = float(np.linalg.norm(way))
    # Steps of the drawing: two nodes in one place have no direction between them.
    u = way / length if length > 1e-9 else np.array([1.0, 0.0])
    side = np.array([-u[1], u[0]])
    start, end = p + u * _clear(graph, bond.tail, u), q - u * _clear(graph, bond.head, u)
    # Nodes that touch leave no room between them: the arrow is drawn over their rims.
    if float((end - start) @ u) < 4:
        # The middle third of the way, about.
        start, end = p + 0.35 * way, p + 0.65 * way
    barb = end - 8 * u + 5 * side
    stroke = start if other(bond, effort_from) == bond.tail else end
    lines = (
        _path((start, end), 2.0 if bond.size > 1 else 1.0),
        _path((end, barb), 1.0),
        _path((stroke - 5 * side, stroke + 5 * side), STROKE),
    )
    return el("g", el("title", f"{bond.size} wide"), *lines)


def _clear(graph: BondGraph, node: int, u: np.ndarray) -> float:
    """How far from a node's middle a bond in the direction u ends: outside its text."""
    kind = graph.nodes[node].kind
    half = JUNCTION if kind in (ONE, ZERO) else CHARACTER * len(f"{kind} : {graph.nodes[node].label}") + PAD
    # Where a line crosses the box of its node, half so wide and 10 pixels high on each side.
    return float(min(half / max(abs(u[0]), 1e-9), 10.0 / max(abs(u[1]), 1e-9)))


def _path(points: Iterable[np.ndarray], width: float) -> Html:
    text = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return el("path", d=text, fill="none", stroke="currentColor", stroke_width=f"{width:g}")
