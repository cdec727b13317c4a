"""What the steps of the SDF reader share."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cadbridge.budget import Counted
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, Vector
from cadbridge.readers.bounds import LARGEST_READ
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.source import XmlSource
from cadbridge.readers.xml import Element, child, children, local, numbers, text_of

_OLDEST, _NEWEST = 3, 12
"""Minor versions of SDF that are known: 1.3 to 1.12."""
NAMES_SHARED = 7
"""The minor version from which frames have their present rules, and links, joints and frames of a model share names."""
_INSTEAD = {
    "frame": "Write `relative_to` in place of `frame`.",
    "use_parent_model_frame": 'Write `<xyz expressed_in="__model__">`, and delete the element.',
}


@dataclass
class Context(XmlSource):
    """The source, what was asked, what was found.

    `unread` counts elements that say nothing to us, by tag; `touching` the geometries that touch one another in the
    engines that read the format; `minors` the minor versions of the files' roots; `expanded` the root of what xacro
    made of the source, if it made something.
    """

    path: Path
    options: ReadOptions
    findings: Findings = field(default_factory=Findings)
    unread: Counter[str] = field(default_factory=Counter)
    touching: int = 0
    files: dict[Element, Path] = field(default_factory=dict)
    minors: dict[Element, int] = field(default_factory=dict)
    vertices: Counted = field(default_factory=lambda: Counted("vertices", "the model"))
    expanded: Element | None = None

    def line_of(self, at: Element) -> int | None:
        """The line of an element in its file; None where the file is not what was parsed."""
        return None if at.getroottree().getroot() is self.expanded else super().line_of(at)

    def file_of(self, at: Element) -> Path:
        """The file that an element came from."""
        return self.files.get(at.getroottree().getroot(), self.path)

    def minor(self, at: Element) -> int:
        """The minor version of the file that an element came from: models that are included have their own."""
        root = at.getroottree().getroot()
        if root not in self.minors:
            found = re.fullmatch(r"1\.(\d{1,2})", root.get("version", ""))
            known = found is not None and _OLDEST <= int(found[1]) <= _NEWEST
            if not known:
                text = f"the version is {root.get('version', '')!r}; it is read as 1.{_NEWEST}"
                self.say("CB1426", text, root)
            self.minors[root] = int(found[1]) if found is not None and known else _NEWEST
        return self.minors[root]

    def leave(self, parent: Element, *known: str) -> None:
        """Note the children of an element that are not among the known ones."""
        self.unread.update(local(e) for e in children(parent) if local(e) not in known)

    def values(self, parent: Element, tag: str, count: int, item: str) -> Vector | None:
        """`count` finite numbers of a child's text; None where there is no child, or with a finding."""
        element = child(parent, tag)
        if element is None:
            return None
        return self.numbers(element.text, count, f"<{tag}>", element, item, lenient=True)

    def number(self, parent: Element | None, tag: str, item: str, default: float) -> float:
        """A number of a child's text; the default where there is none, or with a finding."""
        found = None if parent is None else self.values(parent, tag, 1, item)
        return default if found is None else float(found[0])

    def flag(self, parent: Element, tag: str) -> bool:
        """Whether a child says true or 1."""
        return text_of(parent, tag).lower() in ("true", "1")

    def pose(self, parent: Element, item: str) -> tuple[Pose, str]:
        """The pose in <pose> and what it is relative to ('' for the default); the identity where it cannot be read."""
        element = child(parent, "pose")
        if element is None:
            return Pose(), ""
        # SDF calls it `relative_to` from 1.7 on, `frame` before.
        relative = element.get("relative_to") or self.before("frame", element.get("frame"), element, item) or ""
        text = (element.text or "").strip()
        if not text:
            return Pose(), relative
        count = 7 if element.get("rotation_format") == "quat_xyzw" else 6
        if count == 7:
            seven = numbers(text, 7)
            if seven is not None and any(seven[3:]):
                x, y, z, w = seven[3:]
                return Pose.from_quaternion(seven[:3], (w, x, y, z)), relative
        else:
            six = numbers(text, 6)
            if six is not None:
                rpy = np.radians(six[3:]) if element.get("degrees") in ("true", "1") else np.array(six[3:])
                return Pose.from_rpy(six[:3], rpy), relative
        self.say(
            "CB181",
            f"{item}: <pose> is {text[:60]!r}, not a pose of {count} numbers below {LARGEST_READ:g}",
            element,
            item,
        )
        return Pose(), relative

    def before(self, name: str, value: str | None, at: Element, item: str) -> str:
        """What SDF had until 1.7: an attribute's or element's value there, '' with a finding in newer files."""
        if not value or self.minor(at) < NAMES_SHARED:
            return value or ""
        text = f"{item}: SDF has no {name} from version 1.7 on; it is passed over, as sdformat does"
        self.say("CB1262", text, at, item, _INSTEAD[name])
        return ""

    def report_unread(self) -> None:
        """One finding for all elements that were not read."""
        if +self.unread:
            text = ", ".join(f"{n} <{tag}>" for tag, n in sorted((+self.unread).items()))
            self.findings.add("CB190", f"not read: {text}", Where(str(self.path)))
