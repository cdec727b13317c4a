"""Binary glTF 2.0 for any viewer: a node a body, meshes once for a shape and colour, and a run as an animation.

glTF's y axis points up and ours is z, so the root node turns; below it everything is as the source has it, in metres.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cadbridge.assembly import GROUND, Instance
from cadbridge.errors import InputError
from cadbridge.exporters.options import GREY, ExportOptions
from cadbridge.findings import Findings, Where
from cadbridge.frames import Matrix, Pose, Vector
from cadbridge.geometry import Mesh
from cadbridge.mechanism.model import Body, Mechanism

if TYPE_CHECKING:
    import pyarrow as pa

PLAYED_PER_SECOND = 60.0
"""Samples of a run that an animation keeps; what lies between is interpolated by the viewer."""

_UP = [-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]
_FLOAT, _UINT, _ARRAY, _INDEX = 5126, 5125, 34962, 34963
"""glTF 2.0's numbers of a component's type (5.1.3) and of a buffer view's target (5.11.5)."""
Colour = tuple[float, float, float, float]


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export, relative path → bytes; the model first."""
    scene = _Scene()
    root = scene.node(name, rotation=_UP)
    nodes = {}
    for body in (mechanism.ground, *mechanism.bodies):
        nodes[body.name] = scene.body(mechanism, body, root, findings)
    if options.run is not None:
        _animate(scene, mechanism, nodes, options.run, findings)
    elif mechanism.bodies:
        findings.add("CB522", "no run was named, so nothing moves")
    return {f"{name}.glb": scene.bytes(root)}


class _Scene:
    """A glTF document with its one buffer, put together piece by piece."""

    def __init__(self) -> None:
        import pygltflib as gltf

        self._gltf = gltf
        self._document = gltf.GLTF2(asset=gltf.Asset(generator="cadbridge"))
        self._data = bytearray()
        self._materials: dict[Colour, int] = {}
        self._shapes: dict[str, Any] = {}
        self._meshes: dict[tuple[str, Colour], int] = {}

    def node(self, name: str, parent: int | None = None, **place: Any) -> int:
        """Index of a new node below `parent`; `place` holds translation, rotation (x, y, z, w), mesh."""
        nodes = self._document.nodes
        nodes.append(self._gltf.Node(name=name, **place))
        if parent is not None:
            nodes[parent].children.append(len(nodes) - 1)
        return len(nodes) - 1

    def body(self, mechanism: Mechanism, body: Body, root: int, findings: Findings) -> int:
        """The node of a body with its instances below."""
        node = self.node(body.name, root, **_place(body.X_WB))
        X_BW = body.X_WB.inverse()
        for name in body.instances:
            if name == GROUND:
                continue
            instance = mechanism.assembly.instance(name)
            mesh = self._mesh(mechanism, instance, findings)
            if mesh is not None:
                self.node(name, node, mesh=mesh, **_place(X_BW @ instance.X_WI))
        return node

    def _mesh(self, mechanism: Mechanism, instance: Instance, findings: Findings) -> int | None:
        part = mechanism.assembly.part(instance.part)
        shape = part.shape
        mesh = None if shape is None else shape.coarse or shape.fine or shape.collision
        if shape is None or mesh is None or not len(mesh.triangles):
            if part.name not in self._shapes:
                self._shapes[part.name] = None
                findings.add("CB508", f"part {part.name} has no mesh", Where(item=part.name))
            return None
        colour = instance.colour or part.colour or GREY
        if (shape.key, colour) not in self._meshes:
            if shape.key not in self._shapes:
                self._shapes[shape.key] = self._geometry(mesh)
            attributes, indices = self._shapes[shape.key]
            primitive = self._gltf.Primitive(attributes=attributes, indices=indices, material=self._material(colour))
            self._document.meshes.append(self._gltf.Mesh(name=part.name, primitives=[primitive]))
            self._meshes[shape.key, colour] = len(self._document.meshes) - 1
        return self._meshes[shape.key, colour]

    def _geometry(self, mesh: Mesh) -> tuple[Any, int]:
        vertices = mesh.vertices.astype("<f4")
        position = self.accessor(vertices, "VEC3", _ARRAY)
        indices = self.accessor(mesh.triangles.astype("<u4").ravel(), "SCALAR", _INDEX)
        return self._gltf.Attributes(POSITION=position), indices

    def _material(self, colour: Colour) -> int:
        if colour not in self._materials:
            surface = self._gltf.PbrMetallicRoughness(
                # Dull, as painted metal: colours look as in the CAD system.
                baseColorFactor=[float(c) for c in colour],
                metallicFactor=0.1,
                roughnessFactor=0.6,
            )
            self._document.materials.append(
                self._gltf.Material(
                    pbrMetallicRoughness=surface, doubleSided=True, alphaMode="BLEND" if colour[3] < 1 else "OPAQUE"
                )
            )
            self._materials[colour] = len(self._document.materials) - 1
        return self._materials[colour]

    def accessor(self, values: Any, kind: str, target: int | None = None) -> int:
        """Index of an accessor to `values`, float32 or uint32, with the bounds that glTF wants."""
        document = self._document
        # All components have four bytes, so that every view begins at a multiple of four, as glTF demands.
        view = self._gltf.BufferView(buffer=0, byteOffset=len(self._data), byteLength=values.nbytes, target=target)
        document.bufferViews.append(view)
        self._data += values.tobytes()
        columns = values.reshape(len(values), -1)
        document.accessors.append(
            self._gltf.Accessor(
                bufferView=len(document.bufferViews) - 1,
                componentType=_FLOAT if values.dtype.kind == "f" else _UINT,
                count=len(values),
                type=kind,
                min=columns.min(axis=0).tolist(),
                max=columns.max(axis=0).tolist(),
            )
        )
        return len(document.accessors) - 1

    def animate(self, times: Vector, motions: dict[int, tuple[Matrix, Matrix]]) -> None:
        """One animation: by node its translations (k, 3) and rotations (k, 4; x, y, z, w) at `times`."""
        with np.errstate(over="ignore"):
            times = times.astype("<f4")
            motions = {n: (t.astype("<f4"), r.astype("<f4")) for n, (t, r) in motions.items()}
        if not all(np.isfinite(values).all() for values in (times, *chain.from_iterable(motions.values()))):
            raise InputError("The run cannot be animated: it holds times or poses that are not finite numbers.")
        clock = self.accessor(times, "SCALAR")
        animation = self._gltf.Animation(name="run")
        for node, (translations, rotations) in motions.items():
            for path, values, kind in (("translation", translations, "VEC3"), ("rotation", rotations, "VEC4")):
                output = self.accessor(values, kind)
                animation.samplers.append(self._gltf.AnimationSampler(input=clock, output=output))
                target = self._gltf.AnimationChannelTarget(node=node, path=path)
                channel = self._gltf.AnimationChannel(sampler=len(animation.samplers) - 1, target=target)
                animation.channels.append(channel)
        self._document.animations.append(animation)

    def bytes(self, root: int) -> bytes:
        """The GLB."""
        self._document.scenes.append(self._gltf.Scene(nodes=[root]))
        self._document.scene = 0
        if self._data:
            self._document.buffers.append(self._gltf.Buffer(byteLength=len(self._data)))
            self._document.set_binary_blob(bytes(self._data))
        return b"".join(self._document.save_to_bytes())


def _place(X: Pose) -> dict[str, list[float]]:
    w, x, y, z = X.quaternion().tolist()
    return {"translation": X.p.tolist(), "rotation": [x, y, z, w]}


def _animate(scene: _Scene, mechanism: Mechanism, nodes: dict[str, int], path: Path, findings: Findings) -> None:
    from cadbridge.simulation import read_trajectory

    table = read_trajectory(path)
    strangers = [b.name for b in mechanism.bodies if f"body.{b.name}.x" not in table.column_names]
    if strangers:
        some = ", ".join(strangers[:3]) + (" …" if len(strangers) > 3 else "")
        findings.add("CB630", f"{path.name} does not hold the bodies {some}", Where(file=str(path)))
        return
    times = _column(table, "time")
    span = float(times[-1] - times[0])
    # A run may be sampled a thousand times a second, which no viewer shows.
    stride = max(1, int((len(times) - 1) / max(span * PLAYED_PER_SECOND, 1.0))) if span > 0 else 1
    motions = {}
    for body in mechanism.bodies:
        columns = [_column(table, f"body.{body.name}.{c}")[::stride] for c in ("x", "y", "z", "qx", "qy", "qz", "qw")]
        motions[nodes[body.name]] = (np.column_stack(columns[:3]), _continuous(np.column_stack(columns[3:])))
    if motions:
        scene.animate(times[::stride], motions)


def _column(table: pa.Table, name: str) -> Vector:
    return np.asarray(table.column(name).to_numpy(), dtype=float)


def _continuous(q: Matrix) -> Matrix:
    """Quaternions (k, 4) of unit length whose signs do not jump, so that a viewer turns the short way."""
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    flips = np.sign(np.einsum("ij,ij->i", q[1:], q[:-1]))
    flips[flips == 0] = 1.0
    q[1:] *= np.cumprod(flips)[:, None]
    return q
