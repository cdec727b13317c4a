"""The mobility of what is recognised: loop by loop it is that of all rows at once."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadbridge.assembly import Assembly, CouplingKind
from cadbridge.frames import unit
from cadbridge.recognition.choice.freedoms import WITHIN, blocks, freedoms
from cadbridge.recognition.model import FoundBody, FoundJoint, Recognition
from cadbridge.recognition.wheels.gears import FoundGear

Z, ORIGIN = np.array([0.0, 0.0, 1.0]), np.zeros(3)
TYPES = ("revolute", "prismatic", "cylindrical", "spherical", "screw", "fixed")


def recognised(count: int, joints: list[FoundJoint], gears: tuple[FoundGear, ...] = ()) -> Recognition:
    """So many bodies of one instance, the first of them the ground."""
    bodies = tuple(FoundBody(str(k), (str(k),), ()) for k in range(count))
    return Recognition(Assembly("a", "", "step", (), (), ()), bodies, 0, "", tuple(joints), (), (), 0.0, gears=gears)


def joint(kind: str, a: int, b: int, point: np.ndarray = ORIGIN, axis: np.ndarray = Z) -> FoundJoint:
    return FoundJoint("", kind, a, b, point, None if kind == "spherical" else axis, (), (), 0.5)


def gear(a: int, b: int, carrier: int | None) -> FoundGear:
    kind, along = CouplingKind.SPUR, (Z, Z)
    return FoundGear("", kind, a, b, ("", ""), (ORIGIN, ORIGIN), along, (20, 40), 2.0, 0.0, 0.0, None, carrier, 0.5, ())


def at_once(found: Recognition) -> int:
    """6 for each moving body, less the rank of all rows, lengths in m."""
    count, rows = len(found.bodies), []
    for j in found.joints:
        turns = [np.r_[np.cross(j.point, a), a] for a in (np.eye(3) if j.axis is None else [j.axis])]
        slide = np.r_[ORIGIN if j.axis is None else j.axis, ORIGIN]
        kinds = {"prismatic": [slide], "cylindrical": [*turns, slide], "fixed": np.zeros((0, 6))}
        free = np.array(kinds.get(j.type, turns)).reshape(-1, 6)
        for row in np.linalg.svd(free)[2][len(free) :] if len(free) else np.eye(6):
            full = np.zeros((count, 6))
            full[j.a] -= row
            full[j.b] += row
            rows.append(full.ravel())
    for g in found.gears:
        if g.carrier is None:  # proposed as a comment only
            continue
        full, turn = np.zeros((count, 6)), np.r_[ORIGIN, Z]
        full[g.a] += turn
        full[g.b] += g.ratio * turn
        full[g.carrier] -= (1.0 + g.ratio) * turn
        rows.append(full.ravel())
    held = np.array(rows).reshape(-1, 6 * count)[:, 6:]
    return 6 * (count - 1) - (int(np.linalg.matrix_rank(held, 1e-9)) if held.size else 0)


@st.composite
def assemblies(draw: st.DrawFn) -> Recognition:
    """Up to nine bodies with joints anywhere, on parallel or on other axes, and gears on one axis."""
    count = draw(st.integers(2, 9))
    ends = st.lists(st.integers(0, count - 1), min_size=2, max_size=2, unique=True)
    places = st.tuples(*[st.integers(-3, 3)] * 3).map(lambda p: 0.1 * np.array(p, float))
    axes = st.sampled_from([Z, Z, np.array([1.0, 0.0, 0.0]), unit(np.array([1.0, 2.0, 2.0]))])
    joints = draw(st.lists(st.tuples(st.sampled_from(TYPES), ends, places, axes), max_size=12))
    wheels = draw(st.lists(st.tuples(ends, st.none() | st.integers(0, count - 1)), max_size=2))
    made = tuple(gear(a, b, c) for (a, b), c in wheels if c not in (a, b))
    return recognised(count, [joint(kind, a, b, p, axis) for kind, (a, b), p, axis in joints], made)


@given(assemblies())
def test_loop_by_loop_as_of_all_rows_at_once(found: Recognition) -> None:
    assert freedoms(found) == at_once(found)


def test_a_chain_of_thousands_is_counted() -> None:
    chain = [joint("revolute", k, k + 1, np.array([float(k), 0.0, 0.0])) for k in range(2000)]
    assert freedoms(recognised(2001, chain)) == 2000


def test_many_loops_on_one_body_are_counted_one_by_one() -> None:
    """Two hundred four-bars stand on one ground: 601 bodies, of which no two loops share more than that one."""
    corners = [np.array(c) for c in ([0.0, 0.0, 0.0], [0.0, 0.1, 0.0], [0.25, 0.12, 0.0], [0.2, 0.0, 0.0])]
    bars = []
    for k in range(200):
        ring, off = [0, 3 * k + 1, 3 * k + 2, 3 * k + 3, 0], np.array([k, 0.0, 0.0])
        bars += [joint("revolute", a, b, c + off) for (a, b), c in zip(pairwise(ring), corners, strict=True)]
    assert freedoms(recognised(601, bars)) == 200


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14))
def test_blocks_are_the_biconnected_components(edges: list[tuple[int, int]]) -> None:
    import networkx as nx

    graph = nx.Graph([(a, b) for a, b in edges if a != b])
    parts: list[Any] = list(nx.biconnected_component_edges(graph))
    known = {frozenset(edge): k for k, part in enumerate(parts) for edge in part}
    found = blocks(8, edges)
    assert [k == WITHIN for k in found] == [a == b for a, b in edges]
    for (k, edge), (other, beside) in combinations(zip(found, map(frozenset, edges), strict=True), 2):
        if WITHIN not in (k, other):
            assert (k == other) == (known[edge] == known[beside])


@pytest.mark.parametrize(("bodies", "known"), [(301, None), (300, 297)])
def test_a_ring_of_too_many_bodies_is_not(bodies: int, known: int | None) -> None:
    ring = [joint("revolute", k, (k + 1) % bodies, np.array([np.cos(k), np.sin(k), 0.0])) for k in range(bodies)]
    assert freedoms(recognised(bodies, ring)) == known
