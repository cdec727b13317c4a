"""STEP files before OCCT sees them: unpacking, the frame of a Part 21 text, the files it names.

OCCT crashes on some broken files and opens whatever a file names; both are caught here where the text
alone can tell.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import shutil
import zipfile
import zlib
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np

from cadbridge.budget import refuse, refuse_file
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.shapes.encoding import in_utf8
from cadbridge.shapes.entities import Density, Operator, densities, operators
from cadbridge.shapes.external import ENDINGS, Copies
from cadbridge.shapes.text21 import replaced
from cadbridge.shapes.workspace import Workspace

MAX_RATIO = 100
"""A text that unpacks to more times its size, and to more than `NO_BOMB` bytes, is a bomb: STEP packs 5 to 15 times."""
NO_BOMB = 16 << 20
"""Bytes that a text may unpack to whatever its size: they fit into memory easily, and a small file of equal lines packs
better than `MAX_RATIO`."""

_KEPT = 8
"""Files whose copies are kept: more than OCCT's process keeps documents."""

_UNPACKED_AT_ONCE = 1 << 20
"""Bytes that are unpacked before their sum is looked at."""
# Atomic: what looks like one comment is not tried as two.
_BEGIN = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s|/\*.*?\*/)*+ISO-10303-21\s*;", re.DOTALL)
_NUMBER = re.compile(rb"#(\d{1,18})\s*=")
_NEXT = re.compile(rb"\s*(?:#\d+\s*=|ENDSEC)")
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_HUGE = re.compile(rb"[eE]\+?(?:[3-9]\d\d|\d{4})")
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_MANY = b"0" * 309
"""So many digits before the point are beyond double precision."""
_NESTED = b"(" * 32
# A text with '' in it is two that touch: a repeated group would keep 40 bytes for each of its characters.
_OPAQUE = re.compile(rb"'[^']*'|/\*.*?\*/", re.DOTALL)
_OPAQUE_TO_END = re.compile(rb"'[^']*'|/\*(?:.*?\*/|.*)", re.DOTALL)
_END = re.compile(rb"END-ISO-10303-21\s*;")


@dataclass
class Prepared:
    """A file ready for OCCT: the path of its copy, and the files that it names."""

    path: Path
    text_bytes: int
    """Of the file and those that it names, unpacked."""
    externals: list[Path] = field(default_factory=list)
    densities: dict[str, Density] = field(default_factory=dict)
    operators: list[Operator] = field(default_factory=list)


class Sources:
    """STEP files that are checked and copied to where OCCT can open them; the last few are kept."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._prepared: OrderedDict[tuple[str, int, int], tuple[Prepared, Findings]] = OrderedDict()

    def prepare(self, path: Path, findings: Findings) -> Prepared:
        """Check a STEP file and copy its text, unpacked; remembered while the file does not change.

        Raises InputError (with the findings) where there is nothing that OCCT could read.
        """
        key = identity(path, findings)
        if key not in self._prepared:
            mine = Findings()
            try:
                self._prepared[key] = (self._prepare(path, mine), mine)
            except InputError as error:
                findings.extend(error.findings)
                raise
            while len(self._prepared) > _KEPT:
                oldest, _ = self._prepared.popitem(last=False)[1]
                shutil.rmtree(oldest.path.parent, ignore_errors=True)
        self._prepared.move_to_end(key)
        prepared, kept = self._prepared[key]
        findings.extend(kept)
        return prepared

    def _prepare(self, path: Path, findings: Findings) -> Prepared:
        data = _checked(path, findings)
        # From the text as it is: in the copy the names of files are ours.
        lost = (densities(data), operators(data))
        copies = Copies(path, self._workspace.new(), findings, lambda other: _checked(other, findings))
        copy = copies.write(data)
        return Prepared(copy, sum(f.stat().st_size for f in copy.parent.iterdir()), copies.files, *lost)


def _checked(path: Path, findings: Findings) -> bytes:
    """The text of a STEP file that OCCT can be given. InputError where it cannot."""
    data = load(path, findings)
    check_frame(data, path, findings)  # of what is no STEP file nothing is said of its names
    data = in_utf8(data, path, findings)
    # In this order: the later checks take strings and comments apart, which an open comment would make take the square
    # of the text.
    for check in (check_comments, check_numbers, check_sizes, check_quotes, check_nesting):
        check(data, path, findings)
    return data


def identity(path: Path, findings: Findings) -> tuple[str, int, int]:
    """Path, time and size: what shows whether a file has changed. InputError (CB100) where there is none."""
    try:
        status = path.stat()
        if not path.is_file():
            raise OSError("it is not a file")
    except OSError as error:
        findings.add("CB100", f"cannot open {path}: {error.strerror or error}", Where(file=str(path)))
        raise InputError(f"cannot open {path}", findings) from error
    return str(path.resolve()), status.st_mtime_ns, status.st_size


def data_is_file(path: Path) -> bool:
    """Whether a file is plain text, not packed."""
    with path.open("rb") as stream:
        start = stream.read(4)
    return not (start.startswith(b"\x1f\x8b") or start.startswith(b"PK\x03\x04"))


def load(path: Path, findings: Findings) -> bytes:
    """The text of a STEP file, unpacked from gzip or zip. InputError where it is too large or broken."""
    try:
        if data_is_file(path):
            refuse_file("STEP bytes", path, findings)
            return path.read_bytes()
        with path.open("rb") as stream:
            if stream.read(2) == b"PK":
                return _unzip(path, findings)
        with gzip.open(path) as packed:
            return _bounded(packed, path, findings)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        findings.add("CB121", f"{path.name} cannot be unpacked: {error}", Where(file=str(path)))
        raise InputError(f"{path.name} cannot be unpacked", findings) from error


def _unzip(path: Path, findings: Findings) -> bytes:
    with zipfile.ZipFile(path) as archive:
        members = [i for i in archive.infolist() if i.filename.lower().endswith(ENDINGS)]
        if not members:
            findings.add("CB121", f"the archive {path.name} holds no STEP file", Where(file=str(path)))
            raise InputError(f"the archive {path.name} holds no STEP file", findings)
        if len(members) > 1:
            others = ", ".join(i.filename for i in members[1:4])
            findings.add(
                "CB122",
                f"{path.name} holds {len(members)} STEP files; {members[0].filename} is read, not {others}",
                Where(file=str(path)),
            )
        with archive.open(members[0]) as stream:
            return _bounded(stream, path, findings)


def _bounded(stream: IO[bytes] | gzip.GzipFile, path: Path, findings: Findings) -> bytes:
    """All of a packed stream, unless it grows beyond what is read: a small file can unpack to terabytes."""
    plausible = max(NO_BOMB, path.stat().st_size * MAX_RATIO)
    where = Where(file=str(path))
    text = io.BytesIO()  # hands out what it holds without a copy
    while chunk := stream.read(_UNPACKED_AT_ONCE):
        size = text.tell() + len(chunk)
        refuse("unpacked STEP bytes", size, path.name, findings, where)
        if size > plausible:
            why = f"{path.name} unpacks to more than {plausible >> 20} MiB, {MAX_RATIO} times its size: no STEP does"
            findings.add("CB108", why, where)
            raise InputError(why, findings)
        text.write(chunk)
    return text.getvalue()


def check_frame(data: bytes, path: Path, findings: Findings) -> None:
    """Whether the text begins and ends as Part 21 demands. InputError where it is no STEP file."""
    where = Where(file=str(path), line=1)
    if not data.strip():
        findings.add("CB180", f"{path.name} is empty", where)
    # Comments may be long; a file of gigabytes is not searched for its first and last words.
    elif not _BEGIN.match(data[:65536]):
        start = data[:24].decode("ascii", "replace").replace("\n", " ")
        findings.add("CB180", f"{path.name} is not a STEP file: it begins with {start!r}", where)
    elif b"DATA" not in data:
        findings.add("CB123", f"{path.name} ends before its DATA section", where)
    else:
        if not _END.search(data[-65536:]):
            last = data.count(b"\n") + 1
            findings.add(
                "CB123",
                f"{path.name} breaks off at line {last}: END-ISO-10303-21 is missing",
                Where(file=str(path), line=last),
            )
        return
    raise InputError(findings.as_tuple()[-1].message, findings)


def check_comments(data: bytes, path: Path, findings: Findings) -> None:
    """InputError where a comment is not closed: each further "/*" would be followed to the end of the text."""
    if data.rfind(b"/*") <= data.rfind(b"*/"):
        return
    for found in _OPAQUE_TO_END.finditer(data):
        if found[0].startswith(b"/*") and not found[0].endswith(b"*/"):
            line = data.count(b"\n", 0, found.start()) + 1
            text = f"the comment that begins in line {line} of {path.name} is not closed"
            findings.add("CB111", text, Where(file=str(path), line=line))
            raise InputError(text, findings)


def check_numbers(data: bytes, path: Path, findings: Findings) -> None:
    """InputError where an entity's number stands twice: OCCT then may look for the one it means without end."""
    # On the whole text first, which is fast and right for nearly every file: strings may only add numbers, not hide
    # any.
    if _first_twice(data) is None:
        return
    bare = _bare(data)
    found = _first_twice(bare)
    if found is None:
        return
    number, at = found
    where = Where(file=str(path), line=bare.count(b"\n", 0, at) + 1)
    findings.add("CB110", f"{path.name} defines #{number} twice", where)
    raise InputError(f"{path.name} defines #{number} twice", findings)


def check_quotes(data: bytes, path: Path, findings: Findings) -> None:
    """InputError where a text is not closed in its statement: OCCT then may never end, by what it read before."""
    data = data.replace(b";\r\n", b";\n")
    if _all_closed(data):
        return
    statements = data.split(b";\n")
    within = False
    for i, statement in enumerate(statements[:-1]):
        if within == statement.count(b"'") % 2:
            within = False
        elif not _NEXT.match(statements[i + 1]) or statements[i + 1].count(b"'") % 2:
            within = True  # a text may hold what looks like the end of a statement
        elif within != _without_comments(statement).count(b"'") % 2:
            line = sum(s.count(b"\n") + 1 for s in statements[:i]) + statement.count(b"\n") + 1
            text = f"a text in the statement that ends in line {line} of {path.name} is not closed"
            findings.add("CB111", text, Where(file=str(path), line=line))
            raise InputError(text, findings)


def _without_comments(statement: bytes) -> bytes:
    end = statement.rfind(b"*/") + 2  # what looks like the beginning of a comment behind it may stand in a text
    return _COMMENT.sub(b"", statement[:end]) + statement[end:]


def check_nesting(data: bytes, path: Path, findings: Findings) -> None:
    """InputError for lists within lists within lists: OCCT keeps a text for each fault, as long as the statement."""
    if _NESTED not in data:
        return
    bare = _bare(data)
    at = bare.find(_NESTED)
    if at >= 0:
        text = f"{path.name} nests lists more than {len(_NESTED)} deep, which would fill OCCT's memory"
        findings.add("CB108", text, Where(file=str(path), line=bare.count(b"\n", 0, at) + 1))
        raise InputError(text, findings)


def _all_closed(data: bytes) -> bool:
    """Whether each statement has an even number of quotes, as nearly all files do: found without taking them apart."""
    signs = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero((signs[:-1] == ord(";")) & (signs[1:] == ord("\n")))
    before = np.searchsorted(np.flatnonzero(signs == ord("'")), ends)
    return not bool(np.any(before % 2))


def check_sizes(data: bytes, path: Path, findings: Findings) -> None:
    """InputError where a number is beyond double precision: OCCT may compute with infinity without end."""
    if not _HUGE.search(data) and _MANY not in data.translate(_DIGITS):
        return
    bare = _bare(data)
    for number in re.finditer(rb"(?<![\w#.])[-+]?\d[-+.\w]*", bare):
        try:
            size = float(number[0])
        except ValueError:
            continue
        if math.isinf(size):
            where = Where(file=str(path), line=bare.count(b"\n", 0, number.start()) + 1)
            text = f"{path.name} holds the number {number[0][:20].decode()}, which no machine has"
            findings.add("CB109", text, where)
            raise InputError(text, findings)


def _bare(data: bytes) -> bytes:
    """The text without its strings and comments, in which anything may stand; the numbers of lines stay."""
    return replaced(_OPAQUE, lambda m: b"\n" * m[0].count(b"\n"), data)


def _first_twice(data: bytes) -> tuple[int, int] | None:
    """The first number that an earlier entity has, and where it stands; None where all differ."""
    numbers = np.fromiter(map(int, _NUMBER.findall(data)), np.int64)
    if len(np.unique(numbers)) == len(numbers):
        return None
    seen: set[int] = set()
    for match in _NUMBER.finditer(data):
        number = int(match[1])
        if number in seen:
            return number, match.start(1)
        seen.add(number)
    return None
