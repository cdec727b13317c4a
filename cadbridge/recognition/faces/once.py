"""What is found in a shape is found once, however often it is asked for: in each part, by each rule, in each round."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from cadbridge.geometry import Shape

T = TypeVar("T")


def once_a_shape(find: Callable[[Shape], T]) -> Callable[[Shape], T]:
    """`find`, run once for each shape and kept as long as that lives.

    What it gives is shared by all who ask, so it must be such that nobody changes, and hold no reference to the shape.
    """
    known: WeakKeyDictionary[Shape, T] = WeakKeyDictionary()

    @wraps(find)
    def found(shape: Shape) -> T:
        if shape not in known:
            known[shape] = find(shape)
        return known[shape]

    return found
