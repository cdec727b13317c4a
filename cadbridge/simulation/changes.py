"""Changes of a mechanism while it runs: attach, release, lock, unlock at given times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Vector
from cadbridge.lowering import Lowered
from cadbridge.mechanism import Joint
from solver.runs.changing import SAME_TIME, Change
from solver.runs.holding import hold, point_on_line, point_on_point, weld


@dataclass(frozen=True, eq=False)
class ChangeSpec:
    """A change of the mechanism on the way.

    Attributes:
        t: When, s.
        verb: "attach", "release", "lock" or "unlock".
        name: The joint's name, or what `points` or `bodies` are called from then on.
        joint: The joint, where it is one.
        points: Two (body index, point (3,) m in its frame B) that are attached.
        axis: Of a line on the first body (3,), along which the second's point may slide; None is none.
        bodies: Two indices into `Mechanism.bodies` that are attached as they stand.
        parted: Couplings that a release takes apart.
        plastic: Whether rates may jump.
    """

    t: float
    verb: str
    name: str
    joint: Joint | None = None
    points: tuple[tuple[int, Vector], tuple[int, Vector]] | None = None
    axis: Vector | None = None
    bodies: tuple[int, int] | None = None
    parted: tuple[str, ...] = ()
    plastic: bool = False

    @property
    def title(self) -> str:
        """What is done to what."""
        return f"{self.verb} {self.name}"


def lock_name(name: str) -> str:
    """The group of the rows that lock a joint."""
    return f"lock of {name}"


def solver_changes(
    lowered: Lowered, specs: Sequence[ChangeSpec], *, duration: float, findings: Findings
) -> list[Change]:
    """The changes of a lowered mechanism; InputError where one comes too late.

    Where the rows are those of mates, a joint is all mates between its two bodies. Couplings that come apart are
    reported (CB624).
    """
    for spec in specs:
        if spec.t > duration:
            message = f"{spec.title}: {spec.t:g} s is after the end of the run at {duration:g} s"
            findings.add("CB620", message, Where(item=spec.name))
    if findings.errors:
        raise InputError("The changes of the scenario cannot be made.", findings)
    for spec in specs:
        if spec.parted:
            message = f"with {spec.name}, {', '.join(spec.parted[:5])} come apart at {spec.t:g} s, and stay so"
            findings.add("CB624", message, Where(item=spec.name))
    return [_change(lowered, spec) for spec in specs]


def _change(lowered: Lowered, spec: ChangeSpec) -> Change:
    if spec.joint is not None and spec.verb in ("attach", "release") and not lowered.collapsed:
        return _of_mates(spec, spec.joint)
    group = lock_name(spec.name) if spec.verb in ("lock", "unlock") else spec.name
    if spec.verb in ("release", "unlock"):
        return Change(spec.t, spec.title, off=(group, *spec.parted))
    shared: dict[str, Any] = {"on": (group,), "plastic": spec.plastic}
    if spec.points is not None:
        (a, point_a), (b, point_b) = spec.points
        (i, X_i), (j, X_j) = lowered.placed(a), lowered.placed(b)
        ends = (i, j, X_i.point(point_a))
        if spec.axis is None:
            rows = point_on_point(*ends, X_j.point(point_b))
        else:
            rows = point_on_line(*ends, spec.axis, X_j.point(point_b))
        return Change(spec.t, spec.title, make=lambda _: rows, **shared)
    if spec.verb == "attach":
        return Change(spec.t, spec.title, **shared)
    joint = spec.joint
    if joint is not None and joint.coordinate:
        index = lowered.coordinate_of(joint.name)
        assert index is not None
        return Change(spec.t, spec.title, make=hold(lowered.model.coordinates[index]), **shared)
    a, b = spec.bodies if spec.bodies is not None else (joint.a, joint.b)  # type: ignore[union-attr]  # one is given
    return Change(spec.t, spec.title, make=weld(lowered.unit_of[a], lowered.unit_of[b]), **shared)


def _of_mates(spec: ChangeSpec, joint: Joint) -> Change:
    """A joint attached or released by the rows of its mates; its motor and what it resists with bear its own name."""
    if spec.verb == "attach":
        return Change(spec.t, spec.title, on=joint.mates, plastic=spec.plastic, names=(joint.name,))
    return Change(spec.t, spec.title, off=(*joint.mates, *spec.parted), names=(joint.name,))


def released_at(specs: Sequence[ChangeSpec], name: str, times: Vector) -> np.ndarray:
    """Whether a joint is released, or a coupling apart, at the times (k,)."""
    gone = np.zeros(len(times), dtype=bool)
    for spec in specs:
        if name in spec.parted:
            gone[times >= spec.t - SAME_TIME] = True
        elif spec.name == name and spec.verb in ("attach", "release"):
            gone[times >= spec.t - SAME_TIME] = spec.verb == "release"
    return gone
