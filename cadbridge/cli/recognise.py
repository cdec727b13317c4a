"""`cadbridge recognise SOURCE`: mates, joints and gears from bare geometry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.options import Json, Reading, Strict, reads_source


@reads_source
def recognise(
    reading: Reading,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The mates file to write; without it, it is printed.")
    ] = None,
    no_names: Annotated[
        bool, typer.Option("--no-names", help="Do not take names of parts as a second witness.")
    ] = False,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Find bodies, joints and gears in parts without mates, and write them as a mates file to check and edit."""
    from cadbridge.cli.output import exit_status, print_json, say_findings, working
    from cadbridge.files import replacing
    from cadbridge.recognition import mates_text, read_bare, recognition_document
    from cadbridge.recognition import recognise as found_in

    with working(f"reading {reading.source.name}"):
        assembly = read_bare(reading.source, reading.options)
    with working("recognising bodies and joints"):
        found = found_in(assembly, names=not no_names)
    text = mates_text(found)
    if output is not None:
        with replacing(output) as temporary:
            temporary.write_text(text, encoding="utf-8")
    findings = (*assembly.findings, *found.findings)
    if json:
        print_json(recognition_document(found))
    else:
        typer.echo(output if output is not None else text)
        say_findings(findings)
    raise typer.Exit(exit_status(findings, strict))
