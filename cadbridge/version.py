"""The version, which the package's metadata takes from here, the folder of the sources, and versions of libraries."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

__version__ = "0.5.24"

PACKAGE = Path(__file__).resolve().parent
"""The folder of the package."""


@cache
def code_hash() -> str:
    """The first digits of a hash of all our sources, so that a development version is not taken for another.

    The code of the report page, which is built, is one of them.
    """
    import hashlib  # most commands ask for no hash

    root = PACKAGE.parent
    total = hashlib.sha256()
    for package in ("cadbridge", "solver"):
        page = root / package / "data" / "page"
        for path in sorted((*(root / package).rglob("*.py"), *page.glob("*"))):
            total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


@cache
def version_of(distribution: str) -> str:
    """The version of an installed library, as the folder of its metadata is named; "unknown" where it has none.

    Its metadata are read only where no folder tells: what parses them takes 30 ms to load. Looking through the folders
    takes a millisecond and more, and what is kept of a part asks for two versions.
    """
    pattern = f"{distribution.replace('-', '_')}-*.dist-info"
    for folder in dict.fromkeys(sys.path):
        for found in Path(folder).glob(pattern):
            return found.name.removesuffix(".dist-info").rpartition("-")[2]
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"
