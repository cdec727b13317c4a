"""A drag: which body is held at which point, and the pulls of the newest place of the mouse."""

from __future__ import annotations

import itertools

from cadbridge.frames import Pose, Vector
from cadbridge.simulation.posing import Mover, Posed


class Drags:
    """Events come faster than a large mechanism follows: `ticket` numbers them, and only the `newest` is pulled to."""

    def __init__(self, mover: Mover) -> None:
        self._mover = mover
        self._numbers = itertools.count()
        self._newest = -1
        self._held: tuple[int, Vector] | None = None

    def ticket(self) -> int:
        """The number of an event that has come."""
        self._newest = next(self._numbers)
        return self._newest

    def newest(self, ticket: int) -> bool:
        """Whether nothing has come since."""
        return ticket == self._newest

    def grab(self, body: int, X_WB: Pose, point: Vector) -> None:
        """Hold a body at a point of the world (m)."""
        self._held = body, X_WB.inverse().point(point)

    def pull(self, target: Vector) -> Posed:
        """Pull the point that is held towards a place in the world (m); where nothing is held, nothing moves."""
        if self._held is None:
            return self._mover.move({})
        body, point = self._held
        return self._mover.pull(body, point, target)
