"""Names that every target accepts: letters, digits and underscores, unique, the same on every run."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from cadbridge.readers.names import free_name

RESERVED = ("world",)
"""MuJoCo's own name of the world."""
WITH_COUNT = "{}_{}"
"""How a name that is taken gets its count."""
LONGEST_NAME = 200
"""Letters of a name: file systems take 255 bytes with the ending, YAML 1,024 for a key."""


DEVICE = re.compile("(?i:con|prn|aux|nul|com[1-9]|lpt[1-9])")
"""Names that Windows keeps for devices, whatever ending a file has."""


def clean(name: str, fallback: str = "item") -> str:
    """`name` in [A-Za-z0-9_], not beginning with a digit; `fallback` where nothing is left of it."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")[:LONGEST_NAME]
    if not plain:
        return fallback
    return f"{fallback}_{plain}" if plain[0].isdigit() else plain


class UniqueNames:
    """Hands out clean unique names and remembers what each stood for."""

    def __init__(self, fallback: str, reserved: Iterable[str] = RESERVED) -> None:
        self._fallback = fallback
        self._taken = set(reserved)
        self._counts: dict[str, int] = {}
        self.mapping: dict[str, str] = {}

    def give(self, original: str) -> str:
        """A name not given before; alike ones get _2, _3 … in the order of asking."""
        name = free_name(clean(original, self._fallback), self._taken, WITH_COUNT, self._counts)
        self.mapping[name] = original
        return name


class FileNames:
    """Hands out clean names for files of one folder: unique where a file system takes `Arm` and `arm` for one.

    None of them ends with what `endings` matches, which the files beside one are called by.
    """

    def __init__(self, fallback: str, endings: str = "(?!)") -> None:
        self._fallback = fallback
        self._endings = re.compile(endings)
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def give(self, original: str) -> str:
        """A name not given before, in whatever capitals; alike ones get _2, _3 … in the order of asking."""
        name = clean(original, self._fallback)
        if DEVICE.fullmatch(name):
            name = f"{self._fallback}_{name}"
        if self._endings.search(name):
            name = f"{name}_{self._fallback}"
        folded = free_name(name.lower(), self._taken, WITH_COUNT, self._counts)
        return name + folded[len(name) :]
