"""The layer of shapes: a transform for each body as designed, below it what is seen and what collides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pxr import Gf, Kind, Sdf, Usd, UsdGeom, UsdShade, Vt

from cadbridge.exporters.collision import Box, Capsule, Cylinder, Solid, Sphere
from cadbridge.exporters.names import UniqueNames
from cadbridge.exporters.plan import LinkPlan
from cadbridge.exporters.usd.stage import detached, links, new_stage, place, reserve

ROUGHNESS = 0.5
"""Of machined metal and of plastic; no CAD file says it."""


def geometry_layer(plan: LinkPlan, name: str) -> bytes:
    """The layer as text; meshes are references to files of their own."""
    stage = new_stage()
    root = UsdGeom.Xform.Define(stage, f"/{name}").GetPrim()
    Usd.ModelAPI(root).SetKind(Kind.Tokens.component)
    stage.GetRootLayer().defaultPrim = name
    UsdGeom.Scope.Define(stage, links(name))
    reserve(stage, (links(name).AppendChild(link) for link in plan.link_names), Sdf.SpecifierDef)
    references: list[tuple[Any, str]] = []
    materials = Materials(stage, name)
    for link_name, link in zip(plan.link_names, plan.tree.links, strict=True):
        path = links(name).AppendChild(link_name)
        place(UsdGeom.Xform.Define(stage, path).GetPrim(), link.X_WL)
        names = UniqueNames("part", ())
        for instance, X_LI, files in plan.shown(link):
            stem = names.give(instance.name)
            shown = _mesh(stage, path.AppendChild(f"{stem}_visual"), files.visual, references)
            place(shown.GetPrim(), X_LI)
            materials.bind(shown, plan.colour(instance))
            for n, touched in enumerate(files.collision, 1):
                at = path.AppendChild(f"{stem}_collision{n}")
                if isinstance(touched.body, str):
                    shape = _mesh(stage, at, touched.body, references)
                else:
                    shape = _solid(stage, at, touched.body)
                place(shape.GetPrim(), X_LI @ touched.X_IP)
                # Viewers hide guides: what collides would else cover what is seen.
                shape.CreatePurposeAttr(UsdGeom.Tokens.guide)
                if isinstance(touched.body, Box):
                    shape.AddScaleOp().Set(Gf.Vec3f(*touched.body.size))
    for frame_name, link_index, X_LF in plan.frames():
        path = links(name).AppendChild(plan.link_names[link_index]).AppendChild(frame_name)
        place(UsdGeom.Xform.Define(stage, path).GetPrim(), X_LF)
    # A stage would look for the mesh files at once, which are written after it.
    layer = detached(stage)
    for path, file in references:
        layer.GetPrimAtPath(path).referenceList.Prepend(Sdf.Reference(f"../{file}"))
    return str(layer.ExportToString()).encode()


class Materials:
    """A material for each colour (red, green, blue, opacity), for renderers; simple viewers show the colour itself."""

    def __init__(self, stage: Any, name: str) -> None:
        self._stage, self._folder = stage, Sdf.Path(f"/{name}/materials")
        self._made: dict[Sequence[float], Any] = {}

    def bind(self, mesh: Any, colour: Sequence[float]) -> None:
        """Give a mesh its colour."""
        if tuple(colour) not in self._made:
            self._made[tuple(colour)] = self._make(colour)
        UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(self._made[tuple(colour)])
        mesh.CreateDisplayColorAttr(Vt.Vec3fArray([Gf.Vec3f(*colour[:3])]))
        mesh.CreateDisplayOpacityAttr(Vt.FloatArray([colour[3]]))

    def _make(self, colour: Sequence[float]) -> Any:
        UsdGeom.Scope.Define(self._stage, self._folder)
        path = self._folder.AppendChild(f"colour{len(self._made) + 1}")
        material = UsdShade.Material.Define(self._stage, path)
        surface = UsdShade.Shader.Define(self._stage, path.AppendChild("surface"))
        surface.CreateIdAttr("UsdPreviewSurface")
        surface.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*colour[:3]))
        surface.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(colour[3])
        surface.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(ROUGHNESS)
        material.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
        return material


def _mesh(stage: Any, path: Any, file: str, references: list[tuple[Any, str]]) -> Any:
    references.append((path, file))
    return UsdGeom.Mesh.Define(stage, path)


def _solid(stage: Any, path: Any, solid: Solid) -> Any:
    """A solid that USD knows; boxes are unit cubes that the caller scales after placing them."""
    if isinstance(solid, Box):
        shape = UsdGeom.Cube.Define(stage, path)
        shape.CreateSizeAttr(1.0)
        return shape
    if isinstance(solid, Sphere):
        shape = UsdGeom.Sphere.Define(stage, path)
        shape.CreateRadiusAttr(solid.radius)
        return shape
    assert isinstance(solid, Cylinder | Capsule)
    shape = (UsdGeom.Cylinder if isinstance(solid, Cylinder) else UsdGeom.Capsule).Define(stage, path)
    shape.CreateAxisAttr(UsdGeom.Tokens.z)
    shape.CreateRadiusAttr(solid.radius)
    shape.CreateHeightAttr(solid.length)
    return shape
