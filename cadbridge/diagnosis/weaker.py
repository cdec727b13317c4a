"""The weaker mate that would do in place of one of which rows are repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import FeatureKind, Mate, MateKind
from cadbridge.diagnosis.spans import full_rank
from cadbridge.frames import Vector
from cadbridge.mechanism import Mechanism
from cadbridge.mechanism.rows import Rows
from cadbridge.mechanism.sides import MateSide, side_of
from cadbridge.wording import axis_name
from solver.algebra.rank import significant

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


def _at_point(b: MateSide, centre: Vector, directions: list[Vector]) -> list[Array]:
    """Wrenches of forces along directions at b's point."""
    arm = b.world_point() - centre
    return [np.hstack([e, np.cross(arm, e)]) for e in directions]


def _against(b: MateSide, directions: list[Vector]) -> list[Array]:
    """Wrenches that keep b's direction across each of these directions."""
    return [np.hstack([np.zeros(3), np.cross(b.world_direction(), e)]) for e in directions]


def _axes(a: MateSide) -> tuple[Vector, Vector, Vector]:
    return a.X.vector(a.x), a.X.vector(a.y), a.world_direction()


def _point_on_plane(a: MateSide, b: MateSide, c: Vector) -> list[Array]:
    return _at_point(b, c, [_axes(a)[2]])


def _parallel(a: MateSide, b: MateSide, c: Vector) -> list[Array]:
    return _against(b, [*_axes(a)[:2]])


def _point_on_axis(a: MateSide, b: MateSide, c: Vector) -> list[Array]:
    return _at_point(b, c, [*_axes(a)[:2]])


def _point_on_point(a: MateSide, b: MateSide, c: Vector) -> list[Array]:
    return _at_point(b, c, [*_axes(a)])


def _line_on_plane(across: int) -> Callable[[MateSide, MateSide, Vector], list[Array]]:
    def make(a: MateSide, b: MateSide, c: Vector) -> list[Array]:
        return [*_point_on_plane(a, b, c), *_against(b, [_axes(a)[across]])]

    return make


def _plane_on_plane(a: MateSide, b: MateSide, c: Vector) -> list[Array]:
    return [*_point_on_plane(a, b, c), *_parallel(a, b, c)]


def _axis_on_axis(a: MateSide, b: MateSide, c: Vector) -> list[Array]:
    return [*_point_on_axis(a, b, c), *_parallel(a, b, c)]


WEAKER: tuple[tuple[str, Callable[[MateSide, MateSide, Vector], list[Array]], int | None], ...] = (
    ("point on plane", _point_on_plane, None),
    ("point on axis", _point_on_axis, None),
    ("parallel", _parallel, None),
    ("line on plane", _line_on_plane(0), 0),
    ("line on plane", _line_on_plane(1), 1),
    ("point on point", _point_on_point, None),
    ("plane on plane", _plane_on_plane, None),
    ("axis on axis", _axis_on_axis, None),
)
"""What may stand in place of a mate, fewest rows first, as wrenches on b (world axes, m); a line's axis of side a."""

_PLANES = (FeatureKind.PLANE, FeatureKind.PLANE)
_WORDS = {MateKind.CONCENTRIC: "axis on axis", MateKind.CYLINDRICAL: "axis on axis", MateKind.SPHERICAL: "ball joint"}


def weaker_mates(
    mechanism: Mechanism, rows: Rows, mate: Mate | None, own: Ints, N: Array
) -> Iterator[tuple[str, Array]]:
    """Mates that keep the motion in place of this one, fewest rows first: "point on plane instead of plane on plane".

    `mate` is the mate as the file has it, `own` are its rows (k,), N (k, d) their part of the vanishing combinations.
    Each comes with what it gives up, (c, d): c combinations of the rows that it does not hold, of full rank where the
    other mates hold them. A point or a line is one of the mate's second component, at the
    feature there.
    """
    if mate is None or mate.a.direction is None or mate.b.direction is None:
        return
    a, b = (side_of(mechanism.assembly, mechanism.units, f) for f in (mate.a, mate.b))
    unit = rows.units[own[0]][-1]
    W = np.array([rows.wrenches[i][rows.units[i].index(unit)] for i in own])
    for words, maker, across in WEAKER:
        candidate = np.array(maker(a, b, rows.centre))
        if len(candidate) >= len(own):
            continue
        candidate[:, 3:] /= rows.length
        C, *_ = np.linalg.lstsq(W.T, candidate.T, rcond=None)
        # Wrenches of length 1, which files round to less. What the mate does not hold is off by the sine of an angle.
        if np.max(np.abs(W.T @ C - candidate.T)) > 1e-5 * max(1.0, float(np.max(np.abs(candidate)))):
            continue  # the mate does not hold this
        U, s, _ = np.linalg.svd(C)
        # The bounds that hold for rows of length 1.
        lost = U[:, significant(s, 1e-9, 1e-5) :].T @ N
        if full_rank(lost):
            along = "" if across is None else f" along {axis_name((a.x, a.y)[across].tolist())} of {mate.a.component}"
            yield f"{words}{along} instead of {_present(mate)}", lost


def _present(mate: Mate) -> str:
    if (mate.a.kind, mate.b.kind) == _PLANES and mate.kind is not MateKind.PARALLEL:
        return "plane on plane"
    return _WORDS.get(mate.kind, mate.kind.value)
