"""How wrong a motion is, from its raw positions, rotations and velocities alone; no engine's own residual is asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmark.cases import Array, Case, Motion
from benchmark.engines.base import Path, Run
from solver.constraints import GROUND


@dataclass(frozen=True)
class Errors:
    """position: largest distance (m) of a body's centre from the reference at the end, `along` at any time; `held` (m
    or rad): largest gap of a hinge, tilt of its axes or slip of a gear; `held_rates`: the same of the velocities, over
    the largest of them.
    """

    position: float
    along: float | None
    held: float
    held_rates: float


def errors(case: Case, run: Run, reference: Run) -> Errors:
    """The errors of a run at the end of a case, and on the way."""
    motion = run.motion
    position = float(np.max(np.linalg.norm(motion.positions - reference.motion.positions, axis=1)))
    gaps, rates = [0.0], [0.0]
    for h in (*case.tree, *case.loops):
        xa, axis_a, va, wa = _end(case, motion, h.a, h.point, h.axis)
        xb, axis_b, vb, wb = _end(case, motion, h.b, h.point, h.axis)
        slip = wb - wa
        gaps += [float(np.linalg.norm(xb - xa)), float(np.linalg.norm(np.cross(axis_a, axis_b)))]
        rates += [float(np.linalg.norm(vb - va)), float(np.linalg.norm(slip - axis_a * (axis_a @ slip)))]
    if case.couplings is not None and motion.coordinates is not None:
        gaps.append(float(np.max(np.abs(case.couplings @ motion.coordinates))))
        rates.append(float(np.max(np.abs(case.couplings @ hinge_rates(case, motion)))))
    along = _along(run.path, reference.path)
    return Errors(position, along, max(gaps), max(rates) / max(float(np.max(np.abs(motion.velocities))), 1e-300))


def _along(path: Path | None, reference: Path | None) -> float | None:
    """The largest distance (m) of two paths at the times that both have; None where there are no paths."""
    if path is None or reference is None:
        return None
    (t, x), (times, exact) = path, reference
    nearest = np.clip(np.searchsorted(times, t - 1e-7), 0, len(times) - 1)
    both = np.abs(times[nearest] - t) < 1e-7
    return float(np.linalg.norm(x[both] - exact[nearest[both]], axis=2).max())


def hinge_rates(case: Case, motion: Motion) -> Array:
    """Rates (n,) along the tree's hinges, from the angular velocities."""
    found = []
    for h in case.tree:
        _, axis, _, wa = _end(case, motion, h.a, h.point, h.axis)
        found.append(axis @ (motion.velocities[h.b, 3:] - wa))
    return np.array(found)


def _end(case: Case, motion: Motion, body: int, point: Array, axis: Array) -> tuple[Array, Array, Array, Array]:
    """A hinge as a body carries it: its point, its axis, the point's velocity, the body's angular velocity."""
    if body == GROUND:
        return point, axis, np.zeros(3), np.zeros(3)
    R, v = motion.rotations[body], motion.velocities[body]
    arm = R @ case.local(body, point)
    return motion.positions[body] + arm, R @ axis, v[:3] + np.cross(v[3:], arm), v[3:]
