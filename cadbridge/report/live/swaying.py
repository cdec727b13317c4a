"""Two parts lit in the picture, and a motion of one against the other: what a question or a new joint is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.recognition.questions.trying import Trial

SWAY_TURN = np.radians(25.0)
"""rad to either side, see below."""
SWAY_SLIDE = 0.06
"""rad, and share of the assembly's size, by which parts are moved to either side: enough to see which ones move, and no
more, so that what they pass through stays recognisable."""


@dataclass(frozen=True)
class Pointed:
    """Two instances, those that move, and the motion as the page takes it; indices as in the assembly."""

    first: int
    second: int
    moving: tuple[int, ...] = ()
    motion: dict[str, Any] | None = None

    def message(self) -> dict[str, Any]:
        """What the page is told."""
        return {"first": self.first, "second": self.second, "moving": self.moving, "motion": self.motion}


def pointed(assembly: Assembly, a: str, b: str, trial: Trial | None) -> Pointed:
    """Two instances to be lit, with a motion that is tried."""
    index = {i.name: k for k, i in enumerate(assembly.instances)}
    if trial is None:
        return Pointed(index[a], index[b])
    places = np.array([i.X_WI.p for i in assembly.instances])
    # m: parts drawn in place have all their frames in one; a sway of some millimetres is still seen.
    size = max(float(np.linalg.norm(np.ptp(places, axis=0))), 0.05)
    turns = bool(LEAVES[trial.type].turns)
    motion = {
        "point": [float(x) for x in trial.point],
        "axis": [float(x) for x in trial.axis],
        "turn": SWAY_TURN if turns else 0.0,
        "slide": SWAY_TURN / (2 * np.pi) * trial.pitch if turns else SWAY_SLIDE * size,
    }
    return Pointed(index[a], index[b], tuple(index[name] for name in trial.moving if name in index), motion)
