"""From the strength of evidence, which ranks it, to the confidence that is given: how often it was right.

The rows were counted by `scripts/reliability` over assemblies with known mates, and over machines when they were new,
and drawn together so that they rise; docs/recognition.md has the counts. A strength is what a rule writes beside its
evidence.
"""

from __future__ import annotations

import numpy as np

WELDS = ((0.2, 0.1), (0.3, 0.6), (0.4, 0.74), (0.65, 0.75), (0.7, 0.8), (0.8, 0.93), (0.95, 0.93))
"""Strength of a weld's evidence, and the share of such welds that was right on machines when they were new: 172 of 235
from 0.4 to 0.65 (what rests on another or reaches into it), 138 of 149 from 0.8 on (lines and bolts), 0 of 25 up to
0.2 (what touches nothing, or is blocked). At 0.3 and 0.7 there are no counts: they lie between. On machines that rules
were made on 94 % of the first and 99 % of the second are right: a stranger's machine is none of these."""
JOINTS = ((0.3, 0.35), (0.4, 0.5), (0.45, 0.65), (0.5, 0.83), (0.6, 0.84), (0.85, 0.86), (0.98, 0.97), (0.99, 0.99))
"""Strength of a joint's evidence, and the share of such joints that was right. From 0.5 to 0.85 it hardly
rises: on unseen machines a shaft held both ways was right in 8 of 12 kinds of pairs, an output by its bolts in none."""


def of_weld(strength: float) -> float:
    """The confidence of a weld; what a person said is certain."""
    return _share(strength, WELDS)


def of_joint(strength: float) -> float:
    """The confidence of a joint; what a person said is certain."""
    return _share(strength, JOINTS)


def _share(strength: float, rows: tuple[tuple[float, float], ...]) -> float:
    strengths, shares = zip(*(*rows, (1.0, 1.0)), strict=True)
    return round(float(np.interp(strength, strengths, shares)), 3)
