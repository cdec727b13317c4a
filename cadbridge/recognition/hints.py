"""Hints, what a person knows of a file: which parts are joined, fixed or apart, what stands still, and the mobility.

Hints stand in the mates file and are honoured when it is recognised again. They name parts, and need no coordinates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

from cadbridge.recognition.groups import Groups

Pair = tuple[str, str]
Triple = tuple[float, float, float]
KINDS = {
    "joint": "move against each other",
    "fixed": "are fixed to each other",
    "apart": "have no joint between them",
}
"""What two parts may be to each other, and how that is said of them. Those apart are two bodies."""


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
        by_name: Whether no person says it, but the name of a part: it has the axes that contacts show, and no others.
    """

    type: str = ""
    point: Triple | None = None
    axis: Triple | None = None
    frame: str = ""
    name: str = ""
    about: str = ""
    by_name: bool = False

    def __bool__(self) -> bool:
        return bool(self.type or self.point or self.name or self.about)


@dataclass(frozen=True)
class Hint:
    """What a person says of two parts.

    Attributes:
        kind: One of KINDS.
        pair: Two instances, in any order.
        told: What is known of the joint; empty for other kinds.
    """

    kind: str
    pair: Pair
    told: Told = Told()

    def __str__(self) -> str:
        return f"{self.kind}: [{', '.join(self.pair)}]"


@dataclass(frozen=True)
class Hints:
    """What a person knows of a file before it is recognised.

    Attributes:
        said: What is said of pairs, in the order of KINDS.
        freedoms: The number of freedoms of the whole.
        ground: A part that stands still.
        stays: A part that stands still without the hints `apart`, which leave the ground where it is; "" unknown.
    """

    said: tuple[Hint, ...] = ()
    freedoms: int | None = None
    ground: str | None = None
    stays: str = ""

    def __post_init__(self) -> None:
        # In one order: the same hints, said in another, are the same recognition.
        object.__setattr__(self, "said", tuple(sorted(self.said, key=lambda hint: list(KINDS).index(hint.kind))))

    def __bool__(self) -> bool:
        return bool(self.said or self.ground or self.freedoms is not None)

    def pairs(self, *kinds: str) -> tuple[Pair, ...]:
        """List the pairs of some kinds.

        Args:
            kinds: Some of KINDS; without one, all.

        Returns:
            Pairs of instances, in the order of KINDS.
        """
        return tuple(hint.pair for hint in self.said if hint.kind in (kinds or KINDS))

    @property
    def settled(self) -> frozenset[frozenset[str]]:
        """The pairs of which anything is said, whatever it is."""
        return frozenset(frozenset(pair) for pair in self.pairs())

    @property
    def in_two_bodies(self) -> list[Pair]:
        """The pairs of parts that cannot be of one body.

        Those that are joined or apart; and two of which one is joined to a part, and the other apart from it: as one
        body they would have a joint to it, and have none. What is fixed to a part stands for it.
        """
        fixed = Groups(dict.fromkeys(name for pair in self.pairs() for name in pair))
        for a, b in self.pairs("fixed"):
            fixed.join(a, b)
        ends: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for k, kind in enumerate(("joint", "apart")):
            for a, b in self.pairs(kind):
                ends[fixed.root(a)][k].append(b)
                ends[fixed.root(b)][k].append(a)
        implied = (_ordered(pair) for joined, apart in ends.values() for pair in product(joined, apart))
        return list(dict.fromkeys([*self.pairs("joint", "apart"), *implied]))

    def having(self, kind: str, pairs: Iterable[Pair], told: Told | None = None) -> Hints:
        """Add pairs of one kind; what was said of the same pairs before is taken back.

        Args:
            kind: One of KINDS.
            pairs: Pairs of instances.
            told: What is known of a joint of the pairs; None keeps what was known.

        Returns:
            New hints.
        """
        known = self.told_of if told is None else lambda pair: told
        new = {frozenset(p): Hint(kind, _ordered(p), known(p) if kind == "joint" else Told()) for p in pairs}
        kept = (hint for hint in self.said if frozenset(hint.pair) not in new)
        return replace(self, said=(*kept, *new.values()))

    def told_of(self, pair: Pair) -> Told:
        """Look up what is known of the joint of a pair.

        Args:
            pair: Two instances, in any order.

        Returns:
            What is known; empty where nothing is.
        """
        return next((hint.told for hint in self.said if hint.told and set(hint.pair) == set(pair)), Told())


NO_HINTS = Hints()
"""Nothing is known."""


def _ordered(pair: Pair) -> Pair:
    first, second = sorted(pair)
    return first, second


def triple(values: Iterable[float]) -> Triple:
    """Three numbers, of an array (3,), as a hint keeps them."""
    x, y, z = (float(value) for value in values)
    return x, y, z
