"""Plots of efforts, reactions and contact forces over the motion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.inverse import Inverse, effort_unit
from cadbridge.efforts.table import inverse_columns
from cadbridge.plotting import PlottedCurve, write_figure
from cadbridge.simulation.samples import Columns

Array = NDArray[np.float64]

MOST_CURVES = 16
"""Curves of a figure: of more, those with the largest values; lines beyond are not told apart."""


def write_inverse_plots(found: Inverse, folder: Path) -> tuple[Path, ...]:
    """Write efforts, forces, torques and, where there are gears or bodies moved along a path, gears and external; and a
    figure for each kind of quantity that the method has to plot. Each as PNG and SVG."""
    columns = inverse_columns(found)
    t = columns["time"][0]
    joints = [j.name for j in found.run.mechanism.joints]
    gears = [c.name for c in found.run.mechanism.couplings]
    efforts = [
        PlottedCurve(j.name, columns[f"actuator.{j.name}.effort"][0], effort_unit(j)) for j in found.actuators
    ]  # fmt: skip
    figures = {
        "efforts": ("Efforts of the actuators", efforts),
        "forces": ("Resultant forces in the joints", _sizes(columns, "joint", "f", "N", joints)),
        "torques": ("Resultant torques in the joints", _sizes(columns, "joint", "t", "N m", joints)),
        "gears": ("Contact forces of the gears", _sizes(columns, "gear", "f", "N", gears)),
        "external": ("External forces", _sizes(columns, "external", "f", "N", list(found.external))),
    }
    for q in found.forces.quantities:
        if q.plotted:
            title = f"{q.kind}: {q.what}"
            figures.setdefault(q.kind, (title, []))[1].append(PlottedCurve(q.name, np.abs(q.values), q.unit))
    written: list[Path] = []
    for name, (title, curves) in figures.items():
        shown = _largest(curves)
        more = f" (the {MOST_CURVES} largest of {len(curves)})" if len(curves) > MOST_CURVES else ""
        written += write_figure(folder, name, title + more, t, shown)
    return tuple(written)


def _largest(curves: Sequence[PlottedCurve]) -> list[PlottedCurve]:
    """The curves with the largest values, in the order given."""
    sizes = [float(np.max(np.abs(c.values), initial=0.0)) for c in curves]
    chosen = sorted(sorted(range(len(curves)), key=lambda k: -sizes[k])[:MOST_CURVES])
    return [curves[k] for k in chosen]


def _sizes(columns: Columns, kind: str, letter: str, unit: str, names: Sequence[str]) -> list[PlottedCurve]:
    """The magnitudes of forces (`letter` f) or torques (t) by name."""
    return [
        PlottedCurve(n, np.linalg.norm([columns[f"{kind}.{n}.{letter}{axis}"][0] for axis in "xyz"], axis=0), unit)
        for n in names
    ]
