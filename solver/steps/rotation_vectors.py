"""Turns within a step of generalised-α, compiled: rotation vectors in place of the quaternions δ of `samples`.

The method turns a body by exp(h ω + h² …), so a step in which a body turns faster and faster about one axis has no
error at its end, however far that is, and nothing keeps it short. Quaternions on the way there are no cubics, rotation
vectors are: φ of exp(φ) = δ, with the rate φ' of ω = dexp_φ(φ') + δ s δ⁻¹ (s the steady spin of the step's start;
Iserles, Munthe-Kaas, Nørsett and Zanna 2000, section 2). Where axes turn as well, φ is as smooth as ω, of which the
step's error at its end is made: its cubic is off by h³ ω'' / 125 in rates, a tenth of what is counted there.
"""

from __future__ import annotations

import math

from solver.compilation.compiled import Quad, Triple, inlined, kernel
from solver.constraints.kernels import cross
from solver.steps.explicit import quaternion_product
from solver.steps.samples import Within

FARTHEST = 1.9 * math.pi
"""rad: beyond the steady spin no body turns farther in a step with samples. At 2π a rotation vector has no rate."""
_SMALL = 1e-4
"""rad: below it the first terms of series are right to the last digit, and what they replace is not."""

_NEAR = 1e-2
"""rad: below it two terms of a series are right to 1e-12, as is, above, the difference that they replace."""


@inlined
def _combined(a: Triple, w: Triple, one: float, two: float) -> Triple:
    """w + one · a × w + two · a × (a × w)."""
    first = cross(a, w)
    second = cross(a, first)
    return (
        w[0] + one * first[0] + two * second[0],
        w[1] + one * first[1] + two * second[1],
        w[2] + one * first[2] + two * second[2],
    )


@kernel
def _parts(angle: float) -> Triple:
    """Of a turn (rad): sin(½ angle)/angle, and the factors of dexp: (1 − cos)/angle², (angle − sin)/angle³."""
    if angle < _SMALL:
        square = angle * angle
        return 0.5 - square / 48, 0.5 - square / 24, 1 / 6 - square / 120
    half = math.sin(0.5 * angle)
    return half / angle, 2 * (half / angle) ** 2, (angle - math.sin(angle)) / angle**3


@kernel
def _inverse_part(angle: float) -> float:
    """Of a turn (rad) below 2π the factor of dexp⁻¹ with two products: (1 − ½ angle cot(½ angle)) / angle²."""
    if angle < _NEAR:
        # Its series; the next term is angle⁴ / 30240.
        return 1 / 12 + angle * angle / 720
    return (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / (angle * angle)


@kernel
def _vector(turn: Quad) -> tuple[float, Triple]:
    """Angle (rad, up to 2π) and rotation vector of a unit quaternion, whose sign says which way round it is."""
    size = math.sqrt(turn[1] ** 2 + turn[2] ** 2 + turn[3] ** 2)
    # By both parts: arccos of the real one would lose half the digits of small turns.
    angle = 2 * math.atan2(size, turn[0])
    part = angle / size if size > 0.5 * _SMALL else 2.0 + size * size / 3
    if turn[0] < 0.0 and size <= 0.5 * _SMALL:
        part = 0.0  # all round: no axis is known
    return angle, (part * turn[1], part * turn[2], part * turn[3])


@kernel
def vector_ends(D: Within) -> float:
    """[x, φ, 0] at both ends in place of [x, δ] in D.poses (values, and h times rates); the farthest turn (rad).

    Quaternions do not tell whole turns: the mean of the rates at the ends does.
    """
    n, farthest = D.x.shape[0], 0.0
    for i in range(n):
        k, mean = 3 * n + 4 * i, 0.0
        for end in range(2):
            turn = (D.poses[end, k], D.poses[end, k + 1], D.poses[end, k + 2], D.poses[end, k + 3])
            rate = (D.poses[2 + end, k], D.poses[2 + end, k + 1], D.poses[2 + end, k + 2], D.poses[2 + end, k + 3])
            # 2 δ' δ⁻¹ = ω − δ s δ⁻¹ = dexp_φ(φ'): half of that rate, so that the sum over both ends is its mean.
            w = quaternion_product(rate, (turn[0], -turn[1], -turn[2], -turn[3]))
            angle, vector = _vector(turn)
            mean += math.sqrt(w[1] ** 2 + w[2] ** 2 + w[3] ** 2)
            farthest = max(farthest, angle, mean)
            found = _combined(vector, (2 * w[1], 2 * w[2], 2 * w[3]), -0.5, _inverse_part(angle))
            for j in range(3):
                D.poses[end, k + j], D.poses[2 + end, k + j] = vector[j], found[j]
            D.poses[end, k + 3] = D.poses[2 + end, k + 3] = 0.0
    return farthest


@kernel
def to_quaternions(D: Within) -> None:
    """[x, δ] and its rate in D.pose (7n,) and D.rate, where [x, φ, 0] and its rate stand."""
    n = D.x.shape[0]
    for i in range(n):
        k = 3 * n + 4 * i
        vector = (D.pose[k], D.pose[k + 1], D.pose[k + 2])
        angle = math.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
        half, one, two = _parts(angle)
        w = _combined(vector, (D.rate[k], D.rate[k + 1], D.rate[k + 2]), one, two)
        turn = (math.cos(0.5 * angle), half * vector[0], half * vector[1], half * vector[2])
        rate = quaternion_product((0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]), turn)
        for j in range(4):
            D.pose[k + j], D.rate[k + j] = turn[j], rate[j]
