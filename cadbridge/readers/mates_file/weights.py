"""Densities, materials and mass overrides of the file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cadbridge.assembly import MassOverride, Part
from cadbridge.findings import Where
from cadbridge.mass.declared import impossible
from cadbridge.readers.materials import find_material, names
from cadbridge.readers.mates_file.draft import Draft, wildcard
from cadbridge.readers.mates_file.schema import MassSpec
from cadbridge.wording import listed


def set_densities(draft: Draft) -> None:
    """Densities by pattern, the last that fits; then the file's own materials for parts that name them."""
    own: dict[str, float] = {}
    for name, given in draft.spec.materials.items():
        if own.setdefault(name.casefold(), given.density) != given.density:
            message = f"the material {name!r} is given twice, with other letters large; the first holds"
            draft.findings.add("CB143", message, draft.place("materials", name))
    for index, spec in enumerate(draft.spec.density):
        where = draft.place("density", index)
        fits = wildcard(spec.parts)
        found = [name for name in draft.parts if fits(name)]
        if not found:
            near = draft.near(spec.parts, draft.parts)
            draft.findings.add("CB151", f"no part fits {spec.parts!r}{near}", where)
        density, source = spec.density, f"mates file: line {where.line}"
        if spec.material is not None:
            known = _known(draft, spec.material, own, draft.place("density", index, "material"))
            if known is None:
                continue
            density, source = known[0], f"{source} ({known[1]})"
        for name in found:
            part = draft.parts[name]
            material = spec.material or part.material
            draft.parts[name] = replace(part, density=density, density_source=source, material=material)
        _report_declared(draft, [name for name in found if _declares(draft.parts[name])], where)
    for name, part in draft.parts.items():
        if part.density is None and part.material and part.material.casefold() in own:
            source = f"mates file: material {part.material}"
            draft.parts[name] = replace(part, density=own[part.material.casefold()], density_source=source)


def _declares(part: Part) -> bool:
    """Whether a part has the mass that its source declares, whatever its density."""
    return part.weightless or (part.declared is not None and impossible(part.declared) is None)


def _report_declared(draft: Draft, parts: list[str], where: Where) -> None:
    """Report a density of parts that declare a mass (CB1472), but for those whose mass the file gives, too."""
    given = {spec.part for spec in draft.spec.mass}
    parts = [name for name in parts if name not in given]
    if parts:
        masses = ((name, draft.parts[name].declared) for name in parts)
        owners = listed([f"{name} ({0.0 if own is None else own.mass:.4g} kg)" for name, own in masses])
        message = f"the source gives the mass of {owners}: the density does not change it"
        draft.findings.add("CB1472", message, where, items=parts)


def _known(draft: Draft, material: str, own: dict[str, float], where: Where) -> tuple[float, str] | None:
    if material.casefold() in own:
        return own[material.casefold()], f"material {material}"
    found = find_material(material)
    if found:
        return found[1], f"material table: {found[0]}"
    near = draft.near(material, [*draft.spec.materials, *names()])
    draft.findings.add("CB152", f"unknown material {material!r}{near}", where)
    return None


def set_masses(draft: Draft) -> None:
    """Mass, centre and inertia given by a person, onto the part or component, or the part that was attached to one."""
    given: set[tuple[str, str]] = set()
    for index, spec in enumerate(draft.spec.mass):
        where = draft.place("mass", index)
        owner = _owner(draft, spec, index)
        if owner is None:
            continue
        if owner in given:
            draft.findings.add(
                "CB143", f"{spec.part or spec.component} has a mass already; this one is left out", where
            )
            continue
        given.add(owner)
        kind, name = owner
        override = _override(draft, spec, where)
        if kind == "component":
            draft.components[name] = replace(draft.components[name], override=override)
        else:
            part = name if kind == "part" else _own_part(draft, name)
            draft.parts[part] = replace(draft.parts[part], override=override)
    for name in (name for kind, name in given if kind == "instance"):
        whole = draft.components[draft.instances[name].component]
        if whole.override is not None:
            message = (
                f"the mass given for {whole.name} holds for {name}, which moves with it, too; that of {name} alone"
            )
            draft.findings.add("CB1471", f"{message} is dropped", whole.override.where, items=[name, whole.name])


def _owner(draft: Draft, spec: MassSpec, index: int) -> tuple[str, str] | None:
    """Whose mass is given: ("part" | "component" | "instance", its name); None, with a finding, of nothing there."""
    if spec.part is not None:
        if spec.part in draft.parts:
            return "part", spec.part
        message = f"there is no part {spec.part!r}{draft.near(spec.part, draft.parts)}"
        draft.findings.add("CB146", message, draft.place("mass", index, "part"))
        return None
    where = draft.place("mass", index, "component")
    attached = draft.attached(spec.component or "")
    if attached is None:
        found = draft.component(spec.component or "", where)
        return None if found is None else ("component", found.name)
    instances = draft.taken_up[attached]
    if len(instances) == 1:
        return "instance", instances[0]
    message = f"{attached} moves with {draft.moved_into[attached]} as one: its mass cannot be given by itself"
    draft.findings.add("CB1471", message, where, "Give the masses of its parts, or of what it moves with.")
    return None


def _own_part(draft: Draft, instance: str) -> str:
    """The part of an instance that no other instance has; a copy under the instance's name where others have it."""
    placed = draft.instances[instance]
    if sum(i.part == placed.part for i in draft.instances.values()) == 1:
        return placed.part
    own = instance
    while own in draft.parts:
        own += " (own)"
    draft.parts[own] = replace(draft.parts[placed.part], name=own)
    draft.instances[instance] = replace(placed, part=own)
    return own


def _override(draft: Draft, spec: MassSpec, where: Where) -> MassOverride:
    inertia = None
    if spec.inertia is not None:
        i = spec.inertia
        inertia = np.array([[i.xx, i.xy, i.xz], [i.xy, i.yy, i.yz], [i.xz, i.yz, i.zz]], dtype=float)
    com = None if spec.com is None else np.asarray(spec.com, dtype=float) * draft.length
    return MassOverride(spec.mass, com, inertia, where)
