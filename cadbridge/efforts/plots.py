"""Plots of efforts, reactions and contact forces over the motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.inverse import Inverse, effort_unit
from cadbridge.efforts.methods import Quantity
from cadbridge.efforts.table import inverse_columns
from cadbridge.simulation.plots import saved
from cadbridge.simulation.trajectory import Columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST = 12
"""Curves in a plot: the largest of more are shown."""


def write_inverse_plots(found: Inverse, folder: Path) -> tuple[Path, ...]:
    """Write efforts.png, forces.png, torques.png and, where there are gears or bodies led, gears.png and led.png;
    and KIND.png for each kind of quantity that the method has to plot."""
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
    own: dict[str, dict[str, Quantity]] = {}
    for q in found.forces.quantities:
        if q.plotted:
            own.setdefault(q.kind, {})[q.name] = q
    for kind, of in own.items():
        written.append(saved(folder, kind, lambda axes, of=of: _own(axes, columns["time"][0], of)))  # type: ignore[misc]
    return tuple(written)


def _own(axes: Axes, t: Array, quantities: dict[str, Quantity]) -> None:
    """Quantities of one kind, those with the largest values."""
    sizes = {name: np.abs(q.values) for name, q in quantities.items()}
    first = next(iter(quantities.values()))
    _curves(axes, t, sizes, f"{first.kind}: {first.what} in {first.unit}")


def _curves(axes: Axes, t: Array, sizes: dict[str, Array], label: str) -> None:
    """The curves with the largest values, in the order given."""
    largest = sorted(sizes, key=lambda name: -float(np.max(sizes[name], initial=0.0)))[:MOST]
    for name in (n for n in sizes if n in largest):
        axes.plot(t, sizes[name], label=name)
    axes.set_ylabel(label + (f" (the {MOST} largest)" if len(sizes) > MOST else ""))


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
    what = {"f": "force", "t": "torque"}[letter]
    _curves(axes, t, sizes, f"resultant {what} in {unit}")
