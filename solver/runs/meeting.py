"""Whether a step may have met an event, compiled: what a run with events costs where none occurs.

Of a coordinate that an event watches, value, rate and acceleration are known at both ends of a step: a quintic. Only
where that passes the event's value, or comes near it, the step is looked at closely (`solver.runs.events`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compilation.compiled import Array1, Array2, Ints1, kernel, table
from solver.constraints.kernels import evaluate_terms, unwind
from solver.equations.dynamics import StateArrays, Tables, place
from solver.steps.samples import Within

_ASTRAY = 0.05
"""Of how far a coordinate moves in a step: a quintic that comes so near to an event's value may be off by that."""


@table
class Watched(NamedTuple):
    """What events watch: the `term` (e,) of each coordinate, its `value` (e,), the `sense` (e,) of the crossing, 1, −1
    or 0; `before` and `after` (e, 3) are coordinate, rate and acceleration at the ends of a step.
    """

    term: Ints1
    value: Array1
    sense: Array1
    before: Array2
    after: Array2


def watched(terms: Ints1, values: Array1, senses: Array1) -> Watched:
    """Events of these terms, values and senses (e,)."""
    e = len(terms)
    return Watched(terms, values, senses, np.zeros((e, 3)), np.zeros((e, 3)))


def nothing_watched() -> Watched:
    """No events."""
    return watched(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


@kernel
def coordinates_at(
    tables: Tables, D: Within, term: Ints1, state: StateArrays, acceleration: Array2, out: Array2
) -> None:
    """Value, rate and acceleration of the coordinates of terms (e,) at a state, into out (e, 3)."""
    (T, _, _, _, _, _, E), (x, q, v, angles), n = tables, state, state[0].shape[0]
    place(E, x, q, v)
    evaluate_terms(T, term, E.x, E.R, E.v, True, D.value, D.term_rate, D.bias, D.JA, D.JB)
    unwind(T, term, D.value, angles)
    for k in range(term.shape[0]):
        i = term[k]
        second, a, b = D.bias[i], T.body_a[i], T.body_b[i]
        for j in range(6):
            if a < n:
                second += D.JA[i, j] * acceleration[a, j]
            if b < n:
                second += D.JB[i, j] * acceleration[b, j]
        out[k, 0], out[k, 1], out[k, 2] = D.value[i], D.term_rate[i], second


@kernel
def may_meet(A: Watched, h: float) -> bool:
    """Whether an event may have occurred in a step of h (s), of which A has both ends (`before`, `after`; (e, 3)).

    The quintic through both ends (Hermite) is looked at in the four quarters of the step.
    """
    for k in range(A.term.shape[0]):
        p, u, a = A.before[k, 0] - A.value[k], h * A.before[k, 1], h * h * A.before[k, 2]
        d = A.after[k, 0] - A.before[k, 0] - u - 0.5 * a
        e = h * A.after[k, 1] - u - a
        f = h * h * A.after[k, 2] - a
        # Hermite: what the Taylor polynomial at the start misses at the end, in value, rate and acceleration.
        c3, c4, c5 = 10 * d - 4 * e + 0.5 * f, -15 * d + 7 * e - f, 6 * d - 3 * e + 0.5 * f
        near = _ASTRAY * max(abs(u), abs(h * A.after[k, 1]), abs(A.after[k, 0] - A.before[k, 0]))
        last = p
        for quarter in range(1, 5):
            s = 0.25 * quarter
            now = p + s * (u + s * (0.5 * a + s * (c3 + s * (c4 + s * c5))))
            across = (last < 0.0 <= now or last > 0.0 >= now) and A.sense[k] * (now - last) >= 0.0
            # A comparison with NaN is false.
            if across or not abs(now) > near or not abs(last) > near:
                return True
            last = now
    return False


@kernel
def pass_on(before: Array2, after: Array2) -> None:
    """Make the end of a step the start of the next: `after` (e, 3) becomes `before`."""
    for k in range(before.shape[0]):
        for j in range(3):
            before[k, j] = after[k, j]
