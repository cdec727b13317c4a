#!/usr/bin/env python3
"""What each rule of recognition is worth: pairs found and mobility right with it left out, over sources with truths.

    python scripts/measure/evidence.py SOURCE TRUTH [SOURCE TRUTH ...]

A truth is a JSON document with `pairs` ({parts: [a, b], type}) or ({bodies: [a, b], type}) with `bodies`, and `dof`. A
pair is found where its two parts lie in two bodies with a joint of its type between them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cadbridge.recognition import read_bare
from cadbridge.recognition.evidence import Evidence, gather
from cadbridge.recognition.freedoms import freedoms
from cadbridge.recognition.hints import NO_HINTS
from cadbridge.recognition.inferring import infer
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.rules import RULES

SAME = {"continuous": "revolute", "hinge": "revolute", "ball": "spherical", "slider": "prismatic"}
Case = tuple[Evidence, dict[str, Any]]


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    if not arguments or len(arguments) % 2:
        sys.exit(str(__doc__))
    cases = [
        (gather(read_bare(source), True), json.loads(Path(truth).read_text(encoding="utf-8")))
        for source, truth in zip(arguments[::2], arguments[1::2], strict=True)
    ]
    print(table(cases))


def table(cases: Sequence[Case]) -> str:
    """The rows: with all rules, then without each."""
    lines = ["| left out | pairs found | given | mobility right |", "|---|---|---|---|", row("nothing", cases, RULES)]
    for left in RULES:
        lines.append(row(left.name, cases, [rule for rule in RULES if rule is not left]))
    return "\n".join(lines)


def row(name: str, cases: Sequence[Case], rules: Sequence[Any]) -> str:
    """One row: pairs found of those of the truths, joints given, and mobilities that are right."""
    found = true = given = right = 0
    for evidence, truth in cases:
        inferred = infer(evidence, NO_HINTS, rules)
        found += pairs_found(inferred, truth)
        true += len(truth["pairs"])
        given += len(inferred.joints)
        right += freedoms(inferred) == truth["dof"]
    return f"| {name} | {found} of {true} | {given} | {right} of {len(cases)} |"


def pairs_found(found: Recognition, truth: dict[str, Any]) -> int:
    """How many pairs of the truth are joints of their type between the bodies of their parts."""
    names = {plain(n): c["name"] for c in truth["components"] for n in (c["name"], *c["aliases"])}
    where = {names.get(plain(n), n): k for k, body in enumerate(found.bodies) for n in body.instances}
    members = {b["name"]: b["components"] for b in truth["bodies"]}
    joints = {(frozenset((j.a, j.b)), j.type) for j in found.joints}
    count = 0
    for pair in truth["pairs"]:
        ends = [[part] for part in pair["parts"]] if "parts" in pair else [members[b] for b in pair["bodies"]]
        sides = [{where[c] for c in end if c in where} for end in ends]
        kind = SAME.get(pair["type"], pair["type"])
        count += any((frozenset((a, b)), kind) in joints for a in sides[0] for b in sides[1] if a != b)
    return count


def plain(name: str) -> str:
    """The letters and digits of a name."""
    return "".join(c for c in name if c.isalnum()).lower()


if __name__ == "__main__":
    main(sys.argv[1:])
