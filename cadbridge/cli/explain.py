"""`cadbridge explain CODE`: what a finding means, how to fix it, and which finding a word leads to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cadbridge.catalogue import Code


def explain(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CODE|WORDS]", help="A code (CB204), a family or stage (mass), or words to search."),
    ] = None,
) -> None:
    """Explain a finding code and its fix, or search the codes by word.

    A stage or family lists its codes; without an argument all are listed.
    """
    from cadbridge.catalogue import CATALOGUE
    from cadbridge.cli.choosing import known_words

    if not words:
        _list(CATALOGUE.values())
        return
    found = _holding(words)
    name = " ".join(words).strip().lower()
    code = CATALOGUE.get(name.upper())
    if code is None:
        listed = [c for c in CATALOGUE.values() if name in (c.family, c.stage.value)] or found
        if not listed:
            known_words([name])  # raises, with the nearest names
        _list(listed)
        return
    typer.echo(f"{code.code} ({code.severity.value}, {code.stage.value}): {code.title}\n\n{code.meaning}")
    if code.leaves_out:
        typer.echo("\nsimulate and convert stop at it, unless --keep-going is passed; the exit status is 2.")
    if code.example:
        typer.echo(f"\nFor example:\n{code.example}")
    typer.echo(f"\nHow to fix it: {code.cure}")


def _holding(words: list[str]) -> list[Code]:
    """The codes whose title, meaning or family holds all the words, in any form that begins with them."""
    from cadbridge.catalogue import CATALOGUE

    wanted = [word.lower() for text in words for word in text.split()]
    texts = {c.code: f" {c.family} {c.title} {c.meaning}".lower().replace("-", " ") for c in CATALOGUE.values()}
    return [c for c in CATALOGUE.values() if wanted and all(f" {word}" in texts[c.code] for word in wanted)]


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
