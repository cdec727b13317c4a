"""XML as bytes: elements with text attributes, indented, the same on every run."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping

from cadbridge.exporters.collision import Solid
from cadbridge.exporters.numbers import number, numbers

_DEEPEST = 40
"""Levels that are indented."""


def add(parent: ET.Element, tag: str, attributes: Mapping[str, str] | None = None, **more: str) -> ET.Element:
    """A new last child of `parent`; the attributes stand in the order given."""
    return ET.SubElement(parent, tag, dict(attributes or {}) | more)


def solid_element(solid: Solid) -> tuple[str, dict[str, str]]:
    """A solid as URDF and SDFormat both say it: the element's name, and its values by name."""
    values = {k: numbers(v) if isinstance(v, tuple) else number(v) for k, v in vars(solid).items()}
    return type(solid).__name__.lower(), values


def document(root: ET.Element) -> bytes:
    """The document in UTF-8 with its declaration, as ElementTree would indent and write it.

    ElementTree calls itself for every level; a chain of a thousand bodies is as deep. Lines deeper than `_DEEPEST` are
    indented no further: spaces would make most of the file.
    """
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    waiting: list[tuple[ET.Element | str, int]] = [(root, 0)]
    while waiting:
        item, depth = waiting.pop()
        indent = "  " * min(depth, _DEEPEST)
        if isinstance(item, str):
            lines.append(indent + item)
        elif len(item) == 0:
            lines.append(indent + ET.tostring(item, encoding="unicode"))
        else:
            start = ET.tostring(ET.Element(item.tag, item.attrib), encoding="unicode")
            lines.append(f"{indent}{start.removesuffix(' />')}>")
            waiting.append((f"</{item.tag}>", depth))
            waiting += [(child, depth + 1) for child in reversed(item)]
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")
