"""XML as bytes: elements with text attributes, indented, the same on every run."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping


def add(parent: ET.Element, tag: str, attributes: Mapping[str, str] | None = None, **more: str) -> ET.Element:
    """A new last child of `parent`; the attributes stand in the order given."""
    return ET.SubElement(parent, tag, dict(attributes or {}) | more)


def document(root: ET.Element) -> bytes:
    """The document in UTF-8 with its declaration."""
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()
