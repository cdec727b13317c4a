"""Dynamics of a tree in its minimal coordinates, link by link: inverse, forward, inertia matrix, base reaction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.constraints.primitives import GROUND
from solver.denoc import recursions
from solver.denoc.model import Room, Tables, Tree

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeEfforts:
    """What a motion of a tree takes.

    Attributes:
        efforts: Of the joints (nv,) N m (N).
        wrenches: What each joint does to its link (n, 6), [force; moment] about the link's origin, world axes, N and N
            m.
    """

    efforts: Array
    wrenches: Array


def inverse_dynamics(
    tree: Tree, q: ArrayLike, rates: ArrayLike, accelerations: ArrayLike, wrenches: ArrayLike | None = None
) -> TreeEfforts:
    """Compute the efforts of a motion, recursively (Newton and Euler's equations by the DeNOC).

    After Shah, Saha and Dutt, Dynamics of Tree-Type Robotic Systems, ch. 5.

    Args:
        tree: The links.
        q: Configuration (nq,).
        rates: (nv,) rad/s (m/s).
        accelerations: (nv,) rad/s² (m/s²).
        wrenches: [force; moment] (n, 6) that act on the links about their origins, world axes, N and N m.

    Returns:
        Efforts of the joints, and what each does to its link.

    Raises:
        ValueError: A shape does not fit.
    """
    L, E, gravity, at, moving, wanted, acting = given(tree, q, rates, accelerations, wrenches)
    efforts, carried = np.empty_like(wanted), np.empty_like(acting)
    recursions.rnea(L, E, gravity, at, moving, wanted, acting, efforts, carried)
    return TreeEfforts(efforts, carried)


def forward_dynamics(
    tree: Tree, q: ArrayLike, rates: ArrayLike, efforts: ArrayLike, wrenches: ArrayLike | None = None
) -> Array:
    """Compute the accelerations under efforts, recursively: the time is linear in the number of links.

    After Shah, Saha and Dutt, Dynamics of Tree-Type Robotic Systems, ch. 5.

    Args:
        tree: The links.
        q: Configuration (nq,).
        rates: (nv,) rad/s (m/s).
        efforts: Of the joints (nv,) N m (N).
        wrenches: [force; moment] (n, 6) that act on the links about their origins, world axes, N and N m.

    Returns:
        Accelerations (nv,) rad/s² (m/s²).

    Raises:
        ValueError: A shape does not fit, or a freedom has no inertia.
    """
    L, E, gravity, at, moving, driving, acting = given(tree, q, rates, efforts, wrenches)
    found = np.empty_like(driving)
    recursions.aba(L, E, gravity, at, moving, driving, acting, found)
    return finite(found)


def finite(accelerations: Array) -> Array:
    """The accelerations (nv,); ValueError where a freedom has no inertia, by which they are not finite."""
    if not np.all(np.isfinite(accelerations)):
        raise ValueError("a freedom of the tree has no inertia: give its links mass, or the joint armature")
    return accelerations


def inertia_matrix(tree: Tree, q: ArrayLike) -> Array:
    """Compute the generalised inertia matrix.

    Args:
        tree: The links.
        q: Configuration (nq,).

    Returns:
        The matrix (nv, nv), armatures included.

    Raises:
        ValueError: The shape does not fit.
    """
    found = np.zeros((tree.nv, tree.nv))
    recursions.crba(tree.tables, tree.room, _sized(q, tree.nq, "q"), found)
    return found


def inertia_factors(tree: Tree, q: ArrayLike) -> tuple[Array, Array]:
    """Factor the generalised inertia matrix, 𝑰 = 𝒰 diag(D) 𝒰ᵀ (reverse Gaussian elimination by the DeNOC).

    Args:
        tree: The links.
        q: Configuration (nq,).

    Returns:
        𝒰 (nv, nv), unit upper triangular, zero at (i, j) where neither freedom carries the other; and D (nv,).

    Raises:
        ValueError: The shape does not fit.
    """
    factor, D = np.eye(tree.nv), np.empty(tree.nv)
    recursions.factor_inertia(tree.tables, tree.room, _sized(q, tree.nq, "q"), factor, D)
    return factor, D


def base_reaction(tree: Tree, q: ArrayLike, efforts: TreeEfforts) -> Array:
    """Sum up what the tree does to the ground.

    Args:
        tree: The links.
        q: Configuration (nq,).
        efforts: As `inverse_dynamics` gives them at it.

    Returns:
        [force; moment] (6,) about the world's origin, N and N m.
    """
    o, *_ = poses(tree, q)
    total = np.zeros(6)
    for k, link in enumerate(tree.links):
        if link.parent == GROUND:
            f, n = efforts.wrenches[k, :3], efforts.wrenches[k, 3:]
            # The ground gets the opposite of what the joint does to the link; about the world's origin, o × f comes to
            # the moment.
            total -= np.concatenate([f, n + np.cross(o[k], f)])
    return total


def poses(tree: Tree, q: ArrayLike) -> tuple[Array, Array]:
    """Compute where the links are.

    Args:
        tree: The links.
        q: Configuration (nq,).

    Returns:
        Origins (n, 3) m and axes (n, 3, 3) of the links in the world.

    Raises:
        ValueError: The shape does not fit.
    """
    n = len(tree.links)
    o, R, S = np.empty((n + 1, 3)), np.empty((n + 1, 3, 3)), np.empty((tree.nv, 6))
    recursions.pose_links(tree.tables, _sized(q, tree.nq, "q"), o, R, S)
    return o[:n], R[:n]


def poses_and_motions(tree: Tree, q: ArrayLike) -> tuple[Array, Array]:
    """Origins (n + 1, 3) m with the ground's behind, and the joints' motions (nv, 6) at them, world axes."""
    n = len(tree.links)
    o, R, S = np.empty((n + 1, 3)), np.empty((n + 1, 3, 3)), np.empty((tree.nv, 6))
    recursions.pose_links(tree.tables, _sized(q, tree.nq, "q"), o, R, S)
    return o, S


def twists(tree: Tree, q: ArrayLike, rates: ArrayLike) -> Array:
    """Compute how the links move.

    Args:
        tree: The links.
        q: Configuration (nq,).
        rates: (nv,) rad/s (m/s).

    Returns:
        [v of the origin; ω] of the links (n, 6), world axes.

    Raises:
        ValueError: A shape does not fit.
    """
    n = len(tree.links)
    found = np.empty((n + 1, 6))
    at, moving = _sized(q, tree.nq, "q"), _sized(rates, tree.nv, "the rates")
    recursions.twists_of(tree.tables, tree.room, at, moving, found)
    return found[:n]


def given(
    tree: Tree, q: ArrayLike, rates: ArrayLike, third: ArrayLike, wrenches: ArrayLike | None
) -> tuple[Tables, Room, Array, Array, Array, Array, Array]:
    """The arguments of the kernels `aba` and `rnea` but for results; ValueError where shapes do not fit."""
    n, nv = len(tree.links), tree.nv
    act = np.zeros((n, 6)) if wrenches is None else np.ascontiguousarray(wrenches, dtype=float)
    if act.shape != (n, 6):
        raise ValueError(f"the wrenches must be ({n}, 6), one for each link, not {act.shape}")
    vectors = (_sized(q, tree.nq, "q"), _sized(rates, nv, "the rates"), _sized(third, nv, "the third vector"))
    return (tree.tables, tree.room, np.array(tree.gravity, float), *vectors, act)


def _sized(values: ArrayLike, size: int, what: str) -> Array:
    array = np.ascontiguousarray(values, dtype=float)
    if array.shape != (size,):
        raise ValueError(f"{what} must hold {size} numbers, not an array of shape {array.shape}")
    return array
