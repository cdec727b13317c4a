"""Fine meshes, made by OCCT of a kept B-Rep when their triangles are first asked for."""

from __future__ import annotations

from functools import partial

from cadbridge.geometry import FineMesh, Mesh
from cadbridge.shapes import limits
from cadbridge.shapes.kept import ask_once, versions
from cadbridge.shapes.process import WORKER, WorkerDiedError, WorkerRefusedError
from cadbridge.shapes.protocol import MeshArrays, Rough
from cadbridge.storage import digest

_late: set[tuple[str, float]] = set()
"""Contents, and limits (s), of meshes that this process did not get: it would wait in vain again."""


def fine_mesh(rough: Rough, coarse: Mesh) -> FineMesh:
    """The fine mesh of a shape; `coarse` stands in where OCCT does not end it in time."""
    content = digest(rough.brep.tobytes())
    return FineMesh(f"{content} {versions()}", partial(_made, content, rough), coarse)


def _made(content: str, rough: Rough) -> Mesh | None:
    limit = limits.mesh_seconds(len(rough.brep))
    if (content, limit) in _late:
        return None
    # The limit belongs to the question: who allows more time must not get an earlier failure.
    found = ask_once(content, "refine", {"limit": limit}, lambda: _asked(rough, limit))
    if found is None:
        _late.add((content, limit))
        return None
    return Mesh(*found)


def _asked(rough: Rough, limit: float) -> MeshArrays | None:
    try:
        found: MeshArrays | None = WORKER.request("refine", {"rough": rough}, limit)
    except (WorkerDiedError, WorkerRefusedError):
        return None
    return found
