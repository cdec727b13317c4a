"""Play and preload of mates from what a designer writes on the drawing: H7/g6, C3, a rail of size 20."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cadbridge.assembly import Assembly, Mate
from cadbridge.misfit.bores import bore_of
from cadbridge.misfit.iso286 import bearing_clearance, fit_clearance, rail_play
from cadbridge.misfit.settings import Fitted, Rule
from cadbridge.units import MM

if TYPE_CHECKING:
    from cadbridge.misfit.file import FitEntry


def fitted_by(assembly: Assembly, mate: Mate, entry: FitEntry) -> Fitted:
    """The clearance of a mate by an entry of the fit file. ValueError where a standard or the part does not tell it."""
    given = [what for what in (entry.fit, entry.bearing, entry.rail) if what is not None]
    if len(given) != 1:
        raise ValueError("give one of fit, bearing and rail")
    if entry.rail is not None:
        across, roll, tilt = rail_play(entry.rail, entry.preloaded)
        name = f"rail {entry.rail}{', preloaded' if entry.preloaded else ''}"
        # Two rails may be out of parallel by that: the carriage of each takes half of it, to either side.
        return Fitted(mate.name, name, None, None, across, across, {"turn": roll, "tilt": tilt})
    bore = bore_of(assembly, mate)
    diameter = MM * entry.diameter if entry.diameter is not None else bore.diameter if bore is not None else None
    length = MM * entry.length if entry.length is not None else bore.length if bore is not None else None
    if diameter is None:
        raise ValueError("its parts do not tell the diameter of its bore; give diameter (mm)")
    if entry.fit is not None:
        least, most = fit_clearance(entry.fit, diameter)
        turns = {"tilt": least / length} if length is not None and least > 0.0 else {}
        return Fitted(mate.name, entry.fit, diameter, length, least, most, turns)
    least, most = bearing_clearance(str(entry.bearing), diameter)
    return Fitted(mate.name, f"bearing {entry.bearing}", diameter, None, least, most)


def rules_of(fitted: Sequence[Fitted]) -> tuple[list[Rule], list[Rule]]:
    """Play and preload: half of the least clearance across the axis to either side, and what the fit lets turn.

    The least clearance is there in every assembly. Below 0 the parts interfere by half of it on either side.
    """
    play, preloads = [], []
    for f in fitted:
        values = {"across": abs(f.least) / 2.0}
        if f.least >= 0.0:
            play.append(Rule("mates", f.mate, {**values, **f.turns}))
        else:
            preloads.append(Rule("mates", f.mate, values))
    return play, preloads
