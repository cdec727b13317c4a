"""Which mates repeat what those before them in the file hold, of joints and of what is fastened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.mechanism.model import MateRows
from cadbridge.mechanism.rows import rows_of
from solver.algebra.connected import Groups
from solver.algebra.rank import independent_rows


def repeated_rows(mechanism: Mechanism) -> dict[str, int]:
    """By mate, the rows that others of its joint or of its fastened group hold; all of them add up to what repeats."""
    own = {mate.mate: mate for mate in mechanism.mate_rows}
    found: dict[str, int] = {}
    for joint in mechanism.joints:
        mates = [own[name] for name in joint.mates if name in own]
        needed = sum(p.rows for p in joint.primitives)
        if sum(mate.rows for mate in mates) > needed:
            _drop(found, mates, _adding(mechanism, mates), needed)
    # What the ground holds fast is one group, whatever component it is fastened to.
    group_of = [mechanism.body_of.get(name, GROUND_BODY) for name in mechanism.component_names]
    units = defaultdict[int, set[int]](set)
    for unit, group in enumerate(group_of):
        units[group].add(unit)
    units[GROUND_BODY].add(GROUND_BODY)
    within = defaultdict[int, list[MateRows]](list)
    for mate in mechanism.mate_rows:
        groups = {GROUND_BODY if unit == GROUND_BODY else group_of[unit] for unit in (mate.a, mate.b)}
        if len(groups) == 1:
            within[groups.pop()].append(mate)
    for group, mates in within.items():
        needed = 6 * (len(units[group]) - 1)
        if sum(mate.rows for mate in mates) > needed:
            _drop(found, mates, _fastening(mechanism, mates), needed)
    return found


def _drop(found: dict[str, int], mates: Sequence[MateRows], kept: Sequence[int], needed: int) -> None:
    """Add to `found` what mates have beyond the rows of theirs that add to others.

    Where these are still too many, as loops lock some more, the last of the file give way.
    """
    too_many = sum(kept) - needed
    for mate, adding in zip(reversed(mates), reversed(kept), strict=True):
        less = min(adding, max(too_many, 0))
        too_many -= less
        if repeated := mate.rows - adding + less:
            found[mate.mate] = repeated


def _adding(mechanism: Mechanism, mates: Sequence[MateRows]) -> list[int]:
    """Of mates between the same two bodies, in order, the rows of each that add to those before it."""
    primitives = [p for mate in mates for p in mate.primitives]
    owners = [str(k) for k, mate in enumerate(mates) for _ in mate.primitives]
    rows = rows_of(primitives, owners, mechanism.X_WC, mechanism.length_scale)
    # A row's wrenches on its two units are opposite, about one point for all: either tells what it holds.
    keep = independent_rows(np.array([W[0] for W in rows.wrenches]), 1.0)
    return [int(n) for n in np.bincount([int(k) for k in rows.owners], keep, len(mates))]


def _fastening(mechanism: Mechanism, mates: Sequence[MateRows]) -> list[int]:
    """Of mates that make one body, the rows of each that add: between units that others join already, none does."""
    pairs = defaultdict[frozenset[int], list[int]](list)
    for k, mate in enumerate(mates):
        pairs[frozenset((mate.a, mate.b))].append(k)
    kept = [0] * len(mates)
    fastened: Groups[int] = Groups()
    for ends, of_pair in pairs.items():
        a, b = min(ends), max(ends)
        if fastened.root(a) == fastened.root(b):
            continue
        for k, adding in zip(of_pair, _adding(mechanism, [mates[k] for k in of_pair]), strict=True):
            kept[k] = adding
        if sum(kept[k] for k in of_pair) == 6:
            fastened.join(a, b)
    return kept
