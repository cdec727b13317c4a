"""Answers of the worker as bytes, and back: plain data and arrays only, so that a file of a stranger runs nothing.

8 bytes   length of the tree (little endian)
tree      JSON: texts, numbers, lists, {"t": tuple}, {"d": pairs}, {"o": [class, fields]}, {"a": array}, {"r": seen}
arrays    their bytes one after another
"""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import Any

import numpy as np

from cadbridge.shapes import protocol

_LENGTH = struct.Struct("<Q")
_CLASSES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        protocol.FaceTable, protocol.FeatureTable, protocol.Rough, protocol.ShapeData, protocol.BrepData,
        protocol.Occurrence, protocol.Product, protocol.Document,
    )
}  # fmt: skip
_TYPES = {"f8": np.float64, "i4": np.int32, "i8": np.int64, "b1": np.bool_, "u1": np.uint8}


def pack(answer: Any) -> bytes:
    """The bytes of an answer of plain data, arrays and classes of the protocol; TypeError for anything else."""
    arrays: list[bytes] = []
    seen: dict[int, int] = {}
    tree = json.dumps(_Packer(arrays, seen).tree(answer), separators=(",", ":")).encode()
    return b"".join([_LENGTH.pack(len(tree)), tree, *arrays])


def unpack(data: bytes) -> Any:
    """The answer of its bytes; ValueError where they are none."""
    try:
        (length,) = _LENGTH.unpack_from(data)
        tree = json.loads(data[8 : 8 + length])
        return _Unpacker(memoryview(data)[8 + length :]).value(tree)
    except (struct.error, KeyError, TypeError, IndexError, RecursionError) as fault:
        raise ValueError(f"no packed answer: {fault}") from fault


class _Packer:
    """Walks an answer; what stands in it several times (a mesh that is both fine and coarse) is written once."""

    def __init__(self, arrays: list[bytes], seen: dict[int, int]) -> None:
        self._arrays, self._seen, self._at = arrays, seen, 0

    def tree(self, it: Any) -> Any:
        if it is None or isinstance(it, str | bool | int):
            return it
        # JSON has no word for nan and infinity.
        if isinstance(it, float):
            return it if np.isfinite(it) else {"f": repr(it)}
        if isinstance(it, list):
            return [self.tree(item) for item in it]
        if isinstance(it, dict):
            return {"d": [[self.tree(k), self.tree(v)] for k, v in it.items()]}
        if id(it) in self._seen:
            return {"r": self._seen[id(it)]}
        self._seen[id(it)] = len(self._seen)
        if isinstance(it, tuple):
            return {"t": [self.tree(item) for item in it]}
        if isinstance(it, np.ndarray):
            return {"a": self._array(it)}
        if type(it).__name__ in _CLASSES and dataclasses.is_dataclass(it):
            fields = [self.tree(getattr(it, f.name)) for f in dataclasses.fields(it)]
            return {"o": [type(it).__name__, fields]}
        raise TypeError(f"{type(it).__name__} is no plain data")

    def _array(self, it: np.ndarray[Any, Any]) -> list[Any]:
        kind = it.dtype.str[1:]
        if kind not in _TYPES:
            raise TypeError(f"arrays of {it.dtype} are not packed")
        data = np.ascontiguousarray(it).tobytes()
        self._arrays.append(data)
        self._at += len(data)
        return [kind, list(it.shape), self._at - len(data)]


class _Unpacker:
    """The way back; an object gets its number before what it holds, as in packing."""

    def __init__(self, arrays: memoryview) -> None:
        self._arrays = arrays
        self._seen: list[Any] = []

    def value(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return [self.value(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        ((kind, content),) = tree.items()
        if kind == "f":
            return float(content)
        if kind == "d":
            return {self.value(k): self.value(v) for k, v in content}
        if kind == "r":
            return self._seen[content]
        # Numbered before its content, as in packing: what lies within has higher numbers on both sides.
        number = len(self._seen)
        self._seen.append(None)
        if kind == "t":
            made: Any = tuple(self.value(item) for item in content)
        elif kind == "a":
            made = self._array(*content)
        else:
            name, fields = content
            made = _CLASSES[name](*(self.value(field) for field in fields))
        self._seen[number] = made
        return made

    def _array(self, kind: str, shape: list[int], start: int) -> np.ndarray[Any, Any]:
        dtype = np.dtype(_TYPES[kind])
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self._arrays, dtype, count, start).reshape(shape).copy()
