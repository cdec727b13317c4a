"""`cadbridge check SOURCE`: the diagnosis."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.options import (
    Density,
    Json,
    Mass,
    MassFrom,
    Material,
    Mates,
    PackageDir,
    Source,
    Strict,
    Units,
    read_assembly,
)
from cadbridge.errors import InputError


def check(
    source: Source,
    mates: Mates = None,
    json: Json = False,
    strict: Strict = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report as one HTML page that works offline.")
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option("--run", help="A trajectory of this source (.parquet), played and plotted on the page."),
    ] = None,
    density: Density = None,
    material: Material = None,
    mass: Mass = MassFrom.DECLARED,
    package_dir: PackageDir = None,
    units: Units = None,
) -> None:
    """How the mechanism moves, which mates repeat which, and what is wrong with it."""
    from cadbridge.cli.output import exit_status, print_json, say_findings, working
    from cadbridge.diagnosis import diagnose
    from cadbridge.mechanism import build
    from cadbridge.report import all_findings, check_document, check_text

    if run is not None and html is None:
        raise InputError("A run is shown on the page: --run needs --html.")
    assembly = read_assembly(
        source, mates, density=density, material=material, mass=mass, package_dir=package_dir, units=units
    )
    with working("finding the joints"):
        mechanism = build(assembly)
        diagnosis = diagnose(mechanism)
    findings = all_findings(mechanism, diagnosis)
    if html is not None:
        from cadbridge.report.page import write_page

        with working("drawing the page"):
            write_page(html, mechanism, diagnosis, run)
    if json:
        print_json(check_document(mechanism, diagnosis))
    else:
        typer.echo(check_text(mechanism, diagnosis))
        say_findings(findings)
    raise typer.Exit(exit_status(findings, strict))
