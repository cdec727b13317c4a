"""The memory in which the solver's kernels compute, as bytes that an FMU puts into its own memory.

Kernels get tables and arrays by address (`solver.compilation.compiled`). Here all of them lie in one block, each array
once, with byte offsets in place of addresses, and a list of the words that hold such offsets.
"""

from __future__ import annotations

import struct
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from solver.compilation.compiled import ArrayOf, Entry, Kind, Table

WORD_BYTES = 8
"""Bytes of what the block consists of: int64 and float64, as the solver's tables."""

Holds = Literal["offset", "whole", "real"]
"""What a word of the block is: a byte offset, a whole number or a floating one."""


class Image:
    """The block as it grows: `data`, and the words of it that hold the offset of something (`pointers`).

    `reals`: the places and numbers of words in a row that hold floating numbers; no kernel finds its way by those.
    """

    def __init__(self) -> None:
        self.data = bytearray()
        self.pointers: list[int] = []
        self.reals: list[tuple[int, int]] = []
        self._arrays: dict[tuple[int, int], int] = {}
        self._tables: dict[int, int] = {}
        self._kept: list[object] = []

    def array(self, array: NDArray[Any]) -> int:
        """The byte offset of an array; one that shares its memory with an array of the block is the same."""
        if array.nbytes == 0:
            return 0
        if not array.flags.c_contiguous or array.dtype.itemsize != WORD_BYTES:
            raise TypeError("the block takes contiguous arrays of words of 8 bytes")
        key = (int(array.ctypes.data), array.nbytes)
        if key not in self._arrays:
            # An array that is freed could leave its address to another one, which would then be taken for it.
            self._kept.append(array)
            self._arrays[key] = self._put(array.tobytes())
            if array.dtype.kind == "f":
                self.reals.append((self._arrays[key] // WORD_BYTES, array.size))
        return self._arrays[key]

    def word(self, array: NDArray[Any]) -> int:
        """The place of an array in words."""
        return self.array(array) // WORD_BYTES

    def call(self, entry: Entry[..., Any], *arguments: Any) -> tuple[int, int, list[int]]:
        """The words of a call of an entry: their place, that of the results, and those of its arguments."""
        given, _ = entry.kinds
        results = self._put(bytes(WORD_BYTES * max(len(entry.results), 1)))
        words: list[tuple[bytes, Holds]] = []
        places = []
        for value, kind in zip(arguments, given, strict=True):
            places.append(sum(len(word) for word, _ in words) // WORD_BYTES)
            words += self._words(value, kind)
        words.append((struct.pack("=q", results), "offset"))
        at = self._lay(words) // WORD_BYTES
        return at, results // WORD_BYTES, [at + place for place in places]

    def check(self) -> None:
        """Raise ValueError where two arrays of the block overlap in this process without being the same."""
        ends = 0
        for start, size in sorted(self._arrays):
            if start < ends:
                raise ValueError("two arrays of the solver's tables overlap")
            ends = start + size

    def _put(self, data: bytes) -> int:
        at = len(self.data)
        self.data += data
        return at

    def _lay(self, words: list[tuple[bytes, Holds]]) -> int:
        at = self._put(b"".join(word for word, _ in words))
        place = at // WORD_BYTES
        for word, holds in words:
            count = len(word) // WORD_BYTES
            if holds == "offset":
                self.pointers.append(place)
            elif holds == "real":
                self.reals.append((place, count))
            place += count
        return at

    def _table(self, table: Table) -> int:
        if id(table) not in self._tables:
            # As above: tables are known by their ids.
            self._kept.append(table)
            pairs = zip(table, type(table).kinds.values(), strict=True)
            self._tables[id(table)] = self._lay([word for value, kind in pairs for word in self._words(value, kind)])
        return self._tables[id(table)]

    def _words(self, value: Any, kind: Kind) -> list[tuple[bytes, Holds]]:
        """A value in words, as `solver.compilation.compiled` lays it out, and what each of them holds."""
        if isinstance(kind, ArrayOf):
            wanted = np.dtype(np.float64 if kind.real else np.int64)
            if value.dtype != wanted or value.ndim != kind.dimensions:
                raise TypeError(f"a {wanted} array of {kind.dimensions} dimensions is wanted, not {value.dtype}")
            shape = struct.pack(f"={kind.dimensions}q", *value.shape)
            return [(struct.pack("=q", self.array(value)), "offset"), (shape, "whole")]
        if isinstance(kind, tuple):
            return [word for one, inner in zip(value, kind, strict=True) for word in self._words(one, inner)]
        if kind is float:
            return [(struct.pack("=d", value), "real")]
        if kind is int or kind is bool:
            return [(struct.pack("=q", value), "whole")]
        return [(struct.pack("=q", self._table(value)), "offset")]
