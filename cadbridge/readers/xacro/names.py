"""The names that an expression of a xacro file may use: functions and constants of numbers, texts and lists."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

from cadbridge.readers.xacro.expressions import (
    LONGEST_TEXT,
    MOST_ITEMS,
    Function,
    Group,
    RefusedError,
    TooLargeError,
    add,
    multiply,
)

_LARGEST_FACTORIAL = 170
"""170! is the last that a double holds."""

_MOST_DIGITS = 400
"""A double has 309 digits before its point and some 340 places after it: to round to more changes nothing."""


def _range(*ends: int) -> list[int]:
    # The length of a range is known before any of its numbers is made.
    numbers = range(*ends)
    if len(numbers) > MOST_ITEMS:
        raise TooLargeError(f"a range has more than {MOST_ITEMS} items")
    return list(numbers)


def _sum(items: Iterable[Any], start: Any = 0) -> Any:
    return functools.reduce(add, items, start)


def _product(items: Iterable[Any]) -> Any:
    return functools.reduce(multiply, items, 1)


def _round(value: Any, ndigits: int | None = None) -> Any:
    if ndigits is not None and abs(ndigits) > _MOST_DIGITS:
        raise TooLargeError(f"round to more than {_MOST_DIGITS} digits")
    return round(value, ndigits)


def _small(function: Callable[..., int]) -> Callable[..., int]:
    """A function of whole numbers whose value grows like a factorial."""

    def bounded(*numbers: int) -> int:
        if any(n > _LARGEST_FACTORIAL for n in numbers):
            raise TooLargeError(f"{function.__name__} of a number above {_LARGEST_FACTORIAL}")
        return function(*numbers)

    return bounded


def _sorted(items: Iterable[Any], reverse: bool = False) -> list[Any]:
    return sorted(items, reverse=bool(reverse))


def _map(function: Function, *lists: Iterable[Any]) -> list[Any]:
    if not isinstance(function, Function) or function.applies:
        raise RefusedError("map of what is not a function of values")
    found = []
    for each in zip(*lists, strict=False):
        found.append(function.call(*each))
        if isinstance(found[-1], list | tuple | dict):
            raise RefusedError("map to lists")
    return found


def _filter(function: Function | None, items: Iterable[Any]) -> list[Any]:
    if function is None:
        return [each for each in items if each]
    if not isinstance(function, Function) or function.applies:
        raise RefusedError("filter by what is not a function of values")
    return [each for each in items if function.call(each)]


def _isinstance(value: Any, kind: Function) -> bool:
    if not isinstance(kind, Function) or kind.kind is None:
        raise RefusedError("isinstance with what is not a name of a type")
    return isinstance(value, kind.kind)


def tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    """xacro's `tokenize`: a text cut at each of the characters of `sep`."""
    if len(sep) > 20 or len(text) > LONGEST_TEXT:
        raise TooLargeError("tokenize takes 20 separators at most")
    # As xacro does it: every separator becomes the first one, at which the text is then split.
    for mark in sep[1:]:
        text = text.replace(mark, sep[0])
    words = text.split(sep[0]) if sep else [text]
    return [word for word in words if word] if skip_empty else words


def _functions(**calls: Callable[..., Any]) -> dict[str, Any]:
    return {name: Function(name, call) for name, call in calls.items()}


def _types(*kinds: type) -> dict[str, Any]:
    return {kind.__name__: Function(kind.__name__, kind, kind=kind) for kind in kinds}


_EVERYWHERE = {
    **_types(list, tuple, str, float, int, bool),
    "dict": Function("dict", dict, keywords=None, kind=dict),
    "map": Function("map", _map, applies=True),
    **_functions(len=len, min=min, max=max),
    "round": Function("round", _round, frozenset({"ndigits"})),
    "sorted": Function("sorted", _sorted, frozenset({"reverse"})),
    "range": Function("range", _range),
    "True": True,
    "False": False,
}
_PYTHON = {
    **_EVERYWHERE,
    **_functions(abs=abs, all=all, any=any, divmod=divmod, ord=ord, repr=repr, sum=_sum),
    **_functions(
        zip=lambda *lists: list(zip(*lists, strict=False)),
        enumerate=lambda items, start=0: list(enumerate(items, start)),
        reversed=lambda items: list(reversed(items)),
    ),
    "filter": Function("filter", _filter, applies=True),
    "isinstance": Function("isinstance", _isinstance, applies=True),
}
_BOUNDED = {"factorial": _small(math.factorial), "comb": _small(math.comb), "perm": _small(math.perm), "prod": _product}
_MATH = {
    name: Function(name, _BOUNDED.get(name, value)) if callable(value) else value
    for name, value in vars(math).items()
    if not name.startswith("_") and isinstance(value, float | type(math.sin))
}


def table(**xacro: Function) -> dict[str, Any]:
    """All names, with xacro's own functions given; those that xacro offers without its name before them too."""
    direct = ("load_yaml", "abs_filename", "dotify")
    return {
        **_MATH,
        **{name: value for name, value in _PYTHON.items() if name in ("abs", "sum", "all", "any", "zip", "enumerate")},
        **_EVERYWHERE,
        **{name: xacro[name] for name in direct if name in xacro},
        "math": Group("math", _MATH),
        "python": Group("python", _PYTHON),
        "xacro": Group(
            "xacro", {"tokenize": Function("tokenize", tokenize, frozenset({"sep", "skip_empty"})), **xacro}
        ),
    }
