"""Residuals and Jacobians of primitives at one pose, dense: what diagnosis and tests look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.constraints.kernels import evaluate_rows
from solver.constraints.primitives import Primitive
from solver.constraints.program import Program, compile_program

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Primitives at one pose, as dense matrices; [v; ω] of each body's frame origin, world axes.

    Attributes:
        g: Residuals (m,), each in its primitive's unit.
        G: Ĝ (m, 6n), their gradients: ġ = Ĝ v.
        c: (m,) of Ĝ v̇ = c, the acceleration that the velocities alone bring.
        rates: Ĝ v (m,).
        angles: (na,) rad at which g was taken, in the order of the primitives.
    """

    g: Array
    G: Array
    c: Array
    rates: Array
    angles: Array


def evaluate(
    primitives: Sequence[Primitive], positions: ArrayLike, quaternions: ArrayLike, velocities: ArrayLike | None = None,
    angles: ArrayLike | None = None, reference: tuple[ArrayLike, ArrayLike] | None = None,
) -> Evaluation:  # fmt: skip
    """Compute residuals, Jacobian and right-hand side of primitives at a pose.

    Args:
        primitives: The equations.
        positions: Of the bodies' frames (n, 3) m.
        quaternions: Of the bodies' frames (n, 4), w first.
        velocities: [v; ω] of the frames' origins (n, 6), world axes; None: at rest.
        angles: (na,) rad near which every angle is to be taken; None: principal values.
        reference: Positions and quaternions in which the gears have their phase; None: the poses given.

    Returns:
        What the rows are, in the order of the primitives.

    Raises:
        ValueError: A primitive has no meaning at the reference, as a gear pair whose axes coincide.
    """
    x, q = np.asarray(positions, float).reshape(-1, 3), np.asarray(quaternions, float).reshape(-1, 4)
    x0, q0 = (x, q) if reference is None else (np.asarray(r, float) for r in reference)
    return evaluate_program(compile_program(primitives, x0, q0), x, q, velocities, angles)


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Primitives at one pose, with a block of Ĝ for each row and body: memory is linear in both.

    Attributes:
        g: Residuals (m,), each in its primitive's unit.
        rates: Ĝ v (m,).
        blocks: (nb, 6) of Ĝ on [v; ω], world axes.
        row: The row of each block (nb,).
        body: The body of each block (nb,).
    """

    g: Array
    rates: Array
    blocks: Array
    row: NDArray[np.int64]
    body: NDArray[np.int64]


def evaluate_sparse(
    program: Program, positions: ArrayLike, quaternions: ArrayLike, velocities: ArrayLike | None = None,
    angles: ArrayLike | None = None,
) -> SparseRows:  # fmt: skip
    """Compute residuals and the blocks of the Jacobian of primitives that were compiled before.

    Args:
        program: The primitives, as `solver.constraints.program.compile_program` gives them.
        positions: Of the bodies' frames (n, 3) m.
        quaternions: Of the bodies' frames (n, 4), w first.
        velocities: [v; ω] of the frames' origins (n, 6), world axes; None: at rest.
        angles: (na,) rad near which every angle is to be taken; None: principal values.

    Returns:
        The rows, in the order of the primitives.
    """
    g, gv, _, blocks, _ = _rows(program, positions, quaternions, velocities, angles)
    rows = np.repeat(np.arange(program.rows), np.diff(program.terms.row_block))
    return SparseRows(g, gv, blocks, rows, program.terms.block_body)


def evaluate_program(
    program: Program, positions: ArrayLike, quaternions: ArrayLike, velocities: ArrayLike | None = None,
    angles: ArrayLike | None = None,
) -> Evaluation:  # fmt: skip
    """As `evaluate`, for primitives compiled before."""
    g, gv, c, blocks, found = _rows(program, positions, quaternions, velocities, angles)
    return Evaluation(g, dense(program, blocks), c, gv, found)


def _rows(
    program: Program, positions: ArrayLike, quaternions: ArrayLike, velocities: ArrayLike | None,
    angles: ArrayLike | None,
) -> tuple[Array, Array, Array, Array, Array]:  # fmt: skip
    """`evaluate_rows` of what a caller gives: at rest without velocities, at principal values without angles."""
    x = np.ascontiguousarray(positions, float).reshape(-1, 3)
    q = np.ascontiguousarray(quaternions, float).reshape(-1, 4)
    v = np.zeros((len(x), 6)) if velocities is None else np.array(velocities, float).reshape(-1, 6)
    winding = np.zeros(program.angle_count) if angles is None else np.array(angles, float)
    return evaluate_rows(program.terms, x, q, v, velocities is not None, winding, angles is not None)


def dense(program: Program, blocks: Array) -> Array:
    """Ĝ (m, 6n) of its blocks (nb, 6)."""
    G = np.zeros((program.rows, program.bodies, 6))
    rows = np.repeat(np.arange(program.rows), np.diff(program.terms.row_block))
    G[rows, program.terms.block_body] = blocks
    return G.reshape(program.rows, 6 * program.bodies)
