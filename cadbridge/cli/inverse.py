"""`cadbridge inverse SOURCE --motion path.yaml`: what a motion asks of actuators, joints and gears."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.cli.options import Json, KeepGoing, Reading, Strict, one_of, reads_source
from cadbridge.errors import InputError

if TYPE_CHECKING:
    from cadbridge.efforts import Inverse


METHODS = ("absolute", "transmission", "bond-graph", "tree")
"""The words of `efforts.METHODS`, here so that the help need not import it."""


MotionFile = Annotated[Path, typer.Option("--motion", help="Motion file: prescribed joints or bodies, and actuators.")]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="Write efforts and reactions to this table (.parquet or .csv).")
]
Plots = Annotated[Path | None, typer.Option("--plots", help="Write plots into this folder.", metavar="FOLDER")]
Method = Annotated[
    str, typer.Option("--method", help="Method of computing the forces (docs/inverse.md).", **one_of(METHODS))
]
Html = Annotated[
    Path | None, typer.Option("--html", help="Write the report, with efforts and the motion, as one HTML page.")
]
Svg = Annotated[Path | None, typer.Option("--svg", help="Draw the bond graph into this file (--method bond-graph).")]
KeepRedundant = Annotated[
    bool, typer.Option("--keep-redundant", help="Keep every row of every mate, and give the wrench of each mate.")
]


@reads_source
def inverse(
    reading: Reading, motion: MotionFile, output: Output = Path("inverse.parquet"), plots: Plots = None,
    method: Method = "absolute", html: Html = None, svg: Svg = None, keep_redundant: KeepRedundant = False,
    json: Json = False, strict: Strict = False, keep_going: KeepGoing = False,
) -> None:  # fmt: skip
    """Compute efforts, reactions and contact forces along a motion."""
    from dataclasses import replace

    from cadbridge.cli.output import exit_status, print_findings, print_json, print_next, progress_bar, working
    from cadbridge.cli.running import with_stiffness
    from cadbridge.efforts import inverse as analyse
    from cadbridge.efforts import load_motion, write_inverse, write_inverse_plots
    from cadbridge.files import refuse_folder, refuse_output
    from cadbridge.report.efforts import efforts_document, efforts_text
    from cadbridge.report.terminal import width
    from cadbridge.simulation.trajectory import check_ending

    if svg is not None and method != "bond-graph":
        raise InputError("The drawing is that of the bond graph: --svg needs --method bond-graph.")
    for path in (output, html, svg):
        if path is not None:
            refuse_output(path)
    refuse_folder(plots)
    check_ending(output)
    mechanism = reading.whole_mechanism(keep_going)
    requested = load_motion(motion, mechanism)
    with progress_bar("following the motion", requested.scenario.duration) as progress:
        found = analyse(mechanism, requested, method=method, collapse=not keep_redundant, progress=progress)
    found = replace(found, run=with_stiffness(found.run))
    with working("writing the table"):
        write_inverse(found, output)
        if plots is not None:
            write_inverse_plots(found, plots)
    _draw(found, html, svg)
    findings = (*mechanism.assembly.findings, *mechanism.findings, *found.findings)
    if json:
        print_json(efforts_document(found, output))
    else:
        typer.echo(efforts_text(found, output, width()))
        print_findings(findings)
        written = [str(path) for path in (output, plots, html, svg) if path is not None]
        print_next(f"Wrote {', '.join(written)}." + (f" Open {html} in a browser." if html is not None else ""))
    raise typer.Exit(exit_status(findings, strict))


def _draw(found: Inverse, html: Path | None, svg: Path | None) -> None:
    """Write the page and the graph where they are requested."""
    from cadbridge.cli.output import working

    if svg is not None and found.forces.graph is not None:
        from cadbridge.report.bond_graph import write_bond_graph_svg

        write_bond_graph_svg(found.forces.drawn or found.forces.graph.built, svg)
    if html is not None:
        from cadbridge.diagnosis import diagnose
        from cadbridge.report import all_findings
        from cadbridge.report.page import Extras, write_page
        from cadbridge.report.provenance import provenance

        mechanism = found.run.mechanism
        with working("drawing the page"):
            diagnosis = diagnose(mechanism)
            findings = (*all_findings(mechanism, diagnosis), *found.findings)
            extras = Extras(findings=findings, efforts=found, provenance=provenance(mechanism.assembly))
            write_page(html, mechanism, diagnosis, extras)
