"""What a source says of a run: motions, initial velocities, gravity, and a trajectory computed elsewhere.

Some formats carry a simulation beside the mechanism. It is kept apart from the mates: drivers count neither in
rows nor in degrees of freedom. SI throughout; W is the world frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Where
from cadbridge.frames import Pose, Vector

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MotionLaw:
    """A motion prescribed between the frames of a mate.

    `kind` "angle": turn (rad) of b's x against a's x about a's direction; "distance": height (m) of b's
    point over a's along a's direction. `text` is an expression of the time t in s.
    """

    name: str
    mate: str
    kind: str
    text: str
    where: Where = field(default_factory=Where)


@dataclass(frozen=True, eq=False)
class FrameMotion:
    """A pose prescribed of a frame J of component `b` in a frame I of component `a`; X_a is X_CI, X_b is X_CJ.

    `distances` are expressions of the time t in s for J's origin in I (m); `turns` (rad) are taken one after the other
    about the turned `axes` (0 x, 1 y, 2 z): R_IJ = R(axis 1, turn 1) R(axis 2, turn 2) R(axis 3, turn 3).
    """

    name: str
    a: str
    X_a: Pose
    b: str
    X_b: Pose
    distances: tuple[str, str, str]
    turns: tuple[str, str, str]
    axes: tuple[int, int, int] = (0, 1, 2)
    where: Where = field(default_factory=Where)


@dataclass(frozen=True, eq=False)
class Reference:
    """A trajectory from elsewhere, at times `t` (k,) s.

    Per component, of its frame C in W: `positions` (k, 3) m, `rotations` (k, 3, 3), and `velocities` (k, 6),
    [v; ω] at C's origin in m/s and rad/s; a component whose velocities are not given has no entry there. `tolerance`
    is what the solver that made it claims of itself (m, rad).
    """

    t: Array
    positions: dict[str, Array]
    rotations: dict[str, Array]
    velocities: dict[str, Array]
    tolerance: float


@dataclass(frozen=True, eq=False)
class Study:
    """What a source says of a run; None and empty where it says nothing.

    `velocities`: per component its twist (6,) at the origin of C, [v; ω] in m/s and rad/s, world axes.
    `designed_at` (s from the start of the run) is when the motions have the designed pose: a file saved after its run
    holds the last pose, and drivers and gears have turned until then.
    """

    gravity: tuple[float, float, float] | None = None
    duration: float | None = None
    rate: float | None = None
    tolerance: float | None = None
    motions: tuple[MotionLaw, ...] = ()
    frame_motions: tuple[FrameMotion, ...] = ()
    velocities: dict[str, Vector] = field(default_factory=dict)
    reference: Reference | None = None
    designed_at: float = 0.0
