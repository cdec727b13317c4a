"""`cadbridge explain CODE`: what a finding means, how to fix it, and which finding a word leads to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.errors import InputError

if TYPE_CHECKING:
    from cadbridge.catalogue import Code


def explain(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CODE|WORDS]", help="Codes (CB204), a family or stage (mass), or words to search."),
    ] = None,
) -> None:
    """Explain finding codes and their fixes, or search the codes by word.

    A stage or family lists its codes; without an argument all are listed.
    """
    from cadbridge.catalogue import CATALOGUE, FORMER
    from cadbridge.cli.choosing import known_words
    from cadbridge.options import words_of

    if not words:
        _list(CATALOGUE.values())
        return
    given = [word for text in words for word in re.split(r"[\s,]+", text.upper()) if word]
    named = {word: CATALOGUE.get(FORMER.get(word, word)) for word in given}
    if given and all(re.fullmatch(r"CB\d+", word) for word in given):
        for k, code in enumerate(dict.fromkeys(code for code in named.values() if code)):
            typer.echo("\n" * (k > 0), nl=False)
            _explain(code)
        known_words([word for word, code in named.items() if code is None])  # raises for one that is none
        return
    name = " ".join(words_of("CODE|WORDS", [" ".join(words)])).lower()
    own = [c for c in CATALOGUE.values() if name in (c.family, c.stage.value)]
    if own:
        _list(own)
        return
    found = _holding(words)
    if not found and len(_words(name)) > 1:
        some = [word for word in _words(name) if _holding([word])]
        alone = f"; there are some with {' and some with '.join(map(repr, some))} alone" if some else ""
        raise InputError(
            f"no finding holds all words of {name!r}{alone}. `cadbridge explain` lists all codes by family."
        )
    if not found:
        known_words([name])  # raises, with the nearest names
    for c in found:
        _line(c)


def _explain(code: Code) -> None:
    """What a code means, and how to fix it."""
    typer.echo(f"{code.code} ({code.severity.value}, {code.stage.value}): {code.title}\n\n{code.meaning}")
    if code.formerly:
        typer.echo(f"\nEarlier versions called it {', '.join(code.formerly)} in single formats.")
    if code.leaves_out:
        typer.echo("\nsimulate and convert stop at it, unless --keep-going is passed; the exit status is 2.")
    if code.example:
        typer.echo(f"\nFor example:\n{code.example}")
    typer.echo(f"\nHow to fix it: {code.cure}")


def _holding(words: list[str]) -> list[Code]:
    """The codes whose title, meaning or family holds all the words, those whose title is nearest to them first.

    A word matches in any form that begins as it does: "redundancy" finds "redundant".
    """
    from cadbridge.catalogue import CATALOGUE, Stage

    wanted = [word[:-3] if len(word) > 7 else word for text in words for word in _words(text)]
    stages = list(Stage)

    def held(text: list[str]) -> int:
        return sum(any(word.startswith(begun) for begun in wanted) for word in text)

    def rank(code: Code) -> tuple[float, int]:
        title = _words(code.title)
        return -held(title) / len(title), stages.index(code.stage)

    def holds(code: Code) -> bool:
        text = _words(f"{code.family} {code.title} {code.meaning}")
        return all(any(word.startswith(begun) for word in text) for begun in wanted)

    return sorted((c for c in CATALOGUE.values() if wanted and holds(c)), key=rank)


def _words(text: str) -> list[str]:
    """The words of a text in lower case, without articles; "over-constrained" is one word, "mates-file" too."""
    return [word for word in re.findall(r"\w+", text.lower().replace("-", "")) if word not in ("a", "an", "the")]


def _list(codes: Iterable[Code]) -> None:
    """A heading for each family, a line for each code."""
    from cadbridge.catalogue import FAMILIES

    chosen = list(codes)
    for family in FAMILIES:
        own = sorted((c for c in chosen if c.family == family.name), key=lambda c: (len(c.code), c.code))
        if own:
            typer.echo(f"{family.name}: {family.title}")
        for c in own:
            _line(c, "  ")


def _line(code: Code, indent: str = "") -> None:
    """A code in a list."""
    typer.echo(f"{indent}{code.code:<6}  {code.severity.value:<7}  {code.stage.value:<10}  {code.title}")
