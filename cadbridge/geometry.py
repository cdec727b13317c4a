"""The geometry of parts: triangles, faces, and the shape that holds them. In the part's own frame, m."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Vector
from cadbridge.inertia import MassProperties
from cadbridge.shown import sentence
from cadbridge.wording import count


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles in the part's frame, counter-clockwise from outside.

    Attributes:
        vertices: (n, 3) m.
        triangles: (m, 3) indices of vertices.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]

    def __repr__(self) -> str:
        return sentence("Mesh", "", count(len(self.triangles), "triangle"))

    @cached_property
    def content(self) -> str:
        """A hash of the triangles."""
        return hashlib.sha256(self.vertices.tobytes() + self.triangles.tobytes()).hexdigest()

    def mapped(self, name: str, to: Callable[[Mesh], Mesh]) -> Mesh:
        """Make another mesh of this one.

        Args:
            name: What identifies `to`, for a mesh that is made later.
            to: What makes the other mesh.

        Returns:
            The other mesh.
        """
        return to(self)


class FineMesh(Mesh):
    """A mesh that is made when its triangles are first asked for, which takes long and few commands do.

    `content` identifies it before. `coarse` stands in where `make` gives None; then `failed` is true.
    """

    failed: bool

    def __init__(self, content: str, make: Callable[[], Mesh | None], coarse: Mesh) -> None:
        self.__dict__.update(content=content, _make=make, _coarse=coarse, failed=False)

    def __getattr__(self, name: str) -> Any:
        """Vertices and triangles, when they are first asked for."""
        if name not in ("vertices", "triangles"):
            raise AttributeError(name)
        own = self.__dict__
        made = own["_make"]()
        own["failed"] = made is None
        shown = own["_coarse"] if made is None else made
        own.update(vertices=shown.vertices, triangles=shown.triangles)
        return own[name]

    def mapped(self, name: str, to: Callable[[Mesh], Mesh]) -> Mesh:
        """The same of a mesh that is made later."""
        return FineMesh(f"{self.content} {name}", partial(self._mapped, to), self.__dict__["_coarse"].mapped(name, to))

    def _mapped(self, to: Callable[[Mesh], Mesh]) -> Mesh | None:
        made = to(self)
        return None if self.failed else made


@dataclass(frozen=True, eq=False)
class Face:
    """A face of a part, in the part's frame.

    Attributes:
        kind: "plane", "cylinder", "cone", "sphere", "torus" or "other".
        point: (3,) m on the plane or axis, or the sphere's centre.
        direction: The outward normal or the axis (3,); None where the face has none.
        radius: m, of a cylinder or sphere.
        name: Its name in the source.
        area: m².
        centre: Its centre of area (3,) m.
    """

    kind: str
    point: Vector
    direction: Vector | None
    radius: float | None = None
    name: str | None = None
    area: float = 0.0
    centre: Vector = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True, eq=False)
class Shape:
    """The geometry of a part, in the part's frame, once for all its instances.

    Attributes:
        key: A hash of the content, which identifies the geometry.
        fine: The fine mesh.
        coarse: The coarse mesh, for pictures.
        collision: The mesh that the source gives for contact.
        brep: The exact volume properties at density 1 (its mass is the volume in m³); None without a B-Rep.
        faces: Its faces with their analytic surfaces.
        solids: How many solids it has.
        source: (file, label) of where it is, for what needs the B-Rep again.
        validation: Properties that the file states of it, by name, to hold it against.
        visual_file: The file of the mesh that is seen.
        collision_file: The file of the mesh that collides.
    """

    key: str
    fine: Mesh | None
    coarse: Mesh | None
    collision: Mesh | None = None
    brep: MassProperties | None = None
    faces: tuple[Face, ...] = ()
    solids: int = 0
    source: tuple[str, str] | None = None
    validation: dict[str, float] = field(default_factory=dict)
    visual_file: str | None = None
    collision_file: str | None = None

    def __repr__(self) -> str:
        shown = self.coarse if self.coarse is not None else self.fine
        triangles = count(0 if shown is None else len(shown.triangles), "triangle")
        return sentence("Shape", "", triangles, count(len(self.faces), "face"))


def nearest_on_triangles(triangles: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point of each triangle (n, 3, 3) that is nearest to the point (n, 3) beside it, (n, 3).

    A triangle without an area is the edges that it has, or a point.
    """
    ends = np.roll(triangles, -1, axis=1)
    edges, to = ends - triangles, points[:, None] - triangles
    along, squares = np.einsum("nij,nij->ni", edges, to), np.einsum("nij,nij->ni", edges, edges)
    share = np.clip(np.divide(along, squares, out=np.zeros_like(along), where=squares > 0.0), 0.0, 1.0)
    on_edges = triangles + share[..., None] * edges
    apart = points[:, None] - on_edges
    each = np.arange(len(points))
    result = on_edges[each, np.einsum("nij,nij->ni", apart, apart).argmin(axis=1)]
    normal = np.cross(edges[:, 0], -edges[:, 2])
    square = np.einsum("ni,ni->n", normal, normal)
    # On the inner side of all three edges its foot is in the triangle.
    inner = (np.einsum("nij,nij->ni", np.cross(normal[:, None], edges), to) >= 0.0).all(axis=1) & (square > 0.0)
    height = np.einsum("ni,ni->n", normal[inner], to[inner, 0]) / square[inner]
    result[inner] = points[inner] - height[:, None] * normal[inner]
    return np.asarray(result)
