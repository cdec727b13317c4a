"""Where a report comes from: version, source, mates file. No date and no folder, so that its bytes stay the same."""

from __future__ import annotations

from cadbridge.assembly import Assembly
from cadbridge.identity import source_files
from cadbridge.report.views.numbers import vector
from cadbridge.version import __version__


def provenance(assembly: Assembly) -> tuple[tuple[str, str], ...]:
    """Names and values: the version of cadbridge, the reader, and each file read, with its SHA-256."""
    return (
        ("made by", f"cadbridge {__version__}"),
        ("read as", assembly.format),
        *((f"file {name}", f"SHA-256 {digest}") for name, digest in source_files(assembly).items()),
        ("units", ", ".join(assembly.units) or "not stated"),
        ("gravity", f"{_gravity(assembly)}, unless a scenario says otherwise"),
    )


def _gravity(assembly: Assembly) -> str:
    """What pulls: the source's own where it states one, as in a build of the mechanism."""
    if assembly.gravity is None:
        return "9.81 m/s² along −z"
    return f"({vector(assembly.gravity)}) m/s² as the source states"
