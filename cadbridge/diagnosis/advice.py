"""What to do with mates that repeat others, such that all of it can be done together.

A change of a mate gives up combinations of its rows; the motion stays where these, taken as rows of the vanishing
combinations N (see `redundancy`), have full rank, those of all changes together. So the advice is a set of independent
spans: mates that can be deleted whatever else is done, choices of which some mates can, and weaker mates for the rest
that hold whichever way is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.model import DeletionChoice
from cadbridge.diagnosis.spans import extended, independent, unit_rows
from solver.algebra.rank import LOWEST

Array = NDArray[np.float64]

SUBSETS = 500
"""Subsets of a choice above which it is not said that any so many can go: each takes a rank; a choice."""
MOST_WAYS = 32
"""Ways to choose above which a weaker mate is advised only where it stands beside all that could be deleted."""
GREEDY_STARTS = 50
"""Mates of a choice of which each is once the first that goes: a choice, as each takes a rank a mate."""
SETS_NAMED = 4
"""Sets that are named where not any so many mates of a choice can go."""


@dataclass(frozen=True, eq=False)
class Advice:
    """Mates that can be deleted all together, those of which some can, and what would do in place of others."""

    deletable: frozenset[str]
    choices: tuple[DeletionChoice, ...]
    weaker: Mapping[str, str]


def advice_on(whole: Mapping[str, Array], weaker: Mapping[str, Iterable[tuple[str, Array]]]) -> Advice:
    """The advice on the mates of one group.

    `whole`: the rows of N (k, d) of each mate that could be deleted if no other is. `weaker`: of each mate for which a
    weaker one is looked for, the candidates in order with what each gives up (c, d).
    """
    deletable, choices = deletions(whole)
    ways = _ways(whole, deletable, choices)
    found: dict[str, str] = {}
    for mate, candidates in weaker.items():
        if mate in deletable:
            continue
        for words, lost in candidates:
            taken = [(gone, basis if mate in gone else extended(basis, unit_rows(lost))) for gone, basis in ways]
            if all(basis is not None for _, basis in taken):
                ways = [(gone, basis) for gone, basis in taken if basis is not None]
                found[mate] = words
                break
    return Advice(deletable, choices, found)


def deletions(whole: Mapping[str, Array]) -> tuple[frozenset[str], tuple[DeletionChoice, ...]]:
    """Of mates that could go alone: those that can go whatever else goes, and the choices among the others."""
    deletable, others = deletable_together(whole)
    return deletable, tuple(_choice(names, [unit_rows(whole[name]) for name in names]) for names in others)


def deletable_together(whole: Mapping[str, Array]) -> tuple[frozenset[str], list[list[str]]]:
    """Of mates that could go alone: those that can go whatever else goes, and the others in independent sets."""
    if not whole:
        return frozenset(), []
    names = list(whole)
    parts = [unit_rows(whole[name]) for name in names]
    deletable, others = [], []
    for members in independent(parts):
        of_set = [names[i] for i in members]
        if len(members) == 1 or _full(parts[i] for i in members):
            deletable += of_set
        else:
            others.append(of_set)
    return frozenset(deletable), others


def _full(parts: Iterable[Array]) -> bool:
    return _basis(parts) is not None


def _basis(parts: Iterable[Array]) -> Array | None:
    """An orthonormal basis of all rows, None where they are dependent."""
    basis: Array | None = None
    for part in parts:
        basis = extended(np.zeros((0, part.shape[1])) if basis is None else basis, part)
        if basis is None:
            return None
    return basis


def _choice(names: Sequence[str], parts: Sequence[Array]) -> DeletionChoice:
    """How many of these mates can go, or which can go together where not any so many can."""
    every = range(len(names))
    sets = list(dict.fromkeys(_greedy(parts, [i, *(j for j in every if j != i)]) for i in every[:GREEDY_STARTS]))
    count = len(sets[0])
    uniform = all(len(s) == count for s in sets) and comb(len(names), count + 1) + comb(len(names), count) <= SUBSETS
    if uniform:
        uniform = all(_full(parts[i] for i in s) for s in combinations(every, count)) and not any(
            _full(parts[i] for i in s) for s in combinations(every, count + 1)
        )
    sets.sort(key=lambda s: (-len(s), s))
    named = tuple(tuple(names[i] for i in s) for s in sets[:SETS_NAMED])
    return DeletionChoice(tuple(names), count if uniform else None, named)


def _greedy(parts: Sequence[Array], order: Sequence[int]) -> tuple[int, ...]:
    """Those taken in this order as long as all are independent."""
    basis, taken = np.zeros((0, parts[0].shape[1])), []
    for i in order:
        more = extended(basis, parts[i])
        if more is not None:
            basis = more
            taken.append(i)
    return tuple(sorted(taken))


def _ways(
    whole: Mapping[str, Array], deletable: frozenset[str], choices: Sequence[DeletionChoice]
) -> list[tuple[frozenset[str], Array]]:
    """Every way to follow the choices: what is deleted then, and a basis of what that gives up.

    Of very many ways one that stands for all: nothing said to be deleted, and the span of all that could be.
    """
    if not whole:
        return [(frozenset(), np.zeros((0, 0)))]
    several = [
        list(combinations(choice.mates, choice.count)) if choice.count is not None else list(choice.sets)
        for choice in choices
    ]
    found = []
    for chosen in product(*several) if prod(len(s) for s in several) <= MOST_WAYS else ():
        gone = frozenset(deletable.union(*chosen))
        basis = _basis(unit_rows(whole[name]) for name in gone)
        if basis is not None:
            found.append((gone, basis))
    if found:
        return found
    _, s, Vt = np.linalg.svd(np.vstack([unit_rows(part) for part in whole.values()]), full_matrices=False)
    return [(frozenset(), Vt[: int(np.sum(s > LOWEST))])]
