"""The few entities of a Part 21 text that OCCT loses: units of densities, mirroring placements.

OCCT 7.9 converts a density by its unit for some units and not for others, and takes a placement that
mirrors or scales (CARTESIAN_TRANSFORMATION_OPERATOR_3D) for a plain rotation. Both are read from the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadbridge.shapes.text21 import Entity, Enumeration, Part21Error, Ref, Text, Typed

_PREFIX = {
    "EXA": 1e18, "PETA": 1e15, "TERA": 1e12, "GIGA": 1e9, "MEGA": 1e6, "KILO": 1e3, "HECTO": 1e2,
    "DECA": 1e1, "DECI": 1e-1, "CENTI": 1e-2, "MILLI": 1e-3, "MICRO": 1e-6, "NANO": 1e-9,
}  # fmt: skip


@dataclass(frozen=True)
class Density:
    """A density as the file gives it, and kg/m³ a unit of it (None where the file does not say)."""

    value: float
    factor: float | None


@dataclass(frozen=True)
class Operator:
    """A placement that mirrors or scales: of the occurrence `name` of `child` in `parent`."""

    parent: str
    child: str
    name: str
    mirrors: bool
    scale: float


def densities(data: bytes) -> dict[str, Density]:
    """Densities by product name."""
    # Most files have neither, and a search for bytes is far cheaper than a scan of the text.
    if b"density" not in data.lower():
        return {}
    text, found = Text(data), {}
    for link in text.of("PROPERTY_DEFINITION_REPRESENTATION"):
        property_, representation = (*_references(link), 0, 0)[:2]
        definition = _references(_get(text, property_, "PROPERTY_DEFINITION"))
        for item in _references(_get(text, representation, "REPRESENTATION")):
            measure = _get(text, item, "MEASURE_REPRESENTATION_ITEM")
            if measure is None or not definition or not _of_density(measure):
                continue
            product = _product_of(text, definition[-1])
            numbers = [value for value in _values(measure) if isinstance(value, float)]
            if product is not None and numbers:
                units = _references(measure)
                found[product] = Density(numbers[0], _density_factor(text, units[0]) if units else None)
    return found


def _of_density(measure: Entity) -> bool:
    """Whether the name of a measure, or its type, is that of a density."""
    words = [v for v in _values(measure, types=True) if isinstance(v, str)]
    return any("density" in word.lower() for word in words)


def _density_factor(text: Text, unit: int) -> float | None:
    """kg/m³ a derived unit: mass to the power 1, length to the power −3; None for any other."""
    factor, powers = 1.0, {"GRAM": 0.0, "METRE": 0.0}
    for number in _references(_get(text, unit, "DERIVED_UNIT")):
        element = _get(text, number, "DERIVED_UNIT_ELEMENT")
        exponents = [value for value in _values(element) if isinstance(value, float)]
        base = _get(text, next(iter(_references(element)), 0))
        prefix, name = (*(base.parts.get("SI_UNIT", ()) if base is not None else ()), None, None)[:2]
        if not isinstance(name, Enumeration) or name.name not in powers or not exponents:
            return None
        size = _PREFIX.get(prefix.name if isinstance(prefix, Enumeration) else "", 1.0)
        powers[name.name] += exponents[-1]
        # STEP's base unit of mass is the gram.
        factor *= (size * (1e-3 if name.name == "GRAM" else 1.0)) ** exponents[-1]
    return factor if powers == {"GRAM": 1.0, "METRE": -3.0} else None


def operators(data: bytes) -> list[Operator]:
    """Placements of occurrences that mirror or scale."""
    if b"CARTESIAN_TRANSFORMATION_OPERATOR_3D" not in data:
        return []
    text, found = Text(data), []
    for placed in text.of("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"):
        relation, shape = (*_references(placed), 0, 0)[:2]
        transforms = (_get(text, r, "CARTESIAN_TRANSFORMATION_OPERATOR_3D") for r in _references(_get(text, relation)))
        operator = next((o for o in transforms if o is not None), None)
        usage = next(iter(_references(_get(text, shape, "PRODUCT_DEFINITION_SHAPE"))), 0)
        occurrence = _get(text, usage, "NEXT_ASSEMBLY_USAGE_OCCURRENCE")
        if operator is None or occurrence is None:
            continue
        mirrors, scale = _handedness(text, operator)
        # Scales are written with nine digits and more; none is meant to be nearer to 1.
        if mirrors or abs(scale - 1.0) > 1e-9:
            parent, child = (*_references(occurrence), 0, 0)[:2]
            names = _strings(occurrence)
            name = names[1] if len(names) > 1 else ""
            found.append(
                Operator(_product_of(text, parent) or "", _product_of(text, child) or "", name, mirrors, scale)
            )
    return found


def _handedness(text: Text, operator: Entity) -> tuple[bool, float]:
    """Whether an operator's axes are left-handed, and its scale."""
    # Name, description, and name again, then axis1, axis2, origin, scale, axis3 (ISO 10303-42).
    arguments = operator.parts[operator.type]
    if len(arguments) < 5:
        return False, 1.0
    first, second, _, scale, third = arguments[-5:]
    axes = []
    for number in (first, second, third):
        direction = _get(text, number, "DIRECTION") if isinstance(number, Ref) else None
        axes.append([value for value in _values(direction) if isinstance(value, float)])
    complete = all(len(axis) == 3 for axis in axes)
    mirrors = complete and float(np.linalg.det(np.array(axes))) < 0
    return mirrors, scale if isinstance(scale, float) else 1.0


def _product_of(text: Text, definition: int) -> str | None:
    """The name of the product of a product definition."""
    for kind in ("PRODUCT_DEFINITION", "PRODUCT_DEFINITION_FORMATION"):
        definition = next(iter(_references(_get(text, definition, kind))), 0)
    names = _strings(_get(text, definition, "PRODUCT"))
    return (names[1] or names[0]) if len(names) > 1 else None


def _get(text: Text, number: int, kind: str = "") -> Entity | None:
    """An entity whose type begins with `kind`; None where there is none, or nothing that can be read."""
    try:
        found = text.get(number)
    except Part21Error:
        return None
    return found if found.type.startswith(kind) else None


def _values(entity: Entity | None, *, types: bool = False) -> Iterator[Any]:
    """All values of an entity, in lists and with types too; `types`: also the names of those types."""
    waiting: list[Any] = [] if entity is None else [value for args in entity.parts.values() for value in args][::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting += value[::-1]
        elif isinstance(value, Typed):
            if types:
                yield value.type
            waiting.append(value.value)
        else:
            yield value


def _references(entity: Entity | None) -> list[int]:
    return [value for value in _values(entity) if isinstance(value, Ref)]


def _strings(entity: Entity | None) -> list[str]:
    return [value for value in _values(entity) if isinstance(value, str)]
