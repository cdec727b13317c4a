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
        Path | None,
        typer.Option("--output", "-o", help="Write this mates file instead of printing it.", metavar="FILE"),
    ] = None,
    no_names: Annotated[
        bool, typer.Option("--no-names", help="Ignore the names of parts; use the geometry alone.")
    ] = False,
    limits: Annotated[
        bool, typer.Option("--limits", help="Move each joint until parts meet, and write its limits.")
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Replace a mates file that was edited since it was written; without it, every line of that stays.",
        ),
    ] = False,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Find bodies, joints and gears in bare geometry; write a mates file."""
    from cadbridge.cli.output import exit_status, print_json, say_findings, say_next, working
    from cadbridge.readers import MATES_ENDING
    from cadbridge.recognition import beside_own, mates_text, move_each, read_bare, recognition_document
    from cadbridge.recognition import recognise as found_in
    from cadbridge.recognition.edited import write_mates

    with working(f"reading {reading.source.name}"):
        assembly = read_bare(reading.source, reading.options)
    with working("recognising bodies and joints"):
        found = beside_own(found_in(assembly, names=not no_names))
    with working("moving each joint"):
        found = move_each(found, limits)
    text = mates_text(found)
    merged = () if output is None else write_mates(output, text, overwrite=overwrite)
    findings = (*assembly.findings, *found.findings, *merged)
    if json:
        print_json(recognition_document(found))
    else:
        typer.echo(output if output is not None else text)
        say_findings(findings)
        if output is not None:
            beside = output.resolve() == reading.source.resolve().with_name(reading.source.stem + MATES_ENDING)
            mates = "" if beside else f" --mates {output}"
            say_next(
                f"{'Kept and added to' if merged else 'Wrote'} {output}. "
                "Look through it: each mate is a line that you can correct or delete.",
                f"Next: cadbridge check {reading.source}{mates} --html report.html",
            )
    raise typer.Exit(exit_status(findings, strict))
