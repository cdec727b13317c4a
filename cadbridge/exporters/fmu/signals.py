"""Functions of time as pieces of quintics, which need no Python: value, rate and second rate at both ends of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.model import TimeFunction
from solver.runs.corners import corners_ahead

Array = NDArray[np.float64]
Dual = tuple[float, float, float]

_AGREE = 1e-11
"""Of a function's size (and of 1), by which pieces may miss it; its rates by the square root of that."""
_MOST_ENDS = 200_000
"""Ends of pieces of one function: some MB of the FMU; a function that takes more jitters, or lasts for days."""
_FINEST_PART = 1e-9
"""Of the whole time: no piece is shorter. There a function jumps."""
_LOOKED_AT = (0.13, 0.37, 0.5, 0.71, 0.93)
"""Parts of a piece at which the quintic is compared with the function: none at equal distances, so that a function of a
period that fits the piece does not hide between them."""


class TooManyPiecesError(ValueError):
    """A function of time that does not come down to a reasonable number of pieces."""


@dataclass(frozen=True, eq=False)
class Signals:
    """Functions one after the other: ends of pieces `start[k]:start[k + 1]` at `time` (e,) with `value` (e, 3)."""

    start: NDArray[np.int64]
    time: Array
    value: Array


def signals_of(functions: Sequence[TimeFunction | None], duration: float) -> Signals:
    """The pieces of functions over [0, duration] (s); None has none. TooManyPiecesError, ValueError without a value."""
    ends = [_ends(function, duration) for function in functions]
    start = np.cumsum([0, *(len(own) for own in ends)]).astype(np.int64)
    flat = [end for own in ends for end in own]
    time = np.array([t for t, _ in flat], dtype=float)
    return Signals(start, time, np.array([value for _, value in flat], dtype=float).reshape(-1, 3))


def _ends(function: TimeFunction | None, duration: float) -> list[tuple[float, Dual]]:
    if function is None:
        return []
    if function.steady:
        return [(0.0, function.evaluate(0.0))]
    return _pieces(function.evaluate, duration, corners_of([function], duration))


def corners_of(functions: Sequence[TimeFunction | None], duration: float) -> Array:
    """The times (s) at which functions bend or jump within [0, duration], rising; TooManyPiecesError."""
    given = [function for function in functions if function is not None]
    found, until = corners_ahead(given, 0.0, duration, _MOST_ENDS, knots=True)
    if until < duration:
        raise TooManyPiecesError(f"functions of time bend more than {_MOST_ENDS} times, or too fast to follow")
    return found


def _pieces(
    evaluate: Callable[[float], Dual], duration: float, corners: Array
) -> list[tuple[float, Dual]]:  # fmt: skip
    """The ends of the pieces, halved until each follows the function; one of no length to speak of at each corner."""
    found = [(0.0, evaluate(0.0))]
    size = max(1.0, *(abs(evaluate(t)[0]) for t in np.linspace(0.0, duration, 65).tolist()))
    # A quintic cannot bend or jump within: one piece ends just before a corner, another begins just after it.
    aside = 1e-14 * np.maximum(1.0, corners)
    ends = np.concatenate([np.linspace(0.0, duration, 17)[1:], corners - aside, corners + aside])
    waiting = np.unique(ends[(ends > 0.0) & (ends <= duration)])[::-1].tolist()
    while waiting:
        (t0, a), t1 = found[-1], waiting[-1]
        b = evaluate(t1)
        if t1 - t0 <= _FINEST_PART * duration or _follows(evaluate, (t0, a), (t1, b), size):
            found.append((t1, b))
            waiting.pop()
        else:
            waiting.append(0.5 * (t0 + t1))
        if len(found) + len(waiting) > _MOST_ENDS:
            raise TooManyPiecesError(f"a function of time takes more than {_MOST_ENDS} pieces")
    return found


def _follows(
    evaluate: Callable[[float], Dual], first: tuple[float, Dual], last: tuple[float, Dual], size: float
) -> bool:
    (t0, a), (t1, b) = first, last
    for s in _LOOKED_AT:
        t = t0 + s * (t1 - t0)
        missed = np.abs(np.subtract(quintic(t0, a, t1, b, t), evaluate(t)))
        rates = [size * _AGREE**0.5 * max(1.0, abs(x)) for x in evaluate(t)[1:]]
        if not np.all(missed <= [_AGREE * size, *rates]):
            return False
    return True


def quintic(t0: float, a: Dual, t1: float, b: Dual, t: float) -> Dual:
    """Value, rate and second rate at t of the quintic through those at both ends; as `within_piece` in model.c."""
    h = t1 - t0
    s = (t - t0) / h
    p = [a[0], h * a[1], h * h * a[2] / 2]
    gap, rate, bend = b[0] - sum(p), h * b[1] - p[1] - 2 * p[2], h * h * b[2] - 2 * p[2]
    p += [10 * gap - 4 * rate + bend / 2, -15 * gap + 7 * rate - bend, 6 * gap - 3 * rate + bend / 2]
    return (
        float(np.polyval(p[::-1], s)),
        float(np.polyval([k * p[k] for k in range(5, 0, -1)], s)) / h,
        float(np.polyval([k * (k - 1) * p[k] for k in range(5, 1, -1)], s)) / h**2,
    )
