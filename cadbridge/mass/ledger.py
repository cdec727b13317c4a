"""Where every number of a part's mass comes from: what was declared, given, and computed from which shape."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cadbridge.assembly import Assembly, Mesh, Part
from cadbridge.findings import Findings
from cadbridge.mass.parts import audited, part_mass


@dataclass(frozen=True, slots=True)
class PartMass:
    """A part's mass in kg and its `source` (override, declared, mesh, brep), beside all that it could be taken from.

    `density` kg/m³ and who gave it; volumes in m³ of the closed mesh and of the exact shape; `declared` kg. None is
    what is not known. `instances` counts its placements.
    """

    part: str
    instances: int
    mass: float | None
    source: str | None
    density: float | None
    density_source: str | None
    mesh_volume: float | None
    brep_volume: float | None
    declared: float | None


def mass_ledger(assembly: Assembly) -> tuple[PartMass, ...]:
    """An entry for each part, in the order of the assembly."""
    placed = Counter(i.part for i in assembly.instances)
    return tuple(_entry(part, placed[part.name]) for part in assembly.parts)


def _entry(part: Part, instances: int) -> PartMass:
    mass, source = part_mass(part, Findings())
    shape = part.shape
    return PartMass(
        part=part.name,
        instances=instances,
        mass=None if mass is None else mass.mass,
        source=source,
        density=part.density,
        density_source=part.density_source,
        mesh_volume=None if shape is None else _volume(shape.fine),
        brep_volume=None if shape is None or shape.brep is None else shape.brep.mass,
        declared=None if part.declared is None else part.declared.mass,
    )


def _volume(mesh: Mesh | None) -> float | None:
    if mesh is None:
        return None
    audit = audited(mesh)
    return audit.volume.mass if audit.closed else None
