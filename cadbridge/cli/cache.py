"""`cadbridge cache show|prune|verify`: what is kept of earlier jobs and commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.cli.failing import prints_errors
from cadbridge.cli.options import Json
from cadbridge.documents import FORMATS
from cadbridge.units import DAY, MEGABYTE
from cadbridge.wording import count

if TYPE_CHECKING:
    from cadbridge.jobs import Cache

cache = typer.Typer(
    help="Show, prune or verify what earlier jobs and commands stored.", no_args_is_help=True, rich_markup_mode=None
)

Folder = Annotated[Path | None, typer.Option("--cache", help="Cache folder.", metavar="FOLDER")]


def _open(folder: Path | None) -> Cache:
    from cadbridge.jobs.cache import Cache
    from cadbridge.storage import answer_limit
    from solver.compilation.caches import cache_folder

    answer_limit()  # InputError where it is no number
    return Cache(folder or cache_folder())


@cache.command()
@prints_errors("cache", "folder")
def show(folder: Folder = None, json: Json = False) -> None:
    """Show the cache folder and its size."""
    from cadbridge.cli.output import print_json
    from solver.compilation.caches import is_writable, tell_unwritable

    opened = _open(folder)
    if not is_writable(opened.folder):
        tell_unwritable(opened.folder, "no folder, or another's", "what is computed is not kept")
    size = opened.size()
    if json:
        kernels = opened.kernel_bytes()
        print_json({"format": FORMATS["cache"], "folder": str(opened.folder), **size, "kernel_bytes": kernels})
    else:
        typer.echo(opened.folder)
        typer.echo(_sizes(size))
        typer.echo(f"{opened.kernel_bytes() / MEGABYTE:.1f} MB of compiled kernels of the solver")


@cache.command()
def prune(
    folder: Folder = None,
    older: Annotated[
        float | None, typer.Option("--older", min=0, metavar="DAYS", help="Delete entries not used for so many days.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--size", metavar="SIZE", help="Delete the least recently used entries down to this size, such as 2GB."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Delete all entries.")] = False,
) -> None:
    """Delete old entries, or reduce the cache to a size."""
    from cadbridge.errors import InputError
    from cadbridge.jobs.schema import memory_bytes

    if everything != (older is None and size is None):
        raise InputError("Choose the entries to delete: --older DAYS, --size SIZE, or --all alone")
    try:
        limit = None if size is None else memory_bytes(size)
    except ValueError as error:
        raise InputError(f"--size: {error}") from None
    gone = _open(folder).prune(None if older is None else older * DAY, limit)
    typer.echo(f"dropped {_sizes(gone)}")


def _sizes(size: dict[str, int]) -> str:
    """What `Cache.size` gives, in words."""
    counts = [count(size["entries"], "result"), count(size["objects"], "file"), count(size["answers"], "answer")]
    return f"{', '.join(counts)}, {size['bytes'] / MEGABYTE:.1f} MB"


@cache.command()
def verify(folder: Folder = None) -> None:
    """Check every entry; delete and report damaged ones (exit status 1)."""
    damaged = _open(folder).verify()
    for line in damaged:
        typer.echo(line)
    typer.echo(f"{len(damaged)} damaged; they will be computed again" if damaged else "all is as it was stored")
    raise typer.Exit(1 if damaged else 0)
