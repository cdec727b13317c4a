"""A run steered while it goes on: advanced a little at a time, its mechanism changed on the way, bodies pulled."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, Vector
from cadbridge.lowering import Lowered, lower
from cadbridge.mechanism import Mechanism
from cadbridge.simulation.beginning import begin
from cadbridge.simulation.change_file import ChangeEntry, ChangesResolver
from cadbridge.simulation.changes import ChangeSpec, solver_changes
from cadbridge.simulation.fitting import contradictory, fitted
from cadbridge.simulation.loads import find_component, si
from cadbridge.simulation.motors import LEADS
from cadbridge.simulation.pull import Pull, with_pull
from cadbridge.simulation.refused import refused
from cadbridge.simulation.run import Run, rebuilt_run
from cadbridge.simulation.scenario import Scenario, find_joint, on_joints
from cadbridge.simulation.scenario_file import FORMAT
from cadbridge.simulation.study import study_scenario
from solver.algebra.rank import rank
from solver.constraints import evaluate
from solver.result import Status
from solver.rotation import matrix
from solver.runs.changing import Changed, Course, advance, finished, make_change, reload
from solver.runs.changing import begin as begin_course

Array = NDArray[np.float64]

WATCHED_TOLERANCE = 1e-6
"""Of a run without a scenario: a person looks at it, and a pixel is a thousandth of the picture; a scenario brings its
own."""
MOST_BODIES = 400
"""Bodies above which mobility is not counted while a run goes on: its matrix is dense."""
MOST_KEPT = 4_000_000
"""Poses of bodies that are kept for a table: at 13 numbers each 400 MB."""
_READY = Status(True, "ready", "", "")


@dataclass(frozen=True, eq=False)
class AppliedChange:
    """A change that was made: what it did, and the `dof` and `redundant` rows afterwards (None: not counted)."""

    entry: ChangeEntry
    spec: ChangeSpec
    changed: Changed
    dof: int | None
    redundant: int | None


@dataclass(frozen=True, eq=False)
class _Before:
    """What a change is undone to."""

    course: Course
    events: tuple[AppliedChange, ...]
    waiting: tuple[ChangeEntry, ...]


class InteractiveRun:
    """A run from the designed pose, or from `positions` of joints (rad, m), with what a scenario says acts.

    `document` is the scenario's file as plain data: its changes are made when their time comes, and `scenario_text`
    goes on from it. ModelError where a mass is not known, InputError where the scenario cannot be used.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        scenario: Scenario | None = None,
        document: dict[str, Any] | None = None,
        positions: dict[str, float] | None = None,
    ) -> None:
        self.findings = Findings()
        self._document = document
        what = scenario or replace(
            study_scenario(mechanism, self.findings), rtol=WATCHED_TOLERANCE, atol=WATCHED_TOLERANCE, limits="stop"
        )
        what = on_joints(mechanism, what)
        self._prescribed = dict(positions or {})
        self.scenario = replace(what, positions={**what.positions, **self._prescribed}, changes=(), events=())
        self.mechanism = fitted(mechanism, self.findings, what.gap)
        self.lowered: Lowered = lower(self.mechanism, gravity=what.gravity, friction=what.friction)
        try:
            begun = begin(self.lowered, self.scenario, self.findings)
            self._model = begun.system.model
            self._start = begin_course(self._model, begun.start)
        except ValueError as fault:
            raise refused(fault, self.findings) from fault
        self._planned = tuple(
            ChangeEntry.model_validate(event) for event in (document or {}).get("events", ()) if "time" in event
        )
        self.reset()

    def reset(self) -> None:
        """Back to the beginning, with every change undone."""
        self._course = self._start.kept()
        self.events: tuple[AppliedChange, ...] = ()
        self._waiting = tuple(sorted(self._planned, key=lambda e: e.time))
        self._undo: list[_Before] = []
        self._pull: Pull | None = None
        self.status: Status = _READY
        self.pulled = False
        self.kept = True

    @property
    def t(self) -> float:
        """Where the run is (s)."""
        return self._course.state.t

    def poses(self) -> tuple[Pose, ...]:
        """X_WB of the bodies."""
        found = []
        s = self._course.state
        for unit, x, q in zip(self.lowered.units, s.positions, s.quaternions, strict=False):
            R = np.asarray(matrix(q))
            found.append(Pose(R, x - R @ unit.mass.com))
        return tuple(found)

    def values(self) -> dict[str, float]:
        """Joint values (rad, m) by name; 0 as designed."""
        s, n = self._course.state, len(self.lowered.joints)
        if self._course.parts:
            q = self._course.parts[-1][1].trajectory.coordinates[-1][:n]
        else:
            q = np.array([evaluate_coordinate(self.lowered, i, s.positions, s.quaternions) for i in range(n)])
        return {joint.name: float(value) for joint, value in zip(self.lowered.joints, q, strict=True)}

    def advance(self, seconds: float, should_stop: Callable[[], bool] | None = None) -> Status:
        """Go on by so many seconds, or to a change that the scenario plans before; the status of what was computed."""
        # s: times are sums of steps.
        while self._waiting and self._waiting[0].time <= self.t + 1e-12:
            entry, self._waiting = self._waiting[0], self._waiting[1:]
            self.status = self._make(entry)
            if not self.status.ok:
                return self.status
        end = self.t + seconds
        if self._waiting:
            end = min(end, self._waiting[0].time)
        what = self.scenario
        self.status = advance(
            self._course, self._times(end), what.rate, rtol=what.rtol, atol=what.atol, integrator=what.integrator,
            step=what.step, should_stop=should_stop, contradictory=contradictory(self.findings),
        )  # fmt: skip
        if self.status.code == "stopped":
            self.status = _READY
        self._forget()
        return self.status

    def _times(self, end: float) -> Array:
        """Samples from here to `end`: those of the scenario's rate, and the end."""
        rate, t = self.scenario.rate, self.t
        inner = np.arange(math.floor(t * rate) + 1, math.ceil(end * rate)) / rate
        # s: a sample that is here but for rounding would ask for a step of nothing.
        inner = inner[(inner > t + 1e-9) & (inner < end - 1e-9)]
        return np.append(inner, end)

    def _forget(self) -> None:
        """A run that is too long for a table goes on without being kept."""
        parts = self._course.parts
        # Now and then, as the count goes through all parts.
        if self.kept and len(parts) % 64 == 0:
            samples = sum(len(result.trajectory.t) for _, result in parts)
            self.kept = samples * len(self.lowered.units) <= MOST_KEPT
        if not self.kept:
            del parts[:-1], self._course.lost[:-1]

    def change(self, verb: str, what: str | dict[str, Any]) -> Status:
        """Attach, release, lock or unlock, as an event of a scenario says it; rates that must jump do so (plastic).

        A change that cannot be changes nothing, and its status says why.
        """
        entry = ChangeEntry.model_validate({"time": self.t, verb: what, "impact": "plastic"})
        before = _Before(self._course.kept(), self.events, self._waiting)
        status = self._make(entry)
        if status.ok:
            self._undo.append(before)
        return status

    def _make(self, entry: ChangeEntry) -> Status:
        findings = Findings()
        driven = frozenset(m.joint for m in self.scenario.motors if m.kind in LEADS)
        resolver = ChangesResolver(
            self.mechanism, findings,
            lambda name, where: find_joint(self.mechanism, findings, name, where, single=False),
            lambda name, where: find_component(self.mechanism, findings, name, where),
            driven, math.inf,
        )  # fmt: skip
        # A change is held against what those before it attached and locked, so that all are resolved again.
        specs = resolver.resolve([(e, Where()) for e in (*(event.entry for event in self.events), entry)])
        if findings.errors or len(specs) != len(self.events) + 1:
            text = "; ".join(f.message for f in findings.as_tuple()) or "this is not a change that can be made"
            return Status(False, "refused", text, "")
        spec = specs[-1]
        (change,) = solver_changes(self.lowered, [spec], duration=math.inf, findings=findings)
        refused = make_change(self._course, change)
        if refused is not None:
            return refused
        event = AppliedChange(entry, spec, self._course.done[-1], *self.mobility())
        self.events = (*self.events, event)
        return Status(True, "changed", "; ".join(f.message for f in findings.as_tuple()), "")

    def undo(self) -> bool:
        """Take the last change back: the run is again where it was made, and goes on without it."""
        if not self._undo:
            return False
        self.let_go()
        before = self._undo.pop()
        self._course, self.events, self._waiting = before.course, before.events, before.waiting
        reload(self._course, self._model)
        self.status = _READY
        return True

    def mobility(self) -> tuple[int | None, int | None]:
        """Degrees of freedom where the run is, and rows that repeat others."""
        n = len(self.lowered.units)
        if n > MOST_BODIES:
            return None, None
        own = [p for p in self._course.holding if all(b < n for b in p.bodies)]
        if not own:
            return 6 * n, 0
        s = self._course.state
        G = evaluate(own, s.positions, s.quaternions).G[:, : 6 * n]
        r = rank(G, self.mechanism.length_scale).rank
        return 6 * n - r, len(G) - r

    def grab(self, body: int, point: Vector) -> None:
        """Take hold of a body at a point (m, in its frame B) by a spring and damper whose other end is the point."""
        unit, X = self.lowered.placed(body)
        self._pull = Pull.at(self._course, self._model, unit, X.point(point), self.mechanism.length_scale)
        reload(self._course, with_pull(self._model, self._pull))
        self.pulled = True

    def pull(self, target: Vector) -> None:
        """Put the other end of the spring to a place in the world (m)."""
        if self._pull is not None:
            self._pull.target[:] = target

    def let_go(self) -> None:
        """Take the spring away."""
        if self._pull is not None:
            self._pull = None
            reload(self._course, self._model)

    def pulling(self) -> tuple[Vector, Vector, float] | None:
        """The spring's two ends in the world (m), on the body first, and its force (N); None where there is none."""
        if self._pull is None:
            return None
        point, force = self._pull.force(self._course.state)
        return point, self._pull.target.copy(), float(np.linalg.norm(force))

    def run(self) -> Run:
        """The run so far as `simulate` gives one; InputError where it was too long to be kept, or has not begun."""
        if not self.kept or not self._course.parts:
            reason = "It has not begun." if self.kept else "It was too long to be kept: reset it, and let it run again."
            raise InputError(f"There is no table of this run. {reason}")
        # Samples are counted in ninths digits: a run that ends at one has it, though t is a sum of steps.
        samples = np.arange(0, math.floor(self.t * self.scenario.rate + 1e-9) + 1) / self.scenario.rate
        status = self.status if not self.status.ok else Status(True, "reached", f"t = {self.t:.6g} s reached", "")
        rebuilt = finished(self._course.kept(), samples, status, 0.0)
        what = replace(self.scenario, changes=tuple(event.spec for event in self.events), duration=self.t)
        return rebuilt_run(self.mechanism, what, self.lowered, rebuilt, self.findings)

    def scenario_text(self) -> str:
        """A scenario file that repeats this run with its changes; pulls by hand are not in it, and it says so."""
        document: dict[str, Any] = copy.deepcopy(self._document or {}) or {
            "format": FORMAT, "tolerance": WATCHED_TOLERANCE, "limits": "stop"
        }  # fmt: skip
        # A scenario of no length is refused: a millisecond, where nothing has run yet.
        document["duration"] = float(f"{max(self.t, 1e-3):.6g}")
        if self._prescribed:
            joints = {joint.name: joint for joint in self.lowered.joints}
            positions = {name: value / si(joints[name]) for name, value in self._prescribed.items()}
            initial = document.setdefault("initial", {})
            initial["positions"] = {**initial.get("positions", {}), **positions}
        planned = len(self._planned) - len(self._waiting)
        made = [e.entry.model_dump(exclude_none=True, mode="json") for e in self.events]
        by_hand = [m for m, e in zip(made, self.events, strict=True) if e.entry not in self._planned]
        assert len(made) - len(by_hand) <= planned
        events = [*document.get("events", ()), *by_hand]
        if events:
            document["events"] = events
        lines = ["# A run in cadbridge view: `cadbridge simulate SOURCE --scenario THIS_FILE` repeats it."]
        if self.pulled:
            lines.append(
                "# Bodies were pulled by hand meanwhile: these pulls are not in it, and the motion will differ."
            )
        return "\n".join(lines) + "\n" + yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


def evaluate_coordinate(lowered: Lowered, index: int, positions: Array, quaternions: Array) -> float:
    """The value (rad, m) of a coordinate of the lowered model at poses of its bodies."""
    from solver.constraints import Coupler

    c = lowered.model.coordinates[index]
    return float(evaluate((Coupler(c.a, c.b, ((1.0, c),)),), positions, quaternions).g[0])
