"""Functions of time: constants, tables (smooth splines) and expressions, each with two derivatives.

Expressions are parsed to a tree of known operations and never run as Python. Derivatives are carried along
(forward mode) as f, f', f''.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise

import numpy as np

from solver import bounds
from solver.bounds import Bounds
from solver.faults import NoValueError
from solver.model import TimeFunction

Dual = tuple[float, float, float]
"""f, f', f''."""


@dataclass(frozen=True)
class _Node:
    """A part of an expression: its value, its bounds over an interval, and the times in one at which it bends."""

    value: Callable[[float], Dual]
    bounds: Callable[[float, float], Bounds]
    corners: Callable[[float, float], set[float]]


_LONGEST, _DEEPEST = 2000, 60
"""Characters of an expression, and levels of nesting, so that Python's parser and the recursion that builds and
evaluates it stay within the thousand frames there are; no law of motion that a person writes is near either."""
_CONSTANTS = {"pi": math.pi, "e": math.e}


def constant(value: float) -> TimeFunction:
    """A value that does not change."""
    v = float(value)
    if not math.isfinite(v):
        raise ValueError(f"a value must be a finite number, not {value}")
    return TimeFunction(lambda t: (v, 0.0, 0.0), text=f"{v:.15g}", steady=True)


def table(points: Sequence[Sequence[float]]) -> TimeFunction:
    """A smooth cubic spline through (t, value) points, at rest beyond its ends; ValueError if t does not rise."""
    data = np.asarray(points, dtype=float)
    if data.ndim != 2 or data.shape[1] != 2 or len(data) < 2:
        raise ValueError("a table needs at least two points [time, value]")
    if not np.all(np.isfinite(data)):
        raise ValueError("a table must hold finite numbers")
    if not np.all(np.diff(data[:, 0]) > 0):
        k = int(np.argmin(np.diff(data[:, 0]) > 0))
        raise ValueError(f"the times of a table must rise: {data[k + 1, 0]:g} follows {data[k, 0]:g}")
    # SciPy is not light: only who has a table waits for it.
    from scipy.interpolate import CubicSpline

    # Clamped: it starts and ends at rest, so that holding the end values keeps f' continuous.
    spline = CubicSpline(data[:, 0], data[:, 1], bc_type="clamped")
    first, second = spline.derivative(1), spline.derivative(2)
    start, end = data[0], data[-1]

    def evaluate(t: float) -> Dual:
        if t < start[0]:
            return (float(start[1]), 0.0, 0.0)
        if t > end[0]:
            return (float(end[1]), 0.0, 0.0)
        return (float(spline(t)), float(first(t)), float(second(t)))

    # Where two pieces are one cubic, or both at rest, nothing bends.
    third = np.concatenate([[0.0], spline.c[0], [0.0]])
    # Third derivatives of neighbouring pieces are quotients of cubes of the knots' distances: nine digits are left of
    # them.
    bends = np.abs(np.diff(third)) > 1e-9 * np.max(np.abs(third))
    bends |= np.abs(second(data[:, 0])) * np.isin(np.arange(len(data)), [0, len(data) - 1]) > 0.0
    return TimeFunction(evaluate, text="table", knots=tuple(data[bends, 0].tolist()))


def scaled(function: TimeFunction, factor: float) -> TimeFunction:
    """factor · function: turns degrees to radians."""

    def evaluate(t: float) -> Dual:
        f, f1, f2 = function.evaluate(t)
        return (factor * f, factor * f1, factor * f2)

    return replace(function, evaluate=evaluate)


def expression(text: str) -> TimeFunction:
    """An expression of t: + − * / ** ^, parentheses, pi, e, the functions named in `FUNCTIONS`, min, max and mod.

    Raises ValueError with the place of the fault.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"the expression is longer than {_LONGEST} characters")
    source = text.strip().replace("^", "**")
    try:
        tree = ast.parse(source, mode="eval")
    except SyntaxError as error:
        place = f" at character {error.offset}" if error.offset else ""
        raise ValueError(f"cannot read the expression{place}: {text!r}") from None
    except (ValueError, RecursionError, MemoryError):
        raise ValueError(f"cannot read the expression: {text[:80]!r}") from None
    node = _build(tree.body, 0)

    def evaluate(t: float) -> Dual:
        try:
            result = node.value(t)
        except (ZeroDivisionError, OverflowError, ValueError):
            raise NoValueError(f"the expression {text!r} has no value at t = {t:.6g}") from None
        if not all(map(math.isfinite, result)):
            raise NoValueError(f"the expression {text!r} has no finite value at t = {t:.6g}")
        return result

    return TimeFunction(evaluate, text=text, corners=lambda start, end: sorted(node.corners(start, end)))


def _chain(f: float, d1: float, d2: float, u: Dual) -> Dual:
    """f(u(t)) with f' = d1 and f'' = d2 at u."""
    return (f, d1 * u[1], d2 * u[1] * u[1] + d1 * u[2])


def _add(a: Dual, b: Dual) -> Dual:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def _subtract(a: Dual, b: Dual) -> Dual:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _multiply(a: Dual, b: Dual) -> Dual:
    return (a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2])


def _divide(a: Dual, b: Dual) -> Dual:
    return _multiply(a, _chain(1 / b[0], -1 / b[0] ** 2, 2 / b[0] ** 3, b))


def _power(a: Dual, b: Dual) -> Dual:
    if b[1] == b[2] == 0.0:
        # A constant exponent goes without the logarithm, which a base below zero does not have; and 0 to the power n −
        # 1 has no value for an n of 0, nor n − 2 for one of 1, though the derivatives are 0.
        n = b[0]
        d1 = n * a[0] ** (n - 1) if n != 0 else 0.0
        d2 = n * (n - 1) * a[0] ** (n - 2) if n not in (0, 1) else 0.0
        value = a[0] ** n
        # Python gives a complex root of a base below zero.
        if isinstance(value, complex):
            raise ValueError
        return _chain(value, d1, d2, a)
    return _exp(_multiply(b, _log(a)))


def _exp(u: Dual) -> Dual:
    f = math.exp(u[0])
    return _chain(f, f, f, u)


def _log(u: Dual) -> Dual:
    return _chain(math.log(u[0]), 1 / u[0], -1 / u[0] ** 2, u)


def _sin(u: Dual) -> Dual:
    s, c = math.sin(u[0]), math.cos(u[0])
    return _chain(s, c, -s, u)


def _cos(u: Dual) -> Dual:
    s, c = math.sin(u[0]), math.cos(u[0])
    return _chain(c, -s, -c, u)


def _tan(u: Dual) -> Dual:
    f = math.tan(u[0])
    return _chain(f, 1 + f * f, 2 * f * (1 + f * f), u)


def _asin(u: Dual) -> Dual:
    w = 1 - u[0] ** 2
    return _chain(math.asin(u[0]), w**-0.5, u[0] * w**-1.5, u)


def _acos(u: Dual) -> Dual:
    f = _asin(u)
    return (math.pi / 2 - f[0], -f[1], -f[2])


def _atan(u: Dual) -> Dual:
    w = 1 + u[0] ** 2
    return _chain(math.atan(u[0]), 1 / w, -2 * u[0] / w**2, u)


def _sinh(u: Dual) -> Dual:
    s, c = math.sinh(u[0]), math.cosh(u[0])
    return _chain(s, c, s, u)


def _cosh(u: Dual) -> Dual:
    s, c = math.sinh(u[0]), math.cosh(u[0])
    return _chain(c, s, c, u)


def _tanh(u: Dual) -> Dual:
    f = math.tanh(u[0])
    return _chain(f, 1 - f * f, -2 * f * (1 - f * f), u)


def _sqrt(u: Dual) -> Dual:
    f = math.sqrt(u[0])
    if f == 0.0:
        return (0.0, 0.0, 0.0) if u[1] == u[2] == 0.0 else _divide(u, (0.0, 0.0, 0.0))
    return _chain(f, 0.5 / f, -0.25 / f**3, u)


def _absolute(u: Dual) -> Dual:
    return u if u[0] >= 0 else (-u[0], -u[1], -u[2])


def _sign(u: Dual) -> Dual:
    return (math.copysign(1.0, u[0]) if u[0] else 0.0, 0.0, 0.0)


def _step(u: Dual) -> Dual:
    return (1.0 if u[0] >= 0 else 0.0, 0.0, 0.0)


def _smoothstep(u: Dual) -> Dual:
    s = min(max(u[0], 0.0), 1.0)
    return _chain(s**3 * (10 - 15 * s + 6 * s * s), 30 * s * s * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s), u)


def _floor(u: Dual) -> Dual:
    return (float(math.floor(u[0])), 0.0, 0.0)


def _ceil(u: Dual) -> Dual:
    return (float(math.ceil(u[0])), 0.0, 0.0)


def _least(a: Dual, b: Dual) -> Dual:
    return a if a[0] <= b[0] else b


def _greatest(a: Dual, b: Dual) -> Dual:
    return a if a[0] >= b[0] else b


FUNCTIONS: dict[str, Callable[[Dual], Dual]] = {
    "sin": _sin, "cos": _cos, "tan": _tan, "asin": _asin, "acos": _acos, "atan": _atan, "sinh": _sinh, "cosh": _cosh,
    "tanh": _tanh, "exp": _exp, "log": _log, "sqrt": _sqrt, "abs": _absolute, "sign": _sign, "step": _step,
    "smoothstep": _smoothstep, "floor": _floor, "ceil": _ceil,
}  # fmt: skip
"""Functions of one argument; `step` is 0 before 0 and 1 after, `smoothstep` rises from 0 to 1 within [0, 1]."""

_SEVERAL = {"min": (_least, bounds.least), "max": (_greatest, bounds.greatest)}
"""Functions of two arguments or more."""
_KNOWN = ", ".join([*FUNCTIONS, *_SEVERAL, "mod"])

_BINARY: dict[type[ast.operator], tuple[Callable[[Dual, Dual], Dual], Callable[[Bounds, Bounds], Bounds]]] = {
    ast.Add: (_add, bounds.add),
    ast.Sub: (_subtract, bounds.subtract),
    ast.Mult: (_multiply, bounds.multiply),
    ast.Div: (_divide, bounds.divide),
    ast.Pow: (_power, bounds.power),
}


def _build(node: ast.expr, depth: int) -> _Node:
    if depth > _DEEPEST:
        raise ValueError(f"the expression is nested deeper than {_DEEPEST} levels")
    builder = _BUILDERS.get(type(node))
    if builder is None:
        raise ValueError(f"not allowed in an expression of t, at character {node.col_offset + 1}: {_shown(node)}")
    return builder(node, depth)


def _shown(node: ast.expr) -> str:
    return type(node).__name__.lower()


def _steady(value: float) -> _Node:
    bounds: Bounds = ((value, value), (0.0, 0.0))
    return _Node(lambda t: (value, 0.0, 0.0), lambda a, b: bounds, _none)


def _none(start: float, end: float) -> set[float]:
    return set()


def _number(node: ast.Constant, depth: int) -> _Node:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise ValueError(f"not a number, at character {node.col_offset + 1}: {node.value!r}")
    try:
        value = float(node.value)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"the number at character {node.col_offset + 1} is too large")
    return _steady(value)


def _name(node: ast.Name, depth: int) -> _Node:
    if node.id == "t":
        return _Node(lambda t: (t, 1.0, 0.0), lambda a, b: ((a, b), (1.0, 1.0)), _none)
    if node.id in _CONSTANTS:
        return _steady(_CONSTANTS[node.id])
    known = ", ".join(["t", *_CONSTANTS])
    raise ValueError(f'unknown name "{node.id}" at character {node.col_offset + 1}; known are {known}')


def _unary(node: ast.UnaryOp, depth: int) -> _Node:
    inner = _build(node.operand, depth + 1)
    if isinstance(node.op, ast.USub):
        return _both(_steady(0.0), inner, _subtract, bounds.subtract)
    if isinstance(node.op, ast.UAdd):
        return inner
    raise ValueError(f"not allowed in an expression of t, at character {node.col_offset + 1}")


def _binary(node: ast.BinOp, depth: int) -> _Node:
    operations = _BINARY.get(type(node.op))
    if operations is None:
        raise ValueError(f"unknown operator at character {node.right.col_offset}; known are + - * / **")
    left, right = _build(node.left, depth + 1), _build(node.right, depth + 1)
    return _both(left, right, *operations)


def _both(
    left: _Node, right: _Node, value: Callable[[Dual, Dual], Dual], enclosed: Callable[[Bounds, Bounds], Bounds]
) -> _Node:
    one, other = left.value, right.value
    return _Node(
        lambda t: value(one(t), other(t)),
        lambda a, b: enclosed(left.bounds(a, b), right.bounds(a, b)),
        lambda a, b: left.corners(a, b) | right.corners(a, b),
    )


def _call(node: ast.Call, depth: int) -> _Node:
    name, place = node.func.id if isinstance(node.func, ast.Name) else "", node.col_offset + 1
    if name not in FUNCTIONS and name not in _SEVERAL and name != "mod":
        raise ValueError(f"unknown function at character {place}; known are {_KNOWN}")
    several, count = name in _SEVERAL, len(node.args)
    if node.keywords or (count < 2 if several else count != (1 if name in FUNCTIONS else 2)):
        wanted = "two arguments or more" if several else "one argument" if name in FUNCTIONS else "two arguments"
        raise ValueError(f"{name} at character {place} takes {wanted}")
    # Of two that are written alike neither is greater anywhere, and no bounds would exclude that they cross.
    alike = {ast.dump(each): each for each in node.args} if several else dict(enumerate(node.args))
    parts = [_build(each, depth + 1) for each in alike.values()]
    if several:
        return reduce(lambda one, other: _extreme(one, other, name), parts)
    return _modulo(*parts) if name == "mod" else _function(parts[0], name)


def _function(inner: _Node, name: str) -> _Node:
    function, value = FUNCTIONS[name], inner.value
    levels = _whole_levels(inner) if name in ("floor", "ceil") else lambda a, b: _CORNERS.get(name, ())
    return _Node(
        lambda t: function(value(t)),
        lambda a, b: bounds.of(name, inner.bounds(a, b)),
        lambda a, b: _bends(inner, levels, a, b),
    )


def _extreme(one: _Node, other: _Node, name: str) -> _Node:
    """The least or the greatest of two, which bends where they are equal."""
    gap = _both(one, other, _subtract, bounds.subtract)
    found = _both(one, other, *_SEVERAL[name])
    return replace(found, corners=lambda a, b: _bends(gap, lambda a, b: (0.0,), a, b))


def _modulo(one: _Node, other: _Node) -> _Node:
    """a − b ⌊a / b⌋."""
    turns = _function(_both(one, other, _divide, bounds.divide), "floor")
    return _both(one, _both(other, turns, _multiply, bounds.multiply), _subtract, bounds.subtract)


_CORNERS = {"abs": (0.0,), "sign": (0.0,), "step": (0.0,), "smoothstep": (0.0, 1.0)}
"""Where functions are not smooth."""
_MOST_LEVELS = 1000
"""Whole numbers that an argument of floor, ceil or a modulus may pass between two looks: each is searched for as a
root, and with more of them the interval is made shorter."""

Levels = Callable[[float, float], Sequence[float]]


def _whole_levels(inner: _Node) -> Levels:
    """The whole numbers that an argument may reach within an interval of time."""

    def levels(start: float, end: float) -> Sequence[float]:
        low, high = inner.bounds(start, end)[0]
        if not high - low < _MOST_LEVELS:
            raise bounds.TooManyRootsError
        return [float(k) for k in range(math.ceil(low), math.floor(high) + 1)]

    return levels


def _bends(inner: _Node, levels: Levels, start: float, end: float) -> set[float]:
    """The corners of an argument, and the times at which it reaches one of the `levels`."""
    found = inner.corners(start, end)
    ends = [start, *sorted(found), end]
    for a, b in pairwise(ends):
        # Where the argument bends it may jump: of a piece its own side counts.
        aside = 1e-13 * max(1.0, abs(b))
        first, last = (a if a == start else a + aside), (b if b == end else b - aside)
        if last > first:
            for level in levels(first, last):
                found |= set(bounds.roots(lambda t: inner.value(t)[0], inner.bounds, level, first, last))
    return found


_BUILDERS: dict[type[ast.expr], Callable[..., _Node]] = {
    ast.Constant: _number,
    ast.Name: _name,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Call: _call,
}
