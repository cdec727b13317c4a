"""One run with its files, for the commands that simulate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cadbridge.mechanism.model import Mechanism
    from cadbridge.simulation import Run


def run_mechanism(
    mechanism: Mechanism,
    output: Path,
    *,
    scenario: Path | None = None,
    duration: float | None = None,
    plots: Path | None = None,
    collapse: bool = True,
) -> Run:
    """Simulate with a progress bar, write the trajectory and, where a folder is named, the plots."""
    from cadbridge.cli.output import progress_bar, working
    from cadbridge.simulation import Scenario, load_scenario, simulate, write_plots, write_trajectory

    what = load_scenario(scenario, mechanism) if scenario is not None else Scenario()
    if duration is not None:
        what = replace(what, duration=duration)
    with progress_bar("simulating", what.duration) as progress:
        run = simulate(mechanism, what, collapse=collapse, progress=progress)
    with working("writing the trajectory"):
        write_trajectory(run, output)
        if plots is not None:
            write_plots(run, plots)
    return run
