"""Where functions of time have a pulse between samples: the steps may miss one that is shorter than a step.

Its impulse is missing then, and no balance shows it, as nothing has moved. So functions are looked at between samples,
and the intervals where they depart most from the line between them are computed again with short steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solver.algebra.division import LEAST_DIVISOR
from solver.model import TimeFunction

Array = NDArray[np.float64]

MOST_AGAIN = 3
"""Intervals that are computed again, the worst first: the others depart less."""
POINTS, AN_INTERVAL = 2048, 64
"""Times at which all functions together are looked at, and the most of one function between two samples."""
NO_DEPARTURE = 1e-6
"""Of the largest value of a function: a departure that is none."""


def pushed_intervals(functions: Sequence[TimeFunction], t: Array) -> tuple[list[int], int]:
    """The intervals between times t (k,) in which functions depart most from the lines between their values there, and
    at how many times within each they were looked at."""
    moving = [f for f in functions if not f.steady]
    intervals = len(t) - 1
    points = min(AN_INTERVAL, POINTS // max(1, len(moving) * intervals))
    if not moving or points < 1:
        return [], 0
    departures = np.max(np.array([_departures(f, t, points) for f in moving]), axis=0)
    order = np.argsort(-departures)[:MOST_AGAIN]
    return sorted(int(k) for k in order if departures[k] > NO_DEPARTURE * np.max(np.diff(t))), points


def _departures(function: TimeFunction, t: Array, points: int) -> Array:
    """How far a function departs from the line between two times, on the mean, over its largest value, times s."""
    # In the middles of equal parts: at the samples themselves there is no departure.
    parts = (np.arange(points) + 0.5) / points
    ends = np.array([_value(function, float(x)) for x in t])
    within = t[:-1, None] + np.diff(t)[:, None] * parts
    values = np.array([[_value(function, float(x)) for x in row] for row in within])
    lines = ends[:-1, None] + np.diff(ends)[:, None] * parts
    largest = max(float(np.abs(values).max()), float(np.abs(ends).max()))
    away: Array = np.abs(values - lines).mean(axis=1)
    return away / max(largest, LEAST_DIVISOR) * np.diff(t)


def _value(function: TimeFunction, t: float) -> float:
    """A function's value; 0 where it has none, which ends a run by itself."""
    try:
        value = float(function.evaluate(t)[0])
    except (ValueError, ArithmeticError):
        return 0.0
    return value if np.isfinite(value) else 0.0
