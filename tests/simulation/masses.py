"""Mechanisms whose masses may be far apart, each with its motion from equations in the fewest coordinates.

The equations are derived from velocities alone (Lagrange), know neither rows nor multipliers, and are integrated by
SciPy to 1e-13: what the solver computes from the constraints of all bodies is held against them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve

from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.simulation import Scenario
from cadbridge.simulation.trust.ahead import costs, mass_ratios
from cadbridge.simulation.trust.verdict import tell, verdict_of
from solver.constraints import GROUND, GearPair, Primitive
from solver.model import Model
from solver.runs.integrate import simulate
from tests.solver.examples import O, X, Z, body, hinge, poses

Array = NDArray[np.float64]

GRAVITY = 9.81
"""m/s² along −y."""
ROUND_Z = 0.15
"""kg m² a kg: the moment about z of `bar`."""
_TAUT = 1e7
"""How many times heavier the last bar of a chain is where the others count as one line."""
CORNERS = np.array([[0.0, 0.0, 0.0], [0.62, 0.78, 0.0], [2.4, 1.7, 0.0], [2.2, 0.0, 0.0]])


@dataclass(frozen=True, eq=False)
class Case:
    """A model at rest, and where its bodies are at times (k,) s: positions (k, n, 2), m."""

    model: Model
    exact: Callable[[Array], Array]


def _model(masses: tuple[float, ...], rows: list[Primitive], places: list[list[float]]) -> Model:
    x, q = poses(places)
    bodies = tuple(body(f"body {k}", m, 0.1 * m) for k, m in enumerate(masses))
    return Model(bodies, tuple(rows), x, q, gravity=(0.0, -GRAVITY, 0.0))


def _moved(rates: Callable[[float, Array], Array], start: list[float], times: Array) -> Array:
    """Coordinates (k, c) at times, from rest: `rates` gives [q̇, q̈] of [q, q̇]."""
    y = [*start, *([0.0] * len(start))]
    found = solve_ivp(rates, (0.0, float(times[-1])), y, method="DOP853", rtol=1e-13, atol=1e-13, t_eval=times)
    if not found.success:
        raise ArithmeticError(found.message)
    return np.asarray(found.y[: len(start)].T, float)


def _turned(u: Array) -> Array:
    """Vectors (…, 2) turned by a right angle."""
    return np.stack([-u[..., 1], u[..., 0]], axis=-1)


def chain(masses: tuple[float, ...]) -> Case:
    """Bars of 1 m hanging in a row from the ground, at first in one line: coordinates are their angles."""
    n, m, lean = len(masses), np.array(masses), -0.8
    along = np.array([np.cos(lean), np.sin(lean), 0.0])
    rows = [p for i in range(n) for p in hinge(i - 1 if i else GROUND, i, along / 2 if i else O, -along / 2, Z)]
    # Bar i goes with the angle of bar j by so many metres of its centre.
    arm = np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n)
    # Bars that hold a much heavier one are drawn into one line: they vibrate about it by some parts of its mass.
    taut = m[-1] > _TAUT * m[:-1].max()
    last = np.arange(n) == n - 1
    own = np.column_stack([~last, last]).astype(float) if taut else np.eye(n)

    def rates(_: float, y: Array) -> Array:
        p, w = np.split(y, 2)
        q, w = own @ p, own @ w
        apart = q[:, None] - q[None]
        weight = np.einsum("i,ij,ik->jk", m, arm, arm)
        M = own.T @ (weight * np.cos(apart) + ROUND_Z * np.diag(m)) @ own
        f = own.T @ (-(weight * np.sin(apart)) @ w**2 - GRAVITY * (m @ arm) * np.cos(q))
        scale = 1 / np.sqrt(np.diag(M))
        return np.concatenate([y[len(y) // 2 :], scale * cho_solve(cho_factor(scale[:, None] * M * scale), scale * f)])

    def exact(times: Array) -> Array:
        q = _moved(rates, [lean] * own.shape[1], times) @ own.T
        return np.asarray(np.einsum("ij,kjd->kid", arm, np.stack([np.cos(q), np.sin(q)], axis=-1)))

    return Case(_model(masses, rows, [((0.5 + i) * along).tolist() for i in range(n)]), exact)


def four_bar(masses: tuple[float, ...]) -> Case:
    """Three bars of metres in a plane, four hinges, of which three rows repeat others; its crank can turn round."""
    m, corners = np.array(masses), CORNERS[:, :2]
    centres = (CORNERS[:-1] + CORNERS[1:]) / 2
    rows: list[Primitive] = []
    for k, corner in enumerate(CORNERS):
        a, b = k - 1 if k else GROUND, k if k < 3 else GROUND
        at = [corner - centres[i] if i != GROUND else corner for i in (a, b)]
        rows += hinge(a, b, at[0], at[1], Z) if b != GROUND else hinge(b, a, at[1], at[0], Z)
    lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)

    def bars(q: float) -> Array:
        """The bars as vectors (3, 2) for an angle of the crank."""
        first = corners[0] + lengths[0] * np.array([np.cos(q), np.sin(q)])
        way = corners[3] - first
        size = float(np.hypot(*way))
        along = (lengths[1] ** 2 - lengths[2] ** 2 + size**2) / (2 * size)
        up = np.sqrt(lengths[1] ** 2 - along**2)
        second = first + (along * way + up * _turned(way)) / size
        return np.array([first - corners[0], second - first, corners[3] - second])

    def rates(_: float, y: Array) -> Array:
        q, w = y
        u = bars(q)
        v = _turned(u)
        # Σ turns_i v_i = 0 and its derivative, per rate of the crank.
        turns = np.array([1.0, *np.linalg.solve(v[1:].T, -v[0])])
        bends = np.array([0.0, *np.linalg.solve(v[1:].T, turns**2 @ u)])
        moves = _centres(turns[:, None] * v)
        curves = _centres(bends[:, None] * v - (turns**2)[:, None] * u)
        inertia = float(m @ (np.sum(moves**2, axis=1) + ROUND_Z * turns**2))
        change = float(m @ (np.sum(moves * curves, axis=1) + ROUND_Z * turns * bends))
        return np.array([w, (-GRAVITY * float(m @ moves[:, 1]) - change * w**2) / inertia])

    def exact(times: Array) -> Array:
        start = float(np.arctan2(corners[1, 1], corners[1, 0]))
        q = _moved(rates, [start], times)[:, 0]
        return np.array([_centres(bars(float(one))) for one in q])

    return Case(_model(masses, rows, centres.tolist()), exact)


def _centres(bars: Array) -> Array:
    """Middles (3, 2) of bars in a row from the origin."""
    return np.cumsum(bars, axis=0) - bars / 2


def gears(masses: tuple[float, ...]) -> Case:
    """Two wheels with a spur mesh of −0.4, hinged to the ground 0.3 m beside their centres of mass."""
    m, ratio, off = np.array(masses), -0.4, 0.3
    rows = hinge(GROUND, 0, O, -off * X, Z) + hinge(GROUND, 1, X, -off * X, Z)
    rows += [GearPair(0, 1, "spur", -off * X, Z, -off * X, Z, -1 / ratio)]
    turns = np.array([1.0, ratio])
    inertia = float(m @ (turns**2)) * (ROUND_Z + off**2)

    def rates(_: float, y: Array) -> Array:
        return np.array([y[1], -GRAVITY * off * float(m @ (turns * np.cos(turns * y[0]))) / inertia])

    def exact(times: Array) -> Array:
        q = _moved(rates, [0.0], times)[:, 0, None] * turns
        return np.array([[0.0, 0.0], [1.0, 0.0]]) + off * np.stack([np.cos(q), np.sin(q)], axis=-1)

    return Case(_model(masses, rows, [[off, 0.0, 0.0], [1.0 + off, 0.0, 0.0]]), exact)


def schmidt(masses: tuple[float, ...]) -> Case:
    """Schmidt's coupling: discs, two on the ground and one between, joined by three parallel links each.

    Masses of the three discs and six links. All discs turn alike about centres that stand still, and links travel on
    circles without turning, so that one angle tells it all. Many rows repeat others.
    """
    m, pin = np.array(masses), 0.2
    discs = np.array([[0.0, 0.0, 0.0], [0.4, 0.3, 0.0], [0.9, -0.1, 0.0]])
    phases = 0.3 + 2 * np.pi * np.arange(3) / 3
    pins = pin * np.stack([np.cos(phases), np.sin(phases), np.zeros(3)], axis=-1)
    rows = hinge(GROUND, 0, O, O, Z) + hinge(GROUND, 2, discs[2], O, Z)
    places = [*discs.tolist()]
    for k in range(2):
        half = (discs[k + 1] - discs[k]) / 2
        for at in pins:
            link = len(places)
            rows += hinge(k, link, at, -half, Z) + hinge(k + 1, link, at, half, Z)
            places.append((discs[k] + half + at).tolist())
    inertia = ROUND_Z * float(m[:3].sum()) + pin**2 * float(m[3:].sum())
    lean = np.tile(phases, 2)

    def rates(_: float, y: Array) -> Array:
        return np.array([y[1], -GRAVITY * pin * float(m[3:] @ np.cos(y[0] + lean)) / inertia])

    def exact(times: Array) -> Array:
        q = _moved(rates, [0.0], times)[:, 0, None] + lean
        found = np.tile(np.array(places)[:, :2], (len(times), 1, 1))
        found[:, 3:] += pin * np.stack([np.cos(q), np.sin(q)], axis=-1) - np.tile(pins[:, :2], (2, 1))
        return found

    return Case(_model(masses, rows, places), exact)


CASES: dict[str, Callable[[float], Case]] = {
    "chain, second of three": lambda r: chain((1.0, r, 1.0)),
    "chain, last of three": lambda r: chain((1.0, 1.0, r)),
    "four-bar, coupler": lambda r: four_bar((1.0, r, 1.0)),
    "four-bar, rocker": lambda r: four_bar((1.0, 1.0, r)),
    "four-bar, crank and coupler": lambda r: four_bar((r, r, 1.0)),
    "gears, second of two": lambda r: gears((1.0, r)),
    "Schmidt, middle disc": lambda r: schmidt((1.0, r, 1.0, 1.0, 0.5, 0.25, 1.0, 0.5, 0.25)),
    "Schmidt, one link": lambda r: schmidt((1.0, 1.0, 1.0, r, 0.5, 0.25, 1.0, 0.5, 0.25)),
    "Schmidt, all links": lambda r: schmidt((1.0, 1.0, 1.0, r, r / 2, r / 4, r, r / 2, r / 4)),
}
"""A mechanism for the ratio of the masses of the bodies named to those of the others (1 kg and a quarter)."""


@dataclass(frozen=True)
class Ran:
    """A run against the exact motion: the largest error (m) of its samples, its cost, its end, and what is said."""

    error: float
    steps: int
    rejected: int
    seconds: float
    status: str
    codes: tuple[str, ...]

    def honest(self, tolerance: float) -> bool:
        """Whether the run is right within a hundred tolerances, or is told not to be."""
        return self.error <= 100 * tolerance or self.status != "ok" or bool({"CB627", "CB629"} & {*self.codes})


def ran(
    case: Case, *, duration: float = 1.0, rate: float = 20.0, tolerance: float = 1e-8, patience: float = 60.0
) -> Ran:
    """Fall from rest by dopri5, for `patience` s of the processor, and say what `simulate` would say of the run."""
    what = Scenario(duration=duration, rate=rate, rtol=tolerance, atol=tolerance)
    lowered = cast(Lowered, SimpleNamespace(model=case.model, units=case.model.bodies, stand_ins=()))
    findings = Findings()
    mass_ratios(lowered, findings)
    began = time.process_time()
    call: dict[str, Any] = {"duration": duration, "rate": rate, "rtol": tolerance, "atol": tolerance}
    result = simulate(case.model, **call, should_stop=lambda: time.process_time() - began > patience)
    seconds = time.process_time() - began
    tell(verdict_of(lowered, what, result), what, result, findings)
    costs(result, findings)
    T, cost = result.trajectory, result.statistics
    off = np.abs(T.positions[:, :, :2] - case.exact(T.t)) if len(T.t) > 1 else np.zeros(1)
    codes = tuple(sorted(f.code for f in findings.as_tuple()))
    return Ran(float(off.max()), cost.steps, cost.rejected, seconds, result.status.code, codes)
