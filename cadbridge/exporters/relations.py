"""Couplings as linear relations between the coordinates of the tree.

The solver's own Ĝ times the motions of the tree gives each coupling's coefficients; where they
are the same in other poses the relation Σ coefficient · q = constant is exact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from cadbridge.exporters.tree import Tree, bodies_at, driven_joints, poses_at
from cadbridge.frames import Matrix, Vector
from solver.algebra.rank import NO_DIRECTION
from solver.constraints import Primitive, evaluate

_NO_TERM = 1e-9
"""Coefficients of relations below this are none: they are ratios of one machine (1e-5 and more), or m for a radian, and
rounding of the elimination leaves 1e-13."""
_SAME_LAW = 1e-7
"""rad and m, or of a row's largest coefficient: a law or a ratio that is off by less elsewhere is the same there. Above
what loops are closed to (1e-9), below what a cam bends in a tenth of a turn."""
_OTHER_POSES = 3
"""Poses at random, besides the designed one, at which a ratio must be as it is there to be called constant: one where
it happens to be is unlikely, three in a row by chance are not met."""
_DRIVER_AT = 0.1
"""rad or m of a driver, at which a law is compared."""


@dataclass(frozen=True)
class Relation:
    """Σ coefficient · q[index] = constant; coefficients scaled so that the largest is ±1."""

    name: str
    terms: tuple[tuple[int, float], ...]
    constant: float = 0.0


@dataclass(frozen=True)
class Polynomial:
    """q[driven] = Σ coefficients[k] · q[driver]ᵏ."""

    name: str
    driver: int
    driven: int
    coefficients: tuple[float, ...]


@dataclass(frozen=True)
class LinearRelation:
    """q[dependent] = Σ factor · q[index] + offset, after elimination; the indices are independent."""

    dependent: int
    terms: tuple[tuple[int, float], ...]
    offset: float


_Found = tuple[tuple[Relation, ...], tuple[str, ...]]
_known: WeakKeyDictionary[Tree, _Found] = WeakKeyDictionary()


def relations(tree: Tree) -> _Found:
    """All couplings and screws that are linear in the tree's coordinates; the names of those that are not.

    A relation with a coordinate of a spherical or free joint counts as not linear. Found once for each tree.
    """
    if tree not in _known:
        _known[tree] = _relations(tree)
    return _known[tree]


def _relations(tree: Tree) -> _Found:
    screws = tuple(
        Relation(link.joint.name, ((link.first, -(link.joint.pitch or 0.0)), (link.first + 1, 1.0)))
        for link in tree.links
        if link.kind.coupled and link.joint is not None
    )
    couplings = tree.mechanism.couplings
    if not couplings or not tree.freedoms:
        return screws, tuple(c.name for c in couplings)
    rows, constants = _rows([c.primitive for c in couplings], tree)
    constant_ratio = _stays(rows, constants, [c.primitive for c in couplings], tree)
    scalar = _scalar(tree)
    found, lost = list(screws), []
    for coupling, row, constant, stays in zip(couplings, rows, constants, constant_ratio, strict=True):
        terms = tuple((k, float(c)) for k, c in enumerate(row) if abs(c) > _NO_TERM)
        if stays and terms and all(scalar[k] for k, _ in terms):
            found.append(Relation(coupling.name, terms, float(constant)))
        else:
            lost.append(coupling.name)
    return tuple(found), tuple(lost)


def polynomials_of(tree: Tree, names: Collection[str]) -> tuple[Polynomial, ...]:
    """Those of the couplings that are polynomials of the tree's coordinates as they are of their joints'."""
    at = {
        mate: link.first + k
        for link in tree.links
        if link.joint is not None
        for k, freedom in enumerate(link.freedoms)
        if freedom.name == link.joint.name
        for mate in (link.joint.name, *link.joint.mates)
    }
    zero = poses_at(tree, np.zeros(len(tree.freedoms)))
    found = []
    for item in tree.mechanism.couplings:
        coupling = item.coupling
        if item.name not in names or coupling.cam is None or not coupling.cam.polynomial or coupling.joints is None:
            continue
        driver, driven = (at.get(mate) for mate in coupling.joints)
        if driver is None or driven is None:
            continue
        law = (coupling.offset, *coupling.cam.polynomial[1:])
        q = np.zeros(len(tree.freedoms))
        q[driver] = min(_DRIVER_AT, coupling.cam.points[-1][0] / 2)
        q[driven] = np.polynomial.Polynomial(law)(q[driver])
        residual = evaluate([item.primitive], *poses_at(tree, q), reference=zero).g
        if float(np.abs(residual).max()) < _SAME_LAW:
            found.append(Polynomial(item.name, driver, driven, law))
    return tuple(found)


def _scalar(tree: Tree) -> list[bool]:
    return [not link.kind.ball for link in tree.links for _ in link.freedoms]


def _rows(primitives: list[Primitive], tree: Tree) -> tuple[Matrix, Vector]:
    """Coefficients (m, N) and constants (m,) at the designed pose, each row's largest coefficient ±1."""
    x, q, T = bodies_at(tree, np.zeros(len(tree.freedoms)))
    at = evaluate(primitives, x, q)
    rows, constants = at.G @ T, -at.g
    scale = np.max(np.abs(rows), axis=1, initial=0.0)
    scale[scale < NO_DIRECTION] = 1.0
    return rows / scale[:, None], constants / scale


def _stays(rows: Matrix, constants: Vector, primitives: list[Primitive], tree: Tree) -> Vector:
    """Whether each row has the same coefficients in other poses that the relations allow."""
    zero = poses_at(tree, np.zeros(len(tree.freedoms)))
    _, s, Vt = np.linalg.svd(rows)
    # Rows whose largest coefficient is 1: repeated ones leave rounding.
    null = Vt[np.count_nonzero(s > 1e-9) :].T
    start = np.linalg.lstsq(rows, constants, rcond=None)[0]
    random = np.random.default_rng(1)
    lengths = np.array([1.0 if f.turns else tree.mechanism.length_scale for f in tree.freedoms])
    stays = np.ones(len(rows), dtype=bool)
    for _ in range(_OTHER_POSES):
        # Poses about 17° and a third of a length away: far enough for a law that only looks linear, near enough to be
        # on the same branch.
        q = start + null @ (null.T @ (0.3 * random.standard_normal(null.shape[0]) * lengths))
        x, quaternions, T = bodies_at(tree, q)
        other = evaluate(primitives, x, quaternions, reference=zero).G @ T
        scale = np.max(np.abs(other), axis=1, initial=0.0)
        scale[scale < NO_DIRECTION] = 1.0
        stays &= np.max(np.abs(other / scale[:, None] - rows), axis=1) < _SAME_LAW
    return stays


def ranking(tree: Tree) -> list[int]:
    """Coordinates, first those that had better follow others: not driven, followers in the source, unlimited, late."""
    driven = driven_joints(tree.mechanism)
    joints = [link.joint for link in tree.links for _ in link.freedoms]
    named = [c.coupling.joints[1] for c in tree.mechanism.couplings if c.coupling.joints]
    following = {joint.name for name in named if (joint := tree.mechanism.joint_named(name)) is not None}

    def key(k: int) -> tuple[bool, bool, bool, int]:
        joint = joints[k]
        if joint is None:
            return (False, True, False, -k)
        return (joint.name in driven, joint.name not in following, joint.limit is not None, -k)

    return sorted(range(len(joints)), key=key)


def independent_rows(items: Sequence[Relation], count: int) -> tuple[list[Relation], list[Relation]]:
    """The relations that say something new, in order, and those that repeat earlier ones."""
    kept: list[Relation] = []
    repeated: list[Relation] = []
    basis = np.zeros((0, count))
    for item in items:
        row = np.zeros(count)
        for k, c in item.terms:
            row[k] = c
        rest = row - basis.T @ (basis @ row)
        # Gram-Schmidt twice: once leaves rounding along the basis that looks like something new.
        rest -= basis.T @ (basis @ rest)
        # Gear ratios are known to nine digits and better; rows that agree to eight are one.
        if np.linalg.norm(rest) > 1e-8 * np.linalg.norm(row):
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
            kept.append(item)
        else:
            repeated.append(item)
    return kept, repeated


def eliminate(items: Sequence[Relation], order: Sequence[int]) -> tuple[tuple[LinearRelation, ...], bool]:
    """Gauss–Jordan: each dependent coordinate by independent ones; and whether the relations agree.

    `order` lists all coordinates, those first that should become dependent.
    """
    A = np.zeros((len(items), len(order) + 1))
    for i, item in enumerate(items):
        for k, c in item.terms:
            A[i, k] = c
        A[i, -1] = item.constant
    pivots: list[int] = []
    row = 0
    for k in order:
        if row == len(A):
            break
        best = row + int(np.argmax(np.abs(A[row:, k])))
        # Rounding of the elimination so far, not a term (`_NO_TERM`).
        if abs(A[best, k]) < 1e-8:
            continue
        A[[row, best]] = A[[best, row]]
        A[row] /= A[row, k]
        others = np.arange(len(A)) != row
        A[others] -= np.outer(A[others, k], A[row])
        pivots.append(k)
        row += 1
    # rad or m: ten times the rounding that made a row vanish, as constants are sums of several.
    agree = bool(np.all(np.abs(A[row:, -1]) < 1e-7))
    found = []
    for i, k in enumerate(pivots):
        terms = tuple((j, -float(A[i, j])) for j in range(len(order)) if j != k and abs(A[i, j]) > _NO_TERM)
        found.append(LinearRelation(k, terms, float(A[i, -1])))
    return tuple(sorted(found, key=lambda d: d.dependent)), agree
