"""Flats of shafts on those of the bores in which they stand: the two turn together."""

from __future__ import annotations

import numpy as np

from cadbridge.frames import Vector
from cadbridge.recognition.contacts.contacts import FACETED, ROUNDING, Contact, Placed, clearance, square
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.faces.surfaces import Surface

WHOLE_TURN = 0.995 * 2 * np.pi
"""rad that a round face goes round at most where a flat cuts it; above, it is whole but for a seam or a pin's hole. 54
machines: 6.25 | 6.28; cut shafts of theirs have 5.6 and less. Tests: 5.54 | 6.28 (`test_motors`)."""

SAME_FLAT = 1e-4
"""1 − cos of the angle (0.8°) between the flats of a shaft and its bore, at most. 54 machines: 1.6e-5 | 4.7e-4."""

SAME_LINE = 9
"""Decimals (m) of the lines of a part's instances that are one: poses are rounded to fewer."""


def flats_that_meet(scene: Scene) -> list[Contact]:
    """The contacts of shafts in bores of which a flat of the one lies on that of the other; looked for once."""
    if scene.keyed is None:
        known: Known = {}
        scene.keyed = [
            c for c in scene.contacts.found
            if c.kind == "shaft" and max(c.a.surface.turn, c.b.surface.turn) <= WHOLE_TURN and _meet(scene, c, known)
        ]  # fmt: skip
    return scene.keyed


def _meet(scene: Scene, c: Contact, known: Known) -> bool:
    bores = _flats(scene, c.b, c, known)
    return bool(bores) and any(_on(scene, c, flat, bore) for flat in _flats(scene, c.a, c, known) for bore in bores)


Flat = tuple[Vector, float, float, float]
"""A plane that cuts a round face: way out from the axis, distance from it, extent along it."""

Known = dict[tuple[str, bool, float, bytes], list[Flat]]
"""The flats about a line of a part, in its frame, by the part, what they cut and the line: instances share them."""


def _on(scene: Scene, c: Contact, flat: Flat, bore: Flat) -> bool:
    """Whether a shaft's flat lies on that of its bore, with no more room than the bore has."""
    way, depth, low, high = flat
    other, bore_depth, bore_low, bore_high = bore
    room = clearance(c.b.surface.radius) + scene.contacts.slack
    meet = low < bore_high and bore_low < high and -scene.contacts.slack <= bore_depth - depth <= room
    return meet and float(way @ other) > 1 - SAME_FLAT


def _flats(scene: Scene, side: Placed, c: Contact, known: Known) -> list[Flat]:
    """The planes of a shaft or bore that cut its circle."""
    X_IW, surface = side.X_WI.inverse(), side.surface
    point, direction = X_IW.point(c.point), X_IW.vector(c.direction)
    line = (np.round([*point, *direction], SAME_LINE) + 0.0).tobytes()
    key = scene.assembly.instance(side.instance).part, surface.hollow, surface.radius, line
    if key not in known:
        faces = scene.faces_of(side.instance)
        planes = () if faces is None else faces.of("plane")
        known[key] = [flat for s in planes if (flat := _cuts(s, surface, point, direction)) is not None]
    return [(side.X_WI.vector(out), depth, low, high) for out, depth, low, high in known[key]]


def _cuts(plane: Surface, surface: Surface, point: Vector, direction: Vector) -> Flat | None:
    """A plane as a flat of a round face about a line; None where it does not cut its circle. In the part's frame."""
    out = plane.direction * (-1.0 if surface.hollow else 1.0)
    if not square(out, direction):
        return None
    arms = np.concatenate(plane.loops or (plane.point[None, :],)) - point
    depth, along = float(arms[0] @ out), arms @ direction
    far = float(np.linalg.norm(np.cross(arms, direction), axis=1).max())
    cuts = 0.0 < depth < surface.radius and far <= FACETED * surface.radius + ROUNDING
    return (out, depth, float(along.min()), float(along.max())) if cuts else None
