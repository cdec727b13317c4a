"""What the worker process and its caller say to each other. Lengths are in metres throughout.

How it goes through a pipe says `cadbridge.shapes.packing`, what holds of it `cadbridge.shapes.checking`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

MeshArrays = tuple[NDArray[np.float64], NDArray[np.int32]]
"""Vertices (n, 3) in m and triangles (m, 3)."""


@dataclass
class FaceTable:
    """The faces of a shape as stacked arrays (n, ...): thousands of small arrays would be slow to send."""

    kinds: list[str]
    points: NDArray[np.float64]
    directions: NDArray[np.float64]
    radii: NDArray[np.float64]
    areas: NDArray[np.float64]
    centres: NDArray[np.float64]
    names: list[str | None]


@dataclass
class FeatureTable:
    """What recognition asks of faces beyond `FaceTable`, in the same order, mm.

    `inner` (n, 3) lies on each surface amid the face, `normals` (n, 3) point out of the material there; `tori` (n, 2)
    are major and minor radius. The boundaries: `points` (k, 3), of which loop j is `points[loops[j]:loops[j + 1]]` and
    belongs to face `owners[j]`.
    """

    inner: NDArray[np.float64]
    normals: NDArray[np.float64]
    tori: NDArray[np.float64]
    areas: NDArray[np.float64]
    points: NDArray[np.float64]
    loops: NDArray[np.int64]
    owners: NDArray[np.int64]


@dataclass
class Rough:
    """A B-Rep (OCCT's binary form, deflated; mm) whose coarse mesh is off: what a fine one is made of and held against.

    `scale` is metres a millimetre of it.
    """

    brep: NDArray[np.uint8]
    scale: float
    size: float
    volume: float
    inertia: NDArray[np.float64]
    inverted: bool


@dataclass
class ShapeData:
    """A distinct shape. `brep` is volume m³, centre (3,) m, inertia (3, 3) at density 1; None for sheets.

    `closed` is the coarse mesh of what bounds a volume, the same as `coarse` where there are no loose sheets; `rough`
    is given where it is off by more than a mesh may be.
    """

    key: str
    label: str
    closed: MeshArrays | None
    coarse: MeshArrays | None
    brep: tuple[float, NDArray[np.float64], NDArray[np.float64]] | None
    faces: FaceTable
    solids: int
    sheets: int
    area: float
    inverted: bool = False
    rough: Rough | None = None


@dataclass
class BrepData:
    """A shape from a file of its own with its edges: (line, circle or curve; the radius of a circle in m)."""

    shape: ShapeData
    edges: list[tuple[str, float]]


@dataclass
class Occurrence:
    """A child of a product. `matrix` (3, 4) takes the child's frame to the parent's; may mirror or scale."""

    name: str
    product: str
    matrix: NDArray[np.float64]
    colour: tuple[float, float, float, float] | None = None


@dataclass
class Product:
    """A product of the file, by its label: an assembly (`children`) or a part (`shape`, a key)."""

    label: str
    name: str
    children: list[Occurrence] = field(default_factory=list)
    shape: str | None = None
    colour: tuple[float, float, float, float] | None = None
    layers: tuple[str, ...] = ()
    material: str | None = None
    density: float | None = None
    density_unit: str = ""
    validation: dict[str, Any] = field(default_factory=dict)


@dataclass
class Document:
    """A STEP file as product graph. `units` as the file names them; `remarks` of OCCT worth reporting."""

    roots: list[Occurrence]
    products: dict[str, Product]
    shapes: dict[str, ShapeData]
    units: list[str]
    remarks: list[str] = field(default_factory=list)


@dataclass
class Failure:
    """The worker could not do what was asked, and lives on."""

    kind: str
    message: str


ANSWERS: dict[str, Any] = {
    "read": Document,
    "whole": ShapeData | None,
    "refine": MeshArrays | None,
    "select": list[int],
    "breps": list[BrepData | str],
    "features": list[FeatureTable | str],
    "brep_features": list[FeatureTable | str],
    "ping": int,
}
"""What OCCT's process answers to each verb, if it is no Failure."""
