#!/usr/bin/env python3
"""What each rule of recognition is worth: it is left out over sources with their truths.

    python scripts/measure/ablation.py FOLDER [NAME ...] [--truths FOLDER] [--write]

FOLDER holds the sources, as scripts/measure/machines.py says, which also says when a pair is found. Left out are, one
by one, the rules of `rules/table.py`, the signs of `rules/whole.py`, and `PARTS`, what rules and verdicts are made of;
each over the sources in which it does anything. Printed are, over all sources, pairs found, joints given, sources with
the right mobility and with the right bodies, and sources that change. What changes none is named below the table.
`--write` puts it into docs/recognition-measured.md.
"""

from __future__ import annotations

import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator, Sized
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import GeneratorType
from typing import Any

from truths import Truth, arguments_of, judge, with_sources

from cadbridge.recognition import mates_text, read_bare
from cadbridge.recognition.choice import choosing, inferring
from cadbridge.recognition.evidence.gathering import Evidence, gather
from cadbridge.recognition.hints import NO_HINTS
from cadbridge.recognition.rules import table as rules
from cadbridge.recognition.rules import whole

DOCS = Path(__file__).resolve().parents[2] / "docs" / "recognition-measured.md"
HEAD = "| left out | found | given | mobility right | bodies right | changed |\n|---|---|---|---|---|---|\n"
LAST = "Without effect on these: "
ROOM = "cadbridge.recognition."
TABLES = ("RULES", "MOVES_NOTHING", "SIGNS")
"""The tables of which each row is left out."""

Score = tuple[int, int, bool, bool, str]
"""Of a source: pairs found and given, whether mobility and bodies are right, the mates file."""


def nothing(*_: Any) -> tuple[Any, ...]:
    return ()


def none(*_: Any) -> None:
    return None


def no(*_: Any) -> bool:
    return False


def as_it_is(_: Any, given: Any, *__: Any) -> Any:
    return given


PARTS: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("the lines on which bolts hold", "choice.inferring.bolt_lines", nothing),
    ("a bolt through the plane between two parts", "evidence.bolts._Crossing.by", nothing),
    ("a pin through both", "evidence.pins._through", nothing),
    ("holes that meet", "evidence.pins._meeting", nothing),
    ("a shaft in a much wider hole", "evidence.pins._loosely", nothing),
    ("rounded ends about holes of one radius", "evidence.pins._eyes", nothing),
    ("bearings that are not drawn", "evidence.pins.bearing_seats", nothing),
    ("one line of what touches nothing", "rules.beside.in_line", none),
    ("rods with room in their bores", "choice.inferring.wide_bores", nothing),
    ("what goes round far enough to hold a shaft", "contacts.guides._holds", lambda *_: True),
    ("a rounded corner that fits", "contacts.judging._corner", none),
    ("guide rods in short bores", "contacts.judging._long_rod", no),
    ("a telescope", "contacts.one_line.telescope", no),
    ("a piston", "contacts.one_line.piston", no),
    ("a plunger at the bottom of its bore", "contacts.one_line._bottoms", no),
    ("flat faces that stop a turn", "contacts.one_line._stops_turn", no),
    ("a collar too short to guide", "contacts.one_line._stubby", no),
    ("walls all round", "contacts.walls._channel", none),
    ("walls on both sides of a floor", "contacts.walls._slide", none),
    ("a slot through a part", "contacts.walls._slot", none),
    ("walls that a slot interrupts", "contacts.walls._in_one_plane", lambda planes: list(planes)),
    ("a lone roller is no plunger", "evidence.candidates._roller", lambda *given: given[-1]),
    ("teeth that mesh hold no hinge", "evidence.candidates._unlocked", lambda _, found, *__: list(found)),
    ("a pin has one partner", "rules.joints._one_partner", as_it_is),
    ("ends that are flush", "rules.joints._flush", lambda *_: 0),
    ("names that leave the spin of pins free", "rules.joints.spins_count", no),
    ("bearings and bushes of one part", "rules.bearings.bearings_of", lambda _: {}),
    ("bearings without balls", "rules.bearings._nested", nothing),
    ("two equal supports of a rod", "rules.guide_rods._supports", lambda *_: []),
    ("a case with an output", "rules.actuators._case", none),
    ("a horn of a part of its own", "rules.actuators._horn", none),
    ("a horn beside what it carries", "rules.subassemblies.beside_horn", none),
    ("a motor whose other face turns", "rules.actuators._flat_motor", no),
    ("the flat of a motor's shaft", "rules.motors._keyed", lambda *_: {}),
    ("a case screwed down about its shaft", "rules.motors._screwed_about", no),
    ("a case goes with its pilot", "rules.motors._hold_case", none),
    ("a wheel's tyre, rim and cap", "rules.motors._hold_wheel", none),
    ("a drum on its thin stub", "rules.bodies._pressed", no),
    ("what is balanced spins", "evidence.spinning._balanced", no),
    ("a slim head of any form", "rules.seated._slim", no),
    ("a disc between two", "rules.between._disc", no),
    ("what fits the line of a joint", "rules.between._fitted", nothing),
    ("what reaches into another about one line", "rules.turntables._sunk", none),
    ("a shaft beside the axis of its bore", "rules.turntables.drawn_beside", none),
    ("a shaft on the axis of a wider hole", "rules.axles.journal", none),
    ("what is of one sub-assembly", "rules.whole._of_one_assembly", nothing),
    ("what reaches into another", "rules.whole._reaching", nothing),
    ("what holds the axes of wheels that mesh", "rules.whole.bind_carriers", none),
    ("what turns in bearings is tied last", "rules.whole._turning", lambda *_: set()),
    ("wheels that touch nothing", "rules.table.bind_wheels", lambda _, groups, *__, **___: list(groups)),
    ("wheels that mesh and have no shaft", "rules.table.hinge_wheels", lambda _, groups, *__: (list(groups), [])),
    ("what is near, of what touches nothing", "rules.table.bind_beside", lambda _, groups, *__: (list(groups), [])),
    ("rails of one carriage are one body", "rules.table.bind_rails", none),
    ("hinges in loops", "choice.inferring.pivots_in_loops", nothing),
    ("a hub on the end of a shaft", "choice.inferring.with_hubs", as_it_is),
    ("what would only spin is in doubt", "choice.inferring.with_idle", as_it_is),
    ("what cannot move is a weld", "choice.choosing.proved", lambda found, *_: (found, [])),
    ("halves of one link", "choice.proving._halves", no),
    ("a third body moves out of the way", "choice.sweep._held", lambda *given: given[-1]),
    ("what is made to move by its name", "choice.choosing.movers", nothing),
    ("as many degrees of freedom as drives", "choice.choosing.drives_of", lambda *_: 0),
)
"""What else is left out: its name, where it is, and what is in its place."""


def main(arguments: list[str]) -> None:
    parser = arguments_of(str(__doc__))
    parser.add_argument("--write", action="store_true", help="put the table into docs/recognition-measured.md")
    told = parser.parse_intermixed_args(arguments)
    known, base, acted = {}, {}, defaultdict(set)
    for file, truth in with_sources(told):
        source = truth.name
        known[source] = gather(read_bare(file), True), truth
        seen: set[str] = set()
        with tables(lambda entry, seen=seen: noting(entry, seen)), ExitStack() as parts:
            for part in PARTS:
                parts.enter_context(instead(part, seen))
            base[source] = score(*known[source])
        for name in seen:
            acted[name].add(source)
    rows, idle = [row("nothing", base, base)], []
    entries = [entry.name for name in TABLES for entry in getattr(whole if name == "SIGNS" else rules, name)]
    of_part = {part[0]: part for part in PARTS}
    for out in [*entries, *of_part]:
        change = instead(of_part[out]) if out in of_part else tables(lambda e, out=out: None if e.name == out else e)
        with change:
            left = {**base, **{source: score(*known[source]) for source in sorted(acted[out])}}
        if all(left[source][-1] == own[-1] for source, own in base.items()):
            idle.append(out)
        else:
            rows.append(row(out, left, base))
            print(rows[-1], file=sys.stderr, flush=True)
    table = HEAD + "\n".join(rows) + "\n\n" + textwrap.fill(f"{LAST}{'; '.join(idle)}.", 120) + "\n"
    print(table)
    if told.write:
        text = DOCS.read_text(encoding="utf-8")
        start = text.index(HEAD)
        end = text.index(".\n", text.index(LAST, start)) + 2
        DOCS.write_text(text[:start] + table + text[end:], encoding="utf-8")


@contextmanager
def instead(part: tuple[str, str, Callable[..., Any]], seen: set[str] | None = None) -> Iterator[None]:
    """One of `PARTS` with what stands in its place; with `seen` itself, which notes there where the two differ."""
    name, where, stand_in = part
    room, module, *owner, attribute = where.split(".")
    home = sys.modules[f"{ROOM}{room}.{module}"]
    # By its own name in each module that imports it.
    users = [getattr(home, owner[0])] if owner else [m for n, m in sys.modules.items() if n.startswith(ROOM)]
    own = getattr(users[0] if owner else home, attribute)
    users = [user for user in users if getattr(user, attribute, None) is own]

    def noted(*given: Any, **more: Any) -> Any:
        assert seen is not None
        before = scene_of(given)
        found = own(*given, **more)
        found = list(found) if isinstance(found, GeneratorType) else found
        other = stand_in(*given, **more)
        same = found is other or (type(found) is type(other) and found == other) or (not found and not other)
        seen.update([] if same and scene_of(given) == before else [name])
        return found

    for user in users:
        setattr(user, attribute, stand_in if seen is None else noted)
    try:
        yield
    finally:
        for user in users:
            setattr(user, attribute, own)


def scene_of(given: tuple[Any, ...]) -> tuple[int, ...]:
    """What may change of a scene that is given first, if one is."""
    scene = getattr(given[0], "scene", given[0]) if given else None
    return made(scene) if hasattr(scene, "idle_horns") else ()


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
    return len(run.turning), *made(run.scene)


def made(scene: Any) -> tuple[int, ...]:
    sizes: tuple[Sized, ...] = (scene.driven, scene.rolling, scene.on_shafts, scene.idle_horns)
    return scene.groups.count, *map(len, sizes)


def score(evidence: Evidence, truth: Truth) -> Score:
    """What is found of a source, held against its truth."""
    found = choosing.settled(evidence, NO_HINTS)
    held = judge(found, truth)
    return held.found, held.given, held.freedoms == held.true_freedoms, held.bodies_right, mates_text(found)


def row(name: str, left: dict[str, Score], base: dict[str, Score]) -> str:
    sums = [str(sum(s[k] for s in left.values())) for k in range(4)]  # type: ignore[misc]
    changed = sum(left[source][-1] != own[-1] for source, own in base.items())
    return f"| {name} | {' | '.join(sums)} | {changed or ''} |"


if __name__ == "__main__":
    main(sys.argv[1:])
