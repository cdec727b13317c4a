"""Hints as a section of a mates file: read from it, and written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Severity
from cadbridge.recognition.hints import Hints, Pair, Told, with_pairs
from cadbridge.recognition.writing.edited import has_hints
from cadbridge.units import LENGTH


def hints_of(path: Path) -> Hints:
    """The hints of a mates file; none where there is no file, or nothing of one.

    InputError with the faults where a hint cannot be read: the file would be written anew without it.
    """
    from cadbridge.readers.mates_file import load_document

    if not path.is_file():
        return Hints()
    document = load_document(path)
    spec = document.spec
    if "hints" in document.faulty or (spec is None and has_hints(path)):
        faults = [finding for finding in document.findings if finding.severity is Severity.ERROR]
        raise InputError(f"A hint in {path.name} cannot be read; the file is left as it is.", faults)
    if spec is None:
        return Hints()
    hints, length = Hints(), LENGTH[spec.units.length]
    for own in spec.hints:
        told = None
        if own.joint is not None:
            x, axis = own.point, own.axis
            told = Told(
                own.type or "",
                None if x is None else (x[0] * length, x[1] * length, x[2] * length),
                None if axis is None else (axis[0], axis[1], axis[2]),
                "" if x is None or own.frame == "world" else own.joint[0],
                own.name or "",
                own.about or "",
            )
        for kind in hints.pairs:
            if (pair := getattr(own, kind)) is not None:
                hints = _added(hints, kind, (pair[0], pair[1]), told)
        hints = replace(
            hints,
            freedoms=hints.freedoms if own.freedoms is None else own.freedoms,
            ground=hints.ground if own.ground is None else own.ground,
        )
    return hints


def _added(hints: Hints, kind: str, pair: Pair, told: Told | None) -> Hints:
    """Hints with one more, which takes nothing back: what contradicts it is told later."""
    pairs = {**hints.pairs, kind: (*hints.pairs[kind], pair)}
    return replace(with_pairs(hints, pairs), told=(*hints.told, (pair, told)) if told else hints.told)


def hints_text(hints: Hints) -> str:
    """Hints as the section of a mates file in mm; empty where there are none."""
    from cadbridge.readers.mates_file.faces import yaml_text, yaml_vector

    if not hints:
        return ""
    lines = ["hints:  # what you said; it holds when the file is recognised again\n"]
    lines += [f"  - freedoms: {hints.freedoms}\n"] if hints.freedoms is not None else []
    lines += [f"  - ground: {yaml_text(hints.ground)}\n"] if hints.ground is not None else []
    for kind, pairs in hints.pairs.items():
        for pair in pairs:
            told = hints.told_of(pair) if kind == "joint" else Told()
            a, b = pair if told.frame in ("", pair[0]) else pair[::-1]
            lines.append(f"  - {kind}: [{yaml_text(a)}, {yaml_text(b)}]\n")
            lines += [f"    type: {told.type}\n"] if told.type else []
            lines += [f"    about: {yaml_text(told.about)}\n"] if told.about and told.point is None else []
            if told.point is not None:
                lines.append(f"    point: {yaml_vector(np.array(told.point) * 1e3, 6)}\n")
                lines += [f"    axis: {yaml_vector(np.array(told.axis), 12)}\n"] if told.axis is not None else []
                lines += [] if told.frame else ["    in: world\n"]
            lines += [f"    name: {yaml_text(told.name)}\n"] if told.name else []
    return "".join(lines)
