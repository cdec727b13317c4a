"""Which layers a stage names, before USD composes them: each must lie in the source's folders, or is cut off.

What holds for the meshes of a URDF holds for layers: they lie in the source's folder, in a package folder or in the
folders around. Addresses and value clips are cut off as well. Nothing on the disk is changed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pxr import Ar, Sdf

from cadbridge.budget import beyond
from cadbridge.folders import Folders

ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
"""Of files that are opened as layers: USD reads others by plug-ins, which open more files than those looked at here."""

Remark = tuple[str, str]
"""Code and message."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def open_layers(source: Path, folders: Folders, remarks: list[Remark]) -> tuple[list[Any], list[str]]:
    """All layers that may be composed, the source's own first, opened so that USD finds these, and the files that
    were looked for. ValueError if too many.

    What is cut off is in `remarks`; what is missing is left for USD to report if it is used.
    """
    opened: dict[str, Any] = {}
    files: set[str] = set()
    waiting, prims = [str(source)], 0
    while waiting:
        name = waiting.pop()
        files.add(_on_disk(name))
        if name in opened or not Path(_on_disk(name)).is_file():
            continue
        opened[name] = layer = Sdf.Layer.FindOrOpen(name)
        if layer is None:
            continue
        prims += _clean(layer, remarks)
        if why := beyond("prims", prims, "it") or beyond("layers", len(opened), "it"):
            raise ValueError(why)
        for asset in layer.GetCompositionAssetDependencies():
            found = _allowed(layer, asset, folders, remarks)
            if found is None:
                # In memory only: USD then composes the stage without that arc.
                layer.UpdateCompositionAssetDependency(asset, "")
            elif found:
                waiting.append(found)
    return [layer for layer in opened.values() if layer is not None], sorted(files)


def _clean(layer: Any, remarks: list[Remark]) -> int:
    """Make a layer changeable in memory, without value clips; how many prims it has."""
    layer.SetPermissionToEdit(True)
    prims: list[Any] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, lambda path: prims.append(path) if path.IsPrimPath() else None)
    for path in prims:
        if layer.GetPrimAtPath(path).HasInfo("clips"):
            layer.GetPrimAtPath(path).ClearInfo("clips")
            remarks.append(("CB1446", f"{path}: value clips"))
    return len(prims)


def _on_disk(name: str) -> str:
    """The file that a layer lies in: of one within a package (.usdz) the package's."""
    return str(Ar.SplitPackageRelativePathOuter(name)[0]) if Ar.IsPackageRelativePath(name) else name


def _allowed(layer: Any, asset: str, folders: Folders, remarks: list[Remark]) -> str | None:
    """The layer that an asset path names, "" where it needs no look, None where it is cut off."""
    if _ADDRESS.match(asset) or asset.startswith("`"):
        kind = "an expression" if asset.startswith("`") else "no file of this machine; nothing is fetched"
        remarks.append(("CB1443", f"{asset} is {kind}"))
        return None
    if not asset:  # of the same layer
        return ""
    name = str(Sdf.Layer.SplitIdentifier(Sdf.ComputeAssetPathRelativeToLayer(layer, asset))[0])
    try:
        real = Path(_on_disk(name)).resolve()
    except (OSError, ValueError, RuntimeError):
        real = Path("/")
    own = folders.hold(real)
    if not own and real.suffix.lower() in ENDINGS and folders.around(real):
        remarks.append(("CB1616", f"{asset} lies in a folder around the source's"))
    elif not own:
        remarks.append(("CB102", f"{asset} lies outside the folder of the source and of those around it"))
        return None
    if real.suffix.lower() not in ENDINGS:
        remarks.append(("CB1443", f"{asset} is not a layer of USD"))
        return None
    return name
