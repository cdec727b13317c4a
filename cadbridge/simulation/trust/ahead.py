"""What may make a run slow or wrong: masses far apart, stiff springs, a gravity in other units."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from cadbridge.findings import Finding, Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trust.balance import stiffnesses
from cadbridge.simulation.trust.settling import settling
from cadbridge.simulation.vibration import fastest
from cadbridge.units import EARTH
from solver.constraints.primitives import GROUND
from solver.equations.system import System, prepare
from solver.model import Model
from solver.result import Result, Trajectory
from solver.state import State
from solver.steps.methods import slope_at

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
STABLE = 3.3
"""Time constants of what settles fastest that a step of dopri5 has where they alone make it short."""
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
    apart, springs = _far_apart(lowered, model), stiffnesses(model)
    samples = what.duration * what.rate
    # The time constant of as many steps as are told.
    quick = what.duration / (STABLE * max(MANY_STEPS, MANY_STEPS_A_SAMPLE * samples))
    if what.step is not None or what.integrator == "generalized_alpha" or _rests(system, start, what):
        return None
    if not (apart or any(springs) or settling(model, quick)):
        return None
    pulled = np.linalg.norm(model.gravity) * np.vstack([np.eye(3), -np.eye(3)]) if apart else ()
    turned = (prepare(replace(model, gravity=(float(g[0]), float(g[1]), float(g[2])))) for g in pulled)
    rates = [fastest(each, start) for each in (system, *turned)]
    swing, settles = max(each[0] for each in rates), max(each[1] for each in rates)
    steps = max(swing, settles / STABLE) * what.duration
    if not _are_many(steps, samples):
        return None
    findings = Findings()
    why = f"vibrations of {swing:.1e} rad/s" if swing * STABLE > settles else f"what settles in {1 / settles:.1e} s"
    # What slides does not rest, and what swings by less than the tolerance is not followed.
    _add_short(lowered, model, steps, f"up to about {steps:.1e} steps are ahead, for {why}", findings)
    return findings.as_tuple()[0]


def _rests(system: System, start: State | None, what: Scenario) -> bool:
    """Whether nothing will move: a run that begins at rest, in balance, and nothing of which changes with time."""
    if what.changes or system.drives or system.model.callbacks:
        return False
    at = start or State.at_rest(system.model.positions, system.model.quaternions)
    changing = (at.velocities, slope_at(system, at).acceleration)
    return max(float(np.abs(each).max(initial=0.0)) for each in changing) < STILL


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
    damped, cure = settling(model, FAST_DAMPER), None
    if damped is not None:
        causes.append(f"{damped.name} is damped by {damped.words} and settles in {damped.time:.1g} s")
        cure = damped.softer(steps, MANY_STEPS)
    findings.add(
        "CB682", "; ".join(causes), hint=cure, items=[*(name for _, name in apart), *([damped.name] if damped else [])]
    )


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
