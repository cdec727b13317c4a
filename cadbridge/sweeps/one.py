"""One run of a sweep, and what is kept of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import CadbridgeError
from cadbridge.findings import Severity
from cadbridge.simulation.groups import GROUPS, group_of
from cadbridge.simulation.run import Run, simulate
from cadbridge.simulation.samples import Columns
from cadbridge.simulation.trajectory import columns_of, motion_columns
from cadbridge.sweeps.model import Sweep
from cadbridge.sweeps.varying import Base, varied

REFUSED, FAILED, CRASHED, NOT_RUN = "refused", "failed", "crashed", "not_run"
"""How a run ends that gave no motion: its values cannot be, a fault of ours, its process ended, it was never begun.

A run that gave one ends as the solver says: ok, or why it stopped early."""


@dataclass(frozen=True, eq=False)
class RunRow:
    """How a run ended, and what is kept of it: `values` by `names` (with `units`), and `series` by column.

    `findings` are the codes of what was found, `message` says why the run did not end well. `seconds` is the
    processor's time.
    """

    run: int
    status: str
    findings: tuple[str, ...] = ()
    message: str = ""
    simulated: float = 0.0
    steps: int = 0
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    values: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    series: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True)
class How:
    """How each run is computed: as `cadbridge.simulation.simulate` takes it."""

    collapse: bool = True
    method: str = "auto"


def one_run(base: Base, sweep: Sweep, how: How, run: int, values: Sequence[Any]) -> RunRow:
    """Simulate one point of a sweep; whatever goes wrong is reported in the row."""
    start = time.process_time()
    row = _attempted(base, sweep, how, run, values)
    return replace(row, seconds=time.process_time() - start)


def _attempted(base: Base, sweep: Sweep, how: How, run: int, values: Sequence[Any]) -> RunRow:
    try:
        mechanism, scenario = varied(base, sweep.parameters, values)
        # Whether the tolerance decides is asked by a second run: of a thousand runs it would be a thousand more.
        done = simulate(mechanism, replace(scenario, sensitivity=False), collapse=how.collapse, method=how.method)
    except CadbridgeError as error:
        return RunRow(run, REFUSED, tuple(dict.fromkeys(f.code for f in error.findings)), _why(error))
    except Exception as error:  # a fault of one run does not end the sweep: its row names it
        return RunRow(run, FAILED, ("CB653",), f"{type(error).__name__}: {error}")
    return _row(run, done, sweep)


def _why(error: CadbridgeError) -> str:
    """The reason of an error in one line: that of its first error where it holds one."""
    worst = [f for f in error.findings if f.severity is Severity.ERROR]
    return worst[0].message if worst else str(error)


def _row(run: int, done: Run, sweep: Sweep) -> RunRow:
    s = done.summary
    worst = [f for f in done.findings if f.severity is Severity.ERROR]
    status = s["status"] if s["status"] != "ok" or not worst else "untrusted"
    names, units, values = _kept(done, sweep)
    codes = tuple(dict.fromkeys(f.code for f in done.findings))
    columns = _columns(done, sweep.series) if sweep.series else {}
    series = {n: np.asarray(columns[n][0], float) for n in _matching(columns, ("time", *sweep.series))}
    return RunRow(
        run,
        status,
        codes,
        worst[0].message if worst else "",
        s["simulated_s"],
        s["steps"],
        (*names, *series),
        (*units, *(columns[n][1] for n in series)),
        np.array(values),
        series,
    )


def _kept(done: Run, sweep: Sweep) -> tuple[list[str], list[str], list[float]]:
    """Names, units and values of what a run keeps at its end, and of its least and most."""
    names, units, values = [], [], []
    columns = _columns(done, (*sweep.final, *sweep.extremes))
    for name in _matching(columns, sweep.final):
        v, unit = columns[name]
        names.append(f"{name}.final")
        units.append(unit)
        values.append(float(v[-1]) if len(v) else np.nan)
    for name in _matching(columns, sweep.extremes):
        v, unit = columns[name]
        # A column may have gaps, as a reaction where no model determines it.
        known = v[np.isfinite(v)]
        names += [f"{name}.least", f"{name}.most"]
        units += [unit, unit]
        values += [float(known.min()), float(known.max())] if known.size else [np.nan, np.nan]
    return names, units, values


_MOTION = frozenset({"bodies", "joints", "energy", "checks", "time"})


def _columns(done: Run, wanted: Sequence[str]) -> Columns:
    """The columns of a run; without forces, which take most of the time, where nothing wanted is one."""
    groups = {name if name in GROUPS else group_of(name) for name in wanted}
    # What circuits store belongs to the energy (`motion_columns` takes it for nothing), and where a mass is stood in
    # for, `columns_of` says what has no meaning.
    plain = groups <= _MOTION and not done.scenario.circuits and not done.lowered.stand_ins
    return motion_columns(done) if plain else columns_of(done)


def _matching(columns: Columns, wanted: Sequence[str]) -> list[str]:
    """The columns of some groups and patterns."""
    return [n for n in columns if any(group_of(n) == w or n == w or fnmatchcase(n, w) for w in wanted)]
