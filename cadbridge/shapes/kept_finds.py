"""What was found in a shape, as wheels or a standard part, is kept by its content, for the next command."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from cadbridge.geometry import FineMesh, Shape
from cadbridge.shapes.packing import pack, unpack
from cadbridge.storage import computed_once
from cadbridge.version import code_hash, version_of

T = TypeVar("T")


def found_once(
    what: str, shape: Shape, find: Callable[[], T], plain: Callable[[T], Any], rebuilt: Callable[[Any], T]
) -> T:
    """What was found in a shape, kept by all of it that is looked at: meshes, faces, volume and number of solids.

    Args:
        what: What is looked for.
        shape: The shape.
        find: Looks for it.
        plain: Makes what was found plain data, as `packing` takes it.
        rebuilt: The way back. Raises TypeError or ValueError where that cannot be.
    """

    def packed(found: T) -> bytes:
        # A coarse mesh that stood in is not kept for: the next command may have the time for a fine one.
        if isinstance(shape.fine, FineMesh) and shape.fine.failed:
            raise TypeError("its fine mesh could not be made")
        return pack(plain(found))

    def unpacked(data: bytes) -> T:
        try:
            return rebuilt(unpack(data))
        except TypeError as fault:
            raise ValueError(f"no {what}: {fault}") from fault

    key = [what, code_hash(), version_of("numpy"), version_of("scipy"), _content_of(shape)]
    return computed_once(key, find, packed, unpacked)


def _content_of(shape: Shape) -> str:
    total = hashlib.sha256()
    meshes = [mesh and mesh.content for mesh in (shape.fine, shape.coarse)]
    faces = [(f.kind, f.radius and float(f.radius), float(f.area)) for f in shape.faces]
    total.update(repr((meshes, shape.solids, faces)).encode())
    for face in shape.faces:
        for vector in (face.point, face.direction, face.centre):
            total.update(b"none" if vector is None else np.asarray(vector, np.float64).tobytes())
    if shape.brep is not None:
        for part in (shape.brep.mass, shape.brep.com, shape.brep.inertia):
            total.update(np.asarray(part, np.float64).tobytes())
    return total.hexdigest()
