"""A source that has mates of its own: they rule, and recognition fills in only what none of them names.

Both together would say each joint twice, from two sides: rows that contradict each other by the clearances.
"""

from __future__ import annotations

from dataclasses import replace

from cadbridge.assembly import Assembly
from cadbridge.findings import Findings
from cadbridge.recognition.model import FoundBody, FoundJoint, Recognition
from cadbridge.wording import count


def beside_own(found: Recognition) -> Recognition:
    """What was recognised of the components that no mate of the source names; all of it where it has no mates."""
    assembly = found.assembly
    if not assembly.mates:
        return found
    held = _held(assembly)
    bodies, index = _split(found, held)
    joints = tuple(
        replace(j, a=index[j.a], b=index[j.b])
        for j in found.joints if not (_names_own(found.bodies[j.a], held) and _names_own(found.bodies[j.b], held))
    )  # fmt: skip
    grounded = {name for c in assembly.components if c.grounded for name in c.instances}
    # What the source grounds stands still, whatever looks like a base: two grounds would lock what is between.
    ground = next((i for i, body in enumerate(bodies) if grounded & set(body.instances)), index[found.ground])
    findings = Findings(found.findings)
    findings.add("CB1613", _message(assembly, bodies, joints, held), items=sorted(set(held.values())))
    return replace(
        found, bodies=bodies, joints=joints, ground=ground, gears=(), rejected=(), findings=findings.as_tuple()
    )


def _held(assembly: Assembly) -> dict[str, str]:
    """The instances of the components that mates of the source name, or that it grounds, each with its component."""
    named = {feature.component for m in assembly.mates for feature in (m.a, m.b)}
    return {
        name: component.name
        for component in assembly.components if component.name in named or component.grounded
        for name in component.instances
    }  # fmt: skip


def _names_own(body: FoundBody, held: dict[str, str]) -> bool:
    return any(name in held for name in body.instances)


def _split(found: Recognition, held: dict[str, str]) -> tuple[tuple[FoundBody, ...], dict[int, int]]:
    """The bodies with each component that the source's mates hold in one of its own, and where each body is now.

    What no mate names stays with the first of them that its body has.
    """
    bodies: list[FoundBody] = []
    index: dict[int, int] = {}
    for i, body in enumerate(found.bodies):
        index[i] = len(bodies)
        own = dict.fromkeys(held[name] for name in body.instances if name in held)
        first = next(iter(own), None)
        bodies.append(_of(body, tuple(n for n in body.instances if held.get(n, first) == first)))
        for component in list(own)[1:]:
            bodies.append(_of(body, tuple(n for n in body.instances if held.get(n) == component)))
    return tuple(bodies), index


def _of(body: FoundBody, instances: tuple[str, ...]) -> FoundBody:
    name = body.name if body.name in instances else instances[0]
    inside = (b for b in body.bonds if b.instance in instances and (b.to is None or b.to in instances))
    return FoundBody(name, instances, tuple(inside))


def _message(
    assembly: Assembly, bodies: tuple[FoundBody, ...], joints: tuple[FoundJoint, ...], held: dict[str, str]
) -> str:
    bound = sum(name not in held for body in bodies if len(body.instances) > 1 for name in body.instances)
    own = f"the source has {count(len(assembly.mates), 'mate')} of its own"
    if not joints and not bound:
        return f"{own}; nothing else was recognised"
    return f"{own}; recognised besides: {count(len(joints), 'joint')}, {count(bound, 'part')} bound to others"
