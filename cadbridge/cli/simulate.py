"""`cadbridge simulate SOURCE`: from the mates to a trajectory."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.options import Json, KeepGoing, Reading, Strict, reads_source
from cadbridge.run_options import RunOptions


class Against(StrEnum):
    """What a run is compared with."""

    REFERENCE = "reference"


@reads_source
def simulate(
    reading: Reading,
    options: RunOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the trajectory to this file (.parquet or .csv); by default run.parquet, or sweep.parquet.",
            metavar="FILE",
        ),
    ] = None,
    plots: Annotated[
        Path | None, typer.Option("--plots", help="Write plots of the run into this folder.", metavar="FOLDER")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report page with the run animated and plotted.")
    ] = None,
    real_time: Annotated[
        bool, typer.Option("--real-time", help="Run in real time, and report how much faster the run could be.")
    ] = False,
    against: Annotated[
        Against | None,
        typer.Option("--against", help="Compare positions with the time series in the source."),
    ] = None,
    sweep: Annotated[
        Path | None,
        typer.Option(
            "--sweep",
            help="Simulate once for each point of this sweep file (docs/sweep.md), and write one table of all runs.",
            metavar="FILE",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Processes of a sweep; by default one for each core.", metavar="NUMBER"),
    ] = None,
    json: Json = False,
    strict: Strict = False,
    keep_going: KeepGoing = False,
) -> None:
    """Simulate the mechanism and write its trajectory."""
    from dataclasses import replace

    from cadbridge.cli.output import exit_status, print_findings, print_json, print_next
    from cadbridge.cli.running import run_mechanism, write_report
    from cadbridge.cli.sweeping import refuse_others, sweep_command
    from cadbridge.files import refuse_output
    from cadbridge.findings import Findings
    from cadbridge.report import run_document, run_text
    from cadbridge.report.terminal import width
    from cadbridge.simulation import compare

    if sweep is not None:
        others = {"--plots": plots, "--html": html, "--real-time": real_time, "--against": against}
        refuse_others(others, options)
        to = output or Path("sweep.parquet")
        flags = {"json": json, "strict": strict, "keep_going": keep_going}
        raise typer.Exit(sweep_command(reading, options, sweep, to, workers, **flags))
    if workers is not None:
        raise typer.BadParameter("--workers goes with --sweep")
    output = output or Path("run.parquet")
    for path in (output, html):
        if path is not None:
            refuse_output(path)
    mechanism = reading.whole_mechanism(keep_going)
    run = run_mechanism(mechanism, output, options, plots=plots, real_time=real_time)
    reported = Findings(run.findings)
    compared = compare(run, reported) if against is not None else None
    run = replace(run, findings=reported.as_tuple())
    findings = (*mechanism.assembly.findings, *mechanism.findings, *run.findings)
    if html is not None:
        write_report(run.mechanism, html, output, findings)
    if json:
        print_json(run_document(run, output, compared))
    else:
        typer.echo(run_text(run, output, compared, plots, width()))
        print_findings(findings)
        mates = "" if reading.mates is None else f" --mates {reading.mates}"
        print_next(f"Next: cadbridge view {reading.source}{mates} --run {output}   (plays the run in a browser)")
    raise typer.Exit(exit_status(findings, strict))
