"""A source that has mates of its own: they rule, and recognition fills in only what none of them names.

Both together would say each joint twice, from two sides: rows that contradict each other by the clearances.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from cadbridge.assembly import Assembly
from cadbridge.findings import Findings
from cadbridge.recognition.choice.hint_names import resolved, wholes_of
from cadbridge.recognition.choice.hypotheses import parts_of
from cadbridge.recognition.choice.reporting import IN_SHORT, in_short
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.model import Bond, FoundBody, FoundJoint, Recognition
from cadbridge.wording import count, listed

WHOLE = "of one component, which mates of the source hold as a whole"
HOLDS = {"CB1486", "CB1602", "CB1614", "CB1658"}
"""Findings on what a part is bound to, as far as geometry says."""


def beside_own(found: Recognition) -> Recognition:
    """What was recognised of the components that no mate of the source names; all of it where it has no mates.

    Its mobility is not known here: what the mates of the source leave free is counted with them.
    """
    assembly = found.assembly
    if not assembly.mates:
        return found
    held = _held(assembly)
    bodies = _bodies(found, held)
    where = {name: k for k, body in enumerate(bodies) for name in body.instances}
    joints = _joints(found, where, {where[name] for name in held})
    grounded = {name for c in assembly.components if c.grounded for name in c.instances}
    # What the source grounds stands still, whatever looks like a base: two grounds would lock what is between.
    ground = where[min(grounded, default=found.bodies[found.ground].name)]
    own = replace(
        found, bodies=bodies, joints=joints, ground=ground, gears=(), rejected=(), freedoms=None, momentary=0,
        spins=0, spinning=(), turned=(),
    )  # fmt: skip
    left = {k for k in found.findings if k.code in IN_SHORT or (k.code in HOLDS and held.keys() >= set(k.items))}
    findings = Findings((*in_short(own), *(k for k in found.findings if k not in left)))
    findings.add("CB1613", _message(own, len(found.joints) - len(joints), held), items=sorted(set(held.values())))
    if idle := _without_effect(own, held):
        findings.add("CB1661", f"without effect beside the mates of the source: {listed(idle)}", items=idle)
    return replace(own, findings=findings.as_tuple())


def _held(assembly: Assembly) -> dict[str, str]:
    """The instances of the components that mates of the source name, or that it grounds, each with its component."""
    named = {feature.component for m in assembly.mates for feature in (m.a, m.b)}
    return {
        name: component.name
        for component in assembly.components if component.name in named or component.grounded
        for name in component.instances
    }  # fmt: skip


def _bodies(found: Recognition, held: Mapping[str, str]) -> tuple[FoundBody, ...]:
    """Each component that the source's mates hold as a body, with the parts that the surest bonds bind to it."""
    groups = Groups(name for body in found.bodies for name in body.instances)
    first: dict[str, str] = {}
    for name, component in held.items():
        groups.join(first.setdefault(component, name), name)
    roots = {groups.root(name) for name in first.values()}
    kept = [Bond(name, first[c], WHOLE, 1.0) for name, c in held.items() if name != first[c]]
    for bond in sorted((b for body in found.bodies for b in body.bonds), key=lambda b: -b.confidence):
        ends = {groups.root(name) for name in (bond.instance, bond.to or bond.instance)}
        if not ends <= roots:
            groups.join(bond.instance, bond.to or bond.instance)
            roots |= {groups.root(bond.instance)} if ends & roots else set()
            kept.append(bond)
    return tuple(_body(found, tuple(names), kept) for names in groups.members().values())


def _body(found: Recognition, names: tuple[str, ...], bonds: Collection[Bond]) -> FoundBody:
    name = next((body.name for body in found.bodies if body.name in names), names[0])
    return FoundBody(name, names, tuple(b for b in bonds if {b.instance, b.to or b.instance} <= set(names)))


def _joints(found: Recognition, where: Mapping[str, int], named: Collection[int]) -> tuple[FoundJoint, ...]:
    """The joints of which the source's mates hold one side at most, between the bodies of the parts that show them."""
    joints = []
    for j in found.joints:
        a, b = (where[name] for name in parts_of(found, j))
        if a != b and not (a in named and b in named):
            joints.append(replace(j, a=a, b=b))
    return tuple(joints)


def _without_effect(own: Recognition, held: Collection[str]) -> list[str]:
    """The hints that do nothing: on parts that mates of the source hold, a ground beside theirs, the mobility."""
    wholes = wholes_of(own.assembly, own.hints)
    part = {name: next((n for n in inner if n in held), inner[0]) for name, inner in wholes.items()}
    said = tuple(
        replace(h, pair=(part.get(h.pair[0], h.pair[0]), part.get(h.pair[1], h.pair[1]))) for h in own.hints.said
    )
    ground = None if own.hints.ground is None else part.get(own.hints.ground, own.hints.ground)
    hints, _ = resolved(own.assembly, replace(own.hints, said=said, ground=ground))
    named = {inner: name for name, inner in part.items()}
    where = own.body_of
    joined = {frozenset((j.a, j.b)) for j in own.joints}
    idle = []
    for hint in hints.said:
        a, b = (where[name] for name in hint.pair)
        as_said = {"joint": frozenset((a, b)) in joined, "fixed": a == b, "apart": not set(hint.pair) <= set(held)}
        shown = replace(hint, pair=(named.get(hint.pair[0], hint.pair[0]), named.get(hint.pair[1], hint.pair[1])))
        idle += [] if as_said[hint.kind] else [str(shown)]
    if hints.ground is not None and where[hints.ground] != own.ground:
        idle.append(f"ground: {named.get(hints.ground, hints.ground)}")
    return [*idle, *([f"freedoms: {hints.freedoms}"] if hints.freedoms is not None else [])]


def _message(own: Recognition, left_out: int, held: Mapping[str, str]) -> str:
    bound = sum(name not in held for body in own.bodies if len(body.instances) > 1 for name in body.instances)
    text = f"the source has {count(len(own.assembly.mates), 'mate')} of its own"
    if own.joints or bound:
        text += f"; recognised besides: {count(len(own.joints), 'joint')}, {count(bound, 'part')} bound to others"
    else:
        text += "; nothing else was recognised"
    # A sub-assembly that a mate holds as a whole may move inside.
    return (
        f"{text}; left out: {count(left_out, 'joint')} in or between the components that they name"
        if left_out
        else text
    )
