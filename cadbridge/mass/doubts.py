"""Declared masses beside the shapes that should have them: other materials, other units, other bodies."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Part
from cadbridge.findings import Findings
from cadbridge.geometry import Mesh
from cadbridge.inertia import BALL, DENSEST
from cadbridge.mass.declared import impossible
from cadbridge.mass.parts import PartVolume
from cadbridge.units import TO_MM

LIGHTEST = 10.0
"""kg/m³ of foams; no solid of a machine is lighter."""
MASS_ALIKE = 0.2
"""Relative difference of a declared mass from density times volume that is let pass: simplified shapes, paint."""
OUTSIDE_ITS_BOX = 0.05
"""Share of a part's size by which its centre may lie outside of its box, and its inertia exceed that box."""
POINTLIKE = 1e-3
"""A radius of gyration below this share of the part's size belongs to something much smaller."""
SMALLEST = 1e-100
"""m; the squares of smaller sizes are zero to a computer, and nothing can be held against them."""
USUAL = 2000.0
"""kg/m³ between plastics (1,000) and steel (7,800): a density beside it tells units apart, which differ by 1,000."""
EXACTLY, ROUGHLY = 1.3, 6.0
"""How many times off a factor of units may be: where both numbers are meant to be of one body, and where one of them is
only usual (a density, the inertia of a ball as large)."""
UNITS = {1e3: "a factor of 1000: g for kg", 1e9: "a factor of 10⁹: mm for m", 1e6: "a factor of 10⁶: mm for m",
         25.4**3: "inches for mm"}  # fmt: skip
"""Factors that units confused leave."""


def doubt_declared(parts: Iterable[tuple[Part, PartVolume]], findings: Findings) -> None:
    """Report parts whose declared mass properties are not those of their shape.

    CB318: another mass than density times volume, or a density of no material. CB319: a centre or an inertia that no
    distribution of mass within the part's box has.
    """
    for part, volume in parts:
        declared, mesh = part.declared, _mesh(part)
        if declared is None or part.by_default or mesh is None or impossible(declared) is not None:
            continue
        if volume.properties is not None and volume.properties.mass > 0:
            _doubt_mass(part, declared.mass, volume.properties.mass, findings)
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        size = float(np.linalg.norm(high - low))
        if size < SMALLEST:
            continue
        outside = float(np.max(np.maximum(low - declared.com, declared.com - high), initial=0.0))
        if outside > OUTSIDE_ITS_BOX * size:
            text = f"the centre of mass of {part.name} lies {outside * TO_MM:.3g} mm outside of its box"
            findings.add("CB319", text + _unit(float(np.linalg.norm(declared.com)) / size), part.where)
            continue
        _doubt_inertia(part, float(np.linalg.eigvalsh(declared.inertia)[-1]) / declared.mass, mesh.vertices, findings)


def _mesh(part: Part) -> Mesh | None:
    shape = part.shape
    meshes = (shape.coarse, shape.fine, shape.collision) if shape is not None else ()
    return next((m for m in meshes if m is not None and len(m.triangles)), None)


def _doubt_mass(part: Part, declared: float, volume: float, findings: Findings) -> None:
    density = declared / volume
    if part.density is not None and abs(density / part.density - 1) > MASS_ALIKE:
        density_source = part.density_source or "its density"
        findings.add(
            "CB318",
            f"{part.name} declares {declared:.4g} kg; its shape with {part.density:.5g} kg/m³ ({density_source}) makes "
            f"{part.density * volume:.4g} kg" + _unit(density / part.density),
            part.where,
        )
    elif part.density is None and not LIGHTEST < density < DENSEST:
        text = f"{part.name} declares {declared:.4g} kg: a density of {density:.3g} kg/m³, which no material has"
        findings.add("CB318", text + _unit(density / USUAL, near=ROUGHLY), part.where)


def _doubt_inertia(part: Part, square: float, vertices: NDArray[np.float64], findings: Findings) -> None:
    """`square` is the largest principal moment for each kg, m²: at most the farthest point's distance squared."""
    assert part.declared is not None
    reach = float(np.max(np.linalg.norm(vertices - part.declared.com, axis=1)))
    given = f"the declared inertia of {part.name}"
    cure = None
    if part.inertia_by_default:
        given = f"the inertia that the format gives to {part.name}, as the file has none,"
        cure = "Write the inertia into the file, or pass --mass from-mesh with a density."
    needed = f"{np.sqrt(max(square, 0.0)) * TO_MM:.3g} mm"
    if square > (reach * (1 + OUTSIDE_ITS_BOX)) ** 2:
        text = f"{given} is too large for its shape: it needs a radius of {needed}, the shape reaches "
        text += f"{reach * TO_MM:.3g} mm"
        doubt = "" if part.inertia_by_default else _unit(square / (BALL * reach**2), near=ROUGHLY)
        findings.add("CB319", text + doubt, part.where, hint=cure)
    elif 0 < square < (POINTLIKE * reach) ** 2:
        text = f"{given} is too small for its shape: a radius of {needed} suffices, the shape reaches "
        findings.add("CB319", text + f"{reach * TO_MM:.3g} mm", part.where, hint=cure)


def _unit(factor: float, near: float = EXACTLY) -> str:
    """Which units may have been confused where a number is off by a factor, within `near` times."""
    for known, words in UNITS.items():
        if any(candidate / near < factor < candidate * near for candidate in (known, 1 / known)):
            return f" ({words}?)"
    return ""
