"""The units of lengths and angles in which a representation of a STEP file counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from cadbridge.shapes.text21 import Arguments, Entity, Enumeration, Part21Error, Ref, Text, Typed
from cadbridge.units import MM

_PREFIX = {
    "EXA": 1e18, "PETA": 1e15, "TERA": 1e12, "GIGA": 1e9, "MEGA": 1e6, "KILO": 1e3, "HECTO": 1e2,
    "DECA": 1e1, "DECI": 1e-1, "CENTI": 1e-2, "MILLI": 1e-3, "MICRO": 1e-6, "NANO": 1e-9,
}  # fmt: skip
"""SI units by their prefixes, as ISO 10303-41 calls them."""

_DEEPEST_UNITS = 8
"""Units defined by others (inch by millimetre): files have one level or two, a ring of them has no end."""


@dataclass(frozen=True)
class ContextUnits:
    """m a unit of length, rad a unit of angle."""

    length: float = 1e-3
    angle: float = 1.0


_holders: WeakKeyDictionary[Text, tuple[dict[int, ContextUnits], ContextUnits]] = WeakKeyDictionary()


def units_of(text: Text, item: int) -> ContextUnits:
    """The units of a pair: those of the representation that lists it, else of the file's first context that has any."""
    if text not in _holders:
        _holders[text] = _by_item(text)
    found, first = _holders[text]
    return found.get(item, first)


def _by_item(text: Text) -> tuple[dict[int, ContextUnits], ContextUnits]:
    """The units of what representations list, and those of all else."""
    found: dict[int, ContextUnits] = {}
    for entity in text.of("MECHANISM_REPRESENTATION", "KINEMATIC_STRUCTURE", "REPRESENTATION"):
        arguments = next(iter(entity.parts.values()))
        if len(arguments) >= 3 and isinstance(arguments[2], Ref) and isinstance(arguments[1], tuple):
            units = context_units(text, arguments[2])
            found |= {int(i): units for i in arguments[1] if isinstance(i, Ref)}
    context = next(iter(text.numbers_of("GLOBAL_UNIT_ASSIGNED_CONTEXT")), None)
    return found, ContextUnits() if context is None else context_units(text, context)


def context_units(text: Text, context: int) -> ContextUnits:
    """The units of a representation context; mm and rad where it assigns none."""
    try:
        assigned = text.get(context).parts.get("GLOBAL_UNIT_ASSIGNED_CONTEXT")
    except Part21Error:
        return ContextUnits()
    length, angle = MM, 1.0
    for unit in _references(assigned):
        try:
            entity = text.get(unit)
            if "LENGTH_UNIT" in entity.parts:
                length = _size(text, entity, 0)
            elif "PLANE_ANGLE_UNIT" in entity.parts:
                angle = _size(text, entity, 0)
        except Part21Error:
            continue
    return ContextUnits(length, angle)


def _references(assigned: Arguments | None) -> list[Ref]:
    listed = assigned[0] if assigned else ()
    return [unit for unit in listed if isinstance(unit, Ref)] if isinstance(listed, tuple) else []


def _size(text: Text, unit: Entity, depth: int) -> float:
    """SI units a unit; Part21Error where it has no size."""
    if depth > _DEEPEST_UNITS:
        raise Part21Error("units are defined by one another")
    if "SI_UNIT" in unit.parts:
        prefix = next(iter(unit.parts["SI_UNIT"]), None)
        return _PREFIX.get(prefix.name, 1.0) if isinstance(prefix, Enumeration) else 1.0
    conversion = unit.parts.get("CONVERSION_BASED_UNIT", ())
    factor = text.get(conversion[1]) if len(conversion) > 1 and isinstance(conversion[1], Ref) else None
    value, base = (*next(iter(factor.parts.values())), None, None)[:2] if factor is not None else (None, None)
    value = value.value if isinstance(value, Typed) else value
    if not isinstance(value, float) or not isinstance(base, Ref):
        raise Part21Error("a unit does not say its size")
    size = value * _size(text, text.get(base), depth + 1)
    if not (math.isfinite(size) and size > 0):
        raise Part21Error("the size of a unit is not above zero")
    return size
