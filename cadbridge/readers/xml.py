"""XML from strangers: no entities, no network, no document types; numbers with the line they stand in."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

from lxml import etree

from cadbridge.budget import beyond_xml, hidden_tags, refuse_file
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.readers.bounds import LARGEST_READ
from cadbridge.readers.lenient import lenient
from cadbridge.touched import looked_for

ALIKE_NAMES, SHORTEST_NAME = 0.85, 4
"""How alike two names are, as difflib counts (0 to 1), of which one may be a slip of the other; their least length.

A wrong letter gives 0.85 and more from seven letters on, a missing one from four on. Below, names of other programs'
extensions are taken for slips of the format's own; two names of three letters are alike by chance.
"""

_PIECE = 1 << 22
"""Bytes of a file that are read at a time while its tags are counted: the count needs no more memory than that."""

Element = Any
"""An lxml element; lxml's own types say no more."""


def parse(path: Path, findings: Findings) -> Element:
    """The root of a file; InputError (CB103, CB104, CB108) where it cannot be read safely."""
    looked_for(path)
    refuse_file("XML bytes", path, findings)
    with path.open("rb") as stream:
        start = stream.read(_PIECE)
        # Counted in the bytes, before a parser makes anything of them: a tag of four letters becomes some hundred
        # bytes.
        _countable(start, path, findings)
        _counted(chain((start,), iter(lambda: stream.read(_PIECE), b"")), path, findings)
    return _parse(os.fsencode(path), path, findings, path.read_bytes)  # a name need not be UTF-8


def _counted(pieces: Iterable[bytes], path: Path, findings: Findings) -> None:
    """InputError (CB108) for more tags or attributes than fit: they take much more room than their text."""
    if why := beyond_xml(pieces, path.name):
        findings.add("CB108", why, Where(file=str(path)))
        raise InputError(why, findings)


def _countable(start: bytes, path: Path, findings: Findings) -> None:
    """InputError (CB104) for an encoding in which tags cannot be counted."""
    if encoding := hidden_tags(start):
        findings.add("CB104", f"{path.name} is in the encoding {encoding}", Where(str(path), 1), "Save it in UTF-8.")
        raise InputError(f"{path.name} is in an encoding that is not read.", findings)


def parse_text(text: bytes, path: Path, findings: Findings) -> Element:
    """The root of XML that was made from the file at `path`; InputError (CB103, CB104, CB108) as of `parse`."""
    _countable(text[:_PIECE], path, findings)
    _counted((text,), path, findings)
    return _parse(BytesIO(text), path, findings, lambda: text)


def _parse(source: bytes | BytesIO, path: Path, findings: Findings, again: Callable[[], bytes]) -> Element:
    try:
        try:
            tree = etree.parse(source, _parser())
        except etree.XMLSyntaxError as fault:
            text, mended = lenient(again())
            if not mended:
                raise
            tree = _second(text, fault)
            findings.add("CB115", f"{path.name} has {', '.join(mended)}", Where(str(path), fault.lineno or None))
    except (etree.XMLSyntaxError, OSError) as fault:  # bytes that are not in the encoding declared are an OSError
        syntax_fault = fault if isinstance(fault, etree.XMLSyntaxError) else None
        reason, line = (
            (syntax_fault.msg, syntax_fault.lineno or None)
            if syntax_fault
            else ("bytes that its encoding does not have", None)
        )
        findings.add("CB104", f"{path.name} is not well-formed XML: {reason}", Where(str(path), line))
        raise InputError(f"{path.name} is not well-formed XML.", findings) from fault
    # The parser expands no entity, but a file that declares some would be read without what they stand for.
    if tree.docinfo.internalDTD is not None or tree.docinfo.doctype:
        findings.add("CB103", f"{path.name} declares a document type", Where(file=str(path)))
        raise InputError(f"{path.name} holds a DOCTYPE, which is refused.", findings)
    return tree.getroot()


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)


def _second(text: bytes, first: etree.XMLSyntaxError) -> Any:
    """The tree of a text made well-formed; where it is not even then, the fault of the text as it was."""
    try:
        return etree.parse(BytesIO(text), _parser())
    except etree.XMLSyntaxError as fault:
        raise first from fault


def local(element: Element) -> str:
    """The tag without its namespace; '' for comments and instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Element, *names: str) -> list[Element]:
    """Child elements with one of the local names (all elements without names)."""
    if not names:
        return list(element.iterchildren(etree.Element))  # without comments and instructions
    return list(element.iterchildren(*(f"{{*}}{name}" for name in names)))


def child(element: Element, name: str) -> Element | None:
    """The first child element of that name, whatever its namespace; None where there is none."""
    return next(element.iterchildren(f"{{*}}{name}"), None)


def text_of(element: Element, name: str) -> str:
    """The text of a child, "" where there is none."""
    found = child(element, name)
    return "" if found is None else (found.text or "").strip()


def report_misspelt(root: Element, known: frozenset[str], say: Callable[[str, str, Element], None]) -> None:
    """CB1319 of each tag and attribute that is almost one of the known ones, at its first place."""
    seen: set[str] = set()
    for element in root.iter(etree.Element):
        for word in (local(element), *element.keys()):
            if word in known or word in seen or len(word) < SHORTEST_NAME:
                continue
            seen.add(word)
            near = difflib.get_close_matches(word, known, n=1, cutoff=ALIKE_NAMES)
            if near:
                say("CB1319", f"{word!r} is not read; {near[0]!r} is what the format has", element)


def unquoted(text: str | None) -> str:
    """A text without quotes within it and without commas between its words."""
    return (text or "").translate(str.maketrans("'\",", "   "))


def numbers(text: str | None, count: int) -> tuple[float, ...] | None:
    """`count` finite numbers (below LARGEST_READ) separated by space, None where the text is anything else."""
    try:
        values = tuple(float(word) for word in (text or "").split())
    except ValueError:
        return None
    return values if len(values) == count and all(-LARGEST_READ < v < LARGEST_READ for v in values) else None
