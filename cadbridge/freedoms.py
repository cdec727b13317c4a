"""What a joint leaves free: slides along and turns about the axes of its frame J. One vocabulary for all rooms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

AXES = ("tx", "ty", "tz", "rx", "ry", "rz")
"""Slides along (t) and turns about (r) the axes of J, by index."""

TURN, SLIDE = "revolute", "prismatic"
"""What a single freedom is."""


@dataclass(frozen=True)
class Free:
    """Freedoms of a joint: ascending indices into AXES. `pitched`: turn and slide about one axis are one freedom."""

    axes: tuple[int, ...] = ()
    pitched: bool = False

    @cached_property
    def slides(self) -> tuple[int, ...]:
        """The axes (0, 1, 2) that it slides along."""
        return tuple(i for i in self.axes if i < 3)

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """The axes (0, 1, 2) that it turns about."""
        return tuple(i - 3 for i in self.axes if i > 2)

    @property
    def count(self) -> int:
        """How many freedoms it is: a pitched turn and slide are one."""
        return 1 if self.pitched else len(self.axes)

    @property
    def single(self) -> bool:
        """Whether it has one coordinate."""
        return self.count == 1

    @property
    def motion(self) -> str | None:
        """Of a single freedom, whether its coordinate TURN or SLIDE; None of others."""
        return (TURN if self.turns else SLIDE) if self.single else None

    @property
    def directed(self) -> bool:
        """Whether it matters where its axes point."""
        return 0 < len(self.axes) < 6 and not self.ball

    @property
    def sliding(self) -> bool:
        """Whether it slides by itself, and not as it turns."""
        return bool(self.slides) and not self.pitched

    @property
    def ball(self) -> bool:
        """Whether it turns any way about a point."""
        return len(self.turns) == 3 and not self.slides

    @property
    def unbound(self) -> bool:
        """Whether it holds nothing."""
        return len(self.axes) == 6


def free(axes: str, pitched: bool = False) -> Free:
    """The freedoms that are written: "tz rz" slides along and turns about z."""
    return Free(tuple(sorted(AXES.index(axis) for axis in axes.split())), pitched)


FIXED = free("")
HINGE = free("rz")
SLEEVE = free("tz rz")
UNBOUND = free("tx ty tz rx ry rz")
