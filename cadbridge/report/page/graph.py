"""The connection graph as a drawing: bodies as nodes, joints and gears as edges, redundant ones marked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.model import Diagnosis
from cadbridge.mechanism.model import GROUND_BODY, Mechanism
from cadbridge.report.html import Html, el
from cadbridge.report.page.items import Items

Array = NDArray[np.float64]

MOST_NODES = 300
"""Bodies that a drawing holds; a larger graph is told in the tables only."""
CAREFUL = 120
"""Up to so many bodies the layout weighs every pair of them."""
WIDTH = 900.0
LETTER = 6.2
"""Width of a letter of a label, about."""


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
    told = (
        "Lines are joints, dashed lines are gears. Orange: redundant mates; red: conflicting mates. A coloured line "
        "marks mates between two bodies, a coloured box mates inside one."
    )
    if lone:
        told += f" {lone} bodies that nothing connects are left out."
    if len(nodes) > MOST_NODES:
        told = f"{len(nodes)} connected bodies are more than a drawing shows; the tables name every joint."
        drawing = None
    else:
        drawn = _drawing(items, nodes, edges, mate_states(diagnosis))
        drawing = el("div", drawn, class_="drawing", tabindex="0", role="region",
                     aria_label="Connection graph")  # fmt: skip
    return el("section", heading, el("p", told, class_="note"), drawing, id="graph", aria_labelledby="graph-h")


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


def layout(nodes: list[int], edges: list[Edge]) -> Array:
    """Places (n, 2) of the nodes in [0, 1]²; always the same for the same graph."""
    if len(nodes) == 1:
        return np.full((1, 2), 0.5)
    drawn: nx.Graph[int] = nx.Graph()
    drawn.add_nodes_from(nodes)
    drawn.add_edges_from((e.a, e.b) for e in edges if e.a != e.b)
    if len(nodes) <= CAREFUL and nx.is_connected(drawn):
        places = nx.kamada_kawai_layout(drawn)
    else:
        places = nx.spring_layout(drawn, seed=1, iterations=120, k=1.6 / np.sqrt(len(nodes)))
    found = np.array([places[n] for n in nodes], dtype=float)
    # The longer direction lies flat: a page is wider than it is high.
    _, _, axes = np.linalg.svd(found - found.mean(axis=0))
    axes = axes * np.where(np.sum(axes, axis=1) < 0, -1.0, 1.0)[:, None]
    found = (found - found.mean(axis=0)) @ axes.T
    span = np.ptp(found, axis=0)
    return np.asarray((found - found.min(axis=0)) / np.where(span > 1e-9, span, 1.0))


def _drawing(items: Items, nodes: list[int], edges: list[Edge], states: dict[str, str]) -> Html:
    height = float(np.clip(150 + 16 * len(nodes), 220, 620))
    margin = np.array([70.0, 26.0])
    at = margin + layout(nodes, edges) * (np.array([WIDTH, height]) - 2 * margin)
    place = dict(zip(nodes, at, strict=True))
    seen: dict[tuple[int, int], int] = {}
    lines = []
    for e in edges:
        pair = (min(e.a, e.b), max(e.a, e.b))
        seen[pair] = seen.get(pair, 0) + 1
        lines.append(_line(e, place[e.a], place[e.b], seen[pair] - 1))
    inner = inner_states(items, states)
    dots = [_node(items.mechanism, n, place[n], inner.get(n, "")) for n in nodes]
    return el("svg", lines, dots, viewbox=f"0 0 {WIDTH:.0f} {height:.0f}", role="group",
              aria_label=f"{len(nodes)} bodies, {len(edges)} joints and gears")  # fmt: skip


def _line(e: Edge, p: Array, q: Array, nth: int) -> Html:
    """An edge as a line; further ones between the same bodies bow out more and more."""
    side = np.array([p[1] - q[1], q[0] - p[0]])
    length = float(np.linalg.norm(side))
    bow = (18.0 * ((nth + 1) // 2) * (1 if nth % 2 else -1)) if nth else 0.0
    middle = (p + q) / 2 + (side / length * 2 * bow if length > 1e-9 else np.zeros(2))
    path = f"M{p[0]:.1f} {p[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {q[0]:.1f} {q[1]:.1f}"
    what = f"{e.name}, {e.kind}" + (f", {e.state}" if e.state else "")
    classes = f"edge {e.ref.split(':')[0]} {e.state}".strip()
    return el("g", el("title", what), el("path", d=path, class_="wide"), el("path", d=path),
              class_=classes, data_pick=e.ref, data_ref=e.ref, role="button", tabindex="0",
              aria_label=what)  # fmt: skip


def _node(mechanism: Mechanism, n: int, p: Array, state: str) -> Html:
    name = mechanism.bodies[n].name if n != GROUND_BODY else "ground"
    shown = name if len(name) <= 20 else name[:19] + "…"
    w = LETTER * len(shown) + 14
    return el(
        "g",
        el("title", name + (f", {state} mates within" if state else "")),
        el("rect", x=f"{p[0] - w / 2:.1f}", y=f"{p[1] - 11:.1f}", width=f"{w:.1f}", height="22", rx="11"),
        el("text", shown, x=f"{p[0]:.1f}", y=f"{p[1] + 4:.1f}", text_anchor="middle"),
        class_=" ".join(filter(None, ("node", "ground" if n == GROUND_BODY else "", state))),
        data_pick=f"body:{n}", data_ref=f"body:{n}", role="button", tabindex="0", aria_label=f"body {name}",
    )  # fmt: skip
