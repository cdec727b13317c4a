"""What OCCT may take for a file, by the bytes that it reads: far above what real files do, within what a person waits.

Measured over 67 STEP files of the corpus and 113 of 37 public repositories: at most 4.8 s for each MB, mostly 1, and
2.9 s below 0.5 MB; from 4 MB on, 30 bytes of memory for each byte and less the larger the file, beside 200 MB. Broken
files of any size can have neither end nor measure.
"""

from __future__ import annotations

import os

from cadbridge.budget import OPTION, raised
from cadbridge.units import MEGABYTE

TIME_LIMIT = "CADBRIDGE_OCCT_TIME_LIMIT"
"""The environment variable for the processor seconds that OCCT may take."""

_TIME, _TIME_PER_MEGABYTE = 10.0, 25.0
"""Processor seconds that reading may take, and more for each MB of the file: ten times what any of 180 real files took.
"""
_MESH_TIME, _MESH_TIME_PER_MEGABYTE = 15.0, 30.0
"""For a fine mesh and each MB of its packed B-Rep: those of some spline faces, such as threads, have no end."""
_LEAST_MEMORY, _MEMORY, _MEMORY_PER_BYTE = 1_200_000_000, 600_000_000, 13
"""Bytes of address space for OCCT: at least so many; else so many and more for each byte of the file: twice what any of
180 real files took."""


def seconds(size: int) -> float:
    """Processor seconds for files of so many bytes."""
    return _named() or raised(_TIME + _TIME_PER_MEGABYTE * size / MEGABYTE)


def mesh_seconds(size: int) -> float:
    """Processor seconds for a fine mesh of a B-Rep of so many bytes."""
    return _named() or raised(_MESH_TIME + _MESH_TIME_PER_MEGABYTE * size / MEGABYTE)


def memory(size: int) -> int:
    """Bytes of memory for files of so many bytes."""
    return int(raised(max(_LEAST_MEMORY, _MEMORY + _MEMORY_PER_BYTE * size)))


def larger(what: str) -> str:
    """How to allow more of a limit that was reached."""
    return f"{OPTION} 10 allows ten times the {what}"


def _named() -> float | None:
    named = os.environ.get(TIME_LIMIT)
    return float(named) if named else None
