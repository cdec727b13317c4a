"""The connection graph as a drawing: bodies as nodes, joints and gears as edges, redundant ones marked."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.model import Diagnosis
from cadbridge.mechanism.model import GROUND_BODY, Mechanism
from cadbridge.report.html import Html, el
from cadbridge.report.page.items import Items
from cadbridge.wording import count

Array = NDArray[np.float64]

MOST_NODES = 300
"""Bodies that a drawing holds; a larger graph is in the tables only, as nobody reads it."""
MOST_NAMED = 12
"""Joints and gears whose names stand in the drawing; of more, only those that a person named."""
MOST_LETTERS = 20
"""Of a name beside a node; longer ones are cut, and shown whole where the pointer rests."""
WIDTH, LAYER, ROW, MARGIN = 900.0, 170.0, 40.0, 80.0
"""Of the drawing; from layer to layer; from node to node; beside the outer layers."""
ORDER_SWEEPS = 4
"""Times that the order within the layers is improved in both directions: after three or so it hardly changes
(Sugiyama's method by barycentres)."""
LETTER = 6.2
"""Width of a letter of a label, about."""
LEAST_HEIGHT, ENDS = 150.0, 30.0
"""Pixels: of a drawing of one row, whose edges bow; and above and below the nodes."""
BESIDE_LABEL = 12.0
"""Pixels between an edge's label and the boxes at its ends, of both sides together."""
BOW, BOW_PAST = 18.0, 40.0
"""Pixels that each further edge between the same bodies bows more, so that its label is free of the one before; and an
edge within a layer, past the nodes between."""


@dataclass(frozen=True)
class Edge:
    """A joint or gear between bodies `a` and `b`; `state` is "", "redundant" or "conflicting"."""

    ref: str
    name: str
    kind: str
    a: int
    b: int
    state: str


def graph(mechanism: Mechanism, diagnosis: Diagnosis, items: Items) -> Html:
    """The section with the drawing; empty where nothing is connected."""
    edges = edges_of(mechanism, diagnosis)
    nodes = sorted({n for e in edges for n in (e.a, e.b)})
    if not edges:
        return Html("")
    heading = el("h2", "Bodies and joints", id="graph-h")
    lone = len(mechanism.bodies) - len([n for n in nodes if n != GROUND_BODY])
    summary = (
        "From the base (left) to the tool. Lines are joints, dashed lines are gears. Orange: redundant mates; red: "
        "conflicting mates. A coloured line marks mates between two bodies, a coloured box mates inside one."
    )
    if lone:
        summary += f" {count(lone, 'body that nothing connects is', 'bodies that nothing connects are')} left out."
    if len(nodes) > MOST_NODES:
        summary = f"{len(nodes)} connected bodies are more than a drawing shows; the tables name every joint."
        drawing = None
    else:
        drawn, wide = _drawing(items, nodes, edges, mate_states(diagnosis))
        drawing = el("div", drawn, class_="drawing natural" if wide else "drawing", tabindex="0", role="region",
                     aria_label="Connection graph")  # fmt: skip
    return el("section", heading, el("p", summary, class_="note"), drawing, id="graph", aria_labelledby="graph-h")


def edges_of(mechanism: Mechanism, diagnosis: Diagnosis) -> list[Edge]:
    """Joints between bodies, then gears between the two bodies that they turn."""
    states = mate_states(diagnosis)
    edges = [
        Edge(f"joint:{k}", j.name, j.type, j.a, j.b, worst(states, j.mates)) for k, j in enumerate(mechanism.joints)
    ]  # fmt: skip
    for k, c in enumerate(mechanism.couplings):
        ends = list(dict.fromkeys(c.primitive.bodies))
        turned = [b for b in ends if b != GROUND_BODY][-2:] if len(ends) > 2 else ends
        if len(turned) == 2:
            kind = c.coupling.kind.value.replace("_", " ")
            edges.append(Edge(f"gear:{k}", c.name, kind, turned[0], turned[1], worst(states, (c.name,))))
    return edges


def mate_states(diagnosis: Diagnosis) -> dict[str, str]:
    """ "redundant" or "conflicting" by the name of a redundant mate."""
    return {r.mate: "conflicting" if r.kind == "conflicting" else "redundant" for r in diagnosis.redundancies}


def worst(states: dict[str, str], mates: Iterable[str]) -> str:
    """How the worst of some mates stands; "" where none is redundant."""
    return min((states[m] for m in mates if m in states), default="")


def inner_states(items: Items, states: dict[str, str]) -> dict[int, str]:
    """How the worst of the redundant mates within each body stands."""
    inner: dict[int, list[str]] = {}
    for mate in items.all_mates:
        if mate.name in states and mate.a is not None and mate.b is not None:
            a, b = (items.body_of_instance(f.component) for f in (mate.a, mate.b))
            if a == b:
                inner.setdefault(a, []).append(mate.name)
    return {body: worst(states, mates) for body, mates in inner.items()}


def layers(nodes: Sequence[int], edges: Sequence[Edge]) -> list[list[int]]:
    """Nodes by their distance in joints from the base, left to right, each layer in the order that crosses least.

    The base is the ground, else the first node; what no joint connects to it hangs on its gears, else starts anew.
    """
    joints, all_edges = (
        _neighbours([e for e in edges if which or e.ref.startswith("joint")]) for which in (False, True)
    )
    depth: dict[int, int] = {}
    for start in nodes:
        for neighbours in (joints, all_edges):
            _walk(start, neighbours, depth)
    found: list[list[int]] = [[] for _ in range(max(depth.values()) + 1)]
    for node in nodes:
        found[depth[node]].append(node)
    for _ in range(ORDER_SWEEPS):
        _sweep(found, all_edges)
        _sweep(found[::-1], all_edges)
    return found


def _neighbours(edges: Iterable[Edge]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for e in edges:
        found.setdefault(e.a, []).append(e.b)
        found.setdefault(e.b, []).append(e.a)
    return found


def _walk(start: int, neighbours: dict[int, list[int]], depth: dict[int, int]) -> None:
    """Breadth first from `start`, and on from all that has a depth already."""
    front = [n for n in depth if any(m not in depth for m in neighbours.get(n, ()))] if start in depth else [start]
    for node in front:
        depth.setdefault(node, 0)
    while front:
        reached = []
        for node in front:
            for other in neighbours.get(node, ()):
                if other not in depth:
                    depth[other] = depth[node] + 1
                    reached.append(other)
        front = reached


def _sweep(found: list[list[int]], neighbours: dict[int, list[int]]) -> None:
    """Sort each layer by the mean height of its neighbours in the layer before; in place."""
    for before, layer in pairwise(found):
        height = {n: k / max(len(before) - 1, 1) for k, n in enumerate(before)}
        means = {}
        for k, node in enumerate(layer):
            near = [height[n] for n in neighbours.get(node, ()) if n in height]
            means[node] = sum(near) / len(near) if near else k / max(len(layer) - 1, 1)
        layer.sort(key=means.__getitem__)


def layout(
    nodes: Sequence[int], edges: Sequence[Edge], boxes: Mapping[int, float] | None = None, named: Container[str] = ()
) -> tuple[dict[int, Array], float, float]:
    """The place of each node, from base to tool from left to right, and the width and height of the drawing.

    `boxes` are widths of nodes; between them is room for the labels of edges whose references are `named`.
    """
    found = layers(nodes, edges)
    most = max(len(layer) for layer in found)
    gaps = _gaps(found, edges, boxes or {}, named)
    width = max(WIDTH, sum(gaps) + 2 * MARGIN)
    height = max(LEAST_HEIGHT, ROW * most + ENDS)
    wider = (width - 2 * MARGIN) / max(sum(gaps), 1.0)
    along = [MARGIN + wider * sum(gaps[:k]) for k in range(len(found))]
    places = {}
    for k, layer in enumerate(found):
        for i, node in enumerate(layer):
            # A layer of one stands a little off the middle by turns, so that lines past it stay free of its box.
            aside = 0.12 * height * (-1) ** k if len(layer) == 1 and len(found) > 2 else 0.0
            places[node] = np.array([along[k], height * (i + 0.5) / len(layer) + aside])
    return places, width, height


def _gaps(
    found: Sequence[Sequence[int]], edges: Sequence[Edge], boxes: Mapping[int, float], named: Container[str]
) -> list[float]:
    """How far each layer is from the next: half of both widest boxes, and the longest label between."""
    depth = {node: k for k, layer in enumerate(found) for node in layer}
    half = [max(boxes.get(node, 0.0) for node in layer) / 2 for layer in found]
    label = [0.0] * len(found)
    for e in edges:
        first = min(depth[e.a], depth[e.b])
        if e.ref in named and abs(depth[e.a] - depth[e.b]) == 1:
            label[first] = max(label[first], LETTER * len(_short(e.name)) + BESIDE_LABEL)
    return [max(LAYER, half[k] + half[k + 1] + label[k]) for k in range(len(found) - 1)]


def _drawing(items: Items, nodes: list[int], edges: list[Edge], states: dict[str, str]) -> tuple[Html, bool]:
    """The drawing, and whether it is wider than a page."""
    requested = set(items.mechanism.assembly.joint_names.values())
    named = {e.ref for e in edges if len(edges) <= MOST_NAMED or e.name in requested}
    place, width, height = layout(nodes, edges, {n: _box(items.mechanism, n) for n in nodes}, named)
    seen: dict[tuple[int, int], int] = {}
    lines = []
    for e in edges:
        pair = (min(e.a, e.b), max(e.a, e.b))
        seen[pair] = seen.get(pair, 0) + 1
        lines.append(_line(e, place[e.a], place[e.b], seen[pair] - 1, e.ref in named))
    inner = inner_states(items, states)
    dots = [_node(items.mechanism, n, place[n], inner.get(n, "")) for n in nodes]
    summary = f"{count(len(nodes), 'body', 'bodies')}, {count(len(edges), 'joint or gear', 'joints and gears')}"
    drawn = el("svg", lines, dots, viewbox=f"0 0 {width:.0f} {height:.0f}", width=f"{width:.0f}",
               height=f"{height:.0f}", role="group", aria_label=summary)  # fmt: skip
    return drawn, width > WIDTH


def _line(e: Edge, p: Array, q: Array, nth: int, named: bool) -> Html:
    """An edge as a line; one that passes other nodes, and further ones between the same bodies, bow out."""
    side = np.array([p[1] - q[1], q[0] - p[0]])
    length = float(np.linalg.norm(side))
    bow = (BOW * ((nth + 1) // 2) * (1 if nth % 2 else -1)) if nth else 0.0
    if not nth and abs(q[0] - p[0]) < 1.0:
        bow = BOW_PAST
    # Pixels: an edge between two nodes in one place has no side to bow to.
    middle = (p + q) / 2 + (side / length * 2 * bow if length > 1e-9 else np.zeros(2))
    path = f"M{p[0]:.1f} {p[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {q[0]:.1f} {q[1]:.1f}"
    what = f"{e.name}, {e.kind}" + (f", {e.state}" if e.state else "")
    classes = f"edge {e.ref.split(':')[0]} {e.state}".strip()
    at = (p + 2 * middle + q) / 4
    label = el("text", _short(e.name), x=f"{at[0]:.1f}", y=f"{at[1] - 4:.1f}", text_anchor="middle") if named else None
    return el("g", el("title", what), el("path", d=path, class_="wide"), el("path", d=path), label,
              class_=classes, data_pick=e.ref, data_ref=e.ref, role="button", tabindex="0",
              aria_label=what)  # fmt: skip


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"


def _name(mechanism: Mechanism, n: int) -> str:
    return mechanism.bodies[n].name if n != GROUND_BODY else "ground"


def _box(mechanism: Mechanism, n: int) -> float:
    """The width of a node."""
    return LETTER * len(_short(_name(mechanism, n))) + 14


def _node(mechanism: Mechanism, n: int, p: Array, state: str) -> Html:
    name = _name(mechanism, n)
    shown, w = _short(name), _box(mechanism, n)
    return el(
        "g",
        el("title", name + (f", {state} mates within" if state else "")),
        el("rect", x=f"{p[0] - w / 2:.1f}", y=f"{p[1] - 11:.1f}", width=f"{w:.1f}", height="22", rx="11"),
        el("text", shown, x=f"{p[0]:.1f}", y=f"{p[1] + 4:.1f}", text_anchor="middle"),
        class_=" ".join(filter(None, ("node", "ground" if n == GROUND_BODY else "", state))),
        data_pick=f"body:{n}", data_ref=f"body:{n}", role="button", tabindex="0", aria_label=f"body {name}",
    )  # fmt: skip
