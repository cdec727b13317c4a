"""`cadbridge fit SOURCE`: what redundant mates cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.cli.options import Json, Reading, Strict, one_of, reads_source

if TYPE_CHECKING:
    from cadbridge.mechanism import Mechanism
    from cadbridge.misfit import Fit
    from cadbridge.sweeps.fits import Along

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
        str | None,
        typer.Option("--iso", help="Class of ISO 2768-1 for all other faces; by default m.", **one_of(CLASSES)),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every group of mates in full.")] = False,
    body: Annotated[
        str | None,
        typer.Option(
            "--body",
            help="Component at which to compare stiffness; by default the heaviest.",
            metavar="NAME",
        ),
    ] = None,
    releases: Annotated[int, typer.Option("--releases", help="Releases to list for each group.", min=0)] = 5,
    apply: Annotated[
        list[str] | None,
        typer.Option("--apply", help="Write the release with this label into the mates file; repeatable."),
    ] = None,
    along: Annotated[
        str | None,
        typer.Option(
            "--along",
            help="Move this joint and find the pose that binds first.",
            metavar="JOINT",
        ),
    ] = None,
    one_sided: Annotated[
        bool, typer.Option("--one-sided", help="Let faces that lie on each other push only, and say which lift off.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report page, with the forces as arrows and a slider.")
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(
            "--plots", help="With --along, write plots of play and forces into this folder.", metavar="FOLDER"
        ),
    ] = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Compute what redundant mates cost: needed play, forces of misfits, and which mates to weaken."""
    from dataclasses import replace

    from cadbridge.cli.output import exit_status, print_findings, print_json, print_next, working
    from cadbridge.errors import InputError
    from cadbridge.files import refuse_output
    from cadbridge.mechanism import build
    from cadbridge.misfit import fit as analyse
    from cadbridge.misfit import load_fit
    from cadbridge.report.misfit import fit_document
    from cadbridge.report.misfit_text import fit_text
    from cadbridge.report.terminal import width

    if plots is not None and along is None:
        raise InputError("The plots are over a joint's value: --plots needs --along.")
    if html is not None:
        refuse_output(html)
    assembly = reading.assembly()
    mechanism = build(assembly)
    settings = load_fit(fit_file, mechanism)
    if iso is not None:
        settings = replace(settings, iso_class=iso)
    with working("weighing the redundant mates"):
        found = analyse(mechanism, settings, releases, body, one_sided)
        moved = None
        if along is not None:
            from cadbridge.sweeps.fits import fit_along

            moved = fit_along(mechanism, along, settings)
    findings = (*assembly.findings, *mechanism.findings, *found.findings)
    _draw(mechanism, found, moved, html, plots)
    if json:
        document = fit_document(found, assembly, findings)
        if moved is not None:
            from cadbridge.report.misfit_along import along_document

            document["along"] = along_document(moved)
        print_json(document)
    else:
        typer.echo(fit_text(found, assembly.name, everything, width()))
        if moved is not None:
            from cadbridge.report.misfit_along import along_text

            typer.echo("\n" + along_text(moved, width()))
        print_findings(findings)
        if html is not None:
            print_next(f"Wrote {html}. Open it in a browser.")
    if apply:
        from cadbridge.cli.releasing import apply as write

        print_next(f"Wrote {write(reading, assembly, found, apply)}; read again, nothing binds in what was changed.")
    raise typer.Exit(exit_status(findings, strict))


def _draw(mechanism: Mechanism, found: Fit, along: Along | None, html: Path | None, plots: Path | None) -> None:
    """Write the page and the plots where they are requested."""
    from cadbridge.cli.output import working

    if plots is not None and along is not None:
        from cadbridge.report.misfit_along import write_along_plots

        write_along_plots(along, plots)
    if html is not None:
        from cadbridge.diagnosis import diagnose
        from cadbridge.report.page import Extras, write_page
        from cadbridge.report.page.misfit import FitShown
        from cadbridge.report.provenance import provenance

        with working("drawing the page"):
            extras = Extras(fit=FitShown(found, along), provenance=provenance(mechanism.assembly))
            write_page(html, mechanism, diagnose(mechanism), extras)
