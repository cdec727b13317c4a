"""Releases: sets of weaker mates that remove all redundancy and keep the mobility, ranked by the stiffness they leave.

A set removes exactly the redundant equations if the rows of N (the self-stresses) that belong to the removed equations
are a square matrix of full rank. Then no self-stress remains, and the other equations still imply the removed ones (a
basis of the dual matroid). What remains is statically determinate. Its compliance at a body, compared with
that with all mates, says what the release costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.misfit.groups import DependentMates
from cadbridge.misfit.options import WeakerMate
from cadbridge.misfit.statics import LoadedGroup
from solver.algebra.division import LEAST_DIVISOR

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_SETS = 4_000
"""Sets that are compared one by one: a choice."""
MOST_NODES = 60_000
"""Steps of the search for all sets; beyond them the stiffest are looked for: a choice."""
SETS_AT_ONCE = 500
"""Sets that are computed with at once: their arrays stay in a processor's cache."""
STIFF_TRIES = 300
"""Orders in which equations are given up, the least loaded first, to find stiff sets where there are too many."""
ORDERS = 40
"""Orders of the mates in which as much as can be is given up of each, to find sets that change few."""
ORDERS_DIFFER = 1.5
"""Standard deviation of the logarithms by which those orders differ: by factors of four, so that light and heavy mates
change places, and the order is not lost; a choice."""
SAME_STRESS = 1e-3
"""Stresses that differ by less than this part are one: what tells them apart may be the rounding of a file."""


@dataclass(frozen=True, eq=False)
class WeakenedSet:
    """Options, one a mate, with the stiffness that they leave: in the worst direction, and along given ones (p,)."""

    options: tuple[WeakerMate, ...]
    left: float
    along: Array


@dataclass(frozen=True, eq=False)
class Search:
    """The sets of a group, stiffest first, and whether they are all there are."""

    candidates: tuple[WeakenedSet, ...]
    complete: bool


def search(group: DependentMates, options: dict[str, list[WeakerMate]], loads: LoadedGroup) -> Search:
    """All sets of options that remove exactly the redundant equations, ranked by the stiffness left under loads."""
    N = group.N.toarray()
    # A self-stress may be of any size; with a largest part of 1 `SAME_STRESS` means the same for all.
    N = N / np.maximum(np.max(np.abs(N), axis=0), LEAST_DIVISOR)
    found, complete = _all_sets(N, [own for own in options.values() if own])
    if not complete:
        found = list({_key(s): s for s in (*_plain_sets(N, options), *_stiff_sets(N, options, loads))}.values())
    judged = _judged(found, group, loads)
    names: dict[int, tuple[str, str]] = {id(o): _key((o,))[0] for own in options.values() for o in own}
    # Rounded, so that what is alike but for rounding comes in the order of its words, on each machine the same.
    judged.sort(key=lambda c: (-round(c.left, 6), len(c.options), -round(float(np.sum(c.along)), 6),
                               sorted(names[id(o)] for o in c.options)))  # fmt: skip
    return Search(tuple(judged), complete)


def _key(options: Sequence[WeakerMate]) -> tuple[tuple[str, str], ...]:
    """What tells sets apart, whatever the order of their options."""
    freed_by = {o.mate: [(f.block.kind, np.round(f.weights, 6).tolist()) for f in o.freed] for o in options}
    return tuple(sorted((mate, repr(freed)) for mate, freed in freed_by.items()))


def _all_sets(N: Array, mates: list[list[WeakerMate]]) -> tuple[list[tuple[WeakerMate, ...]], bool]:
    """Every set, mate by mate, as long as what is given up stays independent; and whether the search came to an end.

    Sets that give up equally many equations of the same first mates are grown together.
    """
    d = N.shape[1]
    ways = [_by_count(own, N) for own in mates]
    most = np.array([max((rows.shape[1] for _, rows in own), default=0) for own in ways])
    rest = np.append(np.cumsum(most[::-1])[::-1], 0)
    found: list[tuple[WeakerMate, ...]] = []
    nodes = 0
    # What is chosen (n, i) of the first i mates, by number, and orthonormal bases (n, c, d) of what that gives up.
    stack = [(np.zeros((1, 0), np.int64), np.zeros((1, 0, d)))]
    while stack:
        chosen, basis = stack.pop()
        (n, i), count = chosen.shape, basis.shape[1]
        nodes += n
        if count == d:
            found += [tuple(own[k] for own, k in zip(mates, row, strict=False) if k >= 0) for row in chosen.tolist()]
        elif count + rest[i] >= d:
            stack.append((np.column_stack([chosen, np.full(n, -1)]), basis))
            for numbers, rows in ways[i]:
                if count + rows.shape[1] <= d:
                    stack += _grown_by(chosen, basis, numbers, rows)
        if len(found) > MOST_SETS or nodes > MOST_NODES:
            return found, False
    return found, True


def _by_count(options: Sequence[WeakerMate], N: Array) -> list[tuple[Ints, Array]]:
    """Options that give up equally many equations: their numbers (o,) and parts (o, k, d) in the self-stresses."""
    counts = sorted({o.count for o in options if o.count <= N.shape[1]})
    found = []
    for count in counts:
        numbers = [i for i, o in enumerate(options) if o.count == count]
        rows = np.array([options[i].stresses(N) for i in numbers])
        sizes = np.linalg.norm(rows, axis=2, keepdims=True)
        found.append((np.array(numbers), rows / np.maximum(sizes, LEAST_DIVISOR)))
    return found


def _grown_by(chosen: Ints, basis: Array, numbers: Ints, rows: Array) -> list[tuple[Ints, Array]]:
    """Each set with each option of one more mate, where that stays independent; some `SETS_AT_ONCE` at a time."""
    (n, _, d), (o, k, _) = basis.shape, rows.shape
    step = max(1, SETS_AT_ONCE // o)
    found = []
    for start in range(0, n, step):
        own = basis[start : start + step]
        new = np.broadcast_to(rows.reshape(1, o * k, d), (len(own), o * k, d))
        for _ in range(2):
            new = new - (new @ own.transpose(0, 2, 1)) @ own
        new = new.reshape(len(own), o, k, d).copy()
        free = np.ones((len(own), o), bool)
        for j in range(k):
            row, before = new[:, :, j, None], new[:, :, :j]
            for _ in range(2):
                row = row - (row @ before.swapaxes(2, 3)) @ before
            size = np.linalg.norm(row, axis=3, keepdims=True)
            free &= size[:, :, 0, 0] >= SAME_STRESS
            new[:, :, j] = (row / np.maximum(size, SAME_STRESS))[:, :, 0]
        at, option = np.nonzero(free)
        if len(at):
            both = np.concatenate([own[at], new[at, option]], axis=1)
            found.append((np.column_stack([chosen[start + at], numbers[option]]), both))
    return found


def _grown(basis: Array, rows: Array) -> Array | None:
    """An orthonormal basis (k, d) with more rows; None where they depend on it or on each other."""
    for row in rows:
        rest = row / max(math.sqrt(row @ row), LEAST_DIVISOR)
        for _ in range(2):
            rest = rest - (basis @ rest) @ basis
        size = math.sqrt(rest @ rest)
        if size < SAME_STRESS:
            return None
        basis = np.concatenate([basis, rest[None] / size])
    return basis


def _stiff_sets(N: Array, options: dict[str, list[WeakerMate]], loads: LoadedGroup) -> Iterator[tuple[WeakerMate, ...]]:
    """Sets by giving up the least loaded equations first, in orders that differ at random."""
    singles = [o for own in options.values() for o in own if o.count == 1]
    energy = np.array([loads.energy(o) for o in singles])
    parts = [o.stresses(N) for o in singles]
    # The same orders each time: what is proposed must not change from call to call.
    random = np.random.default_rng(11)
    # Equations that carry nothing are ordered at random too: a weight of nothing would always be first.
    floor = 1e-9 * max(float(energy.max(initial=0.0)), LEAST_DIVISOR)
    for k in range(STIFF_TRIES):
        weights = (energy + floor) * (np.exp(ORDERS_DIFFER * random.standard_normal(len(singles))) if k else 1.0)
        basis, chosen = np.zeros((0, N.shape[1])), []
        for i in np.argsort(weights, kind="stable"):
            grown = _grown(basis, parts[i])
            if grown is not None:
                basis = grown
                chosen.append(singles[i])
            if len(basis) == N.shape[1]:
                merged = _merged(chosen, options)
                if merged is not None:
                    yield merged
                break


def _plain_sets(N: Array, options: dict[str, list[WeakerMate]]) -> Iterator[tuple[WeakerMate, ...]]:
    """Sets that change few mates: of each mate as much as can be given up, the mates in many orders."""
    names = [name for name, own in options.items() if own]
    largest = {name: sorted(options[name], key=lambda o: -o.count) for name in names}
    random = np.random.default_rng(13)
    for _ in range(ORDERS):
        basis, chosen = np.zeros((0, N.shape[1])), []
        for name in random.permutation(names):
            room = N.shape[1] - len(basis)
            grown = ((o, _grown(basis, o.stresses(N))) for o in largest[name] if o.count <= room)
            option, better = next(((o, g) for o, g in grown if g is not None), (None, None))
            if option is not None and better is not None:
                basis = better
                chosen.append(option)
            if len(basis) == N.shape[1]:
                yield tuple(chosen)
                break


def _merged(singles: Sequence[WeakerMate], options: dict[str, list[WeakerMate]]) -> tuple[WeakerMate, ...] | None:
    """Single equations as one option a mate."""
    by_mate: dict[str, list[WeakerMate]] = {}
    for o in singles:
        by_mate.setdefault(o.mate, []).append(o)
    found = []
    for mate, own in by_mate.items():
        freed = [f for o in own for f in o.freed]
        wanted = {id(f.block): np.vstack([g.weights for g in freed if g.block is f.block]) for f in freed}
        fits = (o for o in options[mate] if o.count == len(own) and _same(o, wanted))
        option = next(fits, None)
        if option is None:
            return None
        found.append(option)
    return tuple(found)


def _same(option: WeakerMate, wanted: dict[int, Array]) -> bool:
    """Whether an option gives up the directions wanted of each block, and of no other."""
    if {id(f.block) for f in option.freed} != set(wanted):
        return False
    return all(
        f.weights.shape == wanted[id(f.block)].shape
        # Projectors onto the directions: equal whatever basis either was given in.
        and np.allclose(f.weights.T @ f.weights, wanted[id(f.block)].T @ wanted[id(f.block)], atol=1e-9)
        for f in option.freed
    )


def _judged(sets: Sequence[tuple[WeakerMate, ...]], group: DependentMates, loads: LoadedGroup) -> list[WeakenedSet]:
    """The stiffness that each set leaves of all mates', in the worst direction of the loads and along the chosen ones.

    Sets whose equations are independent by rounding alone are left out.
    """
    if not sets:
        return []
    N = group.N.toarray()
    options = {id(o): o for chosen in sets for o in chosen}
    parts = {key: (o.stresses(N), loads.of(o)) for key, o in options.items()}
    judged = []
    for start in range(0, len(sets), SETS_AT_ONCE):
        some = sets[start : start + SETS_AT_ONCE]
        given_up, lost = (np.array([np.vstack([parts[id(o)][j] for o in chosen]) for chosen in some]) for j in (0, 1))
        s = np.linalg.svd(given_up, compute_uv=False)
        # Of unit rows: less is what rounding of the directions leaves of rows that depend on each other.
        sound = np.flatnonzero(s[:, -1] >= 1e-6 * s[:, 0])
        after = loads.released(given_up[sound], lost[sound])
        worst, along = loads.worst_left(after), loads.left(after)
        judged += [WeakenedSet(some[i], float(worst[j]), along[j]) for j, i in enumerate(sound.tolist())]
    return judged
