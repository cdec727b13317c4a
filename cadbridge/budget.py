"""How much one input may expand to, so that a small file cannot fill the memory or disk of a machine.

Each limit is checked before or while the file is read; its message names the option that raises it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where

OPTION = "--allow-larger"

LIMITS = {
    "tags": (4_000_000, "tags of XML"),
    "attributes": (4_000_000, "attributes of XML"),
    "marks": (15_000_000, "values and keys of JSON"),
    "vertices": (20_000_000, "vertices of shapes"),
    "primitives": (100_000, "primitives of meshes"),
    "cells": (100_000_000, "numbers of a table"),
    "instances": (200_000, "occurrences of parts, or bodies"),
    "named": (200_000, "links, frames and joints"),
    "YAML values": (2_000_000, "values, those that aliases repeat counted each time"),
    "pixels": (100_000_000, "pixels of a picture"),
    "mesh bytes": (512 << 20, "of a mesh file"),
    "XML bytes": (256 << 20, "of XML"),
    "JSON bytes": (256 << 20, "of JSON"),
    "document bytes": (1 << 30, "of a document of cadbridge"),
    "YAML bytes": (64 << 20, "of YAML"),
    "Python bytes": (64 << 20, "of Python"),
    "text bytes": (256 << 20, "of text"),
    "lines": (3_000_000, "lines of text"),
    "words": (15_000_000, "words of text"),
    "xacro bytes": (32 << 20, "of a xacro file, or of what it reads"),
    "xacro elements": (500_000, "elements, expanded"),
    "xacro calls": (50_000, "calls of macros"),
    "xacro files": (1_000, "files, each as often as it is included"),
    "expanded bytes": (128 << 20, "of expanded URDF"),
    "prims": (500_000, "prims of USD"),
    "layers": (2_000, "layers of USD"),
    "STEP bytes": (2 << 30, "of STEP text"),
    "unpacked STEP bytes": (512 << 20, "of unpacked STEP text: whoever has more exports it plain"),
    "Document.xml bytes": (256 << 20, "of unpacked XML"),
    "member bytes": (512 << 20, "of one unpacked member"),
    "archive bytes": (2 << 30, "of unpacked members"),
    "answer bytes": (4 << 30, "of arrays, from a process that reads"),
}
"""By kind: how many, and what they are. A robot of 20,000 links takes a tenth; each kind at its limit about 1 GB.
Whatever bounds the size of an input stands here. The processes of xacro, USD, MuJoCo and OCCT are bounded beside by
time and memory (docs/security.md, `cadbridge.shapes.limits`), which `--allow-larger` raises too."""

_times = 1.0
"""What all limits of this process are multiplied by; set by `allow`."""


def allow(times: float) -> None:
    """Raise all limits of this process by a factor, as `--allow-larger` does."""
    global _times
    _times = times


def raised(limit: float) -> float:
    """A limit of another room, times what `--allow-larger` says."""
    return limit * _times


def allowed(kind: str) -> int:
    """How many of a kind one input may have."""
    return int(LIMITS[kind][0] * _times)


def with_option(limit: str) -> str:
    """A limit of time or memory in words, with the option that raises it."""
    return f"{limit}; {OPTION} {_needed(_times)} allows more"


def beyond(kind: str, count: int, subject: str) -> str:
    """Why so many are too many, and the option that allows them; "" where they are not."""
    most, what = LIMITS[kind]
    if count <= allowed(kind):
        return ""
    amount = f"{allowed(kind) >> 20:,} MiB" if kind.endswith("bytes") else f"{allowed(kind):,}"
    return f"{subject} has more than {amount} {what}; {OPTION} {_needed(count / most)} reads it"


def _needed(times: float) -> int:
    """The next whole number above the limits as they are."""
    return int(times) + 1


_DECLARED = re.compile(rb"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)""")
_WIDE = ("utf16", "utf32", "ucs", "iso10646")
"""Encodings of which each sign of ASCII has its byte and others that are 0."""


def beyond_xml(pieces: Iterable[bytes], subject: str) -> str:
    """Why XML has too many tags or attributes, and the option that allows them; "" where it does not.

    Each takes a hundred bytes and more of memory once it is parsed, so they are counted in the text before.
    """
    tags = attributes = 0
    for piece in pieces:
        tags += piece.count(b"<")
        attributes += piece.count(b"=")
    return beyond("tags", tags, subject) or beyond("attributes", attributes, subject)


def hidden_tags(start: bytes) -> str:
    """The encoding that XML declares if its tags can stand in it in other bytes than in ASCII (UTF-7); else ""."""
    found = _DECLARED.search(start)
    encoding = "" if found is None else found[1].decode("latin-1")
    if not encoding or re.sub("[^a-z0-9]", "", encoding.lower()).startswith(_WIDE):
        return ""
    try:
        plain = "<=>".encode(encoding) == b"<=>" and "<" not in b"+ADw-\\u003c".decode(encoding)
    except (LookupError, ValueError):
        return encoding
    return "" if plain else encoding


def refuse(kind: str, count: int, subject: str, findings: Findings, where: Where) -> None:
    """InputError (CB108) if a subject has more than may be read."""
    if why := beyond(kind, count, subject):
        findings.add("CB108", why, where)
        raise InputError(why, findings)


def refuse_file(kind: str, path: Path, findings: Findings) -> None:
    """`refuse` by the bytes that a file has on the disk, before it is opened."""
    refuse(kind, path.stat().st_size, path.name, findings, Where(file=str(path)))


@dataclass
class Counted:
    """What a source has made so far, of one kind."""

    kind: str
    subject: str
    count: int = 0
    kept: set[str] = field(default_factory=set)

    def add(self, count: int, findings: Findings, where: Where) -> None:
        """Count more; InputError (CB108) beyond the limit."""
        self.count += count
        refuse(self.kind, self.count, self.subject, findings, where)

    def keep(self, key: str, before: int) -> None:
        """Take back what was counted since `before` if it made again what is kept: that is shared."""
        if key in self.kept:
            self.count = before
        self.kept.add(key)
