"""Hints as a section of a mates file: read from it, and written."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Severity
from cadbridge.readers.mates_file import load_document
from cadbridge.readers.mates_file.faces import yaml_text, yaml_vector
from cadbridge.readers.mates_file.schema import HintSpec
from cadbridge.recognition.hints import KINDS, NO_HINTS, Hint, Hints, Told, triple
from cadbridge.recognition.writing.edited import has_hints
from cadbridge.units import LENGTH


def hints_of(path: Path) -> Hints:
    """The hints of a mates file; none where there is no file, or nothing of one.

    InputError with the faults where a hint cannot be read: the file would be written anew without it.
    """
    if not path.is_file():
        return NO_HINTS
    document = load_document(path)
    spec = document.spec
    if "hints" in document.faulty or (spec is None and has_hints(path)):
        faults = [finding for finding in document.findings if finding.severity is Severity.ERROR]
        raise InputError(f"A hint in {path.name} cannot be read; the file is left as it is.", faults)
    if spec is None:
        return NO_HINTS
    length = LENGTH[spec.units.length]
    said = tuple(
        Hint(kind, (pair[0], pair[1]), _told(own, length))
        for own in spec.hints for kind in KINDS if (pair := getattr(own, kind)) is not None
    )  # fmt: skip
    freedoms, ground = (
        next((value for own in spec.hints if (value := getattr(own, key)) is not None), None)
        for key in ("freedoms", "ground")
    )
    return Hints(said, freedoms, ground)


def _told(own: HintSpec, length: float) -> Told:
    """What a hint says of a joint; `length`: m of one unit of the file."""
    if own.joint is None:
        return Told()
    x, axis = own.point, own.axis
    return Told(
        own.type or "",
        None if x is None else triple(v * length for v in x),
        None if axis is None else triple(axis),
        "" if x is None or own.frame == "world" else own.joint[0],
        own.name or "",
        own.about or "",
    )


def hints_text(hints: Hints) -> str:
    """Hints as the section of a mates file in mm; empty where there are none."""
    if not hints:
        return ""
    lines = ["hints:  # what you said; it holds when the file is recognised again\n"]
    lines += [f"  - freedoms: {hints.freedoms}\n"] if hints.freedoms is not None else []
    lines += [f"  - ground: {yaml_text(hints.ground)}\n"] if hints.ground is not None else []
    for hint in hints.said:
        told = hint.told
        a, b = hint.pair if told.frame in ("", hint.pair[0]) else hint.pair[::-1]
        lines.append(f"  - {hint.kind}: [{yaml_text(a)}, {yaml_text(b)}]\n")
        lines += [f"    type: {told.type}\n"] if told.type else []
        lines += [f"    about: {yaml_text(told.about)}\n"] if told.about and told.point is None else []
        if told.point is not None:
            lines.append(f"    point: {yaml_vector(np.array(told.point) * 1e3, 6)}\n")
            lines += [f"    axis: {yaml_vector(np.array(told.axis), 12)}\n"] if told.axis is not None else []
            lines += [] if told.frame else ["    in: world\n"]
        lines += [f"    name: {yaml_text(told.name)}\n"] if told.name else []
    return "".join(lines)
