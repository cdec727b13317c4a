"""The joint types: what each leaves free says all that the rest of the house asks of a type.

A type's steps are its single freedoms, outermost first, in the joint frame J (z is the axis). Its motion subspace, the
rows that hold the rest, its coordinate, and what a limit or damping acts on follow from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cadbridge.frames import Matrix, Vector
from cadbridge.freedoms import FIXED, SLIDE, TURN, Free

X, Y, Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class FreeAxis:
    """One freedom: `kind` TURN (rad) or SLIDE (m) about or along the unit `axis` (3,); `suffix` to the joint's name."""

    suffix: str
    kind: str
    axis: Vector


@dataclass(frozen=True, eq=False)
class JointType:
    """What a joint leaves free. `lower_pair`: its freedoms are those of J wherever it stands, and its name says them.

    `coupled`: a turn and a slide about one axis that are one freedom by the joint's pitch.
    """

    steps: tuple[FreeAxis, ...]
    lower_pair: bool = True
    coupled: bool = False

    @cached_property
    def turns(self) -> int:
        """How many of the steps turn."""
        return sum(step.kind == TURN for step in self.steps)

    @property
    def slides(self) -> int:
        """How many of the steps slide."""
        return len(self.steps) - self.turns

    @cached_property
    def free(self) -> Free:
        """The freedoms as the axes of J."""
        axes = (3 * (step.kind == TURN) + int(np.argmax(step.axis)) for step in self.steps)
        return Free(tuple(sorted(axes)), self.coupled)

    @property
    def ball(self) -> bool:
        """Whether any orientation is free, so that three angles say it badly."""
        return self.turns == 3

    @property
    def crossed(self) -> bool:
        """Whether it turns about the two arms of a cross, which its rows tell."""
        return self.turns == len(self.steps) == 2

    @property
    def unbound(self) -> bool:
        """Whether the steps hold nothing; rows may."""
        return len(self.steps) == 6

    @cached_property
    def axial(self) -> bool:
        """Whether all it does is about and along one axis, so that a limit has a place."""
        return bool(self.steps) and all(step.axis is Z for step in self.steps)

    @cached_property
    def resisted(self) -> str | None:
        """The kind of coordinate on which damping and friction act, "angle" or "distance": the one turn, else slide."""
        if self.turns == 1:
            return "angle"
        return "distance" if self.turns == 0 and self.slides == 1 else None

    @cached_property
    def coordinate(self) -> str | None:
        """The kind of the coordinate of a type with one freedom, "angle" or "distance"; None of others."""
        return self.resisted if len(self.steps) == 1 or self.coupled else None

    def motions(self, pitch: float | None = None) -> Matrix:
        """The motion subspace (6, k) of a lower pair in J: v at the origin; ω. About one axis, the turn comes first."""
        steps = sorted(self.steps, key=lambda step: step.kind != TURN) if self.axial else self.steps
        columns = np.zeros((6, len(steps)))
        for k, step in enumerate(steps):
            columns[:3, k], columns[3:, k] = (0.0, step.axis) if step.kind == TURN else (step.axis, 0.0)
        if not self.coupled:
            return columns
        assert pitch is not None
        return np.asarray(columns @ [[1.0 if step.kind == TURN else pitch] for step in steps])


_TURNS = (FreeAxis("_rx", TURN, X), FreeAxis("_ry", TURN, Y), FreeAxis("_rz", TURN, Z))
_SLIDES = (FreeAxis("_x", SLIDE, X), FreeAxis("_y", SLIDE, Y), FreeAxis("_z", SLIDE, Z))
_TRAVEL = FreeAxis("_travel", SLIDE, Z)

JOINT_TYPES: dict[str, JointType] = {
    "revolute": JointType((FreeAxis("", TURN, Z),)),
    "prismatic": JointType((FreeAxis("", SLIDE, Z),)),
    "screw": JointType((FreeAxis("", TURN, Z), _TRAVEL), coupled=True),
    "cylindrical": JointType((_TRAVEL, FreeAxis("", TURN, Z))),
    "universal": JointType((FreeAxis("_1", TURN, X), FreeAxis("_2", TURN, Y)), lower_pair=False),
    "spherical": JointType(_TURNS),
    "planar": JointType((*_SLIDES[:2], _TURNS[2])),
    "generic": JointType(_SLIDES + _TURNS, lower_pair=False),
    "free": JointType(_SLIDES + _TURNS, lower_pair=False),
    "root": JointType(()),
}
"""By name, those first that a spanning tree takes first. "free" hangs on nothing, "root" is a tree's ground."""

LEAVES: dict[str, Free] = {"fixed": FIXED} | {name: kind.free for name, kind in JOINT_TYPES.items()}
"""What a joint of a type's name leaves free; of what is named otherwise nothing is known to be."""
