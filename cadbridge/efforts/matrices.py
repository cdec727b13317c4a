"""The matrices of a mechanism's spanning tree at a pose, or at a time of a motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from cadbridge.efforts.follow import follow
from cadbridge.efforts.losses import lossless
from cadbridge.efforts.motion import Motion
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered, lower
from cadbridge.mechanism import Mechanism
from cadbridge.simulation.initial import initial_state
from cadbridge.simulation.loads import placed, si
from cadbridge.simulation.refused import refused
from cadbridge.simulation.scenario import Scenario, find_joint
from cadbridge.simulation.tendons import report_not_inverted
from cadbridge.tree.links import spanning_tree
from cadbridge.tree.matrices import Matrices, matrices_at
from solver.equations.projection import project
from solver.equations.system import prepare
from solver.state import State


def matrices_of(mechanism: Mechanism, pose: Mapping[str, float], findings: Findings) -> Matrices:
    """The matrices at rest, where joints have these values (degrees or mm), else as designed.

    InputError for a joint that is not there or a pose that cannot be taken, ModelError where a mass is not known.
    """
    wanted = {}
    for name, value in pose.items():
        joint = find_joint(mechanism, findings, name, Where(item=name))
        if joint is not None:
            wanted[joint.name] = value * si(joint) * mechanism.sense(name)
    if findings.errors:
        raise InputError("The pose cannot be used.", findings)
    lowered = lower(mechanism)
    report_not_inverted(lowered, findings)
    state = initial_state(lowered, Scenario(positions=wanted), findings)
    if state is None:
        state = project(
            prepare(lowered.model, carried=False), State.at_rest(lowered.model.positions, lowered.model.quaternions)
        ).state
    return _found(lowered, state, None, findings)


def matrices_along(mechanism: Mechanism, motion: Motion, time: float, findings: Findings) -> Matrices:
    """The matrices at a time (s) of a motion, with its rates and accelerations; errors as of `inverse`."""
    duration = motion.scenario.duration
    if not 0.0 <= time <= duration:
        raise InputError(f"--time {time:g}: the motion lasts from 0 to {duration:g} s.")
    scenario = motion.scenario
    if time > 0:
        # One sample at its end: the way there is followed all the same.
        motion = replace(motion, scenario=replace(scenario, duration=time, rate=1.0 / time))
    lowered = lower(mechanism, gravity=scenario.gravity, friction=scenario.friction)
    try:
        followed = follow(lowered, lossless(placed(lowered, scenario.loads)), motion, findings)
    except ValueError as fault:  # a function of the motion has no value
        raise refused(fault, findings) from fault
    T = followed.trajectory
    k = -1 if time > 0 else 0
    # A run that ends early ends by far more than sums of steps are rounded.
    if abs(T.t[k] - time) > 1e-9 * max(1.0, duration):
        raise InputError(f"The motion ends early, at {T.t[-1]:.6g} s.", findings)
    state = T.state(k)
    return _found(lowered, state, T.accelerations[k], findings)


def _found(lowered: Lowered, state: State, accelerations: np.ndarray | None, findings: Findings) -> Matrices:
    of = spanning_tree(lowered)
    for name in of.left_out:
        message = f"the rotor of {name} is not in the inertia matrix: {name} closes a loop of the tree"
        findings.add("CB646", message, Where(item=name), items=[name])
    try:
        return matrices_at(of, state, accelerations)
    except ValueError as fault:
        raise refused(fault, findings) from fault
