"""A swing of the mechanism and of its export, from the same velocities, for as long as the two can be compared."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.errors import ModelError
from cadbridge.exporters.relations import Relation, relations
from cadbridge.exporters.tree import Tree
from cadbridge.frames import Vector
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Mechanism
from cadbridge.simulation import Run, Scenario, simulate
from cadbridge.verification.engines import Engine
from cadbridge.verification.start import Start

MISSES_AT_MOST = 1e-6
"""rad and m after a swing, below which nobody asks where it comes from: a micrometre."""

ROUNDING_GROWS = 10.0
"""By so much a swing magnifies the rounding of an engine's model: a second or so of a motion that is not chaotic."""

OWN_ERROR = 4.0
"""An error is up to so many times what is gained from half the step (twice, for a method of first order)."""

SMALL_SHARE = 1e-3
"""The engine's own errors, as a share of the motion, up to which a comparison says something."""

STILL_JOINT = 1e-6
"""rad and m: a joint that moves less is not tested by the swing."""

SHORTER = (1, 4, 16, 64)
"""The swing is shortened by these factors until the engine's own errors are small."""

TIGHT = 1e-12
"""Of our own run: looser, and it is our own error that is seen where a motion magnifies it."""

APART_TO = 1e-9
"""Of runs of ours of which a difference above `MISSES_AT_MOST` is asked for."""

_CENTRE = 1e-9
"""m: centres that differ by no more count as the same; sides of a mate that CAD rounds are as far apart."""

AT_REST = "at rest"
"""The verdict where no joint moves, so that there is no swing."""

BUT_FOR_LOSSES = "same but for losses"
"""The verdict where the engine moves as the mechanism would without what the export leaves out."""


@dataclass(frozen=True)
class Swing:
    """What a swing of `duration` s showed: the largest difference of a joint (rad, m) and the engine's own errors.

    `verdict` is "same", "same but for losses", "differs", "not comparable", "not tested" or "at rest"; `remark`
    says why. `moved` is the largest motion of a joint, `still` names the joints that did not move, `joint` the one that
    differs most.
    """

    verdict: str
    remark: str = ""
    duration: float = 0.0
    difference: float | None = None
    coupling_error: float | None = None
    step_error: float | None = None
    moved: float = 0.0
    still: tuple[str, ...] = ()
    joint: str = ""


def at_rest(links: int, engine: str) -> Swing:
    """Where no joint moves: what stands was compared, if the engine holds any of it."""
    return (
        Swing(AT_REST, "no joint moves") if links else Swing("not tested", f"no joint moves, and {engine} has no body")
    )


@dataclass(frozen=True, eq=False)
class Swinger:
    """A mechanism and its export: `joints` are names in the engine → coordinates of the export's tree."""

    mechanism: Mechanism
    tree: Tree
    engine: Engine
    joints: Mapping[str, int]
    twists: list[Vector]
    start: Start

    def swing(self, duration: float) -> Swing:
        """The longest swing, up to `duration`, that can be compared; the shortest one tried where none can."""
        try:
            run = self._run(duration, TIGHT)
        except ModelError as error:
            return Swing("not tested", str(error))
        last = Swing("not tested", f"our own run ended early: {run.result.status.message}")
        for shorter in self._durations(run, duration):
            last = self._compare(run, shorter)
            if last.verdict == "differs" and self._explained(last, duration):
                last = Swing("not comparable", "the motion magnifies rounding, and the error of our own run", shorter)
            if last.verdict != "not comparable":
                break
        return last

    def _run(self, duration: float, tolerance: float) -> Run:
        velocities = {
            body.components[0]: self._at_component(body.components[0], twist)
            for body, twist in zip(self.mechanism.bodies, self.twists, strict=True)
        }
        scenario = Scenario(
            duration=duration,
            rate=max(SHORTER) / duration,
            rtol=tolerance,
            atol=tolerance,
            velocities=velocities,
            sensitivity=False,  # how far it is known, `_explained` asks where it must
        )
        return simulate(self.mechanism, scenario)

    def _at_component(self, component: str, twist: Vector) -> Vector:
        body = self.mechanism.body_of[component]
        arm = self.mechanism.assembly.component(component).X_WC.p - self.mechanism.X_WB(body).p
        return np.concatenate([twist[:3] + np.cross(twist[3:], arm), twist[3:]])

    @staticmethod
    def _durations(run: Run, duration: float) -> Iterator[float]:
        reached = float(run.result.trajectory.t[-1])
        # Sums of steps miss the end by rounding.
        return (duration / k for k in SHORTER if duration / k <= reached * (1 + 1e-9))

    def _ours(self, run: Run, t: float) -> dict[str, float]:
        """Where our joints are at the time t, by their own names."""
        trajectory = run.result.trajectory
        k = int(np.argmin(np.abs(trajectory.t - t)))
        return {j.name: float(trajectory.coordinates[k, i]) for i, j in enumerate(run.lowered.joints)}

    def apart(self, other: Mechanism, duration: float) -> tuple[float, str, str]:
        """How far another mechanism of the same joints gets from ours: the largest difference, its joint, its unit.

        ModelError where one of both runs fails.
        """
        found = []
        for mechanism in (self.mechanism, other):
            run = replace(self, mechanism=mechanism)._run(duration, APART_TO)
            if not run.result.trajectory.t[-1] >= duration * (1 - 1e-9):
                raise ModelError(run.result.status.message)
            found.append(self._ours(run, duration))
        freedoms = [self.tree.freedoms[k] for k in self.joints.values()]
        errors = {f.name: abs(found[0][f.name] - found[1][f.name]) for f in freedoms if f.name in found[0]}
        worst = max(freedoms, key=lambda f: errors.get(f.name, -1.0))
        return errors[worst.name], worst.name, "rad" if worst.turns else "m"

    def _compare(self, run: Run, duration: float) -> Swing:
        """Our joints at `duration` against the engine's."""
        name_of = {name: self.tree.freedoms[k].name for name, k in self.joints.items()}
        ours = self._ours(run, duration)
        requested = [name for name in self.joints if name_of[name] in ours]
        theirs = self.engine.swing(list(self.joints), self.start, duration)
        moved = {name: abs(ours[name_of[name]]) for name in requested}
        errors = {name: abs(ours[name_of[name]] - theirs[name]) for name in requested}
        difference = _largest(errors.values())
        still = tuple(name_of[name] for name in requested if moved[name] < STILL_JOINT)
        coupling_error = self._coupling_error(theirs)
        step_error, share = None, 0.0
        same = max(MISSES_AT_MOST, ROUNDING_GROWS * self.engine.precision)
        if not difference <= same:
            # Only where they differ: half the step takes twice as long, and tells the engine's own error.
            finer = self.engine.swing(list(self.joints), self.start, duration, finer=2)
            own = {name: abs(finer[name] - value) for name, value in theirs.items()}
            step_error = _largest(own.values())
            share = max(self._share(own, moved), (coupling_error or 0.0) / max(*moved.values(), STILL_JOINT))
        verdict, remark = verdict_of(difference <= same, difference, step_error, share)
        found = (duration, difference, coupling_error, step_error, max(moved.values(), default=0.0), still)
        worst = max(errors, key=lambda name: _largest([errors[name]]), default="")
        return Swing(verdict, remark, *found, joint=name_of.get(worst, ""))

    def _share(self, errors: Mapping[str, float], moved: Mapping[str, float]) -> float:
        """The engine's own error as a share of the motion, the larger of turns and slides."""
        worst = 0.0
        for turns in (True, False):
            names = [name for name in moved if self.tree.freedoms[self.joints[name]].turns == turns]
            motion, error = _largest(moved[n] for n in names), _largest(errors[n] for n in names)
            worst = max(worst, error / max(motion, STILL_JOINT))
        return worst

    def _coupling_error(self, theirs: Mapping[str, float]) -> float | None:
        """By how much the engine breaks the relations between its own joints; None where nothing binds them."""
        if not self.mechanism.couplings and not self.tree.closures:
            return None
        q = {k: theirs[name] for name, k in self.joints.items()}
        found: list[Relation] = [r for r in relations(self.tree)[0] if all(k in q for k, _ in r.terms)]
        errors = [abs(sum(c * q[k] for k, c in r.terms) - r.constant) for r in found]
        return _largest(errors)

    def _explained(self, found: Swing, duration: float) -> bool:
        """Whether our own run, a little looser or with masses rounded as the engine has them, differs by as much."""
        tight = self._ours(self._run(duration, TIGHT), found.duration)
        rounded = replace(self, mechanism=_rounded(self.mechanism, self.engine.precision))
        others = [self._run(duration, 10 * TIGHT), rounded._run(duration, TIGHT)]
        own = max(abs(tight[name] - value) for run in others for name, value in self._ours(run, found.duration).items())
        return found.difference is not None and found.difference <= OWN_ERROR * (own + (found.step_error or 0.0))


def _rounded(mechanism: Mechanism, precision: float) -> Mechanism:
    """The mechanism with masses and inertias changed at random by a part of their largest entry, always alike.

    Centres move by as much as counts as none (`_CENTRE`), too: a balanced pin of little inertia feels it.
    """
    random = np.random.default_rng(1)

    def changed(mass: MassProperties) -> MassProperties:
        by = precision * random.uniform(-1.0, 1.0, (3, 3))
        inertia = mass.inertia + np.abs(mass.inertia).max() * (by + by.T) / 2
        com = mass.com * (1.0 + by[1, 2]) + _CENTRE * random.choice([-1.0, 1.0], 3)
        return MassProperties(mass.mass * (1.0 + by[0, 1]), com, inertia)

    bodies = (body if body.mass is None else replace(body, mass=changed(body.mass)) for body in mechanism.bodies)
    return replace(mechanism, bodies=tuple(bodies))


def _largest(values: Iterable[float]) -> float:
    """The largest value, 0 where there is none, infinite where one is no number (a run of the engine that failed)."""
    return max((value if math.isfinite(value) else math.inf for value in values), default=0.0)


def verdict_of(same: bool, difference: float, step_error: float | None, share: float) -> tuple[str, str]:
    """What a difference means beside the engine's own errors."""
    if same:
        return "same", ""
    if not share <= SMALL_SHARE:
        return "not comparable", f"the engine's own errors are {share:.2g} of the motion"
    if step_error is not None and difference <= OWN_ERROR * step_error:
        return "same", "the difference is the engine's own error of its steps"
    return "differs", ""
