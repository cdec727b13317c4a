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
    mechanism: Mechanism, output: Path, options: RunOptions, *, plots: Path | None = None, real_time: bool = False,
    elastic: bool = False,
) -> Run:  # fmt: skip
    """Simulate with a progress bar, write the trajectory and, where a folder is named, the plots.

    With `elastic` the run keeps all rows, and is repeated with springs.
    """
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
            collapse=options.collapse and not elastic,
            method=options.method,
            real_time=real_time,
            progress=progress,
            early=lambda finding: print_findings([finding]),
        )
    run = with_stiffness(run)
    if elastic:
        run = _with_springs(run)
    with working("writing the trajectory"):
        table = trajectory_table(run, options.columns, options.column_units)
        write_table(table, output)
        if plots is not None:
            write_plots(run, plots)
    report_unmatched(table.column_names, options.columns, collected)
    return replace(run, findings=(*collected, *run.findings))


def with_stiffness(run: Run) -> Run:
    """A run that keeps every row, with the stiffness of NAME.fit.yaml beside the source (InputError of a bad file)."""
    if run.lowered.collapsed:
        return run
    from cadbridge.misfit import load_fit

    return replace(run, stiffness=load_fit(None, run.mechanism))


def _with_springs(run: Run) -> Run:
    """A run with its repetition with springs in place of mates that repeat each other."""
    from cadbridge.cli.output import progress_bar
    from cadbridge.simulation.elastic import elastic

    with progress_bar("bending", run.scenario.duration) as progress:
        return replace(run, elastic=elastic(run, progress))


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
