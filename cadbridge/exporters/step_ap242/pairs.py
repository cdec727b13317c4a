"""Which pairs an assembly's mates are, each by itself or with those beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import GROUND, Limit, Mate, MateKind
from cadbridge.findings import Findings
from cadbridge.frames import Matrix, Pose, Vector, frame_from_axis, unit
from cadbridge.mechanism.collapse import joint_of, mate_axis
from cadbridge.mechanism.connections import Connection
from cadbridge.mechanism.model import GROUND_BODY, Joint, Mechanism
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.sides import MateSide, side_of

TYPES = {
    "revolute": "REVOLUTE", "prismatic": "PRISMATIC", "cylindrical": "CYLINDRICAL", "spherical": "SPHERICAL",
    "planar": "PLANAR", "screw": "SCREW", "universal": "UNIVERSAL", "fixed": "FULLY_CONSTRAINED",
    # Parallel faces are no pair with a name: a pair of low order says of each of the six freedoms whether it is there.
    "free": "UNCONSTRAINED", "parallel": "LOW_ORDER_KINEMATIC",
}  # fmt: skip
"""Our words for what a pair is, and the standard's."""


@dataclass(frozen=True, eq=False)
class KinematicPair:
    """A pair to write: its type in our words, the two components, X_WJ, and what it has besides."""

    name: str
    type: str
    a: str
    b: str
    X_WJ: Pose
    joint_name: str = ""
    limit: Limit | None = None
    pitch: float = 0.0


def pairs_of(mechanism: Mechanism, findings: Findings) -> list[KinematicPair]:
    """A pair for every mate that is one; for the others the joint that they make with those beside them."""
    single = _Single(mechanism)
    mates = {m.name: m for m in mechanism.assembly.mates}
    joint_of_mate = {name: joint for joint in mechanism.joints for name in joint.mates}
    found = {name: single.pair(mate) for name, mate in mates.items()}
    pairs = {name: pair for name, pair in found.items() if pair is not None}
    done: set[str] = set()
    for mate in (mates[name] for name, pair in found.items() if pair is None):
        joint = joint_of_mate.get(mate.name)
        if joint is not None and joint.name in done:
            continue
        beside = [] if joint is None else [mates[name] for name in joint.mates]
        ends = {frozenset((m.a.component, m.b.component)) for m in beside}
        if joint is None or len(ends) != 1 or joint.type not in TYPES:
            findings.add(
                "CB791", f"{mate.name} ({mate.kind.value}) is not a kinematic pair of AP242 and is left out", mate.where
            )
            continue
        text = f"{', '.join(joint.mates)} are written as one {joint.type} pair"
        findings.add("CB793", text, mate.where)
        done.add(joint.name)
        for name in joint.mates:
            pairs.pop(name, None)
        pairs[joint.name] = single.joint(joint, beside[0])
    return list(pairs.values())


class _Single:
    """What single mates and joints of a mechanism are."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._rows = {r.mate: r for r in mechanism.mate_rows}
        still = [c.name for c in mechanism.assembly.components if c.grounded]
        self._index = dict.fromkeys((GROUND, *still), GROUND_BODY)
        self._index |= {name: i for i, name in enumerate(mechanism.component_names)}
        self._scale = mechanism.length_scale

    def pair(self, mate: Mate) -> KinematicPair | None:
        """The pair that a mate is by itself, None where it is none."""
        a, b = (side_of(self._mechanism.assembly, self._index, f) for f in (mate.a, mate.b))
        joint_name = mate.joint_name or self._mechanism.assembly.joint_names.get(mate.name, "")
        ends = (mate.a.component, mate.b.component)
        if mate.kind in (MateKind.FREE, MateKind.PARALLEL):
            axis = a.world_direction() if a.feature.direction is not None else np.array([0.0, 0.0, 1.0])
            return KinematicPair(
                mate.name, mate.kind.value, *ends, Pose(frame_from_axis(axis), a.world_point()), joint_name
            )
        if mate.name not in self._rows:
            return None
        if mate.kind is MateKind.UNIVERSAL:
            X = Pose(_cross(a.world_direction(), b.world_direction()), a.world_point())
            return KinematicPair(mate.name, "universal", *ends, X, joint_name, mate.limit)
        joint = self._classified(mate, a)
        kind = None if joint is None else "fixed" if joint.freedom.shape[1] == 0 else joint.type
        if joint is None or kind is None or kind not in TYPES:
            return None
        X = self._pose(self._index[mate.a.component]) @ joint.X_AJ
        return KinematicPair(mate.name, kind, *ends, X, joint_name, mate.limit, joint.pitch or 0.0)

    def joint(self, joint: Joint, mate: Mate) -> KinematicPair:
        """A joint of the mechanism, between the components of one of its mates."""
        ends = (mate.a.component, mate.b.component)
        return KinematicPair(
            joint.name, joint.type, *ends, self._mechanism.X_WB(joint.a) @ joint.X_AJ, joint.name, joint.limit,
            joint.pitch or 0.0,
        )  # fmt: skip

    def _classified(self, mate: Mate, side: MateSide) -> Joint | None:
        """What a single mate leaves, classified as the mechanism's joints are."""
        rows = self._rows[mate.name]
        a, b = (self._index[f.component] for f in (mate.a, mate.b))
        primitives = tuple(reframed(p, lambda i: (0 if i == a else 1, Pose())) for p in rows.primitives)
        link = Connection(0, 1, self._pose(a), self._pose(b), (mate,), (rows,), primitives, side.world_point())
        return joint_of(link, mate.name, self._scale, mate_axis(mate, side))

    def _pose(self, index: int) -> Pose:
        return Pose() if index == GROUND_BODY else self._mechanism.X_WC[index]


def _cross(first: Vector, second: Vector) -> Matrix:
    """A rotation whose x and y are the two arms of a cross."""
    z = unit(np.cross(first, second))
    return np.column_stack([first, np.cross(z, first), z])
