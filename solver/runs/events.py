"""Events: a coordinate that crosses a value on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.state import State

Array = NDArray[np.float64]
Look = Callable[[float], tuple[State, Array]]

DIRECTIONS = {"rising": 1, "falling": -1, "either": 0}
_LOOKS = (0.25, 0.5, 0.75, 1.0)
"""Parts of a step at which the coordinates are looked at: a double crossing within a quarter is not seen."""


_AT_END = 1e-9
"""rad or m: what a run ends so near before a value has arrived there, but for rounding and the error of its steps."""


@dataclass(frozen=True)
class Event:
    """A coordinate of the model that passes a value.

    Attributes:
        name: What it is called in the result.
        coordinate: The place of the coordinate in `Model.coordinates`.
        value: What it passes, rad or m.
        direction: "rising", "falling" or "either".
        stop: Whether the run ends there; else it is only recorded.

    Raises:
        ValueError: The direction is none, or the value is not finite.
    """

    name: str
    coordinate: int
    value: float
    direction: str = "either"
    stop: bool = False

    def __post_init__(self) -> None:
        """Refuse what no motion can meet."""
        if self.direction not in DIRECTIONS:
            raise ValueError(f'event {self.name}: the direction is rising, falling or either, not "{self.direction}"')
        if not np.isfinite(self.value):
            raise ValueError(f"event {self.name}: its value must be a finite number, not {self.value}")


def crossings(events: tuple[Event, ...], before: Array, look: Look) -> list[tuple[float, Event]]:
    """Parts θ of a step, in order, at which events occur, up to the first that stops.

    `before` (c,) are the coordinates at the start, `look(θ)` gives state and coordinates within the step.
    """
    found: list[tuple[float, Event]] = []
    last, values = 0.0, before
    for theta in _LOOKS:
        now = look(theta)[1]
        for event in events:
            k, sense = event.coordinate, DIRECTIONS[event.direction]
            a, b = values[k] - event.value, now[k] - event.value
            # To arrive at the value is a crossing, to leave it is none: no crossing counts twice.
            if (a < 0 <= b or a > 0 >= b) and sense * (b - a) >= 0:
                found.append((_locate(look, event, last, theta, b), event))
        last, values = theta, now
    found.sort(key=lambda pair: pair[0])
    stops = [i for i, (_, event) in enumerate(found) if event.stop]
    return found[: stops[0] + 1] if stops else found


def arrivals(events: tuple[Event, ...], before: Array, now: Array) -> list[Event]:
    """The events whose values the end of a run, `now` (c,), misses by rounding alone, coming from `before` (c,)."""

    def arrives(event: Event) -> bool:
        a, b = (float(values[event.coordinate] - event.value) for values in (before, now))
        return 0.0 < abs(b) <= _AT_END < abs(a) and a * b > 0.0 and DIRECTIONS[event.direction] * (b - a) >= 0.0

    return [event for event in events if arrives(event)]


def _locate(look: Look, event: Event, low: float, high: float, b: float) -> float:
    if b == 0.0:
        return high
    # SciPy is not light: only a run that crosses something waits for it.
    from scipy.optimize import brentq

    # Of the step: to its rounding, as a run that ends here starts the next one.
    root = brentq(lambda s: float(look(s)[1][event.coordinate] - event.value), low, high, xtol=1e-14, rtol=1e-14)
    return float(root)
