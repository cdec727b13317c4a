"""Seats of ball bearings that are not drawn: the part turns there on the axle of another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from cadbridge.frames import cross_length
from cadbridge.recognition.contacts.contacts import ROUNDING, Contact, Line, Placed
from cadbridge.recognition.standard.rings import bearings_for

WHOLE = 1.75 * math.pi
"""rad that faces go round at least where they alone show an axis, as a seat and its axle: no half shells. A choice."""

SEAT_APART = 6.0
"""How far a seat is from its axle at most, beside its width: the two plates of an arm. A choice."""

AXLE_OFF = 5e-5, 2.5e-4
"""m by which a hole for an axle is narrower than the bearing's bore, and wider, at most; of a shaft the other way
round. A choice."""

OPEN_BEHIND = 1.15
"""Radius of the hole behind a seat beside that of the bearing's bore, at least: its inner ring is free. A choice."""

FILLS = 0.1
"""Share of its radius by which what stands in a seat may be narrower and fill it. A choice."""


def bearing_seats(line: Line) -> Iterator[Contact]:
    """The seats on a line, each with the nearest shaft, or hole for one, of another part that the bearing's bore fits.

    Behind a seat its part is open wider than that bore, since the inner ring turns there: a counterbore for the head of
    a screw is not.
    """
    rounds = [m for m in line.members if m.surface.kind == "cylinder" and m.surface.turn >= WHOLE]
    for seat in (m for m in rounds if m.surface.hollow):
        for name, bore in bearings_for(seat.surface.radius, seat.high - seat.low):
            fits = [m for m in rounds if m.instance != seat.instance and _goes_in(m, bore)]
            axle = min(fits, key=lambda m: (-seat.beside(m), m.instance), default=None)
            if axle is None or not _open_behind(seat, bore, rounds) or _filled(seat, rounds):
                continue
            if (gap := -seat.beside(axle)) <= SEAT_APART * 2 * seat.surface.radius:
                point, offset = line.amid(seat, seat), cross_length(axle.point - seat.point, line.direction)
                near = max(gap, 0.0)
                yield Contact("eyes", seat, axle, point, line.direction, near, offset, 0.0, axle.surface.radius, name)
                break


def _goes_in(m: Placed, bore: float) -> bool:
    """Whether a face is that of a shaft in a bearing of a bore (m), or of the hole for a bolt through it."""
    off = (m.surface.radius - bore) * (1.0 if m.surface.hollow else -1.0)
    return -AXLE_OFF[0] <= off <= AXLE_OFF[1]


def _open_behind(seat: Placed, bore: float, rounds: Sequence[Placed]) -> bool:
    """Whether the part of a seat has a narrower hole at an end of it, wider than the bearing's bore."""
    return any(
        m.instance == seat.instance and m.surface.hollow
        and OPEN_BEHIND * bore < m.surface.radius < seat.surface.radius
        and min(abs(m.low - seat.high), abs(m.high - seat.low)) < 10 * ROUNDING
        for m in rounds
    )  # fmt: skip


def _filled(seat: Placed, rounds: Sequence[Placed]) -> bool:
    """Whether something stands in a seat and fills it."""
    room = seat.surface.radius * (1 - FILLS)
    return any(not m.surface.hollow and m.surface.radius > room and m.beside(seat) > 0.0 for m in rounds)
