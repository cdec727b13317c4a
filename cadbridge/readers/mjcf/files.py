"""Which files a MJCF names, before MuJoCo opens them: all must lie below its folder or the package folders.

Shapes, pictures and included models may lie in the folder above too: `meshdir="../meshes"` is how many are laid out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.xml import Element, local, parse

_FOLDERS = ("assetdir", "meshdir", "texturedir")
MAX_FILES = 200
"""So many files may include one another."""


_SHAPES = (".stl", ".obj", ".msh", ".ply", ".skn", ".png", ".hf", ".hfield")
"""Files that hold nothing but shapes and pictures: these may lie in the folder above the source's, as `../meshes` does.
So may other models that a file includes."""


def check_files(path: Path, options: ReadOptions, findings: Findings) -> bool:
    """Whether one file holds everything, so that lines have a meaning. InputError (CB102, CB1400) where not safe."""
    folder = path.resolve().parent
    roots = [folder, *(d.resolve() for d in options.package_dirs)]
    seen: set[Path] = set()
    waiting = [path.resolve()]
    while waiting:
        at = waiting.pop()
        if at in seen or not at.is_file():
            continue
        seen.add(at)
        if len(seen) > MAX_FILES:
            findings.add("CB1400", f"more than {MAX_FILES} files include one another", Where(str(path)))
            raise InputError(f"{path.name} includes too many files", findings)
        root = parse(at, findings)
        for element, candidates in _named(root, folder, at.parent):
            for candidate in candidates:
                if not any(candidate.is_relative_to(r) for r in roots) and not _beside(element, candidate, folder):
                    where = Where(str(at), element.sourceline)
                    text = f"{candidate} lies outside the folder of the source and of those beside it"
                    findings.add("CB102", text, where)
                    raise InputError(f"{path.name} names a file outside its folder", findings)
            if local(element) in ("include", "model") and candidates:
                waiting += candidates
    return len(seen) == 1


def _beside(element: Element, candidate: Path, folder: Path) -> bool:
    """Whether a path, links resolved, is a model in the folder above to include, or a shape in a folder beside."""
    if folder.parent == Path(folder.anchor) or not candidate.is_relative_to(folder.parent):
        return False
    kind, ending = local(element), candidate.suffix.lower()
    if kind == "compiler":
        return True
    if kind in ("include", "model"):
        return ending in (".xml", ".mjcf")
    return ending in _SHAPES and candidate.parent != folder.parent


def _named(root: Element, folder: Path, own: Path) -> Iterator[tuple[Element, list[Path]]]:
    """Elements that name files, with every place where MuJoCo may look for them."""
    folders = {folder, own}
    for element in root.iter():
        for key in _FOLDERS:
            value = element.get(key) if isinstance(element.tag, str) else None
            if value is not None:
                found = {(base / text).resolve() for text in _as_read(value) for base in (folder, own)}
                folders |= found
                yield element, sorted(found)
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        values = [text for key, value in element.attrib.items() if key.startswith("file") for text in _as_read(value)]
        if values:
            yield element, sorted({(base / value).resolve() for value in values for base in folders})


def _as_read(name: str) -> set[str]:
    """A path as it stands and as MuJoCo takes it: a backslash separates folders on every system."""
    return {name, name.replace("\\", "/")}
