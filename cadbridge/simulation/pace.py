"""A run in step with the clock, and how much faster than it the computation is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """How a run in real time kept up with the clock; from the first step on, without loading and compiling.

    Attributes:
        factor: Simulated seconds for one of computing.
        latest: How far behind the clock a step came at most, s.
    """

    factor: float
    latest: float


class Pacer:
    """Called with the simulated time (s) after each step, waits until the clock has come as far.

    `clock` and `sleep` are those of a test, else the machine's.
    """

    def __init__(
        self,
        progress: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._progress, self._clock, self._sleep = progress, clock, sleep
        self._first: tuple[float, float] | None = None
        self._slept = self._latest = self._simulated = self._spent = 0.0

    def __call__(self, t: float) -> None:
        """Wait for the time `t`."""
        if self._progress is not None:
            self._progress(t)
        now = self._clock()
        # The first step has waited for what is loaded and compiled.
        if self._first is None:
            self._first = (t, now)
            return
        ahead = (t - self._first[0]) - (now - self._first[1])
        self._spent = now - self._first[1] - self._slept
        self._simulated = t - self._first[0]
        if ahead > 0:
            self._sleep(ahead)
            self._slept += self._clock() - now
        else:
            self._latest = max(self._latest, -ahead)

    @property
    def pace(self) -> Pace:
        """What was measured so far."""
        return Pace(self._simulated / self._spent if self._spent > 0 else float("inf"), self._latest)
