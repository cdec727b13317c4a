"""What collides: the part's mesh as it is, its convex hull, convex pieces, a solid that it is, or fewer triangles.

Each is measured against the part: the largest distance between the surfaces, and the volume. What took time is kept
in the folder of caches, by the shape's content, the kind and the tolerance.
"""

from __future__ import annotations

import io
import json
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.exporters.collision.kinds import AS_IS, KINDS, attempt
from cadbridge.exporters.collision.solids import Box, Capsule, Cylinder, Solid, Sphere
from cadbridge.exporters.collision.surface import MeshSurface, Piece, apart
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh
from cadbridge.storage import COLLISION, digest, keep, kept

__all__ = [
    "AS_IS", "KINDS", "Box", "Capsule", "Collision", "Cylinder", "Piece", "Solid", "Sphere", "collision_of",
]  # fmt: skip

_CACHE_FORMAT = 1
"""Of the entries of the cache: raised where what is kept, or how it is made, changes."""
_LIBRARIES = ("scipy", "fast-simplification", "coacd")
_SOLIDS: dict[str, type[Solid]] = {c.__name__: c for c in (Box, Cylinder, Sphere, Capsule)}


@dataclass(frozen=True, eq=False)
class Collision:
    """The pieces of a part; empty where the kind requested does not fit it.

    `deviation`: the largest distance (m) between the surfaces of pieces and part; `size` of the part (m).
    `volume`: of the pieces together over that of the part; None where one of them encloses none.
    """

    pieces: tuple[Piece, ...]
    deviation: float
    size: float
    volume: float | None


def collision_of(mesh: Mesh, kind: str, tolerance: float, cache: Path | None = None) -> Collision:
    """What collides of a part with this mesh; `tolerance` counts as a part of its size.

    `cache`: the folder of caches, None for none. Raises MissingExtraError where the kind needs what is not installed.
    """
    if cache is None:
        return _made(mesh, kind, tolerance)
    path = _path(cache, mesh, kind, tolerance)
    known = kept(path)
    if known is not None:
        return _loaded(known)
    made = _made(mesh, kind, tolerance)
    with suppress(OSError):  # a cache that cannot be written costs time, nothing else
        keep(path, _dumped(made))
    return made


def _made(mesh: Mesh, kind: str, tolerance: float) -> Collision:
    surface = MeshSurface(mesh)
    pieces = attempt(kind, surface, tolerance)
    deviation = apart(pieces, surface) if pieces else 0.0
    volumes = [piece.volume for piece in pieces]
    known = [v for v in volumes if v is not None]
    whole = surface.volume
    ratio = sum(known) / whole if whole and pieces and len(known) == len(volumes) else None
    return Collision(pieces, deviation, surface.size, ratio)


def _path(cache: Path, mesh: Mesh, kind: str, tolerance: float) -> Path:
    # Another release of these libraries makes other pieces of the same mesh.
    versions: list[str] = []
    for name in _LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            versions.append(f"{name} {metadata.version(name)}")
    content = digest(mesh.vertices.tobytes() + mesh.triangles.tobytes())
    key = digest(json.dumps([_CACHE_FORMAT, content, kind, tolerance, versions]).encode())
    return cache / COLLISION / key[:2] / key


def _dumped(made: Collision) -> bytes:
    """All numbers as they are, so that what is kept gives the same bytes as what is made."""
    arrays: dict[str, Any] = {
        "told": np.array([made.deviation, made.size, np.nan if made.volume is None else made.volume])
    }
    kinds = []
    for i, piece in enumerate(made.pieces):
        arrays[f"R{i}"], arrays[f"p{i}"] = piece.X_IP.R, piece.X_IP.p
        if isinstance(piece.body, Mesh):
            kinds.append("convex" if piece.convex else "mesh")
            arrays[f"v{i}"], arrays[f"t{i}"] = piece.body.vertices, piece.body.triangles
        else:
            kinds.append(type(piece.body).__name__)
            values = vars(piece.body).values()
            arrays[f"s{i}"] = np.hstack([np.asarray(value, dtype=float) for value in values])
    arrays["kinds"] = np.array(kinds, dtype="U16")
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _loaded(data: bytes) -> Collision:
    # A pickle runs code when it is read, and others may write to a folder of caches.
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        pieces = []
        for i, kind in enumerate(arrays["kinds"].tolist()):
            X = Pose(arrays[f"R{i}"], arrays[f"p{i}"])
            if kind in _SOLIDS:
                pieces.append(Piece(X, _solid(kind, arrays[f"s{i}"].tolist())))
            else:
                pieces.append(Piece(X, Mesh(arrays[f"v{i}"], arrays[f"t{i}"]), kind == "convex"))
        deviation, size, volume = arrays["told"].tolist()
    return Collision(tuple(pieces), deviation, size, None if np.isnan(volume) else volume)


def _solid(kind: str, values: list[float]) -> Solid:
    return Box((values[0], values[1], values[2])) if kind == "Box" else _SOLIDS[kind](*values)
