"""The other files that a STEP text names: found as Part 21 has them, copied under names of our own, or cut off.

OCCT opens what stands in a few entities (STEPConstruct_ExternRefs::FileName in its sources): it knows each by a long
and a short name, resolves the escapes of strings, and takes any ending, any absolute path and any device. So no string
of these entities reaches it: each becomes the name of a copy, or empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.folders import Folders
from cadbridge.shapes.text21 import decode, replaced

MAX_FILES = 5000
"""Files that a STEP file and those it names may have in all."""

ENDINGS = (".stp", ".step", ".stpz", ".p21")

_OPAQUE = re.compile(rb"'[^']*+(?:'(?![\" \n\r]*[),])[^']*+)*+'|/\*.*?\*/", re.DOTALL)
"""Strings and comments as OCCT's scanner takes them apart (StepFile/step.lex): a quote ends a string only where a comma
or a parenthesis follows, whatever stands before it. Part 21 itself counts quotes."""

_MARKS = (b"DOCUMENT", b"DCM", b"EXTERNAL_", b"AEIA", b"EXTSRC")
_NAMING = re.compile(
    rb"(?<!\w)(?:DOCUMENT|DCMNT|DOCUMENT_FILE|DCMFL|DOCUMENT_WITH_CLASS|(?:APPLIED_)?EXTERNAL_IDENTIFICATION_ASSIGNMENT"
    rb"|AEIA|EXTERNAL_SOURCE|EXTSRC)(?!\w)"
)
"""The entities whose strings OCCT may take for names of files."""

_BESIDE = "Put the referenced file beside the source, or in a folder below, and export the structure again."
"""How to mend a name that leads outside; no option of the command line helps."""


@dataclass(frozen=True)
class FileReference:
    """A string that may name a file: where it stands with its quotes, and what it says."""

    start: int
    end: int
    name: str


def references(data: bytes) -> list[FileReference]:
    """The strings of a Part 21 text that OCCT may take for names of files, in order, empty ones left out."""
    if not any(mark in data for mark in _MARKS) or _NAMING.search(data) is None:
        return []
    # Blanks of the same length: places in the bare text are places in the data.
    bare = replaced(_OPAQUE, lambda found: b" " * len(found[0]), data)
    found: dict[int, FileReference] = {}
    for word in _NAMING.finditer(bare):
        begin, end = bare.rfind(b";", 0, word.start()) + 1, bare.find(b";", word.end())
        for literal in _OPAQUE.finditer(data, begin, len(data) if end < 0 else end):
            name = _name(literal[0])
            if name:
                found[literal.start()] = FileReference(literal.start(), literal.end(), name)
    return [found[at] for at in sorted(found)]


def _name(literal: bytes) -> str:
    """What a string says, without the ends of lines within; "" for a comment."""
    if not literal.startswith(b"'"):
        return ""
    text = literal[1:-1].replace(b"\r", b"").replace(b"\n", b"")
    return decode(text.decode("utf-8", "replace"))


def external_names(data: bytes) -> list[str]:
    """The names of other STEP files that a text refers to, in order, each once."""
    names = (reference.name.strip() for reference in references(data))
    return list(dict.fromkeys(name for name in names if _is_step(name)))


def _is_step(name: str) -> bool:
    return PurePosixPath(name.replace("\\", "/").strip()).suffix.lower() in ENDINGS


@dataclass
class Copies:
    """A STEP text and, beside it in `folder`, those files that it may name; `files` are these, as they lie on the disk.

    `load` gives the text of a file, checked; it raises InputError where that cannot be read.
    """

    source: Path
    folder: Path
    findings: Findings
    load: Callable[[Path], bytes]
    files: list[Path] = field(default_factory=list)
    _names: dict[Path, str] = field(default_factory=dict)

    def write(self, text: bytes) -> Path:
        """Write the text of the source, with what it names; the path of the copy."""
        folders = Folders.of(self.source)
        target = self.folder / "source.stp"
        # A file that names its own source leads to the copy, not to a second reading.
        self._names[self.source.resolve()] = target.name
        waiting = [(text, self.source, target)]
        while waiting:
            data, origin, copy = waiting.pop()
            done, at = bytearray(), 0
            for reference in references(data):
                alias, inner = self._named(reference.name, origin, folders)
                if inner is not None:
                    waiting.append((inner, self.files[-1], self.folder / alias))
                done += data[at : reference.start] + b"'" + alias.encode() + b"'"
                done += b"\n" * data.count(b"\n", reference.start, reference.end)  # later lines keep their numbers
                at = reference.end
            copy.write_bytes(bytes(done) + data[at:] if at else data)
        return target

    def _named(self, name: str, origin: Path, folders: Folders) -> tuple[str, bytes | None]:
        """The name of the copy of a file, "" where it may not be opened; and its text, where it is a new one."""
        found = self._allowed(name, origin, folders)
        if found is None:
            return "", None
        if found in self._names:
            return self._names[found], None
        if len(self._names) >= MAX_FILES:
            self.findings.add("CB108", f"{name} is one file too many: {MAX_FILES} are read", Where(file=str(origin)))
            return "", None
        try:
            text = self.load(found)
        except InputError:
            self._names[found] = ""  # what is wrong with it is reported
            return "", None
        self.files.append(found)
        self._names[found] = f"{len(self._names)}.stp"
        return self._names[found], text

    def _allowed(self, name: str, origin: Path, folders: Folders) -> Path | None:
        """The file that a name stands for, if it is a STEP file of the source's folder; else told, if it is a file."""
        where = Where(file=str(origin), item=name)
        plain = name.replace("\\", "/").strip()
        outside = PurePosixPath(plain).is_absolute() or bool(PureWindowsPath(name).drive)
        try:
            found = (origin.parent / plain).resolve()
            there = found.exists()
            outside = outside or not folders.hold(found)
            own = not outside and found.is_file() and (_is_step(name) or begins_as_step(found))
        except (OSError, ValueError, RuntimeError):
            return None
        if own:
            return found
        if outside and (there or _is_step(name)):
            text = f"{origin.name} names {name!r}, outside of its folder; it is not read"
            self.findings.add("CB102", text, where, _BESIDE)
        elif _is_step(name) or (there and not found.is_file() and not found.is_dir()):
            why = "is no plain file" if there else "does not exist"
            self.findings.add("CB106", f"{origin.name} refers to {name!r}, which {why}", where)
        return None


def begins_as_step(path: Path) -> bool:
    """Whether a file without an ending of STEP is one, by its first bytes. OSError where it cannot be read.

    Other documents that a STEP file mentions are none of ours.
    """
    with path.open("rb") as stream:
        # Comments may stand before it.
        return b"ISO-10303-21" in stream.read(1024)
