"""Whether a freedom of the first instant goes on: a step along it, brought back onto the mates.

A step ε along a motion that goes on needs a correction of order ε²; where the mates only give way to first order (a
shaky pose), the correction is of order ε, or the step cannot be closed at all. Steps are taken in the coordinates of
the tree, so that its joints hold exactly and only the rows that close loops are solved for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.web import Branch, Web
from cadbridge.frames import Pose
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.rows import GROUND, quaternions_of
from solver.algebra.rank import significant
from solver.constraints import Primitive, evaluate_sparse
from solver.constraints.program import Program, compile_program

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = (0.04, 0.01)
"""Steps in rad, or in lengths of the mechanism."""
ORDER = 1.5
"""A correction that shrinks with at least this power of the step is one of second order."""
CLOSED = 1e-10
"""A scaled residual below this is closed."""
WORSE = 10.0
"""A loop of dimensions that do not quite fit may stay open by so many times what it is open by as designed."""
LARGE = 300
"""Coordinates above which a step is solved by normal equations instead of by singular values."""


@dataclass(frozen=True, eq=False)
class Arm:
    """A body on its branch of the tree: twists `columns` (6, k) [v; ω·length] in the joint frame J, world axes as
    designed; X_PJ in the parent's frame, X_JB the body's; `first` is the place of its coordinates."""

    parent: int
    X_PJ: Pose
    X_JB: Pose
    columns: Array
    first: int


Pins = tuple[Pose, ...]
"""What each arm has moved by, in its joint frame."""


@dataclass(frozen=True, eq=False)
class Patch:
    """Bodies on a part of the tree, deepest last, with the rows that close it.

    `lift` (k, web coordinates) turns coordinates of the web into the k of the patch. Index n of a body's parent is
    what stands still. `home` is the design, closed as well as it can be: to the scaled residual `slack`; directions
    with singular values below `blurred` of the largest are free.
    """

    bodies: tuple[int, ...]
    arms: tuple[Arm, ...]
    program: Program
    scales: Array
    lift: Array
    columns: Ints
    length: float
    root: Pose
    home: Pins = ()
    slack: float = 0.0
    blurred: float = 1e-9

    @property
    def size(self) -> int:
        """Coordinates."""
        return len(self.lift)

    @cached_property
    def twists(self) -> Array:
        """Of each coordinate its twist (k, 6), see `Arm`."""
        return np.concatenate([np.zeros((0, 6)), *(arm.columns.T for arm in self.arms)])

    @cached_property
    def owner(self) -> Ints:
        """Of each coordinate its arm (k,)."""
        return np.repeat(np.arange(len(self.arms)), [arm.columns.shape[1] for arm in self.arms])

    @cached_property
    def carried(self) -> NDArray[np.bool_]:
        """Which coordinates (n, k) move each arm: its own, and those of the arms that carry it."""
        found = np.zeros((len(self.arms) + 1, self.size), dtype=bool)
        for i, arm in enumerate(self.arms):
            found[i] = found[arm.parent]
            found[i, arm.first : arm.first + arm.columns.shape[1]] = True
        return found[:-1]


def patch_of(
    web: Web,
    units: set[int],
    rows: set[int],
    loose: set[int],
    columns: Ints,
    primitive_of: Callable[[int], Primitive],
    poses: Sequence[Pose],
    free: int,
) -> Patch:
    """The bodies `units` and the numbers of the `rows` that bind them, leaving `free` motions at first.

    Branches in `loose` are no lower pairs: all six of their coordinates are free, their rows are among `rows`. The
    others move by those of their coordinates that are in `columns`.
    """
    moving = sorted(
        (u for u in units if u != GROUND and _parent_in(web, u, units)), key=lambda u: web.branches[u].depth
    )
    root = next(iter({web.branches[u].parent for u in moving} - set(moving)), GROUND)
    X_root = Pose() if root == GROUND else poses[root]
    index = {u: i for i, u in enumerate(moving)}
    arms: list[Arm] = []
    lifts = []
    first = 0
    for unit in moving:
        branch = web.branches[unit]
        own, lift = _columns(branch, unit in loose, columns)
        X_WP = X_root if branch.parent not in index else poses[branch.parent]
        arms.append(_arm(web, branch, index.get(branch.parent, len(moving)), X_WP, poses[unit], own, first))
        first += own.shape[1]
        lifts.append(lift)
    keep = [i for i in sorted(rows) if all(u in index or u in (root, GROUND) for u in web.rows.ends[i])]
    program = _program([primitive_of(i) for i in keep], index, root, X_root, [poses[u] for u in moving])
    patch = Patch(
        tuple(moving),
        tuple(arms),
        program,
        web.rows.factors[keep] / web.rows.length,
        np.vstack(lifts) if lifts else np.zeros((0, len(columns))),
        columns,
        web.rows.length,
        X_root,
        tuple(Pose() for _ in arms),
    )
    return _settled(patch, free)


def _settled(patch: Patch, free: int) -> Patch:
    """The patch with its design closed: where dimensions were rounded, loops that need them exactly stay open a bit."""
    if patch.program.rows == 0 or patch.size == 0 or max(patch.size, patch.program.rows) > LARGE:
        return patch
    g, J = closing(patch, patch.home)
    if float(np.max(np.abs(g), initial=0.0)) < CLOSED:
        return patch
    s = np.linalg.svd(J, compute_uv=False)
    below = float(s[patch.size - free]) if patch.size - free < len(s) else 0.0
    patch = replace(patch, blurred=max(patch.blurred, WORSE * below / max(float(s[0]), 1e-300)))
    pins, _, left = close(patch, patch.home)
    return replace(patch, home=pins, slack=left)


def _parent_in(web: Web, unit: int, units: set[int]) -> bool:
    return web.branches[unit].parent in units


def _columns(branch: Branch, loose: bool, columns: Ints) -> tuple[Array, Array]:
    """The twists of a branch's coordinates in a patch, and how they follow from the web's `columns`."""
    places = [(k, np.searchsorted(columns, c)) for k, c in enumerate(branch.columns)]
    seen = [(k, int(at)) for k, at in places if at < len(columns) and columns[at] == branch.first + k]
    lift = np.zeros((branch.freedom.shape[1], len(columns)))
    for k, at in seen:
        lift[k, at] = 1.0
    if loose:
        return np.eye(6), branch.freedom @ lift
    chosen = [k for k, _ in seen]
    return branch.freedom[:, chosen], lift[chosen]


def _arm(web: Web, branch: Branch, parent: int, X_WP: Pose, X_WB: Pose, columns: Array, first: int) -> Arm:
    """The joint frame J stands at the body's origin with the world's axes; twists about the rows' centre go there."""
    X_WJ = Pose(np.eye(3), X_WB.p)
    own = columns.copy()
    own[:3] += np.cross(own[3:].T / web.rows.length, X_WB.p - web.rows.centre).T
    return Arm(parent, X_WP.inverse() @ X_WJ, X_WJ.inverse() @ X_WB, own, first)


def _program(
    primitives: Sequence[Primitive], index: dict[int, int], root: int, X_root: Pose, poses: Sequence[Pose]
) -> Program:
    def place(body: int) -> tuple[int, Pose]:
        if body in index:
            return index[body], Pose()
        return GROUND, X_root if body == root and root != GROUND else Pose()

    moved = [reframed(p, place) for p in primitives]
    return compile_program(moved, np.array([X.p for X in poses]).reshape(-1, 3), quaternions_of(poses))


def advance(patch: Patch, pins: Pins, z: Array) -> Pins:
    """Every arm moved on by its coordinates z (k,)."""
    steps = [arm.columns @ z[arm.first : arm.first + arm.columns.shape[1]] for arm in patch.arms]
    moves = exponentials(np.array(steps).reshape(-1, 6), patch.length)
    return tuple(X @ move for X, move in zip(pins, moves, strict=True))


def exponentials(twists: Array, length: float) -> list[Pose]:
    """The motions of twists (n, 6) [v; ω·length] for a unit of time: turns about, and shifts along, screw axes."""
    v, w = twists[:, :3], twists[:, 3:] / length
    angle = np.linalg.norm(w, axis=1)
    turns = np.maximum(angle, 1e-12)
    K = np.zeros((len(w), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        K[:, k, j], K[:, j, k] = w[:, i], -w[:, i]
    a = np.sin(turns) / turns
    b = (np.sin(turns / 2) / (turns / 2)) ** 2 / 2
    c = np.where(turns > 1e-4, (1 - a) / turns**2, 1 / 6)
    a, b, c = (factor[:, None, None] for factor in (a, b, c))
    KK = K @ K
    R = np.eye(3) + a * K + b * KK
    p = v + ((b * K + c * KK) @ v[:, :, None])[:, :, 0]
    return [Pose(*move) for move in zip(R, p, strict=True)]


def poses_at(patch: Patch, pins: Pins) -> tuple[list[Pose], Array]:
    """Poses of the bodies and their twists (n, 6, k) [v of the origin; ω·length] for each coordinate."""
    n = len(patch.arms)
    joints: list[Pose] = []
    poses: list[Pose] = []
    for arm, X in zip(patch.arms, pins, strict=True):
        parent = patch.root if arm.parent == n else poses[arm.parent]
        joints.append(parent @ arm.X_PJ @ X)
        poses.append(joints[-1] @ arm.X_JB)
    R = np.array([X.R for X in joints]).reshape(-1, 3, 3)[patch.owner]
    starts = np.array([X.p for X in joints]).reshape(-1, 3)[patch.owner]
    v = np.einsum("kij,kj->ki", R, patch.twists[:, :3])
    w = np.einsum("kij,kj->ki", R, patch.twists[:, 3:])
    levers = (np.array([X.p for X in poses]).reshape(-1, 1, 3) - starts) / patch.length
    S = np.concatenate([v + np.cross(w, levers), np.broadcast_to(w, levers.shape)], axis=2)
    return poses, (S * patch.carried[:, :, None]).swapaxes(1, 2)


def closing(patch: Patch, pins: Pins) -> tuple[Array, Array]:
    """Scaled residuals (m,) of the closing rows and their Jacobian (m, k)."""
    poses, S = poses_at(patch, pins)
    found = evaluate_sparse(patch.program, np.array([X.p for X in poses]).reshape(-1, 3), quaternions_of(poses))
    blocks = found.blocks.copy()
    blocks[:, 3:] /= patch.length
    J = np.zeros((len(found.g), patch.size))
    np.add.at(J, found.row, np.einsum("bi,bik->bk", blocks, S[found.body]))
    return found.g * patch.scales, J * patch.scales[:, None]


def close(patch: Patch, pins: Pins, rounds: int = 25) -> tuple[Pins, Array, float]:
    """Gauss–Newton with the shortest step; also all steps' sum (k,) and the scaled residual that is left."""
    total = np.zeros(patch.size)
    before = np.inf
    g, J = closing(patch, pins)
    for _ in range(rounds):
        size = float(np.max(np.abs(g), initial=0.0))
        if size < 1e-12 or size > 0.99 * before:
            break
        before = size
        step = -_least(J, g, patch.blurred)
        reach = float(np.max(np.abs(step), initial=0.0)) / patch.length
        if reach > 0.5:
            step *= 0.5 / reach
        pins, total = advance(patch, pins, step), total + step
        g, J = closing(patch, pins)
    return pins, total, float(np.max(np.abs(g), initial=0.0))


def _least(J: Array, g: Array, blurred: float) -> Array:
    """The shortest y with J y = g in the least squares sense, singular values below `blurred` being none."""
    if max(J.shape) <= LARGE:
        return np.asarray(np.linalg.lstsq(J, g, rcond=blurred)[0])
    from scipy.linalg import cho_factor, cho_solve

    S = J.T @ J
    factor = cho_factor(S + 1e-10 * float(np.trace(S)) / len(S) * np.eye(len(S)))
    y = np.asarray(cho_solve(factor, J.T @ g))
    return y + np.asarray(cho_solve(factor, J.T @ (g - J @ y)))


def correction(patch: Patch, z: Array) -> tuple[float, Array]:
    """The size of the correction after a step z (k,), inf where it cannot be closed, and the whole way gone (k,)."""
    _, total, left = close(patch, advance(patch, patch.home, z))
    if left > max(CLOSED, WORSE * patch.slack):
        return np.inf, z + total
    return float(np.max(np.abs(total), initial=0.0)) / patch.length, z + total


def unit_step(patch: Patch, q: Array) -> Array:
    """Coordinates (k,) of a direction q of the web, its largest part one rad or one length."""
    z = patch.lift @ q[patch.columns]
    return np.asarray(z * patch.length / max(float(np.max(np.abs(z), initial=0.0)), 1e-300))


def goes_on(patch: Patch, q: Array) -> bool:
    """Whether the corrections after steps along q (of the web) shrink with the square of the step."""
    if patch.program.rows == 0:
        return True
    z = unit_step(patch, q)
    far, near = (correction(patch, step * z)[0] for step in STEPS)
    if near < max(1e-9, WORSE * patch.slack):
        return True
    if not np.isfinite(near) or near > 0.5 * STEPS[1]:
        return False
    if not np.isfinite(far):
        return _shrinks(near, correction(patch, STEPS[1] / 4 * z)[0], 4.0)
    return _shrinks(far, near, STEPS[0] / STEPS[1])


def _shrinks(larger: float, smaller: float, factor: float) -> bool:
    return bool(np.log(max(larger, 1e-300) / max(smaller, 1e-300)) / np.log(factor) > ORDER)


def local_dof(patch: Patch, z: Array) -> int:
    """The mobility at the closed pose that a step z (k,) from the design leads to."""
    pins, _, _ = close(patch, advance(patch, patch.home, z))
    _, J = closing(patch, pins)
    sizes = np.linalg.norm(J, axis=1)
    J = J * patch.length / np.where(sizes > 1e-14, sizes * patch.length, 1.0)[:, None]
    return int(
        patch.size - significant(np.asarray(np.linalg.svd(J, compute_uv=False), float), 1e-9, max(1e-5, patch.blurred))
    )
