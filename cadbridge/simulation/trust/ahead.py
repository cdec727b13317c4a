"""What may make a run slow or wrong: masses far apart, stiff springs, a gravity in other units."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadbridge.findings import Finding, Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trust.balance import stiffnesses
from cadbridge.simulation.vibration import fastest
from cadbridge.units import DEGREE, EARTH, MM
from solver.constraints.primitives import GROUND, Coordinate
from solver.equations.system import System, prepare
from solver.model import Friction, Model
from solver.result import Result, Trajectory
from solver.rotation import matrix
from solver.state import State

MASSES_APART = 1e7
"""The ratio of masses in one closed loop beyond which accelerations lose digits that the tolerances need: of sixteen
digits seven go, and a tolerance of 1e-8 asks for what is left."""
STRONG_GRAVITY = 100.0
"""Gravity (m/s²) beyond which it is reported: no planet has a quarter of it."""
MANY_STEPS, MANY_STEPS_A_SAMPLE = 100_000, 1_000
"""Steps of a run, and steps a sample, beyond which a run says that its steps are short, and why: a smooth motion takes
a few a sample at most, and a person does not wait for a hundred thousand without asking why."""
MANY_REJECTED = 1000
"""Rejected steps below which they are not reported: they cost little."""
FAST_DAMPER = 1e-4
"""s: the time constant of a damper above which it does not make steps short: explicit steps of 3.3 of them are stable
(dopri5), and steps of a third of a millisecond are those of usual motions."""
STILL = 1e-10
"""m/s, rad/s and their rates: what all are below where nothing moves but by rounding."""
MANY_UNSOLVED = 0.01
"""Of the evaluations: some are tried beyond a dead point, where nothing can be solved, and their steps are rejected."""


def costs(result: Result, findings: Findings) -> None:
    """Report what a run that came to its end had to try (CB628), and what could not be solved on the way (CB680)."""
    cost = result.statistics
    if cost.rejected > max(MANY_REJECTED, cost.steps):
        findings.add("CB628", f"{cost.rejected} steps were rejected for {cost.steps} taken")
    if cost.unsolved > MANY_UNSOLVED * cost.evaluations and not _still(result.trajectory):
        findings.add("CB680", f"{cost.unsolved} of {cost.evaluations} accelerations do not satisfy all joints")


def _still(T: Trajectory) -> bool:
    """Whether nothing moved and nothing began to: what is left open of accelerations is then as small as they are."""
    fastest = max(float(np.abs(each).max(initial=0.0)) for each in (T.velocities, T.accelerations))
    return fastest < STILL


def short_steps(lowered: Lowered, model: Model, result: Result, findings: Findings) -> None:
    """Tell a run whose steps are far shorter than its samples, and what may vibrate so fast (CB682)."""
    t, steps = result.trajectory.t, result.statistics.steps
    if _are_many(steps, len(t)):
        text = f"{steps} steps of {(t[-1] - t[0]) / steps:.1e} s on average"
        _add_short(lowered, model, steps, text, findings)


def short_steps_ahead(lowered: Lowered, system: System, start: State | None, what: Scenario) -> Finding | None:
    """CB682 before a run that will take so many steps: bodies of masses far apart, or springs, vibrate so fast.

    Light bodies between heavy ones are strings: they are looked at with the weights pulling along each axis, as a
    motion lets them pull.
    """
    model = system.model
    apart, springs, damped = _far_apart(lowered, model), stiffnesses(model), settling(model)
    slow = damped is None or not _are_many(what.duration / damped.time, what.duration * what.rate)
    if what.step is not None or what.integrator == "generalized_alpha" or not (apart or any(springs) or not slow):
        return None
    pulled = np.linalg.norm(model.gravity) * np.vstack([np.eye(3), -np.eye(3)]) if apart else ()
    turned = (prepare(replace(model, gravity=(float(g[0]), float(g[1]), float(g[2])))) for g in pulled)
    rate = max(fastest(each, start) for each in (system, *turned))
    steps = rate * what.duration
    if not _are_many(steps, what.duration * what.rate):
        return None
    findings = Findings()
    text = f"about {steps:.1e} steps are ahead, for vibrations of {rate:.1e} rad/s"
    _add_short(lowered, model, steps, text, findings)
    return findings.as_tuple()[0]


def _are_many(steps: float, samples: float) -> bool:
    return steps > MANY_STEPS and steps > MANY_STEPS_A_SAMPLE * samples


def _far_apart(lowered: Lowered, model: Model) -> list[tuple[float, str]]:
    """The lightest and the heaviest body, where their masses differ by more than `MASSES_APART`."""
    bodies = sorted((body.mass, unit.name) for body, unit in zip(model.bodies, lowered.units, strict=False))
    held = [each for each in bodies if each[0] > 0.0]
    return [held[0], held[-1]] if held and held[-1][0] > MASSES_APART * held[0][0] else []


def _add_short(lowered: Lowered, model: Model, steps: float, message: str, findings: Findings) -> None:
    """CB682 with what may vibrate so fast."""
    apart = _far_apart(lowered, model)
    causes = [message, *(["{1} has {0:.3g} kg and {3} {2:.3g} kg".format(*apart[0], *apart[1])] if apart else [])]
    if stiffest := max(stiffnesses(model), default=0.0):
        causes.append(f"the stiffest spring has {stiffest:.3g} N/m or N m/rad")
    damped, cure = settling(model), None
    if damped is not None and damped.time < FAST_DAMPER:
        causes.append(f"{damped.name} is damped by {damped.words} and settles in {damped.time:.1g} s")
        cure = damped.softer(steps)
    findings.add(
        "CB682", "; ".join(causes), hint=cure, items=[*(name for _, name in apart), *([damped.name] if damped else [])]
    )


@dataclass(frozen=True)
class Settling:
    """A joint (or load) by `name`, its `damping` and dry `friction`, and its time constant (s), its bodies free.

    `turns`: in N m s/rad and N m, else N s/m and N. Friction that is smoothed over a `speed` (rad/s, m/s) damps at
    rest as much as it goes up by a rate.
    """

    name: str
    damping: float
    friction: float
    turns: bool
    time: float
    speed: float = math.inf

    @property
    def words(self) -> str:
        """What damps, with units."""
        viscous, dry = ("N m s/rad", "N m") if self.turns else ("N s/m", "N")
        parts = [f"{self.damping:.3g} {viscous}"] if self.damping else []
        parts += [f"{self.friction:.3g} {dry} of dry friction"] if self.friction else []
        return " and ".join(parts)

    def softer(self, steps: float) -> str | None:
        """What takes fewer steps where dry friction makes them short, else None: a larger speed that smooths it."""
        factor = 10.0 ** math.ceil(math.log10(max(steps / MANY_STEPS, 1.0)))
        # Below a tenth of all that damps: whatever friction does then, the steps stay nearly as short.
        if factor == 1.0 or self.friction / self.speed < 9.0 * self.damping:
            return None
        what, unit = ("turn", DEGREE) if self.turns else ("slide", MM)
        speed = f"`friction_speed: {{{what}: {self.speed * factor / unit:.3g}}}`"
        return (
            f"Check the friction of {self.name} against its loads, and the inertia that it holds. With {speed} in the "
            f"scenario the run takes about {factor:g} times fewer steps, and the joint creeps {factor:g} times as fast "
            "while it rests under a load."
        )


def settling(model: Model) -> Settling | None:
    """What settles fastest by its dampers, its friction and its servos' answer to rates; None where nothing is damped.

    A time constant is I/d, with the inertia of the two bodies along the coordinate as if nothing else held them.
    """
    none = Friction(0.0, 1.0)
    given = [(each.name, each.coordinate, each.damping, each.friction or none, each.armature) for each in model.loads]
    given += [(m.name, m.coordinate, m.damping, none, 0.0) for m in model.motors if m.kind == "pd"]
    given += [(m.name, m.coordinate, max(0.0, -m.bias[2]), none, 0.0) for m in model.motors if m.kind == "servo"]
    # By name: the coordinate, its damping, its dry friction, what that damps at rest, its armature.
    along: dict[str, tuple[Coordinate, float, float, float, float]] = {}
    for name, coordinate, damping, dry, armature in given:
        _, d, torque, smoothed, more = along.get(name, (coordinate, 0.0, 0.0, 0.0, 0.0))
        smoothed += dry.torque / dry.speed
        along[name] = (coordinate, d + damping, torque + dry.torque, smoothed, more + armature)
    found = [
        Settling(
            name,
            d,
            torque,
            c.kind == "angle",
            (1.0 / ease + armature) / (d + smoothed),
            torque / smoothed if smoothed else math.inf,
        )
        for name, (c, d, torque, smoothed, armature) in along.items()
        if c.kind in ("angle", "distance") and d + smoothed > 0.0 and (ease := _ease(model, c)) > 0.0
    ]
    return min(found, key=lambda each: each.time, default=None)


def _ease(model: Model, c: Coordinate) -> float:
    """The acceleration along a coordinate (rad/s², m/s²) by an effort of 1 on its two bodies, as if they were free."""
    axis = np.asarray(c.axis_a, float)
    if c.a != GROUND:
        axis = matrix(np.asarray(model.quaternions[c.a], float)) @ axis
    ease = 0.0
    for end in (c.a, c.b):
        if end == GROUND or model.bodies[end].mass <= 0.0:
            continue
        own = matrix(np.asarray(model.quaternions[end], float)).T @ axis
        inertia = np.asarray(model.bodies[end].inertia, float)
        # Least squares, as a rod without thickness has no inertia about itself: about that axis it takes no part.
        turned = float(own @ np.linalg.lstsq(inertia, own, rcond=None)[0])
        ease += turned if c.kind == "angle" else 1.0 / model.bodies[end].mass
    return ease


def mass_ratios(lowered: Lowered, findings: Findings) -> None:
    """Report closed loops of bodies whose masses differ by more than `MASSES_APART` (CB629)."""
    masses = [body.mass for body in lowered.model.bodies]
    some = [mass for mass in masses if mass > 0.0]
    if lowered.stand_ins or not some or max(some) <= MASSES_APART * min(some):
        return
    for loop in _loops(lowered.model):
        held = sorted((masses[i], lowered.units[i].name) for i in loop if masses[i] > 0.0)
        if held and held[-1][0] > MASSES_APART * held[0][0]:
            (light, lightest), (heavy, heaviest) = held[0], held[-1]
            message = f"{lightest} has {light:.3g} kg and {heaviest} {heavy:.3g} kg, {heavy / light:.1e} times as much"
            findings.add("CB629", f"in one closed loop, {message}", Where(item=lightest), items=[lightest, heaviest])


def strong_gravity(what: Scenario, findings: Findings) -> None:
    """Report a gravity that is probably in mm/s² (CB544)."""
    size = math.hypot(*(what.gravity or ()))
    if size > STRONG_GRAVITY:
        findings.add("CB544", f"gravity is {size:.4g} m/s², {size / EARTH:.4g} times that of Earth")


def _loops(model: Model) -> list[list[int]]:
    """The bodies of each set of loops that share joints, the ground left out."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    for primitive in model.primitives:
        first, *others = primitive.bodies
        graph.add_edges_from((first, other) for other in others)
    blocks: Any = nx.biconnected_components(graph)  # the stubs say sets of sets
    return sorted(sorted(block - {GROUND}) for block in blocks if len(block) > 2)
