"""XML as bytes: elements with text attributes, indented, the same on every run."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping

from cadbridge.exporters.collision import Solid
from cadbridge.exporters.numbers import number, numbers


def add(parent: ET.Element, tag: str, attributes: Mapping[str, str] | None = None, **more: str) -> ET.Element:
    """A new last child of `parent`; the attributes stand in the order given."""
    return ET.SubElement(parent, tag, dict(attributes or {}) | more)


def solid_element(solid: Solid) -> tuple[str, dict[str, str]]:
    """A solid as URDF and SDFormat both say it: the element's name, and its values by name."""
    values = {k: numbers(v) if isinstance(v, tuple) else number(v) for k, v in vars(solid).items()}
    return type(solid).__name__.lower(), values


def document(root: ET.Element) -> bytes:
    """The document in UTF-8 with its declaration."""
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()
