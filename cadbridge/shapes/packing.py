"""Messages between the worker and its caller as bytes, and back: data only, so that a file of a stranger runs nothing.

8 bytes   a mark: what is no message is known at once
8 bytes   length of the tree (little endian)
8 bytes   length of all arrays
tree      JSON: texts, numbers, lists, {"t": tuple}, {"d": pairs}, {"o": [class, fields]}, {"a": array}, {"r": seen}
arrays    their bytes one after another, in the order of the tree

What is read may come from a process that a file has taken over: lengths are bounded before memory is asked for, each
array takes bytes of its own, and only arrays are named twice, so that nothing grows beyond what was sent. What a
message should hold says `cadbridge.shapes.checking`.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import struct
from typing import Any, BinaryIO, cast

import numpy as np

from cadbridge.budget import beyond
from cadbridge.shapes import protocol

_HEAD = struct.Struct("<8sQQ")
_MARK = b"cadbdata"
_CLASSES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        protocol.FaceTable, protocol.FeatureTable, protocol.Rough, protocol.ShapeData, protocol.BrepData,
        protocol.Occurrence, protocol.Product, protocol.Document, protocol.Failure,
    )
}  # fmt: skip
_TYPES = {
    "f8": np.float64, "f4": np.float32, "f2": np.float16, "i8": np.int64, "i4": np.int32, "i2": np.int16,
    "i1": np.int8, "u8": np.uint64, "u4": np.uint32, "u2": np.uint16, "u1": np.uint8, "b1": np.bool_,
}  # fmt: skip
_MOST_AXES = 8
_LEAVES = frozenset({str, int, bool, float, type(None)})
"""What stands in the tree as it is; nan and the infinities under Python's names, which JSON does not have."""


def pack(message: Any) -> bytes:
    """The bytes of a message of plain data, arrays and classes of the protocol; TypeError for anything else."""
    stream = io.BytesIO()
    send(stream, message)
    return stream.getvalue()


def unpack(data: bytes) -> Any:
    """The message of its bytes; ValueError where they are none."""
    stream = io.BytesIO(data)
    try:
        message = receive(stream)
    except EOFError as fault:
        raise ValueError(f"no packed message: {fault}") from fault
    if stream.read(1):
        raise ValueError("no packed message: more bytes than it has")
    return message


def send(stream: BinaryIO, message: Any) -> None:
    """Write one message; TypeError, with nothing written, for what `pack` does not take."""
    packer = _Packer()
    tree = json.dumps(packer.tree(message), separators=(",", ":")).encode()
    stream.write(_HEAD.pack(_MARK, len(tree), sum(a.nbytes for a in packer.arrays)))
    stream.write(tree)
    for array in packer.arrays:
        stream.write(array.data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message; EOFError where the other side has gone, ValueError for what is none or beyond the bounds."""
    head = bytearray(_HEAD.size)
    _fill(stream, memoryview(head))
    mark, length, rest = _HEAD.unpack(head)
    if mark != _MARK:
        raise ValueError("no packed message: it begins otherwise")
    if why := beyond("JSON bytes", length, "a message") or beyond("answer bytes", rest, "a message"):
        raise ValueError(why)
    text = bytearray(length)
    _fill(stream, memoryview(text))
    if why := beyond("marks", text.count(b",") + text.count(b":"), "a message"):
        raise ValueError(why)
    try:
        unpacker = _Unpacker(stream, rest)
        message = unpacker.value(json.loads(text))
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError, OverflowError) as fault:
        raise ValueError(f"no packed message: {type(fault).__name__}: {fault}") from fault
    if unpacker.left:
        raise ValueError(f"no packed message: {unpacker.left} bytes of no array")
    return message


def _fill(stream: BinaryIO, room: memoryview) -> None:
    """Read as many bytes as there is room for."""
    at = 0
    while at < len(room):
        count = stream.readinto(room[at:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError("the pipe was closed")
        at += count


class _Packer:
    """Walks a message; an array that stands in it several times (of a mesh both fine and coarse) is written once."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray[Any, Any]] = []
        self._seen: dict[int, int] = {}

    def tree(self, it: Any) -> Any:
        if isinstance(it, list):
            # Lists of thousands of texts or numbers need no walk.
            return it if set(map(type, it)) <= _LEAVES else [self.tree(item) for item in it]
        if it is None or isinstance(it, str | bool | int | float):
            return it
        if isinstance(it, dict):
            return {"d": [[self.tree(k), self.tree(v)] for k, v in it.items()]}
        if isinstance(it, tuple):
            return {"t": [self.tree(item) for item in it]}
        if isinstance(it, np.ndarray):
            return self._array(it)
        if type(it) is _CLASSES.get(type(it).__name__):
            return {
                "o": [type(it).__name__, [self.tree(getattr(it, f.name)) for f in dataclasses.fields(cast("Any", it))]]
            }
        raise TypeError(f"{type(it).__name__} is not plain data")

    def _array(self, it: np.ndarray[Any, Any]) -> dict[str, Any]:
        if id(it) in self._seen:
            return {"r": self._seen[id(it)]}
        kind = it.dtype.str[1:]
        if kind not in _TYPES or it.ndim > _MOST_AXES:
            raise TypeError(f"arrays of {it.dtype} with {it.ndim} axes are not packed")
        self._seen[id(it)] = len(self._seen)
        # As bytes in a row: an array without elements has no other view that can be written.
        self.arrays.append(np.ascontiguousarray(it, _TYPES[kind]).reshape(-1).view(np.uint8))
        return {"a": [kind, list(it.shape)]}


class _Unpacker:
    """The way back; `left` bytes of arrays are still to be read."""

    def __init__(self, stream: BinaryIO, left: int) -> None:
        self._stream, self.left = stream, left
        self._seen: list[np.ndarray[Any, Any]] = []

    def value(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return tree if set(map(type, tree)) <= _LEAVES else [self.value(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        ((kind, content),) = tree.items()
        if kind == "d":
            return {self.value(k): self.value(v) for k, v in content}
        if kind == "t":
            return tuple(self.value(item) for item in content)
        if kind == "a":
            return self._array(*content)
        if kind == "r":
            return self._seen[content]
        if kind != "o":
            raise ValueError(f"no packed message: {kind!r}")
        name, fields = content
        return _CLASSES[name](*(self.value(field) for field in fields))

    def _array(self, kind: str, shape: list[int]) -> np.ndarray[Any, Any]:
        dtype = np.dtype(_TYPES[kind])
        if len(shape) > _MOST_AXES or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"no packed message: an array of shape {shape}")
        size = math.prod(shape) * dtype.itemsize
        if size > self.left:
            raise ValueError(f"no packed message: an array of {size} bytes where {self.left} are left")
        array = np.empty(shape, dtype)
        if size:
            _fill(self._stream, array.reshape(-1).view(np.uint8).data)
        self.left -= size
        self._seen.append(array)
        return array
