"""Mesh files: STL, DAE, OBJ."""

from __future__ import annotations

import io
import logging
import re
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.assembly import Mesh
from cadbridge.mass.audit import weld

# What trimesh finds odd goes to who listens to its log; without that, Python would print it, tracebacks and all.
logging.getLogger("trimesh").addHandler(logging.NullHandler())

ENDINGS = ("stl", "dae", "obj")
MAX_BYTES = 1 << 30
_FORBIDDEN = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)


def load_mesh_file(path: Path, scale: float | tuple[float, float, float] = 1.0) -> Mesh:
    """The triangles of a mesh file in m, vertices merged, the nodes of a DAE put in their places.

    `scale` multiplies the coordinates (one factor or three). The unit of a DAE is applied; its up
    axis is not, as in ROS. Nothing that the file names (textures, materials) is opened. Raises
    ValueError with the reason where the file holds no triangles that can be read.
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        raise ValueError(f"{path.name}: meshes are read from {', '.join(ENDINGS)}, not from {ending!r}")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"{path.name} is larger than {MAX_BYTES >> 20} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read: {error.strerror or error}") from error
    if ending == "dae" and _FORBIDDEN.search(data):
        raise ValueError(f"{path.name} has a DOCTYPE or entities, which are not read")
    vertices, triangles = _triangles(data, ending, path.name)
    if len(triangles) == 0:
        raise ValueError(f"{path.name} holds no triangles")
    if not np.all(np.isfinite(vertices)):
        raise ValueError(f"{path.name} has coordinates that are not numbers")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise ValueError(f"{path.name} has a triangle with a corner that is not there")
    factor = np.asarray(scale, dtype=float)
    if not np.all(np.isfinite(factor)) or np.any(factor == 0):
        raise ValueError(f"{path.name}: the scale {scale} makes nothing of it")
    if ending == "dae":
        factor = factor * _dae_unit(data)
    vertices = vertices * factor
    if np.prod(np.broadcast_to(factor, 3)) < 0:
        triangles = triangles[:, ::-1]  # a mirrored mesh must keep its outside
    return weld(Mesh(vertices, np.ascontiguousarray(triangles, dtype=np.int32)), 0.0)


def _triangles(data: bytes, ending: str, name: str) -> tuple[Any, Any]:
    """Vertices and triangles of a file's whole scene. Without a resolver: no other file is opened."""
    import trimesh

    try:
        scene = trimesh.load_scene(io.BytesIO(data), file_type=ending, resolver=None, process=False)
        # to_mesh puts every node in its place in the scene and joins them.
        mesh = scene.to_mesh() if scene.geometry else None
    except Exception as error:
        # trimesh and its readers raise whatever comes up in a broken file.
        raise ValueError(f"{name} cannot be read as {ending.upper()}: {error}") from error
    if mesh is None or not hasattr(mesh, "faces"):
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)
    return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces)


def _dae_unit(data: bytes) -> float:
    """Metres a unit of a DAE; 1 where it does not say."""
    import xml.etree.ElementTree as ET

    for _, element in ET.iterparse(io.BytesIO(data)):
        if element.tag.rpartition("}")[2] == "unit":
            metres = float(element.get("meter", "1"))
            return metres if metres > 0 else 1.0
        if element.tag.rpartition("}")[2] == "asset":
            break
    return 1.0
