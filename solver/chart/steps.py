"""The steps of a joint: its single freedoms, from the parent outwards. A joint of a tree is nothing but these.

| step | q | rates |
|---|---|---|
| `turn`, `screw` | rotation about the axis, rad | rad/s |
| `slide` | translation along the axis, m | m/s |
| `ball` | quaternion (w first) of the body in the joint's frame | ω relative to the parent, body axes |

All but the ball are exponentials of one motion each (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 4.4).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Step:
    """One freedom about and along an axis.

    Attributes:
        axis: Unit vector (3,), in the world at the model's reference pose.
        spin: 1 where q turns (rad), else 0.
        travel: m (m/rad of a screw) for each unit of q, or 0.
        ball: Whether any orientation is free; axis, spin and travel then mean nothing.
    """

    axis: Array
    spin: float = 0.0
    travel: float = 0.0
    ball: bool = False

    @property
    def rates(self) -> int:
        """How many rates it has."""
        return 3 if self.ball else 1

    @property
    def numbers(self) -> int:
        """How many numbers it has in q."""
        return 4 if self.ball else 1

    def reversed(self) -> Step:
        """Turn the freedom round: that of the parent relative to the body.

        Returns:
            The same freedom with the same q.
        """
        return replace(self, axis=-self.axis)


def turn(axis: ArrayLike) -> Step:
    """A rotation about an axis (3,)."""
    return Step(_unit(axis), spin=1.0)


def slide(axis: ArrayLike) -> Step:
    """A translation along an axis (3,)."""
    return Step(_unit(axis), travel=1.0)


def screw(axis: ArrayLike, pitch: float) -> Step:
    """A rotation about an axis (3,) that advances by `pitch` (m/rad) along it."""
    return Step(_unit(axis), spin=1.0, travel=float(pitch))


def ball() -> Step:
    """Every rotation about a point."""
    return Step(np.array([0.0, 0.0, 1.0]), ball=True)


def _unit(axis: ArrayLike) -> Array:
    a = np.asarray(axis, float)
    return np.asarray(a / np.linalg.norm(a))


FREE = (*(slide(axis) for axis in np.eye(3)), ball())
"""The steps of a body that hangs on nothing."""
