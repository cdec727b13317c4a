"""`cadbridge simulate SOURCE`: from the mates to a trajectory."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from cadbridge.cli.options import Json, KeepGoing, Limits, Reading, Strict, reads_source
from cadbridge.run_options import RunOptions

if TYPE_CHECKING:
    from cadbridge.findings import Findings
    from cadbridge.mechanism.model import Mechanism
    from cadbridge.simulation import Run
    from cadbridge.simulation.confirming import Confirmation

NOT_TESTED_STATUS = 4
"""The exit status of a run that is neither right nor wrong, as far as anybody knows."""


class Against(StrEnum):
    """What a run is compared with."""

    REFERENCE = "reference"


Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write the trajectory to this file (.parquet or .csv); by default run.parquet, or sweep.parquet.",
        metavar="FILE",
    ),
]
Plots = Annotated[
    Path | None, typer.Option("--plots", help="Write plots of the run into this folder.", metavar="FOLDER")
]
Html = Annotated[Path | None, typer.Option("--html", help="Write the report page with the run animated and plotted.")]
RealTime = Annotated[
    bool, typer.Option("--real-time", help="Run in real time, and report how much faster the run could be.")
]
Compared = Annotated[
    Against | None, typer.Option("--against", help="Compare positions with the time series in the source.")
]
Confirm = Annotated[
    bool,
    typer.Option("--confirm", help="Repeat the run at a tenth of its tolerance, and compare every column."),
]
Elastic = Annotated[
    bool,
    typer.Option(
        "--elastic",
        help="Repeat the run with springs in place of mates that repeat each other, and compare what they carry.",
    ),
]
Sweep = Annotated[
    Path | None,
    typer.Option(
        "--sweep",
        help="Simulate once for each point of this sweep file (docs/sweep.md), and write one table of all runs.",
        metavar="FILE",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Processes of a sweep; by default one for each core.", metavar="NUMBER"),
]


@reads_source
def simulate(
    reading: Reading, options: RunOptions, output: Output = None, plots: Plots = None, html: Html = None,
    real_time: RealTime = False, against: Compared = None, confirm: Confirm = False, elastic: Elastic = False,
    sweep: Sweep = None, workers: Workers = None, limits: Limits = None,
    json: Json = False, strict: Strict = False, keep_going: KeepGoing = False,
) -> None:  # fmt: skip
    """Simulate the mechanism and write its trajectory."""
    if options.scenario is not None:
        from cadbridge.simulation.scenario_file import check_kind

        check_kind(options.scenario)
    if sweep is not None:
        from cadbridge.cli.sweeping import refuse_others, sweep_command

        others = {"--plots": plots, "--html": html, "--real-time": real_time, "--against": against}
        refuse_others({**others, "--confirm": confirm, "--elastic": elastic}, options)
        to = output or Path("sweep.parquet")
        printed = {"json": json, "strict": strict, "keep_going": keep_going}
        raise typer.Exit(sweep_command(reading, options, sweep, to, workers, limits=limits, **printed))
    if workers is not None:
        raise typer.BadParameter("--workers goes with --sweep")
    files = _Files(output or Path("run.parquet"), plots, html)
    flags = _Flags(real_time, against is not None, confirm, elastic, json, strict)
    from cadbridge.files import refuse_folder, refuse_output

    for path in filter(None, (files.trajectory, files.page)):
        refuse_output(path)
    refuse_folder(plots)
    if files.page is not None:
        from cadbridge.report.page import require_built

        require_built()
    raise typer.Exit(_run(reading.limited_mechanism(keep_going, limits), reading, options, files, flags))


class _Files(NamedTuple):
    """What a run is written to."""

    trajectory: Path
    plots: Path | None
    page: Path | None


class _Flags(NamedTuple):
    """How one run is made and shown."""

    real_time: bool
    compared: bool
    confirmed: bool
    elastic: bool
    json: bool
    strict: bool


def _run(mechanism: Mechanism, reading: Reading, options: RunOptions, to: _Files, flags: _Flags) -> int:
    """Simulate once, write and show the run; the exit status: 4 where nothing is wrong, and nothing was tested."""
    from dataclasses import replace

    from cadbridge.cli.output import exit_status, print_findings, print_json, print_next, typed
    from cadbridge.cli.running import run_mechanism, write_report
    from cadbridge.findings import Findings
    from cadbridge.report import confirmation_text, run_document, run_text
    from cadbridge.report.terminal import width
    from cadbridge.simulation import compare

    run = run_mechanism(
        mechanism, to.trajectory, options, plots=to.plots, real_time=flags.real_time, elastic=flags.elastic
    )
    collected = Findings(run.findings)
    compared = compare(run, collected) if flags.compared else None
    confirmed = _confirmed(run, collected) if flags.confirmed else None
    run = replace(run, findings=collected.as_tuple())
    # The run began where its placements were moved onto the mates, which its own mechanism tells.
    if any(f.code == "CB408" for f in run.mechanism.findings):
        mechanism = run.mechanism
    findings = (*mechanism.assembly.findings, *mechanism.findings, *run.findings)
    if to.page is not None:
        write_report(run, to.page, to.trajectory, findings)
    if flags.json:
        print_json(run_document(run, to.trajectory, compared, confirmed))
    else:
        typer.echo(run_text(run, to.trajectory, compared, to.plots, width()))
        if confirmed is not None:
            typer.echo(confirmation_text(confirmed, width()))
        print_findings(findings)
        mates = "" if reading.mates is None else f" --mates {typed(reading.mates)}"
        words = f"{typed(reading.source)}{mates} --run {typed(to.trajectory)}"
        if to.trajectory.suffix.lower() != ".csv" and not options.columns:  # these may lack what is played
            print_next(f"Next: cadbridge view {words}   (plays the run in a browser)")
    untested = NOT_TESTED_STATUS if run.summary["verdict"]["state"] == "not tested" else 0
    return exit_status(findings, flags.strict) or untested


def _confirmed(run: Run, findings: Findings) -> Confirmation:
    """The run repeated at a tenth of its tolerance."""
    from cadbridge.cli.output import progress_bar
    from cadbridge.simulation.confirming import confirm

    with progress_bar("repeating", run.scenario.duration) as progress:
        return confirm(run, findings, progress)
