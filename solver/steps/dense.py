"""States between the ends of a step: polynomials through both ends' states and accelerations.

Coordinates have values, rates and accelerations at both projected ends: a quintic. Each extra acceleration, evaluated
where the polynomial so far puts the state, raises its degree by one (bootstrapping: Enright, Jackson, Nørsett and
Thomsen 1986). With 0, 1 or 3 of them the rates' error over a step h is of order h⁵, h⁶ or h⁸, and that of angles and
work, which have rates only, h⁴, h⁵ or h⁶: a sample is as accurate as the ends of its step.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_NODES = {0: (), 3: (0.5, 0.25, 0.75)}
"""Where extra accelerations are taken, in this order."""


@lru_cache(maxsize=16)
def _inverse(nodes: tuple[float, ...], second: bool) -> Array:
    """Coefficients of the monomials of θ from the data.

    `second`: values and rates at 0 and 1, second derivatives at 0, 1 and the nodes; else the value at 0 and rates at
    0, 1 and the nodes (with the value at 1 as well they would be dependent: Simpson's rule).
    """
    ends = (0.0, 1.0)
    rows = [(t, order) for order in (0, 1) for t in ends] if second else [(0.0, 0)]
    rows += [(t, 2 if second else 1) for t in (*ends, *nodes)]
    return np.linalg.inv(np.array([_derivative(t, order, len(rows)) for t, order in rows]))


def _derivative(theta: float, order: int, count: int) -> Array:
    """The derivatives (count,) of 1, θ, θ², … at θ."""
    result = np.zeros(count)
    for k in range(order, count):
        result[k] = math.perm(k, order) * theta ** (k - order)
    return result


def fits() -> tuple[Array, Array]:
    """What `_inverse` gives for 0, 1 and 3 nodes, filled up with zeros: (3, 9, 9) and (3, 6, 6)."""
    poses, sums = np.zeros((3, 9, 9)), np.zeros((3, 6, 6))
    for level, nodes in enumerate(((), _NODES[3][:1], _NODES[3])):
        poses[level, : 6 + len(nodes), : 6 + len(nodes)] = _inverse(nodes, True)
        sums[level, : 3 + len(nodes), : 3 + len(nodes)] = _inverse(nodes, False)
    return poses, sums
