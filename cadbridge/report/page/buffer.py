"""Numbers of the page as one binary block: quantised, deflated, in base64."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = {"u2": "<u2", "u4": "<u4", "f4": "<f4", "i2": "<i2", "i4": "<i4"}
"""Types of arrays as the page knows them, little-endian as in every browser."""


class Buffer:
    """Collects arrays; each is known to the page by its type, the byte where it starts and its length."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, values: NDArray[Any], kind: str) -> list[str | int]:
        """Append an array; its reference [kind, offset, length]. Every array starts at a multiple of 4 bytes.

        OverflowError for whole numbers that the type does not hold: NumPy would make others of them.
        """
        if kind != "f4" and np.size(values):
            holds = np.iinfo(TYPES[kind])
            if np.min(values) < holds.min or np.max(values) > holds.max:
                raise OverflowError(f"{np.min(values)} to {np.max(values)} are beyond {kind}")
        data = np.ascontiguousarray(values, dtype=TYPES[kind]).tobytes()
        start = self._size
        # A browser makes no typed array at an offset that is no multiple of its element's bytes.
        padded = data + b"\0" * (-len(data) % 4)
        self._pieces.append(padded)
        self._size += len(padded)
        return [kind, start, int(np.size(values))]

    def base64(self) -> str:
        """All arrays, deflated (zlib's format), as base64."""
        return base64.b64encode(zlib.compress(b"".join(self._pieces), 9)).decode("ascii")
