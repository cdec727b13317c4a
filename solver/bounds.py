"""Bounds of an expression and its rate over an interval of time (interval arithmetic), and the roots they enclose."""

from __future__ import annotations

import math
from collections.abc import Callable

Interval = tuple[float, float]
Bounds = tuple[Interval, Interval]
"""Of f and of f', over an interval of time."""

ALL: Interval = (-math.inf, math.inf)
_MOST_PIECES = 4000
"""Pieces into which an interval is cut in search of roots: from 1 s down to `_SHORTEST_PIECE` each root takes forty
halvings, so that fifty to a hundred are found; a function with more is looked at in a shorter interval."""
_SHORTEST_PIECE = 1e-12
"""s, over the time from 1 s on: a piece so short is taken for a root where its bounds do not exclude one. Rounding of
the time itself is 2e-16 of it, and bounds of a value with cancellation lose some three digits more."""


class TooManyRootsError(Exception):
    """An interval of time has more roots than are looked for at once."""


def add(a: Bounds, b: Bounds) -> Bounds:
    """Of a + b."""
    return (_sum(a[0], b[0]), _sum(a[1], b[1]))


def subtract(a: Bounds, b: Bounds) -> Bounds:
    """Of a − b."""
    return add(a, (_negative(b[0]), _negative(b[1])))


def multiply(a: Bounds, b: Bounds) -> Bounds:
    """Of a b."""
    return (_product(a[0], b[0]), _sum(_product(a[1], b[0]), _product(a[0], b[1])))


def divide(a: Bounds, b: Bounds) -> Bounds:
    """Of a / b; anything where b may be 0."""
    low, high = b[0]
    if low <= 0.0 <= high:
        return (ALL, ALL)
    over = (1 / high, 1 / low)
    return multiply(a, (over, _negative(_product(b[1], _product(over, over)))))


def power(a: Bounds, b: Bounds) -> Bounds:
    """Of a to the power b."""
    n = b[0][0]
    if b[0][0] == b[0][1] and n.is_integer() and n >= 0.0:
        below = _whole_power(a[0], int(n) - 1) if n > 0 else (0.0, 0.0)
        return (_whole_power(a[0], int(n)), _product(_product((n, n), below), a[1]))
    if a[0][0] <= 0.0:
        return (ALL, ALL)
    return of("exp", multiply(b, of("log", a)))


def least(a: Bounds, b: Bounds) -> Bounds:
    """Of the least of a and b."""
    (low, high), (other_low, other_high) = a[0], b[0]
    if high < other_low or other_high < low:
        return a if high < other_low else b
    return ((min(low, other_low), min(high, other_high)), _hull(a[1], b[1]))


def greatest(a: Bounds, b: Bounds) -> Bounds:
    """Of the greatest of a and b."""
    (low, high), (other_low, other_high) = a[0], b[0]
    if low > other_high or other_low > high:
        return a if low > other_high else b
    return ((max(low, other_low), max(high, other_high)), _hull(a[1], b[1]))


def of(name: str, u: Bounds) -> Bounds:
    """Of a function (`solver.functions.FUNCTIONS`) of u."""
    try:
        value, slope = _RANGES[name](u[0])
    except (ValueError, OverflowError, ZeroDivisionError):
        value, slope = ALL, ALL
    return (value, _product(slope, u[1]))


def roots(
    value: Callable[[float], float], bounds: Callable[[float, float], Bounds], level: float, start: float, end: float
) -> list[float]:
    """Times (s) between `start` and `end`, rising, at which a function without jumps there reaches a `level`.

    Intervals are halved until their bounds exclude a root, or the function rises or falls all along. Raises
    TooManyRootsError.
    """
    found: list[float] = []
    pieces, count = [(start, end)], 0
    while pieces:
        a, b = pieces.pop()
        count += 1
        if count > _MOST_PIECES:
            raise TooManyRootsError
        (low, high), (least, most) = bounds(a, b)
        # Bounds are rounded.
        slack = 1e-13 * max(abs(low), abs(high)) if max(abs(low), abs(high)) < math.inf else 0.0
        # A function that stands at the level all along crosses it nowhere.
        if low > level + slack or high < level - slack or (low == high and least == most == 0.0):
            continue
        if least > 0.0 or most < 0.0:
            before, after = value(a) - level, value(b) - level
            if before * after <= 0.0:
                found.append(_bisect(lambda t: value(t) - level, a, b, before))
            continue
        middle = 0.5 * (a + b)
        if b - a <= _SHORTEST_PIECE * max(1.0, abs(a)):
            if not found or middle - found[-1] > 2 * _SHORTEST_PIECE * max(1.0, abs(a)):
                found.append(middle)
            continue
        # The earlier half goes last, to be taken first: roots come in the order of time.
        pieces += [(middle, b), (a, middle)]
    return found


def _bisect(gap: Callable[[float], float], a: float, b: float, before: float) -> float:
    """The first time at which the gap has the other sign than `before`, at a."""
    if before == 0.0:
        return a
    while True:
        middle = 0.5 * (a + b)
        if not a < middle < b:
            return b
        if before * gap(middle) > 0.0:
            a = middle
        else:
            b = middle


def _sum(a: Interval, b: Interval) -> Interval:
    return (a[0] + b[0], a[1] + b[1])


def _hull(a: Interval, b: Interval) -> Interval:
    return (min(a[0], b[0]), max(a[1], b[1]))


def _negative(a: Interval) -> Interval:
    return (-a[1], -a[0])


def _product(a: Interval, b: Interval) -> Interval:
    # 0 times infinity: bounds that are infinite stand for any finite number.
    parts = [0.0 if x == 0.0 or y == 0.0 else x * y for x in a for y in b]
    return (min(parts), max(parts))


def _whole_power(a: Interval, n: int) -> Interval:
    try:
        low, high = a[0] ** n, a[1] ** n
    except OverflowError:
        return ALL
    if n % 2 == 0 and a[0] <= 0.0 <= a[1]:
        return (0.0 if n > 0 else 1.0, max(low, high))
    return (min(low, high), max(low, high))


def _rising(f: Callable[[float], float], u: Interval) -> Interval:
    def at(x: float, limit: float) -> float:
        try:
            return f(x)
        except OverflowError:
            return limit

    return (at(u[0], -math.inf), at(u[1], math.inf))


def _cosine(u: Interval) -> Interval:
    """The range of cos: ±1 where a multiple of π is within."""
    # Beyond 1e12 the rounding of the argument, 1e-4, moves the ends themselves.
    if not u[1] - u[0] < 2 * math.pi or abs(u[0]) > 1e12:
        return (-1.0, 1.0)
    ends = math.cos(u[0]), math.cos(u[1])
    low, high = min(ends), max(ends)
    first = math.ceil(u[0] / math.pi)
    for k in range(first, math.floor(u[1] / math.pi) + 1):
        low, high = (low, 1.0) if k % 2 == 0 else (-1.0, high)
    return (low, high)


def _sine(u: Interval) -> Interval:
    return _cosine((u[0] - math.pi / 2, u[1] - math.pi / 2))


def _tangent(u: Interval) -> tuple[Interval, Interval]:
    c = _cosine(u)
    if c[0] <= 0.0 <= c[1]:
        return (ALL, (1.0, math.inf))
    value = (math.tan(u[0]), math.tan(u[1]))
    return (value, _sum((1.0, 1.0), _whole_power(value, 2)))


def _absolute(u: Interval) -> tuple[Interval, Interval]:
    size = (0.0 if u[0] <= 0.0 <= u[1] else min(abs(u[0]), abs(u[1])), max(abs(u[0]), abs(u[1])))
    return (size, (1.0 if u[0] >= 0.0 else -1.0, -1.0 if u[1] < 0.0 else 1.0))


def _arc(f: Callable[[float], float], u: Interval) -> Interval:
    ends = f(max(u[0], -1.0)), f(min(u[1], 1.0))
    return (min(ends), max(ends))


def _smooth(x: float) -> float:
    s = min(max(x, 0.0), 1.0)
    return s**3 * (10 - 15 * s + 6 * s * s)


def _catenary(u: Interval) -> Interval:
    size = _absolute(u)[0]
    return _rising(math.cosh, size)


_FLAT: Interval = (0.0, 0.0)
"""The range of a derivative that is zero throughout."""
_RANGES: dict[str, Callable[[Interval], tuple[Interval, Interval]]] = {
    "sin": lambda u: (_sine(u), _cosine(u)),
    "cos": lambda u: (_cosine(u), _negative(_sine(u))),
    "tan": _tangent,
    "asin": lambda u: (_arc(math.asin, u), (1.0, math.inf)),
    "acos": lambda u: (_arc(math.acos, u), (-math.inf, -1.0)),
    "atan": lambda u: (_rising(math.atan, u), (0.0, 1.0)),
    "sinh": lambda u: (_rising(math.sinh, u), _catenary(u)),
    "cosh": lambda u: (_catenary(u), _rising(math.sinh, u)),
    "tanh": lambda u: (_rising(math.tanh, u), (0.0, 1.0)),
    "exp": lambda u: (_rising(math.exp, u), _rising(math.exp, u)),
    "log": lambda u: (_rising(math.log, u), (1 / u[1], 1 / u[0])) if u[0] > 0.0 else (ALL, ALL),
    "sqrt": lambda u: (_rising(math.sqrt, (max(u[0], 0.0), max(u[1], 0.0))), (0.0, math.inf)),
    "abs": _absolute,
    "sign": lambda u: (_rising(lambda x: math.copysign(1.0, x) if x else 0.0, u), _FLAT),
    "step": lambda u: (_rising(lambda x: 1.0 if x >= 0 else 0.0, u), _FLAT),
    "smoothstep": lambda u: (_rising(_smooth, u), (0.0, 1.875)),
    "floor": lambda u: (_rising(lambda x: float(math.floor(x)), u), _FLAT),
    "ceil": lambda u: (_rising(lambda x: float(math.ceil(x)), u), _FLAT),
}
