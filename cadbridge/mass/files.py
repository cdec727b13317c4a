"""Mesh files: STL, DAE, OBJ, glTF."""

from __future__ import annotations

import io
import logging
import math
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from cadbridge.budget import beyond, beyond_xml, hidden_tags
from cadbridge.geometry import Mesh
from cadbridge.mass.audit import weld
from cadbridge.mass.gltf import check_gltf

# What trimesh finds odd goes to who listens to its log; without that, Python would print it, tracebacks and all.
logging.getLogger("trimesh").addHandler(logging.NullHandler())

ENDINGS = ("stl", "dae", "obj", "glb", "gltf")
GLTF = ("glb", "gltf")
LARGEST_COORDINATE = 1e12
"""m; no part comes near, and the volumes and inertias of larger ones are beyond the numbers of a computer."""
MAX_NODES = 20_000
"""Nodes of a scene (DAE, glTF) with those that they stand for: a node may place another twice, and that one a third."""


def is_placeholder(start: bytes) -> bool:
    """Whether a file begins as what Git LFS leaves in the place of one that it has not fetched."""
    return start.startswith(b"version https://git-lfs.github.com/")


def load_mesh_file(path: Path, scale: float | tuple[float, float, float] = 1.0) -> Mesh:
    """The triangles of a mesh file in m, vertices merged, the nodes of a DAE put in their places.

    `scale` multiplies the coordinates (one factor or three). The unit of a DAE is applied; its up
    axis is not, as in ROS, nor is that of a glTF. Nothing that the file names (textures, materials) is opened. Raises
    ValueError with the reason where the file holds no triangles that can be read.
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        raise ValueError(f"{path.name}: meshes are read from {', '.join(ENDINGS)}, not from {ending!r}")
    data = _content(path, ending)
    packed = _binary_stl(data, path.name) if ending == "stl" else None
    vertices, triangles = packed or _triangles(data, ending, path.name)
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
    if not np.all(np.abs(vertices) < LARGEST_COORDINATE):
        raise ValueError(f"{path.name} has coordinates beyond {LARGEST_COORDINATE:g} m")
    if np.prod(np.broadcast_to(factor, 3)) < 0:
        triangles = triangles[:, ::-1]  # a mirrored mesh must keep its outside
    return weld(Mesh(vertices, np.ascontiguousarray(triangles, dtype=np.int32)), 0.0)


def _content(path: Path, ending: str) -> bytes:
    """What stands in a mesh file, as far as it may be parsed; ValueError where it may not."""
    try:
        if why := beyond("mesh bytes", path.stat().st_size, path.name):
            raise ValueError(why)
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read: {error.strerror or error}") from error
    if is_placeholder(data):
        raise ValueError(f"{path.name} is a placeholder of Git LFS: run `git lfs pull` in its repository")
    if ending == "dae":
        return _harmless_dae(data, path.name)
    if ending == "obj" and (why := _beyond_text(data, path.name)):
        raise ValueError(why)
    if ending in GLTF:
        check_gltf(data, path.name, MAX_NODES)
    return data


def _beyond_text(data: bytes, name: str) -> str:
    """Why an OBJ has too many lines, or words (one face may name millions of corners); "" where it does not."""
    return beyond("lines", data.count(b"\n"), name) or beyond("words", data.count(b" ") + data.count(b"\t"), name)


_STL_HEAD = 84
"""Bytes before the triangles of a binary STL, the last four their number."""
_STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def _binary_stl(data: bytes, name: str) -> tuple[Any, Any] | None:
    """Vertices and triangles of a binary STL; None where the bytes are not as many as it says.

    Robots have these most, and loading trimesh takes a small one's command longer than all else.
    """
    count = int.from_bytes(data[_STL_HEAD - 4 : _STL_HEAD], "little")
    if count == 0 or len(data) != _STL_HEAD + count * _STL_TRIANGLE.itemsize:
        return None
    if why := beyond("vertices", 3 * count, name):
        raise ValueError(f"{name} cannot be read as STL: {why}")
    corners = np.frombuffer(data, dtype=_STL_TRIANGLE, offset=_STL_HEAD)["corners"]
    return corners.reshape(-1, 3).astype(float), np.arange(3 * count, dtype=np.int32).reshape(-1, 3)


def _triangles(data: bytes, ending: str, name: str) -> tuple[Any, Any]:
    """Vertices and triangles of a file's whole scene. Without a resolver: no other file is opened."""
    import trimesh

    try:
        plain = {"skip_materials": True} if ending in GLTF else {}
        scene = trimesh.load_scene(io.BytesIO(data), file_type=ending, resolver=None, process=False, **plain)
        if why := beyond("vertices", _vertices(scene), name):
            raise ValueError(why)
        # to_mesh puts every node in its place in the scene and joins them.
        mesh = scene.to_mesh() if scene.geometry else None
    except Exception as error:
        # trimesh and its readers raise whatever comes up in a broken file.
        raise ValueError(f"{name} cannot be read as {ending.upper()}: {error}") from error
    if mesh is None or not hasattr(mesh, "faces"):
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)
    return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces)


def _vertices(scene: Any) -> int:
    """Vertices of a scene, those of a mesh as often as a node places it."""
    places = (scene.graph[node][1] for node in scene.graph.nodes_geometry)
    return sum(len(getattr(scene.geometry.get(name), "vertices", ())) for name in places)


def _harmless_dae(data: bytes, name: str) -> bytes:
    """A DAE in UTF-8, checked before other readers see it; ValueError for a document type or a scene without end."""
    if encoding := hidden_tags(data[:_HUGE_TEXT]):
        raise ValueError(f"{name} is in the encoding {encoding}, which is not read")
    if why := beyond_xml((data,), name):
        raise ValueError(why)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=len(data) > _HUGE_TEXT)
    try:
        tree: Any = etree.parse(io.BytesIO(data), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"{name} cannot be read as DAE: {error}") from error
    if tree.docinfo.doctype or tree.docinfo.internalDTD is not None:
        raise ValueError(f"{name} has a DOCTYPE or entities, which are not read")
    if _nodes_of_scene(tree.getroot()) > MAX_NODES:
        raise ValueError(f"{name} places more than {MAX_NODES} nodes in its scene, or a node in itself")
    return etree.tostring(tree, encoding="utf-8")


_HUGE_TEXT = 10_000_000
"""Bytes from which on a file may have a list of numbers that libxml2 takes for an attack."""


def _nodes_of_scene(root: Any) -> float:
    """How many nodes the scenes of a DAE place, those of other nodes too; infinite where one is in itself."""
    library = {node.get("id"): node for node in root.iter("{*}node") if node.get("id")}
    known: dict[Any, float] = {}

    def count(node: Any) -> float:
        """The node with all below it: lxml's depth is bounded, and a node that waits for itself has no end."""
        if node in known:
            return known[node]
        # Infinite until it is counted: a node that is reached again on the way is within itself.
        known[node] = math.inf
        placed = (library.get((e.get("url") or "").removeprefix("#")) for e in node.iterchildren("{*}instance_node"))
        below = chain(node.iterchildren("{*}node"), (n for n in placed if n is not None))
        known[node] = 1.0 + sum(map(count, below))
        return known[node]

    try:
        return sum(count(node) for scene in root.iter("{*}visual_scene") for node in scene.iterchildren("{*}node"))
    except RecursionError:
        return math.inf


def _dae_unit(data: bytes) -> float:
    """Metres a unit of a DAE that is `_harmless_dae`; 1 where it does not say."""
    found = etree.fromstring(data, etree.XMLParser(huge_tree=len(data) > _HUGE_TEXT)).find("{*}asset/{*}unit")
    metres = float("1" if found is None else found.get("meter", "1"))
    return metres if 0.0 < metres < math.inf else 1.0
