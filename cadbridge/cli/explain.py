"""`cadbridge explain CODE`: what a finding means, and how to mend it."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer


def explain(
    code: Annotated[str | None, typer.Argument(help="A code such as CB204; without it, all are listed.")] = None,
) -> None:
    """What a finding means, and how to mend it."""
    from cadbridge.catalogue import CATALOGUE

    if code is None:
        for key in sorted(CATALOGUE):
            typer.echo(f"{key}  {CATALOGUE[key].severity.value:<8} {CATALOGUE[key].title}")
        return
    entry = CATALOGUE.get(code.upper())
    if entry is None:
        near = ", ".join(difflib.get_close_matches(code.upper(), CATALOGUE, n=3, cutoff=0.6))
        typer.echo(
            f"There is no code {code}." + (f" Near it: {near}." if near else "")
            + " `cadbridge explain` lists all.",
            err=True,
        )  # fmt: skip
        raise typer.Exit(2)
    typer.echo(f"{code.upper()} ({entry.severity.value}): {entry.title}\n\n{entry.meaning}")
    if entry.example:
        typer.echo(f"\nFor example:\n{entry.example}")
    typer.echo(f"\nTo mend it: {entry.mend}")
