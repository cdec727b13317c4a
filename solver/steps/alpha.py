"""What generalised-α computes with: its coefficients, what it knows from the steps before, and its workspace."""

from __future__ import annotations

from typing import NamedTuple

from solver.compilation.compiled import Array1, Array2, table, zeros
from solver.steps.explicit import Steps


@table
class Alpha(NamedTuple):
    """Coefficients; `mass` and `force` are αm and αf, `beta` and `gamma` Newmark's."""

    mass: float
    force: float
    beta: float
    gamma: float


def alpha_coefficients(radius: float) -> Alpha:
    """The coefficients for a spectral `radius` at infinite frequency: 1 keeps, 0 removes what h does not resolve.

    Chung and Hulbert, J. Appl. Mech. 60 (1993): of second order, and of the least damping of what h resolves.
    """
    mass, force = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    gamma = 0.5 + force - mass
    return Alpha(mass, force, 0.25 * (gamma + 0.5) ** 2, gamma)


@table
class Memory(NamedTuple):
    """What generalised-α knows from the steps before: accelerations (n, 6), and how long ago (s).

    `algorithmic` is the method's own; `once` and `twice` are v̇ at the ends of the step before and of that before it,
    `spans` (2,) the lengths of these steps: 0 where there was none. `moves` (n, 6) corrected the poses at the end of
    the step before, `trend` is by how much more than in the step before that, and `pushes` corrected the velocities
    beyond `moves` over the step; all are along the rows there. `shrink` (1,): by which factor changes shrank last.
    `skipped` (5,): the largest speed of a vibration that steps began without, over its tolerance, and itself (rad/s
    where the next is 1, else m/s); by which it dies out at least (1/s), and since when (s).
    """

    algorithmic: Array2
    once: Array2
    twice: Array2
    moves: Array2
    trend: Array2
    pushes: Array2
    spans: Array1
    shrink: Array1
    skipped: Array1


@table
class Guess(NamedTuple):
    """Workspace for a step of generalised-α.

    `now` (n, 6) are the accelerations sought, `own` the method's; x, `turn` (n, 3), q (n, 4), v (n, 6), `angles` (na,)
    the state at the step's end, `turn` what it turned; multipliers (m,). `moves` and `pushes` (n, 6) correct poses and
    velocities so that they keep the constraints, `trend` is that of `Memory`; `ways` (n, 6) is how poses follow new
    accelerations. `damped` (m,) is how much more of a soft row answers to its rate than to its place; `skipped` is that
    of this step, without when.
    """

    now: Array2
    own: Array2
    x: Array2
    turn: Array2
    q: Array2
    v: Array2
    angles: Array1
    multipliers: Array1
    moves: Array2
    pushes: Array2
    trend: Array2
    ways: Array2
    damped: Array1
    skipped: Array1


Soft = tuple[int, tuple[Array1, Array1]]
"""The first soft row, and the tangents d (N s/m …) and k (N/m …) that are constant (`solver.model.tangents`)."""
Implicit = tuple[Guess, Alpha, Memory, Soft]
"""What a run computes with. With a β of 0, a run of an explicit method."""


def make_implicit(S: Steps, alpha: Alpha | None, soft: Soft) -> Implicit:
    """For the method with these coefficients, or none; a step's end is that of S."""
    shape = S.v.shape
    now, own, turn, *others = zeros(shape, shape, S.x.shape, shape, shape, shape, shape, len(S.multipliers), 4)
    guess = Guess(now, own, S.x, turn, S.q, S.v, S.angles, S.multipliers, *others)
    memory = Memory(*zeros(*[shape] * 6, 2, 1, 5))
    return guess, alpha or Alpha(0.0, 0.0, 0.0, 0.0), memory, soft
