"""Which way the mates of one joint count, before the mechanism is built."""

from __future__ import annotations

from collections.abc import Iterable

from cadbridge.assembly import Feature, Mate
from cadbridge.frames import ACROSS, Vector, unit
from cadbridge.readers.mates_file.draft import Draft


def sense_of(draft: Draft, mate: Mate, mates: Iterable[Mate]) -> float:
    """−1 where a mate counts against the joint of these mates: that counts as the first of them along its axis does."""
    own = _direction(draft, mate.a)
    for other in mates if own is not None else ():
        along = _direction(draft, other.a)
        if along is not None and own is not None and abs(cosine := float(along @ own)) > ACROSS:
            swapped = other.a.component == mate.b.component or other.b.component == mate.a.component
            return -1.0 if (cosine < 0) != swapped else 1.0
    return 1.0


def beside(draft: Draft, mates: Iterable[Mate]) -> list[Mate]:
    """All mates between the components of some of them, in their order: these make one joint."""
    pairs = {frozenset((m.a.component, m.b.component)) for m in mates}
    return [m for m in draft.mates if frozenset((m.a.component, m.b.component)) in pairs]


def _direction(draft: Draft, feature: Feature) -> Vector | None:
    """The unit direction of a feature in the world as designed."""
    if feature.direction is None:
        return None
    holds = draft.components.get(feature.component)
    return unit(feature.direction if holds is None else holds.X_WC.vector(feature.direction))
