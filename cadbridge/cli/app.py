"""The commands, in the order in which `--help` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.cli.panels import Panels

if TYPE_CHECKING:
    app: typer.Typer

COMMANDS = (
    "fetch", "inspect", "recognise", "check", "fit", "convert", "simulate", "inverse", "view", "transmission",
    "matrices", "verify", "batch", "demo", "explain",
)  # fmt: skip
"""Each is the function of that name in the module of that name."""


def application(arguments: Sequence[str] = ()) -> typer.Typer:
    """The application; of its commands the one that the arguments begin with, where they do: loading all takes time."""
    return _application(arguments[0] if arguments and arguments[0] in COMMANDS else None)


@cache
def _application(only: str | None) -> typer.Typer:
    made = typer.Typer(
        help="From a CAD assembly with its mates to a simulation that can be trusted.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    # Commands import what they compute with in their own functions: the help and the shell's completion need none of
    # it.
    for name in (only,) if only else COMMANDS:
        command = getattr(import_module(f"cadbridge.cli.{name}"), name)
        made.command(cls=Panels, short_help=(command.__doc__ or "").partition("\n")[0].rstrip("."))(command)
    if only is None:
        from cadbridge.cli.cache import cache as kept

        made.add_typer(kept, name="cache")
    made.callback()(common)
    return made


def __getattr__(name: str) -> typer.Typer:
    if name == "app":
        return application()
    raise AttributeError(f"module 'cadbridge.cli.app' has no attribute {name!r}")


def _version(context: typer.Context, wanted: bool) -> None:
    if not wanted:
        return
    from cadbridge.version import __version__

    typer.echo(f"cadbridge {__version__}")
    if context.params.get("verbose"):
        from cadbridge.cli.held import lines

        typer.echo("\n".join(lines()))
    raise typer.Exit


def common(
    version: Annotated[bool, typer.Option("--version", callback=_version, help="Print the version.")] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", is_eager=True, help="With --version: how this system holds processes that read files."
        ),
    ] = False,
) -> None:
    """From a CAD assembly with its mates to a simulation that can be trusted."""
