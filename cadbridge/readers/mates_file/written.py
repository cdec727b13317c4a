"""The first line of a mates file that recognition wrote, by which it is known what of the file was edited since."""

from __future__ import annotations

import re
from pathlib import Path

from cadbridge.findings import Findings, Where
from cadbridge.storage import digest

MARK = re.compile(r"# cadbridge recognise ([0-9a-f]{16})(?: hints ([0-9a-f]{16}))?\n")
"""The hash of what was written, and that of the hints which it heeded (not of files before 0.5.17)."""
SECTION = r"^(?:{}):.*\n(?:(?:[ \t-].*)?\n)*"
"""A section of a mates file, with the keys that may stand for it."""
HINTS = re.compile(SECTION.format("hints"), re.MULTILINE)
"""The section of hints."""


def hash_of_hints(text: str) -> str:
    """The hash of the hints of a mates file, whatever comments and blanks are among them."""
    found = "".join(match[0] for match in HINTS.finditer(text))
    return digest(re.sub(r"#.*|\s+", "", found).encode())[:16]


def tell_changed_hints(path: Path, findings: Findings) -> None:
    """CB1662 where the hints of a mates file are others than those by which recognition wrote it."""
    text = path.read_text(encoding="utf-8", errors="replace")
    mark = MARK.match(text)
    if mark is not None and mark[2] and mark[2] != hash_of_hints(text):
        line = text[: found.start()].count("\n") + 1 if (found := HINTS.search(text)) else None
        message = f"the hints in {path.name} are others than those by which its joints were written"
        findings.add("CB1662", message, Where(str(path), line))
