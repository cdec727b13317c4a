"""The state of a model: a value, never changed in place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class State:
    """A state of a model: a value, never changed in place; the world's axes.

    Attributes:
        t: Time, s.
        positions: Of the bodies' frames, at their centres of mass, (n, 3) m.
        quaternions: Of the bodies' frames, (n, 4), w first.
        velocities: [v; ω] of the bodies, (n, 6) m/s and rad/s.
        angles: Integrated angles of gears and angle coordinates, (na,) rad: they say on which branch a residual is;
            None takes principal values.
    """

    t: float
    positions: Array
    quaternions: Array
    velocities: Array
    angles: Array | None = None

    @property
    def branches(self) -> Array:
        """The angles (na,) of a state that has them, as all have of a model that is assembled."""
        assert self.angles is not None
        return self.angles

    @classmethod
    def at_rest(cls, positions: Array, quaternions: Array, t: float = 0.0) -> State:
        """Make the state of bodies at given poses that do not move.

        Args:
            positions: (n, 3) m.
            quaternions: (n, 4), w first.
            t: Time, s.

        Returns:
            The state, on the principal branch.
        """
        x = np.array(positions, float).reshape(-1, 3)
        return cls(t, x, np.array(quaternions, float).reshape(-1, 4), np.zeros((len(x), 6)))
