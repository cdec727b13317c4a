"""One run with its files, for the commands that simulate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cadbridge.mechanism.model import Mechanism
    from cadbridge.run_options import RunOptions
    from cadbridge.simulation import Run


def run_mechanism(
    mechanism: Mechanism, output: Path, options: RunOptions, *, plots: Path | None = None, real_time: bool = False
) -> Run:
    """Simulate with a progress bar, write the trajectory and, where a folder is named, the plots."""
    from cadbridge.cli.output import progress_bar, working
    from cadbridge.findings import Findings
    from cadbridge.simulation import asked_scenario, simulate, write_plots, write_trajectory
    from cadbridge.simulation.trajectory import check_ending

    check_ending(output)
    said = Findings()
    what = asked_scenario(mechanism, said, options.scenario, options.duration)
    with progress_bar("simulating", what.duration) as progress:
        run = simulate(
            mechanism,
            what,
            collapse=options.collapse,
            method=options.method,
            real_time=real_time,
            progress=progress,
        )
    run = replace(run, findings=(*said, *run.findings))
    with working("writing the trajectory"):
        write_trajectory(run, output)
        if plots is not None:
            write_plots(run, plots)
    return run
