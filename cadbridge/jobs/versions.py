"""What besides its input a job's outputs depend on: versions, our own code, the kind of machine."""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import cache
from importlib import metadata

from cadbridge.version import PACKAGE, __version__

LIBRARIES = (
    "numpy", "scipy", "numba", "cadquery", "cadquery-ocp", "trimesh", "lxml", "pyarrow", "matplotlib",
    "fast-simplification", "coacd", "manifold3d",
)  # fmt: skip
"""Libraries whose version may change an output."""


@cache
def versions() -> dict[str, str]:
    """Names to versions, "code" being a hash of the sources of cadbridge and its solver."""
    found = {"cadbridge": __version__, "code": _code(), "python": platform.python_version()}
    found["system"] = f"{sys.platform} {platform.machine()}"
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _code() -> str:
    """The first digits of a hash of all our sources, so that a development version is not taken for another.

    The code of the report page, which is built, is one of them.
    """
    root = PACKAGE.parent
    total = hashlib.sha256()
    for package in ("cadbridge", "solver"):
        page = root / package / "data" / "page"
        for path in sorted((*(root / package).rglob("*.py"), *page.glob("*"))):
            total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]
