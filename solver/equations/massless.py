"""Bodies that lack mass or inertia, as far as constraints carry them.

S = Ĝ M⁻¹ Ĝᵀ needs an M that can be inverted: a little mass D is added where M has none, and given back by refining,

    (M + D) v̇ₖ₊₁ + Ĝᵀ λₖ₊₁ = f + D v̇ₖ,    Ĝ v̇ₖ₊₁ = c,

whose fixed point is the solution with M alone. It draws near by the ratio of D to the inertia that the constraints
carry to the same motion, and diverges where nothing carries any: such a freedom is refused beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.constraints.kernels import evaluate_rows
from solver.constraints.program import Program
from solver.model import Model, RigidBody

Array = NDArray[np.float64]

LENT = 1e-4
"""Mass added over the least there is in the model. Each round of `remove_added_mass` leaves about this part of its
effect: four or five give it back to rounding. Less would cost digits of λ (the accelerations of what has none are
divided by it), more takes more rounds."""
LARGEST = 1e100
"""kg, kg m²: of larger ones sums and products are beyond the numbers of a computer (1e308, and three are multiplied).
"""
_SKEWED = 1e-6
"""Of the largest entry: files write six digits of an inertia and better; an unsymmetric one is so by far more."""
_NO_MOMENT = 1e-10
"""Principal moments below this part of the body's largest count as nothing: a rod without thickness in a file has 1e-12
and less from its rounding, a real wire of 1 m by 0.1 mm 1e-8."""


@dataclass(frozen=True, eq=False)
class AddedMass:
    """Masses (n,) and inertias (n, 3, 3; body axes) added, and the motions (k, n, 6) that have none of their own."""

    mass: Array
    inertia: Array
    motions: Array


def check_bodies(bodies: Sequence[RigidBody]) -> None:
    """Raise ValueError, naming the first such body, for mass properties that are less than nothing or none at all."""
    masses = np.array([body.mass for body in bodies], dtype=float)
    inertias = [np.asarray(body.inertia, float) for body in bodies]
    # All bodies are looked at in one call; the loop below, slow for thousands of them, only runs to name the one at
    # fault.
    if all(inertia.shape == (3, 3) for inertia in inertias):
        stacked = np.array(inertias).reshape(-1, 3, 3)
        if np.all((masses >= 0) & (masses < LARGEST)) and np.all(np.abs(stacked) < LARGEST):
            size = np.abs(stacked).max(axis=(1, 2))
            turned = np.swapaxes(stacked, 1, 2)
            skewed = np.abs(stacked - turned).max(axis=(1, 2)) > _SKEWED * size
            least = np.linalg.eigvalsh((stacked + turned) / 2).min(axis=1)
            if not np.any(skewed | (least < -_NO_MOMENT * size)):
                return
    for body in bodies:
        _check_body(body)


def _check_body(body: RigidBody) -> None:
    inertia = np.asarray(body.inertia, float)
    if inertia.shape != (3, 3) or not (abs(body.mass) < LARGEST and np.all(np.abs(inertia) < LARGEST)):
        raise ValueError(f"body {body.name}: its mass or inertia is not a finite number below {LARGEST:g}")
    if body.mass < 0:
        raise ValueError(f"body {body.name}: its mass must not be negative, and is {body.mass:g} kg")
    size = float(np.abs(inertia).max())
    if np.abs(inertia - inertia.T).max() > _SKEWED * size:
        raise ValueError(f"body {body.name}: its inertia must be symmetric")
    least = float(np.linalg.eigvalsh((inertia + inertia.T) / 2).min())
    if least < -_NO_MOMENT * size:
        raise ValueError(f"body {body.name}: its inertia must not be negative, and about one axis is {least:g} kg m²")


def add_mass(model: Model, length: float) -> AddedMass:
    """What the bodies of a model need; all zero where each has mass and inertia of its own."""
    n = len(model.bodies)
    masses = np.array([b.mass for b in model.bodies], dtype=float)
    inertias = np.array([np.asarray(b.inertia, float) for b in model.bodies]).reshape(n, 3, 3)
    values, axes = np.linalg.eigh((inertias + np.swapaxes(inertias, 1, 2)) / 2)
    least = _NO_MOMENT * np.maximum(values.max(axis=1, initial=0.0), 0.0)
    there = values > least[:, None]
    mass = LENT * min(masses[masses > 0].tolist(), default=1.0)
    moment = LENT * min(values[there].tolist(), default=length**2)
    # Less than a body's own rounding would be lost: files have moments of 1e-36 kg m² beside ones of 1e-18.
    moments = np.maximum(moment, least)
    added = AddedMass(np.where(masses > 0, 0.0, mass), np.zeros((n, 3, 3)), np.zeros((0, n, 6)))
    motions = []
    for i in np.flatnonzero(~(masses > 0) | ~there.all(axis=1)):
        motions += [(i, np.eye(6)[k]) for k in range(3) if not masses[i] > 0]
        for axis in axes[i].T[~there[i]]:
            added.inertia[i] += moments[i] * np.outer(axis, axis)
            motions.append((i, np.concatenate([np.zeros(3), axis])))
    stacked = np.zeros((len(motions), n, 6))
    for k, (i, motion) in enumerate(motions):
        stacked[k, i] = motion
    return AddedMass(added.mass, added.inertia, stacked)


class NoInertiaError(ValueError):
    """Nothing gives a freedom of these bodies inertia; `bodies` are their names."""

    def __init__(self, bodies: Sequence[str]) -> None:
        named = ", ".join(bodies[:5])
        super().__init__(f"nothing gives inertia to a freedom of {named}: give mass and inertia, or hold the motion")
        self.bodies = tuple(bodies)


def check_carried(model: Model, program: Program, added: AddedMass) -> None:
    """NoInertiaError, naming bodies, where at the reference pose nothing gives a freedom inertia."""
    if not len(added.motions):
        return
    x = np.ascontiguousarray(model.positions, float).reshape(-1, 3)
    q = np.ascontiguousarray(model.quaternions, float).reshape(-1, 4)
    still = np.zeros((len(x), 6))
    *_, blocks, _ = evaluate_rows(program.terms, x, q, still, False, np.zeros(program.angle_count), False)
    owner = np.repeat(np.arange(program.rows), np.diff(program.terms.row_block))
    world = added.motions.copy()
    for i, R in enumerate(rotation.matrix(q)):
        world[:, i, 3:] = added.motions[:, i, 3:] @ R.T
    # A freedom without inertia of its own may stay only if each motion that it allows moves a row: then what the row
    # ties it to gives it inertia.
    carried = np.zeros((program.rows, len(world)))
    np.add.at(carried, owner, np.einsum("bj,kbj->bk", blocks, world[:, program.terms.block_body]))
    _, sizes, motions = np.linalg.svd(carried) if program.rows else (None, np.zeros(0), np.eye(len(world)))
    # Rows of points and angles have lengths near 1: a motion that none of them sees has the rounding of the sums.
    rank = int(np.sum(sizes > 1e-9 * max(1.0, float(sizes.max(initial=0.0)))))
    if rank < len(world):
        free = np.einsum("fk,knj->fnj", motions[rank:], added.motions)
        amount = np.abs(free).max(axis=(0, 2))
        # Of a unit motion: the bodies that take part, and not by rounding.
        names = [model.bodies[i].name for i in np.flatnonzero(amount > 1e-6)]
        raise NoInertiaError(names)
