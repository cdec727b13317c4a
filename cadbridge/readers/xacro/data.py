"""YAML beside a xacro file: plain data, and xacro's tags of units. No other tag makes anything."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from typing import Any

import yaml

from cadbridge.readers.xacro.expressions import MOST_ITEMS, RefusedError, TooLargeError, checked

UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180.0,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}
"""What each tag multiplies its number by."""


def read_yaml(data: bytes, name: str, evaluate: Callable[[str], Any]) -> Any:
    """The data of a YAML text; a number with the tag of a unit is an expression of `evaluate`.

    RefusedError for tags that would make objects; TooLargeError where aliases stand for more than MOST_ITEMS items.
    """

    class Loader(yaml.SafeLoader):
        pass

    def with_unit(loader: Any, node: Any) -> float:
        return float(evaluate(str(loader.construct_scalar(node)))) * UNITS[node.tag]

    def other(_loader: Any, node: Any) -> Any:
        line = node.start_mark.line + 1
        raise RefusedError(f"{name}:{line}: the tag {node.tag} would make an object; only data are read")

    for tag in UNITS:
        Loader.add_constructor(tag, with_unit)
    Loader.add_constructor(None, other)
    try:
        return _plain(yaml.load(data, Loader), [0], name)
    except yaml.YAMLError as fault:
        raise ValueError(f"{name} is not YAML: {fault}") from fault


def _plain(value: Any, count: list[int], name: str) -> Any:
    """A copy as a tree of plain data: an alias counts each time that it is used."""
    count[0] += 1
    if count[0] > MOST_ITEMS:
        raise TooLargeError(f"{name} has more than {MOST_ITEMS} items")
    if isinstance(value, dict):
        return {_plain(k, count, name): _plain(v, count, name) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(each, count, name) for each in value]
    if isinstance(value, datetime.date):
        # YAML makes dates of texts such as 2024-01-31, and a date is no data of an expression.
        return str(value)
    return checked(value)
