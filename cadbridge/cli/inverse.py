"""`cadbridge inverse SOURCE --motion path.yaml`: what a motion asks of actuators, joints and gears."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.options import Json, KeepGoing, Reading, Strict, reads_source


@reads_source
def inverse(
    reading: Reading,
    motion: Annotated[Path, typer.Option("--motion", help="How joints and bodies move, and what drives them.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The table of efforts and reactions to write (.parquet or .csv).")
    ] = Path("inverse.parquet"),
    plots: Annotated[Path | None, typer.Option("--plots", help="A folder for plots.")] = None,
    method: Annotated[str, typer.Option("--method", help="How forces are computed; see docs/inverse.md.")] = "absolute",
    json: Json = False,
    strict: Strict = False,
    keep_going: KeepGoing = False,
) -> None:
    """Drive the mechanism along a motion: efforts, reactions, contact forces."""
    from cadbridge.cli.output import exit_status, print_json, progress_bar, say_findings, working
    from cadbridge.efforts import inverse as analyse
    from cadbridge.efforts import load_motion, write_inverse, write_inverse_plots
    from cadbridge.report.efforts import efforts_document, efforts_text

    mechanism = reading.whole_mechanism(keep_going)
    asked = load_motion(motion, mechanism)
    with progress_bar("following the motion", asked.scenario.duration) as progress:
        found = analyse(mechanism, asked, method=method, progress=progress)
    with working("writing the table"):
        write_inverse(found, output)
        if plots is not None:
            write_inverse_plots(found, plots)
    findings = (*mechanism.assembly.findings, *mechanism.findings, *found.findings)
    if json:
        print_json(efforts_document(found, output))
    else:
        typer.echo(efforts_text(found, output))
        say_findings(findings)
    raise typer.Exit(exit_status(findings, strict))
