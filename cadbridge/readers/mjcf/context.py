"""What the steps of the MJCF reader share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cadbridge import wording
from cadbridge.assembly import GROUND
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.readers.names import free_name
from cadbridge.readers.options import ReadOptions

_MOST_NAMED = 4
"""Names that a message gives: several lists of them stand in one."""

_LINE = re.compile(r"line (\d+)")


@dataclass
class Context:
    """The compiled model under MuJoCo's names (`model["body_mass"]` …), names made unique, findings."""

    path: Path
    options: ReadOptions
    model: dict[str, Any]
    lines: bool
    findings: Findings = field(default_factory=Findings)
    bodies: list[str] = field(default_factory=list)
    joints: list[str] = field(default_factory=list)

    def name_all(self) -> None:
        """Give every body and joint a unique name; MuJoCo lets them be without."""
        taken = {GROUND}
        for i, name in enumerate(self.model["bodies"]):
            self.bodies.append(free_name(name or f"body{i}", taken))
        taken = set[str]()
        owner: dict[int, int] = {}
        for body, (first, count) in enumerate(zip(self.model["body_jntadr"], self.model["body_jntnum"], strict=True)):
            owner |= dict.fromkeys(range(first, first + count), body)
        for i, name in enumerate(self.model["joints"]):
            self.joints.append(free_name(name or f"{self.bodies[owner[i]]} joint", taken))

    def where(self, kind: str, index: int, item: str) -> Where:
        """The place of an element: its line where one file holds all."""
        # `info` has a line but no file: with includes the line would be of any of them.
        found = _LINE.search(self.model[f"{kind}_info"][index]) if self.lines else None
        return Where(str(self.path), int(found[1]) if found else None, None, item)

    def stands(self, body: int) -> bool:
        """Whether a body is the world, or hangs on it without a joint."""
        return int(self.model["body_parentid"][body]) == 0 and (body == 0 or not self.model["body_jntnum"][body])

    def X_PB(self, body: int) -> Pose:
        """The pose of a body in its parent's frame in the reference pose."""
        return Pose.from_quaternion(self.model["body_pos"][body], self.model["body_quat"][body])


def listed(names: Sequence[str]) -> str:
    """The first few of names that may be many."""
    return wording.listed(names, _MOST_NAMED)
