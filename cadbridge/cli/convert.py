"""`cadbridge convert SOURCE --to FORMAT -o DIR`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.options import Json, KeepGoing, Reading, Strict, one_of, reads_source

TARGETS = ("urdf", "mjcf", "sdf", "step-ap242", "mates-file", "glb", "json", "python")
SHAPES = ("as-is", "hull", "decomposition", "primitives", "simplified")
"""The words of `exporters.FORMATS` and `exporters.COLLISIONS`, here so that the help need not import them."""


@reads_source
def convert(
    reading: Reading,
    to: Annotated[
        str, typer.Option("--to", help=f"The format to write: {', '.join(TARGETS)}.", **one_of(TARGETS, listed=False))
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.", metavar="FOLDER")],
    run: Annotated[
        Path | None,
        typer.Option("--run", help="A trajectory of the same model, which a GLB plays.", metavar="RUN.parquet"),
    ] = None,
    collision: Annotated[
        str,
        typer.Option(
            "--collision", help=f"The collision geometry: {', '.join(SHAPES)}.", **one_of(SHAPES, listed=False)
        ),
    ] = "as-is",
    collision_tolerance: Annotated[
        float,
        typer.Option(
            "--collision-tolerance",
            help="Largest distance of collision geometry from the part, as a share of its size.",
            metavar="SHARE",
        ),
    ] = 0.01,
    json: Json = False,
    strict: Strict = False,
    keep_going: KeepGoing = False,
) -> None:
    """Write the mechanism for another engine, and say what its format cannot carry."""
    from cadbridge.cli.output import exit_status, print_json, say_findings, working
    from cadbridge.exporters import ExportOptions, export
    from cadbridge.report import export_document
    from cadbridge.storage import cache_folder

    mechanism = reading.whole_mechanism(keep_going)
    with working(f"writing {to}"):
        options = ExportOptions(run, collision, collision_tolerance, cache_folder())
        result = export(mechanism, output, to=to, options=options)
    findings = (*mechanism.assembly.findings, *mechanism.findings, *result.findings)
    if json:
        print_json(export_document(mechanism, result, to))
    else:
        for path in result.files:
            typer.echo(path)
        say_findings(findings)
    raise typer.Exit(exit_status(findings, strict))
