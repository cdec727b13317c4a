"""Stops at the limits of joints, where a scenario asks for them without saying how hard they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from cadbridge.lowering import Lowered, prepared
from cadbridge.simulation.loads import LoadSpecs
from solver.equations.dynamics import accelerate, observe
from solver.equations.projection import drive_values, project
from solver.functions import constant
from solver.model import Model, Motor, Stop
from solver.state import State

STOP_FREQUENCY = 50.0
"""Hz: of what the joint carries as designed, swinging against its stop: a default of convenience, softer than steel
stops are, so that steps of a millisecond follow it. Harder stops take shorter steps in proportion."""
STOP_DAMPING = 0.5
"""Of the critical damping of this swing: a joint bounces off with 16 % of its speed, as exp(−π ζ / √(1 − ζ²))."""
DEPTHS = {"angle": 0.1 * math.pi / 180.0, "distance": 1e-4}
"""rad and m over which a stop comes to its full stiffness."""


def limit_stops(lowered: Lowered, specs: LoadSpecs) -> tuple[tuple[str, Stop], ...]:
    """A stop for every joint with limits that the scenario gives none, by name.

    Its hardness is a default of convenience: the inertia that the joint carries as designed would swing against
    it at `STOP_FREQUENCY`. A joint that nothing can move has no stop.
    """
    given = {name for name, _ in specs.stops}
    limited = [
        (i, joint, joint.limit) for i, joint in enumerate(lowered.joints)
        if joint.limit is not None and joint.name not in given
        and not (joint.limit.lower is None and joint.limit.upper is None)
    ]  # fmt: skip
    inertias = carried_inertia(lowered.model, [i for i, _, _ in limited])
    found = []
    for (_, joint, limit), inertia in zip(limited, inertias, strict=True):
        if not (math.isfinite(inertia) and inertia > 0):
            continue
        swing = 2 * math.pi * STOP_FREQUENCY
        lower = -math.inf if limit.lower is None else limit.lower
        upper = math.inf if limit.upper is None else limit.upper
        stiffness, damping = inertia * swing**2, 2 * STOP_DAMPING * inertia * swing
        found.append((joint.name, Stop(lower, upper, stiffness, damping, DEPTHS[joint.coordinate or "angle"])))
    return tuple(found)


def carried_inertia(model: Model, coordinates: Sequence[int]) -> list[float]:
    """What a unit torque (force) along each coordinate has to move at the pose as designed, kg m² (kg)."""
    motors = tuple(Motor("probe", model.coordinates[i], "torque", constant(0.0)) for i in coordinates)
    system = prepared(replace(model, motors=motors))
    s = project(system, State.at_rest(model.positions, model.quaternions)).state
    T, K, B, F, W = system.program.terms, system.plan, system.bodies, system.loads, system.rows
    values = drive_values(system, s.t)
    count = len(system.program.coordinate_term)

    def rate(coordinate: int) -> float:
        arrays = (s.positions, s.quaternions, s.velocities, s.branches, values)
        found = accelerate(T, K, B, F, W, *arrays)[0]
        return float(observe(T, B, F, W, system.length, *arrays, found, count)[2][coordinate])

    inertias = []
    for k, i in enumerate(coordinates):
        # The difference of two torques: gravity and springs accelerate the joint as well.
        rest = rate(i)
        values[k, 0] = 1.0
        gained = rate(i) - rest
        values[k, 0] = 0.0
        # rad/s² for 1 N m (m/s² for 1 N): below, nothing moves, and what is left is the rounding of a difference.
        inertias.append(1.0 / gained if gained > 1e-12 else math.inf)
    return inertias
