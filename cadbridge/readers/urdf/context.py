"""What the steps of the URDF reader share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cadbridge.budget import Counted
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, Vector
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.source import XmlSource
from cadbridge.readers.xml import Element, child, children, local
from cadbridge.wording import count


@dataclass
class Context(XmlSource):
    """The file, what was asked, what was found.

    `unread` are elements that say nothing to us. `expanded`: the text is what xacro made, so that its lines are
    nobody's. `placements` are X_WL of all links with all joints at zero, once the joints are read. `padded` are numbers
    with blanks behind them: the item, the attribute, and its line.
    """

    path: Path
    options: ReadOptions
    findings: Findings = field(default_factory=Findings)
    unread: list[dict[str, object]] = field(default_factory=list)
    expanded: bool = False
    placements: dict[str, Pose] = field(default_factory=dict)
    padded: list[tuple[str, str, int | None]] = field(default_factory=list)
    vertices: Counted = field(default_factory=lambda: Counted("vertices", "the robot"))

    def line_of(self, at: Element) -> int | None:
        """The line of an element in the file; None where the file is not what was parsed."""
        return None if self.expanded else super().line_of(at)

    def name(self, element: Element) -> str | None:
        """The name of an element; a finding and None where it has none."""
        name = (element.get("name") or "").strip()
        if not name:
            self.say("CB181", f"<{local(element)}> has no name", element)
        return name or None

    def values(self, element: Element, key: str, count: int, item: str) -> Vector | None:
        """`count` finite numbers of an attribute; a finding and None where they cannot be read."""
        text = element.get(key)
        found = self.numbers(text, count, f"{key} of <{local(element)}>", element, item, lenient=True)
        if found is not None and count == 1 and (text or "")[-1:].isspace():
            self.padded.append((item, key, self.line_of(element)))
        return found

    def number(self, element: Element, key: str, item: str, default: float | None = None) -> float | None:
        """A number of an attribute, `default` where it is absent; a finding and None where it cannot be read."""
        if element.get(key) is None and default is not None:
            return default
        found = self.values(element, key, 1, item)
        return None if found is None else float(found[0])

    def origin(self, parent: Element, item: str) -> Pose | None:
        """The pose in <origin>, the identity without one; a finding and None where it cannot be read."""
        element = child(parent, "origin")
        if element is None:
            return Pose()
        for key in sorted(set(element.keys()) - {"xyz", "rpy"}):
            self.unread.append({"tag": f"origin {key}=", "line": self.line_of(element), "in": item})
        xyz = self.values(element, "xyz", 3, item) if element.get("xyz") is not None else np.zeros(3)
        rpy = self.values(element, "rpy", 3, item) if element.get("rpy") is not None else np.zeros(3)
        return None if xyz is None or rpy is None else Pose.from_rpy(xyz, rpy)

    def leave(self, parent: Element, *known: str) -> None:
        """Note the children of an element that are not among the known ones."""
        for element in children(parent):
            if local(element) not in known:
                place = parent.get("name") or local(parent)
                self.unread.append({"tag": local(element), "line": self.line_of(element), "in": place})

    def report_unread(self) -> None:
        """One finding for all elements that were not read, and one for all numbers that urdfdom does not read."""
        if self.padded:
            items = tuple(dict.fromkeys(item for item, _, _ in self.padded))
            text = f"{count(len(self.padded), 'number')} of {', '.join(items[:5])}{' …' if len(items) > 5 else ''}"
            place = Where(str(self.path), self.padded[0][2], None, items[0])
            self.findings.add("CB1260", f"{text} with blanks behind, such as {self.padded[0][1]}", place, items=items)
        if self.unread:
            counts = Counter(str(row["tag"]) for row in self.unread)
            text = ", ".join(f"{n} <{tag}>" for tag, n in sorted(counts.items()))
            first = self.unread[0]["line"]
            line = first if isinstance(first, int) else None
            self.findings.add("CB190", f"not read: {text}", Where(str(self.path), line))
