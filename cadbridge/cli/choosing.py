"""--select and --ignore: which findings to report, by code, family or stage."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cadbridge.errors import InputError
from cadbridge.options import words_of

if TYPE_CHECKING:
    from cadbridge.findings import Finding

_CODE, _FAMILY, _STAGE = 3, 2, 1
"""How exactly a word names a finding: the most exact one decides."""


def chooser(select: list[str] | None, ignore: list[str] | None) -> Callable[[Iterable[Finding]], tuple[Finding, ...]]:
    """A function that keeps the findings that are selected and not ignored.

    Words are codes (CB404), families (mates-file) or stages (mass), separated by commas. Where both options name a
    finding, the more exact word decides: a code before a family before a stage; of two alike, --ignore.
    InputError for a word that is none of them.
    """
    chosen, left_out = (
        known_words(words_of(flag, given or ())) for flag, given in (("--select", select), ("--ignore", ignore))
    )

    def keeps(finding: Finding) -> bool:
        yes = _exactness(finding, chosen) if chosen else 0
        return yes is not None and yes > (_exactness(finding, left_out) or -1)

    return lambda findings: tuple(f for f in findings if keeps(f))


def _exactness(finding: Finding, words: frozenset[str]) -> int | None:
    """How exactly the words name a finding; None where none does."""
    names = {finding.code.lower(): _CODE, finding.family: _FAMILY, finding.stage.value: _STAGE}
    return max((names[word] for word in names if word in words), default=None)


def known_words(given: Iterable[str]) -> frozenset[str]:
    """The words in lower case; InputError, with the nearest, for one that names no finding."""
    from cadbridge.catalogue import CATALOGUE, FAMILIES, FORMER, Stage

    stages, families = [s.value for s in Stage], [f.name for f in FAMILIES]
    known = [code.lower() for code in CATALOGUE] + families + stages
    words = {FORMER.get(word.upper(), word).lower(): word for word in given}
    for word, typed in words.items():
        if word not in known:
            begun = [name for name in known if name.startswith(word)]
            # Codes are often typed from a screen, where a letter looks like a digit.
            digits = word.replace("o", "0").replace("l", "1") if word.startswith("cb") else word
            near = begun[:3] or difflib.get_close_matches(digits, known, n=3)
            nearest = [name.upper() if name.upper() in CATALOGUE else name for name in near]
            raise InputError(
                f"{typed!r} is not a finding code, family or stage."
                + (f" Nearest: {', '.join(nearest)}." if nearest else "")
                + f" Stages: {', '.join(stages)}. `cadbridge explain` lists all codes by family."
            )
    return frozenset(words)
