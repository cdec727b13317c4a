"""The energy balance T + V − W + D, which no equation that is integrated holds, so that it shows an error of any kind.

What may be missing from it follows from the error that each step is allowed: with δ = atol + rtol |value| for every
velocity and position, a step changes the energy by about

    Σ (m |v| + |I ω| …) δv + (weight + springs' forces) δx + δW,

with the velocities that are usual along the run, and all steps together by the sum of these. Whatever this comes to, no
more than a share of the energy that is exchanged or in motion, the larger, may be missing: what turns evenly without
weight exchanges nothing but its errors. A run with a fixed step promises nothing; its balance is held against that
energy alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trust.checks import Check, judged
from cadbridge.wording import count
from solver.model import Model
from solver.result import Result, Trajectory

Array = NDArray[np.float64]

OF_PROMISED = 100.0
"""Times what the steps promise: a projection may move a body by 20 times the error allowed before a step is rejected,
and an estimate of a step's error misses some of it where a load bends, such as friction about rest."""
OF_FIXED_STEPS = 0.1
"""Of the energy exchanged or in motion: what the balance of a run with fixed steps may miss: whoever fixes a step has
chosen its error, and a tenth is one that nobody means."""
OF_EXCHANGED, LEAST_SHARE, MOST_SHARE = 1e4, 1e-3, 0.05
"""Of the same energy: what any balance may miss, in relative tolerances, and the bounds of this share. At a tolerance
of 1e-8 it is a ten-thousandth, below the least; at 1e-5 a tenth, above the most: a balance that misses a twentieth is
wrong whatever was asked, and one within a thousandth says nothing of the motion."""
ENERGY_ROUNDING = 1e-13
"""Of the energies that are added, a step: some 450 units in the last place, as each is a sum over all bodies."""


@dataclass(frozen=True, eq=False)
class Balance:
    """What is missing from the energy balance at each sample (k,), what is allowed to, and the energy (J) that was
    exchanged or in motion, the larger."""

    off: Array
    allowed: float
    energy: float

    @property
    def drift(self) -> float:
        """The worst of what is missing (J)."""
        return float(np.max(np.where(np.isnan(self.off), np.inf, self.off)))

    @property
    def holds(self) -> bool:
        """Whether the drift is within what is allowed; a drift that is no number is not."""
        return self.drift <= self.allowed


def energy_balance(model: Model, what: Scenario, result: Result) -> Balance:
    """The balance at all samples of a run beside what its tolerances or its step allow."""
    T, steps = result.trajectory, max(result.statistics.steps, 1)
    balance = T.kinetic + T.potential - T.motor_work + T.dissipated
    energies = (T.kinetic, T.potential, T.motor_work, T.dissipated)
    energy = max(float(np.max(T.kinetic)), *(float(np.ptp(energy)) for energy in energies))
    rounding = ENERGY_ROUNDING * steps * sum(float(np.max(np.abs(energy))) for energy in energies)
    place = what.atol + what.rtol * float(np.abs(T.positions).max(initial=0.0))
    pulls = _weight(model) + float(np.sqrt(2 * max(stiffnesses(model), default=0.0) * float(np.ptp(T.potential))))
    if what.step is not None:
        allowed = OF_FIXED_STEPS * energy + pulls * place
    else:
        promised = OF_PROMISED * steps * (_promised(model, what, T) + pulls * place)
        share = min(MOST_SHARE, max(LEAST_SHARE, OF_EXCHANGED * what.rtol))
        allowed = min(promised, share * energy + OF_PROMISED * (pulls * place + _least(model, what)))
    return Balance(np.abs(balance - balance[0]), allowed + rounding, energy)


def balance_check(model: Model, what: Scenario, result: Result) -> Check:
    """Whether the energy is balanced at each sample; what is missing once is missing from then on."""
    found = energy_balance(model, what, result)
    promise = "a fixed step" if what.step is not None else f"the tolerances in {count(result.statistics.steps, 'step')}"
    text = (
        f"the energy balance is off by {{worst:.3g}} J at t = {{t:.4g}} s, of {found.energy:.3g} J exchanged or in "
        f"motion, where {promise} would allow {{allowed:.2g}} J"
    )
    return judged("energy", found.off, found.allowed, result.trajectory.t, unit="J", onwards=True, text=text)


def _weight(model: Model) -> float:
    return float(sum(body.mass for body in model.bodies)) * float(np.linalg.norm(model.gravity))


def _least(model: Model, what: Scenario) -> float:
    """The energy (J) of bodies that move as fast as the absolute tolerance."""
    return what.atol**2 * float(sum(body.mass + np.linalg.norm(body.inertia, 2) for body in model.bodies))


def _promised(model: Model, what: Scenario, T: Trajectory) -> float:
    """The energy (J) by which one step may err but for the work of its places, with the speeds that are usual."""
    mass = np.array([body.mass for body in model.bodies])
    inertia = np.array([np.linalg.norm(body.inertia, 2) for body in model.bodies])
    sizes = np.sqrt(np.mean(np.square(T.velocities), axis=0))
    allowed = what.atol + what.rtol * sizes
    momentum = np.hstack([mass[:, None] * sizes[:, :3], inertia[:, None] * sizes[:, 3:]])
    moving = float(np.sum(momentum * allowed))
    # Between samples velocities may be larger, but not the energy.
    reach = float(np.mean(T.kinetic) + np.ptp(T.potential) + np.ptp(T.motor_work))
    work = what.atol + what.rtol * float(np.abs(T.motor_work).max() + np.abs(T.dissipated).max())
    doers = 1 + len(model.motors) + len(model.wrenches) + len(model.callbacks)
    return moving + 2 * what.rtol * reach + work * doers


def stiffnesses(model: Model) -> list[float]:
    """N/m and N m/rad of all springs of a model."""
    loads = [s for load in model.loads for s in (load.stiffness, load.stop.stiffness if load.stop else 0.0)]
    return [
        *loads,
        *(float(np.linalg.norm(bushing.stiffness, 2)) for bushing in model.bushings),
        *(motor.stiffness for motor in model.motors if motor.kind == "pd"),
        *(abs(motor.bias[1]) for motor in model.motors if motor.kind == "servo"),
    ]
