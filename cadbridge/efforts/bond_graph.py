"""The method of Wang & Tao (2013): driving efforts and constraint forces by the mechanism's vector bond graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.guides import path_rows, prescribed_slots
from cadbridge.efforts.motion import BodyPath
from cadbridge.efforts.task import Forces, Task
from cadbridge.lowering import Lowered
from solver.bondgraph import Drive, KinetoStatics, Place

Array = NDArray[np.float64]


def by_bond_graph(task: Task) -> Forces:
    """All forces from the junction matrices of every sample (see `solver.bondgraph`).

    ValueError where a body has no mass or inertia.
    """
    drives = [Drive(name, c) for name, c in zip(task.names, task.channels, strict=True)]
    analysis = KinetoStatics(task.model, [*drives, *(_from_outside(path, task.lowered) for path in task.outside)])
    T = task.trajectory
    losses = [None] * len(T.t) if task.losses is None else task.losses
    found = [analysis.at(s, a, w) for s, a, w in zip(task.states(), T.accelerations, losses, strict=True)]
    efforts = np.array([f.efforts for f in found]).reshape(len(T.t), -1)
    external, at = {}, len(task.channels)
    for path in task.outside:
        slots = prescribed_slots(path)
        external[path.name] = np.zeros((len(T.t), 6))
        external[path.name][:, slots] = efforts[:, at : at + len(slots)]
        at += len(slots)
    return Forces(
        efforts[:, : len(task.channels)],
        np.array([f.multipliers for f in found]),
        np.array([f.unmet for f in found]),
        external=external,
        graph=analysis,
    )


def _from_outside(path: BodyPath, lowered: Lowered) -> Drive:
    """The efforts that lead a body."""

    def rows(place: Place) -> Array:
        return path_rows(path, lowered, place.x[:-1], place.R[:-1])

    return Drive(path.name, rows=rows, count=len(prescribed_slots(path)))
