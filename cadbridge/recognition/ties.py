"""What may hold one instance to another."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Held(Enum):
    """What holds a part to another, where that decides what else may be.

    It rests on it, reaches into it, fits it on one line or in a corner, is in its sub-assembly (together), touches
    nothing and stands beside it, or is left where it stands (nothing), or a hint says so.
    """

    RESTS = auto()
    REACHES = auto()
    FITS = auto()
    TOGETHER = auto()
    BESIDE = auto()
    NOTHING = auto()
    SAID = auto()
    OTHER = auto()


@dataclass(frozen=True)
class Tie:
    """Two instances of which one may hold the other: why, how sure that is, and what holds it."""

    a: str
    b: str
    reason: str
    confidence: float
    how: Held = Held.OTHER

    @property
    def pair(self) -> tuple[str, str]:
        """The two instances."""
        return self.a, self.b
