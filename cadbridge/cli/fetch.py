"""`cadbridge fetch ADDRESS -o FOLDER`: an Onshape assembly as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.failing import prints_errors
from cadbridge.cli.options import Json, Strict
from cadbridge.documents import FORMATS


@prints_errors("fetch", "address")
def fetch(
    address: Annotated[str, typer.Argument(help="The address of the assembly's tab in Onshape.", metavar="ADDRESS")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write into this folder.", metavar="FOLDER")],
    server: Annotated[
        str | None,
        typer.Option(
            "--server", help="Use this server with Onshape's API; http only if it is on this machine.", metavar="URL"
        ),
    ] = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Download an assembly from Onshape in at most six requests.

    The keys come from the environment: ONSHAPE_ACCESS_KEY and ONSHAPE_SECRET_KEY. A second call fetches only
    what is missing.
    """
    from cadbridge.cli.output import exit_status, print_findings, print_json, print_next, typed, working
    from cadbridge.fetching import fetch as bring
    from cadbridge.wording import count

    with working("fetching from Onshape"):
        result = bring(address, output, server=server)
    if json:
        files = [str(path) for path in result.files]
        found = [f.document() for f in result.findings]
        print_json({"format": FORMATS["fetch"], "files": files, "requests": result.requests, "findings": found})
    else:
        for path in result.files:
            typer.echo(path)
        print_findings(result.findings)
        print_next(f"{count(result.requests, 'request')}.", f"Next: cadbridge check {typed(result.source)}")
    raise typer.Exit(exit_status(result.findings, strict))
