"""Files that a source names: inside its own folder or a package's; shapes also in the folders around (`around`)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.touched import looked_for

SHAPE = "CB112"
"""The code of a missing file that holds nothing but a shape."""

_OUTSIDE = {SHAPE: "CB1438"}
"""By the code of a missing file: the code of one that lies outside. A shape that is not opened changes no motion."""

MESHES = (".stl", ".dae", ".obj", ".ply", ".glb", ".gltf", ".off")
"""Files that hold nothing but shapes: these may lie in the folders around the source's, as `../../meshes` does."""

_ABOVE = 3
"""So many folders above the source's belong to what it came with, where nothing marks the top of that."""

_TOPS = (".git", "package.xml")
"""What marks the top folder of a repository or a ROS package."""


def around(real: Path, folder: Path) -> bool:
    """Whether a path, links resolved, may be a shape that a source in `folder` names."""
    return any(real.is_relative_to(at) for at in folders_around(folder))


def folders_around(folder: Path) -> tuple[Path, ...]:
    """The repository or package that `folder` lies in, else itself, and the three folders above it.

    Neither the disk's root nor a folder that holds the homes of several people counts.
    """
    home = Path.home()
    above = [at for at in folder.parents if at != Path(at.anchor) and (at == home or not home.is_relative_to(at))]
    top = next((at for at in (folder, *above) if at != home and any((at / mark).exists() for mark in _TOPS)), folder)
    return (top, *above[:_ABOVE])


def inside(path: Path, roots: Iterable[Path], findings: Findings, where: Where, missing: str = "CB106") -> Path | None:
    """The path, links resolved, if it is a file below one of `roots`; None with CB102 or `missing` if not.

    `missing` is CB112 for a file that holds nothing but a shape; one outside is then CB1438.
    """
    try:
        real = path.resolve()
        allowed = any(real.is_relative_to(root.resolve()) for root in roots)
        there = allowed and real.is_file()
    except (OSError, ValueError, RuntimeError):
        findings.add(missing, f"{str(path)!r} is no path that can be opened", where)
        return None
    if not allowed:
        text = f"{_displayed(path)} lies outside the folder of the source and its packages"
        findings.add(_OUTSIDE.get(missing, "CB102"), text, where)
        return None
    if not there:
        findings.add(missing, f"{_displayed(path)} is missing", where)
        return None
    looked_for(real)  # it may be opened later, or by another process
    return real


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
    folder = source.resolve().parent
    dirs = tuple(package_dirs)
    scheme, mark, rest = uri.partition("://")
    if not mark:
        own = [f for f in (folder, *list(folder.parents)[:2]) if (f / "package.xml").is_file()]
        path = folder / uri.replace("\\", "/")
        return inside(path, (folder, *own, *_shape_roots(path, folder, missing), *dirs), findings, where, missing)
    if scheme == "file":
        return inside(Path(unquote(rest)), (folder, *dirs), findings, where, missing)
    if scheme not in ("package", "model"):
        findings.add(_OUTSIDE.get(missing, "CB102"), f"{uri} is not on this machine; nothing is fetched", where)
        return None
    package, _, tail = rest.partition("/")
    root = package_folder(package, folder, dirs)
    if missing == SHAPE and (root is None or not (root / tail).is_file()):
        found = _beside(tail, folder)
        if found is not None:
            findings.add("CB114", f"{uri} is taken to be {_displayed(found)}", where)
            return found
    if root is None:
        findings.add(missing, f"no folder of the package {package!r} is known for {uri}", where, "Name its folder with --package-dir.")  # fmt: skip  # noqa: E501
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


def _beside(tail: str, folder: Path) -> Path | None:
    """The mesh of an unknown package at the same path below the source's folder, or one of those above."""
    for root in (folder, *list(folder.parents)[:_ABOVE]):
        found = inside(root / tail, (root,), Findings(), Where(), SHAPE)
        if found is not None and _is_mesh(found) and around(found, folder):
            return found
    return None


def package_folder(package: str, folder: Path, package_dirs: Iterable[Path]) -> Path | None:
    """The folder of a ROS package: in `package_dirs`, else up from `folder`; None where it is not found.

    Above the source a package is known by its package.xml, a model of Gazebo by its model.config. A folder that
    merely bears the name is taken for it only close by: any folder on the way to the root of the disk could be read
    otherwise.
    """
    if package in ("", ".", "..") or "\\" in package or "\0" in package:
        return None
    for given in package_dirs:
        if (given / package).is_dir():
            return given / package
        if given.resolve().name == package or _declares(given, package):
            return given
    near = (folder, *list(folder.parents)[:1])
    for at in (folder, *folder.parents):
        if _declares(at, package) or (at in near and at.name == package):
            return at
        if _declares(at / package, package):
            return at / package
        models = (at / package, at / "models" / package)
        if (model := next((m for m in models if (m / "model.config").is_file()), None)) is not None:
            return model
    return None


def _declares(folder: Path, package: str) -> bool:
    """Whether a folder's package.xml bears the name."""
    from cadbridge.readers.xml import child, parse

    manifest = folder / "package.xml"
    try:
        if not manifest.is_file():
            return False
        name = child(parse(manifest, Findings()), "name")
    except (OSError, InputError):
        return False
    return name is not None and (name.text or "").strip() == package
