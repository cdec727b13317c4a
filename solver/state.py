"""The state of a model: a value, never changed in place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class State:
    """Time `t` (s), positions (n, 3; m) and quaternions (n, 4; w first) of the bodies' frames, world axes.

    `velocities` (n, 6) are [v; ω] in m/s and rad/s, world axes. `angles` (na,) are the integrated angles
    (rad) of gears and angle coordinates, that say on which branch a residual is; None: principal values.
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
        """Bodies at given poses, not moving."""
        x = np.array(positions, float).reshape(-1, 3)
        return cls(t, x, np.array(quaternions, float).reshape(-1, 4), np.zeros((len(x), 6)))
