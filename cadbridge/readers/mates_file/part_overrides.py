"""Properties of parts by patterns on the names of parts and instances: what collides, and what is left out."""

from __future__ import annotations

from dataclasses import replace

from cadbridge.assembly import GROUND, Coupling, Instance
from cadbridge.readers.mates_file.draft import Draft, last, wildcard
from cadbridge.readers.mates_file.schema import PartSpec

_NAMED = 6
"""Names that a message gives; all of them are the finding's items."""


def override_parts(draft: Draft) -> None:
    """Apply the lines in their order, so that a later one wins."""
    for index, spec in enumerate(draft.spec.parts):
        fits = wildcard(spec.parts)
        found = [i for i in draft.instances.values() if any(fits(n) for n in (i.name, last(i.name), i.part))]
        bare = [c.name for c in draft.components.values() if not c.instances and fits(c.name)] if spec.ignore else []
        if not found and not bare:
            known = [*draft.parts, *draft.instances, *(c.name for c in draft.components.values() if not c.instances)]
            where = draft.place("parts", index, "parts")
            draft.findings.add("CB151", f"no part fits {spec.parts!r}{draft.near(spec.parts, known)}", where)
        elif spec.ignore:
            _ignore(draft, index, found, bare)
        else:
            _collide(draft, spec, found)


def _collide(draft: Draft, spec: PartSpec, found: list[Instance]) -> None:
    """What collides is given for parts; where only some instances of one fit, these get a part of their own."""
    names = {instance.name for instance in found}
    for part in dict.fromkeys(instance.part for instance in found):
        changed = replace(draft.parts[part], collision=spec.collision)
        others = [i for i in draft.instances.values() if i.part == part and i.name not in names]
        if not others:
            draft.parts[part] = changed
            continue
        own, number = f"{part} ({spec.collision})", 1
        while own in draft.parts:
            number += 1
            own = f"{part} ({spec.collision} {number})"
        draft.parts[own] = replace(changed, name=own)
        for instance in found:
            if instance.part == part:
                draft.instances[instance.name] = replace(instance, part=own)


def _ignore(draft: Draft, index: int, found: list[Instance], bare: list[str]) -> None:
    """Take instances out; components left with none go too, as do `bare` ones, with all that refers to them."""
    names = {instance.name for instance in found}
    for name in names:
        del draft.instances[name]
    used = {instance.part for instance in draft.instances.values()}
    draft.parts = {name: part for name, part in draft.parts.items() if name in used}
    gone = {c.name for c in draft.components.values() if c.instances and set(c.instances) <= names} | {*bare}
    names |= gone
    draft.replace_components(
        replace(c, instances=tuple(i for i in c.instances if i not in names))
        for c in draft.components.values()
        if c.name not in gone
    )
    lost = [m.name for m in draft.mates if gone & {m.a.component, m.b.component}]
    joints = {*lost, *(m.joint_name for m in draft.mates if m.name in lost and m.joint_name)}
    draft.mates = [m for m in draft.mates if m.name not in lost]
    left = [c.name for c in draft.couplings if _speaks_of(c, gone, joints)]
    draft.couplings = [c for c in draft.couplings if c.name not in left]
    draft.frames = [f for f in draft.frames if f.component == GROUND or f.component not in gone]
    assembly = draft.assembly
    kept = tuple(d for d in assembly.drives if d.joint not in joints)
    left += [d.name for d in assembly.drives if d not in kept]
    home = {name: value for name, value in assembly.home.items() if name not in joints}
    draft.assembly = replace(assembly, drives=kept, home=home)
    some = ", ".join(sorted(names)[:_NAMED]) + (" …" if len(names) > _NAMED else "")
    message = f"ignored: {some}"
    if lost or left:
        message += (
            f"; with them go {', '.join([*lost, *left][:_NAMED])}{' …' if len(lost) + len(left) > _NAMED else ''}"
        )
    draft.findings.add("CB1470", message, draft.place("parts", index, "parts"), items=sorted(names))


def _speaks_of(coupling: Coupling, components: set[str], joints: set[str]) -> bool:
    """Whether a coupling needs a component or a joint that is gone."""
    held = {f.component for f in (coupling.a, coupling.b) if f is not None} | {coupling.carrier}
    named = {*(coupling.joints or ()), *(name for name, _ in coupling.factors)}
    return bool(held & components or named & joints)
