"""Six-axis springs in the place of mates, in non-linear static equilibrium: what forces of misfits are held against.

Only bodies, places and springs go into it: no row, rank or null space.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

from cadbridge.misfit.blocks import TURNS
from cadbridge.misfit.forces import Springs
from cadbridge.misfit.groups import Constraints, groups_of
from solver.rotation import skew

K, KT = 1e7, 1e4
"""N/m and N m/rad of every spring."""
Spring = tuple[int, int, np.ndarray, np.ndarray]
"""Two units, a point (3,) and a stiffness (6, 6) in the world."""
Wrenches = dict[str, np.ndarray]
"""Force and torque (6,) of each spring, world axes."""


def springs_of(constraints: Constraints) -> dict[str, Spring] | str:
    """Of each mate its two units, point (3,) and stiffness (6, 6) in the world; else why a row is no such spring."""
    blocks, rows = constraints.blocks, constraints.rows
    bound = {mate for group in groups_of(constraints) for mate in group.mates}
    loose = {c.name for c in constraints.mechanism.assembly.couplings} - bound
    found: dict[str, Spring] = {}
    for block in (b for b in blocks.blocks if b.mate not in loose):
        for i, d in zip(block.rows, block.directions, strict=True):
            if len(rows.ends[i]) != 2 or not np.any(d):
                return f"{block.mate} couples joints"
            wrench = blocks.wrenches[i]
            expected = np.concatenate([np.zeros(3), d] if block.kind in TURNS else [d, np.zeros(3)])
            if not np.allclose(wrench, expected, atol=1e-9):
                return f"{block.mate} is no spring at one point"
            a, b = rows.ends[i]
            known = found.setdefault(block.mate, (a, b, blocks.frames[block.mate].point, np.zeros((6, 6))))
            if (a, b) != known[:2]:
                return f"{block.mate} has rows between its units in both orders"
            known[3][:, :] += (KT if block.kind in TURNS else K) * np.outer(expected, expected)
    return found


def _root(k: np.ndarray) -> np.ndarray:
    """The square root (6, 6) of a stiffness, which may be none in some directions."""
    values, vectors = np.linalg.eigh(k)
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


def by_dense(constraints: Constraints, springs: dict[str, Spring], off: Wrenches) -> Wrenches:
    """The same by the least ½ Σ k r², r the displacement and rotation vector of each spring, in its first end.

    Newton's steps with the stiffness as designed, whose null space is the free motions: these stay.
    """
    poses = constraints.mechanism.X_WC
    turned, moved = np.tile(np.eye(3), (len(poses), 1, 1)), np.zeros((len(poses), 3))
    root = block_diag(*(_root(k) for *_, k in springs.values()))

    def end(i: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rotation and place of a spring's end."""
        return (np.eye(3), point) if i < 0 else (turned[i], moved[i] + poses[i].p + turned[i] @ (point - poses[i].p))

    def strains() -> tuple[dict[str, np.ndarray], np.ndarray]:
        found, J = {}, np.zeros((6 * len(springs), 6 * len(poses)))
        for s, (mate, (a, b, point, _)) in enumerate(springs.items()):
            (Ra, pa), (Rb, pb) = end(a, point), end(b, point)
            found[mate] = np.concatenate([Ra.T @ (pb - pa), Rotation.from_matrix(Ra.T @ Rb).as_rotvec()]) - off[mate]
            for i, sign in ((a, -1.0), (b, 1.0)):
                if i >= 0:
                    arm = pb - moved[i] - poses[i].p  # a's frame is seen from where b's end is
                    block = np.block([[np.eye(3), -skew(arm)], [np.zeros((3, 3)), np.eye(3)]])
                    J[6 * s : 6 * s + 6, 6 * i : 6 * i + 6] = sign * np.kron(np.eye(2), Ra.T) @ block
        return found, J

    J = root @ strains()[1]
    inverse = np.linalg.pinv(J.T @ J, rcond=1e-12, hermitian=True)
    for _ in range(20):
        r, now = strains()
        pull = (root @ now).T @ (root @ np.concatenate(list(r.values())))
        step = (-inverse @ pull).reshape(-1, 6)
        if not np.abs(step).max() < 1.0:  # it grows: these misfits are beyond what the designed stiffness tells
            return {mate: np.full(6, np.nan) for mate in springs}
        moved += step[:, :3]
        turned = Rotation.from_rotvec(step[:, 3:]).as_matrix() @ turned
    r, _ = strains()
    return {mate: springs[mate][3] @ r[mate] for mate in springs}


def by_rows(constraints: Constraints, off: Wrenches) -> Wrenches:
    """The same by λ = N (Nᵀ C N)⁻¹ Nᵀ e."""
    found = {mate: np.zeros(6) for mate in off}
    for group in groups_of(constraints):
        k, e = np.zeros(len(group.rows)), np.zeros(len(group.rows))
        for block in group.blocks:
            part = slice(3, 6) if block.turns else slice(0, 3)
            k[block.rows] = KT if block.turns else K
            e[block.rows] = -block.directions @ off[block.mate][part]
        force = Springs(group, k).forces(e)
        for block in group.blocks:
            part = slice(3, 6) if block.turns else slice(0, 3)
            found[block.mate][part] += block.directions.T @ force[block.rows]
    return found


def drawn(springs: dict[str, Spring], size: float) -> Wrenches:
    """Misfits (6,) of all springs, up to a size (m and rad)."""
    random = np.random.default_rng(1)
    return {mate: size * random.uniform(-1.0, 1.0, 6) for mate in springs}


def apart(theirs: Wrenches, ours: Wrenches) -> float:
    """The largest difference of a force, or a torque over 32 mm, beside the largest."""
    weights = np.array([1.0] * 3 + [1.0 / np.sqrt(KT / K)] * 3)
    largest = max(float(np.abs(weights * f).max()) for f in ours.values())
    return max(float(np.abs(weights * (theirs[m] - ours[m])).max()) for m in ours) / largest
