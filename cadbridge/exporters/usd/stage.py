"""Layers of a USD stage as bytes, the same on every run: metres, kilograms, z up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from cadbridge.frames import Pose


def new_stage() -> Any:
    """An empty stage in memory with its units."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    return stage


def reserve(stage: Any, paths: Iterable[Any], specifier: Any) -> None:
    """Make prims at once: a stage looks at all siblings anew for each that is made on its own."""
    layer = stage.GetRootLayer()
    with Sdf.ChangeBlock():
        for path in paths:
            Sdf.CreatePrimInLayer(layer, path).specifier = specifier


def bytes_of(stage: Any) -> bytes:
    """The root layer of a stage as text."""
    return str(stage.GetRootLayer().ExportToString()).encode()


def detached(stage: Any) -> Any:
    """The root layer of a stage on its own, where a reference to a file that is not yet written does no harm."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(stage.GetRootLayer().ExportToString())
    return layer


def root_layer(name: str, layers: list[str]) -> bytes:
    """NAME.usda: the layers over one another, the strongest first."""
    layer = detached(new_stage())
    layer.defaultPrim = name
    layer.customLayerData = {"creator": "cadbridge"}
    for path in layers:
        layer.subLayerPaths.append(f"./{path}")
    return str(layer.ExportToString()).encode()


def place(prim: Any, X: Pose) -> None:
    """Translate and orient a prim in double precision."""
    shape = UsdGeom.Xformable(prim)
    shape.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*X.p.tolist()))
    w, *xyz = X.quaternion().tolist()
    shape.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(w, Gf.Vec3d(*xyz)))


def quatf(quaternion: Any) -> Any:
    """A quaternion (4,), w first, as USD's physics has it."""
    w, x, y, z = (float(v) for v in quaternion)
    return Gf.Quatf(w, x, y, z)


def links(name: str) -> Any:
    """Where the bodies are."""
    return Sdf.Path(f"/{name}/bodies")


def joints(name: str) -> Any:
    """Where the joints are."""
    return Sdf.Path(f"/{name}/joints")
