"""Whether what a worker answers is what was asked for, so that the caller can use it as it is.

A file that takes over its process can answer anything. Types and shapes of arrays are checked here, and that numbers
that name vertices, faces and products name some; what the values are is the reader's to judge, as of any file.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from functools import cache
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from cadbridge.shapes import protocol


def checked(message: Any, kind: Any) -> Any:
    """The message, if it is of a kind: a type of Python with its arguments. ValueError, with the place, if it is not.

    Of arrays the type of numbers is compared, of the classes of the protocol the shapes of their arrays as well.
    """
    _check(message, kind, "the answer")
    return message


def _check(it: Any, kind: Any, place: str) -> None:
    if kind is Any:
        return
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        _check_union(it, inner, place)
    elif origin in (list, tuple, dict):
        _held(isinstance(it, origin), place, it)
        _check_inside(it, origin, inner, place)
        if kind == protocol.MeshArrays:
            _mesh(it, place)
    elif origin is np.ndarray:
        _held(isinstance(it, np.ndarray) and it.dtype == get_args(inner[1])[0], place, it)
    elif dataclasses.is_dataclass(kind):
        _held(type(it) is kind, place, it)
        for name, hint in _hints(cast("Any", kind)).items():
            _check(getattr(it, name), hint, f"{place}.{name}")
        if rule := _RULES.get(kind):
            rule(it, place)
    else:
        # A whole number is a number; True is none.
        fits = (float, int) if kind is float else (kind,)
        _held(type(it) in fits, place, it)


def _check_union(it: Any, kinds: tuple[Any, ...], place: str) -> None:
    for kind in kinds:
        # By the outermost type first: the fault within the one that is meant says more than "none of these".
        if type(it) is (get_origin(kind) or kind):
            return _check(it, kind, place)
    if type(it) is int and float in kinds:
        return None
    return _held(False, place, it)


def _check_inside(it: Any, origin: Any, inner: tuple[Any, ...], place: str) -> None:
    if origin is dict:
        for key, value in it.items():
            _check(key, inner[0], place)
            _check(value, inner[1], f"{place}[{key!r}]")
    elif origin is list or inner[1:] == (...,):
        if inner[0] in (str, int) and set(map(type, it)) <= {inner[0]}:
            return
        for i, value in enumerate(it):
            _check(value, inner[0], f"{place}[{i}]")
    else:
        _held(len(it) == len(inner), place, it)
        for i, (value, kind) in enumerate(zip(it, inner, strict=True)):
            _check(value, kind, f"{place}[{i}]")


def _held(holds: Any, place: str, it: Any) -> None:
    if not holds:
        what = f"{it.dtype} {it.shape}" if isinstance(it, np.ndarray) else type(it).__name__
        raise ValueError(f"{place} cannot be {what}"[:300])


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _shaped(place: str, **arrays: tuple[Any, tuple[int, ...]]) -> None:
    for name, (array, shape) in arrays.items():
        _held(array.shape == shape, f"{place}.{name}", array)


def _within(numbers: Any, count: int) -> bool:
    return not numbers.size or bool(numbers.min() >= 0 and numbers.max() < count)


def _mesh(mesh: protocol.MeshArrays, place: str) -> None:
    vertices, triangles = mesh
    _shaped(place, vertices=(vertices, (len(vertices), 3) if vertices.ndim else (0, 3)))
    _shaped(place, triangles=(triangles, (len(triangles), 3) if triangles.ndim else (0, 3)))
    _held(_within(triangles, len(vertices)), f"{place}: triangles", triangles)


def _faces(it: protocol.FaceTable, place: str) -> None:
    count = len(it.kinds)
    _held(len(it.names) == count, f"{place}.names", it.names)
    _held(set(it.kinds) <= _KINDS, f"{place}.kinds", it.kinds)
    _shaped(
        place, points=(it.points, (count, 3)), directions=(it.directions, (count, 3)), radii=(it.radii, (count,)),
        areas=(it.areas, (count,)), centres=(it.centres, (count, 3)),
    )  # fmt: skip


def _features(it: protocol.FeatureTable, place: str) -> None:
    count, points, loops = it.areas.size, it.points.size // 3, it.loops
    _shaped(
        place, areas=(it.areas, (count,)), inner=(it.inner, (count, 3)), normals=(it.normals, (count, 3)),
        tori=(it.tori, (count, 2)), points=(it.points, (points, 3)), loops=(loops, (it.owners.size + 1,)),
        owners=(it.owners, (it.owners.size,)),
    )  # fmt: skip
    ascending = loops[0] == 0 and loops[-1] == points and bool((np.diff(loops) >= 0).all())
    _held(ascending, f"{place}.loops", loops)
    _held(_within(it.owners, count), f"{place}.owners", it.owners)


def _rough(it: protocol.Rough, place: str) -> None:
    _shaped(place, brep=(it.brep, (it.brep.size,)), inertia=(it.inertia, (3, 3)))


def _shape(it: protocol.ShapeData, place: str) -> None:
    if it.brep is not None:
        _shaped(place, centre=(it.brep[1], (3,)), inertia=(it.brep[2], (3, 3)))


def _occurrence(it: protocol.Occurrence, place: str) -> None:
    _shaped(place, matrix=(it.matrix, (3, 4)))


def _product(it: protocol.Product, place: str) -> None:
    for name, value in it.validation.items():
        _check(value, tuple[float, float, float] if name == "centroid" else float, f"{place}.{name}")


def _document(it: protocol.Document, place: str) -> None:
    """Every product and shape that is named is there, and no product lies in itself."""
    for product in it.products.values():
        _held(product.shape is None or product.shape in it.shapes, f"{place}: the shape of {product.label}", None)
    inside = {label: [child.product for child in p.children] for label, p in it.products.items()}
    named = {label for children in inside.values() for label in children} | {root.product for root in it.roots}
    _held(named <= inside.keys(), f"{place}: a product that is named and not there", None)
    _held(not _endless(inside), f"{place}: a product that lies in itself", None)


def _endless(inside: dict[str, list[str]]) -> bool:
    """Whether a product lies in itself: products are taken away whose parents are all gone, until none is left."""
    parents = dict.fromkeys(inside, 0)
    for children in inside.values():
        for child in children:
            parents[child] += 1
    free = [label for label, count in parents.items() if not count]
    gone = 0
    while free:
        gone += 1
        for child in inside[free.pop()]:
            parents[child] -= 1
            if not parents[child]:
                free.append(child)
    return gone < len(inside)


_KINDS = frozenset({"plane", "cylinder", "cone", "sphere", "torus", "other"})
_RULES: dict[Any, Callable[[Any, str], None]] = {
    protocol.FaceTable: _faces,
    protocol.FeatureTable: _features,
    protocol.Rough: _rough,
    protocol.ShapeData: _shape,
    protocol.Occurrence: _occurrence,
    protocol.Product: _product,
    protocol.Document: _document,
}
