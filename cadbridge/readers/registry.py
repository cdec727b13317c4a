"""Which reader takes a file: a table of endings and first bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.readers.bounds import refuse_wild
from cadbridge.readers.options import ReadOptions

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly

HEAD_BYTES = 4096
"""So many first bytes of a file are looked at."""

JSON_BYTES = 32 * 1024 * 1024
"""Of a JSON file so many, for its keys may stand in any order."""


@dataclass(frozen=True)
class Format:
    """A format: its name, the endings of its files (lower case), a test of the first bytes, its reader.

    `reader` is the module whose `read(path, options)` returns an Assembly; it is imported when used.
    """

    name: str
    endings: tuple[str, ...]
    sniff: Callable[[bytes], bool]
    reader: str


def _contains(*marks: bytes) -> Callable[[bytes], bool]:
    return lambda head: any(mark in head for mark in marks)


def _starts(mark: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(mark)


FORMATS: tuple[Format, ...] = (
    Format("json", (), _contains(b'"cadbridge.mechanism/'), "cadbridge.readers.plain"),
    Format("step", (".step", ".stp", ".stpz", ".p21"), _starts(b"ISO-10303-21"), "cadbridge.readers.step"),
    Format(
        "simscape",
        (".xml",),
        _contains(b"SimscapeMultibodyImportXML", b"urn:mathworks:SimscapeMultibody"),
        "cadbridge.readers.simscape",
    ),
    Format("simmechanics", (".xml",), _contains(b"<PhysicalModelingXMLFile"), "cadbridge.readers.simmechanics"),
    Format("urdf", (".urdf", ".xacro"), _contains(b"<robot ", b"<robot>", b"<robot\n"), "cadbridge.readers.urdf"),
    Format("sw2robot", (), _contains(b'"robot_name"', b'"deep_worlds"'), "cadbridge.readers.sw2robot"),
    Format("chrono", (), _contains(b"Chrono::SolidWorks", b"chrono.ChBodyAuxRef("), "cadbridge.readers.chrono"),
    Format("fusion", (), _contains(b'"as_built_joints"', b'"geometry_or_origin_one"'), "cadbridge.readers.fusion"),
    Format("onshape", (), _contains(b'"rootAssembly"'), "cadbridge.readers.onshape"),
    Format(
        "ondsel",
        (".asmt",),
        _contains(b"freeCAD: 3D CAD with Motion Simulation", b"OndselSolver\nAssembly", b"OndselSolver\r\nAssembly"),
        "cadbridge.readers.ondsel",
    ),
    Format(
        "freecad",
        (".fcstd",),
        lambda head: head.startswith(b"PK") and b"Document.xml" in head,
        "cadbridge.readers.freecad",
    ),
    Format("mjcf", (".mjcf",), _contains(b"<mujoco>", b"<mujoco ", b"<mujoco\n"), "cadbridge.readers.mjcf"),
    Format("sdf", (".sdf", ".world"), _contains(b"<sdf>", b"<sdf ", b"<sdf\n"), "cadbridge.readers.sdf"),
)


def openable(path: Path) -> Path:
    """The path, if it is a file that can be read; InputError with CB100 if not."""
    findings = Findings()
    reason = None
    if path.is_dir():
        reason = "is a folder"
    else:
        try:
            with path.open("rb"):
                pass
        except FileNotFoundError:
            reason = "does not exist"
        except (OSError, ValueError) as error:
            reason = f"cannot be opened: {getattr(error, 'strerror', None) or error}"
    if reason is None:
        return path
    findings.add("CB100", f"{path} {reason}", Where(file=str(path)))
    raise InputError(f"{path} {reason}", findings)


def format_of(path: Path) -> Format | None:
    """The format of a file: by its first bytes, else by the ending of its name; None where none fits."""
    found = taken_by(path)
    return None if found is None else found[0]


def taken_by(path: Path) -> tuple[Format, str] | None:
    """The format of a file and why it is that, in words; None where none fits.

    The bytes come first because endings lie (a URDF called .xml); an ending alone still finds the
    reader that can say what is wrong with the content.
    """
    ending = path.suffix.lower()
    looked_at = JSON_BYTES if ending == ".json" else HEAD_BYTES
    with path.open("rb") as stream:
        # UTF-16 text shows the same letters once its zero bytes are gone.
        head = stream.read(looked_at).replace(b"\0", b"")
    for fmt in FORMATS:
        if fmt.sniff(head):
            also = f", and its name ends in {ending}" if ending in fmt.endings else ""
            return fmt, f"it begins as {fmt.name} does{also}"
    for fmt in FORMATS:
        if ending in fmt.endings and (ending != ".xml" or b"<!DOCTYPE" in head):
            return fmt, f"its name ends in {ending}; its beginning says nothing"
    return None


def load(path: Path, options: ReadOptions) -> Assembly:
    """Read a file by the reader that takes it; `Assembly.format` is the format's name, `extra["taken"]` says why.

    Raises InputError with CB101 where no reader takes the file, with CB109 where its numbers are of no machine.
    """
    found = taken_by(path)
    if found is None:
        findings = Findings()
        findings.add("CB101", f"{path.name} is in no format that cadbridge reads", Where(file=str(path)))
        raise InputError(f"no reader takes {path.name}", findings)
    fmt, why = found
    with np.errstate(over="ignore", invalid="ignore"):
        assembly: Assembly = refuse_wild(import_module(fmt.reader).read(path, options))
    extra = {**assembly.extra, "taken": {"reader": fmt.name, "why": why}}
    return replace(assembly, format=assembly.format or fmt.name, extra=extra)
