"""Where a report comes from: version, source, mates file. No date and no folder, so that its bytes stay the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from cadbridge.assembly import Assembly
from cadbridge.findings import Where
from cadbridge.version import __version__

CHUNK = 1 << 20


def provenance(assembly: Assembly) -> tuple[tuple[str, str], ...]:
    """Names and values: the version of cadbridge, the reader, and each file read, with its SHA-256."""
    source = Path(assembly.source)
    beside = source.with_name(f"{source.name.split('.')[0]}.mates.yaml")
    named = {Path(w.file) for w in _places(assembly) if w.file}
    files = sorted({p.name: p for p in (source, beside, *named) if p.is_file()}.items())
    return (
        ("made by", f"cadbridge {__version__}"),
        ("read as", assembly.format),
        *((f"file {name}", f"SHA-256 {_digest(path)}") for name, path in files),
        ("units", ", ".join(assembly.units) or "not stated"),
        ("gravity", "9.81 m/s² along −z, unless a scenario says otherwise"),
    )


def _places(assembly: Assembly) -> Iterator[Where]:
    """Where the mates stand."""
    yield from (m.where for m in assembly.mates)
    yield from (c.where for c in assembly.couplings)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
