"""What besides its input a job's outputs depend on: versions, our own code, the kind of machine."""

from __future__ import annotations

import platform
import sys
from functools import cache
from importlib import metadata

from cadbridge.version import __version__, code_hash

LIBRARIES = (
    "numpy", "scipy", "numba", "cadquery", "cadquery-ocp", "trimesh", "lxml", "pyarrow", "matplotlib",
    "fast-simplification", "coacd", "manifold3d",
)  # fmt: skip
"""Libraries whose version may change an output."""


@cache
def versions() -> dict[str, str]:
    """Names to versions, "code" being a hash of the sources of cadbridge and its solver."""
    found = {"cadbridge": __version__, "code": code_hash(), "python": platform.python_version()}
    found["system"] = f"{sys.platform} {platform.machine()}"
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
