"""What is assumed of faces and mates: how far they may be off, how stiff they are, how much play they have.

Defaults: ISO 2768-1 by size for faces, one stiffness for all mates, no play. A result names what it took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cadbridge.misfit.blocks import Block, Errors, InexactFace
from cadbridge.units import MM, TO_MM

Array = NDArray[np.float64]

LINEAR = {
    "f": (0.05, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, None),
    "m": (0.1, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0),
    "c": (0.2, 0.3, 0.5, 0.8, 1.2, 2.0, 3.0, 4.0),
    "v": (None, 0.5, 1.0, 1.5, 2.5, 4.0, 6.0, 8.0),
}
"""ISO 2768-1, table 1: deviations (mm) of linear dimensions by class, for sizes up to `SIZES`."""
SIZES = (3.0, 6.0, 30.0, 120.0, 400.0, 1000.0, 2000.0, 4000.0)
"""mm."""
ANGULAR = {
    "f": (60.0, 30.0, 20.0, 10.0, 5.0),
    "m": (60.0, 30.0, 20.0, 10.0, 5.0),
    "c": (90.0, 60.0, 30.0, 15.0, 10.0),
    "v": (180.0, 120.0, 60.0, 30.0, 20.0),
}
"""ISO 2768-1, table 3: deviations (minutes of arc) of angles by class, for shorter legs up to `LEGS`, then beyond."""
LEGS = (10.0, 50.0, 120.0, 400.0)
"""mm."""
CLASSES = tuple(LINEAR)

FORCE_STIFFNESS = 1e7
"""N/m of a mate of which nothing is known: 10 N/µm, of the order of small bearings; a choice. Forces go with it in
proportion, and the fit file can set it."""
TURN_STIFFNESS = 1e4
"""N m/rad of a mate of which nothing is known: that of `FORCE_STIFFNESS` on an arm of 32 mm."""
TEETH = 2e-5
"""m by which teeth may be off along the pitch circle where nothing is given: about class 8 of ISO 1328-1."""
DEVIATION = 1.0 / 3.0
"""A tolerance is so many times the standard deviation: the part of it that one deviation is. A third, as production
that is under control keeps (Cp = 1): 99.73 % of parts are within."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Values for what a pattern fits.

    Attributes:
        of: What the pattern is held against.
        pattern: Names, with * and ?.
        values: By kind of error or equation, SI.
        iso_class: A class of ISO 2768-1 in place of values that it does not give.
    """

    of: str
    pattern: str
    values: Mapping[str, float] = field(default_factory=dict)
    iso_class: str | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """A mate by its fit, bearing or rail.

    Attributes:
        mate: Its name.
        name: The fit's name.
        diameter: Of its bore, m; None where it has none or it is not known.
        length: Of its bore, m; None where it has none or it is not known.
        least: The least clearance, m; below 0 it interferes.
        most: The largest clearance, m.
        turns: By kind of turn, how far it lets its sides be off, rad.
    """

    mate: str
    name: str
    diameter: float | None
    length: float | None
    least: float
    most: float
    turns: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """What is assumed of faces and mates; of rules the last that fits wins.

    Attributes:
        tolerances: How far faces may be off.
        stiffness: Of mates, N/m and N m/rad.
        play: By how much mates let their sides be off without force, m and rad.
        preloads: Interference that preloads mates, m and rad.
        ratings: Forces and moments that mates may carry, N and N m.
        shared: Patterns of components whose faces have their errors in common.
        fitted: From which fits play and preloads were taken.
        iso_class: Of ISO 2768-1, for faces without a rule.
        draws: Of the Monte Carlo method.
        seed: Of the draws.
        uniform: Whether errors spread evenly over their zones, and not normally.
    """

    tolerances: Sequence[Rule] = ()
    stiffness: Sequence[Rule] = ()
    play: Sequence[Rule] = ()
    preloads: Sequence[Rule] = ()
    ratings: Sequence[Rule] = ()
    shared: Sequence[str] = ()
    fitted: Sequence[Fitted] = ()
    iso_class: str = "m"
    draws: int = 10_000
    seed: int = 0
    uniform: bool = False


def linear_deviation(iso_class: str, size: float) -> float:
    """The deviation (m) that ISO 2768-1 allows a dimension of some size (m); of sizes beyond the table, its last."""
    values = [v for v in LINEAR[iso_class] if v is not None]
    index = int(np.searchsorted(SIZES, size * TO_MM))
    found = LINEAR[iso_class][min(index, len(SIZES) - 1)]
    if found is None:
        found = values[0] if index == 0 else values[-1]
    return found * MM


def angular_deviation(iso_class: str, leg: float) -> float:
    """The deviation (rad) that ISO 2768-1 allows an angle whose shorter leg is so long (m)."""
    minutes = ANGULAR[iso_class][int(np.searchsorted(LEGS, leg * TO_MM))]
    # Sixty minutes of arc a degree.
    return float(np.radians(minutes / 60.0))


def matches(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern with * and ?."""
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern.replace("[", "[[]"))


def _value(rules: Sequence[Rule], named: Mapping[str, Sequence[str]], kind: str) -> float | str | None:
    """The value of a kind by the last rule that fits and has one, or the class of ISO 2768-1 that it names."""
    for rule in reversed(rules):
        if any(matches(rule.pattern, name) for name in named.get(rule.of, ())):
            if kind in rule.values:
                return rule.values[kind]
            if rule.iso_class is not None:
                return rule.iso_class
    return None


def tolerances_of(settings: Settings, errors: Errors, sizes: Mapping[str, float]) -> Array:
    """How far (m, rad) each zone may be off; `sizes` (m) are those of the components.

    By ISO 2768-1 each face has half of the deviation, so that a distance between two faces of a part keeps it.
    """
    found = []
    for zone in errors.zones:
        if zone.face is None:
            value = _value(settings.tolerances, {"mates": (zone.mate,)}, zone.kind)
            found.append(value if isinstance(value, float) else TEETH)
            continue
        face = errors.faces[zone.face]
        value = _value(settings.tolerances, names_of(face), zone.kind)
        if not isinstance(value, float):
            iso_class = value or settings.iso_class
            size = sizes.get(face.component, 0.0)
            value = (angular_deviation if zone.turns else linear_deviation)(iso_class, size) / 2.0
        found.append(value)
    return np.array(found, float)


def names_of(face: InexactFace) -> dict[str, Sequence[str]]:
    """The names by which rules may speak of a face: of its mates, of its component, of itself where it has one."""
    faces = [face.feature.label] if face.feature.label else []
    return {"mates": face.mates, "components": (face.component,), "faces": faces}


def stiffness_of(settings: Settings, block: Block) -> float:
    """N/m or N m/rad of the rows of a block."""
    value = _value(settings.stiffness, {"mates": (block.mate,)}, block.kind)
    return value if isinstance(value, float) else TURN_STIFFNESS if block.turns else FORCE_STIFFNESS


def stiffness_rows(settings: Settings, blocks: Sequence[Block], rows: int) -> Array:
    """The stiffness (rows,) of the rows of blocks, N/m and N m/rad."""
    k = np.ones(rows)
    for block in blocks:
        k[block.rows] = stiffness_of(settings, block)
    return k


def play_of(settings: Settings, block: Block) -> float:
    """m or rad by which a mate lets its block be off without force."""
    value = _value(settings.play, {"mates": (block.mate,)}, block.kind)
    return value if isinstance(value, float) else 0.0


def ratings_of(settings: Settings, mate: str) -> tuple[float | None, float | None]:
    """The force (N) and moment (N m) that a mate may carry, None where none is given."""
    force, moment = (_value(settings.ratings, {"mates": (mate,)}, kind) for kind in ("across", "tilt"))
    return (force if isinstance(force, float) else None), (moment if isinstance(moment, float) else None)


def preload_of(settings: Settings, block: Block) -> float:
    """m or rad of interference with which a mate is put together."""
    value = _value(settings.preloads, {"mates": (block.mate,)}, block.kind)
    return value if isinstance(value, float) else 0.0


def reach_of(settings: Settings, block: Block) -> float:
    """The length (m) by which a mate's stiffness against a turn, and its play, go with those of its place.

    A bearing of that reach turns by its play over it; √(rotational over translational stiffness).
    """
    rules = settings.stiffness
    named = {"mates": (block.mate,)}
    place, turn = (_value(rules, named, kind) for kind in (("across", "tilt")))
    k = place if isinstance(place, float) else FORCE_STIFFNESS
    kt = turn if isinstance(turn, float) else TURN_STIFFNESS
    return float(np.sqrt(kt / k))
