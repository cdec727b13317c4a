"""The time series: where another solver says that the parts were."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Where
from cadbridge.readers.ondsel.context import Reader
from cadbridge.readers.ondsel.text import blocks, row
from cadbridge.study import Reference
from solver import rotation

Array = NDArray[np.float64]
SAME_POSE = 1e-6
"""Of the model's size (at least 1 m), and of a rotation's entries: poses of the series within it are the file's own.

The program's own tolerance is 1e-6 where a file gives none. The first step of a run is apart by far more.
"""


def read_series(r: Reader, series: list[tuple[int, str]], tolerance: float | None) -> Reference | None:
    """The positions of the parts over time; None where the file has no usable series."""
    reference: Reference | None = None
    for kind, owner, lines in blocks(series):
        if kind == "":
            t = _times(r, lines) if lines else None
            # m, rad: the error tolerance of OndselSolver where the file states none.
            reference = None if t is None else Reference(t, {}, {}, {}, tolerance or 1e-6)
        elif kind == "PartSeries":
            component = r.component_of.get(owner)
            if component is None or not lines:
                where = Where(str(r.path), lines[0][0] - 1 if lines else None)
                r.findings.add("CB162", f"a series of {owner!r}: no such part, or no lines", where)
                continue
            if reference is not None:
                _part(r, lines, reference, component, owner)
    return reference if reference is not None and reference.positions else None


def designed_at(r: Reader, reference: Reference | None) -> float:
    """The time (s from the first) at which the series has the pose that the file holds; 0 where it never has."""
    if reference is None:
        return 0.0
    gaps = np.zeros(len(reference.t))
    for name, positions in reference.positions.items():
        X = r.X_WC[name]
        size = max(1.0, float(np.max(np.abs(positions))))
        gaps = np.maximum(gaps, np.linalg.norm(positions - X.p, axis=1) / size)
        gaps = np.maximum(gaps, np.linalg.norm(reference.rotations[name] - X.R, axis=(1, 2)))
    best = int(np.argmin(gaps > SAME_POSE))  # the first time within it: of False and True, argmin takes the first False
    return float(reference.t[best] - reference.t[0]) if gaps[best] <= SAME_POSE else 0.0


def _part(r: Reader, lines: list[tuple[int, str]], reference: Reference, component: str, owner: str) -> None:
    """A part's positions, Bryant angles (x, y, z in turn), velocities and angular velocities."""

    def columns(*names: str) -> Array | None:
        found = [_column(r, lines, name, len(reference.t), owner) for name in names]
        return np.array(found).T if all(c is not None for c in found) else None

    p, angles = columns("X", "Y", "Z"), columns("Bryantx", "Bryanty", "Bryantz")
    if p is None or angles is None:
        return
    reference.positions[component] = p * r.length
    reference.rotations[component] = rotation.matrix(_turned(angles))
    # Some programs write positions alone; velocities then are not compared, which is no fault of the file.
    if not any(text.strip().startswith("VX\t") for _, text in lines):
        return
    v, w = columns("VX", "VY", "VZ"), columns("OmegaX", "OmegaY", "OmegaZ")
    if v is not None and w is not None:
        reference.velocities[component] = np.hstack([v * r.length, w])


def _turned(angles: Array) -> Array:
    """Quaternions (k, 4) of turns (k, 3; rad) about x, then the turned y, then the turned z."""
    x, y, z = (rotation.exponential(angles[:, i : i + 1] * np.eye(3)[i]) for i in range(3))
    return rotation.multiply(rotation.multiply(x, y), z)


def _times(r: Reader, lines: list[tuple[int, str]]) -> Array | None:
    values = _column(r, lines, "Time", None, "the time series")
    if values is not None and (len(values) < 2 or not np.all(np.diff(values) > 0)):
        r.findings.add("CB1210", "the times do not rise", Where(str(r.path), lines[0][0]))
        return None
    return values


def _column(r: Reader, lines: list[tuple[int, str]], name: str, count: int | None, owner: str) -> Array | None:
    """A named line of numbers less the first (before assembly); a finding and None where it cannot be used."""
    named = ((i, text.strip().partition("\t")) for i, text in lines)
    line, found = next(((i, rest) for i, (first, _, rest) in named if first.strip() == name), (lines[0][0], ""))
    # The first number is the state before OndselSolver assembled the parts (its column "Input").
    _, _, results = found.partition("\t")
    values = row(results)
    if values and (count is None or len(values) == count):
        return np.array(values)
    r.findings.add("CB1210", f"{owner}: the column {name} cannot be used", Where(str(r.path), line))
    return None
