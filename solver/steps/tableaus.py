"""Coefficients of the explicit Runge–Kutta methods; each method is data.

| name | order | error | source |
|---|---|---|---|
| dopri5 | 5 | 4 | Dormand and Prince (1980) |
| dop853 | 8 | 5 and 3 | Hairer, Nørsett and Wanner, Solving ODEs I, II.10 |
| rk4 | 4 | none: fixed steps | Kutta (1901) |
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from solver.compilation.compiled import Array1, Array2, table


@table
class Tableau(NamedTuple):
    """`nodes` (s,), `stages` (s, s) strictly lower, `weights` (s,) of the new value.

    `error` (s,) gives the local error, `coarse` (s,) a second one of lower order (zeros: none); see
    `scaled_error` in `solver.steps.explicit`.
    """

    nodes: Array1
    stages: Array2
    weights: Array1
    error: Array1
    coarse: Array1


@cache
def dopri5() -> Tableau:
    """Dormand and Prince's 5(4); the last stage is the first of the next step."""
    stages = np.zeros((7, 7))
    for i, row in enumerate(_DOPRI5):
        stages[i + 1, : i + 1] = row
    nodes = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
    # The difference of the weights of order 5 and 4.
    error = np.array([-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
    return Tableau(nodes, stages, stages[6].copy(), error, np.zeros(7))


_DOPRI5 = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
"""The stages of Dormand and Prince, J. Comp. Appl. Math. 6 (1980), table 2: RK5(4)7M. The last row is also the
solution."""


@cache
def dop853() -> Tableau:
    """The 8(5, 3) of Hairer, Nørsett and Wanner: SciPy has its coefficients, and takes its time: who asks pays."""
    from scipy.integrate import DOP853

    return Tableau(
        np.array(DOP853.C, float),
        np.array(DOP853.A, float),
        np.array(DOP853.B, float),
        # SciPy's last entry is for the slope at the step's end, and is zero; here that slope is of the projected state.
        np.array(DOP853.E5[:-1], float),
        np.array(DOP853.E3[:-1], float),
    )


@cache
def no_tableau() -> Tableau:
    """That of a method without stages."""
    return Tableau(np.zeros(0), np.zeros((0, 0)), np.zeros(0), np.zeros(0), np.zeros(0))


@cache
def rk4() -> Tableau:
    """The classical method of order 4."""
    stages = np.zeros((4, 4))
    stages[1, 0] = stages[2, 1] = 0.5
    stages[3, 2] = 1.0
    return Tableau(np.array([0, 0.5, 0.5, 1.0]), stages, np.array([1, 2, 2, 1]) / 6, np.zeros(4), np.zeros(4))
