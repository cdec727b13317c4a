"""Hints, what a person knows of a file: which parts are joined, fixed or apart, and the mobility.

Hints stand in the mates file and are honoured when it is recognised again. They name parts, never coordinates.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cadbridge.assembly import Assembly
from cadbridge.findings import Finding, Findings
from cadbridge.wording import listed

Pair = tuple[str, str]


@dataclass(frozen=True)
class Hints:
    """Pairs that are joined by a joint, fixed to each other, or simply two bodies; `freedoms` of the whole."""

    joint: tuple[Pair, ...] = ()
    fixed: tuple[Pair, ...] = ()
    apart: tuple[Pair, ...] = ()
    freedoms: int | None = None

    def __bool__(self) -> bool:
        return bool(self.joint or self.fixed or self.apart or self.freedoms is not None)

    @property
    def pairs(self) -> dict[str, tuple[Pair, ...]]:
        """The pairs by their kind."""
        return {"joint": self.joint, "fixed": self.fixed, "apart": self.apart}

    def having(self, kind: str, pairs: Iterable[Pair]) -> Hints:
        """These hints, and pairs of one kind more; what was said of the same pairs before is taken back."""
        new = tuple(dict.fromkeys(_ordered(pair) for pair in pairs))
        kept = {k: [pair for pair in own if _ordered(pair) not in new] for k, own in self.pairs.items()}
        kept[kind] += new
        return _with(self, kept)


def _with(hints: Hints, pairs: Mapping[str, Sequence[Pair]]) -> Hints:
    """Hints with other pairs."""
    joint, fixed, apart = (tuple(pairs[kind]) for kind in ("joint", "fixed", "apart"))
    return replace(hints, joint=joint, fixed=fixed, apart=apart)


def _ordered(pair: Pair) -> Pair:
    first, second = sorted(pair)
    return first, second


def hints_of(path: Path) -> Hints:
    """The hints of a mates file; none where it is not there or cannot be read."""
    from cadbridge.readers.mates_file import load_document

    spec = load_document(path).spec if path.is_file() else None
    if spec is None:
        return Hints()
    pairs = {kind: [(p[0], p[1]) for h in spec.hints if (p := getattr(h, kind)) is not None] for kind in Hints().pairs}
    freedoms = next((h.freedoms for h in reversed(spec.hints) if h.freedoms is not None), None)
    return replace(_with(Hints(), pairs), freedoms=freedoms)


def hints_text(hints: Hints) -> str:
    """Hints as the section of a mates file; empty where there are none."""
    from cadbridge.readers.mates_file.faces import yaml_text

    if not hints:
        return ""
    lines = ["hints:  # what you said; it holds when the file is recognised again\n"]
    lines += [f"  - freedoms: {hints.freedoms}\n"] if hints.freedoms is not None else []
    for kind, pairs in hints.pairs.items():
        lines += [f"  - {kind}: [{yaml_text(a)}, {yaml_text(b)}]\n" for a, b in pairs]
    return "".join(lines)


def resolved(assembly: Assembly, hints: Hints) -> tuple[Hints, tuple[Finding, ...]]:
    """The hints by the names of instances, and findings of names that there are not and hints that contradict others.

    Of two hints that contradict each other, neither is taken.
    """
    findings = Findings()
    known = _Names(assembly)
    pairs: dict[str, list[Pair]] = {kind: [] for kind in hints.pairs}
    for kind, own in pairs.items():
        for a, b in hints.pairs[kind]:
            ends = known.of(a), known.of(b)
            for name, end in zip((a, b), ends, strict=True):
                if end is None:
                    near = known.like(name)
                    cure = f"; the nearest name is {near}" if near else ""
                    findings.add("CB1640", f"hint {kind}: [{a}, {b}] names no part {name}{cure}", items=[name])
            if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
                own.append((ends[0], ends[1]))
    faults = _contradictions(pairs)
    for fault in faults:
        text = listed([f"{kind}: [{a}, {b}]" for kind, (a, b) in fault])
        findings.add("CB1641", f"these hints contradict each other, and none of them is taken: {text}", items=[
            name for _, pair in fault for name in pair
        ])  # fmt: skip
    wrong = {entry for fault in faults for entry in fault}
    kept = {kind: [p for p in own if (kind, p) not in wrong] for kind, own in pairs.items()}
    return _with(hints, kept), findings.as_tuple()


class _Names:
    """Instances by their names, their last names, and sub-assemblies by their largest part's."""

    def __init__(self, assembly: Assembly) -> None:
        self._full = {i.name for i in assembly.instances}
        self._short: dict[str, list[str]] = {}
        for i in assembly.instances:
            steps = i.name.split("/")
            for k in range(1, len(steps)):
                self._short.setdefault("/".join(steps[k:]), []).append(i.name)
                self._short.setdefault("/".join(steps[:k]), []).append(i.name)

    def of(self, name: str) -> str | None:
        """The instance that a name means; of a sub-assembly its first. None where there is none, or several."""
        if name in self._full:
            return name
        found = self._short.get(name, [])
        inside = [n for n in found if n.startswith(name + "/")]
        return inside[0] if inside else found[0] if len(found) == 1 else None

    def like(self, name: str) -> str | None:
        """The known name most like another."""
        return next(iter(difflib.get_close_matches(name[:100], [*self._full, *self._short], n=1)), None)


def _contradictions(pairs: dict[str, list[Pair]]) -> list[list[tuple[str, Pair]]]:
    """Hints that cannot all hold: what is apart or joined, and yet fixed to each other by a chain of others."""
    found = []
    for kind in ("joint", "apart"):
        for pair in pairs[kind]:
            chain = _chain(pair, pairs["fixed"])
            if chain:
                found.append([(kind, pair), *(("fixed", link) for link in chain)])
    return found


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
