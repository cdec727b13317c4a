"""What an engine answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np

from benchmark.cases import Array, Case, Motion

T = TypeVar("T")
Path = tuple[Array, Array]
"""Times (k,; s) and the bodies' positions then (k, n, 3)."""

RATE = 100.0
"""Samples a second, where a run has more than its start and its end."""


class UnsupportedError(Exception):
    """The engine cannot say this mechanism; why."""


@dataclass(frozen=True)
class Evaluation:
    """One evaluation: what it is, seconds, and q̈ (n,) of the tree's hinges; `beside`: other seconds worth knowing."""

    what: str
    seconds: float
    accelerations: Array
    beside: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """A simulation to the end of the case: method, step (s) or tolerance, seconds, steps (0: not told), raw motion.

    `sampled`: the seconds with `RATE` samples a second as well, where they were measured; None where a step of fixed
    length is longer than a sample. Of an engine that chooses its steps they are those without samples. `path`: times
    (k,; s) and positions (k, n, 3) on the way, where they are kept.
    """

    method: str
    setting: float
    seconds: float
    steps: int
    motion: Motion
    sampled: float | None = None
    path: Path | None = None


class Engine(Protocol):
    """A mechanism made ready in an engine; raises `UnsupportedError` where the engine cannot say it."""

    def __init__(self, case: Case) -> None: ...

    def evaluation(self) -> Evaluation | None:
        """The cost of one acceleration evaluation; None where the engine offers none by itself."""
        ...

    def runs(self) -> Iterator[Run | str]:
        """Simulations, from coarse to fine within each method; a sentence for each that failed."""
        ...


def timed(call: Callable[[], object], budget: float = 0.5) -> float:
    """Seconds a call takes: the least mean of ten batches that fill the budget; others may use the machine too."""
    call()
    began = time.perf_counter()
    call()
    once = max(time.perf_counter() - began, 1e-7)
    batch = max(1, int(budget / 10 / once))
    best = np.inf
    for _ in range(10):
        began = time.perf_counter()
        for _ in range(batch):
            call()
        best = min(best, (time.perf_counter() - began) / batch)
    return float(best)


def stepped(method: str, step: float, seconds: float, count: int, motion: Motion, path: Path | None = None) -> Run:
    """A run in steps of one length (s), each of which is a sample where it is short enough."""
    return Run(method, step, seconds, count, motion, seconds if step * RATE < 1.0 + 1e-6 else None, path)


def stopwatch(call: Callable[[], T], enough: float = 0.3) -> tuple[float, T]:
    """The least seconds of up to five calls, as many as fit into `enough` seconds, and the last answer."""
    best, spent = np.inf, 0.0
    for _ in range(5):
        began = time.perf_counter()
        found = call()
        seconds = time.perf_counter() - began
        best, spent = min(best, seconds), spent + seconds
        if spent > enough:
            break
    return float(best), found


def whole_steps(duration: float, step: float) -> tuple[int, float]:
    """Number and length (s) of equal steps that fill a duration, none longer than `step`."""
    count = int(np.ceil(duration / step - 1e-9))
    return count, duration / count


def runge_kutta(
    acceleration: Callable[[Array, Array], Array], q: Array, v: Array, h: float, count: int
) -> tuple[Array, Array]:
    """The classical method of order 4 on hinge coordinates, for engines that offer dynamics but no integrator."""
    for _ in range(count):
        a1 = acceleration(q, v).copy()
        v2 = v + h / 2 * a1
        a2 = acceleration(q + h / 2 * v, v2).copy()
        v3 = v + h / 2 * a2
        a3 = acceleration(q + h / 2 * v2, v3).copy()
        v4 = v + h * a3
        a4 = acceleration(q + h * v3, v4).copy()
        q = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4)
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return q, v


def free_motions(couplings: Array) -> Array:
    """Orthonormal columns that span the hinge motions which rows of gears allow."""
    _, s, Vt = np.linalg.svd(couplings)
    return Vt[np.sum(s > 1e-9 * s[0]) :].T
