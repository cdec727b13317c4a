"""What is taken of a composed stage: bodies, joints, shapes and units as plain data, by the paths of their prims.

Runs in the worker. Matrices (4, 4) map a prim's points to the stage's world, column vectors, in the stage's units.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics, UsdShade, UsdUtils, Vt  # noqa: F401  (all that is read with)

from cadbridge.budget import beyond
from cadbridge.folders import Folders
from cadbridge.readers.usd.layers import Remark, open_layers

TIME = Usd.TimeCode.EarliestTime()
SOLIDS = ("Cube", "Sphere", "Cylinder", "Capsule", "Cone", "Mesh", "Plane", "Cylinder_1", "Capsule_1")
_SIZES = ("size", "radius", "height", "axis", "radiusTop", "radiusBottom", "points", "faceVertexCounts",
          "faceVertexIndices", "orientation", "physics:approximation")  # fmt: skip
_COUPLINGS = ("PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint")

OTHERS = (
    ("deformable bodies and cloth", ("PhysxDeformable", "PhysicsDeformable", "OmniPhysicsDeformable", "TetMesh",
                                     "PhysxAutoDeformable", "PhysxParticleCloth", "PhysxAutoParticleCloth",
                                     "PhysicsVolumeDeformable", "PhysicsSurfaceDeformable", "PhysicsCurvesDeformable")),
    ("particle systems", ("PhysxParticle", "PhysxDiffuseParticles")),
    ("vehicles", ("PhysxVehicle",)),
    ("tendons", ("PhysxTendon", "MjcTendon")),
    ("forces", ("PhysxForceAPI", "PhysxSurfaceVelocityAPI")),
)  # fmt: skip
"""What moves otherwise where it is left out, by the beginnings of its types and schemas."""

UNREAD = (
    ("cameras", ("Camera",)),
    ("lights", ("DistantLight", "DomeLight", "SphereLight", "RectLight", "DiskLight", "CylinderLight", "PortalLight")),
    ("OmniGraph nodes", ("OmniGraph", "ComputeGraph")),
    ("sensors", ("Isaac", "OmniLidar", "OmniRadar", "Lidar", "GenericSensor", "PhysxContactReport", "MjcSensor")),
    ("actuators", ("MjcActuator", "NewtonActuator")),
    ("point instancers", ("PointInstancer",)),
    ("curves and points", ("BasisCurves", "NurbsCurves", "Points", "HermiteCurves", "NurbsPatch")),
    ("skeletons", ("Skeleton", "SkelRoot")),
)
"""What is left out and moves nothing."""


_MISSING = re.compile(r"Could not open asset @(.*?)@")


def load_plugins() -> None:
    """Make USD load what it would look for later, when the process is held."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString('#usda 1.0\ndef Cube "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}')
    stage = Usd.Stage.Open(layer)
    UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath("/a"))
    UsdShade.MaterialBindingAPI(stage.GetPrimAtPath("/a")).ComputeBoundMaterial()


def extract(source: Path, folders: Folders, geometry: bool) -> dict[str, Any]:
    """All of a file that the reader uses. ValueError or USD's own errors with the reason where it cannot be read."""
    remarks: list[Remark] = []
    layers, files = open_layers(source, folders, remarks)
    stage = Usd.Stage.Open(layers[0]) if layers else None
    if stage is None:
        raise ValueError("USD makes no stage of it")
    remarks += _faults(stage, source.parent)
    found = _Found(stage, geometry)
    # Instance proxies as well: the bodies of an instanced robot exist only as those.
    for count, prim in enumerate(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies())):
        if why := beyond("prims", count, "its stage") or beyond("cells", found.numbers, "its stage"):
            raise ValueError(why)
        found.take(prim)
    for end in (end for joint in found.joints for end in joint["ends"]):
        end["body"] = found.owner(end["target"])
    default = stage.GetDefaultPrim()
    return {
        "files": files,
        "name": default.GetName() if default else "",
        "units": {key: stage.GetMetadata(key) for key in ("metersPerUnit", "kilogramsPerUnit", "upAxis")},
        "stated": [key for key in ("metersPerUnit", "kilogramsPerUnit", "upAxis") if stage.HasAuthoredMetadata(key)],
        "scenes": found.scenes,
        "bodies": found.bodies,
        "joints": found.joints,
        "shapes": found.shapes,
        "frames": found.frames,
        "tendons": found.tendons,
        "others": dict(found.counts),
        "variants": found.variants,
        "remarks": list(dict.fromkeys(remarks)),
    }


def _faults(stage: Any, folder: Path) -> list[Remark]:
    """What USD could not compose: a file that is missing once, wherever it is named."""
    errors = [" ".join(str(error).replace(f"{folder}/", "").split()) for error in stage.GetCompositionErrors()]
    files = [found[1] if (found := _MISSING.match(text)) else "" for text in errors]
    times = Counter(files)
    missing = [
        ("CB1443", f"{file} cannot be opened" + (f" (named {n} times)" if n > 1 else ""))
        for file, n in times.items()
        if file
    ]
    return missing + [("CB1443", text) for text, file in zip(errors, files, strict=True) if not file]


class _Found:
    """What the walk over the prims has taken so far; parents come before children."""

    def __init__(self, stage: Any, geometry: bool) -> None:
        self._stage, self._geometry = stage, geometry
        self._cache = UsdGeom.XformCache(TIME)
        self._owner: dict[Any, str] = {Sdf.Path.absoluteRootPath: ""}
        self.bodies: dict[str, dict[str, Any]] = {}
        self.joints: list[dict[str, Any]] = []
        self.shapes: list[dict[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self.scenes: list[dict[str, Any]] = []
        self.tendons: list[dict[str, Any]] = []
        self.variants: list[str] = []
        self.counts: Counter[str] = Counter()
        self.numbers = 0

    def take(self, prim: Any) -> None:
        """Look at one prim."""
        path, kind = prim.GetPath(), str(prim.GetTypeName())
        schemas = [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]
        owner = self._owner[path.GetParentPath()]
        if "PhysicsRigidBodyAPI" in schemas:
            owner = str(path)
            self.bodies[owner] = self._prim(prim, schemas) | {"matrix": self._matrix(prim)}
        self._owner[path] = owner
        self._variants(prim)
        if prim.IsA(UsdPhysics.Joint) or kind in _COUPLINGS or prim.HasRelationship("physics:body1"):
            self.joints.append(self._joint(prim, schemas))
        elif prim.IsA(UsdPhysics.Scene):
            self.scenes.append(self._prim(prim, schemas))
        elif kind in SOLIDS:
            self._shape(prim, kind, schemas, owner)
        elif kind == "MjcTendon":
            self.tendons.append(self._prim(prim, schemas) | {"relations": _relations(prim)})
        if owner and owner != str(path) and ("MjcSiteAPI" in schemas or (kind == "Xform" and not prim.GetChildren())):
            self.frames.append({"name": _name(prim), "body": owner, "matrix": self._matrix(prim)})
        for label, starts in (*OTHERS, *UNREAD):
            if kind.startswith(starts) or any(name.startswith(starts) for name in schemas):
                self.counts[label] += 1

    def _variants(self, prim: Any) -> None:
        if prim.HasVariantSets() and not prim.IsInstanceProxy():
            sets = prim.GetVariantSets()
            for name in sets.GetNames():
                one = sets.GetVariantSet(name)
                chosen, others = one.GetVariantSelection() or "none", ", ".join(one.GetVariantNames())
                self.variants.append(f"{prim.GetPath()} {name} = {chosen} (of {others})")

    def _matrix(self, prim: Any) -> Any:
        # USD multiplies row vectors from the left, so its matrices are the transposes of ours.
        return np.array(self._cache.GetLocalToWorldTransform(prim)).T

    def _prim(self, prim: Any, schemas: list[str]) -> dict[str, Any]:
        attributes = {str(a.GetName()): _plain(a.Get(TIME)) for a in prim.GetAttributes() if _physical(a.GetName())}
        return {"path": str(prim.GetPath()), "name": _name(prim), "schemas": schemas, "attributes": attributes}

    def _joint(self, prim: Any, schemas: list[str]) -> dict[str, Any]:
        relations = _relations(prim)
        ends = []
        for side in ("physics:body0", "physics:body1"):
            target = next(iter(relations.get(side, ())), "")
            at = self._stage.GetPrimAtPath(target) if target else None
            exists = at is not None and at.IsValid()
            ends.append({"target": target, "exists": exists, "matrix": self._matrix(at) if exists else np.eye(4)})
        return self._prim(prim, schemas) | {"type": str(prim.GetTypeName()), "relations": relations, "ends": ends}

    def _shape(self, prim: Any, kind: str, schemas: list[str], owner: str) -> None:
        """A solid or mesh: what collides, and what is seen."""
        touches = "PhysicsCollisionAPI" in schemas and bool(_value(prim, "physics:collisionEnabled", True))
        image = UsdGeom.Imageable(prim)
        seen = image.ComputePurpose() != "guide" and image.ComputeVisibility(TIME) != "invisible"
        if not touches and not (seen and self._geometry):
            return
        sizes = {name: _plain(_value(prim, name)) for name in _SIZES if prim.HasAttribute(name)}
        self.numbers += sum(v.size for v in sizes.values() if isinstance(v, np.ndarray))
        shape = self._prim(prim, schemas) | {"type": kind, "sizes": sizes, "body": owner, "matrix": self._matrix(prim)}
        shape |= {"touches": touches, "seen": seen, "colour": _colour(prim) if seen else None}
        self.shapes.append(shape | {"density": _density(prim) if touches else 0.0})

    def owner(self, path: str) -> str:
        """The body that a prim belongs to; "" the world."""
        return self._owner.get(Sdf.Path(path), "") if path else ""


def _physical(name: str) -> bool:
    return ":" in name and not name.startswith(("xformOp", "primvars", "ui:", "collection:"))


def _relations(prim: Any) -> dict[str, list[str]]:
    return {r.GetName(): [str(t) for t in r.GetTargets()] for r in prim.GetRelationships()}


def _name(prim: Any) -> str:
    return str(prim.GetDisplayName() or prim.GetName())


def _value(prim: Any, name: str, default: Any = None) -> Any:
    value = prim.GetAttribute(name).Get(TIME)
    return default if value is None else value


def _plain(value: Any) -> Any:
    """Numbers, texts and arrays; quaternions (4,) with w first; None for anything else."""
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Gf.Quatf | Gf.Quatd | Gf.Quath):
        return np.array([value.GetReal(), *value.GetImaginary()], dtype=float)
    try:
        found = np.array(value)
    except (TypeError, ValueError):
        return None
    return found if found.dtype.kind in "fiu" and found.size else None


def _colour(prim: Any) -> tuple[float, float, float, float] | None:
    """Of the material that is bound, else the one that simple viewers show."""
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
    for shader in Usd.PrimRange(material.GetPrim()) if material else ():
        for name in ("inputs:diffuseColor", "inputs:diffuse_color_constant"):
            value = _value(shader, name)
            if value is not None:
                return float(value[0]), float(value[1]), float(value[2]), float(_value(shader, "inputs:opacity", 1.0))
    shown, opacity = (_value(prim, f"primvars:display{what}") for what in ("Color", "Opacity"))
    if not shown:
        return None
    red, green, blue = (float(v) for v in shown[0])
    return red, green, blue, float(opacity[0]) if opacity else 1.0


def _density(prim: Any) -> float:
    """Of the physics material, 0 where none says it."""
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0]
    return float(_value(material.GetPrim(), "physics:density", 0.0)) if material else 0.0
