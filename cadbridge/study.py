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
    """A motion that the source prescribes between the frames of a mate.

    Attributes:
        name: Its name.
        mate: The mate.
        kind: "angle" (turn of b's x against a's x about a's direction, rad) or "distance" (height of b's point over a's
            along a's direction, m).
        text: An expression of the time t in s.
        where: Its place in the file.
    """

    name: str
    mate: str
    kind: str
    text: str
    where: Where = field(default_factory=Where)


@dataclass(frozen=True, eq=False)
class FrameMotion:
    """A pose prescribed of a frame J of one component in a frame I of another.

    Attributes:
        name: Its name.
        a: The component that has I.
        X_a: X_CI, I in the frame of `a`.
        b: The component that has J.
        X_b: X_CJ, J in the frame of `b`.
        distances: Expressions of t (s) for J's origin in I, m.
        turns: Expressions of t (s) for three angles, rad, taken one after the other about the turned axes: R_IJ =
            R(axis 1, turn 1) R(axis 2, turn 2) R(axis 3, turn 3).
        axes: The three axes: 0 x, 1 y, 2 z.
        where: Its place in the file.
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
    """A trajectory that another solver computed, by component, of its frame C in W.

    Attributes:
        t: Times (k,) s.
        positions: (k, 3) m.
        rotations: (k, 3, 3).
        velocities: [v; ω] at C's origin (k, 6) m/s, rad/s; a component whose velocities are not given has no entry.
        tolerance: What the solver that made it claims of itself, m and rad.
    """

    t: Array
    positions: dict[str, Array]
    rotations: dict[str, Array]
    velocities: dict[str, Array]
    tolerance: float


@dataclass(frozen=True, eq=False)
class Study:
    """What a source says of a run; None and empty where it says nothing.

    Attributes:
        gravity: m/s², world axes.
        duration: s.
        rate: Samples a second.
        tolerance: Of its solver.
        motions: Motions prescribed of mates.
        frame_motions: Poses prescribed between frames.
        velocities: By component its twist at the start (6,), [v; ω] at the origin of C, m/s and rad/s, world axes.
        reference: A trajectory to compare with.
        designed_at: When, s from the start of the run, the motions have the designed pose: a file saved after its run
            holds the last pose.
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
