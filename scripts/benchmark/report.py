"""The tables of ratios as Markdown, and the plot of work against precision."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmark import imports
from benchmark.engines import OWN, TREE
from benchmark.engines.base import RATE

ALPHA = "generalised-α"
ERRORS = (1e-3, 1e-4, 1e-6, 1e-9)


def text(results: list[dict[str, Any]], engines: Sequence[str], heading: str, read: dict[str, Any]) -> str:
    """All tables, and the import `read` where it was measured.

    A ratio is a peer's time over this solver's: above 1 this solver is faster.
    """
    parts = [
        "# Benchmarks\n",
        heading,
        "Every ratio is the peer's time over that of cadbridge's method for the mechanism, the tree where loops or "
        "gears close it and absolute coordinates else: above 1 cadbridge is faster, below 1 the peer. Errors are "
        "recomputed from raw positions and velocities at the end of each run (metres; for hinges and gears metres or "
        "radians).\n",
        "## One evaluation of the accelerations (µs)\n",
        *_evaluations(results, engines),
        *(part for error in ERRORS for part in _to_error(results, engines, error, "seconds")),
        *(part for error in ERRORS for part in _to_error(results, engines, error, "sampled")),
        *_firsts(results, engines),
        *_alpha(results),
        "## What holds: hinges, loops and gears at the end of the finest run\n",
        *_held(results, engines),
        *_growth(results, engines),
        *(imports.text(read) if read else ()),
        "## First call, reference, and what was left out\n",
        *_notes(results),
    ]
    return "\n".join(parts) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), ""]


def cheapest(answer: dict[str, Any], error: float, time: str = "seconds") -> dict[str, Any] | None:
    """The run of least `time` ("seconds", or "sampled") whose error of position is within `error`."""
    runs = [r for r in answer["runs"] if r["position"] <= error and r.get(time) is not None]
    return min(runs, key=lambda r: r[time], default=None)


def own_method(result: dict[str, Any]) -> str:
    """Which of this project's engines `cadbridge simulate` takes for a case (`cadbridge.simulation.trees`)."""
    closed = result.get("loops") or result.get("gears")  # of a case without a reference nothing is known
    return TREE if closed and TREE in result["engines"] else OWN


def exponent(pairs: Sequence[tuple[int, float]]) -> float:
    """The growth of the time over the count between the first and the last pair."""
    (n, a), (m, b) = pairs[0], pairs[-1]
    return math.log(b / a) / math.log(m / n)


def _ratio(time: float | None, own: float | None, unit: float, form: str = ".3g") -> str:
    if time is None:
        return "—"
    return f"{time * unit:{form}}" + (f" ({time / own:.2g}×)" if own else "")


def _evaluations(results: list[dict[str, Any]], engines: Sequence[str]) -> list[str]:
    rows = []
    for result in results:
        cells = [result["case"]]
        mine = own_method(result)
        own = (result["engines"].get(mine, {}).get("evaluation") or {}).get("seconds")
        for name in engines:
            found = result["engines"].get(name, {}).get("evaluation")
            cell = _ratio(found and found["seconds"], own if name != mine else None, 1e6)
            for what, seconds in found["beside"].items() if found else ():
                cell += f", {what} {seconds * 1e6:.3g}"
            if found and not found["error"] < 1e-6:
                cell += f", error {found['error']:.0e}"
            cells.append(cell)
        rows.append(cells)
    note = (
        "Those of cadbridge are evaluated within compiled code, as its integrators do, with all multipliers: in "
        "absolute coordinates and in those of a spanning tree. Those of the others are called from Python. "
        '"error" marks accelerations that are off by more than 1e-6.\n'
    )
    return [*table(["case", *engines], rows), note]


def _to_error(results: list[dict[str, Any]], engines: Sequence[str], error: float, time: str) -> list[str]:
    rows = []
    for result in results:
        runs = _runs(result, engines, error, time)
        mine = own_method(result)
        own = runs.get(mine)
        cells = [result["case"]]
        for name, run in runs.items():
            cell = _ratio(
                run[time] / result["duration"] if run else None,
                own[time] / result["duration"] if own and name != mine else None,
                1e3,
            )
            cells.append(cell + (f" {run['method']}" if run else ""))
        rows.append(cells)
    sampling = f", with {RATE:g} samples" if time == "sampled" else ""
    return [
        f"## A simulated second with an error below {error:.0e} m{sampling} (ms)\n",
        *table(["case", *engines], rows),
    ]


def _runs(result: dict[str, Any], engines: Sequence[str], error: float, time: str) -> dict[str, dict[str, Any] | None]:
    """The cheapest run of each engine on a case."""
    return {n: cheapest(result["engines"][n], error, time) if n in result["engines"] else None for n in engines}


def _firsts(results: list[dict[str, Any]], engines: Sequence[str]) -> list[str]:
    """Who is first in each row of the tables above, and by how much before or behind the best peer."""
    rows = []
    for result in results:
        cells = [result["case"]]
        for time in ("seconds", "sampled"):
            cells += [_first(result, engines, error, time) for error in ERRORS]
        rows.append(cells)
    head = ["case", *(f"{error:.0e}" for error in ERRORS), *(f"{error:.0e}, sampled" for error in ERRORS)]
    note = (
        "The best peer's time over that of cadbridge's method for the mechanism. Peers that choose their own steps are "
        f"timed without samples; steps of fixed length count where they give {RATE:g} samples a second.\n"
    )
    return ["## Who is first\n", *table(head, rows), note]


def _first(result: dict[str, Any], engines: Sequence[str], error: float, time: str) -> str:
    runs = {name: run[time] for name, run in _runs(result, engines, error, time).items() if run}
    own = runs.get(own_method(result))
    peers = {name: seconds for name, seconds in runs.items() if OWN not in name}
    if not peers:
        return "alone" if own else "nobody"
    best = min(peers, key=lambda name: peers[name])
    return f"{peers[best] / own:.2g}× {best}" if own else f"only {best}"


def _alpha(results: list[dict[str, Any]]) -> list[str]:
    rows, growing = [], []
    for result in results:
        own, peer = result["engines"].get(OWN), result["engines"].get("exudyn")
        if not own or not peer:
            continue
        mine = {round(r["steps"]): r for r in own["runs"] if r["method"] == ALPHA}
        rows += [_alpha_row(result["case"], theirs, mine.get(theirs["steps"]), own) for theirs in peer["runs"]]
        ours, its = _one_more(list(mine.values())), _one_more(peer["runs"])
        if ours is not None and its is not None:
            growing.append([result["case"], f"{its * 1e6:.0f}", f"{ours * 1e6:.0f}", f"{its / ours:.2g}×"])
    if not rows:
        return []
    head = ["case", "step (s)", "Exudyn (µs a step)", "cadbridge (µs a step)", "ratio"]
    head += ["largest error of Exudyn (m)", "of cadbridge", "at the end", "of cadbridge", "time to that, any method"]
    return [
        f"## Against Exudyn: {ALPHA} on both sides at the same step\n",
        *table(head, rows),
        "What one more step costs, between the two finest runs, so that the start of a run is left out:\n",
        *table(["case", "Exudyn (µs)", "cadbridge (µs)", "ratio"], growing),
    ]


def _alpha_row(case: str, theirs: dict[str, Any], mine: dict[str, Any] | None, own: dict[str, Any]) -> list[str]:
    """A step of Exudyn's beside ours of the same length, the errors of both, and our least time to its error."""
    best = cheapest(own, theirs["position"])
    reached = f"{theirs['seconds'] / best['seconds']:.2g}× {best['method']}" if best else "—"
    step = theirs["seconds"] / theirs["steps"]
    row = [case, f"{theirs['setting']:.3g}", f"{step * 1e6:.0f}"]
    ours = f"{mine['seconds'] / mine['steps'] * 1e6:.0f}" if mine else "—"
    ratio = f"{step * mine['steps'] / mine['seconds']:.2g}×" if mine else "—"
    errors = [_metres(run, key) for key in ("along", "position") for run in (theirs, mine)]
    return [*row, ours, ratio, *errors, reached]


def _metres(run: dict[str, Any] | None, key: str) -> str:
    """An error (m) of a run, where it is known."""
    found = run and run.get(key)
    return "—" if found is None else f"{found:.0e}"


def _one_more(runs: list[dict[str, Any]]) -> float | None:
    """Seconds of a step, from the two runs of most steps; None where there are no two."""
    found = sorted(runs, key=lambda r: -r["steps"])[:2]
    if len(found) < 2 or found[0]["seconds"] <= found[1]["seconds"]:
        return None
    return float((found[0]["seconds"] - found[1]["seconds"]) / (found[0]["steps"] - found[1]["steps"]))


def _held(results: list[dict[str, Any]], engines: Sequence[str]) -> list[str]:
    rows = []
    for result in results:
        cells = [result["case"]]
        for name in engines:
            runs = result["engines"].get(name, {}).get("runs")
            finest = min(runs, key=lambda r: r["position"]) if runs else None
            cells.append(f"{finest['held']:.0e}, {finest['held_rates']:.0e}" if finest else "—")
        rows.append(cells)
    note = "The largest gap, tilt or slip, then that of the velocities over the largest velocity.\n"
    return [*table(["case", *engines], rows), note]


def _growth(results: list[dict[str, Any]], engines: Sequence[str]) -> list[str]:
    rows = []
    for family in ("chain", "four-bars"):
        members = [r for r in results if r["case"].startswith(family) and r["bodies"] >= 100]
        cells = [f"{family} {members[0]['bodies']} … {members[-1]['bodies']} bodies"] if len(members) > 1 else []
        for name in engines if cells else ():
            found = [
                (r["bodies"], (r["engines"].get(name, {}).get("evaluation") or {}).get("seconds")) for r in members
            ]
            known = [(n, s) for n, s in found if s]
            cells.append(f"{exponent(known):.2f}" if len(known) > 1 else "—")
        rows += [cells] if cells else []
    if not rows:
        return []
    return ["## Growth: exponent of an evaluation over the bodies\n", *table(["family", *engines], rows)]


def _notes(results: list[dict[str, Any]]) -> list[str]:
    lines = []
    for result in results:
        peers = [(r["position"], n) for n, a in result["engines"].items() if OWN not in n for r in a["runs"]]
        near = min(peers, default=None)
        agreed = f"; nearest to the reference came {near[1]} by {near[0]:.0e} m" if near else ""
        first = f"first accelerations of a process {result['first_call']:.2f} s" if result.get("first_call") else ""
        lines.append(f"- **{result['case']}**: {first}{agreed}. {result['said']}".rstrip())
        for name, answer in result["engines"].items():
            lines += [f"  - {name}: {said.rstrip(': ')}" for said in (answer["said"], *answer["failed"]) if said]
    return lines


def plot(results: list[dict[str, Any]], engines: Sequence[str], place: Path) -> None:
    """Work against precision, a panel for each case, a line for each method."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    columns = min(3, len(results))
    lines = math.ceil(len(results) / columns)
    figure, axes = plt.subplots(lines, columns, figsize=(5 * columns, 3.6 * lines), squeeze=False)
    colours = dict(zip(engines, plt.rcParams["axes.prop_cycle"].by_key()["color"], strict=False))
    for ax, result in zip(axes.flat, results, strict=False):
        for name, answer in result["engines"].items():
            methods = list(dict.fromkeys(r["method"] for r in answer["runs"]))
            for method, style in zip(methods, ("-o", "--s", ":^", "-.v"), strict=False):
                runs = [r for r in answer["runs"] if r["method"] == method]
                x = [max(r["position"], 1e-16) for r in runs]
                y = [r["seconds"] / result["duration"] for r in runs]
                ax.loglog(x, y, style, color=colours[name], label=f"{name} {method}", markersize=3, linewidth=1)
        ax.invert_xaxis()
        ax.set(title=result["case"], xlabel="error (m)", ylabel="s a simulated second")
        ax.grid(alpha=0.3)
    for ax in axes.flat[len(results) :]:
        ax.set_axis_off()
    figure.tight_layout()
    # One legend for all panels, beside them: within one it would lie on its lines.
    lines_of = {label: h for ax in axes.flat for h, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    names = sorted(lines_of, key=lambda label: (list(engines).index(label.split(" ")[0]), label))
    figure.legend([lines_of[n] for n in names], names, loc="upper left", bbox_to_anchor=(1.0, 0.98), fontsize=8)
    figure.savefig(place, dpi=70, bbox_inches="tight")
    plt.close(figure)
