#!/usr/bin/env python3
"""What each rule of recognition is worth: it is left out over sources with their truths.

    python scripts/measure/ablation.py FOLDER [NAME ...] [--truths FOLDER] [--write]

FOLDER holds the sources, as scripts/measure/machines.py says, which also says when a pair is found. Left out are, one
by one, the rules of `recognition.rules` and the signs of `recognition.whole`, each over the sources in which it does
anything. Printed are, over all sources, pairs found, joints given, sources with the right mobility, and sources that
change. What changes none is named below the table. `--write` puts it into docs/recognition.md.
"""

from __future__ import annotations

import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from truths import Truth, arguments_of, judge, with_sources

from cadbridge.recognition import inferring, mates_text, read_bare, rules, whole
from cadbridge.recognition.choosing import settled
from cadbridge.recognition.evidence import Evidence, gather
from cadbridge.recognition.hints import NO_HINTS

DOCS = Path(__file__).resolve().parents[2] / "docs" / "recognition.md"
HEAD = "| left out | found | given | mobility right | changed |\n|---|---|---|---|---|\n"
LAST = "Without effect on these: "
TABLES = ("RULES", "MOVES_NOTHING", "SIGNS")
"""The tables of which each row is left out."""

Score = tuple[int, int, bool, str]
"""Of a source: pairs found and given, whether the mobility is right, the mates file."""


def main(arguments: list[str]) -> None:
    parser = arguments_of(str(__doc__))
    parser.add_argument("--write", action="store_true", help="put the table into docs/recognition.md")
    told = parser.parse_intermixed_args(arguments)
    known, base, acted = {}, {}, defaultdict(set)
    for file, truth in with_sources(told):
        source = truth.name
        known[source] = gather(read_bare(file), True), truth
        seen: set[str] = set()
        with tables(lambda entry, seen=seen: noting(entry, seen)):
            base[source] = score(*known[source])
        for name in seen:
            acted[name].add(source)
    rows, idle = [row("nothing", base, base)], []
    for entry in [entry for name in TABLES for entry in getattr(whole if name == "SIGNS" else rules, name)]:
        with tables(lambda other, out=entry.name: None if other.name == out else other):
            left = {**base, **{source: score(*known[source]) for source in sorted(acted[entry.name])}}
        if all(left[source][3] == own[3] for source, own in base.items()):
            idle.append(entry.name)
        else:
            rows.append(row(entry.name, left, base))
            print(rows[-1], file=sys.stderr, flush=True)
    table = HEAD + "\n".join(rows) + "\n\n" + textwrap.fill(f"{LAST}{'; '.join(idle)}.", 120) + "\n"
    print(table)
    if told.write:
        text = DOCS.read_text(encoding="utf-8")
        start = text.index(HEAD)
        end = text.index(".\n", text.index(LAST, start)) + 2
        DOCS.write_text(text[:start] + table + text[end:], encoding="utf-8")


@contextmanager
def tables(change: Any) -> Iterator[None]:
    """All tables with each row as `change` makes it, without those of which it makes nothing."""
    users = [(m, name, getattr(m, name)) for m in (rules, whole, inferring) for name in TABLES if hasattr(m, name)]
    try:
        for module, name, table in users:
            setattr(module, name, tuple(filter(None, map(change, table))))
        yield
    finally:
        for module, name, table in users:
            setattr(module, name, table)


def noting(entry: Any, seen: set[str]) -> Any:
    """A row that notes its name where it does anything."""
    if isinstance(entry, whole.Sign):

        def find(*given: Any) -> Any:
            found = entry.find(*given)
            seen.update([] if found is None else [entry.name])
            return found

        return replace(entry, find=find)

    def apply(run: rules.Inference) -> None:
        before = done(run)
        entry.apply(run)
        seen.update([] if done(run) == before else [entry.name])

    return replace(entry, apply=apply)


def done(run: rules.Inference) -> tuple[int, ...]:
    scene = run.scene
    sizes: tuple[Sized, ...] = (run.turning, scene.driven, scene.rolling, scene.on_shafts, scene.idle_horns)
    return scene.groups.count, *map(len, sizes)


def score(evidence: Evidence, truth: Truth) -> Score:
    """What is found of a source, held against its truth."""
    found = settled(evidence, NO_HINTS)
    held = judge(found, truth)
    return held.found, held.given, held.freedoms == held.true_freedoms, mates_text(found)


def row(name: str, left: dict[str, Score], base: dict[str, Score]) -> str:
    pairs, given, right = (sum(s[k] for s in left.values()) for k in range(3))  # type: ignore[misc]
    changed = sum(left[source][3] != own[3] for source, own in base.items())
    return f"| {name} | {pairs} | {given} | {right} | {changed or ''} |"


if __name__ == "__main__":
    main(sys.argv[1:])
