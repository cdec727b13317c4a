"""States between the ends of a step: polynomials through both ends' states and accelerations.

Poses have values, rates and accelerations at both projected ends: a quintic. Each extra acceleration, evaluated
where the polynomial so far reports the state, raises its degree by one (bootstrapping: Enright, Jackson, Nørsett and
Thomsen 1986). With 0, 1 or 3 of them the rates' error over a step h is of order h⁵, h⁶ or h⁸, and that of angles and
work, which have rates only, h⁴, h⁵ or h⁶: a sample is as accurate as the ends of its step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.state import State
from solver.steps.explicit import spun

Array = NDArray[np.float64]

_NODES = {0: (), 3: (0.5, 0.25, 0.75)}
"""Where extra accelerations are taken, in this order."""


@dataclass(frozen=True, eq=False)
class Slope:
    """What the equations of motion give at a state: v̇ (n, 6), α̇ (na,), power (rows + 1,), λ (m,).

    `drive` (rows, 3) are the loads' functions of time there; where rows are `repeated`, λ is one of many.
    """

    acceleration: Array
    turning: Array
    power: Array
    multipliers: Array
    drive: Array
    repeated: bool = False


@lru_cache(maxsize=16)
def _inverse(nodes: tuple[float, ...], second: bool) -> Array:
    """Coefficients of the monomials of θ from the data.

    `second`: values and rates at 0 and 1, second derivatives at 0, 1 and the nodes; else the value at 0 and rates at
    0, 1 and the nodes (with the value at 1 as well they would be dependent: Simpson's rule).
    """
    ends = (0.0, 1.0)
    rows = [(t, order) for order in (0, 1) for t in ends] if second else [(0.0, 0)]
    rows += [(t, 2 if second else 1) for t in (*ends, *nodes)]
    return np.linalg.inv(np.array([_derivative(t, order, len(rows)) for t, order in rows]))


def _derivative(theta: float, order: int, count: int) -> Array:
    """The derivatives (count,) of 1, θ, θ², … at θ."""
    result = np.zeros(count)
    for k in range(order, count):
        result[k] = math.perm(k, order) * theta ** (k - order)
    return result


def _pose_data(x: Array, q: Array, v: Array, a: Array, base: Array, spins: Array, h: float, out: Array) -> None:
    """out (3, 7n): [x, δ], h times its rate and h² times its second derivative; `base` (n, 4) is exp(t s) ⊗ q₀."""
    n = len(x)
    w, b, s = (_pure(vectors) for vectors in (v[:, 3:], a[:, 3:], spins))
    turn = rotation.multiply(q, rotation.conjugate(base))
    rate = 0.5 * (rotation.multiply(w, turn) - rotation.multiply(turn, s))
    second = rotation.multiply(b, turn) + rotation.multiply(w, rate) - rotation.multiply(rate, s)
    for row, (travel, turned) in enumerate(
        ((x, turn), (h * v[:, :3], h * rate), (h * h * a[:, :3], 0.5 * h * h * second))
    ):
        out[row, : 3 * n], out[row, 3 * n :] = travel.ravel(), turned.ravel()


def _pure(vectors: Array) -> Array:
    """Quaternions (n, 4) without a real part."""
    return np.concatenate([np.zeros((len(vectors), 1)), vectors], axis=1)


def _read_pose(pose: Array, rate: Array, base: Array, spins: Array, x: Array, q: Array, v: Array) -> None:
    """x, q, v of [x, δ] and its rate: ω = (2 δ' + δ ⊗ s) ⊗ δ⁻¹."""
    n = len(x)
    turn, turning = pose[3 * n :].reshape(n, 4), rate[3 * n :].reshape(n, 4)
    size = np.sum(turn**2, axis=1, keepdims=True)
    twice = rotation.multiply(2 * turning + rotation.multiply(turn, _pure(spins)), rotation.conjugate(turn) / size)
    x[:], q[:] = pose[: 3 * n].reshape(n, 3), rotation.multiply(turn / np.sqrt(size), base)
    v[:, :3], v[:, 3:] = rate[: 3 * n].reshape(n, 3), twice[:, 1:]


def fits() -> tuple[Array, Array]:
    """What `_inverse` gives for 0, 1 and 3 nodes, filled up with zeros: (3, 9, 9) and (3, 6, 6)."""
    poses, sums = np.zeros((3, 9, 9)), np.zeros((3, 6, 6))
    for level, nodes in enumerate(((), _NODES[3][:1], _NODES[3])):
        poses[level, : 6 + len(nodes), : 6 + len(nodes)] = _inverse(nodes, True)
        sums[level, : 3 + len(nodes), : 3 + len(nodes)] = _inverse(nodes, False)
    return poses, sums


class Segment:
    """A step of `h` seconds from `start` to `end`, both on the constraints; `slopes` belong to them.

    `spins` (n, 3) are the steady spins at the start, `work` (2, rows of drive + 1) the work done up to the ends.
    `evaluate(state)` gives the slope at a state.
    """

    def __init__(
        self, start: State, end: State, slopes: tuple[Slope, Slope], work: tuple[Array, Array], spins: Array,
        extra: int, evaluate: Callable[[State], Slope],
    ) -> None:  # fmt: skip
        self.start, self.end = start, end
        self.h = end.t - start.t
        self.spins = spins
        self._still = np.zeros_like(start.quaternions)
        self._still[:, 0] = 1.0
        self._evaluate = evaluate
        self._slopes, self._work = slopes, work
        self._second: list[Array] = []
        self._nodes: tuple[float, ...] = ()
        self._wanted: tuple[float, ...] = _NODES[extra]

    def _begin(self) -> None:
        """The polynomial of both ends: made when the first state within is requested, as most steps are never."""
        ends = ((self.start, self._slopes[0], 0.0), (self.end, self._slopes[1], 1.0))
        poses = [self._pose(state, slope, theta) for state, slope, theta in ends]
        self._second = [data[order] for order in range(3) for data in poses]
        states = (self.start, self.end)
        first, self._last = (np.concatenate([_angles(s), w]) for s, w in zip(states, self._work, strict=True))
        self._first = [first] + [self.h * np.concatenate([s.turning, s.power]) for s in self._slopes]
        self._fit()

    def at(self, theta: float) -> tuple[State, Array]:
        """The state, not yet projected, and the work done at the part `theta` of the step."""
        if not self._second:
            self._begin()
        while self._nodes != self._wanted:
            self._raise()
        return self._at(theta)

    def _raise(self) -> None:
        """Add the next accelerations: those in the middle first, then, from the better polynomial, the others."""
        fresh = self._wanted[:1] if not self._nodes else self._wanted[len(self._nodes) :]
        found = [(t, s := self._at(t)[0], self._evaluate(s)) for t in fresh]
        for theta, state, slope in found:
            self._second.append(self._pose(state, slope, theta)[2])
            self._first.append(self.h * np.concatenate([slope.turning, slope.power]))
        self._nodes += fresh
        self._fit()

    def _fit(self) -> None:
        self._poses = _inverse(self._nodes, True) @ np.array(self._second)
        self._sum = _inverse(self._nodes, False) @ np.array(self._first)
        self._missed = self._last - np.sum(self._sum, axis=0)

    def _at(self, theta: float) -> tuple[State, Array]:
        n, na = len(self.start.positions), len(_angles(self.start))
        count = len(self._poses)
        pose = _derivative(theta, 0, count) @ self._poses
        rate = _derivative(theta, 1, count) @ self._poses / self.h
        sums = _derivative(theta, 0, len(self._sum)) @ self._sum + theta**2 * (3 - 2 * theta) * self._missed
        x, q, v = np.empty((n, 3)), np.empty((n, 4)), np.empty((n, 6))
        _read_pose(pose, rate, self._base(theta), self.spins, x, q, v)
        return State(self.start.t + theta * self.h, x, q, v, sums[:na]), sums[na:]

    def _base(self, theta: float) -> Array:
        """exp(t s) ⊗ q₀ (n, 4) at θ."""
        base = np.empty_like(self.start.quaternions)
        spun(self._still, self.spins, self.start.quaternions, theta * self.h, base)
        return base

    def _pose(self, state: State, slope: Slope, theta: float) -> Array:
        """(3, 7n): [x, δ] of a state at θ and, times h and h², its derivatives."""
        out = np.empty((3, 7 * len(state.positions)))
        place = (state.positions, state.quaternions, state.velocities, slope.acceleration)
        _pose_data(*place, self._base(theta), self.spins, self.h, out)
        return out


def _angles(state: State) -> Array:
    return np.zeros(0) if state.angles is None else state.angles
