"""What is done to every format at its anchors, as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """What is done to a text with its anchors; a format must have those that it `needs`."""

    make: Callable[[str, dict[str, str]], str]
    needs: tuple[str, ...] = ()

    def __call__(self, text: str, anchors: dict[str, str]) -> str:
        return self.make(text, anchors)


def span(text: str, pattern: str) -> tuple[int, int]:
    """Where the group of a pattern stands."""
    found = re.search(pattern, text, re.DOTALL)
    assert found is not None, pattern
    return next(found.span(i) for i in range(1, len(found.groups()) + 1) if found[i] is not None)


def put(anchor: str, new: str) -> Change:
    """Something else in the place of an anchor."""

    def change(text: str, anchors: dict[str, str]) -> str:
        start, end = span(text, anchors[anchor])
        return text[:start] + new + text[end:]

    return Change(change, (anchor,))


def twice(anchor: str) -> Change:
    """The anchor's text again after itself."""

    def change(text: str, anchors: dict[str, str]) -> str:
        start, end = span(text, anchors[anchor])
        return text[:end] + "\n" + text[start:end] + text[end:]

    return Change(change, (anchor,))


def like(anchor: str, other: str) -> Change:
    """One anchor's text in the place of the other's."""

    def change(text: str, anchors: dict[str, str]) -> str:
        start, end = span(text, anchors[other])
        return put(anchor, text[start:end])(text, anchors)

    return Change(change, (anchor, other))


def cut(part: float) -> Change:
    """The text up to a part of it."""
    return Change(lambda text, anchors: text[: int(len(text) * part)])


def without(first: float, last: float) -> Change:
    """The text without a part of it."""
    return Change(lambda text, anchors: text[: int(len(text) * first)] + text[int(len(text) * last) :])


COMMON: dict[str, Change] = {
    "a placement of words": put("place", "over there"),
    "a placement not finite": put("place", "nan"),
    "a placement beyond floats": put("place", "1e999"),
    "a placement beyond machines": put("place", "1e308"),
    "a placement of a light year": put("place", "9.5e18"),
    "a placement of nothing": put("place", ""),
    "a placement of a list": put("place", "[[[]]]"),
    "a placement with a decimal comma": put("place", "0,5"),
    "a placement in hexadecimal": put("place", "0x1F"),
    "a placement that is true": put("place", "true"),
    "a placement under another key": put("place_key", "Nowhere"),
    "a point of words": put("point", "over there"),
    "a point not finite": put("point", "-inf"),
    "a point beyond machines": put("point", "-1e308"),
    "a point of nothing": put("point", ""),
    "a point beyond floats": put("point", "1e999"),
    "a point of a list": put("point", "[[[]]]"),
    "a mass of nothing": put("mass", ""),
    "a mass not finite": put("mass", "nan"),
    "a mass of words": put("mass", "heavy"),
    "a mass below zero": put("mass", "-0.7"),
    "a mass beyond machines": put("mass", "1e300"),
    "a side that is not there": put("end", "#99999"),
    "a side of nothing": put("end", ""),
    "a side with a path": put("end", "../../../../etc/passwd"),
    "a side without end": put("end", "A" * 100_000),
    "a side in another encoding": put("end", "Gel\udcfcnk"),
    "a side under another key": put("end_key", "Nobody"),
    "both sides the same": like("end", "other"),
    "a kind that is not known": put("kind", "WOBBLY"),
    "a kind of nothing": put("kind", ""),
    "a mate twice": twice("mate"),
    "a body twice": twice("body"),
    "a body less": put("body", ""),
    "half of the file": cut(0.5),
    "most of the file": cut(0.93),
    "the end of the file alone": without(0.0, 0.5),
    "a file without its middle": without(0.45, 0.55),
    "a file after itself": Change(lambda text, anchors: text + text),
    "a tenth of the file": cut(0.1),
    "nothing": cut(0.0),
}

SAME = {
    ("sw2robot", "a side under another key"): "every mate stands twice in this format",
    ("sw2robot", "a mate twice"): "every mate stands twice in this format",
    ("chrono", "a mate twice"): "a variable may be used again, and equal links are one mate",
    ("ap242", "a body less"): "a link is known by its representation",
}
"""Changes after which a file says what it said before, and why."""
