"""From the strength of evidence, which ranks it, to the confidence that is given: how often it was right.

The rows were counted by `scripts/reliability` over assemblies with known mates, and over machines when they were new,
and drawn together so that they rise; docs/recognition.md has the counts. A strength is what a rule writes beside its
evidence.
"""

from __future__ import annotations

import numpy as np

WELDS = ((0.2, 0.17), (0.3, 0.6), (0.4, 0.84), (0.65, 0.86), (0.7, 0.88), (0.8, 0.95), (0.95, 0.95))
"""Strength of a weld's evidence, and the share of such welds that was right on 78 machines when they were new: 578 of
677 from 0.4 to 0.65 (what rests on another or reaches into it), 543 of 571 from 0.8 on (lines and bolts), 8 of 46 up to
0.2 (what touches nothing, or is blocked). At 0.3 and 0.7 there are few counts: they lie between. The first were 73 % of
those of one set of machines and 96 % of those of the next: machines differ by more than rules do."""
JOINTS = ((0.3, 0.48), (0.45, 0.52), (0.5, 0.77), (0.85, 0.79), (0.98, 0.97), (0.99, 0.99))
"""Strength of a joint's evidence, and the share of such joints that was right on 78 machines when they were new: 25 of
49 up to 0.45; 462 of 593 from 0.5 to 0.85, where it hardly rises: a shaft held both ways was right in 8 of 12 kinds of
pairs, an output by its bolts in none. Twenty features of such joints (sizes, their rule, what else holds the bodies,
the machine) told the right ones from the wrong no better than chance, by machines left out."""

MOBILITIES = ((0.0, 0.12), (0.03, 0.42), (0.15, 0.69), (0.99, 0.69), (1.0, 1.0))
"""Product of the confidences of all decisions on which the mobility depends, and the share of such mobilities that was
right on 78 machines when they were new: 2 of 13 up to 0.02, 7 of 16 up to 0.1, 31 of 45 above, where it does not rise.
The decisions of a machine are right or wrong together, so that a product of many says too little, and one of few
misses what nobody decided."""
NOTHING_MOVES = 0.1
"""The share of mobilities of 0 that was right: none of 4 machines when they were new. Who asks how an assembly moves
has mostly one that does."""


def of_weld(strength: float) -> float:
    """The confidence of a weld; what a person said is certain."""
    return _share(strength, WELDS)


def of_joint(strength: float) -> float:
    """The confidence of a joint; what a person said is certain."""
    return _share(strength, JOINTS)


def of_mobility(product: float, freedoms: int) -> float:
    """How sure a mobility is, from the product of the confidences of the decisions behind it."""
    share = _share(product, MOBILITIES)
    return share if freedoms else min(share, NOTHING_MOVES)


def _share(strength: float, rows: tuple[tuple[float, float], ...]) -> float:
    strengths, shares = zip(*(*rows, (1.0, 1.0)), strict=True)
    return round(float(np.interp(strength, strengths, shares)), 3)
