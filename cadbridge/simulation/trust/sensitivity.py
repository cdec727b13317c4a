"""How far a run depends on its tolerance: the same run at a coarser one, beside it.

The error of a run falls with its tolerance. A companion whose tolerance is r times as large is wrong by about r times
as much, so the run itself is wrong by about 1/r of their distance.
A motion that amplifies errors shows in the same figure, since it amplifies those of both runs alike, until the two have
parted completely. Then a companion at a tolerance nearer to that of the run is taken, and held against the first.

These companions are cheap, and errors scatter. Where what they show may come to more than a run may be wrong by, one at
a tenth of the tolerance decides: it is wrong by so much less that the distance is the run's own error. It decides too
behind a pose that loses rank, for tight tolerances: rounding of that pose is its root in the velocities after it, which
falls with no tolerance and which none from far away shows.

Where branches of the motion meet, all companions in joint coordinates may go on along the same wrong one, since their
errors break a symmetry alike: a run that came near such a pose is compared with one in absolute coordinates too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trust.checks import NOT_TESTED, OK, Check, judged, known, not_tested
from solver.model import Model
from solver.result import Result, Trajectory

Array = NDArray[np.float64]

COARSER, NEARER = 1000.0, 10.0
"""Tolerances of the companion; of the one that is taken where the first has nothing more to do with the run."""
COARSEST = 1e-3
"""The largest tolerance of the first companion: with a looser one a run is another motion."""
OF_USE = 0.02
"""Of a value's size: how far a companion may be off to be of use: within, errors still go with the tolerance."""
WHOLLY_OFF = 0.5
"""Of a value's size: where even the companion nearer by is so far off, how far is all that can be said."""
BENT = 2.0 / 3.0
"""The power of the tolerance with which errors fall where friction bends the loads, else 1: by the runs of
scripts/measure/oracle.py."""
UNEVEN = 3.0
"""How many times an error may fall less with the tolerance than its power says: between two runs it does not fall
exactly."""
LEFT_AT_A_TENTH = 1.0 / 3.0
"""Of the error of a run: that of one at a tenth of the tolerance, at most."""
PROMISED = 100.0
"""Tolerances by which a run may be wrong before it says so: errors of steps add up over a run; a choice, beyond what
somebody who asks for a tolerance means."""
ROOT_OF_ROUNDING = 1e-8
"""The root of rounding: what velocities are off by behind a pose that loses rank, whatever the tolerance."""
PARTED = 0.01
"""Of a value's size: where a companion is so far off, it has parted from the run."""
FINEST = 1e-13
"""The smallest tolerance of a companion: a step's rounding is not far below."""
Again = Callable[[float, float, float], Result]
"""A run once more, of relative and absolute tolerance, for a duration (s)."""
UNITS = ("m", "rad", "m/s", "rad/s", "J")
VIBRATION = "a vibration of stiff loads, which the steps do not follow"


@dataclass(frozen=True, eq=False)
class Estimate:
    """By how much values of one unit are wrong at most, as estimated: the largest, whose it is, when (s); how many
    tolerances that is; over the samples (k,) the largest part of the values' size, and the most tolerances."""

    unit: str
    error: float
    item: str
    t: float
    tolerances: float
    share: Array
    counts: Array

    def __mul__(self, times: float) -> Estimate:
        """The same error so many times as large."""
        share, counts = times * self.share, times * self.counts
        return Estimate(self.unit, times * self.error, self.item, self.t, times * self.tolerances, share, counts)


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The errors of a run as its companion at `tolerance` shows them, by units; `reason` why there are none.

    `absolute`: one in absolute coordinates shows the worst of them.
    """

    tolerance: float = 0.0
    estimates: tuple[Estimate, ...] = ()
    reason: str = ""
    absolute: bool = False

    @property
    def worst(self) -> Estimate | None:
        """That of the most tolerances."""
        return max(self.estimates, key=lambda e: e.tolerances, default=None)

    @property
    def is_wrong(self) -> bool:
        """Whether a run is wrong by more than it may be."""
        return self.worst is not None and not self.worst.tolerances <= PROMISED

    @property
    def text(self) -> str:
        """By how much a run is wrong that is by more than it may be, and what shows it."""
        beyond = [e for e in self.estimates if not e.tolerances <= PROMISED]
        many = "; ".join(f"{e.error:.1g} {e.unit} ({e.item})" for e in beyond)
        times = max((e.tolerances for e in beyond), default=0.0)
        beside = "a run in absolute coordinates" if self.absolute else f"a run at tolerance {self.tolerance:.0e}"
        shown = "" if any(e.item == VIBRATION for e in beyond) else f", as {beside} shows"
        return f"values are off by up to about {many}, {times:.2g} times the tolerance{shown}"

    def document(self) -> dict[str, Any]:
        """For JSON."""
        if not self.estimates:
            return {"state": NOT_TESTED, "reason": self.reason}
        rows = [
            {"unit": e.unit, "error": known(e.error), "of": e.item, "at_s": e.t, "tolerances": known(e.tolerances)}
            for e in self.estimates
        ]
        state = "depends on the tolerance" if self.is_wrong else OK
        return {"state": state, "beside_a_run_at": self.tolerance, "estimated_errors": rows}

    def check(self, t: Array) -> Check:
        """Whether the values at each sample are as near as the tolerance promises: within `PROMISED` of it."""
        if not self.estimates:
            return not_tested("sensitivity", self.reason)
        counts = np.max([e.counts for e in self.estimates], axis=0)
        plain = self.text.replace("{", "{{").replace("}", "}}")
        return judged("sensitivity", counts, PROMISED, t, unit="tolerances", onwards=True, text=plain)


def sensitivity_of(
    lowered: Lowered, what: Scenario, result: Result, again: Again, absolute: Result | None = None,
    *, singular: bool = False,
) -> Sensitivity:  # fmt: skip
    """How far a run that came to its end depends on its tolerance; `again` runs it once more.

    `absolute` is the same run in absolute coordinates, where that was wanted; `singular`: it passed a pose that loses
    rank.
    """
    T, tolerance = result.trajectory, max(what.rtol, what.atol)
    if not result.status.ok or len(T.t) < 2:
        return Sensitivity(reason="the run did not come to its end")
    if what.step is not None:
        return Sensitivity(reason="the run has no tolerance, but a fixed step")
    if lowered.model.callbacks:
        return Sensitivity(reason="functions in Python are not called again")
    found = _by_coarser(lowered, what, T, again)
    # Errors scatter: what may be beyond the limit within their scatter is looked at from nearer by.
    doubtful = found.worst is not None and not UNEVEN * found.worst.tolerances <= PROMISED
    if doubtful or (singular and tolerance <= ROOT_OF_ROUNDING):
        found = _nearest(lowered.model, found, _by_finer(lowered, what, T, again))
    found = _with_vibration(found, result)
    if absolute is not None and (other := _same(absolute, T)) is not None:
        held = Sensitivity(tolerance, _estimates(lowered, T, other, what, 1.0), absolute=True)
        if found.worst is None or (held.worst is not None and held.worst.tolerances > found.worst.tolerances):
            return held
    return found


def _by_coarser(lowered: Lowered, what: Scenario, T: Trajectory, again: Again) -> Sensitivity:
    """What a companion far away shows, which is cheap and rough, and where that is doubtful one from nearer by."""
    tolerance = max(what.rtol, what.atol)
    first = NEARER if _bends(lowered.model) else max(NEARER, min(COARSER, COARSEST / tolerance))
    found = Sensitivity(reason="no run at a larger tolerance came to its end")
    for times in dict.fromkeys((first, NEARER)):
        beside = _companion(what, T, again, times)
        if beside is not None:
            farther = found.estimates
            part = UNEVEN / times ** _power(lowered.model)
            found = Sensitivity(times * tolerance, _estimates(lowered, T, beside, what, part))
            if farther:
                found = replace(found, estimates=tuple(map(_between, found.estimates, farther)))
            near = all(float(e.share.max()) * times < OF_USE * UNEVEN for e in found.estimates)
            if near and not found.is_wrong:
                break
    return found


def _by_finer(lowered: Lowered, what: Scenario, T: Trajectory, again: Again) -> Sensitivity | None:
    """What a companion at a tenth of the tolerance shows; None where there is none.

    Its own error is a tenth of the run's, or a third where loads bend or errors scatter: the run's is their distance
    and that.
    """
    if min(what.rtol, what.atol) < NEARER * FINEST:
        return None
    beside = _companion(what, T, again, 1.0 / NEARER)
    if beside is None:
        return None
    tolerance = max(what.rtol, what.atol) / NEARER
    return Sensitivity(tolerance, _estimates(lowered, T, beside, what, 1.0 / (1.0 - LEFT_AT_A_TENTH)))


def _nearest(model: Model, coarser: Sensitivity, finer: Sensitivity | None) -> Sensitivity:
    """What is believed of both: the finer, and where loads bend something between, for there it is hardly less wrong
    than the run itself now and then, and both are wrong alike."""
    if finer is None:
        return coarser
    if not _bends(model) or len(coarser.estimates) != len(finer.estimates):
        return finer
    return replace(finer, estimates=tuple(map(_between, finer.estimates, coarser.estimates)))


def _between(near: Estimate, far: Estimate) -> Estimate:
    """What a companion nearer by shows, but no less than the mean, on a logarithmic scale, with one far away that has
    not parted from the run: errors scatter, and two runs side by side may be wrong alike by chance."""
    times = math.sqrt(far.error / near.error) if near.error > 0.0 else 1.0
    if times <= 1.0 or float(far.share.max()) > PARTED:
        return near
    return near * times


def _with_vibration(found: Sensitivity, result: Result) -> Sensitivity:
    """The same with the vibration of stiff loads that generalised-α began without: no companion has it either."""
    part, speed, unit, decay, since = result.statistics.skipped
    t, beside = result.trajectory.t, [e for e in found.estimates if e.unit == unit]
    # The first sample is the state from which the run began.
    left = np.where(t > t[0], np.exp(-decay * np.maximum(t - since, 0.0)), 0.0)
    worst = int(left.argmax())
    most = float(left[worst])
    if not beside or beside[0].tolerances >= part * most:
        return found
    own = Estimate(unit, speed * most, VIBRATION, float(t[worst]), part * most, speed * left, part * left)
    return replace(found, estimates=tuple(own if e.unit == unit else e for e in found.estimates))


def _bends(model: Model) -> bool:
    """Whether loads bend within steps, where friction turns round: errors there fall more slowly than tolerances, and a
    companion far away would make them look small. Stops, bounded motors and what teeth lose bend at ends of steps alone
    (`solver.runs.kinks`)."""
    return any(load.friction for load in model.loads)


def _power(model: Model) -> float:
    """That of the tolerance with which errors fall."""
    return BENT if _bends(model) else 1.0


def _companion(what: Scenario, T: Trajectory, again: Again, times: float) -> Trajectory | None:
    """The same run at a tolerance so many `times` as large; None where it has not the same samples."""
    return _same(again(times * what.rtol, times * what.atol, float(T.t[-1] - T.t[0])), T)


def _same(found: Result, T: Trajectory) -> Trajectory | None:
    """A run's trajectory where it has the samples of another."""
    # s: the same samples but for rounding; a run that ended earlier lacks some.
    same = found.status.ok and len(found.trajectory.t) == len(T.t) and np.allclose(found.trajectory.t, T.t, 0.0, 1e-9)
    return found.trajectory if same else None


def _estimates(
    lowered: Lowered, T: Trajectory, beside: Trajectory, what: Scenario, part: float
) -> tuple[Estimate, ...]:
    """The errors of a run, one for each unit: a `part` of its companion's distance."""
    parts = [
        _of_bodies(T, beside, [unit.name for unit in lowered.units]),
        _of_joints(T, beside, lowered),
        {} if lowered.stand_ins else _of_energies(T, beside),
    ]
    found = []
    for unit in UNITS:
        columns = [part[unit] for part in parts if unit in part and part[unit].items]
        if not columns:
            continue
        away = np.nan_to_num(np.hstack([c.off for c in columns]), nan=np.inf)
        sizes = np.hstack([c.size for c in columns])
        off = np.where(away > WHOLLY_OFF * (1.0 + sizes), away, away * part)
        items = [name for c in columns for name in c.items]
        counted = off / (what.atol + what.rtol * sizes)
        k, i = np.unravel_index(int(np.argmax(counted)), off.shape)
        share = (off / (1.0 + sizes)).max(axis=1)
        worst = (float(off[k, i]), items[i], float(T.t[k]), float(counted[k, i]))
        found.append(Estimate(unit, *worst, share, counted.max(axis=1)))
    return tuple(found)


def tell_sensitivity(found: Sensitivity, findings: Findings) -> None:
    """Report a run that is wrong by more tolerances than it may be (CB683)."""
    if found.worst is not None and found.is_wrong:
        findings.add("CB683", found.text, items=[found.worst.item])


@dataclass(frozen=True, eq=False)
class _Columns:
    """Distances (k, m) of two runs in values of one unit, the largest size (m,) of each, whose they are."""

    off: Array
    size: Array
    items: list[str] = field(default_factory=list)


def _of_bodies(T: Trajectory, beside: Trajectory, names: list[str]) -> dict[str, _Columns]:
    """Of the bodies named; those that stand for circuits come after them, and have other units."""
    n = len(names)
    moved = np.linalg.norm(beside.positions[:, :n] - T.positions[:, :n], axis=2)
    p, q = beside.quaternions[:, :n], T.quaternions[:, :n]
    # q and −q are one orientation.
    chord = np.minimum(np.linalg.norm(p - q, axis=2), np.linalg.norm(p + q, axis=2))
    turned = 4.0 * np.arcsin(np.clip(0.5 * chord, 0.0, 1.0))
    rates = T.velocities[:, :n]
    v, w = (np.linalg.norm((beside.velocities[:, :n] - rates)[..., s], axis=2) for s in (slice(3), slice(3, 6)))
    sizes = [np.linalg.norm(rates[..., s], axis=2).max(axis=0, initial=0.0) for s in (slice(3), slice(3, 6))]
    reach = np.linalg.norm(T.positions[:, :n], axis=2).max(axis=0, initial=0.0)
    return {
        "m": _Columns(moved, reach, names), "rad": _Columns(turned, np.ones_like(reach), names),
        "m/s": _Columns(v, sizes[0], names), "rad/s": _Columns(w, sizes[1], names),
    }  # fmt: skip


def _of_joints(T: Trajectory, beside: Trajectory, lowered: Lowered) -> dict[str, _Columns]:
    found = {}
    for kind, unit, part in (("angle", "rad", slice(3, 6)), ("distance", "m", slice(3))):
        chosen = [i for i, joint in enumerate(lowered.joints) if joint.coordinate == kind]
        names = [lowered.joints[i].name for i in chosen]
        fastest = np.linalg.norm(T.velocities[..., part], axis=2).max(axis=0, initial=0.0)
        # A rate is the difference of those of two bodies, of each of which the tolerance promises a share: a joint
        # that hardly turns between two fast bodies is no better known than they are.
        joined = [[b for b in (c.a, c.b) if b >= 0] for c in (lowered.model.coordinates[i] for i in chosen)]
        of_bodies = np.array([fastest[bodies].max(initial=0.0) for bodies in joined])
        for one, two, of, least in (
            (T.coordinates, beside.coordinates, unit, 0.0),
            (T.coordinate_rates, beside.coordinate_rates, f"{unit}/s", of_bodies),
        ):
            size = np.maximum(np.abs(one[:, chosen]).max(axis=0, initial=0.0), least)
            found[of] = _Columns(np.abs(two[:, chosen] - one[:, chosen]), size, names)
    return found


def _of_energies(T: Trajectory, beside: Trajectory) -> dict[str, _Columns]:
    names = ["kinetic", "potential", "motor_work", "dissipated"]
    one, two = (np.stack([getattr(each, name) for name in names], axis=1) for each in (T, beside))
    size = np.full(len(names), np.abs(one).max())
    return {"J": _Columns(np.abs(two - one), size, [f"energy.{name}" for name in names])}
