"""The mechanism as the macros of scripts/cad write it from Inventor and SolidWorks, beside a STEP file.

One line a mate with fifteen digits, in mm, as Visual Basic prints; what the macros leave to a person (limits, and
masses, which STEP does not carry) stands below.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml

from tests.readers.same_mechanism import plain, step
from tests.readers.same_mechanism.model import BODIES, GEAR, GUIDE, HINGES, Hinge, Z

HEAD = 'format: cadbridge.mates/1\nunits: {length: mm, angle: deg}\nground: ["Base"]\nmates:\n'


def inventor(folder: Path) -> Path:
    """Inserts, a flush for the guide, a rotation constraint for the gear."""
    lines = []
    for h in HINGES:
        if h.limits:
            lines.append(
                f"  # left out: Limit of {h.name} has limits: from -0.5 to 3.5 (cm or rad); give them to a joint"
            )
        lines.append(_line(h, "insert", "axis", ", offset: 0"))
    lines.append(_line(GUIDE, "coincident", "normal", ", offset: 0"))
    name, a, b, ratio = GEAR
    axes = {h.b: h.point for h in HINGES if h.a == "Base"}
    sides = ", ".join(f"{s}: {_feature(body, axes[body], 'axis')}" for s, body in (("a", a), ("b", b)))
    gear = f'  - {{name: "{name}", type: ratio, {sides}, ratio: {-1 / ratio:.15g}}}'
    return _written(folder, [*lines, "gears:", gear])


def solidworks(folder: Path) -> Path:
    """Concentric and coincident mates, a gear mate."""
    lines = []
    for h in HINGES:
        lines.append(_line(h, "concentric", "axis"))
        lines.append(_line(h, "coincident", "normal", end=" plane"))
    lines.append(_line(GUIDE, "coincident", "normal"))
    name, a, b, ratio = GEAR
    axes = {h.b: h.point for h in HINGES if h.a == "Base"}
    sides = ", ".join(f"{s}: {_feature(body, axes[body], 'axis')}" for s, body in (("a", a), ("b", b)))
    gear = f'  - {{name: "{name}", type: spur, {sides}, ratio: {ratio:.15g}}}'
    return _written(folder, [*lines, "gears:", gear])


def _line(h: Hinge, kind: str, what: str, more: str = "", end: str = "") -> str:
    a, b = (_feature(body, h.point, what) for body in (h.a, h.b))
    return f'  - {{name: "{h.name}{end}", type: {kind}, a: {a}, b: {b}{more}}}'


def _feature(name: str, point: np.ndarray, what: str) -> str:
    body = BODIES[name]
    at, along = body.point(point) * 1e3, body.vector(Z)
    radius = ", radius: 5" if what == "axis" else ""
    return f'{{component: "{name}", point: {_triple(at)}, {what}: {_triple(along)}{radius}}}'


def _triple(values: np.ndarray) -> str:
    return f"[{', '.join(f'{v:.15G}' for v in values)}]"


def _written(folder: Path, lines: list[str]) -> Path:
    source = step.bare(folder)
    by_hand = {
        "joints": {
            h.name: {"mates": [h.name], "limits": dict(zip(("lower", "upper"), map(_degrees, h.limits), strict=True))}
            for h in HINGES
            if h.limits
        },
        "mass": [entry | {"com": [1e3 * v for v in entry["com"]]} for entry in plain.masses()["mass"]],
    }
    plain.beside(source).write_text(HEAD + "\n".join(lines) + "\n" + yaml.safe_dump(by_hand))
    return source


def _degrees(angle: float) -> float:
    return float(np.degrees(angle))
