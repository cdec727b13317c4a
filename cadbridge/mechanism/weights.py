"""Gravity that something outside of the mechanism compensates: the forces that carry parts of the bodies' weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Vector
from cadbridge.mechanism.model import GROUND_BODY, Mechanism


@dataclass(frozen=True, eq=False)
class CarriedMass:
    """`mass` kg at `point` (3,) m in the body's frame B, whose weight is carried.

    `share` is that of the whole body's weight, None where its components differ: then no single number says it.
    """

    mass: float
    point: Vector
    share: float | None


def carried_weights(mechanism: Mechanism) -> dict[int, CarriedMass]:
    """By the index of each moving body of which some weight is carried."""
    shares: dict[int, list[tuple[float, float, Vector]]] = {}
    poses = dict(zip(mechanism.component_names, mechanism.X_WC, strict=True))
    components = mechanism.assembly.components
    for component in components if any(c.gravity_compensation for c in components) else ():
        body = mechanism.body_of.get(component.name, GROUND_BODY)
        mass = mechanism.component_masses[component.name].mass
        if body == GROUND_BODY or mass is None or not mass.mass > 0:
            continue
        centre = mechanism.X_WB(body).inverse().point(poses[component.name].point(mass.com))
        shares.setdefault(body, []).append((component.gravity_compensation, mass.mass, centre))
    return {body: _carried(items) for body, items in shares.items() if any(share for share, _, _ in items)}


def _carried(items: list[tuple[float, float, Vector]]) -> CarriedMass:
    masses = np.array([share * mass for share, mass, _ in items])
    total = float(masses.sum())
    point = masses @ np.array([centre for _, _, centre in items]) / total if total else np.zeros(3)
    shares = {share for share, _, _ in items}
    return CarriedMass(total, point, shares.pop() if len(shares) == 1 else None)
