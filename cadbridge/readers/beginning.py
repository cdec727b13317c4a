"""How a file begins: its first bytes, and of XML the root element."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

HEAD_BYTES = 4096
"""Bytes from the start of a file that tell its format; one block of a disk.

A choice: the marks of `registry.FORMATS` stand in the first lines of a file.
"""

JSON_BYTES = 32 * 1024 * 1024
"""Bytes of a JSON file that are looked at: the keys that tell its format may stand in any order.

A choice: a mark that stands farther on is not found.
"""

XML_BYTES = 1024 * 1024
"""Bytes of an XML file that are looked at: comments of any length may stand before its root. A choice, as above."""

_BLANK = b"\xef\xbb\xbf\xff\xfe \t\r\n"


@dataclass(frozen=True)
class Beginning:
    """The first bytes of a file, as they stand; many more of XML and JSON than of others."""

    raw: bytes

    @classmethod
    def of(cls, path: Path) -> Beginning:
        """Of a file that can be opened."""
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
            more = JSON_BYTES if path.suffix.lower() == ".json" else XML_BYTES if _is_xml(head) else 0
            return cls(head + stream.read(more))

    @cached_property
    def data(self) -> bytes:
        """The bytes without zeros: text in UTF-16 shows the same letters then."""
        return self.raw.replace(b"\0", b"")

    @property
    def is_xml(self) -> bool:
        """Whether the first letter is that of a tag."""
        return _is_xml(self.raw)

    @cached_property
    def root(self) -> str:
        """The local name of the root element, "" where this is no XML.

        Read by a parser, whatever line ends, comments, byte order mark and encoding the file has; where it does not
        pass as it stands, with the faults mended that readers mend, then as UTF-8 whatever it declares.
        """
        if not self.is_xml:
            return ""
        from cadbridge.readers.lenient import lenient

        # As it stands first: what is well-formed keeps its meaning, and the declared encoding is mostly true.
        texts = (self.raw, lenient(self.raw)[0])
        return next(filter(None, (_root(text, code) for code, text in product((None, "utf-8"), texts))), "")


def _is_xml(head: bytes) -> bool:
    return head.replace(b"\0", b"").lstrip(_BLANK).startswith(b"<")  # in UTF-16 each letter has a zero beside it


def _root(text: bytes, encoding: str | None) -> str:
    """The local name of the first element that a parser meets, "" where it meets none."""
    from lxml import etree

    parser: Any = etree.XMLPullParser(  # lxml's types do not know which events give elements
        events=("start",), recover=True, encoding=encoding, resolve_entities=False, no_network=True, load_dtd=False
    )
    try:
        for at in range(0, len(text), HEAD_BYTES):
            parser.feed(text[at : at + HEAD_BYTES])
            for _, element in parser.read_events():
                return str(etree.QName(element).localname)
    except (etree.XMLSyntaxError, LookupError, ValueError):
        pass
    return ""
