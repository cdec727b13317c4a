"""Linkages whose mobility every textbook gives, as assemblies of boxes and hinges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Coupling, CouplingKind, Mate, MateKind
from tests.mechanism.building import assembly, mate

Triple = Sequence[float]
Z = (0.0, 0.0, 1.0)


def ring(hinges: Sequence[tuple[Triple, Triple]], kind: MateKind = MateKind.INSERT) -> Assembly:
    """A closed chain: hinge i (point, direction) joins link i and link i + 1; link 0 is the ground."""
    n = len(hinges)
    points = np.array([p for p, _ in hinges], float)
    places = {f"link {i}": tuple((points[i - 1] + points[i]) / 2) for i in range(1, n)}
    names = [GROUND, *places]
    mates = [mate(places, f"hinge {i}", kind, names[i], names[(i + 1) % n], *hinges[i]) for i in range(n)]
    return assembly(places, mates)


def planar(points: Sequence[tuple[float, float]]) -> Assembly:
    """A ring of hinges across a plane, through points (m) in it."""
    return ring([((x, y, 0.0), Z) for x, y in points])


def denavit(lengths: Sequence[float], twists: Sequence[float], turns: Sequence[float]) -> Assembly:
    """A ring of hinges by Denavit and Hartenberg: z-axes a length (m) and a twist (rad) apart, turned by angles."""
    T = np.eye(4)
    hinges = []
    for a, alpha, theta in zip(lengths, twists, turns, strict=True):
        hinges.append((tuple(T[:3, 3]), tuple(T[:3, 2])))
        ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        T = T @ np.array(
            [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, 0], [0, 0, 0, 1]]
        )
    assert np.allclose(T, np.eye(4), atol=1e-9), "the ring does not close"
    return ring(hinges)


def bennett(a: float = 0.3, alpha: float = 0.7, b: float = 0.2, theta: float = 1.1) -> Assembly:
    """Bennett's four-bar: sides a, b, a, b with a / sin α = b / sin β (Bennett, "A new mechanism", 1903)."""
    beta = float(np.arcsin(b * np.sin(alpha) / a))
    phi = 2 * np.arctan(np.sin((alpha + beta) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    return denavit([a, b, a, b], [alpha, beta, alpha, beta], [theta, phi, -theta, -phi])


def sarrus(height: float = 0.3) -> Assembly:
    """Two plates held by two pairs of hinged leaves across each other: the upper one rises in a straight line."""
    knee = 0.2
    hinges: list[tuple[Triple, Triple]] = [
        ((0.1, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.1 + knee, 0.0, height / 2), (0.0, 1.0, 0.0)),
        ((0.1, 0.0, height), (0.0, 1.0, 0.0)),
        ((0.0, 0.1, height), (1.0, 0.0, 0.0)),
        ((0.0, 0.1 + knee, height / 2), (1.0, 0.0, 0.0)),
        ((0.0, 0.1, 0.0), (1.0, 0.0, 0.0)),
    ]
    return ring(hinges)


def bricard(side: float = 0.3) -> Assembly:
    """Bricard's rectangular ring: six hinges around a cube, each at right angles to the next (Bricard, 1927)."""
    corners = side * np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)], float)
    edges = np.roll(corners, -1, axis=0) - corners
    axes = np.cross(np.roll(edges, 1, axis=0), edges) / side**2
    return ring([(tuple(p), tuple(u)) for p, u in zip(corners, axes, strict=True)])


def double_universal(offset: float = 0.5) -> Assembly:
    """Two parallel shafts and a shaft between, its pins not across it: a step beside the motion was taken back."""
    X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    near, far = (0.3, 0.0, 0.0), (0.9, 0.0, offset)
    return ring([((0.0, 0.0, 0.0), X), (near, Y), (near, Z), (far, Z), (far, Y), ((1.2, 0.0, offset), X)])


def parallel_bars(count: int) -> Assembly:
    """A table on equal parallel bars: one is held by two, the others repeat it."""
    places: dict[str, Triple] = {"table": (0.5, 0.3, 0.0)}
    places |= {f"bar {i}": (0.2 * i, 0.15, 0.0) for i in range(count)}
    mates = []
    for i in range(count):
        mates.append(mate(places, f"foot {i}", MateKind.INSERT, GROUND, f"bar {i}", (0.2 * i - 0.05, 0.0, 0.0), Z))
        mates.append(mate(places, f"head {i}", MateKind.INSERT, f"bar {i}", "table", (0.2 * i + 0.05, 0.3, 0.0), Z))
    return assembly(places, mates)


def hinges_on(places: Mapping[str, Triple], joints: Sequence[tuple[str, str, str, Triple]]) -> Assembly:
    """Hinges about z between named parts at points (m)."""
    mates: list[Mate] = [mate(places, n, MateKind.INSERT, a, b, p, Z) for n, a, b, p in joints]
    return assembly(places, mates)


def rings_in_gear() -> Assembly:
    """A four-bar on the ground and one that floats, whose cranks turn together."""
    corners = ((0.0, 0.0), (0.0, 0.1), (0.2, 0.1), (0.2, 0.0))
    names = ((GROUND, "a", "b", "c"), ("d", "e", "f", "g"))
    at = {name: (x + k, y, 0.0) for k, own in enumerate(names) for name, (x, y) in zip(own, corners, strict=True)}
    places = {name: (x, y + 0.05, 0.0) for name, (x, y, _) in at.items() if name != GROUND}
    joints = [(f"{own[i]} on {own[i - 1]}", own[i - 1], own[i], at[own[i]]) for own in names for i in range(4)]
    cranks = ("a on ground", "e on d")
    gear = Coupling("gear", CouplingKind.JOINTS, None, None, ratio=0.5, joints=cranks)
    return replace(hinges_on(places, joints), couplings=(gear,))
