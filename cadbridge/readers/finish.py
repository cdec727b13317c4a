"""Format-independent post-processing: default densities, suspicious units, duplicate names."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol, TypeVar

import numpy as np

from cadbridge.assembly import Assembly, Part
from cadbridge.findings import Finding, Findings, Where
from cadbridge.frames import Vector
from cadbridge.readers.materials import find_material, names
from cadbridge.readers.names import free_name
from cadbridge.readers.options import ReadOptions
from cadbridge.units import TO_MM

LARGEST_MODEL = 200.0
SMALLEST_MODEL = 1e-4
"""m across; outside of these a misread unit is more likely than the size.

A machine above 0.2 m whose mm are read as m exceeds the first; one below 0.1 m whose m are read as mm falls below the
second. Nearer bounds would warn (CB105) of cranes and of watches. A choice.
"""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_T = TypeVar("_T", bound=_Named)


def finish(assembly: Assembly, options: ReadOptions) -> Assembly:
    """An assembly with what `options` ask for, and with the findings that hold for every format."""
    findings = Findings()
    parts = assembly.parts
    if options.mass_from == "mesh":
        parts = tuple(replace(part, declared=None) for part in parts)
        # CB1472: a density that the source's own masses leave without effect.
        assembly = replace(assembly, findings=tuple(f for f in assembly.findings if f.code != "CB1472"))
    parts = _with_densities(parts, options, findings)
    assembly = replace(assembly, findings=_without_weighed(assembly, parts))
    _doubt_the_unit(assembly, findings)
    mates = unique_names(assembly.mates, "mate", findings)
    taken = {mate.name for mate in mates}
    couplings = unique_names(assembly.couplings, "gear", findings, taken)
    done = replace(assembly, parts=parts, mates=mates, couplings=couplings)
    return done.with_findings(findings.as_tuple()) if len(findings) else done


def _with_densities(parts: tuple[Part, ...], options: ReadOptions, findings: Findings) -> tuple[Part, ...]:
    """Densities from the material that a part names, then from --density or --material."""
    default: tuple[float, str] | None = None
    if options.material is not None:
        found = find_material(options.material)
        if found:
            default = (found[1], f"--material {options.material} (material table: {found[0]})")
        else:
            near = difflib.get_close_matches(options.material.lower(), names(), n=3, cutoff=0.5)
            hint = f"Near it: {', '.join(near)}." if near else None
            findings.add("CB152", f"the material table does not know {options.material!r}", hint=hint)
    if options.density is not None:
        default = (options.density, "--density")
    done = []
    unknown: dict[str, list[str]] = {}
    for part in parts:
        if part.density is None:
            found = find_material(part.material) if part.material else None
            if found:
                part = replace(part, density=found[1], density_source=f"material table: {found[0]}")
            elif default:
                part = replace(part, density=default[0], density_source=default[1])
            elif part.material and part.declared is None and part.override is None:
                unknown.setdefault(part.material, []).append(part.name)
        done.append(part)
    for material, which in unknown.items():
        some = ", ".join(which[:3]) + (f" and {len(which) - 3} more" if len(which) > 3 else "")
        findings.add("CB156", f"no density is known for {material!r} ({some})", Where(item=which[0]))
    return tuple(done)


def _without_weighed(assembly: Assembly, parts: tuple[Part, ...]) -> tuple[Finding, ...]:
    """The findings without those on moving links without mass that a density or a person has given one since."""
    weighed = {
        part.name
        for part in parts
        if part.override is not None or (part.density is not None and part.shape is not None and not _declares(part))
    }
    by_name = {c.name: c for c in assembly.components}
    of_part = {i.name: i.part for i in assembly.instances}
    for name, component in by_name.items():
        inside = [of_part[i] for i in component.instances]
        if component.override is not None or (inside and weighed.issuperset(inside)):
            weighed.add(name)
    return tuple(f for f in assembly.findings if f.code != "CB191" or f.where.item not in weighed)


def _declares(part: Part) -> bool:
    return part.declared is not None and part.declared.mass > 0


def _doubt_the_unit(assembly: Assembly, findings: Findings) -> None:
    boxes = list(_world_points(assembly))
    if not boxes:
        return
    points = np.concatenate(boxes)
    size = float(np.max(np.ptp(points, axis=0)))
    if size > LARGEST_MODEL or 0.0 < size < SMALLEST_MODEL:
        # Above a million kilometres nobody reads digits.
        shown = f"{size:.3g} m" if size > 1e9 else f"{size:,.0f} m" if size > 1 else f"{size * TO_MM:.3g} mm"
        findings.add("CB105", f"the model is {shown} across", Where(file=assembly.source))


def _world_points(assembly: Assembly) -> Iterator[Vector]:
    """Corners of every instance's bounding box, or its origin, in the world, (n, 3) m.

    A single part without geometry has no extent, so origins count only where there are several.
    """
    corners: dict[str, Vector | None] = {}
    for part in assembly.parts:
        mesh = part.shape and (part.shape.coarse or part.shape.fine or part.shape.collision)
        if mesh and len(mesh.vertices):
            low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
            pick = np.array([[i >> k & 1 for k in range(3)] for i in range(8)], dtype=bool)
            corners[part.name] = np.where(pick, high, low)
        else:
            corners[part.name] = None
    for instance in assembly.instances:
        box = corners.get(instance.part)
        if box is not None:
            yield instance.X_WI.point(box)
        elif len(assembly.instances) > 1:
            yield instance.X_WI.p[None, :]


_IN_YAML = "Give each a name of its own in the mates file."


def unique_names(items: tuple[_T, ...], what: str, findings: Findings, taken: set[str] | None = None) -> tuple[_T, ...]:
    """The items with every name unique: a repeated one gets ' (2)', ' (3)' …, and is reported."""
    taken = set() if taken is None else taken
    known = taken | {item.name for item in items}  # a name with a count is not that of a later item
    counts: dict[str, int] = {}
    done: list[_T] = []
    for item in items:
        name = free_name(item.name, known, counts=counts) if item.name in taken else item.name
        taken.add(name)
        if name != item.name:
            where = getattr(item, "where", None)
            findings.add(
                "CB107",
                f"two {what}s are called {item.name!r}; the later one is now {name!r}",
                where,
                _IN_YAML if where and (where.file or "").endswith((".yaml", ".yml")) else None,
            )
            item = _renamed(item, name)
        done.append(item)
    return tuple(done)


def _renamed(item: _T, name: str) -> _T:
    rename: Callable[..., _T] = replace
    return rename(item, name=name)
