"""Hints, what a person knows of a file: which parts are joined, fixed or apart, what stands still, and the mobility.

Hints stand in the mates file and are honoured when it is recognised again. They name parts, and need no coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

Pair = tuple[str, str]
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Told:
    """What a hint says of a joint besides its parts.

    Attributes:
        type: The joint's type; "" where it is not said.
        point: (3,) m, in `frame`.
        axis: (3,), in `frame`.
        frame: The instance in whose frame they are; "" for the world.
        name: The joint's name.
        about: The part whose axis it is, where no point is given.
    """

    type: str = ""
    point: Triple | None = None
    axis: Triple | None = None
    frame: str = ""
    name: str = ""
    about: str = ""

    def __bool__(self) -> bool:
        return bool(self.type or self.point or self.name or self.about)


@dataclass(frozen=True)
class Hints:
    """What a person knows of a file before it is recognised.

    Attributes:
        joint: Pairs of instances with a joint between them.
        fixed: Pairs that are fixed to each other.
        apart: Pairs of two bodies without a joint between them.
        freedoms: The number of freedoms of the whole.
        ground: A part that stands still.
        told: What is known of the joints of some pairs.
    """

    joint: tuple[Pair, ...] = ()
    fixed: tuple[Pair, ...] = ()
    apart: tuple[Pair, ...] = ()
    freedoms: int | None = None
    ground: str | None = None
    told: tuple[tuple[Pair, Told], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.joint or self.fixed or self.apart or self.ground or self.freedoms is not None)

    @property
    def pairs(self) -> dict[str, tuple[Pair, ...]]:
        """The pairs by their kind."""
        return {"joint": self.joint, "fixed": self.fixed, "apart": self.apart}

    def having(self, kind: str, pairs: Iterable[Pair], told: Told | None = None) -> Hints:
        """Add pairs of one kind; what was said of the same pairs before is taken back.

        Args:
            kind: "joint", "fixed" or "apart".
            pairs: Pairs of instances.
            told: What is known of a joint of the pairs; None keeps what was known.

        Returns:
            New hints.
        """
        new = tuple(dict.fromkeys(_ordered(pair) for pair in pairs))
        kept = {k: [pair for pair in own if _ordered(pair) not in new] for k, own in self.pairs.items()}
        kept[kind] += new
        known = {_ordered(pair): own for pair, own in self.told}
        if told is not None:
            known |= dict.fromkeys(new, told)
        joined = {_ordered(pair) for pair in kept["joint"]}
        return replace(with_pairs(self, kept), told=tuple((p, own) for p, own in known.items() if p in joined and own))

    def told_of(self, pair: Pair) -> Told:
        """Look up what is known of the joint of a pair.

        Args:
            pair: Two instances, in any order.

        Returns:
            What is known; empty where nothing is.
        """
        return next((own for known, own in self.told if _ordered(known) == _ordered(pair)), Told())


NO_HINTS = Hints()
"""Nothing is known."""


def with_pairs(hints: Hints, pairs: Mapping[str, Sequence[Pair]]) -> Hints:
    """Hints with other pairs."""
    joint, fixed, apart = (tuple(pairs[kind]) for kind in ("joint", "fixed", "apart"))
    return replace(hints, joint=joint, fixed=fixed, apart=apart)


def _ordered(pair: Pair) -> Pair:
    first, second = sorted(pair)
    return first, second
