"""Dynamics of a tree in its minimal coordinates, link by link: inverse, forward, inertia matrix, base reaction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.constraints.primitives import GROUND
from solver.denoc import recursions
from solver.denoc.model import Tables, Tree

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeEfforts:
    """`efforts` (nv,) of the joints; `wrenches` (n, 6): what each joint does to its link, [f; n] about the link's
    origin, world axes (N, N m).
    """

    efforts: Array
    wrenches: Array


def inverse_dynamics(
    tree: Tree, q: ArrayLike, rates: ArrayLike, accelerations: ArrayLike, wrenches: ArrayLike | None = None
) -> TreeEfforts:
    """Efforts for accelerations (nv,) at q (nq,) and rates (nv,), recursively (Newton and Euler's by DeNOC).

    `wrenches` (n, 6) act on the links about their origins, world axes. ValueError where shapes do not fit.
    """
    found = recursions.rnea(*given(tree, q, rates, accelerations, wrenches))
    return TreeEfforts(*found)


def forward_dynamics(
    tree: Tree, q: ArrayLike, rates: ArrayLike, efforts: ArrayLike, wrenches: ArrayLike | None = None
) -> Array:
    """Accelerations (nv,) under efforts (nv,), recursively: linear in the number of links.

    ValueError where shapes do not fit, or a freedom has no inertia.
    """
    found = np.asarray(recursions.aba(*given(tree, q, rates, efforts, wrenches)))
    if not np.all(np.isfinite(found)):
        raise ValueError("a freedom of the tree has no inertia: give its links mass, or the joint armature")
    return found


def inertia_matrix(tree: Tree, q: ArrayLike) -> Array:
    """The generalised inertia matrix (nv, nv) with the armatures."""
    return np.asarray(recursions.crba(tree.tables, _sized(q, tree.nq, "q")))


def inertia_factors(tree: Tree, q: ArrayLike) -> tuple[Array, Array]:
    """𝒰 (nv, nv), unit upper triangular, and D (nv,) with 𝑰 = 𝒰 diag(D) 𝒰ᵀ (reverse Gaussian elimination, DeNOC).

    Entry (i, j) of 𝒰 is zero where neither freedom carries the other.
    """
    L = tree.tables
    o, S, U, D = recursions.articulated_factors(L, _sized(q, tree.nq, "q"))
    factor = np.eye(tree.nv)
    owner = np.repeat(np.arange(len(tree.links)), np.diff(L.v_start))
    for j in range(tree.nv):
        k = int(owner[j])
        # 𝒰_ij = S_iᵀ A_kiᵀ U_j / D_j: U_j, the wrench of a unit acceleration of freedom j, carried inward to those
        # before it.
        for i in range(int(L.v_start[k]), j):
            factor[i, j] = S[i] @ U[j] / D[j]
        wrench = U[j] / D[j]
        while L.parent[k] < len(tree.links):
            p = int(L.parent[k])
            onward = np.zeros(6)
            recursions.shift_wrench(tuple(o[k] - o[p]), wrench, onward)
            wrench, k = onward, p
            for i in range(int(L.v_start[k]), int(L.v_start[k + 1])):
                factor[i, j] = S[i] @ wrench
    return factor, np.asarray(D)


def base_reaction(tree: Tree, q: ArrayLike, efforts: TreeEfforts) -> Array:
    """What the tree does to the ground (6,): force (N) and moment (N m) about the world's origin."""
    o, *_ = poses(tree, q)
    total = np.zeros(6)
    for k, link in enumerate(tree.links):
        if link.parent == GROUND:
            f, n = efforts.wrenches[k, :3], efforts.wrenches[k, 3:]
            total -= np.concatenate([f, n + np.cross(o[k], f)])
    return total


def poses(tree: Tree, q: ArrayLike) -> tuple[Array, Array]:
    """Origins (n, 3) m and axes (n, 3, 3) of the links in the world."""
    n = len(tree.links)
    o, R, S = np.empty((n + 1, 3)), np.empty((n + 1, 3, 3)), np.empty((tree.nv, 6))
    recursions.forward_kinematics(tree.tables, _sized(q, tree.nq, "q"), o, R, S)
    return o[:n], R[:n]


def poses_and_motions(tree: Tree, q: ArrayLike) -> tuple[Array, Array]:
    """Origins (n + 1, 3) m with the ground's behind, and the joints' motions (nv, 6) at them, world axes."""
    n = len(tree.links)
    o, R, S = np.empty((n + 1, 3)), np.empty((n + 1, 3, 3)), np.empty((tree.nv, 6))
    recursions.forward_kinematics(tree.tables, _sized(q, tree.nq, "q"), o, R, S)
    return o, S


def twists(tree: Tree, q: ArrayLike, rates: ArrayLike) -> Array:
    """[v of the origin; ω] of the links (n, 6), world axes."""
    found = recursions.kinematics(tree.tables, _sized(q, tree.nq, "q"), _sized(rates, tree.nv, "the rates"))
    return np.asarray(found[3][: len(tree.links)])


def given(
    tree: Tree, q: ArrayLike, rates: ArrayLike, third: ArrayLike, wrenches: ArrayLike | None
) -> tuple[Tables, Array, Array, Array, Array, Array]:
    """The arguments of the kernels `forward` and `inverse`; ValueError where shapes do not fit."""
    n = len(tree.links)
    act = np.zeros((n, 6)) if wrenches is None else np.ascontiguousarray(wrenches, dtype=float)
    if act.shape != (n, 6):
        raise ValueError(f"the wrenches must be ({n}, 6), one for each link, not {act.shape}")
    vectors = (_sized(q, tree.nq, "q"), _sized(rates, tree.nv, "the rates"), _sized(third, tree.nv, "the third vector"))
    return (tree.tables, np.array(tree.gravity, float), *vectors, act)


def _sized(values: ArrayLike, size: int, what: str) -> Array:
    array = np.ascontiguousarray(values, dtype=float)
    if array.shape != (size,):
        raise ValueError(f"{what} must hold {size} numbers, not an array of shape {array.shape}")
    return array
