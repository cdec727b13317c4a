"""What the audits of meshes found, and their volumes: each mesh once, and kept from one run to the next."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cadbridge.geometry import Mesh
from cadbridge.inertia import MassProperties
from cadbridge.mass.audit import audit_mesh
from cadbridge.polyhedron import volume_properties_of
from cadbridge.storage import computed_once, digest

KEPT = 20_000
"""Triangles of an assembly from which the answer is kept: auditing fewer takes no longer than looking it up."""


class Weighed(NamedTuple):
    """The numbers of a `MeshAudit`; `volume` at density 1 in the mesh's frame, None where the mesh is open."""

    closed: bool
    open_edges: int
    flipped: int
    inverted: int
    shells: int
    overlapping: int
    volume: MassProperties | None


def weigh_mesh(mesh: Mesh) -> Weighed:
    """Audit a mesh and weigh it."""
    a = audit_mesh(mesh)
    found = (a.closed, a.open_edges, a.flipped, a.inverted, a.shells, a.overlapping)
    return Weighed(*found, a.volume if a.closed else None)


def weigh_meshes(meshes: Iterable[Mesh]) -> dict[int, Weighed]:
    """By `id` of the mesh. Meshes of the same content are audited once."""
    meshes = list(meshes)
    contents = [mesh.content for mesh in meshes]
    distinct = dict(zip(contents, meshes, strict=True))
    names = sorted(distinct)

    def weigh() -> list[Weighed]:
        return [weigh_mesh(distinct[name]) for name in names]

    if sum(len(mesh.triangles) for mesh in distinct.values()) < KEPT:
        found = weigh()
    else:
        found = computed_once(["meshes", _version(), names], weigh, _packed, _unpacked)
    by_content = dict(zip(names, found, strict=True))
    return {id(mesh): by_content[content] for mesh, content in zip(meshes, contents, strict=True)}


def _packed(found: list[Weighed]) -> bytes:
    volumes = [w.volume and [w.volume.mass, w.volume.com.tolist(), w.volume.inertia.tolist()] for w in found]
    return json.dumps([[*w[:-1], volume] for w, volume in zip(found, volumes, strict=True)]).encode()


def _unpacked(data: bytes) -> list[Weighed]:
    try:
        return [Weighed._make((*counts, volume and _properties(*volume))) for *counts, volume in json.loads(data)]
    except (TypeError, ValueError) as fault:
        raise ValueError(f"no kept meshes: {fault}") from fault


def _properties(mass: float, com: list[float], inertia: list[list[float]]) -> MassProperties:
    return MassProperties(mass, np.array(com), np.array(inertia))


@cache
def _version() -> str:
    """The hash of the code that audits and weighs."""
    functions = (weigh_mesh, audit_mesh, volume_properties_of)
    return digest(b"".join(Path(f.__code__.co_filename).read_bytes() for f in functions))
