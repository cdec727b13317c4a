"""What teeth lose along a known motion, for methods that know wrenches on bodies only.

Forces of a known motion are affine in the wrenches that act, so that pulls of teeth and what they lose are brought to
agree in rounds: a method's pulls determine the losses, the losses act as torques between the wheels and their carriers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.coordinates import Measured
from cadbridge.efforts.task import Forces, Method, Quantity, Task
from solver.algebra.division import LEAST_DIVISOR
from solver.equations.system import prepare
from solver.model import Model

Array = NDArray[np.float64]

_MOST_LOSS_ROUNDS = 200
"""Rounds in which pulls and losses are brought to agree; this and the next two as in a run
(`solver.equations.dynamics`, where they are derived): each round leaves at most 1 − efficiency of the error."""
_PLAIN_ROUNDS = 12
"""Rounds after which they are extrapolated (Anderson's method with one round of memory)."""
_AGREE, _ROUNDING = 1e-6, 1e-13
"""By how much of the largest loss a round may change one where it is to count, and where it is the last: rounds of a
known motion cost little, so that they go on to rounding; one in which they only come near is still told."""


def lossless(model: Model) -> Model:
    """The model with meshes that lose nothing: its states are those of the model."""
    return replace(model, meshes=tuple(replace(mesh, efficiency=1.0, backward=None) for mesh in model.meshes))


class Losses:
    """The m meshes of a task's model in its k samples: `gradients` (k, 2m, 6n), `rates` (k, m, 2) of their wheels."""

    def __init__(self, task: Task) -> None:
        self.meshes = task.model.meshes
        self.tables = prepare(task.model, carried=False).loads
        measured = Measured(task.model, [c for mesh in self.meshes for c in (mesh.a, mesh.b)])
        states = task.states()
        self.gradients = np.array([measured.gradients(state) for state in states])
        velocities = np.array([state.velocities.ravel() for state in states])
        self.rates = np.einsum("kcj,kj->kc", self.gradients, velocities).reshape(len(states), -1, 2)

    def torques(self, multipliers: Array) -> Array:
        """What holds each wheel back (k, m, 2; N m, N), at the multipliers (k, rows); see `solver.model.Mesh`."""
        F = self.tables
        pulls = multipliers[:, F.mesh_row, None] * F.mesh_pull
        driven = np.where(pulls[:, :, 0] * self.rates[:, :, 0] > 0, 1, 0)[:, :, None] == np.arange(2)
        smoothed = np.tanh(self.rates / F.mesh_speed)
        return np.asarray(np.where(driven, F.mesh_loss * np.abs(pulls) * smoothed, 0.0))

    def wrenches(self, torques: Array) -> Array:
        """(k, n, 6) [force; torque] of them on the bodies, world axes, about their centres."""
        found = -np.einsum("kcj,kc->kj", self.gradients, torques.reshape(len(torques), -1))
        return np.asarray(found.reshape(len(torques), -1, 6))

    def lost(self, torques: Array) -> Array:
        """(k, m) W."""
        return np.asarray(np.sum(torques * self.rates, axis=2))


def with_lost(task: Task, forces: Forces) -> Forces:
    """The forces with what each mesh loses beside them."""
    if not task.model.meshes:
        return forces
    losses = Losses(task)
    lost = losses.lost(losses.torques(forces.multipliers))
    names = [mesh.name for mesh in losses.meshes]
    more = tuple(Quantity("gear", name, "lost", "W", lost[:, i]) for i, name in enumerate(names))
    return replace(forces, quantities=(*forces.quantities, *more))


def losing(method: Method) -> Method:
    """A method of forces without losses, as one with them; `unmet` is NaN where pulls and losses never agree."""

    def with_losses(task: Task) -> Forces:
        if not task.model.meshes:
            return method(task)
        losses = Losses(task)
        plain = replace(task, model=lossless(task.model))
        used = np.zeros(losses.rates.shape)
        before = (used, used)
        for attempt in range(_MOST_LOSS_ROUNDS):
            forces = method(replace(plain, losses=losses.wrenches(used)))
            found = losses.torques(forces.multipliers)
            change = found - used
            open_ = np.max(np.abs(change), axis=(1, 2)) / np.maximum(np.max(np.abs(found), axis=(1, 2)), LEAST_DIVISOR)
            if np.all(open_ <= _ROUNDING):
                break
            used, before = _next(found, change, before, attempt >= _PLAIN_ROUNDS), (found, change)
        unmet = np.where(open_ <= _AGREE, forces.unmet, np.nan)
        return replace(forces, unmet=unmet)

    return with_losses


def _next(found: Array, change: Array, before: tuple[Array, Array], extrapolated: bool) -> Array:
    """Torques for the next round, sample by sample."""
    if not extrapolated:
        return found
    bent = change - before[1]
    below = np.sum(bent**2, axis=(1, 2))
    share = np.sum(change * bent, axis=(1, 2)) / np.where(below > 0, below, 1.0)
    return np.asarray(found - share[:, None, None] * (found - before[0]))
