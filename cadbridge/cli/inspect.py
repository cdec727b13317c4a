"""`cadbridge inspect SOURCE`: what is in the file."""

from __future__ import annotations

from typing import Annotated

import typer

from cadbridge.cli.options import Json, Reading, Strict, reads_source
from cadbridge.errors import InputError


@reads_source
def inspect(
    reading: Reading,
    other: Annotated[
        str | None, typer.Argument(help="With --faces PART: print only pairs of faces that fit between the two parts.")
    ] = None,
    json: Json = False,
    strict: Strict = False,
    faces: Annotated[
        str | None, typer.Option("--faces", help="Print every face of this part as YAML for a mates file.")
    ] = None,
) -> None:
    """List the parts, instances, mates, units and materials in a file."""
    from cadbridge.cli.output import exit_status, print_findings, print_json
    from cadbridge.report import faces_text, inspect_document, inspect_text, weighed
    from cadbridge.report.terminal import width

    if other is not None and faces is None:
        raise InputError(f"{other!r} is a second part: it needs --faces PART before it.")
    assembly = reading.assembly()
    if faces is not None and other is not None:
        from cadbridge.report.fits import fits_text

        typer.echo(fits_text(assembly, faces, other))
        return
    if faces is not None:
        typer.echo(faces_text(assembly, faces))
        return
    assembly, masses = weighed(assembly)
    if json:
        print_json(inspect_document(assembly, masses))
    else:
        typer.echo(inspect_text(assembly, masses, width()))
        print_findings(assembly.findings)
    raise typer.Exit(exit_status(assembly.findings, strict))
