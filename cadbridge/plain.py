"""Frozen data as plain JSON values and back, by their type hints: what `Assembly` is, without a second description.

A dataclass is an object with the names of its fields; fields that have their default are left out. Arrays are nested
lists, numbers that JSON lacks ("NaN", "Infinity", "-Infinity") are text, and a `Mesh` is whatever the caller makes of
it, since triangles belong in files of their own.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import types
import typing
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

from cadbridge.documents import said_of
from cadbridge.geometry import Mesh

Shape = tuple[int | None, ...]

VECTOR: Shape = (3,)
"""The shape of an array that is not named in `SHAPES`."""
SHAPES: dict[tuple[str, str], Shape] = {
    ("Pose", "R"): (3, 3),
    ("MassProperties", "inertia"): (3, 3),
    ("MassOverride", "inertia"): (3, 3),
    ("Study", "velocities"): (6,),
    ("Reference", "t"): (None,),
    ("Reference", "positions"): (None, 3),
    ("Reference", "rotations"): (None, 3, 3),
    ("Reference", "velocities"): (None, 6),
}
"""Shapes of arrays by dataclass and field, None for any length; every other array is a vector (3,)."""

_ODD = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class _FaultError(Exception):
    """A value that does not fit: where, and what is expected."""


def encode(value: Any, mesh: Callable[[Mesh], Any]) -> Any:
    """`value` as objects, lists, text and numbers; `mesh` gives what stands for a mesh."""
    if isinstance(value, Mesh):
        return mesh(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if not _is_default(f, value)}
        return {name: encode(item, mesh) for name, item in fields.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, np.ndarray | np.generic):
        return encode(value.tolist(), mesh)
    if isinstance(value, dict):
        return {str(key): encode(item, mesh) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(item, mesh) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} has no plain form")


def _is_default(field: dataclasses.Field[Any], owner: Any) -> bool:
    value = getattr(owner, field.name)
    if field.default is not dataclasses.MISSING:
        return value is field.default or (isinstance(value, int | float | str) and bool(value == field.default))
    return isinstance(value, dict | tuple) and not value and field.default_factory is not dataclasses.MISSING


def decode(
    hint: Any,
    value: Any,
    mesh: Callable[[Any], Mesh],
    faults: list[tuple[str, str]],
    at: str = "",
    shape: Shape = VECTOR,
) -> Any:
    """A value of type `hint` from plain JSON, the inverse of `encode`; arrays in it are of `shape`.

    What does not fit is added to `faults` as (place, what is expected), all of it; the result is then of no use.
    """
    try:
        return _decode(hint, value, mesh, faults, at, shape)
    except _FaultError as fault:
        faults.append((at or "the document", str(fault)))
        return None


def _decode(
    hint: Any, value: Any, mesh: Callable[[Any], Mesh], faults: list[tuple[str, str]], at: str, shape: Shape
) -> Any:
    origin, arguments = _form(hint)
    if hint is Any:
        return value
    if origin in (types.UnionType, typing.Union):
        if value is None:
            return None
        (hint,) = (a for a in arguments if a is not type(None))
        return _decode(hint, value, mesh, faults, at, shape)
    if origin is np.ndarray:
        return _array(value, shape)
    if origin is tuple:
        return _tuple(arguments, value, mesh, faults, at)
    if origin is dict:
        _expect(isinstance(value, dict), "an object")
        return {k: decode(arguments[1], v, mesh, faults, f"{at}.{k}", shape) for k, v in value.items()}
    if hint is Mesh:
        return mesh(value)
    if dataclasses.is_dataclass(hint):
        return _dataclass(hint, value, mesh, faults, at)
    if isinstance(hint, type) and issubclass(hint, Enum):
        values = [str(member.value) for member in hint]
        _expect(value in values, f"one of {', '.join(values)}")
        return hint(value)
    return _scalar(hint, value)


def _scalar(hint: Any, value: Any) -> Any:
    if hint is float:
        value = _ODD.get(value, value) if isinstance(value, str) else value
        _expect(isinstance(value, int | float) and not isinstance(value, bool), "a number")
        return _number(value)
    names = {str: "text", int: "a whole number", bool: "true or false"}
    _expect(isinstance(value, hint) and (hint is bool or not isinstance(value, bool)), names[hint])
    return value


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _FaultError("a number that fits 64 bits") from None


def _tuple(
    arguments: tuple[Any, ...], value: Any, mesh: Callable[[Any], Mesh], faults: list[tuple[str, str]], at: str
) -> tuple[Any, ...]:
    _expect(isinstance(value, list), "a list")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        arguments = (arguments[0],) * len(value)
    _expect(len(value) == len(arguments), f"a list of {len(arguments)}")
    return tuple(
        decode(a, v, mesh, faults, f"{at}[{i}]") for i, (a, v) in enumerate(zip(arguments, value, strict=True))
    )


def _dataclass(hint: Any, value: Any, mesh: Callable[[Any], Mesh], faults: list[tuple[str, str]], at: str) -> Any:
    _expect(isinstance(value, dict), "an object")
    fields = _fields(hint)
    before = len(faults)
    for name in value.keys() - fields.keys():
        faults.append((f"{at}.{name}".lstrip("."), f"none but {', '.join(fields)}"))
    given = {}
    for name, field in fields.items():
        place = f"{at}.{name}" if at else name
        if name in value:
            given[name] = decode(field.hint, value[name], mesh, faults, place, field.shape)
        elif field.needed:
            faults.append((place, "a value; it is missing"))
    return hint(**given) if len(faults) == before else None


@dataclasses.dataclass(frozen=True)
class _Field:
    """What a field of a dataclass takes, and whether it must be given."""

    hint: Any
    shape: Shape
    needed: bool


@cache
def _fields(cls: Any) -> dict[str, _Field]:
    missing = dataclasses.MISSING
    return {
        f.name: _Field(
            hints_of(cls)[f.name],
            SHAPES.get((cls.__name__, f.name), VECTOR),
            f.default is missing and f.default_factory is missing,
        )
        for f in dataclasses.fields(cls)
    }


@cache
def _form(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """The origin and the arguments of a type, of an alias with arguments those of what it stands for."""
    origin = typing.get_origin(hint)
    # From NumPy 2.5 on, NDArray is an alias by itself under Python 3.12 and later.
    return typing.get_origin(getattr(origin, "__value__", None)) or origin, typing.get_args(hint)


@cache
def hints_of(cls: Any) -> dict[str, Any]:
    """The types of a dataclass's fields."""
    return typing.get_type_hints(cls)


def _array(value: Any, shape: Shape) -> Any:
    expected = f"numbers of shape {' × '.join('any' if n is None else str(n) for n in shape)}"
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise _FaultError(expected) from None
    if array.size == 0 and shape[0] is None:
        array = array.reshape([0 if n is None else n for n in shape])
    fits = len(array.shape) == len(shape) and all(n in (None, k) for k, n in zip(array.shape, shape, strict=True))
    _expect(fits and bool(np.all(np.isfinite(array))), expected)
    return array


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise _FaultError(what)


def schema(hint: Any, definitions: dict[str, Any], shape: Shape = VECTOR) -> dict[str, Any]:
    """The JSON Schema of the plain form of `hint`; dataclasses are put into `definitions`."""
    origin, arguments = _form(hint)
    if hint is Any:
        return {}
    if origin in (types.UnionType, typing.Union):
        (inner,) = (a for a in arguments if a is not type(None))
        return {"anyOf": [schema(inner, definitions, shape), {"type": "null"}]}
    if origin is np.ndarray:
        form: dict[str, Any] = {"type": "number"}
        for size in reversed(shape):
            form = {"type": "array", "items": form} | ({"minItems": size, "maxItems": size} if size else {})
        return form
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return {"type": "array", "items": schema(arguments[0], definitions)}
        return {"type": "array", "prefixItems": [schema(a, definitions) for a in arguments], "items": False}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema(arguments[1], definitions, shape)}
    if hint is Mesh:
        return {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}
    if dataclasses.is_dataclass(hint):
        return _definition(hint, definitions)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    number: dict[str, Any] = {"anyOf": [{"type": "number"}, {"enum": list(_ODD)}]}
    scalars: dict[Any, dict[str, Any]] = {
        float: number,
        str: {"type": "string"},
        int: {"type": "integer"},
        bool: {"type": "boolean"},
    }
    return scalars[hint]


def _definition(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = hint.__name__
    if name not in definitions:
        definitions[name] = {}  # for what contains itself
        fields = dataclasses.fields(hint)
        none = dataclasses.MISSING
        about, of_fields = said_of(hint)
        forms = {
            f.name: schema(hints_of(hint)[f.name], definitions, SHAPES.get((name, f.name), VECTOR)) for f in fields
        }
        definitions[name] = {
            "description": about.partition("\n")[0],
            "type": "object",
            # Python under -OO has no docstrings.
            "properties": {
                k: form | ({"description": of_fields[k]} if k in of_fields else {}) for k, form in forms.items()
            },
            "required": [f.name for f in fields if f.default is none and f.default_factory is none],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}


def digests(document: dict[str, Any]) -> dict[str, str]:
    """A digest of each value of a document, whatever the order of keys and the way its numbers are written."""
    return {key: hashlib.sha256(_canonical(value).encode()).hexdigest()[:16] for key, value in document.items()}


def _canonical(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{_canonical(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(_number(value))
    return json.dumps(value)
