"""One run with its files, for the commands that simulate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cadbridge.findings import Finding
    from cadbridge.mechanism.model import Mechanism
    from cadbridge.run_options import RunOptions
    from cadbridge.simulation import Run


def run_mechanism(
    mechanism: Mechanism, output: Path, options: RunOptions, *, plots: Path | None = None, real_time: bool = False
) -> Run:
    """Simulate with a progress bar, write the trajectory and, where a folder is named, the plots."""
    from cadbridge.cli.output import print_findings, progress_bar, working
    from cadbridge.findings import Findings
    from cadbridge.simulation import requested_scenario, simulate, trajectory_table, write_plots
    from cadbridge.simulation.groups import check_choice, report_unmatched
    from cadbridge.simulation.trajectory import check_ending, write_table

    check_ending(output)
    check_choice(options.columns)
    collected = Findings()
    what = requested_scenario(mechanism, collected, options.scenario, options.duration)
    with progress_bar("simulating", what.duration) as progress:
        run = simulate(
            mechanism,
            what,
            collapse=options.collapse,
            method=options.method,
            real_time=real_time,
            progress=progress,
            early=lambda finding: print_findings([finding]),
        )
    with working("writing the trajectory"):
        table = trajectory_table(run, options.columns, options.column_units)
        write_table(table, output)
        if plots is not None:
            write_plots(run, plots)
    report_unmatched(table.column_names, options.columns, collected)
    return replace(run, findings=(*collected, *run.findings))


def write_report(run: Run, page: Path, trajectory: Path, findings: Sequence[Finding]) -> None:
    """Write the report page of a mechanism with a run of it, which the file `trajectory` names."""
    from cadbridge.cli.output import working
    from cadbridge.diagnosis import diagnose
    from cadbridge.report import all_findings
    from cadbridge.report.page import Extras, write_page
    from cadbridge.report.page.motions import RunData
    from cadbridge.report.provenance import provenance
    from cadbridge.simulation import trajectory_table

    with working("drawing the page"):
        mechanism = run.mechanism
        diagnosis = diagnose(mechanism)
        shown = RunData(mechanism, trajectory, trajectory_table(run))  # a CSV, or chosen columns, would not do
        found = tuple(dict.fromkeys((*all_findings(mechanism, diagnosis), *findings)))
        write_page(page, mechanism, diagnosis, Extras(shown, found, provenance=provenance(mechanism.assembly)))
