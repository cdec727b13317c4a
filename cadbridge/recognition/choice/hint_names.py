"""Hints held against an assembly: the instances that their names mean, and hints that contradict each other."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.findings import Finding, Findings
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.hints import Hints, Pair, Told, with_pairs
from cadbridge.recognition.part_names import bare_path
from cadbridge.wording import listed


def resolved(assembly: Assembly, hints: Hints) -> tuple[Hints, tuple[Finding, ...]]:
    """The hints by the names of instances and with axes in the world, and findings.

    Names that there are not, hints that contradict others: of those that contradict each other, none is taken.
    """
    findings = Findings()
    known = _Names(assembly)
    pairs: dict[str, list[Pair]] = {kind: [] for kind in hints.pairs}
    told = []
    for kind, own in pairs.items():
        for a, b in hints.pairs[kind]:
            first, second = (known.told(name, f"{kind}: [{a}, {b}]", findings) for name in (a, b))
            if first is None or second is None or first == second:
                continue
            own.append((first, second))
            if kind == "joint" and (more := hints.told_of((a, b))):
                if more.about:
                    own_hint = f"joint: [{a}, {b}], about: {more.about}"
                    more = replace(more, about=known.told(more.about, own_hint, findings) or "")
                told.append(((first, second), _in_world(assembly, more, first if more.frame == a else second)))
    ground = None if hints.ground is None else known.told(hints.ground, f"ground: {hints.ground}", findings)
    faults = contradictions(pairs)
    for fault in faults:
        text = listed([f"{kind}: [{a}, {b}]" for kind, (a, b) in fault])
        findings.add("CB1641", f"these hints contradict each other, and none of them is taken: {text}", items=[
            name for _, pair in fault for name in pair
        ])  # fmt: skip
    wrong = {entry for fault in faults for entry in fault}
    kept = {kind: [p for p in own if (kind, p) not in wrong] for kind, own in pairs.items()}
    known.report(findings)
    told_kept = tuple((pair, own) for pair, own in told if pair in kept["joint"])
    return replace(with_pairs(hints, kept), ground=ground, told=told_kept), findings.as_tuple()


def _in_world(assembly: Assembly, told: Told, frame: str) -> Told:
    """What is told of a joint, with its axis in the world."""
    if not told.frame or told.point is None:
        return told
    X_WI = assembly.instance(frame).X_WI
    x, y, z = (float(c) for c in X_WI.point(np.array(told.point)))
    axis = None
    if told.axis is not None:
        u, v, w = (float(c) for c in X_WI.vector(np.array(told.axis)))
        axis = (u, v, w)
    return replace(told, point=(x, y, z), axis=axis, frame="")


@dataclass(eq=False)
class _Names:
    """Instances by their names, their last names, and sub-assemblies by their largest part's.

    A name that a new export changed by a counter or a version means the only instance that is called alike.
    """

    assembly: Assembly
    _like: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._full = {i.name for i in self.assembly.instances}
        self._short: dict[str, list[str]] = {}
        for i in self.assembly.instances:
            steps = i.name.split("/")
            for k in range(1, len(steps)):
                self._short.setdefault("/".join(steps[k:]), []).append(i.name)
                self._short.setdefault("/".join(steps[:k]), []).append(i.name)

    @cached_property
    def _bare(self) -> dict[str, list[str]]:
        """Instances by their names without counters and versions, which only a name that is not found asks for."""
        found: dict[str, list[str]] = defaultdict(list)
        for i in self.assembly.instances:
            steps = i.name.split("/")
            for k in range(len(steps)):
                found[bare_path("/".join(steps[k:]))].append(i.name)
        return found

    def of(self, name: str) -> str | None:
        """The instance that a name means; of a sub-assembly its first. None where there is none, or several."""
        if name in self._full:
            return name
        found = self._short.get(name, [])
        inside = [n for n in found if n.startswith(name + "/")]
        return inside[0] if inside else found[0] if len(found) == 1 else None

    def told(self, name: str, hint: str, findings: Findings) -> str | None:
        """The instance that a hint names; a finding where there is none (CB1640)."""
        own = self.of(name)
        if own is not None:
            return own
        alike = self._called_alike(name)
        if len(alike) == 1:
            self._like[name] = alike[0]
            return alike[0]
        several = listed(alike or self._short.get(name, []))
        near = next(iter(difflib.get_close_matches(name[:100], [*self._full, *self._short], n=1)), None)
        cure = f"; it may be {several}" if several else f"; the nearest name is {near}" if near else ""
        findings.add("CB1640", f"hint {hint} names no part {name}{cure}", items=[name])
        return None

    def _called_alike(self, name: str) -> list[str]:
        """The instances with a name's path, or with the end of it, but for counters and versions."""
        path = bare_path(name)
        # A new export may have another assembly on top: the path is shortened from there.
        while not (found := self._bare.get(path, [])) and "/" in path:
            path = path.split("/", 1)[1]
        return found

    def report(self, findings: Findings) -> None:
        """Tell which names were taken to be others (CB1651)."""
        if self._like:
            text = listed([f"{old} is now {new}" for old, new in self._like.items()])
            findings.add("CB1651", f"names in hints changed with the export: {text}", items=list(self._like))


def contradictions(pairs: Mapping[str, Sequence[Pair]]) -> list[list[tuple[str, Pair]]]:
    """Hints that cannot all hold: what is apart or joined, and yet fixed to each other by a chain of others."""
    fixed = Groups(name for own in pairs.values() for pair in own for name in pair)
    for a, b in pairs["fixed"]:
        fixed.join(a, b)
    return [
        [(kind, pair), *(("fixed", link) for link in _chain(pair, pairs["fixed"]))]
        for kind in ("joint", "apart") for pair in pairs[kind] if fixed.root(pair[0]) == fixed.root(pair[1])
    ]  # fmt: skip


def _chain(pair: Pair, links: Sequence[Pair]) -> list[Pair]:
    """The pairs that lead from one end of a pair to the other; empty where none do."""
    came: dict[str, Pair | None] = {pair[0]: None}
    queue = [pair[0]]
    for name in queue:
        for link in links:
            other = link[1] if link[0] == name else link[0] if link[1] == name else None
            if other is not None and other not in came:
                came[other] = link
                queue.append(other)
    chain, name = [], pair[1]
    while (back := came.get(name)) is not None:
        chain.append(back)
        name = back[0] if back[1] == name else back[1]
    return chain
