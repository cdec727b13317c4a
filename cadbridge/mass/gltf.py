"""What a glTF 2.0 file must not hold before another reader sees it: scenes without end, other files, packed numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from cadbridge.budget import beyond

HARMLESS = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "MSFT_texture_")
"""Beginnings of the extensions that change no shape."""
_TRIANGLES, _FLOATS = 4, 5126
"""glTF 2.0's numbers of a primitive's mode and of a component's type."""
_MAGIC, _JSON = b"glTF", b"JSON"


def check_gltf(data: bytes, name: str, most_nodes: int) -> None:
    """ValueError with the reason where the triangles of a .gltf or .glb cannot be taken as they stand in it."""
    try:
        text = _text(data)
        if why := beyond("marks", text.count(b",") + text.count(b":"), name):
            raise ValueError(why)
        document = json.loads(text)
        reason = _refused(document, len(data), most_nodes)
        too_many = "" if reason else _too_many(document, name)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as fault:
        raise ValueError(f"{name} cannot be read as glTF: {fault}") from fault
    if reason or too_many:
        raise ValueError(too_many or f"{name} {reason}")


def _text(data: bytes) -> bytes:
    """The JSON of a file, which is all of a .gltf and the first chunk of a .glb."""
    if data[:4] != _MAGIC:
        return data
    if int.from_bytes(data[4:8], "little") != 2 or data[16:20] != _JSON:
        raise ValueError("it is not version 2.0, or does not begin with JSON")
    return data[20 : 20 + int.from_bytes(data[12:16], "little")]


def _refused(document: dict[str, Any], size: int, most_nodes: int) -> str:
    """Why a document is not read; "" where it is."""
    packed = [e for e in document.get("extensionsRequired", ()) if not e.startswith(HARMLESS)]
    if packed:
        return f"needs {', '.join(packed)}, which is not read: export it without compression"
    named = [b["uri"] for b in document.get("buffers", ()) if not b.get("uri", "data:").startswith("data:")]
    if named:
        return f"has its numbers in {named[0][:60]!r}, and no file that a mesh names is opened: save it as .glb"
    if _placed(document) > most_nodes:
        return f"places more than {most_nodes} nodes in its scene, or a node in itself"
    accessors = document.get("accessors", [])
    for part in _primitives(document):
        place = accessors[part["attributes"]["POSITION"]]
        used = [place, accessors[part["indices"]]] if "indices" in part else [place]
        if part.get("mode", _TRIANGLES) != _TRIANGLES or place["componentType"] != _FLOATS or "targets" in part:
            return "holds something else than triangles of plain numbers"
        if any("sparse" in a or "bufferView" not in a or not 0 <= a["count"] <= size for a in used):
            return "has sparse numbers, or more of them than it holds"
    return ""


def _too_many(document: dict[str, Any], name: str) -> str:
    """Why a document makes more than may be read, before each primitive has its copy of what several share."""
    accessors, parts = document.get("accessors", []), list(_primitives(document))
    vertices = sum(accessors[part["attributes"]["POSITION"]]["count"] for part in parts)
    return beyond("primitives", len(parts), name) or beyond("vertices", vertices, name)


def _primitives(document: dict[str, Any]) -> Iterable[dict[str, Any]]:
    return (part for mesh in document.get("meshes", ()) for part in mesh["primitives"])


def _placed(document: dict[str, Any]) -> float:
    """How many nodes are below all roots, as often as they are placed; infinite where one is in itself."""
    nodes = document.get("nodes", [])
    known: dict[int, float] = {}

    def count(all_of: Iterable[int]) -> float:
        total = 0.0
        for i in all_of:
            if i not in known:
                # Infinite until it is counted: a node that is reached again on the way is within itself.
                known[i] = math.inf
                known[i] = 1.0 + count(nodes[i].get("children", ()))
            total += known[i]
        return total

    return count(range(len(nodes)))
