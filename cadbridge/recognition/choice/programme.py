"""The integer programme of the choice: which second verdicts bring the mobility to what is wanted at the least cost.

A variable for each decision of an inference, 1 where its second verdict is taken, which costs the logarithm of the odds
of the first. Equal pairs are one variable, or pay for being decided otherwise. The mobility is a row of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cadbridge.recognition.choice.hypotheses import Hypothesis

UNLIKE_EQUALS = 0.5
"""Nats that it costs to decide equal pairs otherwise: a tie goes to what treats them alike. A choice, odds of 1.6."""

WRONG_FREEDOM = 50.0
"""Nats that each degree of freedom costs which is missing or too many: more than any few decisions together, so that a
mobility that is told is met where it can be."""


def cheapest(known: Sequence[Hypothesis], gap: int, refused: Sequence[np.ndarray]) -> np.ndarray | None:
    """Which second verdicts to take, (n,) of bool: min Σ cost x + ALIKE Σ u + SHORT (s⁺ + s⁻), by HiGHS.

    Σ change x + s⁺ - s⁻ = gap. For decisions i, j on equal pairs of which one is a joint and one is not,
    x_i + x_j + u = 1 or more. Σ_{x=1} (1 - x) + Σ_{x=0} x ≥ 1 for each solution refused.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    n = len(known)
    if not n:
        return None
    unlike = [(i, j) for j in range(n) for i in range(j) if known[i].kind == known[j].kind]
    m = n + len(unlike) + 2
    cost = np.concatenate(
        [[h.cost for h in known], np.full(len(unlike), UNLIKE_EQUALS), [WRONG_FREEDOM, WRONG_FREEDOM]]
    )
    mobility = np.zeros(m)
    mobility[:n] = [h.change or 0 for h in known]
    mobility[-2:] = 1.0, -1.0
    rows, low, high = [mobility], [float(gap)], [float(gap)]
    for k, (i, j) in enumerate(unlike):
        row = np.zeros(m)
        row[[i, j, n + k]] = 1.0
        rows, low, high = [*rows, row], [*low, 1.0], [*high, np.inf]
    for taken in refused:
        row = np.zeros(m)
        row[:n] = np.where(taken, -1.0, 1.0)
        rows, low, high = [*rows, row], [*low, 1.0 - taken.sum()], [*high, np.inf]
    upper = np.concatenate([np.ones(m - 2), [np.inf, np.inf]])
    answer = milp(
        cost, constraints=LinearConstraint(np.array(rows), low, high), bounds=Bounds(np.zeros(m), upper),
        integrality=np.concatenate([np.ones(m - 2), [0, 0]]),
    )  # fmt: skip
    return None if answer.x is None else np.asarray(answer.x[:n] > 0.5)
