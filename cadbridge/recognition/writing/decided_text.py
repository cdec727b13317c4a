"""The text of a mates file under a person's decisions: its units, the lines that change, what it would become."""

from __future__ import annotations

import difflib
import math
import shutil
import tempfile
from pathlib import Path

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.readers.mates_file import load_document
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.writing.edited import write_mates
from cadbridge.recognition.writing.mates_text import mates_text
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
    with tempfile.TemporaryDirectory(prefix="cadbridge-") as folder:
        file = Path(folder) / name
        file.write_text(text, encoding="utf-8")
        spec = load_document(file).spec
    if spec is None:
        raise InputError(f"{name} cannot be read as a mates file.", Findings())
    return (1.0 if spec.units.angle == "rad" else math.degrees(1.0)), 1.0 / LENGTH[spec.units.length]


def merged(found: Recognition, path: Path, there: bool) -> str:
    """What `recognise` would leave in a mates file, which is `there` already or not."""
    with tempfile.TemporaryDirectory(prefix="cadbridge-") as folder:
        file = Path(folder) / path.name
        if there:
            shutil.copyfile(path, file)
        write_mates(file, mates_text(found))
        return file.read_text(encoding="utf-8")
