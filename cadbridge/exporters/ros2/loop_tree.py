"""The joints of a URDF, a tree, and the rotations that place its links. Needs numpy alone, as `loop_closure`."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint of the URDF; `index` among the movable ones, None where it is fixed or floating.

    `R` (3, 3) and `p` (3,), m, place it in the frame of its parent; `axis` (3,) is a unit vector in its own.
    """

    name: str
    kind: str
    parent: str
    child: str
    R: Array
    p: Array
    axis: Array
    index: int | None

    @property
    def slides(self) -> bool:
        """Whether it slides along its axis."""
        return self.kind == "prismatic"


def rotations_about(axes: Array, angles: Array) -> Array:
    """Rotations (N, k, 3, 3) about unit axes (k, 3) by angles (N, k), rad: Rodrigues' formula."""
    K = np.zeros((len(axes), 3, 3))
    for i, j, k in ((2, 1, 0), (0, 2, 1), (1, 0, 2)):
        K[:, i, j], K[:, j, i] = axes[:, k], -axes[:, k]
    angles = angles[:, :, None, None]
    return np.eye(3) + np.sin(angles) * K + (1.0 - np.cos(angles)) * (K @ K)


def rotation_of(rpy: Sequence[float]) -> Array:
    """The rotation (3, 3) of roll, pitch and yaw (rad) about fixed axes, as URDF has them."""
    r, p, y = rpy
    R_x, R_y, R_z = rotations_about(np.eye(3), np.array([[r, p, y]]))[0]
    return R_z @ R_y @ R_x


def pose_of(frame: Mapping[str, Any]) -> tuple[Array, Array]:
    """Rotation (3, 3) and origin (3,), m, of a frame that is written as `rpy` and `xyz`."""
    return rotation_of(frame["rpy"]), np.array(frame["xyz"], dtype=float)


def _three(text: str | None, otherwise: str = "0 0 0") -> list[float]:
    values = [float(v) for v in (text or otherwise).split()]
    if len(values) != 3:
        raise ValueError(f"{text!r} are not three numbers")
    return values


def joints_of(root: ET.Element) -> list[UrdfJoint]:
    """The joints of a URDF in its order; ValueError where an axis or an origin has not three numbers."""
    found: list[UrdfJoint] = []
    count = 0
    for element in root.findall("joint"):
        kind, origin = element.get("type", ""), element.find("origin")
        place = {} if origin is None else origin.attrib
        axis_element = element.find("axis")
        axis = np.array(_three(None if axis_element is None else axis_element.get("xyz"), "1 0 0"))
        moves = kind in ("revolute", "continuous", "prismatic")
        ends = [end.get("link", "") if (end := element.find(tag)) is not None else "" for tag in ("parent", "child")]
        norm = float(np.linalg.norm(axis)) or 1.0
        R, p = rotation_of(_three(place.get("rpy"))), np.array(_three(place.get("xyz")))
        name = element.get("name", "")
        found.append(UrdfJoint(name, kind, ends[0], ends[1], R, p, axis / norm, count if moves else None))
        count += moves
    return found


def limits_of(root: ET.Element, joints: Sequence[str]) -> tuple[Array, Array]:
    """Lower and upper limits (n,), rad or m, of the joints named; infinite where one has none."""
    limits = {}
    for element in root.findall("joint"):
        limit = element.find("limit")
        if limit is not None and element.get("type") in ("revolute", "prismatic"):
            limits[element.get("name", "")] = (float(limit.get("lower", 0.0)), float(limit.get("upper", 0.0)))
    pairs = np.array([limits.get(name, (-math.inf, math.inf)) for name in joints]).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
