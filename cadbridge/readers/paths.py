"""Files that a source names: in its folders, or in a package; shapes also in the folders around. See `folders`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.folders import MANIFEST, MESHES, Folders, around, holds, is_home_or_above
from cadbridge.touched import looked_for

if TYPE_CHECKING:
    from cadbridge.readers.xml import Element

SHAPE = "CB112"
"""The code of a missing file that holds nothing but a shape."""

_OUTSIDE = {SHAPE: "CB1438"}
"""By the code of a missing file: the code of one that lies outside. A shape that is not opened changes no motion."""

_ABOVE = 3
"""Folders above the source's in which a mesh of an unknown package is looked for: packages keep robots in `urdf/NAME`.

Each one more opens more of the disk to what a stranger's file names.
"""

MOST_FILES = 200
"""Files that one source may lead to by includes or links: MJCF, FreeCAD, and what is looked through before a xacro.

A choice. More would let a small file have a disk read.
"""


def inside(path: Path, roots: Iterable[Path], findings: Findings, where: Where, missing: str = "CB106") -> Path | None:
    """The path, links resolved, if it is a file below one of `roots`; None with CB102 or `missing` if not.

    `missing` is CB112 for a file that holds nothing but a shape; one outside is then CB1438.
    """
    try:
        real = path.resolve()
        allowed = any(holds(root.resolve(), real) for root in roots)
        there = allowed and real.is_file()
    except (OSError, ValueError, RuntimeError):
        findings.add(missing, f"{str(path)!r} is not a path that can be opened", where)
        return None
    if not allowed:
        text = f"{_displayed(path)} lies outside the folder of the source and its packages"
        findings.add(_OUTSIDE.get(missing, "CB102"), text, where)
        return None
    if not there:
        findings.add(missing, f"{_displayed(path)} is {'a folder' if real.is_dir() else 'missing'}", where)
        return None
    looked_for(real)  # it may be opened later, or by another process
    return real


def lies_beside(path: Path, source: Path) -> bool:
    """Whether a file beside a source is one of its folder, and no link that leads out of it."""
    try:
        real = path.resolve()
        return any(holds(folder, real) for folder in (source.parent.resolve(), source.resolve().parent))
    except (OSError, ValueError, RuntimeError):
        return False


def beside(path: Path, source: Path, option: str) -> Path:
    """A file that is read unasked because it lies beside a source; InputError (CB102) if it is a link out of there."""
    if lies_beside(path, source):
        return path
    findings = Findings()
    text = f"{path} is a link that leads out of the folder of the source"
    findings.add("CB102", text, Where(str(path)), f"If you trust it, {option}.")
    raise InputError(f"{text}.", findings)


def _displayed(path: Path) -> str:
    """A path from the current folder on, where it lies below: messages are then the same wherever that lies."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def referenced(
    uri: str, source: Path, package_dirs: Iterable[Path], findings: Findings, where: Where, missing: str = "CB106"
) -> Path | None:
    """The file behind a package://, model://, file:// or relative reference of `source`; None with a finding.

    `missing` is CB112 for a file that holds nothing but a shape.
    """
    folders = Folders.of(source, package_dirs)
    scheme, mark, rest = uri.partition("://")
    if not mark:
        # A URDF lies in PACKAGE/urdf or PACKAGE/urdf/NAME and names ../meshes: all of its package may be read.
        own = [f for f in (folders.own, *list(folders.own.parents)[:2]) if is_package(f)]
        path = folders.own / uri.replace("\\", "/")
        roots = (*folders.roots, *own, *_shape_roots(path, folders.own, missing))
        return inside(path, roots, findings, where, missing)
    if scheme == "file":
        return inside(Path(unquote(rest)), folders.roots, findings, where, missing)
    if scheme not in ("package", "model"):
        findings.add(_OUTSIDE.get(missing, "CB102"), f"{uri} is not on this machine; nothing is fetched", where)
        return None
    package, _, tail = rest.partition("/")
    root = package_folder(package, folders)
    if missing == SHAPE and (root is None or not (root / tail).is_file()):
        found = _near(package, tail, folders.own)
        if found is not None:
            return found
        found = _beside(tail, folders.own)
        if found is not None:
            findings.add("CB114", f"{uri} is taken to be {_displayed(found)}", where)
            return found
    if root is None and not package:
        findings.add(missing, f"{uri} names no package, and {tail} is not beside the source", where)
        return None
    if root is None:
        text = f"no folder of the package {package!r} is known for {uri}"
        findings.add(missing, text, where, "Name its folder with --package-dir.")
        return None
    return inside(root / tail, (root,), findings, where, missing)


def _shape_roots(path: Path, folder: Path, missing: str) -> tuple[Path, ...]:
    """The folders above the source's in which this mesh file may lie."""
    if missing != SHAPE or not _is_mesh(path):
        return ()
    real = path.resolve()
    return (real.parent,) if around(real, folder) else ()


def _is_mesh(path: Path) -> bool:
    """Whether a path, links resolved, has the ending of a mesh file."""
    try:
        return path.resolve().suffix.lower() in MESHES
    except (OSError, ValueError, RuntimeError):
        return False


def _near(package: str, tail: str, folder: Path) -> Path | None:
    """The mesh in a folder that merely bears the package's name: the source's own, or the one above."""
    return next((_mesh_below(at, tail, folder) for at in (folder, folder.parent) if at.name == package), None)


def _beside(tail: str, folder: Path) -> Path | None:
    """The mesh of an unknown package at the same path below the source's folder, or one of those above."""
    tried = (_mesh_below(root, tail, folder) for root in (folder, *list(folder.parents)[:_ABOVE]))
    return next((found for found in tried if found is not None), None)


def _mesh_below(root: Path, tail: str, folder: Path) -> Path | None:
    """The mesh at a path below `root`, if a source in `folder` may name it."""
    found = inside(root / tail, (root,), Findings(), Where(), SHAPE)
    return found if found is not None and _is_mesh(found) and around(found, folder) else None


def package_folder(package: str, folders: Folders) -> Path | None:
    """The folder of a ROS package, of which all may be read: below the folders given, else up from the source's.

    A package is known by its package.xml (or manifest.xml, of rosbuild), a model of Gazebo by its model.config. A
    folder that merely bears the name is taken for it only below the folders that the person gave. None for a name
    with a separator, where none is found, and for a home and what is above one.
    """
    if package in ("", ".", "..") or set(package) & set("/\\:\0"):
        return None
    for given in folders.given:
        at = (given / package).resolve()
        # A link among packages may lead out of the folder given: it counts where it leads to a package.
        if at.is_dir() and (is_package(at) or holds(given, at)) and not is_home_or_above(at):
            return at
        if given.name == package or _declares(given, package):
            return given
    for at in (folders.own, *folders.own.parents):
        found = next((f for f in (at, at / package, at / "models" / package) if _is_called(f, package)), None)
        if found is not None and holds(at, real := found.resolve()) and not is_home_or_above(real):
            return real
    return None


def _is_called(folder: Path, package: str) -> bool:
    """Whether a folder is the package, or the model of Gazebo, of this name."""
    if folder.name == package and (is_package(folder) or (folder / "model.config").is_file()):
        return True
    return _declares(folder, package)


def is_package(folder: Path) -> bool:
    """Whether a folder holds the manifest of a ROS package, of rosbuild too; a home and what is above one is none."""
    return ((folder / MANIFEST).is_file() or _of_rosbuild(folder)) and not is_home_or_above(folder)


def _of_rosbuild(folder: Path) -> bool:
    """Whether a folder is a package of rosbuild, whose manifest.xml has no name: the folder's is the package's."""
    root = _manifest(folder / "manifest.xml")  # other programs have one, too
    return root is not None and bool(root.tag == "package")


def _declares(folder: Path, package: str) -> bool:
    """Whether a folder's package.xml bears the name."""
    from cadbridge.readers.xml import child

    root = _manifest(folder / MANIFEST)
    name = None if root is None else child(root, "name")
    return name is not None and (name.text or "").strip() == package


def _manifest(manifest: Path) -> Element | None:
    """The root of a package's manifest; None where it cannot be read, or is a link that leads out of its folder."""
    from cadbridge.readers.xml import parse

    folder = manifest.parent
    try:
        if not manifest.is_file() or not holds(folder.resolve(), manifest.resolve()):
            return None
        return parse(manifest, Findings())
    except (OSError, InputError):
        return None
