"""Driving efforts and constraint forces from the junction matrices by the unified formulae (Wang & Tao 2013).

The storage fields are split: i1 are those that the driving efforts reach without a joint between, i2 all others. Only
of i1 the rate Ẋ of momentum is given; what the rest does follows.

Where this differs from the paper, and why:
- T_i1u1ᵀ is weighed by F_i1 (coenergy to energy): S_u1u1 is then symmetric and positive as long as the constraints
  leave the driving efforts independent; without the weight it is neither, and may be singular where nothing is.
- A₄ begins with J_Eu1 (the print has J_Lu1, whose rows do not fit); T_i2… stand where the print lost the 2.
- H₁ X_i1 + H₂ X_i2 begin with the rates of J_Ci1 and J_Ci2 (the print lost the dots): their product with Z is one
  vector, the constraints' own acceleration, and is given as such. Sources U₃ are forces: J_Cu3 is zero.
- H₄ and S_u1u1 may be singular, where constraints repeat each other or efforts are more than freedoms: solutions of
  least norm are taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Blocks = dict[str, dict[str, Array]]
"""J[r][c], as of `solver.bondgraph.junction.Junction`, with i split into i1 and i2; C stands for u2 in rows."""

_SINGULAR = 1e-11
"""Singular values of the scaled H₄ below this part of the largest are taken for zero: constraints that repeat each
other leave 1e-16, the smallest true ones of the tests' models are 5e-6; about the middle between."""
_NOT_DRIVEN = 1e-10
"""The same of S_u1u1: the elimination of U₂ before leaves rounding of up to 1e-12 where efforts are more than freedoms,
the smallest true ones of the tests' models are above 1e-5."""


@dataclass(frozen=True, eq=False)
class Fields:
    """Laws of the fields: Z = F X of the storage i1 and i2, D_out = R D_in, E_out = R_E E_in.

    Attributes:
        F1: Of the storage that driving efforts reach without a joint between (i1).
        F2: Of all other storage (i2).
        R: Of the dampers.
        RE: Of the Euler junction structures.
    """

    F1: Array
    F2: Array
    R: Array
    RE: Array


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a motion.

    Attributes:
        X1: Momenta of i1.
        X2: Momenta of i2.
        rate1: Ẋ of i1.
        U3: The known sources.
        bias: J̇_Ci1 Z_i1 + J̇_Ci2 Z_i2, the constraints' own acceleration.
    """

    X1: Array
    X2: Array
    rate1: Array
    U3: Array
    bias: Array


def split(J: Blocks, first: NDArray[np.bool_]) -> Blocks:
    """Split the storage in the blocks of a junction structure into i1 and i2.

    Args:
        J: The blocks, J[r][c].
        first: (ni,) which of the storage is i1.

    Returns:
        The blocks with i1 and i2 in place of i; C stands for u2 in rows.
    """

    def columns(row: dict[str, Array]) -> dict[str, Array]:
        parts = {"i1": row["i"][:, first], "i2": row["i"][:, ~first]}
        return {**parts, **{c: block for c, block in row.items() if c != "i"}}

    rows = {"C": J["u2"], "L": J["L"], "E": J["E"]}
    found = {name: columns(row) for name, row in rows.items()}
    for name, chosen in (("i1", first), ("i2", ~first)):
        found[name] = columns({c: block[chosen] for c, block in J["i"].items()})
    return found


def solve(J: Blocks, fields: Fields, known: Known) -> tuple[Array, Array]:
    """Compute driving efforts and constraint forces by (13), or by (14) where J_CL or J_CE is not zero.

    Equations of Wang and Tao (2013); the head of this module says where it differs from the print.

    Args:
        J: The blocks, as `split` gives them.
        fields: The laws of storage, dampers and Euler junction structures.
        known: What is known of the motion.

    Returns:
        U₁ (driving efforts) and U₂ (constraint forces), of least norm where they are not determined.
    """
    T = _eliminated(J, fields)
    # Where a damper or an EJS lies between two constraints, their flows hold the forces themselves; else the forces are
    # in the first derivative only.
    algebraic = bool(np.any(J["C"]["L"]) or np.any(J["C"]["E"]))
    rows = _constraint(J, fields, T) if algebraic else _differentiated(J, fields, T)
    H1, H2, H3, H4, H5 = rows
    own = H1 @ known.X1 + H2 @ known.X2 + H5 @ known.U3 + (0.0 if algebraic else known.bias)
    weighed = T["i1"]["u1"].T @ fields.F1
    # U₂ = −H₄⁻¹ (own + H₃ U₁), put into Ẋ_i1 and seen along the driving efforts.
    answers = _least(H4, -np.column_stack([own, H3]))
    S = weighed @ (T["i1"]["u1"] + T["i1"]["u2"] @ answers[:, 1:])
    free = T["i1"]["i1"] @ known.X1 + T["i1"]["i2"] @ known.X2 + T["i1"]["u3"] @ known.U3
    right = weighed @ (known.rate1 - free - T["i1"]["u2"] @ answers[:, 0])
    U1 = np.asarray(np.linalg.pinv(S, rcond=_NOT_DRIVEN) @ right) if S.size else np.zeros(0)
    return U1, answers[:, 0] + answers[:, 1:] @ U1


def _eliminated(J: Blocks, fields: Fields) -> Blocks:
    """T of (13), Ẋ with the R and EJS fields put in, over X_i1, X_i2, U₁, U₂, U₃; and A and B."""
    R, RE = fields.R, fields.RE
    G = R @ np.linalg.inv(np.eye(len(R)) - J["L"]["L"] @ R)
    over = {"i1": fields.F1, "i2": fields.F2}
    inputs = ("i1", "i2", "u1", "u2", "u3")

    def port(row: str, column: str) -> Array:
        block = J[row][column]
        return np.asarray(block @ over[column] if column in over else block)

    A1 = np.linalg.inv(np.eye(len(RE)) - J["E"]["L"] @ G @ J["L"]["E"] @ RE - J["E"]["E"] @ RE)
    A = {c: A1 @ (port("E", c) + J["E"]["L"] @ G @ port("L", c)) for c in inputs}
    inner = np.linalg.inv(np.eye(len(R)) - J["L"]["L"] @ R)
    B = {c: inner @ (port("L", c) + J["L"]["E"] @ RE @ A[c]) for c in inputs}
    T = {r: {c: port(r, c) + J[r]["L"] @ R @ B[c] + J[r]["E"] @ RE @ A[c] for c in inputs} for r in ("i1", "i2")}
    return {**T, "A": A, "B": B}


def _differentiated(J: Blocks, fields: Fields, T: Blocks) -> tuple[Array, ...]:
    """H₁ … H₅ of (13), without the rates of the junction matrices: 0 = d(J_C Z)/dt."""
    first, second = J["C"]["i1"] @ fields.F1, J["C"]["i2"] @ fields.F2
    return tuple(first @ T["i1"][c] + second @ T["i2"][c] for c in ("i1", "i2", "u1", "u2", "u3"))


def _constraint(J: Blocks, fields: Fields, T: Blocks) -> tuple[Array, ...]:
    """T_C of (14): the flows at the constraints hold an R or EJS, and give the forces at once."""
    R, RE, C = fields.R, fields.RE, J["C"]
    over = {"i1": C["i1"] @ fields.F1, "i2": C["i2"] @ fields.F2, "u1": C["u1"], "u2": C["u2"], "u3": C["u3"]}
    return tuple(over[c] + C["L"] @ R @ T["B"][c] + C["E"] @ RE @ T["A"][c] for c in ("i1", "i2", "u1", "u2", "u3"))


def _least(H: Array, right: Array) -> Array:
    """H x = right, the solution of least norm where H is singular; rows and columns scaled by its diagonal."""
    if not H.size:
        return np.zeros((H.shape[1], right.shape[1]))
    size = np.sqrt(np.abs(np.diag(H)))
    scale = 1 / np.where(size > 0, size, 1.0)
    scaled = scale[:, None] * H * scale
    return np.asarray(scale[:, None] * np.linalg.lstsq(scaled, scale[:, None] * right, rcond=_SINGULAR)[0])
