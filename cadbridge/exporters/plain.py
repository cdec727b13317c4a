"""Plain data: the whole mechanism as one JSON document with a schema, its meshes as PLY files beside it.

`assembly` is what was read, in full: from it cadbridge builds the same mechanism, number for number.
`mechanism` is what came of it, for tools of other hands; it is not read back.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np

from cadbridge.assembly import Assembly, report_unrefined, unrefined
from cadbridge.exporters.names import FileNames
from cadbridge.exporters.options import ExportOptions
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh
from cadbridge.mechanism.model import Body, BodyCoupling, Joint, Mechanism
from cadbridge.plain import digests, encode, schema

FORMAT = "cadbridge.mechanism/1"
LONGEST_STEM = 100
"""Letters of a mesh's name: file systems take 255 bytes."""


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export, relative path → bytes; the document first."""
    meshes = _Meshes(mechanism.assembly)
    derived = _mechanism(mechanism)
    document = {
        "format": FORMAT,
        "name": name,
        "mechanism": derived,
        "digests": digests(derived),
        "assembly": encode(mechanism.assembly, meshes.reference),
    }
    report_unrefined(unrefined(mechanism.assembly.parts), findings)
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    return {
        # A name from a damaged file may hold half of a surrogate pair, which UTF-8 has no bytes for: escaped, JSON
        # gives it back.
        f"{name}.mechanism.json": f"{text}\n".encode(errors="backslashreplace"),
        **meshes.contents,
    }


def schema_text() -> str:
    """The JSON Schema of the document, as it is published."""
    definitions: dict[str, Any] = {}
    assembly = schema(Assembly, definitions)
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A mechanism as plain data",
        "type": "object",
        "properties": {
            "format": {"const": FORMAT},
            "name": {"type": "string"},
            "mechanism": {"type": "object", "description": "What came of the assembly; not read back."},
            "digests": {
                "type": "object",
                "description": "Of each list of `mechanism`, so that an edit of it, which is not read, can be told.",
            },
            "assembly": assembly,
        },
        "required": ["format", "assembly"],
        "$defs": definitions,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


class _Meshes:
    """Meshes as files, each once."""

    def __init__(self, assembly: Assembly) -> None:
        self.contents: dict[str, bytes] = {}
        self._names = FileNames("mesh")
        self._of: dict[int, str] = {}
        self._stems = {
            id(mesh): f"{part.name}_{kind}"
            for part in assembly.parts
            if part.shape is not None
            for kind in ("collision", "coarse", "fine")
            if (mesh := getattr(part.shape, kind)) is not None
        }

    def reference(self, mesh: Mesh) -> dict[str, str]:
        if id(mesh) not in self._of:
            # Of a long name the end, where the kind of mesh stands.
            path = f"meshes/{self._names.give(self._stems.get(id(mesh), 'mesh')[-LONGEST_STEM:])}.ply"
            self._of[id(mesh)] = path
            self.contents[path] = ply_bytes(mesh)
        return {"file": self._of[id(mesh)]}


def ply_bytes(mesh: Mesh) -> bytes:
    """Binary PLY with vertices in double precision, so that nothing is lost."""
    header = (
        "ply\nformat binary_little_endian 1.0\ncomment cadbridge, metres\n"
        f"element vertex {len(mesh.vertices)}\nproperty double x\nproperty double y\nproperty double z\n"
        f"element face {len(mesh.triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    faces = np.zeros(len(mesh.triangles), dtype=[("count", "u1"), ("index", "<i4", 3)])
    faces["count"], faces["index"] = 3, mesh.triangles
    return header.encode() + mesh.vertices.astype("<f8").tobytes() + faces.tobytes()


def _mechanism(mechanism: Mechanism) -> dict[str, Any]:
    return {
        "gravity": list(mechanism.gravity),
        "bodies": [_body(body) for body in (mechanism.ground, *mechanism.bodies)],
        "joints": [_joint(mechanism, joint) for joint in mechanism.joints],
        "couplings": [_coupling(mechanism, coupling) for coupling in mechanism.couplings],
        "drives": [_plain(drive) for drive in mechanism.drives],
    }


def _body(body: Body) -> dict[str, Any]:
    return {
        "name": body.name,
        "components": list(body.components),
        "instances": list(body.instances),
        "X_WB": _pose(body.X_WB),
        "mass": None if body.mass is None else _plain(body.mass),
        "mass_source": body.mass_source,
    }


def _joint(mechanism: Mechanism, joint: Joint) -> dict[str, Any]:
    return {
        "name": joint.name,
        "type": joint.type,
        "bodies": [_name(mechanism, joint.a), _name(mechanism, joint.b)],
        "X_AJ": _pose(joint.X_AJ),
        "X_BJ": _pose(joint.X_BJ),
        "freedom": joint.freedom.T.tolist(),
        "mates": list(joint.mates),
        "limit": None if joint.limit is None else _plain(joint.limit),
        "pitch": joint.pitch,
        "damping": joint.damping,
        "friction": joint.friction,
        "armature": joint.armature,
        "stiffness": joint.stiffness,
        "rest": joint.rest,
        "rows": [_row(mechanism, primitive) for primitive in joint.primitives],
    }


def _coupling(mechanism: Mechanism, coupling: BodyCoupling) -> dict[str, Any]:
    kind = coupling.coupling.kind.value
    return {"name": coupling.name, "kind": kind, "row": _row(mechanism, coupling.primitive)}


def _row(mechanism: Mechanism, value: Any) -> Any:
    """A primitive by the name of its kind, its bodies by theirs."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _row(mechanism, getattr(value, f.name)) for f in dataclasses.fields(value)}
        for side in ("a", "b"):
            if side in fields:
                fields[side] = _name(mechanism, fields[side])
        return {"primitive": type(value).__name__, **fields}
    if isinstance(value, tuple):
        return [_row(mechanism, item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def _plain(value: Any) -> Any:
    return encode(value, lambda mesh: None)


def _pose(X: Pose) -> dict[str, Any]:
    return {"R": X.R.tolist(), "p": X.p.tolist()}


def _name(mechanism: Mechanism, body: int) -> str:
    return mechanism.bodies[body].name if body >= 0 else mechanism.ground.name
