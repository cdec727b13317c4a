"""Whether the actuators drive every freedom, and where along the motion they or what leads it lose one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.coordinates import Measured
from cadbridge.efforts.follow import Followed, first_few, free_joints, guided_rows, held_rows, idle_rows, place_at
from cadbridge.efforts.guides import body_rows, joint_coordinate
from cadbridge.efforts.motion import Motion
from cadbridge.errors import ModelError
from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.wording import count
from solver.algebra.rank import null_space, rank
from solver.analyses.minimal import jacobian
from solver.constraints import Coordinate
from solver.equations.system import System
from solver.result import Trajectory
from solver.state import State

Array = NDArray[np.float64]

NEAR_SINGULAR = 1e-3
"""The share of its largest value along the motion below which the smallest singular value is near a singularity:
efforts grow with its inverse, a thousandfold."""
_LOST = {
    "CB672": "the prescribed motion passes a singular pose; the path is continued straight",
    "CB666": "the actuators lose a freedom",
}


def spare_actuators(
    lowered: Lowered,
    system: System,
    motion: Motion,
    followed: Followed,
    channels: tuple[Coordinate, ...],
    findings: Findings,
) -> int:
    """How many channels there are more than freedoms; reported (CB668), as are freedoms without any (CB663, CB666).

    Raises ModelError where a freedom has none.
    """
    T = followed.trajectory

    def undriven(state: State) -> list[list[str]]:
        # Freedoms that are simulated need no actuator: to be without any, one must be prescribed.
        rows = held_rows(system, state, channels)
        if followed.idle:
            rows = np.vstack([rows, idle_rows(guided_rows(lowered, system, state, motion), system)])
        return free_joints(lowered, system, state, rows)

    first = T.state(0)
    left = undriven(first)
    dof = 6 * len(lowered.units) - rank(jacobian(system, first)[0], system.length).rank - followed.idle
    if left:
        if all(undriven(T.state(k)) for k in (len(T.t) // 2, len(T.t) - 1)):
            for names in left:
                message = f"no actuator drives a freedom that moves {first_few(names)}"
                findings.add("CB663", message, Where(item=names[0]), items=names)
            raise ModelError(f"the actuators leave {len(left)} of {dof} freedoms undriven", findings)
        where = place_at(lowered, motion, T, 0)
        message = f"at t = 0 s, with {where}, the actuators do not move {'; '.join(map(first_few, left))}"
        findings.add("CB666", message, items=[name for names in left for name in names])
        raise ModelError("the actuators cannot drive the mechanism at the start of the motion", findings)
    spare = int(len(channels) - dof)
    if spare > 0:
        text = f"{len(channels)} actuators drive {count(int(dof), 'freedom')}"
        text += ": the efforts given are those of least Σ effort²"
        findings.add("CB668", text)
    return spare


def report_singular_poses(
    lowered: Lowered,
    system: System,
    motion: Motion,
    T: Trajectory,
    channels: tuple[Coordinate, ...],
    findings: Findings,
) -> None:
    """Report the first pose in which the joints or prescribed bodies (CB672) or the actuators (CB666) lose a freedom.

    At a sample, where the least singular value of their rows on the motions that the constraints allow is small; or
    between two, where the determinant of these rows changes its sign.
    """
    prescribed = [joint_coordinate(lowered, p.joint) for p in motion.joints]
    guides, actuators = Measured(system.model, prescribed), Measured(system.model, channels)
    paths = {"CB666": _Path()} if channels else {}
    if motion.bodies or set(prescribed) != set(channels):
        paths["CB672"] = _Path()
    basis: Array | None = None
    for k in range(len(T.t)):
        state = T.state(k)
        N = np.linalg.qr(null_space(jacobian(system, state)[0], system.length))[0]
        if basis is not None and N.shape == basis.shape:
            # The freedoms named as in the sample before: only then does a sign mean something.
            U, _, Vt = np.linalg.svd(N.T @ basis)
            N = N @ (U @ Vt)
        basis = N
        if "CB666" in paths:
            paths["CB666"].add(actuators.gradients(state) @ N)
        if "CB672" in paths:
            rows = np.vstack([guides.gradients(state), body_rows(motion, lowered, state)])
            paths["CB672"].add(rows @ N)
    for code, path in paths.items():
        found = path.first()
        if found is not None:
            k, between = found
            message = f"between t = {T.t[k - 1]:.6g} and {T.t[k]:.6g} s" if between else f"at t = {T.t[k]:.6g} s"
            findings.add(code, f"{message}, with {place_at(lowered, motion, T, k)}, {_LOST[code]}")


class _Path:
    """The least singular values and the signs of the determinants along a motion."""

    def __init__(self) -> None:
        self.smallest: list[float] = []
        self.signs: list[float] = []

    def add(self, J: Array) -> None:
        """The rows (c, freedoms) of a sample."""
        self.smallest.append(float(np.linalg.svd(J, compute_uv=False).min(initial=np.inf)) if J.size else np.inf)
        self.signs.append(float(np.sign(np.linalg.det(J))) if J.shape[0] == J.shape[1] else 1.0)

    def first(self) -> tuple[int, bool] | None:
        """The first sample at which, or before which, a freedom is lost; the first among changes of sign."""
        flips = [k for k in range(1, len(self.signs)) if self.signs[k] != self.signs[k - 1]]
        near = [k for k, s in enumerate(self.smallest) if s < NEAR_SINGULAR * max(self.smallest)]
        found = flips or near
        return (found[0], bool(flips)) if found else None
