"""Many runs of one mechanism at once."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.scenario_file import read_document, read_scenario
from cadbridge.simulation.study import study_scenario
from cadbridge.simulation.trees import METHODS
from cadbridge.sweeps.crew import Crew, Point
from cadbridge.sweeps.loading import load_sweep_file, sweep_of
from cadbridge.sweeps.model import Sweep
from cadbridge.sweeps.one import NOT_RUN, How, RunRow, one_run
from cadbridge.sweeps.table import SweepTable, table_of
from cadbridge.sweeps.varying import Base
from cadbridge.wording import count

Progress = Callable[[int, int], None]
_EMPTY: dict[str, Any] = {"format": "cadbridge.scenario/1"}


def sweep(
    mechanism: Mechanism, what: str | Path | Mapping[str, Any],
    scenario: str | Path | Mapping[str, Any] | Scenario | None = None, *, duration: float | None = None,
    collapse: bool = True, method: str = "auto", workers: int | None = None, part: tuple[int, int] = (1, 1),
    progress: Progress | None = None,
) -> SweepTable:  # fmt: skip
    """Simulate a mechanism once for each point of a sweep.

    A run that fails is a row that says why. Ctrl-C ends the sweep and returns what was computed (CB654).

    Args:
        mechanism: The mechanism.
        what: A sweep file, or its content as a mapping with the same keys (docs/sweep.md).
        scenario: What all runs have in common: a scenario file, its content as a mapping, or a `Scenario`; None takes
            the run that the source itself asks for.
        duration: The duration in s of all runs, in place of the scenario's.
        collapse: As of `simulate`.
        method: As of `simulate`.
        workers: Processes that compute at once, each given the mechanism once; None takes one for each core, 1 this
            process alone.
        part: (k, n) computes the k-th of n parts of the runs, k from 1; the rows of all others have the status
            "not_run".
        progress: Called with the number of runs done and of all.

    Returns:
        A table with a row for each run, of its parameters, how it ended, and what was kept of it.

    Raises:
        InputError: The method is none, or the sweep or the scenario has faults; its findings are all of them, and
            nothing was run.
    """
    if method not in METHODS:
        raise InputError(f"The method is one of {', '.join(METHODS)}, not {method!r}.")
    findings = Findings()
    base = _base(mechanism, scenario, duration, findings)
    plan = _plan(what, base)
    points = plan.points()
    runs = range(part[0] - 1, plan.count, part[1])
    number = min(cores() if workers is None else workers, len(runs))
    how = How(collapse, method)
    source = ((run, [values[run] for values in points]) for run in runs)
    rows: list[RunRow] = []
    computing = _here(base, plan, how, source) if number <= 1 else _beside(base, plan, how, source, number)
    stopped = _collected(computing, rows, len(runs), progress)
    table = table_of(mechanism, plan, points, rows)
    _report(table, plan, len(runs) - len(rows) if stopped else 0, findings)
    return replace(table, findings=findings.as_tuple())


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _base(
    mechanism: Mechanism, scenario: str | Path | Mapping[str, Any] | Scenario | None, duration: float | None,
    findings: Findings,
) -> Base:  # fmt: skip
    """What all runs share; InputError with the faults of the scenario, at their places where it is a file."""
    own = study_scenario(mechanism, findings)
    if isinstance(scenario, Scenario):
        return Base(mechanism, given=scenario, duration=duration)
    if isinstance(scenario, str | Path):
        path = Path(scenario)
        read_scenario(path, mechanism, own)
        document: Mapping[str, Any] = read_document(path).data
    else:
        document = scenario or _EMPTY
    base = Base(mechanism, document=document, duration=duration)
    # Made here, so that its faults come before any run.
    _ = base.scenario
    return base


def _plan(what: str | Path | Mapping[str, Any], base: Base) -> Sweep:
    return load_sweep_file(what, base) if isinstance(what, str | Path) else sweep_of(dict(what), base)


def _here(base: Base, plan: Sweep, how: How, points: Iterator[Point]) -> Generator[RunRow, None, None]:
    for run, values in points:
        yield one_run(base, plan, how, run, values)


def _beside(base: Base, plan: Sweep, how: How, points: Iterator[Point], workers: int) -> Generator[RunRow, None, None]:
    """The rows of several processes, as they are done; the processes end with the iteration."""
    try:
        task = pickle.dumps((base, plan, how), protocol=5)
    except (pickle.PicklingError, TypeError, AttributeError) as fault:
        raise InputError(
            "The scenario holds a function that cannot be handed to other processes. Give the scenario as a file or "
            f"its document, or use workers=1. ({fault})"
        ) from fault
    crew = Crew(task, points, workers)
    try:
        yield from crew.rows()
    finally:
        crew.stop()


def _collected(
    computing: Generator[RunRow, None, None], rows: list[RunRow], total: int, progress: Progress | None
) -> bool:
    """Collect the rows; whether Ctrl-C ended it."""
    try:
        for row in computing:
            rows.append(row)
            if progress is not None:
                progress(len(rows), total)
    except KeyboardInterrupt:
        return True
    finally:
        computing.close()
    return False


def _report(table: SweepTable, plan: Sweep, missing: int, findings: Findings) -> None:
    """Report what did not end well (CB652), what was not run (CB654), and the columns that no run has (CB633)."""
    status = table.columns["status"]
    bad = Counter(
        (str(s), str(c).split(" ")[0])
        for s, c in zip(status, table.columns["findings"], strict=True)
        if s not in ("ok", NOT_RUN)
    )
    done = int(sum(s != NOT_RUN for s in status))
    if bad:
        kinds = [f"{n} {s}" + (f" ({c})" if c else "") for (s, c), n in bad.most_common(5)]
        first = next(k for k, s in enumerate(status) if s not in ("ok", NOT_RUN))
        why = str(table.columns["message"][first])
        text = f"{sum(bad.values())} of {count(done, 'run')} did not end well: {', '.join(kinds)}"
        findings.add("CB652", text + (f"; run {first}: {why}" if why else ""))
    parted = sum("CB626" in str(codes).split(" ") for codes in table.columns["findings"])
    if parted:
        findings.add("CB626", f"the mates contradict each other in {parted} of {count(done, 'run')}")
    if missing:
        findings.add("CB654", f"the sweep was stopped: {done} of {count(done + missing, 'run')} are kept")
    if done:
        _report_unmatched(table, plan, findings)


def _report_unmatched(table: SweepTable, plan: Sweep, findings: Findings) -> None:
    from cadbridge.simulation.groups import report_unmatched

    names = {n.rpartition(".")[0] for n in table.columns if n.endswith((".final", ".least", ".most"))}
    if names or table.series:
        wanted = list(islice(dict.fromkeys((*plan.final, *plan.extremes, *plan.series)), 100))
        report_unmatched([*names, *table.series], wanted, findings)
