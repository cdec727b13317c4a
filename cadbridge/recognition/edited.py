"""A mates file that a person has edited is never written over: its first line holds the hash of what was written."""

from __future__ import annotations

import re
from pathlib import Path

from cadbridge.errors import InputError
from cadbridge.files import replacing
from cadbridge.storage import digest

_MARK = re.compile(r"# cadbridge recognise ([0-9a-f]{16})\n")
MOST_BYTES = 100_000_000
"""A larger file is none that was written here."""


def write_mates(path: Path, text: str, *, overwrite: bool = False) -> None:
    """Write a mates file that recognition made, over one that it made before and nobody edited.

    InputError where the file there was edited, or comes from elsewhere, unless `overwrite`.
    """
    if not overwrite and path.exists() and not _unedited(path):
        raise InputError(
            f"{path} was edited after it was written, or comes from elsewhere. Write to another file (-o) and compare "
            "the two, or pass --overwrite to lose what it says."
        )
    with replacing(path) as temporary:
        temporary.write_text(f"# cadbridge recognise {_hash(text)}\n{text}", encoding="utf-8")


def _unedited(path: Path) -> bool:
    """Whether the file is as `write_mates` wrote it."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return False
    text = path.read_text(encoding="utf-8", errors="replace")
    mark = _MARK.match(text)
    return mark is not None and mark[1] == _hash(text[mark.end() :])


def _hash(text: str) -> str:
    return digest(text.encode())[:16]
