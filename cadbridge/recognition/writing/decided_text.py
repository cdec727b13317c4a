"""The text of a mates file under a person's decisions: its units, the lines that change."""

from __future__ import annotations

import difflib
import math

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.readers.mates_file import document_of
from cadbridge.units import LENGTH


def changed_lines(base: str, text: str, recognised: bool) -> str:
    """The lines that change from one text to the other; with `recognised`, all of the first is one line before them."""
    lines = difflib.unified_diff(base.splitlines(), text.splitlines(), n=1, lineterm="")
    shown = [line for line in lines if not line.startswith(("---", "+++"))]
    if recognised:
        shown.insert(0, f"All that was recognised ({len(base.splitlines())} lines)" + (", and" * bool(shown)))
    return "\n".join(shown)


def units_of_text(text: str, name: str) -> tuple[float, float]:
    """rad and m to the units of the text of a mates file; InputError where it is none."""
    spec = document_of(text, name).spec
    if spec is None:
        raise InputError(f"{name} cannot be read as a mates file.", Findings())
    return (1.0 if spec.units.angle == "rad" else math.degrees(1.0)), 1.0 / LENGTH[spec.units.length]
