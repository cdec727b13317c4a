"""Names of parts and instances without what CAD systems put behind them, which changes from one export to the next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import takewhile

_COUNTER = re.compile(
    r"([-_:. ]\d{1,4}|\s*[(<\[]\d+[)>\]]|[\s_-]+v\d+|[\s_-]+rev[\s._-]?\w{1,3}|[\s_-]+copy)$", re.IGNORECASE
)
"""Arm:1, Arm-1, Arm_1, Arm (2), Arm<1>, Arm v3, Arm_rev_B, Arm copy."""
_ENDING = re.compile(r"\.(step|stp|iges|igs|sldprt|sldasm|ipt|iam|prt|asm|par|catpart|catproduct|fcstd|stl)$", re.I)
_LABEL = re.compile(
    r"(body|solid|compound|shape|pad|pocket|fillet|chamfer|cut|fusion|common|extru(de|sion)|mirror(ed)?)"
    r"[\s_:.\d]*(\(.*\)\s*)*$", re.I
)  # fmt: skip
"""Body, Body1, SOLID, Fillet001 (Solid), Cut009: what CAD systems call a solid, or the last feature that made it."""


def bare(step: str) -> str:
    """A name without the counters, versions and endings behind it; never empty unless it was."""
    while (shorter := _ENDING.sub("", _COUNTER.sub("", step))) not in (step, ""):
        step = shorter
    return step


def bare_path(path: str) -> str:
    """A path with each of its steps bare, in small letters."""
    return "/".join(bare(step).casefold() for step in path.split("/"))


def own_names(paths: Iterable[str]) -> dict[str, str]:
    """What each of some instances, by their paths, is called: the last step.

    Where that is only the label of a solid or a feature, and it is alone in its sub-assembly, that has the name.
    """
    steps = {path: path.split("/") for path in paths}
    within = Counter("/".join(own[:k]) for own in steps.values() for k in range(1, len(own)))

    def called(own: list[str]) -> str:
        levels = range(len(own) - 1, 0, -1)
        labels = takewhile(lambda k: _LABEL.match(own[k]) and within["/".join(own[:k])] == 1, levels)
        return own[min(labels, default=len(own)) - 1]

    return {path: called(own) for path, own in steps.items()}


def shortest(names: Iterable[str]) -> dict[str, str]:
    """For each of some paths the shortest end of it that is the end of no other: a hint may name it so."""
    paths = list(names)
    ends: dict[str, int] = {}
    for path in paths:
        for end in _ends(path):
            ends[end] = ends.get(end, 0) + 1
    return {path: next((end for end in _ends(path) if ends[end] == 1), path) for path in paths}


def _ends(path: str) -> list[str]:
    steps = path.split("/")
    return ["/".join(steps[k:]) for k in range(len(steps) - 1, -1, -1)]
