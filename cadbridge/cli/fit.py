"""`cadbridge fit SOURCE`: what redundant mates cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.options import Json, Reading, Strict, one_of, reads_source

CLASSES = ("f", "m", "c", "v")
"""The classes of ISO 2768-1, here so that the help need not import them."""


@reads_source
def fit(
    reading: Reading,
    fit_file: Annotated[
        Path | None,
        typer.Option("--fit", help="Tolerances, stiffness and play; by default NAME.fit.yaml beside the source."),
    ] = None,
    iso: Annotated[
        str | None, typer.Option("--iso", help="Class of ISO 2768-1 for all other faces (m).", **one_of(CLASSES))
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every group of mates in full.")] = False,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Tell what redundant mates cost: play they need, forces of errors, which errors count."""
    from dataclasses import replace

    from cadbridge.cli.output import exit_status, print_findings, print_json, working
    from cadbridge.mechanism import build
    from cadbridge.misfit import fit as analyse
    from cadbridge.misfit import load_fit
    from cadbridge.report.misfit import fit_document, fit_text
    from cadbridge.report.terminal import width

    assembly = reading.assembly()
    mechanism = build(assembly)
    settings = load_fit(fit_file, mechanism)
    if iso is not None:
        settings = replace(settings, iso_class=iso)
    with working("weighing the redundant mates"):
        found = analyse(mechanism, settings)
    findings = (*assembly.findings, *mechanism.findings, *found.findings)
    if json:
        print_json(fit_document(found, assembly, findings))
    else:
        typer.echo(fit_text(found, assembly.name, everything, width()))
        print_findings(findings)
    raise typer.Exit(exit_status(findings, strict))
