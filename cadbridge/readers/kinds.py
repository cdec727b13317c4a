"""The files of cadbridge's own that people write, by the `format:` at their top, and the command that takes each."""

from __future__ import annotations

import re
from typing import Any

KINDS = {
    "cadbridge.mates/1": ("a mates file", "`cadbridge check SOURCE --mates {file}`"),
    "cadbridge.scenario/1": ("a scenario", "`cadbridge simulate SOURCE --scenario {file}`"),
    "cadbridge.motion/1": ("a motion file", "`cadbridge inverse SOURCE --motion {file}`"),
    "cadbridge.fit/1": ("a fit file", "`cadbridge fit SOURCE --fit {file}`"),
}
"""By format: what the file is in words, and how it is passed."""

_AT_TOP = re.compile(rb"^format:\s*[\"']?(cadbridge\.[a-z]+/\d+)", re.MULTILINE)


def other_kind(given: Any, own: str, file: str) -> tuple[str, str] | None:
    """What a file is that has the format `given` where `own` is expected, and how to pass it; None if unknown."""
    if not isinstance(given, str) or given == own or given not in KINDS:
        return None
    what, command = KINDS[given]
    expected = KINDS[own][0] if own in KINDS else "a source"
    return f"this is {what}, not {expected}", f"Pass it as {command.format(file=file)}."


def kind_at(head: bytes) -> str:
    """The format that the first bytes of a file name, or ""."""
    found = _AT_TOP.search(head)
    return found[1].decode() if found else ""
