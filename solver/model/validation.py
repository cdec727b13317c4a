"""Whether bodies are somewhere, and rows between bodies that exist: checked before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.constraints.primitives import GROUND
from solver.model import Model, RigidBody
from solver.state import State


def check_placed(model: Model) -> None:
    """Raise ValueError, with its name, for a body without a pose, a row of a body that is not there, and gravity."""
    if not np.all(np.isfinite(model.gravity)):
        raise ValueError(f"gravity must be three finite numbers (m/s²), not {tuple(model.gravity)}")
    _check_poses(model.positions, model.quaternions, model.bodies)
    rows = [(item.a, item.b) for item in model.primitives]
    coordinates = [(item.a, item.b) for item in model.coordinates]
    _check_bodies("row", rows, model.groups, len(model.bodies))
    _check_bodies("coordinate", coordinates, model.coordinate_names, len(model.bodies))


def check_state(state: State, model: Model) -> None:
    """Raise ValueError for a state that is not of finite numbers, with the name of the body."""
    if not np.isfinite(state.t):
        raise ValueError(f"the time of the state must be a finite number (s), not {state.t}")
    _check_poses(state.positions, state.quaternions, model.bodies)
    _check_finite(np.asarray(state.velocities, float).reshape(-1, 6), model.bodies, "velocity")


def _check_bodies(kind: str, pairs: list[tuple[int, int]], names: tuple[str, ...], count: int) -> None:
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    bad = np.nonzero((found != GROUND) & ((found < 0) | (found >= count)))
    if len(bad[0]):
        at, side = int(bad[0][0]), int(bad[1][0])
        name = names[at] if at < len(names) else at
        raise ValueError(f"{kind} {name}: there is no body {found[at, side]}, the model has {count}")


def _check_poses(positions: ArrayLike, quaternions: ArrayLike, bodies: Sequence[RigidBody]) -> None:
    q = np.asarray(quaternions, float).reshape(-1, 4)
    _check_finite(np.asarray(positions, float).reshape(-1, 3), bodies, "position")
    _check_finite(q, bodies, "quaternion")
    _name_first(np.any(q, axis=1), bodies, "quaternion")


def _check_finite(rows: NDArray[np.float64], bodies: Sequence[RigidBody], what: str) -> None:
    # Row by row takes three times as long.
    if not np.isfinite(rows).all():
        _name_first(np.all(np.isfinite(rows), axis=1), bodies, what)


def _name_first(fine: NDArray[np.bool_], bodies: Sequence[RigidBody], what: str) -> None:
    """Raise for the first body that is not; arrays of other lengths than the bodies raise where they are used."""
    if not fine.all():
        at = int(np.argmin(fine))
        name = bodies[at].name if at < len(bodies) else at
        raise ValueError(f"body {name}: its {what} must be of finite numbers, and a quaternion not zero")
