#!/usr/bin/env python3
"""The transformed Jacobian Ĝ against the full one, G, with Euler parameters, on the KR 15 (Vlasenko & Kasper's claim).

    scripts/measure/jacobians.py [-o out/measure] [--rounds 2000]

Both are evaluated by compiled code of one style from the solver's table of terms. They share the derivatives of each
term with respect to the directions and the reach that it is made of; Ĝ takes them on to [v; ω] by cross products (six
columns a body), G = ∂g/∂q to [x; e] by derivatives of R(e) (seven columns). Checked: G T = Ĝ, and Ĝ is the solver's.
Then the systems that each leads to: 6 n + m unknowns, or 7 n + m and a normalisation row a body, factored and solved by
the same sparse LU.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from scipy.sparse import block_diag, bmat, csc_array, csr_array, eye_array
from scipy.sparse.linalg import splu

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from solver.constraints.evaluation import evaluate_program  # noqa: E402
from solver.constraints.kernels import add, cross, dot, mul, rotations, sub, turn  # noqa: E402
from solver.constraints.program import compile_program  # noqa: E402
from solver.constraints.terms import CROSSED, DISTANCE, DOT, LINE, PLANE, TURN  # noqa: E402
from solver.model import Model  # noqa: E402
from solver.rotation import matrix  # noqa: E402

Array = np.ndarray


@njit(inline="always")
def _by_parameters(u, e, a, J):  # type: ignore[no-untyped-def]
    """Add u · ∂(R(e) a)/∂e to J (4,), with R(e) a = (e₀² − ē·ē) a + 2 ē (ē·a) + 2 e₀ ē × a."""
    e0, v = e[0], (e[1], e[2], e[3])
    b = (a[0], a[1], a[2])
    J[0] += 2 * (e0 * dot(u, b) + dot(u, cross(v, b)))
    w = add(add(mul(-dot(u, b), v), mul(dot(v, b), u)), add(mul(dot(u, v), b), mul(e0, cross(b, u))))
    for k in range(3):
        J[1 + k] += 2 * w[k]


@njit(inline="always")
def _derivatives(kind, f, t, w, d):  # type: ignore[no-untyped-def]
    """Of a term with respect to its directions f, t (of A) and w (of B), and to its reach d."""
    none = (0.0, 0.0, 0.0)
    by_f, by_t, by_w, by_d = none, none, none, none
    if kind == PLANE:
        by_f, by_d = d, f
    elif kind == DOT:
        by_f, by_w = w, f
    elif kind == DISTANCE:
        by_d = mul(1.0 / np.sqrt(dot(d, d)), d)
    elif kind == LINE:
        s = dot(f, d)
        m = sub(d, mul(s, f))
        by_d = mul(1.0 / np.sqrt(dot(m, m)), m)
        by_f = mul(-s, by_d)
    elif kind == CROSSED:
        n = cross(f, w)
        N = np.sqrt(dot(n, n))
        by_d = mul(1.0 / N, n)
        h = mul(1.0 / N, sub(d, mul(dot(by_d, d), by_d)))
        by_f, by_w = cross(w, h), cross(h, f)
    else:
        z = w if kind == TURN else d
        X, Y = dot(f, z), dot(t, z)
        D = X * X + Y * Y
        by_f, by_t = mul(-Y / D, z), mul(X / D, z)
        by_z = mul(1.0 / D, sub(mul(X, t), mul(Y, f)))
        if kind == TURN:
            by_w = by_z
        else:
            by_d = by_z
    return by_f, by_t, by_w, by_d


@njit
def terms(T, x, e, R, parameters, JA, JB):  # type: ignore[no-untyped-def]
    """Gradients of all terms: JA, JB (T, 6) over [v; ω], or with `parameters` (T, 7) over [x; e].

    x (n+1, 3), Euler parameters e (n+1, 4; of length one), R (n+1, 3, 3).
    """
    JA[:] = 0.0
    JB[:] = 0.0
    for k in range(T.kind.shape[0]):
        kind, A, B = T.kind[k], T.body_a[k], T.body_b[k]
        rA, rB = turn(R[A], T.point_a[k]), turn(R[B], T.point_b[k])
        f, t, w = turn(R[A], T.first_a[k]), turn(R[A], T.second_a[k]), turn(R[B], T.direction_b[k])
        d = (x[B, 0] + rB[0] - x[A, 0] - rA[0], x[B, 1] + rB[1] - x[A, 1] - rA[1], x[B, 2] + rB[2] - x[A, 2] - rA[2])
        by_f, by_t, by_w, by_d = _derivatives(kind, f, t, w, d)
        for j in range(3):
            JA[k, j], JB[k, j] = -by_d[j], by_d[j]
        if parameters:
            if kind != DISTANCE:
                _by_parameters(by_f, e[A], T.first_a[k], JA[k, 3:])
            if kind > CROSSED:
                _by_parameters(by_t, e[A], T.second_a[k], JA[k, 3:])
            if kind not in (DOT, TURN):
                _by_parameters(mul(-1.0, by_d), e[A], T.point_a[k], JA[k, 3:])
                _by_parameters(by_d, e[B], T.point_b[k], JB[k, 3:])
            if kind in (DOT, TURN, CROSSED):
                _by_parameters(by_w, e[B], T.direction_b[k], JB[k, 3:])
        else:
            on_a = sub(add(cross(f, by_f), cross(t, by_t)), cross(rA, by_d))
            on_b = add(cross(w, by_w), cross(rB, by_d))
            for j in range(3):
                JA[k, 3 + j], JB[k, 3 + j] = on_a[j], on_b[j]


@njit
def _gather(T, JA, JB, blocks):  # type: ignore[no-untyped-def]
    """Blocks of rows from the gradients of terms, of any width."""
    blocks[:] = 0.0
    for i in range(T.constant.shape[0]):
        for k in range(T.row_term[i], T.row_term[i + 1]):
            a, b, s = T.slot_a[k], T.slot_b[k], T.coefficient[k]
            for j in range(blocks.shape[1]):
                if a >= 0:
                    blocks[a, j] += s * JA[k, j]
                if b >= 0:
                    blocks[b, j] += s * JB[k, j]


@njit
def evaluate(T, positions, quaternions, parameters, rounds, blocks):  # type: ignore[no-untyped-def]
    """Blocks (nb, 6) of Ĝ, or with `parameters` (nb, 7) of G, `rounds` times."""
    n, count = positions.shape[0], T.kind.shape[0]
    x, e, R = np.zeros((n + 1, 3)), np.zeros((n + 1, 4)), np.empty((n + 1, 3, 3))
    x[:n] = positions
    e[:n] = quaternions
    e[n, 0] = 1.0
    JA, JB = np.empty((count, blocks.shape[1])), np.empty((count, blocks.shape[1]))
    for _ in range(rounds):
        rotations(quaternions, R)
        terms(T, x, e, R, parameters, JA, JB)
        _gather(T, JA, JB, blocks)


def rates_of(quaternion: Array) -> Array:
    """ė = T ω (4, 3) for ω in world axes."""
    w, x, y, z = quaternion
    return 0.5 * np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]])


def as_matrix(T: Any, blocks: Array, bodies: int) -> csr_array:
    """The sparse matrix (m, width · bodies) of blocks."""
    width = blocks.shape[1]
    rows = np.repeat(np.arange(len(T.constant)), np.diff(T.row_block))
    columns = width * T.block_body[:, None] + np.arange(width)
    entries = (blocks.ravel(), (np.repeat(rows, width), columns.ravel()))
    return csr_array(entries, shape=(len(T.constant), width * bodies))


def systems(model: Model, quaternions: Array, G_hat: csr_array, G: csr_array) -> tuple[csc_array, csc_array]:
    """[M Ĝᵀ; Ĝ −ε], and the same with Euler parameters, whose mass matrix needs a normalisation row a body.

    The small ε keeps redundant rows from making them singular.
    """
    small, large, unit_rows = [], [], []
    for body, q in zip(model.bodies, quaternions, strict=True):
        R = matrix(q)
        inertia = R @ np.asarray(body.inertia) @ R.T
        turning = 4 * rates_of(q).T
        mass = csc_array(body.mass * np.eye(3))
        small += [mass, csc_array(inertia)]
        large += [mass, csc_array(turning.T @ inertia @ turning)]
        unit_rows.append(csc_array(np.concatenate([np.zeros(3), q])[None]))
    N, corner = block_diag(unit_rows), -1e-8 * eye_array(G.shape[0])
    K_hat = bmat([[block_diag(small), G_hat.T], [G_hat, corner]], format="csc")  # type: ignore[call-overload]
    K = bmat([[block_diag(large), G.T, N.T], [G, corner, None], [N, None, None]], format="csc")  # type: ignore[call-overload]
    return csc_array(K_hat), csc_array(K)


def best(function: Callable[[], Any], rounds: int = 1) -> float:
    """The shortest of nine passes, in µs a round."""
    passes = []
    for _ in range(9):
        start = time.perf_counter()
        function()
        passes.append(time.perf_counter() - start)
    return 1e6 * min(passes) / rounds


def _solved(A: csc_array, b: Array) -> Array:
    return np.asarray(splu(A).solve(b))


def measure(model: Model, rounds: int = 2000) -> dict[str, Any]:
    """Sizes and times (µs) of both, at the reference pose; how far G T is from Ĝ."""
    x, q = np.asarray(model.positions, float), np.asarray(model.quaternions, float)
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    program = compile_program(model.primitives, x, q)
    T, n = program.terms, len(model.bodies)
    blocks_hat, blocks = np.empty((len(T.block_body), 6)), np.empty((len(T.block_body), 7))
    evaluate(T, x, q, False, 1, blocks_hat)
    evaluate(T, x, q, True, 1, blocks)
    turned = np.array([blocks[b, 3:] @ rates_of(q[i]) for b, i in enumerate(T.block_body)]).reshape(-1, 3)
    G_hat, G = as_matrix(T, blocks_hat, n), as_matrix(T, blocks, n)
    own = evaluate_program(program, x, q).G
    found: dict[str, Any] = {
        "bodies": n,
        "rows": len(T.constant),
        "G_T_minus_G_hat": float(np.abs(np.hstack([blocks[:, :3], turned]) - blocks_hat).max(initial=0.0)),
        "G_hat_minus_own": float(np.abs(G_hat.toarray() - own).max(initial=0.0)),
    }
    K_hat, K = systems(model, q, G_hat, G)
    for name, J, A, out in (("transformed", G_hat, K_hat, blocks_hat), ("full", G, K, blocks)):
        right = np.ones(A.shape[0])
        wide = name == "full"
        found[name] = {
            "columns": J.shape[1],
            "entries": int(J.size),
            "evaluate_us": best(partial(evaluate, T, x, q, wide, rounds, out), rounds),
            "unknowns": A.shape[0],
            "solve_us": best(partial(_solved, A, right)),
        }
    return found


def main() -> None:
    import cadbridge as cb
    from cadbridge.lowering import lower

    parser = argparse.ArgumentParser(description="Ĝ against G with Euler parameters, on the KR 15.")
    parser.add_argument("-o", dest="out", type=Path, default=Path("out/measure"))
    parser.add_argument("--rounds", type=int, default=2000)
    asked = parser.parse_args()
    mechanism = cb.build(cb.read(ROOT / "fixtures" / "kr15" / "kr15.step"))
    rows = {
        "one joint a pair": measure(lower(mechanism).model, asked.rounds),
        "every redundant row": measure(lower(mechanism, collapse=False).model, asked.rounds),
    }
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "jacobians.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    for name, found in rows.items():
        print(f"\n{name}: {found['bodies']} bodies, {found['rows']} rows; |G T − Ĝ| {found['G_T_minus_G_hat']:.1e}")
        for what in ("transformed", "full"):
            f = found[what]
            print(
                f"  {what:12s} {f['columns']:4d} columns, {f['entries']:5d} entries in {f['evaluate_us']:6.1f} µs; "
                f"system of {f['unknowns']} unknowns solved in {f['solve_us']:6.0f} µs"
            )


if __name__ == "__main__":
    main()
