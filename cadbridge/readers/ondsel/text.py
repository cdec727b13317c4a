"""The text of an .asmt file: a tree by tabs, then the time series; numbers and expressions as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cadbridge.budget import refuse, refuse_file
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.readers.bounds import LARGEST_READ
from cadbridge.readers.ondsel.ramps import without_ramps

DEEPEST_TABS = 64
"""Levels of tabs; known files have nine. A deeper line is reported, as one that skips a level."""

SERIES = "TimeSeries"
_OLD_NUMBER = re.compile(r"(?<![A-Za-z_])(\d+\.?\d*|\.\d+)d(-?\d+)?(?![A-Za-z_\d])")
"""A number as the format's first writer puts it: 2.0d, or 1.0d-9."""
_NAMES = {
    "time": "t", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "Pi": "pi", "PI": "pi", "ln": "log",
}  # fmt: skip


@dataclass(slots=True)
class TreeLine:
    """A line of the tree with what is indented below it; `line` counts from 1."""

    text: str
    line: int
    children: list[TreeLine] = field(default_factory=list)

    def child(self, name: str) -> TreeLine | None:
        """The first child of that text."""
        return next((c for c in self.children if c.text == name), None)

    def under(self, name: str) -> list[TreeLine]:
        """What is below the first child of that text."""
        found = self.child(name)
        return found.children if found else []

    def value(self, name: str) -> str | None:
        """The one line below the child of that text."""
        below = self.under(name)
        return below[0].text if below else None


def load(path: Path, findings: Findings) -> tuple[str, TreeLine, list[tuple[int, str]]]:
    """The first line, the tree, and the lines of the time series with their numbers; InputError where it is no text."""
    where = Where(file=str(path))
    refuse_file("text bytes", path, findings)
    data = path.read_bytes()
    # Counted in the bytes first: lines as Python strings take many times the memory of the file.
    refuse("lines", sum(data.count(end) for end in (b"\n", b"\r", b"\v", b"\f")), path.name, findings, where)
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as fault:
        findings.add("CB180", f"{path.name} is not UTF-8 text (byte {fault.start})", where)
        raise InputError(f"{path.name} is not text of OndselSolver.", findings) from fault
    refuse("lines", len(lines), path.name, findings, where)
    head = lines[0].strip() if lines else ""
    end = next((i for i, text in enumerate(lines) if text.strip() == SERIES), len(lines))
    tree = _tree(path, lines, end, findings)
    return head, tree, [(i + 1, lines[i]) for i in range(end + 1, len(lines))]


def _tree(path: Path, lines: list[str], end: int, findings: Findings) -> TreeLine:
    """The tree of lines 2 … end; a line that skips a level hangs on the line above, and is reported."""
    root = TreeLine("", 0)
    open_nodes = [root]
    for i in range(1, end):
        text = lines[i].strip()
        if not text:
            continue
        level = len(lines[i]) - len(lines[i].lstrip("\t"))
        if level > DEEPEST_TABS or level > len(open_nodes) - 1:
            findings.add("CB1201", f"the line is indented {level} tabs deep", Where(str(path), i + 1))
            level = min(level, len(open_nodes) - 1)
        node = TreeLine(text, i + 1)
        del open_nodes[level + 1 :]
        open_nodes[level].children.append(node)
        open_nodes.append(node)
    return root


def number(text: str | None) -> float | None:
    """A finite number, also in the old form 2.0d; None where the text is none."""
    try:
        value = float(text or "")
    except ValueError:
        try:
            value = float(_modern(text or ""))
        except ValueError:
            return None
    return value if abs(value) < LARGEST_READ else None


def row(text: str) -> list[float] | None:
    """Numbers separated by space or tab; None where one is none."""
    values = [number(word) for word in text.split()]
    return [v for v in values if v is not None] if None not in values else None


_COMMENT = re.compile(r'"[^"]*"')


def expression(text: str) -> str:
    """An expression of `time` as one of t, in the solver's words, without comments (in quotes) and line ends."""
    plain = _COMMENT.sub(" ", text).replace("<n>", " ")
    return without_ramps(re.sub(r"[A-Za-z_]\w*", lambda m: _NAMES.get(m[0], m[0]), _modern(plain)).strip())


def from_start(text: str, start: float) -> str:
    """An expression of t for a run whose first moment, 0 in cadbridge, is at `start` (s) in the file."""
    return re.sub(r"\bt\b", f"(t+{start!r})", text) if start else text


def _modern(text: str) -> str:
    return _OLD_NUMBER.sub(lambda m: m[1] + (f"e{m[2]}" if m[2] else ""), text)


def blocks(series: list[tuple[int, str]]) -> Iterator[tuple[str, str, list[tuple[int, str]]]]:
    """Of the time series: the kind and owner of each block, and its lines."""
    kind, owner, lines = "", "", list[tuple[int, str]]()
    for line, text in series:
        first, _, rest = text.strip().partition("\t")
        word, _, name = first.partition(" ")
        if word.endswith("Series"):
            yield kind, owner, lines
            kind, owner, lines = word, (name or rest).strip(), []
        else:
            lines.append((line, text))
    yield kind, owner, lines
