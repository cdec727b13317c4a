"""A run repeated at a tenth of its tolerance, and compared with itself column by column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Findings
from cadbridge.simulation.run import Run, simulate
from cadbridge.simulation.samples import Columns
from cadbridge.simulation.trajectory import columns_of
from cadbridge.simulation.trust.checks import NOT_TESTED, OK, WRONG

Array = NDArray[np.float64]

FINER_TOLERANCE, SHORTER_STEP = 0.1, 0.5
"""Of the tolerance, and of a fixed step: those of the repetition. A tenth of the tolerance takes 1.6 times the steps
(its fifth root), and leaves about a tenth of the error; half a step of an order from two on leaves a quarter or less.
"""
OF_MOTION, OF_FORCES = 100.0, 1e4
"""Tolerances by which positions, rates and energies may differ, and accelerations, forces and powers: what errors of
steps add up to over a run, as `trust.sensitivity.PROMISED`; forces are what stiff rows make of a hundred times less."""
FIXED_STEP_TOLERANCE = 1e-4
"""What a fixed step is held to, as it has no tolerance: a hundred times this, a hundredth of a value's size."""
_OF_MOTION = frozenset({"m", "rad", "m/s", "rad/s", "J", "1"})
_NAMED = 5
"""Columns that the finding names."""


@dataclass(frozen=True)
class Difference:
    """The largest difference of a column, in its unit, when (s), and how many tolerances of its size that is."""

    column: str
    unit: str
    largest: float
    t: float
    tolerances: float

    @property
    def allowed(self) -> float:
        """The tolerances by which such a column may differ."""
        return OF_MOTION if self.unit in _OF_MOTION else OF_FORCES


@dataclass(frozen=True)
class Confirmation:
    """How a run compares with its repetition: at which `tolerance` (or fixed `step`, s), and all columns that differ,
    the worst first. `reason` says why nothing was compared."""

    tolerance: float | None
    step: float | None
    differences: tuple[Difference, ...]
    samples: int
    reason: str = ""

    @property
    def beyond(self) -> tuple[Difference, ...]:
        """The columns that differ by more than they may."""
        return tuple(d for d in self.differences if not d.tolerances <= d.allowed)

    @property
    def state(self) -> str:
        """ok, wrong, or not tested."""
        return NOT_TESTED if self.reason else WRONG if self.beyond else OK

    def document(self) -> dict[str, Any]:
        """For JSON."""
        if self.reason:
            return {"state": self.state, "reason": self.reason}
        rows = [
            {"column": d.column, "unit": d.unit, "largest": d.largest, "at_s": d.t, "tolerances": d.tolerances,
             "allowed_tolerances": d.allowed}
            for d in self.differences
        ]  # fmt: skip
        return {"state": self.state, "tolerance": self.tolerance, "step_s": self.step, "samples": self.samples,
                "columns": rows}  # fmt: skip


def confirm(run: Run, findings: Findings, progress: Callable[[float], None] | None = None) -> Confirmation:
    """Repeat a run at a tenth of its tolerance (with a fixed step: at half of it), and compare all columns.

    CB685 where they differ by more than a hundred tolerances of their size (accelerations, forces: ten thousand).
    """
    what = run.scenario
    if not run.result.status.ok or len(run.result.trajectory.t) < 2:
        return Confirmation(None, None, (), 0, "the run did not come to its end")
    finer = replace(
        what, rtol=FINER_TOLERANCE * what.rtol, atol=FINER_TOLERANCE * what.atol, sensitivity=False,
        step=None if what.step is None else SHORTER_STEP * what.step,
    )  # fmt: skip
    # The method that the first run took in the end: "auto" might take another one at the finer tolerance.
    again = simulate(
        run.mechanism, finer, collapse=run.lowered.collapsed, method=run.summary["method"], progress=progress
    )
    if not again.result.status.ok:
        return Confirmation(None, None, (), 0, f"the repetition stopped early: {again.result.status.message}")
    tolerance = FIXED_STEP_TOLERANCE if what.step is not None else max(what.rtol, what.atol)
    found, samples = _differences(columns_of(run), columns_of(again), tolerance)
    confirmed = Confirmation(None if finer.step else FINER_TOLERANCE * tolerance, finer.step, found, samples)
    if confirmed.beyond:
        named = "; ".join(f"{d.column} by {d.largest:.2g} {d.unit} at {d.t:.4g} s" for d in confirmed.beyond[:_NAMED])
        more = len(confirmed.beyond) - _NAMED
        message = f"the repetition differs: {named}" + (f"; and {more} more columns" if more > 0 else "")
        findings.add("CB685", message, items=[d.column for d in confirmed.beyond])
    return confirmed


def _differences(one: Columns, two: Columns, tolerance: float) -> tuple[tuple[Difference, ...], int]:
    """All columns of both that differ, the most tolerances first, and how many samples were compared."""
    t = one["time"][0]
    samples = min(len(t), len(two["time"][0]))
    samples -= int(np.sum(np.abs(t[:samples] - two["time"][0][:samples]) > 1e-9))  # an event moved the last
    sizes = _sizes(one)
    found = []
    for name, (values, unit) in one.items():
        if name in two and not name.startswith(("time", "constraint.", "check.")):
            off = np.abs(_same_sense(name, one, two)[:samples] - values[:samples])
            if off.size and np.isfinite(off).any():
                k = int(np.nanargmax(off))
                counted = float(off[k]) / (tolerance * sizes[unit])
                found.append(Difference(name, unit, float(off[k]), float(t[k]), counted))
    return tuple(sorted(found, key=lambda d: -d.tolerances / d.allowed)), samples


def _sizes(columns: Columns) -> dict[str, float]:
    """By units, the largest value of all columns; of motion and energy one more, as a tolerance counts."""
    sizes: dict[str, float] = {}
    for values, unit in columns.values():
        largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
        sizes[unit] = max(sizes.get(unit, 0.0), largest)
    # Forces and the like have no natural size: where all are zero, the floor keeps 0/0 away.
    return {unit: (1.0 if unit in _OF_MOTION else 1e-9) + size for unit, size in sizes.items()}


def _same_sense(name: str, one: Columns, two: Columns) -> Array:
    """A column of the second table; a quaternion in the sense of the first's."""
    head, _, last = name.rpartition(".")
    if not (name.startswith("body.") and last in ("qw", "qx", "qy", "qz")):
        return two[name][0]
    pairs = [(one[f"{head}.{c}"][0], two[f"{head}.{c}"][0]) for c in ("qw", "qx", "qy", "qz")]
    samples = min(len(pairs[0][0]), len(pairs[0][1]))
    along = sum((a[:samples] * b[:samples] for a, b in pairs), np.zeros(samples))
    sense = np.ones(len(two[name][0]))
    sense[:samples] = np.where(along < 0.0, -1.0, 1.0)
    return np.asarray(sense * two[name][0], float)
