"""The few entities of a Part 21 text that OCCT loses: units of densities, mirroring placements.

OCCT 7.9 converts a density by its unit for some units and not for others, and takes a placement that
mirrors or scales (CARTESIAN_TRANSFORMATION_OPERATOR_3D) for a plain rotation. Both are read from the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

_KINDS = (
    "DERIVED_UNIT", "DERIVED_UNIT_ELEMENT", "MEASURE_REPRESENTATION_ITEM", "REPRESENTATION",
    "PROPERTY_DEFINITION", "PROPERTY_DEFINITION_REPRESENTATION", "PRODUCT", "PRODUCT_DEFINITION",
    "PRODUCT_DEFINITION_FORMATION", "PRODUCT_DEFINITION_FORMATION_WITH_SPECIFIED_SOURCE",
    "PRODUCT_DEFINITION_SHAPE", "NEXT_ASSEMBLY_USAGE_OCCURRENCE", "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION",
    "CARTESIAN_TRANSFORMATION_OPERATOR_3D", "DIRECTION",
)  # fmt: skip
_ENTITY = re.compile(
    rb"#(\d{1,18})\s*=\s*(?:(%s)\s*\(|\()((?:[^';]++|'[^']*')*+);" % "|".join(_KINDS).encode(), re.DOTALL
)
_REFERENCE = re.compile(r"#(\d{1,18})")
_STRING = re.compile(r"'((?:[^']|'')*)'")
_NUMBER = re.compile(r"(?<![#\w'.])[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
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


class Entities:
    """Entities of the kinds above, by number; only worth making where the text has them."""

    def __init__(self, data: bytes) -> None:
        self._table: dict[int, tuple[str, str]] = {}
        for match in _ENTITY.finditer(data):
            kind = (match.group(2) or b"").decode()
            self._table[int(match.group(1))] = (kind, match.group(3).decode("utf-8", "replace"))

    def of_kind(self, kind: str) -> list[str]:
        """The arguments of all entities of a kind."""
        return [text for name, text in self._table.values() if name == kind]

    def get(self, number: int, kind: str = "") -> str | None:
        """The arguments of an entity, None where it is not of the kind requested."""
        found, text = self._table.get(number, ("", None))
        return text if text is not None and (not kind or found.startswith(kind)) else None

    def product_of(self, definition: int) -> str | None:
        """The name of the product of a product definition."""
        text = self.get(definition, "PRODUCT_DEFINITION")
        formation = next(iter(_references(text)), None)
        text = None if formation is None else self.get(formation, "PRODUCT_DEFINITION_FORMATION")
        product = next(iter(_references(text)), None)
        strings = _strings(None if product is None else self.get(product, "PRODUCT"))
        return (strings[1] or strings[0]) if len(strings) > 1 else None


def densities(data: bytes) -> dict[str, Density]:
    """Densities by product name."""
    if b"density" not in data.lower():
        return {}
    entities, found = Entities(data), {}
    for text in entities.of_kind("PROPERTY_DEFINITION_REPRESENTATION"):
        property_, representation = (*_references(text), 0, 0)[:2]
        definition = _references(entities.get(property_, "PROPERTY_DEFINITION"))
        for item in _references(entities.get(representation, "REPRESENTATION")):
            measure = entities.get(item, "MEASURE_REPRESENTATION_ITEM")
            if measure is None or "density" not in measure.lower() or not definition:
                continue
            product, numbers = entities.product_of(definition[-1]), _NUMBER.findall(_STRING.sub("", measure))
            if product is not None and numbers:
                units = _references(measure)
                factor = _density_factor(entities, units[0]) if units else None
                found[product] = Density(float(numbers[0]), factor)
    return found


def _density_factor(entities: Entities, unit: int) -> float | None:
    """kg/m³ a derived unit: mass to the power 1, length to the power −3; None for any other."""
    factor, powers = 1.0, {"mass": 0.0, "length": 0.0}
    for element in _references(entities.get(unit, "DERIVED_UNIT")):
        text = entities.get(element, "DERIVED_UNIT_ELEMENT")
        base = entities.get(next(iter(_references(text)), 0)) or ""
        exponents = _NUMBER.findall(text or "")
        si = re.search(r"SI_UNIT\s*\(\s*(?:\$|\.(\w+)\.)\s*,\s*\.(\w+)\.", base)
        if si is None or not exponents or si.group(2) not in ("GRAM", "METRE"):
            return None
        size = _PREFIX.get(si.group(1) or "", 1.0) * (1e-3 if si.group(2) == "GRAM" else 1.0)
        power = float(exponents[-1])
        powers["mass" if si.group(2) == "GRAM" else "length"] += power
        factor *= size**power
    return factor if powers == {"mass": 1.0, "length": -3.0} else None


def operators(data: bytes) -> list[Operator]:
    """Placements of occurrences that mirror or scale."""
    if b"CARTESIAN_TRANSFORMATION_OPERATOR_3D" not in data:
        return []
    entities, found = Entities(data), []
    for text in entities.of_kind("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"):
        relation, shape = (*_references(text), 0, 0)[:2]
        operator = next(
            (o for r in _references(entities.get(relation))
             if (o := entities.get(r, "CARTESIAN_TRANSFORMATION_OPERATOR_3D"))), None,
        )  # fmt: skip
        usage = next(iter(_references(entities.get(shape, "PRODUCT_DEFINITION_SHAPE"))), 0)
        occurrence = entities.get(usage, "NEXT_ASSEMBLY_USAGE_OCCURRENCE")
        if operator is None or occurrence is None:
            continue
        mirrors, scale = _handedness(entities, operator)
        if mirrors or abs(scale - 1.0) > 1e-9:
            parent, child = (*_references(occurrence), 0, 0)[:2]
            names = _strings(occurrence)
            found.append(
                Operator(
                    entities.product_of(parent) or "",
                    entities.product_of(child) or "",
                    names[1] if len(names) > 1 else "",
                    mirrors,
                    scale,
                )
            )
    return found


def _handedness(entities: Entities, operator: str) -> tuple[bool, float]:
    """Whether an operator's axes are left-handed, and its scale."""
    axes, scale = [], 1.0
    fields = [f.strip() for f in _STRING.sub("", operator).rstrip(") \n").split(",")]
    # name, description, and name again, then axis1, axis2, origin, scale, axis3 (ISO 10303-42).
    fields = fields[-5:]
    for at in (0, 1, 4):
        match = _REFERENCE.fullmatch(fields[at]) if len(fields) == 5 else None
        text = entities.get(int(match.group(1)), "DIRECTION") if match else None
        axes.append([float(n) for n in _NUMBER.findall(_STRING.sub("", text))] if text else [])
    if len(fields) == 5 and _NUMBER.fullmatch(fields[3]):
        scale = float(fields[3])
    complete = all(len(axis) == 3 for axis in axes)
    return (complete and float(np.linalg.det(np.array(axes))) < 0), scale


def _references(text: str | None) -> list[int]:
    return [int(n) for n in _REFERENCE.findall(_STRING.sub("", text))] if text else []


def _strings(text: str | None) -> list[str]:
    return [s.replace("''", "'") for s in _STRING.findall(text)] if text else []
