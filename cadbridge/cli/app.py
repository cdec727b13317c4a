"""The commands, in the order in which `--help` shows them."""

from __future__ import annotations

from typing import Annotated

import typer

from cadbridge.cli.batch import batch
from cadbridge.cli.cache import cache
from cadbridge.cli.check import check
from cadbridge.cli.convert import convert
from cadbridge.cli.demo import demo
from cadbridge.cli.explain import explain
from cadbridge.cli.fetch import fetch
from cadbridge.cli.inspect import inspect
from cadbridge.cli.inverse import inverse
from cadbridge.cli.matrices import matrices
from cadbridge.cli.panels import Panels
from cadbridge.cli.recognise import recognise
from cadbridge.cli.simulate import simulate
from cadbridge.cli.transmission import transmission
from cadbridge.cli.verify import verify
from cadbridge.cli.view import view

app = typer.Typer(
    help="From a CAD assembly with its mates to a simulation that can be trusted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    fetch,
    inspect,
    recognise,
    check,
    convert,
    simulate,
    inverse,
    view,
    transmission,
    matrices,
    verify,
    batch,
    demo,
    explain,
):
    app.command(cls=Panels, short_help=(command.__doc__ or "").partition("\n")[0].rstrip("."))(command)

app.add_typer(cache, name="cache")


def _version(wanted: bool) -> None:
    if wanted:
        from cadbridge.version import __version__

        typer.echo(f"cadbridge {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """From a CAD assembly with its mates to a simulation that can be trusted."""
