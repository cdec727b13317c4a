"""Densities, materials and mass overrides of the file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cadbridge.assembly import MassOverride
from cadbridge.findings import Where
from cadbridge.readers.materials import find_material, names
from cadbridge.readers.mates_file.draft import Draft, wildcard
from cadbridge.readers.mates_file.schema import MassSpec


def set_densities(draft: Draft) -> None:
    """Densities by pattern, the last that fits; then the file's own materials for parts that name them."""
    own = {name.casefold(): spec.density for name, spec in draft.spec.materials.items()}
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
    for name, part in draft.parts.items():
        if part.density is None and part.material and part.material.casefold() in own:
            source = f"mates file: material {part.material}"
            draft.parts[name] = replace(part, density=own[part.material.casefold()], density_source=source)


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
    """Mass, centre and inertia given by a person, onto the part or component."""
    given: set[tuple[str | None, str | None]] = set()
    for index, spec in enumerate(draft.spec.mass):
        where = draft.place("mass", index)
        owner = (spec.part, spec.component)
        if owner in given:
            draft.findings.add(
                "CB143", f"{spec.part or spec.component} has a mass already; this one is left out", where
            )
            continue
        given.add(owner)
        override = _override(draft, spec, where)
        if spec.part is not None:
            if spec.part in draft.parts:
                draft.parts[spec.part] = replace(draft.parts[spec.part], override=override)
            else:
                message = f"there is no part {spec.part!r}{draft.near(spec.part, draft.parts)}"
                draft.findings.add("CB146", message, draft.place("mass", index, "part"))
        elif spec.component is not None:
            found = draft.component(spec.component, draft.place("mass", index, "component"))
            if found is not None:
                draft.components[found.name] = replace(found, override=override)


def _override(draft: Draft, spec: MassSpec, where: Where) -> MassOverride:
    inertia = None
    if spec.inertia is not None:
        i = spec.inertia
        inertia = np.array([[i.xx, i.xy, i.xz], [i.xy, i.yy, i.yz], [i.xz, i.yz, i.zz]], dtype=float)
    com = None if spec.com is None else np.asarray(spec.com, dtype=float) * draft.length
    return MassOverride(spec.mass, com, inertia, where)
