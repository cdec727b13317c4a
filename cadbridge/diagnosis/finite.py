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

from cadbridge.diagnosis.branches import Branch
from cadbridge.diagnosis.constraint_graph import ConstraintGraph
from cadbridge.frames import Pose
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.rows import quaternions_of
from solver.algebra.division import LEAST_DIVISOR
from solver.algebra.rank import NO_DIRECTION, significant
from solver.constraints import GROUND, Primitive, evaluate_sparse
from solver.constraints.program import Program, compile_program

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = (0.04, 0.01)
"""Steps in rad, or in lengths of the mechanism, that a freedom is followed: their ratio of four tells a correction of
second order (1/16) from one of first (1/4). Longer ones leave loops that are short beside the mechanism; shorter ones
lose the difference in what rounded dimensions leave open."""
FINITE_ORDER = 1.5
"""A correction that shrinks with at least this power of the step is one of second order: half way between the first, of
a motion that the next instant stops, and the second, of one that bends."""
FITS = 1e-10
"""A scaled residual below this is none, of a design: above the rounding of long chains (1e-13)."""
CLOSED = 1e-8
"""A scaled residual below this is closed, after a step. Bars that hold each other in parallel, of lengths that a file
rounds to 1e-6 mm, leave up to 2e-9 in a machine of 20 mm; the square of the shortest step is 6e-6."""
ENOUGH = 1e-12
"""A scaled residual at which the rounds end: what remains to `FITS` is room for the poses, which round too."""
WORSE = 10.0
"""A loop of dimensions that do not quite fit may stay open by so many times what it is open by as designed."""
HELD_ALONE = 1e-6
"""Singular values below this share of the largest are none where a direction is held: that of its own is."""
PARTS_AT_ONCE = 256
"""Parts of rows that are added at once: their arrays stay in a processor's cache."""
MOST_DENSE = 300
"""Coordinates up to which a step is solved by singular values; above, by normal equations, which take less time and
leave half the digits: enough for a correction that the next round repeats."""


@dataclass(frozen=True, eq=False)
class TreeBody:
    """A body on its branch of the tree: twists `columns` (6, k) [v; ω·length] in the joint frame J, world axes as
    designed; X_PJ in the parent's frame, X_JB the body's; `first` is the place of its coordinates."""

    parent: int
    X_PJ: Pose
    X_JB: Pose
    columns: Array
    first: int


Displacements = tuple[Pose, ...]
"""What each member has moved by, in its joint frame."""


@dataclass(frozen=True, eq=False)
class Subsystem:
    """Bodies on a part of the tree, deepest last, with the rows that close it.

    `lift` (k, graph coordinates) turns the graph's coordinates into the k of the subsystem. Index n of a body's parent
    is what stands still. `home` is the design, closed as well as it can be: to the scaled residual `slack`; directions
    with singular values below `blurred` of the largest are free.
    """

    bodies: tuple[int, ...]
    members: tuple[TreeBody, ...]
    program: Program
    scales: Array
    lift: Array
    columns: Ints
    length: float
    root: Pose
    home: Displacements = ()
    slack: float = 0.0
    blurred: float = 1e-9

    @property
    def size(self) -> int:
        """Coordinates."""
        return len(self.lift)

    @cached_property
    def twists(self) -> Array:
        """Of each coordinate its twist (k, 6), see `TreeBody`."""
        return np.concatenate([np.zeros((0, 6)), *(member.columns.T for member in self.members)])

    @cached_property
    def owner(self) -> Ints:
        """Of each coordinate its member (k,)."""
        return np.repeat(np.arange(len(self.members)), [member.columns.shape[1] for member in self.members])

    @cached_property
    def carried(self) -> NDArray[np.bool_]:
        """Which coordinates (n, k) move each member: its own, and those of the members that carry it."""
        found = np.zeros((len(self.members) + 1, self.size), dtype=bool)
        for i, member in enumerate(self.members):
            found[i] = found[member.parent]
            found[i, member.first : member.first + member.columns.shape[1]] = True
        return found[:-1]


def subsystem_of(
    graph: ConstraintGraph, units: set[int], rows: set[int], loose: set[int], columns: Ints,
    primitive_of: Callable[[int], Primitive], poses: Sequence[Pose], free: int,
) -> Subsystem:  # fmt: skip
    """The bodies `units` and the numbers of the `rows` that bind them, leaving `free` motions at first.

    Branches in `loose` are no lower pairs: all six of their coordinates are free, their rows are among `rows`. The
    others move by those of their coordinates that are in `columns`.
    """
    moving = sorted(
        (u for u in units if u != GROUND and _parent_in(graph, u, units)), key=lambda u: graph.branches[u].depth
    )
    root = next(iter({graph.branches[u].parent for u in moving} - set(moving)), GROUND)
    X_root = Pose() if root == GROUND else poses[root]
    index = {u: i for i, u in enumerate(moving)}
    members: list[TreeBody] = []
    lifts = []
    first = 0
    for unit in moving:
        branch = graph.branches[unit]
        own, lift = _columns(branch, unit in loose, columns)
        X_WP = X_root if branch.parent not in index else poses[branch.parent]
        members.append(_tree_body(graph, branch, index.get(branch.parent, len(moving)), X_WP, poses[unit], own, first))
        first += own.shape[1]
        lifts.append(lift)
    keep = [i for i in sorted(rows) if all(u in index or u in (root, GROUND) for u in graph.rows.ends[i])]
    program = _program([primitive_of(i) for i in keep], index, root, X_root, [poses[u] for u in moving])
    subsystem = Subsystem(
        tuple(moving),
        tuple(members),
        program,
        graph.rows.factors[keep] / graph.rows.length,
        np.vstack(lifts) if lifts else np.zeros((0, len(columns))),
        columns,
        graph.rows.length,
        X_root,
        tuple(Pose() for _ in members),
    )
    return _settled(subsystem, free)


def _settled(subsystem: Subsystem, free: int) -> Subsystem:
    """The subsystem, its design closed: where dimensions were rounded, loops that need them exactly stay open a bit."""
    if subsystem.program.rows == 0 or subsystem.size == 0 or max(subsystem.size, subsystem.program.rows) > MOST_DENSE:
        return subsystem
    g, J = closing(subsystem, subsystem.home)
    # The singular value of the first motion that the design leaves: rounded dimensions make it larger than 0, and a
    # step that took it for a constraint would be as long as its inverse. Bars in parallel may fit as they stand, and be
    # of rounded lengths.
    s = np.linalg.svd(J, compute_uv=False)
    below = float(s[subsystem.size - free]) if subsystem.size - free < len(s) else 0.0
    subsystem = replace(subsystem, blurred=max(subsystem.blurred, WORSE * below / max(float(s[0]), LEAST_DIVISOR)))
    if float(np.max(np.abs(g), initial=0.0)) < FITS:
        return subsystem
    displacements, _, left = close(subsystem, subsystem.home)
    return replace(subsystem, home=displacements, slack=left)


def _parent_in(graph: ConstraintGraph, unit: int, units: set[int]) -> bool:
    return graph.branches[unit].parent in units


def _columns(branch: Branch, loose: bool, columns: Ints) -> tuple[Array, Array]:
    """The twists of a branch's coordinates in a subsystem, and how they follow from the graph's `columns`."""
    places = [(k, np.searchsorted(columns, c)) for k, c in enumerate(branch.columns)]
    seen = [(k, int(at)) for k, at in places if at < len(columns) and columns[at] == branch.first + k]
    lift = np.zeros((branch.freedom.shape[1], len(columns)))
    for k, at in seen:
        lift[k, at] = 1.0
    if loose:
        return np.eye(6), branch.freedom @ lift
    chosen = [k for k, _ in seen]
    return branch.freedom[:, chosen], lift[chosen]


def _tree_body(
    graph: ConstraintGraph, branch: Branch, parent: int, X_WP: Pose, X_WB: Pose, columns: Array, first: int
) -> TreeBody:
    """The joint frame J stands at the body's origin with the world's axes; twists about the rows' centre go there."""
    X_WJ = Pose(np.eye(3), X_WB.p)
    own = columns.copy()
    own[:3] += np.cross(own[3:].T / graph.rows.length, X_WB.p - graph.rows.centre).T
    return TreeBody(parent, X_WP.inverse() @ X_WJ, X_WJ.inverse() @ X_WB, own, first)


def _program(
    primitives: Sequence[Primitive], index: dict[int, int], root: int, X_root: Pose, poses: Sequence[Pose]
) -> Program:
    def place(body: int) -> tuple[int, Pose]:
        if body in index:
            return index[body], Pose()
        return GROUND, X_root if body == root and root != GROUND else Pose()

    moved = [reframed(p, place) for p in primitives]
    return compile_program(moved, np.array([X.p for X in poses]).reshape(-1, 3), quaternions_of(poses))


def advance(subsystem: Subsystem, displacements: Displacements, z: Array) -> Displacements:
    """Every member moved on by its coordinates z (k,)."""
    steps = [member.columns @ z[member.first : member.first + member.columns.shape[1]] for member in subsystem.members]
    moves = exponentials(np.array(steps).reshape(-1, 6), subsystem.length)
    return tuple(X @ move for X, move in zip(displacements, moves, strict=True))


def exponentials(twists: Array, length: float) -> list[Pose]:
    """The motions of twists (n, 6) [v; ω·length] for a unit of time: turns about, and shifts along, screw axes."""
    v, w = twists[:, :3], twists[:, 3:] / length
    angle = np.linalg.norm(w, axis=1)
    # Below, sin θ/θ is 1 to the last digit: the floor keeps 0/0 away and changes no value.
    turns = np.maximum(angle, 1e-12)
    K = np.zeros((len(w), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        K[:, k, j], K[:, j, k] = w[:, i], -w[:, i]
    a = np.sin(turns) / turns
    b = (np.sin(turns / 2) / (turns / 2)) ** 2 / 2
    # (θ − sin θ)/θ³ where digits do not cancel yet; what 1/6 leaves out moves nothing by more than θ⁵/120, 1e-22.
    c = np.where(turns > 1e-4, (1 - a) / turns**2, 1 / 6)
    a, b, c = (factor[:, None, None] for factor in (a, b, c))
    KK = K @ K
    R = np.eye(3) + a * K + b * KK
    p = v + ((b * K + c * KK) @ v[:, :, None])[:, :, 0]
    return [Pose(*move) for move in zip(R, p, strict=True)]


def poses_at(subsystem: Subsystem, displacements: Displacements) -> tuple[list[Pose], Array]:
    """Poses of the bodies and their twists (n, 6, k) [v of the origin; ω·length] for each coordinate."""
    n = len(subsystem.members)
    joints: list[Pose] = []
    poses: list[Pose] = []
    for member, X in zip(subsystem.members, displacements, strict=True):
        parent = subsystem.root if member.parent == n else poses[member.parent]
        joints.append(parent @ member.X_PJ @ X)
        poses.append(joints[-1] @ member.X_JB)
    R = np.array([X.R for X in joints]).reshape(-1, 3, 3)[subsystem.owner]
    starts = np.array([X.p for X in joints]).reshape(-1, 3)[subsystem.owner]
    v = np.einsum("kij,kj->ki", R, subsystem.twists[:, :3])
    w = np.einsum("kij,kj->ki", R, subsystem.twists[:, 3:])
    levers = (np.array([X.p for X in poses]).reshape(-1, 1, 3) - starts) / subsystem.length
    S = np.concatenate([v + np.cross(w, levers), np.broadcast_to(w, levers.shape)], axis=2)
    return poses, (S * subsystem.carried[:, :, None]).swapaxes(1, 2)


def closing(subsystem: Subsystem, displacements: Displacements) -> tuple[Array, Array]:
    """Scaled residuals (m,) of the closing rows and their Jacobian (m, k)."""
    poses, S = poses_at(subsystem, displacements)
    found = evaluate_sparse(subsystem.program, np.array([X.p for X in poses]).reshape(-1, 3), quaternions_of(poses))
    blocks = found.blocks.copy()
    blocks[:, 3:] /= subsystem.length
    J = np.zeros((len(found.g), subsystem.size))
    for start in range(0, len(blocks), PARTS_AT_ONCE):
        part = slice(start, start + PARTS_AT_ONCE)
        np.add.at(J, found.row[part], np.einsum("bi,bik->bk", blocks[part], S[found.body[part]]))
    return found.g * subsystem.scales, J * subsystem.scales[:, None]


def close(
    subsystem: Subsystem, displacements: Displacements, rounds: int = 25, enough: float = ENOUGH,
    held: Array | None = None,
) -> tuple[Displacements, Array, float]:  # fmt: skip
    """Gauss–Newton with the shortest step; also all steps' sum (k,) and the scaled residual that is left.

    It ends where that is `enough`, or falls no more. No step goes along `held` (k,).
    """
    total = np.zeros(subsystem.size)
    before = np.inf
    g, J = closing(subsystem, displacements)
    for _ in range(rounds):
        size = float(np.max(np.abs(g), initial=0.0))
        # Rounds at least halve what is left, even at a singular pose: what hardly falls is rounding, or a
        # loop that stays open.
        if size < enough or size > 0.99 * before:
            break
        before = size
        step = -(_least(J, g, subsystem.blurred) if held is None else _across(J, g, held))
        reach = float(np.max(np.abs(step), initial=0.0)) / subsystem.length
        # A row's gradient says nothing half a turn away: a longer step may close the loops on another branch.
        if reach > 0.5:
            step *= 0.5 / reach
        displacements, total = advance(subsystem, displacements, step), total + step
        g, J = closing(subsystem, displacements)
    return displacements, total, float(np.max(np.abs(g), initial=0.0))


def _across(J: Array, g: Array, held: Array) -> Array:
    """As `_least`, of the steps that have no part along `held`."""
    along = held / max(float(np.linalg.norm(held)), LEAST_DIVISOR)
    whole = J - np.outer(J @ along, along)
    return np.asarray(np.linalg.lstsq(whole, g, rcond=HELD_ALONE)[0])


def _least(J: Array, g: Array, blurred: float) -> Array:
    """The shortest y with J y = g in the least squares sense, singular values below `blurred` being none."""
    if max(J.shape) <= MOST_DENSE:
        return np.asarray(np.linalg.lstsq(J, g, rcond=blurred)[0])
    from scipy.linalg import cho_factor, cho_solve

    S = J.T @ J
    # JᵀJ has no inverse where rows leave motions free. The shift, beside the mean of its diagonal, gives it one, and is
    # far above the rounding of the products.
    factor = cho_factor(S + 1e-10 * float(np.trace(S)) / len(S) * np.eye(len(S)))
    y = np.asarray(cho_solve(factor, J.T @ g))
    # One round more gives back what the shift took.
    return y + np.asarray(cho_solve(factor, J.T @ (g - J @ y)))


def correction(subsystem: Subsystem, z: Array, enough: float = ENOUGH, across: bool = False) -> tuple[float, Array]:
    """The size of the correction after a step z (k,), inf where it cannot be closed, and the whole way gone (k,).

    A correction `across` the step has no part along it.
    """
    held = z if across else None
    _, total, left = close(subsystem, advance(subsystem, subsystem.home, z), enough=enough, held=held)
    if left > max(CLOSED, WORSE * subsystem.slack):
        return np.inf, z + total
    return float(np.max(np.abs(total), initial=0.0)) / subsystem.length, z + total


def unit_step(subsystem: Subsystem, q: Array) -> Array:
    """Coordinates (k,) of a direction q of the graph, its largest part one rad or one length."""
    z = subsystem.lift @ q[subsystem.columns]
    return np.asarray(z * subsystem.length / max(float(np.max(np.abs(z), initial=0.0)), LEAST_DIVISOR))


def is_finite(subsystem: Subsystem, q: Array) -> bool:
    """Whether the corrections after steps along q (of the graph) shrink with the square of the step.

    Where a loop repeats rows, its Jacobian loses a rank on the motion alone: a step beside it has one direction more
    in which hardly anything gives way, the motion's own, and the shortest correction may take the step back. One
    across the step cannot.
    """
    if subsystem.program.rows == 0:
        return True
    z = unit_step(subsystem, q)
    dense = max(subsystem.size, subsystem.program.rows) <= MOST_DENSE
    return _goes_on(subsystem, z) or (dense and _goes_on(subsystem, z, across=True))


def _goes_on(subsystem: Subsystem, z: Array, across: bool = False) -> bool:
    far, near = (correction(subsystem, step * z, across=across)[0] for step in STEPS)
    # A motion that needs no correction at all goes on; its order would be that of rounding.
    # In lengths of the model. Rounds end at 1e-12; where a motion is instantaneous alone, the correction is about the
    # square of the step, 1e-4.
    if near < max(1e-9, WORSE * subsystem.slack):
        return True
    # A correction half as long as the step takes it back: nothing goes on.
    if not np.isfinite(near) or near > 0.5 * STEPS[1]:
        return False
    # A dead point may lie within the longer step: then a shorter one is the second.
    if not np.isfinite(far):
        return _shrinks(near, correction(subsystem, STEPS[1] / 4 * z, across=across)[0], 4.0)
    return _shrinks(far, near, STEPS[0] / STEPS[1])


def _shrinks(larger: float, smaller: float, factor: float) -> bool:
    return bool(np.log(max(larger, LEAST_DIVISOR) / max(smaller, LEAST_DIVISOR)) / np.log(factor) > FINITE_ORDER)


def local_dof(subsystem: Subsystem, z: Array) -> int:
    """The mobility at the closed pose that a step z (k,) from the design leads to."""
    displacements, _, _ = close(subsystem, advance(subsystem, subsystem.home, z))
    _, J = closing(subsystem, displacements)
    # Rows of length 1, so that the same bounds hold as of the design's.
    sizes = np.linalg.norm(J, axis=1)
    J = J * subsystem.length / np.where(sizes > NO_DIRECTION, sizes * subsystem.length, 1.0)[:, None]
    return int(
        subsystem.size
        # The bounds that hold for rows of length 1; what blurs the rows raises the upper one.
        - significant(np.asarray(np.linalg.svd(J, compute_uv=False), float), 1e-9, max(1e-5, subsystem.blurred))
    )
