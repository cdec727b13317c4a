"""The corners of a run's functions of time that are ahead: times at which one of them bends or jumps, ends of steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solver.bounds import TooManyRootsError
from solver.model import TimeFunction

Array = NDArray[np.float64]

_SHORTEST_PIECE = 1e-9
"""s, over the time from 1 s on: what bends more often within cannot be followed, as steps begin anew at each corner: a
microsecond would take a thousand."""


def corners_ahead(
    functions: Sequence[TimeFunction], start: float, end: float, most: int, *, knots: bool
) -> tuple[Array, float]:
    """The next corners (s) from `start` on, rising, `most` of them, and up to when all are known (infinity: `end`).

    With `knots` those too at which a function is smooth but for its higher derivatives.
    """
    found: set[float] = set()
    until = end
    for function in functions:
        times, until = _of(function, start, until)
        found.update(times)
        if knots and len(function.knots):
            all_of = np.asarray(function.knots)
            first = int(np.searchsorted(all_of, start))
            # One more than asked for, by which the count below sees that there are others.
            found.update(all_of[first : first + most + 1].tolist())
    rising = np.array(sorted(t for t in found if start <= t <= until))
    if len(rising) > most:
        return rising[:most], float(rising[most - 1])
    return rising, np.inf if until == end else until


def _of(function: TimeFunction, start: float, end: float) -> tuple[Sequence[float], float]:
    """The corners of a function, and up to when: less far where there are very many."""
    while True:
        try:
            return function.corners(start, end), end
        except TooManyRootsError:
            end = start + 0.125 * (end - start)
            if end - start < _SHORTEST_PIECE * max(1.0, abs(start)):
                return (), end
