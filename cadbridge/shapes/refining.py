"""Fine meshes, made by OCCT of a kept B-Rep when their triangles are first asked for."""

from __future__ import annotations

import os
from functools import partial

from cadbridge.assembly import FineMesh, Mesh
from cadbridge.shapes.kept import ask_once, versions
from cadbridge.shapes.process import WORKER, WorkerDiedError, WorkerRefusedError
from cadbridge.shapes.protocol import MeshArrays, Rough
from cadbridge.storage import digest

TIME_LIMIT = "CADBRIDGE_OCCT_TIME_LIMIT"
"""The environment variable for the processor seconds that OCCT may take."""
_TIME, _TIME_PER_MEGABYTE = 15.0, 30.0
"""Processor seconds that a fine mesh may take, and for each MB of the packed B-Rep. OCCT's finer meshes of some spline
faces, such as threads, have no end."""


def fine_mesh(rough: Rough, coarse: Mesh) -> FineMesh:
    """The fine mesh of a shape; `coarse` stands in where OCCT does not end it in time."""
    content = digest(rough.brep.tobytes())
    return FineMesh(f"{content} {versions()}", partial(_made, content, rough), coarse)


def _made(content: str, rough: Rough) -> Mesh | None:
    found = ask_once(content, "refine", {"limit": os.environ.get(TIME_LIMIT)}, lambda: _asked(rough))
    return None if found is None else Mesh(*found)


def _asked(rough: Rough) -> MeshArrays | None:
    limit = float(os.environ.get(TIME_LIMIT) or _TIME + _TIME_PER_MEGABYTE * len(rough.brep) / 1e6)
    try:
        found: MeshArrays | None = WORKER.request("refine", {"rough": rough}, limit)
    except (WorkerDiedError, WorkerRefusedError):
        return None
    return found
