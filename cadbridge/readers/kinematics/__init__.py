"""Kinematics of STEP files (ISO 10303-105, in AP214 and AP242): links, joints and pairs as mates and couplings.

Read from the Part 21 text, because OCCT loads these entities without their attributes. Two editions exist: in
the first (AP214) joints and links have no names and ranges are entities of their own; in the second (AP242) links
and joints are vertices and edges of a graph, and ranges are attributes of the pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from cadbridge.assembly import Assembly, Coupling, Mate
from cadbridge.findings import Findings, Where
from cadbridge.readers.kinematics.links import LinkPlaces, read_links, regrouped
from cadbridge.readers.kinematics.pairs import PAIRS, read_pair, read_ranges
from cadbridge.readers.kinematics.units import ContextUnits, units_of
from cadbridge.shapes.text21 import Part21Error, Ref, Text
from cadbridge.units import ANGLE, LENGTH
from cadbridge.wording import count

__all__ = ["with_kinematics"]


def with_kinematics(assembly: Assembly, data: bytes, path: Path) -> Assembly:
    """The assembly of a STEP file with the mates and couplings that its own text holds.

    Every link that a pair needs becomes a component (an occurrence of any level with all in it), the base is
    grounded. What is not understood is in the findings.
    """
    # Most STEP files have no kinematics, and a search for bytes is far cheaper than a scan of the whole text.
    if b"_PAIR" not in data or b"KINEMATIC_JOINT" not in data:
        return assembly
    findings, text = Findings(), Text(data)
    try:
        links = read_links(text, assembly, path, findings)
        ranges = read_ranges(text)
    except (Part21Error, ArithmeticError) as error:
        findings.add("CB781", f"the kinematics cannot be read: {error}", Where(file=str(path)))
        pairs = len(text.numbers_of(*PAIRS))
        return replace(assembly, mates_in_file=pairs).with_findings(findings.as_tuple())
    mates: list[Mate] = []
    couplings: list[Coupling] = []
    numbers = text.numbers_of(*PAIRS)
    taken: set[str] = set()
    for number in numbers:
        try:
            entity = text.get(number)
            made = read_pair(text, entity, links, ranges.get(number), units_of(text, number), taken, findings)
        except (Part21Error, ArithmeticError) as error:
            name = _name_of(text, number)
            findings.add("CB781", f"the pair {name} cannot be read: {error}", Where(file=str(path), item=name))
            continue
        if isinstance(made, Coupling):
            couplings.append(made)
        elif isinstance(made, str):
            links.grounded.add(made)
        else:
            mates += made
    pairs = len(numbers) + _report_joints_without_pair(text, numbers, path, findings)
    units = {units_of(text, number) for number in numbers}
    return _assembled(assembly, links, mates, couplings, pairs, units, path, findings)


def _unit(names: Mapping[str, float], size: float) -> str:
    """The shortest name of a unit of so many metres or radians; the number itself where it has none."""
    # A unit by its factor: files write it with nine digits and more.
    found = [name for name, value in names.items() if math.isclose(value, size, rel_tol=1e-9)]
    return min(found, key=len, default=f"{size:g}")


def _report_joints_without_pair(text: Text, pairs: Iterable[int], path: Path, findings: Findings) -> int:
    """Joints that none of the pairs is of: their pair is missing, or of a type that no edition has. How many."""
    used: set[int] = set()
    for number in pairs:
        with suppress(Part21Error):  # reported with the pair itself
            used.update(int(a) for part in text.get(number).parts.values() for a in part if isinstance(a, Ref))
    alone = [number for number in text.numbers_of("KINEMATIC_JOINT") if number not in used]
    for number in alone:
        name = _name_of(text, number)
        findings.add("CB781", f"the joint {name} has no pair that is known", Where(file=str(path), item=name))
    return len(alone)


def _name_of(text: Text, number: int) -> str:
    """What a pair or joint is called, with its number; that alone where its text cannot be read."""
    with suppress(Part21Error):
        words = [a.strip() for part in text.get(number).parts.values() for a in part if isinstance(a, str)]
        return f"{next(filter(None, words), '')} #{number}".strip()
    return f"#{number}"


def _assembled(
    assembly: Assembly, links: LinkPlaces, mates: list[Mate], couplings: list[Coupling], pairs: int,
    units: set[ContextUnits], path: Path, findings: Findings,
) -> Assembly:  # fmt: skip
    ledger = [f"pairs: {_unit(LENGTH, u.length)} and {_unit(ANGLE, u.angle)} → m and rad" for u in units]
    done = replace(
        assembly,
        components=regrouped(assembly, links),
        mates=tuple(mates),
        couplings=tuple(couplings),
        mates_in_file=pairs,
        units=(*assembly.units, *sorted(ledger)),
    )
    component_of = {name: c.name for c in done.components for name in c.instances}
    instances = tuple(replace(i, component=component_of.get(i.name, i.component)) for i in done.instances)
    made = f"{count(len(mates), 'mate')} and {count(len(couplings), 'coupling')}"
    message = f"{made} of {count(pairs, 'pair')} in the file's own kinematics"
    findings.add("CB780", message, Where(file=str(path)))
    return replace(done, instances=instances).with_findings(findings.as_tuple())
