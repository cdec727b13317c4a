"""Plots of a run as drawings within the page: joints, gears, reactions, energy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.report.html import Child, Html, el, embedded
from cadbridge.report.page.motions import RunData
from cadbridge.units import TO_MM
from cadbridge.wording import count

Array = NDArray[np.float64]

WIDTH, HEIGHT = 620.0, 250.0
"""Pixels of a plot."""
LEFT, RIGHT, TOP, BOTTOM = 62.0, 10.0, 10.0, 34.0
"""Pixels around the curves: room for the numbers of the axes, and for the title of the time."""
MOST_LINES = 8
"""Of a plot: as many as there are colours that are told apart; of more, the others stand in the tables."""
MOST_POINTS = 400
"""Of a line: three quarters of the pixels that there are; more would only make the page larger."""
MOST_RUNS = 4
"""Runs that a dash can distinguish."""
TIME = "time in s"
ZERO_SHOWN_AS = 1e-18
"""What a logarithmic axis shows for zero: below the rounding of everything that is plotted."""


@dataclass(frozen=True)
class PlotLine:
    """Values (k,) along the run, by a name; `colour` is its place among the colours, by default that in the plot.

    `run` counts the runs that are laid over each other.
    """

    name: str
    values: Array
    ref: str | None = None
    colour: int | None = None
    run: int = 0

    def look(self, place: int) -> str:
        """The classes of its colour and dash, at its place in the plot."""
        return f"c{(place if self.colour is None else self.colour) % MOST_LINES} r{self.run % MOST_RUNS}"


@dataclass(frozen=True)
class Plot:
    """Lines over time, or over what `over` names. `of` says how many lines there are in all."""

    title: str
    axis: str
    lines: Sequence[PlotLine]
    of: int
    logarithmic: bool = False
    over: str = TIME


def plots(runs: Sequence[RunData]) -> Html:
    """The section with all plots of a run; further runs are laid over the first, at its times."""
    first = runs[0]
    summary = [f"{label}: {run.time[-1]:.4g} s in {count(len(run.time), 'sample')}." for label, run in labelled(runs)]
    if len(runs) > 1:
        summary.append("A colour is a quantity, a dash a run; all runs are drawn at the times of the first.")
    drawn = [p for quantity in QUANTITIES if (p := quantity.drawn(runs)) is not None]
    return el(
        "section",
        el("h2", "Run" if len(runs) == 1 else "Runs", id="run-h"),
        el("p", " ".join(summary), class_="note"),
        el("div", [plot_figure(first.time, p) for p in drawn], class_="plots"),
        id="run",
        aria_labelledby="run-h",
    )


def labelled(runs: Sequence[RunData]) -> list[tuple[str, RunData]]:
    """Each run with the name of its file, with its folder where two files have one name."""
    names = [run.path.name for run in runs]
    return [
        (name if names.count(name) == 1 else f"{run.path.parent.name}/{name} ({k + 1})", run)
        for k, (name, run) in enumerate(zip(names, runs, strict=True))
    ]


@dataclass(frozen=True)
class PlottedQuantity:
    """What a plot shows: `lines` finds them in a run, `key` says which of too many are drawn."""

    title: str
    axis: str
    lines: Callable[[RunData], list[PlotLine]]
    key: Callable[[Array], float] | None = None
    logarithmic: bool = False

    def drawn(self, runs: Sequence[RunData]) -> Plot | None:
        """The plot of the first run, with the same lines of the others; None where there is nothing to draw."""
        plot = plot_of(self.title, self.axis, self.lines(runs[0]), self.key, self.logarithmic)
        if plot is None or len(runs) == 1:
            return plot
        shown = plot.lines[: max(1, MOST_LINES // len(runs))]
        lines = []
        for k, (label, run) in enumerate(labelled(runs)):
            own = {line.name: line for line in self.lines(run)}
            for i, line in enumerate(shown):
                if line.name in own:
                    values = _at(runs[0].time, run.time, own[line.name].values)
                    lines.append(PlotLine(f"{line.name}, {label}", values, line.ref, colour=i, run=k))
        finite = [line for line in lines if np.any(np.isfinite(line.values))]
        return replace(plot, lines=finite, of=plot.of * len(runs))


def _at(times: Array, own: Array, values: Array) -> Array:
    """Values of another run at the times of the first; none beyond its ends."""
    return np.interp(times, own, values, left=np.nan, right=np.nan)


def _joints(run: RunData) -> list[PlotLine]:
    """Values of the joints that a person named, else of all."""
    requested = set(run.mechanism.assembly.joint_names.values())
    able = [j for j in run.mechanism.joints if j.coordinate and run.has(f"joint.{j.name}.q")]
    chosen = [j for j in able if j.name in requested] or able
    lines = []
    for j in chosen:
        angle = j.coordinate == "angle"
        unit = "°" if angle else "mm"
        values = run.column(f"joint.{j.name}.q") * (180 / np.pi if angle else TO_MM)
        lines.append(PlotLine(f"{j.name} ({unit})", values, f"joint:{run.mechanism.joints.index(j)}"))
    return lines


def _gears(run: RunData) -> list[PlotLine]:
    """Errors of the gears."""
    return [
        PlotLine(c.name, np.maximum(np.abs(run.column(f"gear.{c.name}.error")), ZERO_SHOWN_AS), f"gear:{k}")
        for k, c in enumerate(run.mechanism.couplings)
        if run.has(f"gear.{c.name}.error")
    ]


def _reactions(run: RunData) -> list[PlotLine]:
    """The force that each joint bears."""
    return [
        PlotLine(j.name, np.linalg.norm([run.column(f"joint.{j.name}.f{a}") for a in "xyz"], axis=0), f"joint:{k}")
        for k, j in enumerate(run.mechanism.joints)
        if all(run.has(f"joint.{j.name}.f{a}") for a in "xyz")
    ]


def _energy(run: RunData) -> list[PlotLine]:
    names = ("kinetic", "potential", "motor_work")
    return [PlotLine(n.replace("_", " "), run.column(f"energy.{n}")) for n in names if run.has(f"energy.{n}")]


QUANTITIES = (
    PlottedQuantity("Joints", "value in ° or mm", _joints),
    PlottedQuantity("Errors of the gears", "error in rad or m", _gears, np.nanmax, logarithmic=True),
    PlottedQuantity("Forces in the joints", "force in N", _reactions, np.nanmax),
    PlottedQuantity("Energy", "energy in J", _energy),
)


def plot_of(
    title: str, axis: str, lines: list[PlotLine], key: Callable[[Array], float] | None = None, logarithmic: bool = False
) -> Plot | None:
    """The first lines, or those with the most of `key`; only those with a finite value, with gaps where it is none."""
    finite = [line for line in lines if np.any(np.isfinite(line.values))]
    if not finite:
        return None
    if key is not None:
        finite.sort(key=lambda line: -float(key(line.values)))
    return Plot(title, axis, finite[:MOST_LINES], len(lines), logarithmic)


def plot_figure(time: Array, plot: Plot) -> Html:
    """A plot with its caption and legend."""
    legend = el(
        "ul",
        [
            el("li", el("span", class_=f"key {line.look(i)}"), _named(line))
            for i, line in enumerate(plot.lines)
        ],
        class_="legend",
    )  # fmt: skip
    more = el("p", f"The {len(plot.lines)} largest of {plot.of}.", class_="note") if plot.of > len(plot.lines) else None
    return el("figure", el("figcaption", plot.title), _drawing(time, plot), legend, more, embedded(_series(time, plot)),
              class_="plot")  # fmt: skip


def _series(time: Array, plot: Plot) -> dict[str, Any]:
    """The numbers of a plot, thinned, for the chart that the page's code draws in place of the drawing."""
    samples = _samples(time)

    def short(values: Array) -> list[float | None]:
        return [float(f"{v:.6g}") if np.isfinite(v) else None for v in values[samples]]

    return {
        "title": plot.title,
        "axis": plot.axis,
        "logarithmic": plot.logarithmic,
        "over": plot.over,
        "time": short(time),
        "lines": [
            {"name": line.name, "values": short(line.values), "look": line.look(i)} for i, line in enumerate(plot.lines)
        ],
    }


def _samples(time: Array) -> NDArray[np.int64]:
    """The samples that a plot shows: at most `MOST_POINTS`."""
    return np.unique(np.linspace(0, len(time) - 1, min(MOST_POINTS, len(time))).astype(np.int64))


def _named(line: PlotLine) -> Child:
    if line.ref is None:
        return line.name
    return el("button", line.name, type="button", class_="pick", data_pick=line.ref)


def _drawing(time: Array, plot: Plot) -> Html:
    shown = [np.log10(line.values) if plot.logarithmic else line.values for line in plot.lines]
    low, high = min(float(np.nanmin(v)) for v in shown), max(float(np.nanmax(v)) for v in shown)
    # A constant but for rounding is drawn as a line amid its axis. The floor, in what is shown (N, N m, mm …), is for
    # constants of zero, whose rounding has nothing to be small beside.
    if high - low < 1e-12 * max(abs(high), 1.0):
        low, high = low - 1.0, high + 1.0
    # s: an axis of one sample still has a length.
    start, end = float(time[0]), float(max(time[-1], time[0] + 1e-9))
    samples = _samples(time)
    x = LEFT + (time[samples] - start) / (end - start) * (WIDTH - LEFT - RIGHT)

    def y(value: Array | float) -> Array:
        return np.asarray(HEIGHT - BOTTOM - (np.asarray(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM))

    curves = [
        el("polyline", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[own], y(v[samples[own]]), strict=True)),
           class_=f"curve {plot.lines[i].look(i)}")
        for i, v in enumerate(shown)
        for own in _pieces(np.isfinite(v[samples]))
    ]  # fmt: skip
    grid: list[Child] = []
    for value in ticks(low, high, whole=plot.logarithmic):
        at = float(y(value))
        text = f"1e{value:.0f}" if plot.logarithmic else f"{value:g}"
        grid += [el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=f"{at:.1f}", y2=f"{at:.1f}"),
                 el("text", text, x=LEFT - 6, y=f"{at + 4:.1f}", text_anchor="end")]  # fmt: skip
    for value in ticks(start, end):
        across = LEFT + (value - start) / (end - start) * (WIDTH - LEFT - RIGHT)
        grid += [el("line", x1=f"{across:.1f}", x2=f"{across:.1f}", y1=TOP, y2=HEIGHT - BOTTOM),
                 el("text", f"{value:g}", x=f"{across:.1f}", y=HEIGHT - BOTTOM + 15, text_anchor="middle")]  # fmt: skip
    grid += [el("text", plot.over, x=WIDTH - RIGHT, y=HEIGHT - 3, text_anchor="end"),
             el("text", plot.axis, x=4, y=HEIGHT - 3)]  # fmt: skip
    cursor = el("line", class_="cursor", x1=LEFT, x2=LEFT, y1=TOP, y2=HEIGHT - BOTTOM, data_start=start,
                data_end=end, data_left=LEFT, data_right=WIDTH - RIGHT)  # fmt: skip
    summary = "; ".join(
        f"{line.name} from {np.nanmin(line.values):.3g} to {np.nanmax(line.values):.3g}" for line in plot.lines
    )
    label = f"{plot.title}, {plot.axis}, over {plot.over} from {start:g} to {end:g}: {summary}"
    return el("svg", el("g", grid, class_="grid"), curves, cursor, viewbox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
              role="img", aria_label=label)  # fmt: skip


def _pieces(there: NDArray[np.bool_]) -> list[slice]:
    """The stretches of samples that have a value: a joint that is released has none."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]])))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def ticks(low: float, high: float, whole: bool = False, count: int = 5) -> list[float]:
    """Round numbers within a range, about `count` of them."""
    raw = (high - low) / count
    power = 10.0 ** np.floor(np.log10(raw))
    # A thousandth: a step that is round but for rounding is not passed over.
    step = float(next(m for m in (1, 2, 5, 10) if m * power >= raw * 0.999) * power)
    step = max(step, 1.0) if whole else step
    # Of a step: an end that is a mark but for rounding has its mark.
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return [float(f"{k * step:.10g}") + 0.0 for k in np.arange(first, last + 1)]
