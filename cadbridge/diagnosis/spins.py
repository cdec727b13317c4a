"""Freedoms that only spin balanced bodies about their own axis: they count, and nothing else moves with them.

Textbooks call that of a rod between two ball joints a passive degree of freedom (Tsai, Robot Analysis, 1999, section
1.6). A roller or a wheel that nothing drives is no other, nor one that takes with it a loose pin on its axis.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import cross_length
from cadbridge.frames import unit as unit_vector
from cadbridge.mass import volume_of
from cadbridge.mechanism import Body, Mechanism

ADVANCE = 1e-6
"""Of the distance that a point of the axis would move for a turn of 1 rad at 1 m: a motion that advances by more along
its axis is a screw's. Rounding is 1e-12; the finest screw, 0.25 mm a turn, advances 4e-5."""


ONE_AXIS = 1e-5
"""m, and sine of an angle: axes that are nearer are one. Bores are drawn in line to 1e-6."""


def only_spin(mechanism: Mechanism, twists: Mapping[int, NDArray[np.float64]]) -> bool:
    """Whether all that moves turns about one axis, and each body is balanced about it.

    Args:
        mechanism: The mechanism, at its designed pose.
        twists: The twist of each body that moves, see `is_spin`, by its index.

    Returns:
        Whether it does. Wheels that mesh turn about two axes.
    """
    lines = []
    for unit, twist in twists.items():
        body = mechanism.bodies[unit]
        if not is_spin(mechanism, body, twist):
            return False
        v, w = twist[:3], twist[3:]
        lines.append((body.X_WB.p + np.cross(w, v) / float(w @ w), unit_vector(w)))
    first, along = lines[0]
    return all(
        cross_length(p - first, along) < ONE_AXIS and cross_length(way, along) < ONE_AXIS for p, way in lines[1:]
    )


def is_spin(mechanism: Mechanism, body: Body, twist: NDArray[np.float64]) -> bool:
    """Whether a twist turns a body about an axis about which it is balanced.

    Args:
        mechanism: The mechanism, at its designed pose.
        body: One of its bodies, which alone moves.
        twist: (6,) [v of the body's origin; ω] in W, m and rad.

    Returns:
        Whether it does; False where neither the body's mass nor the volume of all its parts is known.
    """
    v, w = twist[:3], twist[3:]
    turn = float(w @ w)
    if not turn or abs(float(v @ w)) > ADVANCE * turn:
        return False
    weight = body.mass.moved(body.X_WB) if body.mass is not None else volume_of(mechanism.assembly, body.instances)
    return weight is not None and weight.balanced_about(body.X_WB.p + np.cross(w, v) / turn, w)
