"""What a check of a run finds: ok, wrong from a time on, or not tested; and the verdict of all checks together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.algebra.division import LEAST_DIVISOR

Bools = NDArray[np.bool_]
OK, WRONG, NOT_TESTED = "ok", "wrong", "not tested"
"""The states of a check and of a verdict."""


def known(figure: float) -> float | None:
    """A figure for JSON, which has neither infinity nor NaN: None in their place."""
    return float(figure) if np.isfinite(figure) else None


@dataclass(frozen=True, eq=False)
class Check:
    """One check of a run's samples.

    Attributes:
        name: Its name.
        state: "ok", "wrong" or "not tested".
        worst: The largest deviation, in `unit`.
        allowed: What is allowed there, in `unit`.
        unit: Of both.
        t: When the worst was, s.
        bad: The samples that it shows to be wrong (k,).
        text: What is wrong, or why nothing was tested, in words.
        awaited: Whether the verdict cannot be "ok" without it, where it was not tested.
    """

    name: str
    state: str
    worst: float = 0.0
    allowed: float = 0.0
    unit: str = "1"
    t: float = 0.0
    bad: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))
    text: str = ""
    awaited: bool = False

    def document(self) -> dict[str, Any]:
        """Say it for JSON; figures that are no numbers are None.

        Returns:
            Plain data.
        """
        if self.state == NOT_TESTED:
            return {"check": self.name, "state": self.state, "reason": self.text}
        figures = {"worst": known(self.worst), "allowed": known(self.allowed), "unit": self.unit}
        found = {"check": self.name, "state": self.state, **figures}
        message = {"message": self.text} if self.state == WRONG else {}
        return {**found, "at_s": self.t, "wrong_samples": int(self.bad.sum()), **message}


def not_tested(name: str, reason: str, *, awaited: bool = False) -> Check:
    """A check for which there is nothing to look at; `awaited` where there was, and it came to nothing."""
    return Check(name, NOT_TESTED, text=reason, awaited=awaited)


def judged(name: str, off: NDArray[np.float64], allowed: NDArray[np.float64] | float, t: NDArray[np.float64], *,
           unit: str = "1", onwards: bool = False, text: str = "{worst:.2g} at t = {t:.4g} s") -> Check:  # fmt: skip
    """A check of deviations (k,) against what is allowed, at times t (s).

    A deviation that is no number is wrong. `onwards`: from the first wrong sample on, all are. `text` may name `worst`,
    `allowed` and `t`.
    """
    bounds = np.broadcast_to(np.asarray(allowed, float), off.shape)
    bad = ~(off <= bounds)
    if onwards and bad.any():
        bad = np.arange(len(bad)) >= int(np.argmax(bad))
    share = np.where(np.isnan(off), np.inf, off) / np.maximum(bounds, LEAST_DIVISOR)
    at = int(np.argmax(share))
    figures = {"worst": float(off[at]), "allowed": float(bounds[at]), "t": float(t[at])}
    return Check(
        name, WRONG if bad.any() else OK, figures["worst"], figures["allowed"], unit, figures["t"], bad,
        text.format(**figures),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Verdict:
    """What all checks of a run come to.

    Attributes:
        state: "ok", "wrong" or "not tested".
        checks: The checks.
        samples: (k,) 1 where a sample is within what the run promises, 0 where a check shows that it is not, NaN where
            nothing was tested.
        reason: Why nothing could be said.
    """

    state: str
    checks: tuple[Check, ...]
    samples: NDArray[np.float64]
    reason: str = ""

    @property
    def trusted(self) -> bool | None:
        """Whether the run is what it promises; None where that was not tested."""
        return {OK: True, WRONG: False}.get(self.state)

    @property
    def wrong(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.state == WRONG)

    def document(self, t: NDArray[np.float64]) -> dict[str, Any]:
        """Say it for JSON: the state, from when on it is wrong, and each check.

        Args:
            t: The times of the samples (k,) s.

        Returns:
            Plain data.
        """
        first = np.flatnonzero(self.samples == 0.0)
        since = {"wrong_from_s": float(t[first[0]])} if first.size else {}
        reason = {"reason": self.reason} if self.reason else {}
        return {"state": self.state, **reason, **since, "checks": [check.document() for check in self.checks]}


def together(checks: tuple[Check, ...], samples: int, reason: str = "") -> Verdict:
    """The verdict of some checks: wrong where one fails; else not tested where a `reason` or a check that is awaited
    says so, else ok."""
    bad = np.zeros(samples, dtype=bool)
    for check in checks:
        if check.state == WRONG:
            bad |= check.bad
    if bad.any():
        return Verdict(WRONG, checks, np.where(bad, 0.0, 1.0))
    reason = reason or next((check.text for check in checks if check.awaited), "")
    if reason:
        return Verdict(NOT_TESTED, checks, np.full(samples, np.nan), reason)
    return Verdict(OK, checks, np.ones(samples))
