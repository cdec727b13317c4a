"""`cadbridge check SOURCE`: the diagnosis."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.choosing import chooser
from cadbridge.cli.options import Ignore, Json, Reading, Select, Strict, reads_source
from cadbridge.errors import InputError


@reads_source
def check(
    reading: Reading,
    json: Json = False,
    strict: Strict = False,
    select: Select = None,
    ignore: Ignore = None,
    compare: Annotated[
        Path | None,
        typer.Option("--compare", help="An older document of --json: report what changed since.", metavar="OLD.json"),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report as one HTML page that works offline.")
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option("--run", help="A trajectory of this source (.parquet), played and plotted on the page."),
    ] = None,
) -> None:
    """Diagnose: how it moves, which mates are redundant or in conflict."""
    from cadbridge.cli.output import exit_status, print_answer, print_json, say_findings, say_next, working
    from cadbridge.diagnosis import diagnose, settled
    from cadbridge.files import refuse_output
    from cadbridge.mechanism import build
    from cadbridge.report import all_findings, check_document, check_text, findings_list
    from cadbridge.report.compare import changes_between, changes_lines, changes_text, findings_of_changes, read_old
    from cadbridge.report.terminal import width
    from cadbridge.report.views import verdict
    from cadbridge.report.views.tables import components_between

    if run is not None and html is None:
        raise InputError("A run is shown on the page: --run needs --html.")
    if html is not None:
        refuse_output(html)
    chosen = chooser(select, ignore)
    older = read_old(compare) if compare is not None else None
    assembly = reading.assembly()
    with working("finding the joints"):
        mechanism = settled(build(assembly))
        diagnosis = diagnose(mechanism)
    findings = chosen(all_findings(mechanism, diagnosis))
    document = check_document(mechanism, diagnosis, findings)
    if older is not None:
        document["changes"] = changes = changes_between(older, document)
        findings += chosen(findings_of_changes(changes, str(compare)))
        document["findings"] = findings_list(findings)
    if html is not None:
        from cadbridge.report.page import Extras, write_page
        from cadbridge.report.provenance import provenance

        with working("drawing the page"):
            extras = Extras(
                run,
                findings,
                changes=changes_lines(changes) if older is not None else None,
                since=compare.name if compare is not None else "",
                provenance=provenance(assembly),
            )
            write_page(html, mechanism, diagnosis, extras)
    if json:
        print_json(document)
    else:
        level = verdict(document, components_between(mechanism)).level
        print_answer(check_text(mechanism, document, width()), level)
        if older is not None:
            typer.echo("\n" + changes_text(changes, str(compare)))
        say_findings(findings)
        if html is not None:
            say_next(f"Wrote {html}. Open it in a browser; it works offline.")
    raise typer.Exit(exit_status(findings, strict))
