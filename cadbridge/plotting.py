"""Figures over time in one style: a panel for each unit, lines named at their ends, PNG and SVG of the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.files import output

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

COLOURS = ("#2f7de1", "#e8860c", "#2a9d5c", "#d6293e", "#8e5bd0", "#8a6d3b", "#d061a8", "#3aa7b5")
"""As many lines as a panel holds: no two of them alike."""
WIDTH, PANEL, TITLE = 9.0, 2.6, 0.6
"""Inches: of a figure, the height of one panel, and of the title and the axis of time."""
DOTS = 110
"""Of the PNG, to the inch."""
LINE = 1.4
"""Points: a line that stands out from the grid, and does not hide its neighbour."""
ROUNDING_NOISE = 1e-9
"""Share of the largest value of a unit below which a line is rounding noise."""
LABEL_GAP = 0.065
"""Share of a panel's height between the labels of two lines."""


@dataclass(frozen=True)
class PlottedCurve:
    """Values (k,) over the time of the figure, with a name and the unit that they are in."""

    name: str
    values: Array
    unit: str


def write_figure(
    folder: Path, name: str, title: str, t: Array, curves: Sequence[PlottedCurve], over: str = "time in s"
) -> tuple[Path, ...]:
    """Write NAME.png and NAME.svg into a folder: a panel for each unit, at most eight lines each.

    `t` (k,) are times in s, or values of what `over` names.

    Lines that are rounding noise beside the largest of their unit are left out; nothing is written where none is left.
    """
    panels = _panels([c for c in curves if np.any(np.isfinite(c.values))])
    if not panels:
        return ()
    import matplotlib as mpl
    from matplotlib.figure import Figure  # not pyplot: how the process that calls shows its own figures is its own

    folder.mkdir(parents=True, exist_ok=True)
    # Without dates, versions and ids by chance, so that the same values are the same bytes.
    with mpl.rc_context({"svg.hashsalt": "cadbridge", "font.size": 9, "axes.spines.top": False,
                         "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25}):  # fmt: skip
        figure = Figure(figsize=(WIDTH, PANEL * len(panels) + TITLE), dpi=DOTS, layout="constrained")
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)
        figure.suptitle(title, x=0.01, ha="left", weight="bold")
        for panel, drawn in zip(axes[:, 0], panels, strict=True):
            _draw(panel, t, drawn)
        axes[-1, 0].set_xlabel(over)
        _lay_out(figure)
        paths = (folder / f"{name}.png", folder / f"{name}.svg")
        for path, metadata in zip(paths, ({"Software": None}, {"Date": None, "Creator": None}), strict=True):
            with output(path) as temporary:
                figure.savefig(temporary, format=path.suffix[1:], metadata=metadata)
    return paths


def _lay_out(figure: Figure) -> None:
    """Make room for all labels once: each file that is saved would draw the figure a second time to do it anew."""
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    figure.set_layout_engine(None)


def _panels(curves: Sequence[PlottedCurve]) -> list[list[PlottedCurve]]:
    """The curves of each unit without noise, in panels of as many as there are colours."""
    by_unit: dict[str, list[PlottedCurve]] = {}
    for curve in curves:
        by_unit.setdefault(curve.unit, []).append(curve)
    panels = []
    for same in by_unit.values():
        sizes = [float(np.nanmax(np.abs(c.values))) for c in same]
        kept = [c for c, size in zip(same, sizes, strict=True) if size > ROUNDING_NOISE * max(sizes)] or same[:1]
        count = -(-len(kept) // len(COLOURS))
        panels += [kept[k::count] for k in range(count)]
    return panels


def _draw(axes: Axes, t: Array, curves: Sequence[PlottedCurve]) -> None:
    """The lines of a panel with their names at the right, apart from each other."""
    for curve, colour in zip(curves, COLOURS, strict=False):
        axes.plot(t, curve.values, color=colour, lw=LINE)
    axes.set_ylabel(curves[0].unit)
    axes.margins(x=0.0)
    low, high = axes.get_ylim()
    ends = [float(c.values[np.flatnonzero(np.isfinite(c.values))[-1]]) for c in curves]
    for curve, colour, at in zip(curves, COLOURS, _apart([(e - low) / (high - low) for e in ends]), strict=False):
        axes.annotate(curve.name, (1.0, at), xycoords="axes fraction", xytext=(5, 0), textcoords="offset points",
                      va="center", color=colour, annotation_clip=False, parse_math=False)  # fmt: skip


def _apart(places: Sequence[float]) -> list[float]:
    """Heights of labels from 0 to 1, near to where their lines end, `LABEL_GAP` apart, in the lines' order."""
    order = sorted(range(len(places)), key=lambda k: places[k])
    found = list(places)
    for before, after in pairwise(order):
        found[after] = max(found[after], found[before] + LABEL_GAP)
    excess = max(0.0, found[order[-1]] - 1.0) if order else 0.0
    return [place - excess for place in found]
