"""What the steps of the USD reader share: the stage's units, its bodies by their paths, names, findings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.assembly import GROUND
from cadbridge.findings import Findings, Where
from cadbridge.frames import Matrix, Pose, Vector
from cadbridge.readers.names import free_name
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.placement import ROUNDED_ROTATION
from cadbridge.units import EARTH, LENGTH

_UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""From y up to z up."""


Attributes = Mapping[str, Any]
"""Attributes of a prim; what a file gives another type than its schema has counts as not given."""


def number(attributes: Attributes, key: str, default: float = 0.0) -> float:
    """A number, of several the first."""
    found = attributes.get(key)
    return float(np.ravel(found)[0]) if isinstance(found, int | float | np.ndarray) else default


def vector(attributes: Attributes, key: str, default: Sequence[float]) -> Vector:
    """As many numbers as the default has."""
    found = attributes.get(key)
    fits = isinstance(found, np.ndarray) and found.shape == (len(default),)
    return np.array(found if fits else default, dtype=float)


@dataclass
class Context:
    """The stage as the worker gave it (`stage["bodies"]` …), in SI by `length` (m), `mass` (kg) and `up` (3, 3).

    `X` are the poses X_WB of bodies by path, `names` those of the components that they become.
    """

    path: Path
    options: ReadOptions
    stage: dict[str, Any]
    findings: Findings
    length: float = 1.0
    mass: float = 1.0
    up: Matrix = field(default_factory=lambda: np.eye(3))
    X: dict[str, Pose] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: {GROUND})

    def say(self, code: str, message: str, item: str = "", items: Sequence[str] = ()) -> None:
        """A finding about a prim."""
        self.findings.add(code, message, Where(str(self.path), item=item or None), items=items)

    def settle(self) -> None:
        """Units, then the names and poses of all bodies."""
        units, authored = self.stage["units"], self.stage["stated"]
        given = self.options.length_unit
        self.length = float(units["metersPerUnit"]) if given is None else LENGTH[given]
        self.mass = float(units["kilogramsPerUnit"] or 1.0)
        if units["upAxis"] == "Y":
            self.up = _UPRIGHT
            self.say("CB1442", "the stage has y up; x, y, z are read as x, −z, y")
        # USD's fallbacks are centimetres and y up, which robots are mostly not in.
        absent = [key for key in ("metersPerUnit", "upAxis") if key not in authored and not (given and key[0] == "m")]
        if absent:
            keys = ", ".join(f"{key} ({units[key]})" for key in absent)
            self.say("CB1441", f"the stage does not say {keys}; what USD takes for it is read")
        for path, body in self.stage["bodies"].items():
            name = "world" if body["name"] == GROUND and "world" not in self.taken else body["name"]
            self.names[path] = free_name(name, self.taken)
            self.X[path], shear = self.pose(body["matrix"])
            if shear > ROUNDED_ROTATION:
                self.say("CB1454", f"{self.names[path]}: its placement is sheared or flat", self.names[path])

    def affine(self, matrix: Matrix) -> tuple[Matrix, Vector]:
        """(3, 3) and (3,): from a prim's own units to the world in m."""
        linear = self.up @ matrix[:3, :3]
        return linear * self.length, self.up @ matrix[:3, 3] * self.length

    def pose(self, matrix: Matrix) -> tuple[Pose, float]:
        """X_WP of a prim without its scale, and how far its axes are from right angles."""
        linear, p = self.affine(matrix)
        sizes = np.linalg.norm(linear, axis=0)
        # A scale of nothing flattens a body: no frame is left in it.
        if float(sizes.min()) <= 1e-12 * self.length:
            return Pose(self.up, p), 1.0
        axes = linear / sizes
        # A mirrored prim: all axes turned round make a right-handed frame again.
        axes *= math.copysign(1.0, float(np.linalg.det(axes)))
        u, _, vt = np.linalg.svd(axes)
        R = np.asarray(u @ vt)
        return Pose(R, p), float(np.abs(R - axes).max())

    def frame(self, matrix: Matrix, position: Vector, turn: Vector) -> Pose:
        """X_WF of a frame given in a prim: its position is scaled as the prim is, its quaternion (4,) turns it."""
        linear, p = self.affine(matrix)
        R = self.pose(matrix)[0].R
        local = Pose.from_quaternion(np.zeros(3), turn if np.any(turn) else (1.0, 0.0, 0.0, 0.0))
        return Pose(R @ local.R, linear @ np.asarray(position, dtype=float) + p)

    def gravity(self) -> tuple[float, float, float] | None:
        """m/s² of the first scene; None where there is none."""
        scenes = self.stage["scenes"]
        if not scenes:
            return None
        if len(scenes) > 1:
            self.say("CB1446", f"the stage has {len(scenes)} physics scenes; gravity is that of {scenes[0]['path']}")
        attributes = scenes[0]["attributes"]
        direction = vector(attributes, "physics:gravityDirection", (0.0, 0.0, 0.0))
        size = number(attributes, "physics:gravityMagnitude", -math.inf)
        # UsdPhysics: a negative magnitude, −inf by default, stands for the Earth's gravity; a direction of zero for
        # "down".
        # UsdPhysics takes the Earth's gravity for −inf, and states no figure.
        size = EARTH if size < 0 or not math.isfinite(size) else size * self.length
        down = self.up @ direction if direction.any() else np.array([0.0, 0.0, -1.0])
        x, y, z = (float(v) for v in down / np.linalg.norm(down) * size)
        return x, y, z
