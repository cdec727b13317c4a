"""`cadbridge fit SOURCE`: what redundant mates cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from cadbridge.cli.options import Json, Reading, Strict, one_of, reads_source

if TYPE_CHECKING:
    from cadbridge.findings import Finding
    from cadbridge.mechanism import Mechanism
    from cadbridge.misfit import Fit
    from cadbridge.sweeps.fits import Along

CLASSES = ("f", "m", "c", "v")
"""The classes of ISO 2768-1, here so that the help need not import them."""


FitFile = Annotated[
    Path | None,
    typer.Option("--fit", help="Tolerances, stiffness and play; by default NAME.fit.yaml beside the source."),
]
Iso = Annotated[
    str | None, typer.Option("--iso", help="Class of ISO 2768-1 for all other faces; by default m.", **one_of(CLASSES))
]
Everything = Annotated[
    bool, typer.Option("--all", help="Show the tables too: what must agree, what costs most, forces, weaker mates.")
]
Body = Annotated[
    str | None,
    typer.Option("--body", help="Component at which to compare stiffness; by default the heaviest.", metavar="NAME"),
]
Releases = Annotated[
    int | None,
    typer.Option(
        "--releases", help="Number of releases (sets of weaker mates) to list for each group; by default 5.", min=0
    ),
]
Apply = Annotated[
    list[str] | None,
    typer.Option(
        "--apply", help="Write the release with this label, such as 1.2, into the mates file; may be repeated."
    ),
]
AlongJoint = Annotated[
    str | None,
    typer.Option("--along", help="Move this joint and find the pose that binds first.", metavar="JOINT"),
]
OneSided = Annotated[
    bool, typer.Option("--one-sided", help="Let faces in contact push only, not pull, and report which lift off.")
]
Html = Annotated[
    Path | None, typer.Option("--html", help="Write the report page, with the forces as arrows and a slider.")
]
Plots = Annotated[
    Path | None,
    typer.Option("--plots", help="With --along, write plots of play and forces into this folder.", metavar="FOLDER"),
]


class _To(NamedTuple):
    """What is written and how the answer is printed."""

    everything: bool
    ranked: bool
    apply: list[str]
    html: Path | None
    plots: Path | None
    json: bool


@reads_source
def fit(
    reading: Reading, fit_file: FitFile = None, iso: Iso = None, everything: Everything = False, body: Body = None,
    releases: Releases = None, apply: Apply = None, along: AlongJoint = None, one_sided: OneSided = False,
    html: Html = None, plots: Plots = None, json: Json = False, strict: Strict = False,
) -> None:  # fmt: skip
    """Compute what redundant mates cost: needed play, forces of misfits, and which mates to weaken."""
    from dataclasses import replace

    from cadbridge.cli.lean import load_sparse
    from cadbridge.cli.output import exit_status, working
    from cadbridge.errors import InputError
    from cadbridge.files import refuse_folder, refuse_output

    # Before anything else imports SciPy: once it is loaded nothing is saved.
    load_sparse()
    from cadbridge.misfit import fit as analyse
    from cadbridge.misfit import load_fit
    from cadbridge.misfit.analyse import RELEASES_LISTED

    if plots is not None and along is None:
        raise InputError("The plots are over a joint's value: --plots needs --along.")
    if html is not None:
        refuse_output(html)
    refuse_folder(plots)
    assembly = reading.assembly()
    mechanism = reading.built(assembly)
    settings = load_fit(fit_file, mechanism)
    if iso is not None:
        settings = replace(settings, iso_class=iso)
    with working("weighing the redundant mates"):
        listed = RELEASES_LISTED if releases is None else releases
        brief = not (everything or apply or json or html is not None)
        found = analyse(mechanism, settings, listed, body, one_sided, brief)
        moved = None
        if along is not None:
            from cadbridge.sweeps.fits import fit_along

            moved = fit_along(mechanism, along, settings)
    ranked = body is not None or releases is not None
    _show(reading, mechanism, found, moved, _To(everything, ranked, apply or [], html, plots, json))
    findings = (*assembly.findings, *mechanism.findings, *found.findings, *_along_findings(moved))
    raise typer.Exit(exit_status(findings, strict))


def _along_findings(moved: Along | None) -> tuple[Finding, ...]:
    """What is to be told of the poses along a motion."""
    if moved is None:
        return ()
    from cadbridge.report.misfit_along import along_findings

    return along_findings(moved)


def _show(reading: Reading, mechanism: Mechanism, found: Fit, moved: Along | None, to: _To) -> None:
    """Print the answer, and write what is asked for."""
    from cadbridge.cli.output import print_findings, print_json, print_next
    from cadbridge.report.misfit import fit_document
    from cadbridge.report.misfit_text import fit_text
    from cadbridge.report.terminal import width

    assembly = mechanism.assembly
    findings = (*assembly.findings, *mechanism.findings, *found.findings, *_along_findings(moved))
    _draw(mechanism, found, moved, to.html, to.plots)
    if moved is not None:
        from cadbridge.report.misfit_along import along_document, along_text
    if to.json:
        document = fit_document(found, assembly, findings)
        print_json(document if moved is None else {**document, "along": along_document(moved)})
    else:
        typer.echo(fit_text(found, assembly.name, to.everything, width(), to.ranked))
        if moved is not None:
            typer.echo("\n" + along_text(moved, width()))
        print_findings(findings)
        if to.html is not None:
            print_next(f"Wrote {to.html}. Open it in a browser.")
    if to.apply:
        from cadbridge.cli.releasing import apply as write

        print_next(f"Wrote {write(reading, assembly, found, to.apply)}; read again, nothing binds in what was changed.")


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
