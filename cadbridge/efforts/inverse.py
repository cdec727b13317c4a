"""Inverse dynamics of a mechanism: from a prescribed motion to efforts, reactions and contact forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.determined import determined
from cadbridge.efforts.follow import follow
from cadbridge.efforts.freedoms import spare_actuators, tell_singular_poses
from cadbridge.efforts.guides import joint_coordinate
from cadbridge.efforts.methods import METHODS
from cadbridge.efforts.motion import Motion
from cadbridge.efforts.task import Forces, Task
from cadbridge.errors import InputError
from cadbridge.findings import Finding, Findings, Where
from cadbridge.lowering import Lowered, lower
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.simulation.fitting import fitted
from cadbridge.simulation.loads import placed
from cadbridge.simulation.run import Run, beyond_range
from solver.result import Result, Trajectory
from solver.system import prepare

Array = NDArray[np.float64]

SLACK = 1e-6
"""The share of the largest acceleration that efforts may leave open before it is told."""


@dataclass(frozen=True, eq=False)
class Inverse:
    """What a motion asks for.

    `run` holds states, accelerations and the multipliers that go with the efforts, as of a simulation; `forces` are as
    the method gave them, `forces.efforts` (k, a) those of the `actuators`. `determined` tells of each joint's
    force and torque whether a rigid model determines them.
    """

    run: Run
    motion: Motion
    method: str
    forces: Forces
    actuators: tuple[Joint, ...]
    determined: dict[str, tuple[bool, bool]]
    summary: dict[str, Any]

    @property
    def led(self) -> dict[str, Array]:
        """Wrenches (k, 6) [force; torque] on bodies moved from outside, by name, about the point led, world axes."""
        return self.forces.led

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that is to be said of it."""
        return self.run.findings


def inverse(
    mechanism: Mechanism,
    motion: Motion,
    *,
    method: str = "absolute",
    progress: Callable[[float], None] | None = None,
) -> Inverse:
    """Drive a mechanism along a motion and read what that asks for.

    Raises InputError where the method is not known or the motion has no value, ModelError (with findings) where a mass
    is not known, where a freedom is left that nothing prescribes (CB662) or that no actuator moves (CB663). A motion
    that cannot be followed to its end is told (CB664, CB665), with what was computed before. `progress` is called
    with the simulated time (s).
    """
    if method not in METHODS:
        raise InputError(f"There is no method {method!r}; known are {', '.join(METHODS)}.")
    findings = Findings()
    scenario = motion.scenario
    mechanism = fitted(mechanism, findings, scenario.gap)
    lowered = lower(mechanism, gravity=scenario.gravity, friction=scenario.friction)
    try:
        model = placed(lowered, scenario.loads)
        if model.meshes and method != "absolute":
            lossy = ", ".join(mesh.name for mesh in model.meshes)
            findings.add("CB613", f"--method {method} leaves out what is lost in the teeth of {lossy}")
            model = replace(model, meshes=())
        followed = follow(lowered, model, motion, findings)
        system = prepare(model)
        if progress is not None:
            progress(scenario.duration / 2)
        T = followed.trajectory
        joints, outside = _driven_by(lowered, motion, findings)
        channels = tuple(joint_coordinate(lowered, j.name) for j in joints)
        spare = 0 if outside else spare_actuators(lowered, system, motion, followed, channels, findings)
        tell_singular_poses(lowered, system, motion, T, () if outside else channels, findings)
        names = tuple(j.name for j in joints)
        bodies = motion.bodies if outside else ()
        forces = METHODS[method](Task(lowered, model, followed, names, channels, bodies, spare))
        findings.extend(forces.findings)
        _beyond(lowered, motion, T, joints, forces, findings)
        _unmet(T, forces, findings)
    except ValueError as fault:
        raise InputError(str(fault), findings) from fault
    result = Result(followed.result.status, replace(T, multipliers=forces.multipliers), followed.result.statistics)
    stated = determined(lowered, system, T)
    run = Run(mechanism, scenario, lowered, system, result, findings.as_tuple(), {})
    summary = _summary(run, method, forces, joints)
    return Inverse(replace(run, summary=summary), motion, method, forces, joints, stated, summary)


def _driven_by(lowered: Lowered, motion: Motion, findings: Findings) -> tuple[tuple[Joint, ...], bool]:
    """The joints that drive, and whether bodies are moved from outside beside them, for want of actuators."""
    by_name = {j.name: j for j in lowered.joints}
    if motion.actuators:
        return tuple(by_name[n] for n in motion.actuators), False
    drives = [j for d in lowered.mechanism.drives if (j := _single(lowered, d.joint)) is not None]
    if motion.bodies and drives:
        return tuple(dict.fromkeys(drives)), False
    if motion.bodies:
        names = [b.name for b in motion.bodies]
        findings.add("CB667", f"no actuators are named: {', '.join(names)} is moved from outside", items=names)
    return tuple(by_name[p.joint] for p in motion.joints), bool(motion.bodies)


def _single(lowered: Lowered, name: str) -> Joint | None:
    index = lowered.coordinate_of(name)
    return None if index is None else lowered.joints[index]


def _beyond(
    lowered: Lowered, motion: Motion, T: Trajectory, joints: tuple[Joint, ...], forces: Forces, findings: Findings
) -> None:
    """Tell the joints that pass their range or speed, and the actuators that would need more than they have."""
    beyond_range(lowered, motion.scenario, T, findings)
    for i, joint in enumerate(lowered.joints):
        limit = joint.limit
        asked = [("rad/s" if joint.coordinate == "angle" else "m/s", T.coordinate_rates[:, i], "velocity")]
        if joint in joints:
            asked.append((effort_unit(joint), forces.efforts[:, joints.index(joint)], "effort"))
        for unit, values, what in asked:
            allowed = None if limit is None else getattr(limit, what)
            k = int(np.argmax(np.abs(values)))
            if allowed is not None and abs(values[k]) > allowed * (1 + 1e-9):
                said = f"{joint.name} needs {abs(values[k]):.4g} {unit} at t = {T.t[k]:.4g} s, and has {allowed:.4g}"
                findings.add("CB669", said, Where(item=joint.name))


def _unmet(T: Trajectory, forces: Forces, findings: Findings) -> None:
    """Tell efforts that do not give the motion asked for."""
    k = int(np.argmax(forces.unmet))
    largest = float(np.max(np.abs(T.accelerations), initial=0.0))
    if not forces.unmet[k] <= SLACK * (1.0 + largest):
        text = (
            f"at t = {T.t[k]:.6g} s the efforts found leave {forces.unmet[k]:.3g} rad/s² or m/s² of {largest:.3g} open"
        )
        findings.add("CB671", text)


def _summary(run: Run, method: str, forces: Forces, joints: tuple[Joint, ...]) -> dict[str, Any]:
    """What a person wants to know first; plain numbers."""
    T, status = run.result.trajectory, run.result.status
    return {
        "status": status.code,
        "message": status.message,
        "method": method,
        "simulated_s": float(T.t[-1]) if len(T.t) else 0.0,
        "samples": len(T.t),
        "bodies": len(run.lowered.units),
        "rows": int(sum(p.rows for p in run.lowered.model.primitives)),
        "actuators": [{"joint": j.name, "unit": effort_unit(j)} for j in joints],
        "led": sorted(forces.led),
        "constraint_position": float(np.max(T.constraint_position, initial=0.0)),
        "unmet_acceleration": float(np.max(forces.unmet, initial=0.0)),
        "gravity": list(run.lowered.model.gravity),
    }


def effort_unit(joint: Joint) -> str:
    """N m of a joint that turns, N of one that slides."""
    return "N" if joint.coordinate == "distance" else "N m"
