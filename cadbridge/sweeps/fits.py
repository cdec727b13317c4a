"""Play and forces of redundant mates along the motion of one joint: where it binds first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import InputError
from cadbridge.frames import Pose
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.misfit import Settings
from cadbridge.misfit.poses import PoseFit, fit_at
from cadbridge.readers.mates_file.document import nearest
from cadbridge.simulation.posing import SHOWN_SLIDE, SHOWN_TURN, Mover
from cadbridge.sweeps.singular import SingularPose, singular_poses

SAME_PLAY = 1.02
"""Where the most play is less than this many times the least, the pose does not matter: it is told with two digits."""


@dataclass(frozen=True, eq=False)
class Along:
    """A joint moved through `values` (k,) (rad, m; 0 as designed) and what its mechanism needs there.

    `first` is the place of the pose that needs most play. `stopped` names what kept the joint from going on, if so.
    `singular` are poses, also between those, at which more equations are redundant; None where nobody looked.
    """

    joint: Joint
    values: NDArray[np.float64]
    fits: tuple[PoseFit, ...]
    stopped: str
    singular: tuple[SingularPose, ...] | None = ()

    @property
    def first(self) -> int:
        """The pose at which it binds first."""
        return int(np.argmax([f.play for f in self.fits]))

    @property
    def alike(self) -> bool:
        """Whether all poses need about the same play."""
        plays = [f.play for f in self.fits]
        return max(plays) <= SAME_PLAY * min(plays)


def fit_along(mechanism: Mechanism, joint: str, settings: Settings | None = None, poses: int = 25) -> Along:
    """Move a joint of one freedom over its range and see what redundant mates cost at some of its poses.

    The range is that of the joint's limits, at most 60° (15 % of the mechanism's length) to either side. InputError
    where no joint of one freedom has that name.
    """
    found = mechanism.joint_named(joint)
    known = [j.name for j in mechanism.joints if j.coordinate is not None]
    if found is None or found.coordinate is None:
        raise InputError(f"No joint of one freedom has the name {joint!r}{nearest(joint, known)}.")
    mover = Mover(mechanism, (found.name,))
    low, high = _ends(mechanism, found)
    down, stopped_low = _way(mover, found.name, np.linspace(0.0, low, poses // 2 + 1)[1:])
    up, stopped_high = _way(mover, found.name, np.linspace(0.0, high, poses // 2 + 1)[1:])
    at = [*reversed(down), (0.0, mover.home().poses), *up]
    values = np.array([value for value, _ in at])

    def move(value: float) -> tuple[Pose, ...] | None:
        near = int(np.argmin(np.abs(values - value)))
        return _reached(mover, found.name, float(values[near]), value)

    singular = singular_poses(mechanism, at, move)
    fits = tuple(fit_at(mechanism, [X for _, X in at], settings))
    return Along(found, values, fits, stopped_low or stopped_high, singular)


def _ends(mechanism: Mechanism, joint: Joint) -> tuple[float, float]:
    reach = SHOWN_TURN if joint.coordinate == "angle" else SHOWN_SLIDE * mechanism.length_scale
    limit = joint.limit
    low = -reach if limit is None or limit.lower is None else max(-reach, limit.lower)
    high = reach if limit is None or limit.upper is None else min(reach, limit.upper)
    return min(low, 0.0), max(high, 0.0)


def _reached(mover: Mover, joint: str, near: float, value: float) -> tuple[Pose, ...] | None:
    """The poses at a value beside one that was reached before; None where the joint does not get there."""
    if not mover.move({joint: near}).status.ok:
        return None
    posed = mover.move({joint: value})
    return posed.poses if posed.status.ok else None


def _way(mover: Mover, joint: str, values: NDArray[np.float64]) -> tuple[list[tuple[float, tuple[Pose, ...]]], str]:
    """The poses from the designed one on, as far as it goes, and what stopped it."""
    mover.home()
    found: list[tuple[float, tuple[Pose, ...]]] = []
    for value in values.tolist():
        if found and value == found[-1][0]:
            continue
        posed = mover.move({joint: value})
        if not posed.status.ok:
            return found, posed.status.message
        found.append((value, posed.poses))
    return found, ""
