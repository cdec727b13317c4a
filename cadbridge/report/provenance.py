"""Where a report comes from: version, source, mates file. No date and no folder, so that its bytes stay the same."""

from __future__ import annotations

from cadbridge.assembly import Assembly
from cadbridge.identity import source_files
from cadbridge.version import __version__


def provenance(assembly: Assembly) -> tuple[tuple[str, str], ...]:
    """Names and values: the version of cadbridge, the reader, and each file read, with its SHA-256."""
    return (
        ("made by", f"cadbridge {__version__}"),
        ("read as", assembly.format),
        *((f"file {name}", f"SHA-256 {digest}") for name, digest in source_files(assembly).items()),
        ("units", ", ".join(assembly.units) or "not stated"),
        ("gravity", "9.81 m/s² along −z, unless a scenario says otherwise"),
    )
