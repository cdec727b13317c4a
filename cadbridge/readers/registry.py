"""Which reader takes a file: a table of endings and of how files begin."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cadbridge.budget import refuse
from cadbridge.errors import InputError
from cadbridge.findings import Finding, Findings, Where
from cadbridge.folders import MESHES, opened_by
from cadbridge.options import options_of
from cadbridge.readers.beginning import HEAD_BYTES, Beginning
from cadbridge.readers.bounds import refuse_wild
from cadbridge.readers.kinds import kind_at, other_kind
from cadbridge.readers.options import ReadOptions

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly


@dataclass(frozen=True)
class Format:
    """A format that cadbridge reads.

    Attributes:
        name: Its name, as `Assembly.format` gives it.
        endings: Endings of its files, lower case.
        sniff: Whether a file that begins so is of the format.
        reader: The module whose `read(path, options)` returns an Assembly; it is imported when used.
        frames: What the frames of a file become (right-handed throughout), in words.
        heeds: The fields of `ReadOptions` that this reader uses, of those that only some formats have a use for.
    """

    name: str
    endings: tuple[str, ...]
    sniff: Callable[[Beginning], bool]
    reader: str
    frames: str
    heeds: frozenset[str] = frozenset()


def _contains(*marks: bytes) -> Callable[[Beginning], bool]:
    return lambda start: not start.is_xml and any(mark in start.data for mark in marks)


def _starts(mark: bytes) -> Callable[[Beginning], bool]:
    return lambda start: start.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(mark)


def _packed(start: Beginning, name: bytes) -> bool:
    """Whether this is an archive whose first members have the name."""
    # The name of a zip's member stands in plain letters in front of its data.
    return start.raw.startswith(b"PK") and name in start.raw


def _root(name: str) -> Callable[[Beginning], bool]:
    return lambda start: start.root == name


FORMATS: tuple[Format, ...] = (
    Format(
        "json",
        (),
        _contains(b'"cadbridge.mechanism/'),
        "cadbridge.readers.plain",
        "as written: components in the world, features in their components",
    ),
    Format(
        "step",
        (".step", ".stp", ".stpz", ".p21"),
        _starts(b"ISO-10303-21"),
        "cadbridge.readers.step",
        "placements of occurrences in assemblies → the world; shapes stay in parts; pairs, in links → components",
        heeds=frozenset({"length_unit"}),
    ),
    Format(
        "simscape",
        (".xml",),
        _root("SimscapeMultibodyImportXML"),
        "cadbridge.readers.simscape",
        "placements of instances in their assemblies → the world; constraints, in part frames → components",
        heeds=frozenset({"length_unit"}),
    ),
    Format(
        "simmechanics",
        (".xml",),
        _root("PhysicalModelingXMLFile"),
        "cadbridge.readers.simmechanics",
        "coordinate systems of bodies → the world; joint axes → components",
    ),
    Format(
        "urdf",
        (".urdf", ".xacro"),
        _root("robot"),
        "cadbridge.readers.urdf",
        "poses of joints in their parent links, at joint values of zero → the world; mate frames → links",
        heeds=frozenset({"floating", "arguments"}),
    ),
    Format(
        "sw2robot",
        (),
        _contains(b'"robot_name"', b'"deep_worlds"'),
        "cadbridge.readers.sw2robot",
        "faces and their points, in the world as designed → components",
    ),
    Format(
        "chrono",
        (),
        _contains(b"Chrono::SolidWorks", b"chrono.ChBodyAuxRef("),
        "cadbridge.readers.chrono",
        "bodies and markers, in the world as designed → components",
    ),
    Format(
        "fusion",
        (),
        _contains(b'"as_built_joints"', b'"geometry_or_origin_one"'),
        "cadbridge.readers.fusion",
        "occurrence transforms are in the world already; joint geometry, in the world → components",
        heeds=frozenset({"length_unit"}),
    ),
    Format(
        "onshape",
        (),
        _contains(b'"rootAssembly"'),
        "cadbridge.readers.onshape",
        "occurrence transforms are in the world already; mate connectors, in part frames → components",
    ),
    Format(
        "ondsel",
        (".asmt",),
        _contains(b"freeCAD: 3D CAD with Motion Simulation", b"OndselSolver\nAssembly", b"OndselSolver\r\nAssembly"),
        "cadbridge.readers.ondsel",
        "parts in the assembly's frame → the world; markers, by their reference points → parts",
        heeds=frozenset({"length_unit"}),
    ),
    Format(
        "freecad",
        (".fcstd",),
        lambda start: _packed(start, b"Document.xml"),
        "cadbridge.readers.freecad",
        "placements in their containers, through links → the world; connectors, in their objects → components",
        heeds=frozenset({"length_unit", "hidden"}),
    ),
    Format(
        "mjcf",
        (".mjcf",),
        _root("mujoco"),
        "cadbridge.readers.mjcf",
        "poses of bodies in their parents, at the reference pose → the world; joint axes → bodies",
    ),
    Format(
        "sdf",
        (".sdf", ".world"),
        _root("sdf"),
        "cadbridge.readers.sdf",
        "poses in the frames that they name → the world; joint axes → links",
        heeds=frozenset({"arguments"}),
    ),
    Format(
        "usd",
        (".usd", ".usda", ".usdc", ".usdz"),
        lambda start: start.raw.startswith((b"#usda ", b"PXR-USDC")) or _packed(start, b".usd"),
        "cadbridge.readers.usd.robot",
        "transforms of prims in their parents → the world, z up; joint frames → bodies",
        heeds=frozenset({"length_unit"}),
    ),
)


def openable(path: Path, beside: Path | None = None) -> Path:
    """The path, if it is a file that can be read; InputError (CB100) if not, with a hint to one `beside` a source."""
    findings = Findings()
    reason = None
    hint = None
    if path.is_dir():
        reason = "is a folder"
        hint = _files_in(path)
    elif path.exists() and not path.is_file():
        reason = "is no plain file (a device or a pipe)"
    else:
        try:
            with path.open("rb"):
                pass
        except FileNotFoundError:
            reason = "does not exist" + _near(path)
            hint = "Check the name." if path.parent.is_dir() else f"There is no folder {path.parent}; check the path."
            if beside is not None and beside.is_file():
                hint += f" {beside.name} lies beside the source and is read without the option."
        except (OSError, ValueError) as error:
            reason = f"cannot be opened: {getattr(error, 'strerror', None) or error}"
    if reason is None:
        return path
    findings.add("CB100", f"{path} {reason}", Where(file=str(path)), hint)
    raise InputError(f"{path} {reason}", findings)


_MOST_NEIGHBOURS = 10_000
"""Files of a folder among which a misspelt name is looked for, or a readable one: a hint need not take seconds."""


def _names_in(folder: Path) -> list[str]:
    """The names of the files in a folder, sorted; none where it may not be read."""
    try:
        return sorted(entry.name for entry in islice(folder.iterdir(), _MOST_NEIGHBOURS) if entry.is_file())
    except OSError:
        return []


def _near(path: Path) -> str:
    """'; did you mean A, B?' by the files beside a missing one whose names are like its, or ''."""
    near = difflib.get_close_matches(path.name[:100], _names_in(path.parent), n=3)
    return f"; did you mean {', '.join(str(path.with_name(name)) for name in near)}?" if near else ""


def _files_in(folder: Path) -> str:
    """A cure for a folder named in place of a file: files in it that look readable."""
    endings = {ending for fmt in FORMATS for ending in fmt.endings}
    readable = [name for name in _names_in(folder) if Path(name).suffix.lower() in endings]
    such = f", such as {', '.join(str(folder / name) for name in readable[:3])}" if readable else ""
    return f"Name one file in it{such}. `cadbridge batch` takes whole folders."


_OF_A_MESH = (
    "A mesh alone says nothing of parts and joints. Export the assembly as STEP, or name the mesh in a URDF with its "
    "links and joints."
)
_OF_ROOTS = {
    "mujocoinclude": "It is a part of an MJCF: name the file that includes it.",
    "model": "It is the model.config of an SDF: name the file that its <sdf> names.",
    "package": "It describes a ROS package: name a URDF or xacro of it.",
}
"""What to read instead of files that belong to a robot and hold none, by their root elements."""

_OF_SOME = frozenset[str]().union(*(fmt.heeds for fmt in FORMATS))
"""Fields of ReadOptions that change what some readers read, and that others have no use for."""


def taken_by(path: Path) -> tuple[Format, str] | None:
    """The format of a file and why it is that, in words; None where none fits.

    What stands in it comes first because endings lie (a URDF called .xml); an ending alone still finds the
    reader that can say what is wrong with the content.
    """
    return _taken(path, Beginning.of(path))


def _taken(path: Path, start: Beginning) -> tuple[Format, str] | None:
    ending = path.suffix.lower()
    for fmt in FORMATS:
        if fmt.sniff(start):
            also = f", and its name ends in {ending}" if ending in fmt.endings else ""
            how = f"its root element is <{start.root}>" if start.root else f"it begins as {fmt.name} does"
            return fmt, f"{how}{also}"
    for fmt in FORMATS:
        # Any program's files end in .xml. One with a DOCTYPE goes to a reader, as that says why it is refused.
        if ending in fmt.endings and (ending != ".xml" or b"<!DOCTYPE" in start.data[:HEAD_BYTES]):
            return fmt, f"its name ends in {ending}; its beginning says nothing"
    return None


def load(path: Path, options: ReadOptions) -> Assembly:
    """Read a file by the reader that takes it; `Assembly.format` is the format's name, `extra["taken"]` says why.

    Raises InputError with CB101 where no reader takes the file, with CB109 where its values are implausible, with CB108
    where it places more than a mechanism is made of.
    """
    start = Beginning.of(path)
    found = _taken(path, start)
    if found is None:
        findings = Findings()
        other = other_kind(kind_at(start.raw[:HEAD_BYTES]), "", str(path))
        root = f"; its root element is <{start.root[:100]}>" if start.root else ""
        message = f"{path.name} " + (f"is in no format that cadbridge reads{root}" if other is None else other[0])
        mesh = _OF_A_MESH if path.suffix.lower() in MESHES else _OF_ROOTS.get(start.root)
        findings.add("CB101", message, Where(file=str(path)), mesh if other is None else other[1])
        raise InputError(f"no reader takes {path.name}", findings)
    fmt, why = found
    remarks = (*_without_effect(fmt, path, options), *_opened(path, options))
    # Numbers that overflow in a reader become infinite, and refuse_wild names their items.
    with np.errstate(over="ignore", invalid="ignore"):
        assembly: Assembly = refuse_wild(import_module(fmt.reader).read(path, options))
    most = max(len(assembly.instances), len(assembly.components))
    refuse("instances", most, path.name, Findings(), Where(file=str(path)))
    extra = {**assembly.extra, "taken": {"reader": fmt.name, "why": why}}
    return replace(assembly, format=assembly.format or fmt.name, extra=extra).with_findings(remarks)


def unused_keys(path: Path) -> set[str]:
    """Keys of the options that the format of a file has no use for."""
    found = taken_by(path) if path.is_file() else None
    return set() if found is None else {options_of(ReadOptions)[n].key for n in _OF_SOME if n not in found[0].heeds}


def _opened(path: Path, options: ReadOptions) -> tuple[Finding, ...]:
    """CB117 for each folder of --package-dir that opens more than packages."""
    findings = Findings()
    for folder in options.package_dirs:
        if wide := opened_by(folder):
            findings.add("CB117", wide, Where(file=str(path)))
    return findings.as_tuple()


def _without_effect(fmt: Format, path: Path, options: ReadOptions) -> tuple[Finding, ...]:
    """CB113 for each option that was given and that this format has no use for."""
    findings = Findings()
    for name, declared in options_of(ReadOptions).items():
        given = getattr(options, name) != getattr(ReadOptions(), name)
        if given and name in _OF_SOME and name not in fmt.heeds:
            able = [f.name for f in FORMATS if name in f.heeds]
            message = f"{declared.flag} has no effect on {fmt.name}; it is for {', '.join(able)}"
            findings.add("CB113", message, Where(file=str(path)))
    return findings.as_tuple()
