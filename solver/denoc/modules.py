"""The decoupled natural orthogonal complement as matrices, and the recursions module by module.

t = N θ̇ with N = N_l N_d: N_d holds the joints' motions, N_l carries them outward (Shah, Saha & Dutt, Dynamics of
Tree-Type Robotic Systems, chap. 4 and 5). Decoupled link by link, N_d is block diagonal with S_k; module by module,
with N̄_i of the whole module, and N_l has the identity for each module. A module's recursion solves a system of its own
rates; what passes between modules is the 6 × 6 inertia and the wrench at the link it hangs on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.compilation.compiled import Array1, Array2
from solver.compilation.jit import njit
from solver.constraints.primitives import GROUND
from solver.denoc import recursions
from solver.denoc.dynamics import TreeEfforts, given, poses_and_motions
from solver.denoc.model import Tables, Tree

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class Modules(NamedTuple):
    """Links and rates of the modules, one after the other; `parent` the link on which each hangs (n: the ground)."""

    link_start: Ints
    links: Ints
    rate_start: Ints
    rates: Ints
    parent: Ints


def module_tables(tree: Tree) -> Modules:
    """The tree's modules as arrays."""
    L, n = tree.tables, len(tree.links)
    rates = [[j for k in run for j in range(L.v_start[k], L.v_start[k + 1])] for run in tree.modules]
    return Modules(
        link_start=np.cumsum([0] + [len(run) for run in tree.modules]).astype(np.int64),
        links=np.array([k for run in tree.modules for k in run], np.int64),
        rate_start=np.cumsum([0] + [len(run) for run in rates]).astype(np.int64),
        rates=np.array([j for run in rates for j in run], np.int64),
        parent=np.array([n if (p := tree.links[run[0]].parent) == GROUND else p for run in tree.modules], np.int64),
    )


def complement(tree: Tree, q: ArrayLike, *, by_module: bool = False) -> tuple[Array, Array]:
    """Make the decoupled natural orthogonal complement of all links' twists: t = N_l N_d θ̇.

    Args:
        tree: The links.
        q: Configuration (nq,).
        by_module: Whether N_l has the identity for each module, else for each link.

    Returns:
        N_l (6n, 6n) and N_d (6n, nv).
    """
    n, L = len(tree.links), tree.tables
    o, S = poses_and_motions(tree, q)
    spread = np.zeros((6 * n, 6 * n))
    motion = np.zeros((6 * n, tree.nv))
    module = {k: i for i, run in enumerate(tree.modules) for k in run} if by_module else {k: k for k in range(n)}
    for k in range(n):
        here = slice(6 * k, 6 * k + 6)
        spread[here, here] = np.eye(6)
        p, inside = tree.links[k].parent, True
        motion[here, L.v_start[k] : L.v_start[k + 1]] = S[L.v_start[k] : L.v_start[k + 1]].T
        while p != GROUND:
            A = _carry(o[k] - o[p])
            inside = inside and module[p] == module[k]
            if inside:
                motion[here, L.v_start[p] : L.v_start[p + 1]] = A @ S[L.v_start[p] : L.v_start[p + 1]].T
            elif module[p] not in {module[c] for c in _between(tree, k, p)}:
                # Only the link on which the inner module hangs passes its twist on.
                spread[here, 6 * p : 6 * p + 6] = A
            p = tree.links[p].parent
    return spread, motion


def _between(tree: Tree, k: int, p: int) -> list[int]:
    """The links from k inward to just before p."""
    found = []
    while k != p:
        found.append(k)
        k = tree.links[k].parent
    return found


def _carry(r: Array) -> Array:
    A = np.eye(6)
    A[:3, 3:] = -np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    return A


def inverse_by_modules(
    tree: Tree, q: ArrayLike, rates: ArrayLike, accelerations: ArrayLike, wrenches: ArrayLike | None = None
) -> TreeEfforts:
    """Compute the efforts of a motion, a module at a time: τ̄_i = N̄_iᵀ w̃_i.

    After Shah, Saha and Dutt, Dynamics of Tree-Type Robotic Systems, ch. 5. The results are those of
    `inverse_dynamics`.

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
    return TreeEfforts(*_inverse(module_tables(tree), *given(tree, q, rates, accelerations, wrenches)))


def forward_by_modules(
    tree: Tree, q: ArrayLike, rates: ArrayLike, efforts: ArrayLike, wrenches: ArrayLike | None = None
) -> Array:
    """Compute the accelerations under efforts, a module at a time.

    The largest system that is solved is that of one module's rates. The results are those of `forward_dynamics`.

    Args:
        tree: The links.
        q: Configuration (nq,).
        rates: (nv,) rad/s (m/s).
        efforts: Of the joints (nv,) N m (N).
        wrenches: [force; moment] (n, 6) that act on the links about their origins, world axes, N and N m.

    Returns:
        Accelerations (nv,) rad/s² (m/s²).

    Raises:
        ValueError: A shape does not fit.
    """
    return np.asarray(_forward(module_tables(tree), *given(tree, q, rates, efforts, wrenches)))


@njit(cache=True)
def _module(m: int, M: Modules, L: Tables, o: Array2, S: Array2) -> tuple[Array2, Array2]:
    """N̄ (6η, rates) of module m, and what carries the parent's twist to its links, (6η, 6)."""
    first, count = M.link_start[m], M.link_start[m + 1] - M.link_start[m]
    start, rates = M.rate_start[m], M.rate_start[m + 1] - M.rate_start[m]
    N, carried = np.zeros((6 * count, rates)), np.zeros((6 * count, 6))
    unit, out = np.zeros(6), np.empty(6)
    for a in range(count):
        k = M.links[first + a]
        r = recursions.offset(o, k, M.parent[m])
        for c in range(6):
            unit[:] = 0.0
            unit[c] = 1.0
            recursions.shift_twist(r, unit, out)
            carried[6 * a : 6 * a + 6, c] = out
        for b in range(rates):
            j = M.rates[start + b]
            for inner in range(a + 1):
                own = M.links[first + inner]
                if L.v_start[own] <= j < L.v_start[own + 1]:
                    recursions.shift_twist(recursions.offset(o, k, own), S[j], out)
                    N[6 * a : 6 * a + 6, b] = out
    return N, carried


@njit(cache=True)
def _inverse(
    M: Modules, L: Tables, gravity: Array1, q: Array1, rates: Array1, acceleration: Array1, wrench: Array2
) -> tuple[Array1, Array2]:
    n = L.mass.shape[0]
    o, _, S, _, bias, J, b = recursions.kinematics(L, q, rates)
    a, w, effort = np.zeros((n + 1, 6)), np.empty((n, 6)), np.empty(rates.shape[0])
    a[n, :3] = -gravity
    recursions.rnea_forward(L, o, S, acceleration, bias, J, b, wrench, a, w)
    for m in range(M.parent.shape[0] - 1, -1, -1):
        links = M.links[M.link_start[m] : M.link_start[m + 1]]
        N, _ = _module(m, M, L, o, S)
        own = np.zeros(6 * links.shape[0])
        for x in range(links.shape[0]):
            own[6 * x : 6 * x + 6] = w[links[x]]
        found = N.T @ own
        for x in range(found.shape[0]):
            j = M.rates[M.rate_start[m] + x]
            effort[j] = found[x] + L.armature[j] * acceleration[j]
        for x in range(links.shape[0] - 1, -1, -1):
            p = L.parent[links[x]]
            if p < n:
                recursions.shift_wrench(recursions.offset(o, links[x], p), w[links[x]], w[p])
    return effort, w


@njit(cache=True)
def _forward(
    M: Modules, L: Tables, gravity: Array1, q: Array1, rates: Array1, effort: Array1, wrench: Array2
) -> Array1:
    n, count = L.mass.shape[0], M.parent.shape[0]
    o, _, S, _, bias, J, b = recursions.kinematics(L, q, rates)
    a, w, out = np.zeros((n + 1, 6)), np.empty((n, 6)), np.zeros(rates.shape[0])
    a[n, :3] = -gravity
    recursions.rnea_forward(L, o, S, out, bias, J, b, wrench, a, w)
    sizes = 6 * np.diff(M.link_start) * np.diff(M.rate_start)
    first = np.zeros(count + 1, np.int64)
    first[1:] = np.cumsum(sizes)
    ratios, solved = np.empty(first[-1]), np.empty(rates.shape[0])
    for m in range(count - 1, -1, -1):
        links = M.links[M.link_start[m] : M.link_start[m + 1]]
        own = M.rates[M.rate_start[m] : M.rate_start[m + 1]]
        N, carried = _module(m, M, L, o, S)
        mass, load = np.zeros((N.shape[0], N.shape[0])), np.empty(N.shape[0])
        for x in range(links.shape[0]):
            mass[6 * x : 6 * x + 6, 6 * x : 6 * x + 6] = J[links[x]]
            load[6 * x : 6 * x + 6] = w[links[x]]
        psi = mass @ N
        D = N.T @ psi
        left = -(N.T @ load)
        for x in range(own.shape[0]):
            D[x, x] += L.armature[own[x]]
            left[x] += effort[own[x]]
        here = np.linalg.solve(D, left)
        ratio = np.linalg.solve(D, psi.T)
        ratios[first[m] : first[m + 1]] = ratio.ravel()
        solved[M.rate_start[m] : M.rate_start[m + 1]] = here
        p = M.parent[m]
        if p < n:
            J[p] += carried.T @ ((mass - psi @ ratio) @ carried)
            w[p] += carried.T @ (load + psi @ here)
    # As in `recursions.aba`: the wrenches hold gravity and the bias accelerations.
    a[:] = 0.0
    for m in range(count):
        N, carried = _module(m, M, L, o, S)
        ratio = ratios[first[m] : first[m + 1]].reshape(N.shape[1], N.shape[0])
        brought = carried @ a[M.parent[m]]
        found = solved[M.rate_start[m] : M.rate_start[m + 1]] - ratio @ brought
        brought += N @ found
        for x in range(found.shape[0]):
            out[M.rates[M.rate_start[m] + x]] = found[x]
        for x in range(M.link_start[m + 1] - M.link_start[m]):
            a[M.links[M.link_start[m] + x]] = brought[6 * x : 6 * x + 6]
    return out
