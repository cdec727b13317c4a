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
        str | None, typer.Argument(help="With --faces PART: only the pairs of faces that fit between both.")
    ] = None,
    json: Json = False,
    strict: Strict = False,
    faces: Annotated[
        str | None, typer.Option("--faces", help="Print every face of this part as the YAML that names it.")
    ] = None,
) -> None:
    """List what is in a file: parts, instances, mates, units, materials."""
    from cadbridge.cli.output import exit_status, print_json, say_findings
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
        say_findings(assembly.findings)
    raise typer.Exit(exit_status(assembly.findings, strict))
