"""`cadbridge inspect SOURCE`: what is in the file."""

from __future__ import annotations

from typing import Annotated

import typer

from cadbridge.cli.options import Json, Reading, Strict, reads_source


@reads_source
def inspect(
    reading: Reading,
    json: Json = False,
    strict: Strict = False,
    faces: Annotated[
        str | None, typer.Option("--faces", help="Print every face of this part as the YAML that names it.")
    ] = None,
) -> None:
    """What is in the file: parts, instances, mates, units, materials."""
    from cadbridge.cli.output import exit_status, print_json, say_findings
    from cadbridge.report import faces_text, inspect_document, inspect_text, with_masses
    from cadbridge.report.terminal import width

    assembly = reading.assembly()
    if faces is not None:
        typer.echo(faces_text(assembly, faces))
        return
    weighed = with_masses(assembly)
    if json:
        print_json(inspect_document(weighed))
    else:
        typer.echo(inspect_text(weighed, width()))
        say_findings(weighed.findings)
    raise typer.Exit(exit_status(weighed.findings, strict))
