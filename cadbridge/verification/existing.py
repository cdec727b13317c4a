"""An export that exists already: whether it is one, and whether it may be loaded."""

from __future__ import annotations

import json
import tempfile
from itertools import zip_longest
from pathlib import Path
from zipfile import BadZipFile, ZipFile, is_zipfile

from lxml import etree

from cadbridge.errors import InputError
from cadbridge.exporters import export
from cadbridge.exporters.fmu import serves
from cadbridge.exporters.sidecars import LOSSES, LOSSES_FORMAT
from cadbridge.findings import Findings, Where
from cadbridge.mechanism.model import Mechanism
from cadbridge.readers import ReadOptions
from cadbridge.readers.xml import local, parse, parse_text
from cadbridge.reading import read
from cadbridge.targets import EngineCheck
from cadbridge.units import MEGABYTE


def existing_export(folder: Path, to: str) -> Path:
    """The folder of an export to the format; InputError where it is none."""
    path = folder / LOSSES
    if not path.is_file():
        raise InputError(f"{folder} is not an export of cadbridge: it has no {LOSSES}.")
    try:
        losses = json.loads(path.read_text("utf-8"))
        kinds = [losses["names"][kind] for kind in ("links", "joints")]
        right = losses["format"] == LOSSES_FORMAT and all(isinstance(finding, dict) for finding in losses["findings"])
        right = right and all(isinstance(v, str) for kind in kinds for v in kind.values())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise InputError(f"{path} cannot be read: {fault!r}.") from fault
    if not right:
        raise InputError(f"{path} is not of the format {LOSSES_FORMAT}.")
    if losses.get("to") != to:
        raise InputError(f"{folder} is an export to {losses.get('to')}, not to {to}.")
    return folder


_OPENED = ("CB102", "CB115", "CB1438", "CB1443", "CB1446", "CB1616")
"""Findings of our reader at what it does not open, cuts off or reads otherwise than it stands: the engine would not."""


def check_foreign(mechanism: Mechanism, to: str, how: EngineCheck, folder: Path) -> None:
    """InputError unless an export that anybody may have changed may be handed to its engine.

    Its model is read by our own reader first, which is confined and bounded: the engine may open nothing more. Of an
    FMU, which is a program, only the data may differ from what is exported here, and of its table only the numbers
    by which the program does not find its way.
    """
    # An engine follows links, wherever they lead.
    link = next((path for path in folder.rglob("*") if path.is_symlink()), None)
    if link is not None:
        raise InputError(f"{link} is a link, and no export has one: it is not loaded.")
    models = [path for path in folder.glob(how.model) if not path.name.endswith(how.aside)]
    if len(models) != 1:
        raise InputError(f"{folder} holds {len(models)} models of {to}; one is expected.")
    if how.is_program:
        if not is_zipfile(models[0]):
            raise InputError(f"{models[0]} is not an archive, and so not a {to.upper()}: it is not loaded.")
        with tempfile.TemporaryDirectory(prefix="cadbridge-") as scratch:
            check_program(export(mechanism, Path(scratch) / "export", to).files[0], models[0])
        check_table(mechanism, models[0])
        return
    # A ROS 2 package reads its own configuration beside the model.
    found = read(models[0], options=ReadOptions(package_dirs=(folder,))).findings
    for finding in found:
        if finding.code in _OPENED:
            raise InputError(f"{models[0]} is not loaded: {finding.message}.", found)
    if models[0].suffix in _ONE_TEXT:
        _check_text(models[0])


_LINES_NAMED = 3
"""Lines of a file that are named as others than those of an export made now."""


def unlike(own: Path, folder: Path) -> list[str]:
    """The files, or their first lines, that differ from those of an export made now, in `own`.

    Exports repeat to the byte. What an engine does not say of a file is not compared, and is so named.
    """
    ours, theirs = _contents(own), _contents(folder)
    places = []
    for name in sorted({*ours, *theirs}):
        if name not in theirs:
            places.append(f"{name} is missing")
        elif name not in ours:
            places.append(f"{name} is of no export")
        elif ours[name] != theirs[name]:
            places.append(name + _first_lines(ours[name], theirs[name]))
    return places


def _contents(folder: Path) -> dict[str, bytes]:
    """What the files of a folder hold, by path; those within an FMU one by one."""
    found: dict[str, bytes] = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder).as_posix()
        size = path.stat().st_size
        packed = _unpacked(path) if path.suffix == ".fmu" else {}
        found |= {f"{name}/{entry}": data for entry, data in packed.items()}
        if not packed:
            found[name] = path.read_bytes() if size <= _LARGEST_COMPARED else f"{size} bytes".encode()
    return found


def _first_lines(ours: bytes, theirs: bytes) -> str:
    """Where two texts differ; nothing where they are none."""
    try:
        lines = [data.decode("utf-8").splitlines() for data in (ours, theirs)]
    except UnicodeDecodeError:
        return ""
    other = [i + 1 for i, (a, b) in enumerate(zip_longest(*lines)) if a != b]
    more = f" and {len(other) - _LINES_NAMED} more" if len(other) > _LINES_NAMED else ""
    return f" (line{'s' * (len(other) > 1)} {', '.join(map(str, other[:_LINES_NAMED]))}{more})" if other else ""


_ONE_TEXT = (".urdf", ".sdf", ".xacro")
"""XML that an engine's parser takes for UTF-8 whatever it declares; that of an MJCF is looked at by its reader."""


def _check_text(path: Path) -> None:
    """InputError where the engine would read another text than our reader did, or other files than the model."""
    root = parse(path, Findings())
    encoding = (root.getroottree().docinfo.encoding or "utf-8").lower()
    if encoding not in ("utf-8", "us-ascii", "ascii"):
        raise InputError(f"{path} is in the encoding {encoding}, and exports are in UTF-8: it is not loaded.")
    if path.suffix == ".sdf" and next(root.iter("{*}include"), None) is not None:
        raise InputError(f"{path} includes another file, and no export does: it is not loaded.")


_LARGEST_COMPARED = 100_000_000
"""Bytes of what an FMU holds, and of a file that is compared word by word."""

_DESCRIPTION = "modelDescription.xml"
_TABLE = "resources/model.bin"
_DATA = (_DESCRIPTION, _TABLE, "documentation/index.html")


def check_program(own: Path, other: Path) -> None:
    """InputError where an FMU runs anything else than our own: by its files, their names, or what it says to load."""
    ours, theirs = _unpacked(own), _unpacked(other)
    changed = [name for name in theirs if name not in _DATA and theirs[name] != ours.get(name)]
    if changed or set(ours) - set(theirs) or _loads(ours, own) != _loads(theirs, other):
        raise InputError(
            f"{other} holds another program than this version of cadbridge exports here; it is not run. "
            "Export it anew to compare it."
        )


def check_table(mechanism: Mechanism, path: Path) -> None:
    """InputError where the table of an FMU has another layout than our own: the program could be led beyond it."""
    if not serves(mechanism, _unpacked(path).get(_TABLE, b"")):
        findings = Findings()
        text = (
            "the table has another layout than that of an export of this source: other bodies, joints, motors or "
            "variables. It is not run"
        )
        findings.add("CB1489", text, Where(f"{path}/{_TABLE}"))
        raise InputError("The export cannot be loaded.", findings)


def _unpacked(path: Path) -> dict[str, bytes]:
    """What an FMU holds, by path as it stands: `./binaries/x` is another than `binaries/x`, and none of ours."""
    try:
        with ZipFile(path) as packed:
            entries = packed.infolist()
            # The index may be believed here: zipfile reads no more of an entry than it says.
            if sum(entry.file_size for entry in entries) > _LARGEST_COMPARED:
                raise InputError(f"{path} holds more than {_LARGEST_COMPARED / MEGABYTE:g} MB.")
            return {entry.filename: packed.read(entry) for entry in entries}
    except (BadZipFile, OSError, NotImplementedError, RuntimeError) as fault:
        raise InputError(f"{path} is not an FMU: {fault}.") from fault


def _loads(files: dict[str, bytes], path: Path) -> set[tuple[str, str]]:
    """What the description of an FMU says to load: the names of its libraries, by the way they are run."""
    root = parse_text(files.get(_DESCRIPTION, b""), path, Findings())
    named = (e for e in root.iter(etree.Element) if e.get("modelIdentifier") is not None)
    return {(local(e), e.get("modelIdentifier", "")) for e in named}
