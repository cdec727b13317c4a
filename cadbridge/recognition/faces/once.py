"""What is found in a shape is found once, however often it is asked for: by each rule, in each round, in each run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from cadbridge.geometry import Shape
from cadbridge.shapes.kept_finds import found_once

T = TypeVar("T")


def once_a_shape(rebuilt: Callable[[Any], T]) -> Callable[[Callable[[Shape], T]], Callable[[Shape], T]]:
    """Run a function once for each shape, and keep what it gives for the next run.

    What it gives is shared by all who ask, so it must be such that nobody changes, and hold no reference to the shape.

    Args:
        rebuilt: Makes what it gives again of plain data, in which dataclasses are dicts. Raises TypeError or ValueError
            where that cannot be.
    """

    def once(find: Callable[[Shape], T]) -> Callable[[Shape], T]:
        known: WeakKeyDictionary[Shape, T] = WeakKeyDictionary()

        @wraps(find)
        def found(shape: Shape) -> T:
            if shape not in known:
                known[shape] = found_once(find.__name__, shape, lambda: find(shape), _plain, rebuilt)
            return known[shape]

        return found

    return once


def _plain(found: Any) -> Any:
    """Dicts for dataclasses, numbers of Python for those of NumPy."""
    if is_dataclass(found) and not isinstance(found, type):
        return {f.name: _plain(getattr(found, f.name)) for f in fields(found)}
    if isinstance(found, tuple):
        return tuple(_plain(item) for item in found)
    if isinstance(found, StrEnum):
        return str(found)
    return found.item() if isinstance(found, np.generic) else found
