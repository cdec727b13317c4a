"""Which files a MJCF names, before MuJoCo opens them: all must lie below its folder or the package folders.

Shapes, pictures and included models may lie in the folders around too: `meshdir="../../meshes"` is how many are laid
out. Only regular files are opened, and nothing is included but models.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from cadbridge.budget import refuse
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.folders import Folders
from cadbridge.mass.files import is_placeholder
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.paths import MOST_FILES
from cadbridge.readers.xml import Element, local, parse
from cadbridge.touched import looked_for
from cadbridge.wording import listed

_FOLDERS = ("assetdir", "meshdir", "texturedir")
_INCLUDING = ("include", "model")
MAX_COPIES = 100_000
"""Copies of a body that `<replicate>` may ask for; MuJoCo makes them while it parses, before any other limit."""
MAX_FOLDERS = 50
"""Folders of shapes that the files may name, beside those in which they lie: every mesh is looked for in each.

A choice.
"""

NOT_THERE = "Copy the file to where the MJCF names it, with its folder of meshes; or correct the name there."
"""The cure of a file that MuJoCo does not find."""
_SHAPES = (".stl", ".obj", ".msh", ".ply", ".skn", ".png", ".ktx", ".hf", ".hfield")
"""Files that hold nothing but shapes and pictures: these may lie in the folders around the source's."""

_UTF8 = ("utf-8", "utf8")
_ENCODINGS = (*_UTF8, "us-ascii", "ascii", "iso-8859-1", "latin-1", "latin1")
"""The encodings in which a text that is UTF-8 to MuJoCo has the same tags and quotes."""

_MODELS = (".xml", ".mjcf")
"""Files that may be included or attached; from the folders around only if their root says that they are models."""


@dataclass(frozen=True)
class Named:
    """The model files that lead to each other, and the other files that they name and that exist; links resolved.

    One model alone holds everything, so that lines have a meaning.
    """

    models: frozenset[Path]
    files: frozenset[Path]


def check_files(path: Path, options: ReadOptions, findings: Findings) -> Named:
    """What a model leads to. InputError (CB102, CB104, CB1400) where MuJoCo would open what it may not."""
    folders = Folders.of(path, options.package_dirs)
    folder = folders.own
    models: dict[Path, Element] = {}
    files: set[Path] = set()
    missing: list[tuple[Path, Element]] = []
    waiting = [path.resolve()]
    while waiting:
        at = waiting.pop()
        if at in models or not at.is_file():
            continue
        models[at] = root = parse(at, findings)
        _check_text(root, at, findings)
        _check_copies(root, at, findings)
        _tell_no_numbers(root, at, findings)
        # From the folders around only what says that it is a model: with any other root, whatever ends in .xml could
        # be read into names.
        if not folders.hold(at):
            if local(root) not in ("mujoco", "mujocoinclude"):
                _refuse(
                    path, f"{at} lies outside the folder of the source and is not a model", Where(str(at)), findings
                )
            findings.add("CB1616", f"{at.name} lies in a folder around the source's", Where(str(at)))
        if len(models) > MOST_FILES:
            _too_many(path, f"more than {MOST_FILES} files include one another", findings)
        for element, candidates in _named(root, {folder, at.parent}, included=True):
            found = _checked(path, element, candidates, Where(str(at), element.sourceline), folders, findings)
            missing += [] if found else [(at, element)]
            waiting += found
    # After all models: MuJoCo merges the <compiler> of included files into one, so that any of them may name the
    # folder.
    searched = _searched(models, folder)
    if len(searched) > MOST_FILES + MAX_FOLDERS:
        _too_many(path, f"more than {MAX_FOLDERS} folders are named", findings)
    for at, root in models.items():
        for element, candidates in _named(root, searched, included=False):
            found = _checked(path, element, candidates, Where(str(at), element.sourceline), folders, findings)
            missing += [] if found else [(at, element)]
            files.update(found)
    _check_missing(path, missing, models, findings)
    _check_fetched(path, files, findings)
    return Named(frozenset(models), frozenset(files))


def _check_missing(
    path: Path, missing: list[tuple[Path, Element]], models: dict[Path, Element], findings: Findings
) -> None:
    """InputError (CB1400) where files do not exist without which MuJoCo reads nothing; it names one, after all others.

    Of a model that nothing attaches it opens none, so that with <model> it has the last word.
    """
    if not missing or any(local(e) == "model" for root in models.values() for e in root.iter(etree.Element)):
        return
    opened = [(at, element) for at, element in missing if not element.get("builtin")]  # such a picture needs no file
    for at, element in opened:
        names = [value for key, value in element.attrib.items() if key.startswith("file")]
        text = f"{listed(names)} of <{local(element)}> {'is' if len(names) == 1 else 'are'} missing"
        file = path if at == path.resolve() else at
        findings.add("CB1400", text, Where(str(file), element.sourceline), NOT_THERE, items=names)
    if opened:
        files = "a file that is" if len(opened) == 1 else f"{len(opened)} files that are"
        raise InputError(f"{path.name} needs {files} missing", findings)


def _check_fetched(path: Path, files: Iterable[Path], findings: Findings) -> None:
    """InputError (CB1400) where shapes are placeholders of Git LFS: MuJoCo would speak of broken meshes."""
    waiting = []
    for file in sorted(files):
        if file.is_file():
            with file.open("rb") as opened:
                waiting += [file.name] if is_placeholder(opened.read(64)) else []
    if waiting:
        text = f"{listed(waiting)} {'is a placeholder' if len(waiting) == 1 else 'are placeholders'} of Git LFS"
        findings.add("CB1400", text, Where(str(path)), "Run `git lfs pull` in the repository.", items=waiting)
        raise InputError(f"{path.name} needs files that Git LFS has not fetched", findings)


def _check_text(root: Element, at: Path, findings: Findings) -> None:
    """InputError (CB104) where MuJoCo's parser would read another text than ours: it takes all for UTF-8."""
    encoding = (root.getroottree().docinfo.encoding or "utf-8").lower()
    with at.open("rb") as stream:
        encoding = "utf-16" if b"\0" in stream.read(4) else encoding  # a byte order mark says so without a declaration
    if encoding not in _ENCODINGS:
        text = f"{at.name} is in the encoding {encoding}; MuJoCo reads all as UTF-8"
        findings.add("CB104", text, Where(str(at), 1), "Save the file in UTF-8.")
        raise InputError(text, findings)
    for element in root.iter(etree.Element):
        values = [v for k, v in element.attrib.items() if k.startswith("file") or k in _FOLDERS]
        odd = next((v for v in values if not v.isprintable() or not (v.isascii() or encoding in _UTF8)), None)
        if odd is not None:
            text = f"{at.name}: the name {odd!r} holds characters that MuJoCo would read as others"
            findings.add("CB104", text, Where(str(at), element.sourceline), "Rename the file.")
            raise InputError(text, findings)


def _pixels(path: Path) -> int:
    """How many pixels a picture (PNG) says that it has: packed, they may take no room on the disk."""
    with path.open("rb") as stream:
        start = stream.read(24)
    if len(start) < 24 or not start.startswith(b"\x89PNG"):
        return 0
    # IHDR, the first chunk of a PNG, holds width and height at fixed places.
    return int.from_bytes(start[16:20], "big") * int.from_bytes(start[20:24], "big")


def _too_many(path: Path, text: str, findings: Findings) -> None:
    findings.add("CB1400", text, Where(str(path)))
    raise InputError(f"{path.name} names too many files", findings)


def _searched(models: dict[Path, Element], folder: Path) -> set[Path]:
    """Where MuJoCo may look for shapes: a folder that one file names holds for those that include it."""
    found = {folder, *(at.parent for at in models)}
    for at, root in models.items():
        named = [element.get(key, "") for element in root.iter("{*}compiler") for key in _FOLDERS]
        for text in {other for name in set(named) - {""} for other in _as_read(name)}:
            found |= {place for base in (folder, at.parent) for place in _places(base / text)}
    return found


def _checked(
    path: Path, element: Element, candidates: list[Path], where: Where, folders: Folders, findings: Findings
) -> list[Path]:
    """The candidates that exist; refused is what MuJoCo would open that is no regular file or lies outside.

    It opens the first place that exists.
    """
    existing = [candidate for candidate in candidates if os.path.exists(candidate)]
    # Where none exists all are held to the folders: CB102 or not must not tell what lies outside.
    for candidate in existing or candidates:
        looked_for(candidate)  # MuJoCo opens it in another process
        if not folders.hold(candidate) and not _beside(element, candidate, folders):
            _refuse(path, f"{candidate} lies outside the folder of the source and of those around it", where, findings)
        if candidate in existing and not candidate.is_file() and not candidate.is_dir():
            _refuse(path, f"{candidate} is not a file on a disk", where, findings)
        if candidate.suffix.lower() == ".png" and candidate.is_file():
            refuse("pixels", _pixels(candidate), candidate.name, findings, where)
    return existing


def _refuse(path: Path, text: str, where: Where, findings: Findings) -> None:
    findings.add("CB102", text, where)
    raise InputError(f"{path.name} names a file that is not opened", findings)


def _check_copies(root: Element, at: Path, findings: Findings) -> None:
    """InputError where replicates, also within each other, ask for more copies than MAX_COPIES."""
    copies: dict[Element, float] = {root: 1.0}
    for element in root.iter(etree.Element):
        if element is not root:
            copies[element] = copies[element.getparent()]
        if local(element) == "replicate":
            with contextlib.suppress(ValueError):
                copies[element] *= max(1.0, float(element.get("count") or 1))
        if copies[element] > MAX_COPIES:
            text = f"<replicate> asks for {copies[element]:.0f} copies; {MAX_COPIES} are the most that are read"
            findings.add("CB1400", text, Where(str(at), element.sourceline))
            raise InputError(f"{at.name} asks for too many copies", findings)


def _tell_no_numbers(root: Element, at: Path, findings: Findings) -> None:
    """CB181 for each attribute with a NaN: MuJoCo takes some for ones that are not given."""
    for element in root.iter(etree.Element):
        for key, text in element.attrib.items():
            if key != "name" and any(word.lower().lstrip("+-") == "nan" for word in text.split()):
                item = element.get("name")
                message = f"{item or local(element)}: {key} is {text[:60]!r}, not a number"
                findings.add("CB181", message, Where(str(at), element.sourceline, None, item))


def _beside(element: Element, candidate: Path, folders: Folders) -> bool:
    """Whether a path, links resolved, is a model to include or a shape in the folders around the source's."""
    endings = _MODELS if local(element).lower() in _INCLUDING else _SHAPES
    return candidate.suffix.lower() in endings and folders.around(candidate)


def _named(root: Element, folders: set[Path], included: bool) -> Iterator[tuple[Element, list[Path]]]:
    """Elements that name models (`included`) or shapes, with every place where MuJoCo may look for them."""
    for element in root.iter(etree.Element):
        if (local(element).lower() in _INCLUDING) is not included:
            continue
        values = [text for key, value in element.attrib.items() if key.startswith("file") for text in _as_read(value)]
        if values:
            yield element, sorted({place for value in values for base in folders for place in _places(base / value)})


def _places(path: Path) -> tuple[Path, Path]:
    """Where a path leads, by its links first and by its dots first: MuJoCo takes `link/..` away before it looks."""
    return path.resolve(), Path(os.path.normpath(path)).resolve()


def _as_read(name: str) -> set[str]:
    """A path as it stands and as MuJoCo takes it: a backslash separates folders, `strippath` leaves the name alone."""
    plain = name.replace("\\", "/")
    return {name, plain, plain.rpartition("/")[2] or plain}
