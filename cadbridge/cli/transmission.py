"""`cadbridge transmission SOURCE`: a geared robot taken apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.options import Json, Reading, Strict, reads_source


@reads_source
def transmission(
    reading: Reading,
    output_link: Annotated[
        str | None,
        typer.Option("--output-link", help="Output link of the arm, or a frame on it; by default the last frame."),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", help="Actuated joint; may be repeated; by default the joints with drives."),
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the canonical graph into this file.")] = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Find the gear trains of a robot: links, carriers, pairs, structure matrix."""
    from cadbridge.cli.output import exit_status, print_findings, print_json, working
    from cadbridge.files import refuse_output
    from cadbridge.geared import transmission as take_apart
    from cadbridge.report.drawing import write_transmission_svg
    from cadbridge.report.terminal import width
    from cadbridge.report.transmission import transmission_document, transmission_text

    if svg is not None:
        refuse_output(svg)
    assembly = reading.assembly()
    with working("taking the transmission apart"):
        mechanism = reading.built(assembly)
        found = take_apart(mechanism, output_link, inputs)
    if svg is not None:
        write_transmission_svg(found, svg)
    findings = (*assembly.findings, *mechanism.findings, *found.findings)
    if json:
        print_json(transmission_document(found))
    else:
        typer.echo(transmission_text(found, width()))
        print_findings(findings)
    raise typer.Exit(exit_status(findings, strict))
