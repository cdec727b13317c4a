"""Which files an assembly was read from, and the hashes of their contents: what tells models apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from cadbridge.assembly import Assembly
from cadbridge.findings import Where

_READ_AT_ONCE = 1 << 20
"""Bytes of a file that are hashed at once: more is no faster, and memory stays small."""


def source_files(assembly: Assembly) -> dict[str, str]:
    """SHA-256 by the name of each file: the source, our files beside it, and those that mates were read from."""
    source = Path(assembly.source)
    stem = source.name.split(".")[0]
    beside = [source.with_name(stem + ending) for ending in (".mates.yaml", ".cadbridge.yaml")]
    named = {Path(w.file) for w in _places(assembly) if w.file}
    files = {p.name: p for p in (source, *beside, *sorted(named)) if p.is_file()}
    return {name: _digest(path) for name, path in sorted(files.items())}


def _places(assembly: Assembly) -> Iterator[Where]:
    """Where the mates stand."""
    yield from (m.where for m in assembly.mates)
    yield from (c.where for c in assembly.couplings)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_READ_AT_ONCE):
            digest.update(chunk)
    return digest.hexdigest()
