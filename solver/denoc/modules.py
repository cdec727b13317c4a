"""The decoupled natural orthogonal complement as matrices, and the recursions module by module.

t = N θ̇ with N = N_l N_d: N_d holds the joints' motions, N_l carries them outward (Shah, Saha & Dutt, Dynamics of
Tree-Type Robotic Systems, chap. 4 and 5). Decoupled link by link, N_d is block diagonal with S_k; module by module,
with N̄_i of the whole module, and N_l has the identity for each module. A module's recursion solves a system of its own
rates; what passes between modules is the 6 × 6 inertia and the wrench at the link it hangs on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.compilation.compiled import Array1, Array2, entry, kernel
from solver.constraints.kernels import add, cross
from solver.constraints.primitives import GROUND
from solver.denoc.dynamics import TreeEfforts, finite, given, poses_and_motions
from solver.denoc.model import ModuleRoom, Modules, Room, Tables, Tree
from solver.denoc.recursions import move_links, rnea_forward
from solver.denoc.spatial import (
    add_wrench,
    angular,
    apply_inertia,
    clear_row,
    dot_rows,
    inertia_to_parent,
    linear,
    offset,
    put_row,
)

Array = NDArray[np.float64]


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
    L, E, gravity, at, moving, wanted, acting = given(tree, q, rates, accelerations, wrenches)
    found = TreeEfforts(np.empty_like(wanted), np.empty_like(acting))
    inverse_modules(
        tree.module_tables, L, E, tree.module_room, gravity, at, moving, wanted, acting, found.efforts, found.wrenches
    )
    return found


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
    L, E, gravity, at, moving, driving, acting = given(tree, q, rates, efforts, wrenches)
    found = np.empty_like(driving)
    forward_modules(tree.module_tables, L, E, tree.module_room, gravity, at, moving, driving, acting, found)
    return finite(found)


@kernel
def _module(m: int, M: Modules, L: Tables, o: Array2, S: Array2, N: Array2) -> None:
    """N̄ of module m: row b η + a of N is the twist of its link a, of η, by a unit of its rate b."""
    first, count = M.link_start[m], M.link_start[m + 1] - M.link_start[m]
    b = 0
    for inner in range(count):
        own = M.links[first + inner]
        for j in range(L.v_start[own], L.v_start[own + 1]):
            for a in range(count):
                if a < inner:
                    clear_row(N, b * count + a)
                else:
                    arm, w = offset(o, M.links[first + a], own), angular(S, j)
                    put_row(N, b * count + a, add(linear(S, j), cross(w, arm)), w)
            b += 1


@kernel
def _felt(m: int, M: Modules, N: Array2, b: int, w: Array2) -> float:
    """N̄ᵀ w at rate b of module m: the work of the wrenches w (n, 6) on its links for a unit of it."""
    first, count = M.link_start[m], M.link_start[m + 1] - M.link_start[m]
    total = 0.0
    for a in range(count):
        total += dot_rows(N, b * count + a, w, M.links[first + a])
    return total


@entry
def inverse_modules(
    M: Modules, L: Tables, E: Room, K: ModuleRoom, gravity: Array1, q: Array1, rates: Array1, acceleration: Array1,
    wrench: Array2, effort: Array1, w: Array2,
) -> None:  # fmt: skip
    """Efforts (nv,) and what joints do to their links w (n, 6), as `solver.denoc.recursions.rnea`, module by module."""
    n = L.mass.shape[0]
    move_links(L, E, q, rates)
    rnea_forward(L, E, gravity, acceleration, wrench, w)
    for m in range(M.parent.shape[0] - 1, -1, -1):
        _module(m, M, L, E.o, E.S, K.N)
        for b in range(M.rate_start[m + 1] - M.rate_start[m]):
            j = M.rates[M.rate_start[m] + b]
            effort[j] = _felt(m, M, K.N, b, w) + L.armature[j] * acceleration[j]
        # Outermost first: links of a module hang on each other, and each passes on what it has got.
        for x in range(M.link_start[m + 1] - 1, M.link_start[m] - 1, -1):
            k = M.links[x]
            if L.parent[k] < n:
                add_wrench(offset(E.o, k, L.parent[k]), w, k, w, L.parent[k])


@entry
def forward_modules(
    M: Modules, L: Tables, E: Room, K: ModuleRoom, gravity: Array1, q: Array1, rates: Array1, effort: Array1,
    wrench: Array2, acceleration: Array1,
) -> None:  # fmt: skip
    """Accelerations (nv,), as `solver.denoc.recursions.aba`, module by module."""
    n = L.mass.shape[0]
    move_links(L, E, q, rates)
    rnea_forward(L, E, gravity, E.still, wrench, E.w)
    for m in range(M.parent.shape[0] - 1, -1, -1):
        _module(m, M, L, E.o, E.S, K.N)
        _set_up(m, M, L, E, K)
        start, count = M.rate_start[m], M.rate_start[m + 1] - M.rate_start[m]
        for b in range(count):
            K.D[b, b] += L.armature[M.rates[start + b]]
            K.right[b, 6] += effort[M.rates[start + b]]
        _solve(K.D, K.right, count)
        for b in range(count):
            for c in range(7):
                K.solved[start + b, c] = K.right[b, c]
        if M.parent[m] < n:
            _pass_inward(m, M, E, K)
    # As in `recursions.aba`: the wrenches hold gravity and the bias accelerations.
    clear_row(E.a, n)
    for m in range(M.parent.shape[0]):
        # Made anew: the room has the N̄ of one module at a time.
        _module(m, M, L, E.o, E.S, K.N)
        _pass_outward(m, M, E, K, acceleration)


@kernel
def _set_up(m: int, M: Modules, L: Tables, E: Room, K: ModuleRoom) -> None:
    """Of module m: D = N̄ᵀ J N̄, `carried` = Ψᵀ A with Ψ = J N̄, and right = [Ψᵀ A, −N̄ᵀ w]."""
    first, count = M.link_start[m], M.link_start[m + 1] - M.link_start[m]
    for b in range(M.rate_start[m + 1] - M.rate_start[m]):
        clear_row(K.carried, b)
        for a in range(count):
            k = M.links[first + a]
            apply_inertia(E.J, k, K.N, b * count + a, K.psi, b * count + a)
            add_wrench(offset(E.o, k, M.parent[m]), K.psi, b * count + a, K.carried, b)
        for c in range(6):
            K.right[b, c] = K.carried[b, c]
        K.right[b, 6] = -_felt(m, M, K.N, b, E.w)
        for c in range(b + 1):
            s = 0.0
            for a in range(count):
                s += dot_rows(K.N, b * count + a, K.psi, c * count + a)
            K.D[b, c] = s


@kernel
def _solve(D: Array2, right: Array2, count: int) -> None:
    """D x = right (…, 7) for the first `count` rows: x into right; D, of which the lower part is read, is used up.

    D is positive definite, and factored without pivots: D = 𝒰ᵀ diag(d) 𝒰.
    """
    for i in range(count):
        for j in range(i + 1, count):
            s = D[j, i] / D[i, i]
            for k in range(j, count):
                D[k, j] -= s * D[k, i]
            for c in range(7):
                right[j, c] -= s * right[i, c]
    for i in range(count - 1, -1, -1):
        for c in range(7):
            s = right[i, c]
            for j in range(i + 1, count):
                s -= D[j, i] * right[j, c]
            right[i, c] = s / D[i, i]


@kernel
def _pass_inward(m: int, M: Modules, E: Room, K: ModuleRoom) -> None:
    """What module m is to the link that it hangs on, as inertia and wrench, added to those of the link."""
    p, start = M.parent[m], M.rate_start[m]
    for x in range(M.link_start[m], M.link_start[m + 1]):
        r = offset(E.o, M.links[x], p)
        inertia_to_parent(r, E.J, M.links[x], p, E.work)
        add_wrench(r, E.w, M.links[x], E.w, p)
    for b in range(M.rate_start[m + 1] - start):
        for c in range(6):
            E.w[p, c] += K.carried[b, c] * K.solved[start + b, 6]
            for d in range(6):
                E.J[p, c, d] -= K.carried[b, c] * K.solved[start + b, d]


@kernel
def _pass_outward(m: int, M: Modules, E: Room, K: ModuleRoom, acceleration: Array1) -> None:
    """The accelerations (nv,) of module m's rates, and those of its links, from that of the link that it hangs on."""
    p, a = M.parent[m], E.a
    first, count, start = M.link_start[m], M.link_start[m + 1] - M.link_start[m], M.rate_start[m]
    for x in range(count):
        k = M.links[first + x]
        # First as if the module were rigid; N̄ then adds what its own rates do, to the links beyond each joint.
        put_row(a, k, add(linear(a, p), cross(angular(a, p), offset(E.o, k, p))), angular(a, p))
    for b in range(M.rate_start[m + 1] - start):
        found = K.solved[start + b, 6]
        for c in range(6):
            found -= K.solved[start + b, c] * a[p, c]
        acceleration[M.rates[start + b]] = found
        for x in range(count):
            for c in range(6):
                a[M.links[first + x], c] += K.N[b * count + x, c] * found
