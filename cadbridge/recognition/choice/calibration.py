"""From the strength of evidence, which ranks it, to the confidence that is given: how often it was right.

The rows were counted by `scripts/reliability` over assemblies with known mates, and over machines when they were new,
and drawn together so that they rise; docs/recognition.md has the counts. A strength is what a rule writes beside its
evidence.
"""

from __future__ import annotations

import numpy as np

WELDS = ((0.2, 0.1), (0.3, 0.6), (0.4, 0.84), (0.65, 0.86), (0.7, 0.88), (0.8, 0.95), (0.95, 0.96))
"""Strength of a weld's evidence, and the share of such welds that was right on machines when they were new: 449 of 524
from 0.4 to 0.65 (what rests on another or reaches into it), 405 of 424 from 0.8 on (lines and bolts), 4 of 36 up to
0.2 (what touches nothing, or is blocked). At 0.3 and 0.7 there are few counts: they lie between. The first were 73 % of
those of one set of machines and 96 % of those of the next: machines differ by more than rules do."""
JOINTS = ((0.3, 0.35), (0.4, 0.42), (0.45, 0.45), (0.5, 0.83), (0.6, 0.84), (0.85, 0.86), (0.98, 0.97), (0.99, 0.99))
"""Strength of a joint's evidence, and the share of such joints that was right on machines when they were new: 16 of 38
up to 0.45, 350 of 429 from 0.5 to 0.85, where it hardly rises: a shaft held both ways was right in 8 of 12 kinds of
pairs, an output by its bolts in none."""

MOBILITIES = ((0.0, 0.1), (0.03, 0.5), (0.15, 0.65), (0.8, 0.65), (1.0, 1.0))
"""Product of the confidences of all decisions on which the mobility depends, and the share of such mobilities that was
right on 49 machines when they were new: 1 of 9 up to 0.02, 5 of 9 up to 0.1, 20 of 31 above, where it does not rise.
The decisions of a machine are right or wrong together, so that a product of many says too little, and one of few
misses what nobody decided."""


def of_weld(strength: float) -> float:
    """The confidence of a weld; what a person said is certain."""
    return _share(strength, WELDS)


def of_joint(strength: float) -> float:
    """The confidence of a joint; what a person said is certain."""
    return _share(strength, JOINTS)


def of_mobility(product: float) -> float:
    """How sure a mobility is, from the product of the confidences of the decisions behind it."""
    return _share(product, MOBILITIES)


def _share(strength: float, rows: tuple[tuple[float, float], ...]) -> float:
    strengths, shares = zip(*(*rows, (1.0, 1.0)), strict=True)
    return round(float(np.interp(strength, strengths, shares)), 3)
