"""From what the worker sends to `cadbridge.geometry`; mirrored and scaled copies."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from cadbridge.frames import Matrix, Vector
from cadbridge.geometry import Face, Mesh, Shape
from cadbridge.inertia import MassProperties
from cadbridge.polyhedron import FARTHEST
from cadbridge.shapes.protocol import FaceTable, MeshArrays, ShapeData
from cadbridge.shapes.refining import fine_mesh

_FLIP = np.array([-1.0, 1.0, 1.0])
"""Mirroring at the plane x = 0."""


def to_shape(data: ShapeData, path: Path) -> Shape:
    """A shape as the worker describes it, of the file at `path`."""
    coarse = _mesh(data.coarse)
    fine = coarse if _are_one(data.closed, data.coarse) else _mesh(data.closed)
    if data.rough is not None and fine is not None:
        fine = fine_mesh(data.rough, fine)
    return Shape(
        key=data.key, fine=fine, coarse=coarse, brep=_exact(data.brep), faces=_faces(data.faces), solids=data.solids,
        source=(str(path), data.label),
    )  # fmt: skip


def _exact(brep: tuple[float, Vector, Matrix] | None) -> MassProperties | None:
    """A shape's exact volume; none where a broken number makes it endless."""
    if brep is None or not (brep[0] < FARTHEST**3 and np.isfinite(brep[1]).all() and np.isfinite(brep[2]).all()):
        return None
    return MassProperties(*brep)


def _mesh(arrays: MeshArrays | None) -> Mesh | None:
    return None if arrays is None else Mesh(*arrays)


def _are_one(a: MeshArrays | None, b: MeshArrays | None) -> bool:
    """Whether two meshes have their arrays in common, as those of a shape without loose sheets."""
    return a is b or (a is not None and b is not None and a[0] is b[0] and a[1] is b[1])


def _faces(table: FaceTable) -> tuple[Face, ...]:
    has_direction = ~np.isnan(table.directions[:, 0])
    has_radius = ~np.isnan(table.radii)
    return tuple(
        Face(
            kind=kind,
            point=table.points[i],
            direction=table.directions[i] if has_direction[i] else None,
            radius=float(table.radii[i]) if has_radius[i] else None,
            name=table.names[i],
            area=float(table.areas[i]),
            centre=table.centres[i],
        )
        for i, kind in enumerate(table.kinds)
    )


def mirrored(shape: Shape, suffix: str) -> Shape:
    """The shape mirrored at its plane x = 0; `suffix` ends key and label, which say so."""
    return replace(
        shape,
        key=shape.key + suffix,
        fine=_mirrored_mesh(shape.fine),
        coarse=_mirrored_mesh(shape.coarse),
        collision=_mirrored_mesh(shape.collision),
        brep=None if shape.brep is None else mirrored_mass(shape.brep),
        faces=tuple(
            replace(
                face,
                point=face.point * _FLIP,
                direction=None if face.direction is None else face.direction * _FLIP,
                centre=face.centre * _FLIP,
            )
            for face in shape.faces
        ),
        source=None if shape.source is None else (shape.source[0], shape.source[1] + suffix),
    )


def mirrored_mass(properties: MassProperties) -> MassProperties:
    """Mass properties of the body mirrored at the plane x = 0."""
    return MassProperties(properties.mass, properties.com * _FLIP, properties.inertia * np.outer(_FLIP, _FLIP))


def _mirrored_mesh(mesh: Mesh | None) -> Mesh | None:
    return None if mesh is None else mesh.mapped("mirrored", _flipped)


def _flipped(mesh: Mesh) -> Mesh:
    # Mirroring turns a surface inside out; triangles run the other way round restore the outside.
    return Mesh(mesh.vertices * _FLIP, np.ascontiguousarray(mesh.triangles[:, ::-1]))


def scaled(shape: Shape, factor: float) -> Shape:
    """The shape `factor` times as large, about the origin of its frame."""
    brep = shape.brep
    if brep is not None:
        # At density 1 a volume grows with the third power of lengths, its inertia with the fifth.
        brep = MassProperties(brep.mass * factor**3, brep.com * factor, brep.inertia * factor**5)
    return replace(
        shape,
        key=f"{shape.key}|x{factor:.9g}",
        fine=_scaled_mesh(shape.fine, factor),
        coarse=_scaled_mesh(shape.coarse, factor),
        collision=_scaled_mesh(shape.collision, factor),
        brep=brep,
        faces=tuple(
            replace(
                face,
                point=face.point * factor,
                centre=face.centre * factor,
                area=face.area * factor**2,
                radius=None if face.radius is None else face.radius * factor,
            )
            for face in shape.faces
        ),
    )


def _scaled_mesh(mesh: Mesh | None, factor: float) -> Mesh | None:
    return None if mesh is None else mesh.mapped(f"x{factor!r}", partial(_enlarged, factor))


def _enlarged(factor: float, mesh: Mesh) -> Mesh:
    return Mesh(mesh.vertices * factor, mesh.triangles)
