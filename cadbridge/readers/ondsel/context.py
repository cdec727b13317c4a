"""What the steps of reading an .asmt file share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cadbridge.assembly import Component, Instance, Mate, Part
from cadbridge.findings import Findings
from cadbridge.frames import Pose, Vector
from cadbridge.readers.bounds import LARGEST_READ
from cadbridge.readers.markers import Marker
from cadbridge.readers.ondsel.text import TreeLine, number, row
from cadbridge.readers.placement import ROUNDED_ROTATION
from cadbridge.readers.source import Source


@dataclass
class Reader(Source[TreeLine]):
    """`length` is metres a unit of the file, `start` when its run starts (s).

    Markers, mates and parts are found by their full names.
    """

    path: Path
    findings: Findings
    length: float = 1.0
    start: float = 0.0
    parts: list[Part] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    components: list[Component] = field(default_factory=list)
    markers: dict[str, Marker] = field(default_factory=dict)
    component_of: dict[str, str] = field(default_factory=dict)
    X_WC: dict[str, Pose] = field(default_factory=dict)
    mates: dict[str, Mate] = field(default_factory=dict)

    def line_of(self, at: TreeLine) -> int | None:
        """The line of a node."""
        return at.line

    def vector(self, node: TreeLine, name: str, item: str, count: int = 3) -> Vector | None:
        """The numbers of a child in the file's unit; a finding and None where they cannot be read."""
        values = row(node.value(name) or "")
        if values is None or len(values) != count:
            place = node.child(name) or node
            self.say("CB181", f"{item}: {name} must hold {count} numbers below {LARGEST_READ:g}", place, item)
            return None
        return np.array(values)

    def scalar(self, node: TreeLine, name: str, item: str) -> float | None:
        """One number of a child; a finding and None where it cannot be read."""
        value = number(node.value(name))
        if value is None:
            place = node.child(name) or node
            self.say("CB181", f"{item}: {name} must be a number below {LARGEST_READ:g}", place, item)
        return value

    def pose(self, node: TreeLine, item: str) -> Pose | None:
        """Position3D (in m here) and RotationMatrix; a finding and None where they are no rigid motion."""
        p = self.vector(node, "Position3D", item)
        rows = [row(n.text) for n in node.under("RotationMatrix")]
        flat = [v for r in rows if r is not None for v in r]
        if len(rows) != 3 or len(flat) != 9 or any(r is None or len(r) != 3 for r in rows):
            place = node.child("RotationMatrix") or node
            self.say("CB181", f"{item}: RotationMatrix must hold three rows of three", place, item)
            return None
        R = np.array(flat).reshape(3, 3)
        with np.errstate(over="ignore", invalid="ignore"):
            proper = float(np.max(np.abs(R @ R.T - np.eye(3)))) < ROUNDED_ROTATION and float(np.linalg.det(R)) > 0
        if not proper:
            place = node.child("RotationMatrix") or node
            self.say("CB133", f"{item} is not placed by a rigid motion", place, item)
            return None
        if p is None:
            return None
        U, _, Vt = np.linalg.svd(R)
        return Pose(U @ Vt, p * self.length)
