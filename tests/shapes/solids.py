"""Small CAD models, made when a test needs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.late import cq


def involute_gear(teeth: int, module: float, width: float) -> Any:
    """A spur gear with involute flanks as splines, in mm; about the z axis, with a bore."""
    pitch = module * teeth / 2.0
    base, tip, root = pitch * np.cos(np.radians(20.0)), pitch + module, pitch - 1.25 * module

    def involute(t: float) -> Any:
        return base * np.array([np.cos(t) + t * np.sin(t), np.sin(t) - t * np.cos(t)])

    def turned(point: np.ndarray, angle: float) -> tuple[float, float]:
        c, s = np.cos(angle), np.sin(angle)
        return float(c * point[0] - s * point[1]), float(s * point[0] + c * point[1])

    start = np.sqrt(max((max(root, base) / base) ** 2 - 1.0, 0.0))
    end = np.sqrt((tip / base) ** 2 - 1.0)
    at_pitch = involute(np.sqrt((pitch / base) ** 2 - 1.0))
    half = np.pi / (2.0 * teeth) + np.arctan2(at_pitch[1], at_pitch[0])
    flank = [involute(t) for t in np.linspace(start, end, 8)]
    wire = None
    for tooth in range(teeth):
        angle = 2.0 * np.pi * tooth / teeth
        rising = [turned(p, angle - half) for p in flank]
        falling = [turned(p * [1.0, -1.0], angle + half) for p in reversed(flank)]
        foot = (root * np.cos(angle - half), root * np.sin(angle - half))
        wire = cq.Workplane().moveTo(*foot) if wire is None else wire.lineTo(*foot)
        wire = wire.lineTo(*rising[0]).spline(rising[1:], includeCurrent=True)
        wire = wire.lineTo(*falling[0]).spline(falling[1:], includeCurrent=True)
        wire = wire.lineTo(root * np.cos(angle + half), root * np.sin(angle + half))
    assert wire is not None
    return wire.close().extrude(width).faces(">Z").workplane().hole(pitch * 0.4)


def write_part(path: Path, shape: Any) -> Path:
    """A single part as STEP."""
    cq.exporters.export(shape, str(path), "STEP")
    return path


def write_assembly(path: Path, assembly: cq.Assembly) -> Path:
    """An assembly as STEP."""
    assembly.export(str(path))
    return path
