"""Hints held against an assembly: the instances that their names mean, and hints that contradict each other."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.findings import Finding, Findings
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.hints import Hint, Hints, Told, triple
from cadbridge.recognition.part_names import bare_path
from cadbridge.wording import listed


def wholes_of(assembly: Assembly, hints: Hints) -> dict[str, tuple[str, ...]]:
    """The sub-assemblies of several parts that hints name, and their instances."""
    known = _Names(assembly)
    names = {name for hint in hints.said for name in hint.pair} | ({hints.ground} if hints.ground else set())
    return {name: own for name in sorted(names) if len(own := known.inside(name)) > 1}


def instance_of(assembly: Assembly, name: str) -> str | None:
    """The instance that a name means, or any piece of its path; None where there is none, or several."""
    return _Names(assembly).of(name)


def resolved(assembly: Assembly, hints: Hints) -> tuple[Hints, tuple[Finding, ...]]:
    """The hints by the names of instances and with axes in the world, and findings.

    Names that there are not, or of several parts; hints that contradict others: of those, none is taken.
    """
    findings = Findings()
    known = _Names(assembly)
    said = list[Hint]()
    for hint in hints.said:
        first, second = (known.told(name, str(hint), findings) for name in hint.pair)
        if first is not None and second is not None and first != second:
            told = _in_world(assembly, hint.told, first if hint.told.frame == hint.pair[0] else second)
            if told.about:
                told = replace(told, about=known.told(told.about, f"{hint}, about: {told.about}", findings) or "")
            said.append(Hint(hint.kind, (first, second), told))
    ground = None if hints.ground is None else known.told(hints.ground, f"ground: {hints.ground}", findings)
    faults = contradictions(said)
    for fault in faults:
        text = f"these hints contradict each other, and none of them is taken: {listed([str(hint) for hint in fault])}"
        findings.add("CB1641", text, items=[name for hint in fault for name in hint.pair])
    known.report(findings)
    wrong = {hint for fault in faults for hint in fault}
    return replace(hints, said=tuple(h for h in said if h not in wrong), ground=ground), findings.as_tuple()


def _in_world(assembly: Assembly, told: Told, frame: str) -> Told:
    """What is told of a joint, with its axis in the world."""
    if not told.frame or told.point is None:
        return told
    X_WI = assembly.instance(frame).X_WI
    axis = None if told.axis is None else triple(X_WI.vector(np.array(told.axis)))
    return replace(told, point=triple(X_WI.point(np.array(told.point))), axis=axis, frame="")


@dataclass(eq=False)
class _Names:
    """Instances by their names and any piece of these.

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
        """The instance that a name means, or the only one in a sub-assembly; None where there is none, or several."""
        if name in self._full:
            return name
        found = self.inside(name) or self._with(name)
        return found[0] if len(found) == 1 else None

    def inside(self, name: str) -> tuple[str, ...]:
        """The instances of the sub-assembly that a name means; none where it means none, several, or a part."""
        found = () if name in self._full else self._with(name)
        tops = defaultdict[str, list[str]](list)
        for path in found:
            before, mark, _ = f"/{path}/".partition(f"/{name}/")
            tops[f"{before}/{name}" if mark else path].append(path)
        own = tops.get(f"/{name}") or (next(iter(tops.values())) if len(tops) == 1 else [])
        return () if any(path == name or path.endswith(f"/{name}") for path in own) else tuple(own)

    def _with(self, name: str) -> list[str]:
        """The instances whose path begins or ends with a name, else those in the midst of whose path it stands."""
        return self._short.get(name) or [i.name for i in self.assembly.instances if f"/{name}/" in i.name]

    def told(self, name: str, hint: str, findings: Findings) -> str | None:
        """The instance that a hint names; a finding where there is none (CB1640)."""
        own = self.of(name)
        if own is not None:
            return own
        alike = self._called_alike(name)
        if len(alike) == 1:
            self._like[name] = alike[0]
            return alike[0]
        several = listed(alike or self._with(name))
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
            text = listed([f"{old} is taken for {new}" for old, new in self._like.items()])
            findings.add("CB1651", f"no part has these names in hints: {text}", items=list(self._like))


def contradictions(said: Sequence[Hint]) -> list[list[Hint]]:
    """Hints that cannot all hold.

    Two types of one joint; what is apart or joined, yet fixed by a chain of others; and what is joined, yet apart, by
    what is fixed to either part.
    """
    of_pair: dict[frozenset[str], list[Hint]] = defaultdict(list)
    for hint in said:
        if hint.told.type:
            of_pair[frozenset(hint.pair)].append(hint)
    found = [hints for hints in of_pair.values() if len({hint.told.type for hint in hints}) > 1]
    chain = _Chains(said)
    joined: dict[frozenset[str], list[Hint]] = defaultdict(list)
    ends = {hint: [chain.root(name) for name in hint.pair] for hint in said if hint.kind != "fixed"}
    for hint, (a, b) in ends.items():
        if a == b:
            found.append([hint, *chain.between(*hint.pair)])
        elif hint.kind == "joint":
            joined[frozenset((a, b))].append(hint)
    for hint, (a, b) in ends.items():
        for other in joined.get(frozenset((a, b)), ()) if hint.kind == "apart" else ():
            c, d = other.pair if chain.root(other.pair[0]) == a else other.pair[::-1]
            found.append([hint, other, *chain.between(hint.pair[0], c), *chain.between(hint.pair[1], d)])
    return found


class _Chains(Groups):
    """Parts that hints fix to each other, and the hints between two of them."""

    def __init__(self, said: Sequence[Hint]) -> None:
        super().__init__(dict.fromkeys(name for hint in said for name in hint.pair))
        self._fixed = {hint.pair: hint for hint in said if hint.kind == "fixed"}
        for a, b in self._fixed:
            self.join(a, b)

    def between(self, a: str, b: str) -> list[Hint]:
        """The hints of the shortest chain from one part to another to which it is fixed."""
        if a == b:
            return []
        import networkx as nx  # half a second, for the few who said so

        fixed: nx.Graph[str] = nx.Graph()
        fixed.add_edges_from((*pair, {"hint": hint}) for pair, hint in self._fixed.items())
        return [fixed.edges[step]["hint"] for step in pairwise(nx.shortest_path(fixed, a, b))]
