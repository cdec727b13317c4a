"""Inverse dynamics of a mechanism: from a prescribed motion to efforts, reactions and contact forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.actuators import declared_drives, driven_by
from cadbridge.efforts.circuits import with_circuits
from cadbridge.efforts.follow import Followed, follow
from cadbridge.efforts.freedoms import report_singular_poses, spare_actuators
from cadbridge.efforts.guides import joint_coordinate
from cadbridge.efforts.losses import lossless, with_lost
from cadbridge.efforts.methods import METHODS
from cadbridge.efforts.motion import Motion
from cadbridge.efforts.task import Forces, Quantity, Task
from cadbridge.errors import InputError, ModelError
from cadbridge.findings import Finding, Findings, Where
from cadbridge.lowering import Lowered, lower
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.shown import Shown, sentence
from cadbridge.simulation.determined import determined, report_least_norm
from cadbridge.simulation.fitting import fitted
from cadbridge.simulation.judging import beyond_range
from cadbridge.simulation.left_out import losses_left_out
from cadbridge.simulation.loads import placed
from cadbridge.simulation.refused import refused
from cadbridge.simulation.run import Run
from cadbridge.wording import count
from solver.equations.system import System, prepare
from solver.model import Model
from solver.result import Result, Status, Trajectory

Array = NDArray[np.float64]

EFFORTS_MISS = 1e-6
"""The share of the largest acceleration that efforts may leave open before it is reported: a choice, above the rounding
of motions that tables give with seven digits."""

EFFORTS_WRONG = 1e-2
"""The share from which efforts are wrong, and said to be: a choice, as a plot shows a hundredth."""

_MEND = "{}lan the motion around the pose, or give light bodies their real mass."
_ANOTHER = "Compute with `--method absolute` or `--method tree`, p"


@dataclass(frozen=True, eq=False)
class Inverse(Shown):
    """What a motion asks for.

    Attributes:
        run: States, accelerations and the multipliers that go with the efforts, as of a simulation.
        motion: What was prescribed.
        method: How it was computed.
        forces: As the method gave them; `forces.efforts` (k, a) are those of the actuators.
        actuators: The joints whose efforts these are.
        determined: By joint, whether a rigid model determines its force and its torque.
        summary: What a person wants to know first, as plain data.
    """

    run: Run
    motion: Motion
    method: str
    forces: Forces
    actuators: tuple[Joint, ...]
    determined: dict[str, tuple[bool, bool]]
    summary: dict[str, Any]

    def __repr__(self) -> str:
        samples = count(len(self.run.result.trajectory.t), "sample")
        name = self.run.mechanism.assembly.name
        return sentence("Inverse", name, f"method {self.method}", samples, count(len(self.actuators), "actuator"))

    @property
    def external(self) -> dict[str, Array]:
        """External wrenches (k, 6) [force; torque] on bodies by name, about the prescribed point, world axes."""
        return self.forces.external

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything to report about it."""
        return self.run.findings


def inverse(
    mechanism: Mechanism,
    motion: Motion,
    *,
    method: str = "absolute",
    collapse: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Inverse:
    """Drive a mechanism along a motion and find the efforts that it takes.

    A motion that cannot be followed to its end is reported (CB664, CB665), with what was computed before.

    Args:
        mechanism: The mechanism.
        motion: What is prescribed of joints and bodies, as functions of time; `load_motion` reads it from a file.
        method: "absolute" (in absolute coordinates), "tree" (over a spanning tree), "transmission" (along transmission
            lines) or "bond-graph"; docs/inverse.md says from which paper each is.
        collapse: False keeps every row of every mate, so that each mate has its wrench; the method is then "absolute".
            Where mates repeat each other the multipliers are those of least norm, which is reported (CB647).
        progress: Called with the simulated time in s.

    Returns:
        Efforts of the actuators, the motion, reactions, and what the method gives beside them.

    Raises:
        InputError: The method is none or does not go with `collapse`, or the motion has no value at some time or is too
            fast to be followed (CB676).
        ModelError: A mass is not known, a freedom is left that nothing prescribes (CB662), or no actuator moves one
            (CB663).
    """
    _check_method(method, collapse)
    findings = Findings()
    scenario = motion.scenario
    mechanism = fitted(mechanism, findings, scenario.gap, collapse=collapse)
    lowered = lower(mechanism, collapse=collapse, gravity=scenario.gravity, friction=scenario.friction)
    try:
        model = placed(lowered, scenario.loads)
        losses_left_out(lowered, scenario, findings)
        outside = _from_outside(lowered, motion, findings)
        # What teeth lose does not change a motion that is prescribed, and what leads it may be the wrong end of a worm.
        losing = outside or motion.simulate_free
        followed = follow(lowered, model if losing else lossless(model), motion, findings)
        system = prepare(model, carried=False)
        if progress is not None:
            progress(scenario.duration / 2)
        joints, task = _task(lowered, system, motion, followed, outside, findings)
        forces = with_circuits(task, with_lost(task, METHODS[method](task)), motion, findings)
        findings.extend(forces.findings)
        followed, forces = _until_locked(model, followed, forces, findings)
    except ValueError as fault:
        raise refused(fault, findings) from fault
    T = followed.trajectory
    _beyond(lowered, motion, T, joints, forces, findings)
    status = _unmet(T, forces, method, findings) or followed.result.status
    result = Result(status, replace(T, multipliers=forces.multipliers), followed.result.statistics)
    are_determined = determined(lowered, system, T)
    report_least_norm(lowered, system, T, findings)
    run = Run(mechanism, scenario, lowered, system, result, findings.as_tuple(), {})
    summary = _summary(run, method, forces, joints)
    return Inverse(replace(run, summary=summary), motion, method, forces, joints, are_determined, summary)


def _check_method(method: str, collapse: bool) -> None:
    """InputError for a method that is not known, or that cannot keep the rows of every mate."""
    if method not in METHODS:
        raise InputError(f"There is no method {method!r}; known are {', '.join(METHODS)}.")
    if not collapse and method != "absolute":
        raise InputError(f"Only the method absolute can keep the rows of every mate, not {method}.")


def _task(
    lowered: Lowered, system: System, motion: Motion, followed: Followed, outside: bool, findings: Findings
) -> tuple[tuple[Joint, ...], Task]:
    """The joints that are driven, and what a method computes; `outside` as of `_from_outside`."""
    joints = driven_by(lowered, system, motion, followed, findings)
    channels = tuple(joint_coordinate(lowered, j.name) for j in joints)
    spare = 0 if outside else spare_actuators(lowered, system, motion, followed, channels, findings)
    report_singular_poses(lowered, system, motion, followed.trajectory, () if outside else channels, findings)
    bodies, names = motion.bodies if outside else (), tuple(j.name for j in joints)
    return joints, Task(lowered, system.model, followed, names, channels, bodies, spare)


def _from_outside(lowered: Lowered, motion: Motion, findings: Findings) -> bool:
    """Whether bodies are moved from outside, for want of actuators (CB667)."""
    if motion.actuators or not motion.bodies or declared_drives(lowered):
        return False
    names = [b.name for b in motion.bodies]
    findings.add("CB667", f"no actuators are named: {', '.join(names)} is moved from outside", items=names)
    return True


def _until_locked(model: Model, followed: Followed, forces: Forces, findings: Findings) -> tuple[Followed, Forces]:
    """The samples before a train locks itself, which is reported (CB673); all where none does."""
    locked = np.flatnonzero(np.isnan(forces.unmet)) if model.meshes else np.zeros(0, int)
    if not len(locked):
        return followed, forces
    k, T = int(locked[0]), followed.trajectory
    names = [m.name for m in model.meshes if max(m.losses) >= 1] or [m.name for m in model.meshes]
    message = f"at t = {T.t[k]:.6g} s the actuators would drive {', '.join(names)} backwards, which locks"
    findings.add("CB673", message, Where(item=names[0]), items=names)
    if k == 0:
        raise ModelError("the mechanism is self-locking at the start of the motion", findings)
    status = Status(False, "locked", message, "Drive the train from its other end, or give it a higher efficiency.")
    result = replace(followed.result, status=status, trajectory=_first(T, k, len(T.t)))
    return replace(followed, result=result), _first(forces, k, len(T.t))


def _first(of: Any, count: int, samples: int) -> Any:
    """The first samples of all arrays of a dataclass that have one row for each."""

    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cut(item) for key, item in value.items()}
        if isinstance(value, tuple):
            return tuple(cut(item) for item in value)
        if isinstance(value, Quantity):
            return replace(value, values=value.values[:count])
        return value[:count] if isinstance(value, np.ndarray) and len(value) == samples else value

    return replace(of, **{f.name: cut(getattr(of, f.name)) for f in fields(of)})


def _beyond(
    lowered: Lowered, motion: Motion, T: Trajectory, joints: tuple[Joint, ...], forces: Forces, findings: Findings
) -> None:
    """Report the joints that pass their range or speed, and the actuators that would need more than they have."""
    beyond_range(lowered, motion.scenario, T, findings)
    for i, joint in enumerate(lowered.joints):
        limit = joint.limit
        demands = [("rad/s" if joint.coordinate == "angle" else "m/s", T.coordinate_rates[:, i], "velocity")]
        if joint in joints:
            demands.append((effort_unit(joint), forces.efforts[:, joints.index(joint)], "effort"))
        for unit, values, what in demands:
            allowed = None if limit is None else getattr(limit, what)
            k = int(np.argmax(np.abs(values)))
            # A motion that goes just to a limit passes it by rounding.
            if allowed is not None and abs(values[k]) > allowed * (1 + 1e-9):
                message = f"{joint.name} needs {abs(values[k]):.4g} {unit} at t = {T.t[k]:.4g} s, and has {allowed:.4g}"
                findings.add("CB669", message, Where(item=joint.name))


def _unmet(T: Trajectory, forces: Forces, method: str, findings: Findings) -> Status | None:
    """Report efforts that do not give the motion requested, and rates that are not those of the motion.

    The status of a result that is wrong by them; None where it is not.
    """
    k, i = int(np.argmax(T.constraint_velocity)), int(np.argmax(forces.unmet))
    fastest, largest = (float(np.max(np.abs(of), initial=0.0)) for of in (T.velocities, T.accelerations))
    missed = f"at t = {T.t[k]:.6g} s the rates found miss those of the motion by {T.constraint_velocity[k]:.3g} rad/s"
    left = f"at t = {T.t[i]:.6g} s the efforts found leave {forces.unmet[i]:.3g} rad/s² or m/s² of {largest:.3g} open"
    worst, cure = None, _MEND.format("P" if method in ("absolute", "tree") else _ANOTHER)
    for text, miss, scale in ((missed, T.constraint_velocity[k], fastest), (left, forces.unmet[i], largest)):
        if not miss <= EFFORTS_WRONG * (1.0 + scale):
            findings.add("CB687", text, hint=cure)
            worst = Status(False, "missed", text, cure)
        elif not miss <= EFFORTS_MISS * (1.0 + scale):
            findings.add("CB671", text)
    return worst


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
        "external": sorted(forces.external),
        "constraint_position": float(np.max(T.constraint_position, initial=0.0)),
        "unmet_acceleration": float(np.max(forces.unmet, initial=0.0)),
        "gravity": list(run.lowered.model.gravity),
    }


def effort_unit(joint: Joint) -> str:
    """N m of a joint that turns, N of one that slides."""
    return "N" if joint.coordinate == "distance" else "N m"
