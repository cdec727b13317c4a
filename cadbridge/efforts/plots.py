"""Plots of efforts, reactions and contact forces over the motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cadbridge.efforts.inverse import Inverse, effort_unit
from cadbridge.efforts.table import inverse_columns
from cadbridge.simulation.plots import saved
from cadbridge.simulation.trajectory import Columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 12
"""Curves in a plot: the largest of more are shown."""


def write_inverse_plots(found: Inverse, folder: Path) -> tuple[Path, ...]:
    """Write efforts.png, forces.png, torques.png and, where there are gears or bodies led, gears.png and led.png."""
    columns = inverse_columns(found)
    groups = {
        "forces": ("joint", "f", "N", [j.name for j in found.run.mechanism.joints]),
        "torques": ("joint", "t", "N m", [j.name for j in found.run.mechanism.joints]),
        "gears": ("gear", "f", "N", [c.name for c in found.run.mechanism.couplings]),
        "led": ("led", "f", "N", list(found.led)),
    }
    written = []
    if found.actuators:
        written.append(saved(folder, "efforts", lambda axes: _efforts(axes, columns, found)))
    for file, (kind, letter, unit, names) in groups.items():
        if names:
            written.append(
                saved(folder, file, lambda axes, g=(kind, letter, unit, names): _sizes(axes, columns, *g))  # type: ignore[misc]
            )
    return tuple(written)


def _efforts(axes: Axes, columns: Columns, found: Inverse) -> None:
    t = columns["time"][0]
    for joint in found.actuators:
        axes.plot(t, columns[f"actuator.{joint.name}.effort"][0], label=f"{joint.name} ({effort_unit(joint)})")
    axes.set_ylabel("effort of the actuators")


def _sizes(axes: Axes, columns: Columns, kind: str, letter: str, unit: str, names: list[str]) -> None:
    """The resultants of the groups with the largest ones."""
    t = columns["time"][0]
    sizes = {
        name: np.linalg.norm([columns[f"{kind}.{name}.{letter}{axis}"][0] for axis in "xyz"], axis=0) for name in names
    }
    largest = sorted(sizes, key=lambda name: -float(np.max(sizes[name], initial=0.0)))[:MOST]
    for name in (n for n in sizes if n in largest):
        axes.plot(t, sizes[name], label=name)
    what = {"f": "force", "t": "torque"}[letter]
    axes.set_ylabel(f"resultant {what} in {unit}" + (f" (the {MOST} largest)" if len(sizes) > MOST else ""))
