"""The saddle-point system of the equations of motion, by the Schur complement S = Ĝ M⁻¹ Ĝᵀ + E.

    [ M  Ĝᵀ ] [ v̇ ]   [ f ]
    [ Ĝ  −E ] [ λ ] = [ c ]

E is zero but for rotors: a coordinate with armature J is a row with the compliance 1/J, which is the same as J
times the outer product of its gradient in the mass matrix. S is singular where rows repeat each other.
It is factored as S + μ 1 (unit diagonal, sparse Cholesky with an order found once) and refined:
λ ← λ + (S + μ 1)⁻¹ (b − S λ), which converges to the λ of least norm in the scaled rows.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.algebra.division import LEAST_DIVISOR
from solver.algebra.elimination import columns_of, eliminate, entries
from solver.compilation.compiled import Array1, Array2, Array3, Ints1, kernel, table
from solver.constraints.program import Program
from solver.constraints.terms import Terms
from solver.sweeps.factor import MU, REFINEMENTS

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@table
class Plan(NamedTuple):
    """The structure of the factor L of S, columns compressed; `place[row]` is a row's column in it.

    `pair_*`: which two blocks add to which entry. `update_*`: for column j, the entries of L in row j.
    """

    place: Ints1
    column_start: Ints1
    row_index: Ints1
    pair_first: Ints1
    pair_second: Ints1
    pair_target: Ints1
    update_start: Ints1
    update_entry: Ints1
    update_end: Ints1


@table
class Space(NamedTuple):
    """What the factor of S leaves: M⁻¹ of the bodies (n, 3, 3; world axes), `weighed` M⁻¹Ĝᵀ by blocks (nb, 6), L (nnz,)
    and `scale` (m,); arrays for solutions: y (n, 6), z, r, `work`, `by_place`, and the caller's b and x (m,).
    """

    inverse: Array3
    weighed: Array2
    L: Array1
    scale: Array1
    y: Array2
    z: Array1
    r: Array1
    work: Array1
    by_place: Array1
    b: Array1
    x: Array1


def space(T: Terms, K: Plan, bodies: int) -> Space:
    """Arrays for the factor of a plan, and for solutions."""
    m = len(K.place)
    return Space(
        np.empty((bodies, 3, 3)),
        np.empty((len(T.block_body), 6)),
        np.empty(len(K.row_index)),
        np.empty(m),
        np.zeros((bodies, 6)),
        *(np.zeros(m) for _ in range(6)),
    )


def plan(program: Program) -> Plan:
    """The order of elimination (minimum degree) and the structure of the factor."""
    m, T = program.rows, program.terms
    owner = np.repeat(np.arange(m), np.diff(T.row_block))
    # Bodies in the order in which blocks first name them, each with its blocks.
    _, seen, group = np.unique(T.block_body, return_index=True, return_inverse=True)
    by_body = np.lexsort([np.arange(len(group)), seen[group]])
    members = np.split(by_body, np.flatnonzero(np.diff(group[by_body])) + 1) if m else []
    touched = T.block_body.tolist()
    bodies = [touched[first:last] for first, last in pairwise(T.row_block.tolist())]
    order, columns = eliminate(bodies, [0] * m)
    place = np.empty(m, dtype=np.int64)
    place[order] = np.arange(m)
    start, index = columns_of(place, columns, np.array([len(c) for c in columns], dtype=np.int64))
    first, second, target = _pairs(members, place[owner], start, index)
    update_start, update_entry, update_end = _updates(m, start, index)
    return Plan(place, start, index, first, second, target, update_start, update_entry, update_end)


def _pairs(members: list[Ints], places: Ints, start: Ints, index: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs of blocks on one body, the first's row lower in L, with the entry of L they add to."""
    none = [np.zeros(0, np.int64)]
    first = np.concatenate(none + [np.repeat(blocks, len(blocks)) for blocks in members])
    second = np.concatenate(none + [np.tile(blocks, len(blocks)) for blocks in members])
    lower = (places[first] > places[second]) | (first == second)
    first, second = first[lower], second[lower]
    return first, second, entries(start, index, places[second], places[first])


def _updates(m: int, start: Ints, index: Ints) -> tuple[Ints, Ints, Ints]:
    """For every row of L its entries left of the diagonal, and the ends of their columns."""
    column = np.repeat(np.arange(m), np.diff(start))
    below = np.flatnonzero(index != column)
    entry = below[np.argsort(index[below], kind="stable")]
    counts = np.concatenate([[0], np.cumsum(np.bincount(index[below], minlength=m))]).astype(np.int64)
    return counts, entry, start[column[entry] + 1]


@kernel
def weigh(block_body: Ints1, blocks: Array2, inverse_mass: Array1, inverse_inertia: Array3, weighed: Array2) -> None:
    """M⁻¹ Ĝᵀ by blocks (nb, 6); inverse inertia (n, 3, 3) in world axes."""
    for b in range(blocks.shape[0]):
        i = block_body[b]
        w = inverse_mass[i]
        for j in range(3):
            weighed[b, j] = w * blocks[b, j]
            weighed[b, 3 + j] = (
                inverse_inertia[i, j, 0] * blocks[b, 3]
                + inverse_inertia[i, j, 1] * blocks[b, 4]
                + inverse_inertia[i, j, 2] * blocks[b, 5]
            )


@kernel
def factor(K: Plan, Q: Space, blocks: Array2, compliance: Array1) -> None:
    """L of the scaled S + μ 1 into Q.L (nnz,), and the factors (m,) that give S a unit diagonal into Q.scale."""
    L, scale, weighed, by_place, work = Q.L, Q.scale, Q.weighed, Q.by_place, Q.work
    m = scale.shape[0]
    for p in range(L.shape[0]):
        L[p] = 0.0
    for p in range(K.pair_first.shape[0]):
        a, b = K.pair_first[p], K.pair_second[p]
        s = 0.0
        for j in range(6):
            s += blocks[a, j] * weighed[b, j]
        L[K.pair_target[p]] += s
    for i in range(m):
        d = L[K.column_start[K.place[i]]] + compliance[i]
        L[K.column_start[K.place[i]]] = d
        # A row that moves nothing has no scale, and its λ stays 0.
        scale[i] = 1.0 / math.sqrt(d) if d > LEAST_DIVISOR else 0.0
    for i in range(m):
        by_place[K.place[i]], work[i] = scale[i], 0.0
    # Left-looking: column j of the scaled S less, for each earlier column with an entry x in row j, x times that
    # column. Only places of the factor's structure are written, so that `work` needs no clearing.
    for j in range(m):
        low, high = K.column_start[j], K.column_start[j + 1]
        for p in range(low, high):
            work[K.row_index[p]] = L[p] * by_place[j] * by_place[K.row_index[p]]
        work[j] += MU
        for u in range(K.update_start[j], K.update_start[j + 1]):
            entry = K.update_entry[u]
            x = L[entry]
            if x != 0.0:
                for p in range(entry, K.update_end[u]):
                    work[K.row_index[p]] -= x * L[p]
        # Rounding can leave a pivot of a repeated row below μ; it must not fall to nothing.
        pivot = math.sqrt(max(work[j], 0.1 * MU))
        L[low] = pivot
        for p in range(low + 1, high):
            L[p] = work[K.row_index[p]] / pivot


@kernel
def _substitute(K: Plan, L: Array1, z: Array1) -> None:
    """z (m,) ← (L Lᵀ)⁻¹ z, forwards and backwards by the sparse factor L."""
    m = z.shape[0]
    for j in range(m):
        z[j] /= L[K.column_start[j]]
        for p in range(K.column_start[j] + 1, K.column_start[j + 1]):
            z[K.row_index[p]] -= L[p] * z[j]
    for j in range(m - 1, -1, -1):
        s = z[j]
        for p in range(K.column_start[j] + 1, K.column_start[j + 1]):
            s -= L[p] * z[K.row_index[p]]
        z[j] = s / L[K.column_start[j]]


@kernel
def clear(y: Array2) -> None:
    """y (n, k) = 0."""
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = 0.0


@kernel
def transposed_product(row_block: Ints1, block_body: Ints1, blocks: Array2, x: Array1, out: Array2) -> None:
    """out (n, 6) += blocksᵀ x, for x (m,)."""
    for i in range(x.shape[0]):
        if x[i] != 0.0:
            for b in range(row_block[i], row_block[i + 1]):
                for j in range(6):
                    out[block_body[b], j] += blocks[b, j] * x[i]


@kernel
def product(row_block: Ints1, block_body: Ints1, blocks: Array2, y: Array2, out: Array1) -> None:
    """out (m,) = blocks · y (n, 6)."""
    for i in range(out.shape[0]):
        s = 0.0
        for b in range(row_block[i], row_block[i + 1]):
            for j in range(6):
                s += blocks[b, j] * y[block_body[b], j]
        out[i] = s


@kernel
def solve(T: Terms, K: Plan, Q: Space, blocks: Array2, compliance: Array1, b: Array1, x: Array1) -> float:
    """x (m,) of least norm with S x = b, and Q.y (n, 6) = M⁻¹ Ĝᵀ x; returns the scaled residual left.

    Refines until the residual stops falling: what b has outside the range of S then remains.
    """
    m = b.shape[0]
    y, z, r, L, scale, weighed = Q.y, Q.z, Q.r, Q.L, Q.scale, Q.weighed
    size = 0.0
    for i in range(m):
        x[i] = 0.0
        size = max(size, abs(scale[i] * b[i]))
    before, left = np.inf, size
    for k in range(REFINEMENTS):
        if k > 0:
            clear(y)
            transposed_product(T.row_block, T.block_body, weighed, x, y)
            product(T.row_block, T.block_body, blocks, y, r)
        left = 0.0
        for i in range(m):
            s = scale[i] * (b[i] - r[i] - compliance[i] * x[i]) if k > 0 else scale[i] * b[i]
            z[K.place[i]] = s
            left = max(left, abs(s))
        # A round leaves about μ over the smallest eigenvalue that counts. After three, one that no longer halves is
        # what b has outside the range of S.
        if left <= 1e-15 * size or (k > 2 and left > 0.5 * before):
            break
        before = left
        _substitute(K, L, z)
        for i in range(m):
            x[i] += scale[i] * z[K.place[i]]
    clear(y)
    transposed_product(T.row_block, T.block_body, weighed, x, y)
    return left


def dense_accelerations(mass: Array, G: Array, force: Array, c: Array) -> tuple[Array, Array]:
    """The reference: v̇ (6n,) and λ (m,) of least norm by singular values, for M (6n, 6n) positive definite.

    Rows are scaled as in `factor`, so that both mean the same by least norm. M may be singular where Ĝ
    holds what it lacks: then the whole saddle-point matrix is solved.
    """
    m = G.shape[0]
    if np.all(np.linalg.eigvalsh(mass) > 0):
        S = G @ np.linalg.solve(mass, G.T)
        # A row that no body feels has 0 on the diagonal, and stays a row of zeros.
        scale = 1 / np.sqrt(np.maximum(np.diag(S), LEAST_DIVISOR))
        right = scale * (G @ np.linalg.solve(mass, force) - c)
        # As the sparse factor, which leaves out repeated rows by what rounding leaves of them.
        x = np.linalg.lstsq(scale[:, None] * S * scale, right, rcond=1e-11)[0]
        multipliers = scale * x
        return np.linalg.solve(mass, force - G.T @ multipliers), multipliers
    matrix = np.block([[mass, G.T], [G, np.zeros((m, m))]])
    # As above, for the whole matrix, whose rows are not scaled.
    solution = np.linalg.lstsq(matrix, np.concatenate([force, c]), rcond=1e-12)[0]
    return solution[: len(force)], solution[len(force) :]
