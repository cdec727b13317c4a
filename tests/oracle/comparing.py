"""A run held against the tightest absolute run of the same case, by the columns that a user gets.

An error is counted in tolerances: of its column's unit, the tolerance times one plus the largest value of the columns
beside it (a body's place, a joint's rate, all forces). How far the case itself multiplies differences is measured by
loads that are a millionth off: what a run is wrong by may be as many times more.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from cadbridge.simulation import Run, Scenario, simulate
from cadbridge.simulation.trajectory import columns_of
from solver.functions import scaled
from tests.oracle.building import Array
from tests.oracle.cases import Case

TIGHTEST, NEXT = (1e-12, 1e-11, 1e-10), 10.0
"""Tolerances of the reference, the tightest at which it comes to its end (a jump of a load has no step at 1e-12); and
how many times as large that of the run is that says how well the reference is known."""
OFF = 1e-6
"""Of gravity and torques: how far they are off where the growth of differences is measured."""
MARGIN = 100.0
"""Tolerances by which a column may be wrong."""
FORCES = 1e4
"""The same for accelerations and what follows from them: nothing is promised of these."""
ROUNDING = 1e-11
"""Of a column's scale: what no run is better than."""

PATIENCE = 20.0
"""Processor seconds of a run."""

Table = dict[str, Array]


@dataclass(frozen=True)
class How:
    """How a run is computed."""

    tolerance: float
    method: str = "auto"
    integrator: str = "dopri5"
    collapse: bool = True

    def __str__(self) -> str:
        rows = "" if self.collapse else ", all rows"
        return f"{self.method} {self.integrator} {self.tolerance:.0e}{rows}"


@dataclass(frozen=True, eq=False)
class Reference:
    """The tightest run of a case: times, columns, how well each is known, and how far differences grow (both in units
    of a column's scale); `grown` computes that, where somebody asks."""

    t: Array
    columns: Table
    scales: dict[str, float]
    known: float
    status: str
    grown: Callable[[], float] = field(default=lambda: 1.0)

    @cached_property
    def growth(self) -> float:
        """By how much the motion multiplies what acts otherwise, at least 1."""
        return self.grown()


@dataclass(frozen=True)
class Verdict:
    """What a run was wrong by, and what it said of itself.

    `ratio` is the worst error of motion and energies over the tolerance, in `column` at `t` (s); `forces` that of
    accelerations and forces. `repeated` are the tolerances by which an interval that the run computed again ended
    elsewhere, the worst; `stated` the worst error that the run itself gives, in tolerances.
    """

    ratio: float
    column: str
    t: float
    forces: float
    force: str
    trusted: bool | None
    status: str
    codes: tuple[str, ...]
    steps: int
    repeated: float = 0.0
    stated: float = 0.0

    @property
    def told(self) -> bool:
        """Whether the run says that it is not right, or came to no end."""
        return self.trusted is False or self.status != "ok"

    @property
    def wrong(self) -> bool:
        """Whether a column is wrong by more than the margin."""
        return not (self.ratio <= MARGIN)


def of_motion(name: str) -> bool:
    """Whether a column follows from positions and velocities alone."""
    kind, last = name.split(".")[0], name.rsplit(".", 1)[-1]
    if kind == "energy" or kind == "body":
        return True
    return kind == "joint" and last in ("q", "qd")


def of_forces(name: str) -> bool:
    """Whether a column holds accelerations, or forces that are determined whatever repeats."""
    return name.startswith(("joint.", "motor.")) and name.rsplit(".", 1)[-1] in ("qdd", "effort")


def sampled(case: Case, how: How, more: int = 1, *, judged: bool = False) -> tuple[Run, Table]:
    """A run of a case and its columns; `more` samples for each of the case's. `judged`: it says how far it is off."""
    what = replace(
        case.scenario, rtol=how.tolerance, atol=how.tolerance, integrator=how.integrator,
        rate=case.scenario.rate * more, sensitivity=judged,
    )  # fmt: skip
    began = time.process_time()

    def watch(part: float) -> None:
        if time.process_time() - began > PATIENCE:
            raise TimeoutError(f"{case.name}, {how}: {part:.1%} in {PATIENCE:g} s")

    run = simulate(case.mechanism, what, method=how.method, collapse=how.collapse, progress=watch)
    return run, {name: values for name, (values, _) in columns_of(run).items()}


def _scales(columns: Table) -> dict[str, float]:
    """One plus the largest value of the columns that belong together."""
    groups: dict[str, float] = {}
    for name, values in columns.items():
        known = values[np.isfinite(values)]
        largest = float(np.abs(known).max(initial=0.0))
        groups[_group(name)] = max(groups.get(_group(name), 0.0), largest)
    return {name: 1.0 + groups[_group(name)] for name in columns}


def _group(name: str) -> str:
    head, _, last = name.rpartition(".")
    kind = name.split(".")[0]
    if kind == "energy":
        return "energy"
    if kind in ("joint", "motor") and last == "qdd":
        return "qdd"
    if kind == "body":
        return f"{head}.{'q' if last[0] == 'q' else last[0] if last[0] in 'vw' else 'xyz'}"
    return f"{kind}.{last}" if last == "effort" else name


def _at(columns: Table, t: Array) -> Table:
    """The rows of a table at some of its times."""
    rows = np.searchsorted(columns["time"], t - 1e-9)
    rows = rows[rows < len(columns["time"])]
    return {name: values[rows] for name, values in columns.items()}


def reference(case: Case) -> Reference:
    """The tightest run of a case, with what is known of it."""
    more = max(1, int(np.ceil(10.0 / (case.scenario.rate * case.finest)))) if case.finest else 1
    run, columns, tolerance = _tightest(case, more)
    less = How(NEXT * tolerance, "absolute", "dop853")
    _, again = sampled(case, less, more)
    scales = _scales(columns)
    off = _apart(columns, again, scales, of_motion)[0]

    def grown() -> float:
        _, moved = sampled(_pushed(case), less, more)
        return max(1.0, _apart(columns, moved, scales, of_motion)[0] / OFF)

    return Reference(columns["time"], columns, scales, off, run.summary["status"], grown)


def _tightest(case: Case, more: int) -> tuple[Run, Table, float]:
    """The tightest absolute run that comes to its end, its columns and tolerance; AssertionError where none does."""
    for tolerance in TIGHTEST:
        run, columns = sampled(case, How(tolerance, "absolute", "dop853"), more)
        if run.result.status.ok:
            return run, columns, tolerance
    raise AssertionError(f"{case.name}: no reference comes to its end: {run.result.status.message}")


def _pushed(case: Case) -> Case:
    """What acts, a millionth off: gravity to the side, torques and forces in size."""
    g = np.array(case.scenario.gravity or (0.0, 0.0, -9.81)) + OFF * 9.81 * np.array([0.7, 0.4, -0.6])
    motors = tuple(
        replace(m, torque=scaled(m.torque, 1 + OFF)) if m.torque is not None else m for m in case.scenario.motors
    )
    return replace(case, scenario=replace(case.scenario, gravity=(g[0], g[1], g[2]), motors=motors))


def _apart(one: Table, two: Table, scales: dict[str, float], chosen: object) -> tuple[float, str, float]:
    """The largest difference of two tables' columns over their scales, its column and time (s)."""
    worst, where, when = 0.0, "", 0.0
    rows = min(len(one["time"]), len(two["time"]))
    for name, values in one.items():
        if not chosen(name) or name not in two:  # type: ignore[operator]
            continue
        other = two[name][:rows]
        off = np.abs(values[:rows] - other) / scales[name]
        if name.startswith("body.") and name.rsplit(".", 1)[-1][0] == "q":
            off = np.minimum(off, np.abs(values[:rows] + other) / scales[name])
        off = np.where(np.isfinite(values[:rows]), np.where(np.isfinite(other), off, np.inf), 0.0)
        if off.size and float(off.max()) > worst:
            worst, where, when = float(off.max()), name, float(one["time"][int(off.argmax())])
    return worst, where, when


def held(case: Case, against: Reference, how: How) -> Verdict:
    """A run of a case, held against its reference and what is known of it in closed form."""
    run, columns = sampled(case, how, judged=True)
    exact = _at(against.columns, columns["time"])
    worst, name, t = _apart(exact, columns, against.scales, of_motion)
    for text, factors in case.identities.items():
        off = np.abs(sum((f * columns[c] for c, f in factors.items()), np.zeros(len(columns["time"]))))
        size = 1.0 + max(float(np.abs(f * columns[c]).max()) for c, f in factors.items())
        if float(off.max()) / size > worst:
            worst, name, t = float(off.max()) / size, text, float(columns["time"][int(off.argmax())])
    forces, force, _ = _apart(exact, columns, against.scales, of_forces)
    s = run.summary
    # What rounding comes to matters where little is allowed.
    doubtful = worst > 0.1 * MARGIN * how.tolerance and how.tolerance < 1e3 * ROUNDING
    floor = ROUNDING * (against.growth if doubtful else 1.0)
    return Verdict(
        max(0.0, worst - floor) / how.tolerance, name, t, max(0.0, forces - 100 * floor) / how.tolerance, force,
        s["trusted"], s["status"], tuple(dict.fromkeys(f.code for f in run.findings)), s["steps"],
        max((c.get("worst") or 0.0 for c in s["verdict"]["checks"] if c["check"] == "repeats"), default=0.0),
        _stated(s["sensitivity"]),
    )  # fmt: skip


def _stated(sensitivity: dict[str, Any]) -> float:
    """The worst error that a run gives of itself, in tolerances; infinity where it is no number."""
    counted = [e["tolerances"] for e in sensitivity.get("estimated_errors", ())]
    return max((np.inf if c is None else c for c in counted), default=0.0)


METHODS = (("auto", "dopri5"), ("absolute", "dopri5"), ("auto", "dop853"), ("absolute", "dop853"))


def ways(seed: int, count: int, case: Case) -> list[How]:
    """Methods and tolerances by chance; the first two are of the default method."""
    chance = np.random.default_rng([seed, *case.name.encode()])
    found = []
    for k in range(count):
        method, integrator = METHODS[0] if k < 2 else METHODS[int(chance.integers(len(METHODS)))]
        tolerance = float(10.0 ** -int(chance.integers(3, 11)))
        if chance.random() < 0.1 and not case.scenario.changes:
            found.append(How(max(tolerance, 1e-5), "auto", "generalized_alpha"))
        else:
            collapse = bool(chance.random() < 0.9) or bool(case.scenario.changes)
            found.append(How(tolerance, method if collapse else "absolute", integrator, collapse))
    return found


__all__ = ["How", "Reference", "Scenario", "Verdict", "held", "reference", "ways"]
