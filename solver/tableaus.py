"""Coefficients of the explicit Runge–Kutta methods; each method is data.

| name | order | error | source |
|---|---|---|---|
| dopri5 | 5 | 4 | Dormand and Prince (1980) |
| dop853 | 8 | 5 and 3 | Hairer, Nørsett and Wanner, Solving ODEs I, II.10 |
| rk4 | 4 | none: fixed steps | Kutta (1901) |
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853, RK45

Array = NDArray[np.float64]


class Tableau(NamedTuple):
    """`nodes` (s,), `stages` (s, s) strictly lower, `weights` (s,) of the new value.

    `error` (s,) gives the local error, `coarse` (s,) a second one of lower order (zeros: none); see
    `scaled_error` in `solver.explicit`.
    """

    nodes: Array
    stages: Array
    weights: Array
    error: Array
    coarse: Array


def _dopri5() -> Tableau:
    stages = np.zeros((7, 7))
    stages[:6, :5] = RK45.A
    stages[6, :6] = RK45.B
    weights = np.append(RK45.B, 0.0)
    return Tableau(np.append(RK45.C, 1.0), stages, weights, np.array(RK45.E, float), np.zeros(7))


def _dop853() -> Tableau:
    return Tableau(
        np.array(DOP853.C, float),
        np.array(DOP853.A, float),
        np.array(DOP853.B, float),
        np.array(DOP853.E5[:-1], float),
        np.array(DOP853.E3[:-1], float),
    )


def _rk4() -> Tableau:
    stages = np.zeros((4, 4))
    stages[1, 0] = stages[2, 1] = 0.5
    stages[3, 2] = 1.0
    return Tableau(np.array([0, 0.5, 0.5, 1.0]), stages, np.array([1, 2, 2, 1]) / 6, np.zeros(4), np.zeros(4))


DOPRI5_TABLEAU = _dopri5()
DOP853_TABLEAU = _dop853()
RK4_TABLEAU = _rk4()
