"""Which faces of two parts fit each other as they stand, as the YAML that names them in a mates file."""

from __future__ import annotations

import difflib
from dataclasses import replace

from cadbridge.assembly import Assembly, Instance
from cadbridge.errors import InputError
from cadbridge.readers import yaml_for_face
from cadbridge.recognition.contacts.contacts import Contact, Placed
from cadbridge.recognition.contacts.touching import find_contacts
from cadbridge.recognition.faces.parts import faces_of_parts
from cadbridge.units import TO_MM


def fits_text(assembly: Assembly, first: str, second: str) -> str:
    """The pairs of faces that meet between two instances (by name, last name, or name of the part), a pair a block.

    InputError with the nearest names where one is not there, or both are one.
    """
    ours, theirs = _named(assembly, first), _named(assembly, second)
    ours, theirs = [i for i in ours if i not in theirs or len(ours) == 1], [i for i in theirs if i not in ours]
    if not ours or not theirs:
        raise InputError(f"{first!r} and {second!r} are the same part; name two instances.")
    parts = {i.part for i in (*ours, *theirs)}
    # Contacts are found by what all surfaces share: the two alone take no longer in an assembly of thousands.
    small = replace(
        assembly,
        instances=tuple(dict.fromkeys((*ours, *theirs))),
        parts=tuple(p for p in assembly.parts if p.name in parts),
    )
    contacts = find_contacts(small, faces_of_parts(small.parts))
    names = {i.name for i in ours}
    across = [c for c in contacts.found if (c.a.instance in names) != (c.b.instance in names)]
    if not across:
        return f"# no faces of {first} and {second} meet"
    return "\n".join(line for c in across for line in _block(assembly, c))


def _named(assembly: Assembly, name: str) -> list[Instance]:
    exact = [i for i in assembly.instances if name == i.name]
    found = exact or [i for i in assembly.instances if name in (i.name.rsplit("/", 1)[-1], i.component, i.part)]
    if not found:
        known = {i.part for i in assembly.instances} | {i.name for i in assembly.instances}
        # Names of parts share long beginnings: more is offered than for words (0.6 by default).
        near = ", ".join(difflib.get_close_matches(name, sorted(known), n=5, cutoff=0.4))
        raise InputError(f"There is no part or instance {name!r}." + (f" Near it: {near}." if near else ""))
    return found


def _block(assembly: Assembly, c: Contact) -> list[str]:
    size = f"over {c.overlap * TO_MM**2:.4g} mm²" if c.kind == "plane" else f"radius {c.radius * TO_MM:.6g} mm"
    head = f"# {c.kind}, {size}, gap {c.gap * TO_MM:.4g} mm: {c.a.instance} - {c.b.instance}"
    return [head, f"- a: {_yaml(assembly, c.a)}", f"  b: {_yaml(assembly, c.b)}"]


def _yaml(assembly: Assembly, side: Placed) -> str:
    instance = assembly.instance(side.instance)
    component = assembly.component(instance.component)
    inner = instance.name.removeprefix(component.name + "/") if len(component.instances) > 1 else None
    shape = assembly.part(instance.part).shape
    assert shape is not None
    return yaml_for_face(component.name, inner, shape.faces[side.surface.faces[0]], shape.faces)
