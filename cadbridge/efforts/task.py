"""A motion whose efforts are requested, and what a method gives of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.follow import Followed
from cadbridge.efforts.motion import BodyPath
from cadbridge.findings import Finding
from cadbridge.lowering import Lowered
from solver.constraints import Coordinate
from solver.model import Model
from solver.result import Trajectory
from solver.state import State

if TYPE_CHECKING:
    from solver.bondgraph import Built, KinetoStatics

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Task:
    """A motion that is known, and what drives it: the same for all methods.

    `model` is the lowered mechanism with its loads, without drivers; `followed` has its states and accelerations;
    `channels` (c) are the coordinates along which efforts are requested, of the joints `names`. `outside` are bodies
    that are moved from outside beside them. `spare` is how many channels there are more than freedoms. `losses`
    (k, n, 6) [force; torque] act on the bodies too, world axes, about their centres; None: nothing.
    """

    lowered: Lowered
    model: Model
    followed: Followed
    names: tuple[str, ...]
    channels: tuple[Coordinate, ...]
    outside: tuple[BodyPath, ...] = ()
    spare: int = 0
    losses: Array | None = None

    @property
    def trajectory(self) -> Trajectory:
        """The samples of the motion."""
        return self.followed.trajectory

    def states(self) -> list[State]:
        """The states of the trajectory."""
        T = self.trajectory
        arrays = (T.t, T.positions, T.quaternions, T.velocities, T.angles)
        return [State(float(t), *rest) for t, *rest in zip(*arrays, strict=True)]


@dataclass(frozen=True, eq=False)
class Quantity:
    """Values along a motion: the column `kind`.`name`.`what`.

    Attributes:
        kind: Such as "tooth" or "bearing".
        name: Whose they are.
        what: What they are.
        unit: Their unit.
        values: (k,).
        peak: Whether its peak is reported by itself; False of parts of another.
        plotted: Whether it is drawn, with the others of its kind.
    """

    kind: str
    name: str
    what: str
    unit: str
    values: Array
    peak: bool = True
    plotted: bool = False


@dataclass(frozen=True, eq=False)
class Forces:
    """What a method of inverse dynamics found at k samples.

    Attributes:
        efforts: Along the channels (k, c), N m or N.
        multipliers: λ of the rows of the model's primitives (k, m), with M v̇ + Ĝᵀλ = f.
        unmet: The largest acceleration that the efforts leave open (k,), rad/s² or m/s².
        quantities: What the method has beside it, such as loads of teeth and bearings.
        findings: What it has to say.
        external: Wrenches (k, 6) [force; torque] from outside on bodies by name, about the prescribed point, world
            axes.
        graph: The bond graph, where the method has one.
        drawn: The same with the circuits of motors.
    """

    efforts: Array
    multipliers: Array
    unmet: Array
    quantities: tuple[Quantity, ...] = ()
    findings: tuple[Finding, ...] = ()
    external: dict[str, Array] = field(default_factory=dict)
    graph: KinetoStatics | None = None
    drawn: Built | None = None


Method = Callable[[Task], Forces]
