"""Whether a run's numbers are what its tolerances or its step promise.

The energy balance T + V − W + D is in no equation that is integrated, so that it reports an error of any kind. What
may be missing from it follows from the error that each step is allowed: with δ = atol + rtol |value| for every
velocity and position, a step changes the energy by at most

    Σ (m |v| + |I ω| …) δv + (weight + springs' forces) δx + δW,

and all steps together by the sum of these. A run with a fixed step promises nothing; its balance is then held against
the energy that it exchanges.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Finding, Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.vibration import fastest
from solver.constraints.primitives import GROUND
from solver.equations.system import System, prepare
from solver.model import Model
from solver.result import Result, Trajectory
from solver.state import State

Array = NDArray[np.float64]

MARGIN = 100.0
"""Times what the steps promise: a projection may move a body by 20 times the error allowed before a step is rejected,
and an estimate of a step's error misses some of it where a load bends, such as friction about rest."""
FIXED = 0.1
"""Of the energy exchanged: what the balance of a run with fixed steps may miss."""
ROUNDING = 1e-13
"""Of the energies that are added, a step."""
OPEN = 1e-6
"""Of the largest speed (m/s; at least 1): how far rows may be open in their rates. Rows that contradict each other by
rounding cost 1e-8."""
MANY = 1000
"""Rejected steps below which they are not reported."""
UNSOLVED = 0.01
"""Of the evaluations: some are tried beyond a dead point, where nothing can be solved, and their steps are rejected."""
APART = 1e7
"""The ratio of masses in one closed loop beyond which accelerations lose digits that the tolerances need."""

STRONG = 100.0
"""Gravity (m/s²) beyond which it is reported: no planet has a quarter of it."""
SHORT, SHORT_A_SAMPLE = 100_000, 1_000
"""Steps of a run, and steps a sample, beyond which a run says that its steps are short, and why."""


@dataclass(frozen=True)
class Balance:
    """What is missing from the energy balance at worst, what is allowed to, and what is exchanged (J); when (s)."""

    drift: float
    allowed: float
    exchanged: float
    t: float

    @property
    def holds(self) -> bool:
        """Whether the drift is within what is allowed; a drift that is no number is not."""
        return self.drift <= self.allowed


def energy_balance(model: Model, what: Scenario, result: Result) -> Balance:
    """The balance over all samples of a run beside what its tolerances or its step allow."""
    T, steps = result.trajectory, max(result.statistics.steps, 1)
    balance = T.kinetic + T.potential - T.motor_work + T.dissipated
    off = np.abs(balance - balance[0])
    worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    energies = (T.kinetic, T.potential, T.motor_work, T.dissipated)
    exchanged = max(float(np.ptp(energy)) for energy in energies)
    rounding = ROUNDING * steps * sum(float(np.max(np.abs(energy))) for energy in energies)
    if what.step is not None:
        allowed = FIXED * exchanged + _weight(model) * what.atol
    else:
        span = (float(T.t[-1]) - float(T.t[0])) / steps
        # Generalised-α controls positions alone: a velocity is as uncertain as they are over a step.
        blur = 1.0 / span if what.integrator == "generalized_alpha" and span > 0 else 1.0
        allowed = MARGIN * steps * _promised(model, what, T, blur)
    return Balance(float(off[worst]), allowed + rounding, exchanged, float(T.t[worst]))


def _weight(model: Model) -> float:
    return float(sum(body.mass for body in model.bodies)) * float(np.linalg.norm(model.gravity))


def _promised(model: Model, what: Scenario, T: Trajectory, blur: float) -> float:
    """The energy (J) by which one step may err; `blur` scales the tolerances of velocities (1/s or 1)."""
    mass = np.array([body.mass for body in model.bodies])
    inertia = np.array([np.linalg.norm(body.inertia, 2) for body in model.bodies])
    sizes = np.abs(T.velocities).max(axis=0, initial=0.0)
    allowed = what.atol + what.rtol * sizes
    momentum = np.hstack([mass[:, None] * sizes[:, :3], inertia[:, None] * sizes[:, 3:]])
    moving = float(np.sum(momentum * allowed)) * blur
    # Between samples velocities may be larger, but not the energy.
    reach = float(np.max(T.kinetic) + np.ptp(T.potential) + np.ptp(T.motor_work))
    place = what.atol + what.rtol * float(np.abs(T.positions).max(initial=0.0))
    stiffest = max(_stiffnesses(model), default=0.0)
    pulls = _weight(model) + np.sqrt(2 * stiffest * float(np.ptp(T.potential)))
    work = what.atol + what.rtol * float(np.abs(T.motor_work).max() + np.abs(T.dissipated).max())
    count = 1 + len(model.motors) + len(model.wrenches) + len(model.callbacks)
    return moving + 2 * what.rtol * reach + float(pulls) * place + work * count


def _stiffnesses(model: Model) -> list[float]:
    """N/m and N m/rad of all springs of a model."""
    loads = [s for load in model.loads for s in (load.stiffness, load.stop.stiffness if load.stop else 0.0)]
    return [
        *loads,
        *(float(np.linalg.norm(bushing.stiffness, 2)) for bushing in model.bushings),
        *(motor.stiffness for motor in model.motors if motor.kind == "pd"),
    ]


def distrust(lowered: Lowered, what: Scenario, result: Result, findings: Findings) -> bool | None:
    """Whether a run is what its tolerances promise: reports why not (CB627), what it cost to get there (CB628), and
    what could not be solved on the way (CB680).

    None of a run that did not come to its end, or has nothing to look at.
    """
    T, cost = result.trajectory, result.statistics
    if not result.status.ok or len(T.t) < 2:
        return None
    message = []
    if not lowered.stand_ins:
        balance = energy_balance(lowered.model, what, result)
        if not balance.holds:
            promise = "a fixed step" if what.step is not None else f"the tolerances in {cost.steps} steps"
            message.append(
                f"the energy balance is off by {balance.drift:.3g} J at t = {balance.t:.4g} s, of "
                f"{balance.exchanged:.3g} J exchanged, where {promise} would allow {balance.allowed:.2g} J"
            )
    fastest = float(np.abs(T.velocities).max(initial=0.0))
    opened, allowed = float(T.constraint_velocity.max()), OPEN * max(1.0, fastest) + what.atol + what.rtol * fastest
    if not opened <= allowed:
        message.append(f"joints come apart with {opened:.2g} m/s, where {allowed:.2g} m/s is allowed")
    if message:
        cure = "Take a step of a tenth" if what.step is not None else "Set rtol and atol a hundred times smaller"
        findings.add(
            "CB627", "; ".join(message), hint=f"{cure} in the scenario, and see whether the figure falls with it."
        )
    if cost.rejected > max(MANY, cost.steps):
        findings.add("CB628", f"{cost.rejected} steps were rejected for {cost.steps} taken")
    if cost.unsolved > UNSOLVED * cost.evaluations:
        findings.add("CB680", f"{cost.unsolved} of {cost.evaluations} accelerations leave joints open")
    return not message


def short_steps(lowered: Lowered, model: Model, result: Result, findings: Findings) -> None:
    """Tell a run whose steps are far shorter than its samples, and what may vibrate so fast (CB682)."""
    t, steps = result.trajectory.t, result.statistics.steps
    if _are_many(steps, len(t)):
        _add_short(lowered, model, f"{steps} steps of {(t[-1] - t[0]) / steps:.1e} s on average", findings)


def short_steps_ahead(lowered: Lowered, system: System, start: State | None, what: Scenario) -> Finding | None:
    """CB682 before a run that will take so many steps: bodies of masses far apart, or springs, vibrate so fast.

    Light bodies between heavy ones are strings: they are looked at with the weights pulling along each axis, as a
    motion lets them pull.
    """
    model = system.model
    apart, springs = _far_apart(lowered, model), _stiffnesses(model)
    if what.step is not None or what.integrator == "generalized_alpha" or not (apart or any(springs)):
        return None
    pulled = np.linalg.norm(model.gravity) * np.vstack([np.eye(3), -np.eye(3)]) if apart else ()
    turned = (prepare(replace(model, gravity=(float(g[0]), float(g[1]), float(g[2])))) for g in pulled)
    rate = max(fastest(each, start) for each in (system, *turned))
    steps = rate * what.duration
    if not _are_many(steps, what.duration * what.rate):
        return None
    findings = Findings()
    _add_short(lowered, model, f"about {steps:.1e} steps are ahead, for vibrations of {rate:.1e} rad/s", findings)
    return findings.as_tuple()[0]


def _are_many(steps: float, samples: float) -> bool:
    return steps > SHORT and steps > SHORT_A_SAMPLE * samples


def _far_apart(lowered: Lowered, model: Model) -> list[tuple[float, str]]:
    """The lightest and the heaviest body, where their masses differ by more than `APART`."""
    bodies = sorted((body.mass, unit.name) for body, unit in zip(model.bodies, lowered.units, strict=False))
    held = [each for each in bodies if each[0] > 0.0]
    return [held[0], held[-1]] if held and held[-1][0] > APART * held[0][0] else []


def _add_short(lowered: Lowered, model: Model, message: str, findings: Findings) -> None:
    """CB682 with what may vibrate so fast."""
    apart = _far_apart(lowered, model)
    causes = [message, *(["{1} has {0:.3g} kg and {3} {2:.3g} kg".format(*apart[0], *apart[1])] if apart else [])]
    if stiffest := max(_stiffnesses(model), default=0.0):
        causes.append(f"the stiffest spring has {stiffest:.3g} N/m or N m/rad")
    findings.add("CB682", "; ".join(causes), items=[name for _, name in apart])


def mass_ratios(lowered: Lowered, findings: Findings) -> None:
    """Report closed loops of bodies whose masses differ by more than `APART` (CB629)."""
    masses = [body.mass for body in lowered.model.bodies]
    some = [mass for mass in masses if mass > 0.0]
    if lowered.stand_ins or not some or max(some) <= APART * min(some):
        return
    for loop in _loops(lowered.model):
        held = sorted((masses[i], lowered.units[i].name) for i in loop if masses[i] > 0.0)
        if held and held[-1][0] > APART * held[0][0]:
            (light, lightest), (heavy, heaviest) = held[0], held[-1]
            message = f"{lightest} has {light:.3g} kg and {heaviest} {heavy:.3g} kg, {heavy / light:.1e} times as much"
            findings.add("CB629", f"in one closed loop, {message}", Where(item=lightest), items=[lightest, heaviest])


def strong_gravity(what: Scenario, findings: Findings) -> None:
    """Report a gravity that is probably in mm/s² (CB544)."""
    size = math.hypot(*(what.gravity or ()))
    if size > STRONG:
        findings.add("CB544", f"gravity is {size:.4g} m/s², {size / 9.81:.4g} times that of Earth")


def _loops(model: Model) -> list[list[int]]:
    """The bodies of each set of loops that share joints, the ground left out."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    for primitive in model.primitives:
        first, *others = primitive.bodies
        graph.add_edges_from((first, other) for other in others)
    blocks: Any = nx.biconnected_components(graph)  # the stubs say sets of sets
    return sorted(sorted(block - {GROUND}) for block in blocks if len(block) > 2)
