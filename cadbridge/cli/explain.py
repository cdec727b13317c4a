"""`cadbridge explain CODE`: what a finding means, and how to fix it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cadbridge.catalogue import Code


def explain(
    name: Annotated[
        str | None, typer.Argument(metavar="CODE", help="A code (CB204), or a family or stage (mass) to list.")
    ] = None,
) -> None:
    """What a finding means, and how to fix it; without a code, list all of them."""
    from cadbridge.catalogue import CATALOGUE
    from cadbridge.cli.choosing import known_words

    if name is None:
        _list(CATALOGUE.values())
        return
    (word,) = known_words([name]) or {""}
    code = CATALOGUE.get(word.upper())
    if code is None:
        _list(c for c in CATALOGUE.values() if word in (c.family, c.stage.value))
        return
    typer.echo(f"{code.code} ({code.severity.value}, {code.stage.value}): {code.title}\n\n{code.meaning}")
    if code.leaves_out:
        typer.echo("\nsimulate and convert stop at it, unless --keep-going is passed; the exit status is 2.")
    if code.example:
        typer.echo(f"\nFor example:\n{code.example}")
    typer.echo(f"\nHow to fix it: {code.cure}")


def _list(codes: Iterable[Code]) -> None:
    """A heading for each family, a line for each code."""
    from cadbridge.catalogue import FAMILIES

    chosen = list(codes)
    for family in FAMILIES:
        own = sorted((c for c in chosen if c.family == family.name), key=lambda c: (len(c.code), c.code))
        if own:
            typer.echo(f"{family.name}: {family.title}")
        for c in own:
            typer.echo(f"  {c.code:<6}  {c.severity.value:<7}  {c.stage.value:<10}  {c.title}")
