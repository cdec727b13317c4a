"""Masses that a file declares: impossible ones and placeholders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from cadbridge.assembly import Part
from cadbridge.findings import Finding, Findings
from cadbridge.geometry import FineMesh, Shape
from cadbridge.inertia import MassProperties
from cadbridge.wording import listed

_SLACK = 1e-6
"""Relative; files round their numbers, and a thin plate meets the triangle inequality with equality."""

_ALIKE_PARTS = 3
"""So many different parts of exactly the same mass and inertia are no coincidence."""
_OF_ALL_PARTS = 0.5
"""Of all parts: fewer without a shape may be copies of one another, as the links of four legs are."""


def impossible(properties: MassProperties) -> str | None:
    """Why no body can have these mass properties; None where one can."""
    mass, com, inertia = properties.mass, properties.com, np.asarray(properties.inertia)
    if not (np.isfinite(mass) and np.all(np.isfinite(com)) and np.all(np.isfinite(inertia))):
        return "a value is not a finite number"
    if mass < 0:
        return f"the mass is {mass:g} kg"
    if mass == 0:
        return "the mass is 0"
    scale = float(np.abs(inertia).max())
    if scale == 0:
        return None  # a point mass, which some files mean
    # Files of nine digits and better: the two halves of a tensor differ by their last.
    if not np.allclose(inertia, inertia.T, atol=1e-9 * scale, rtol=0):
        return "the inertia tensor is not symmetric"
    a, b, c = np.linalg.eigvalsh(inertia)
    if a < -_SLACK * c:
        return f"the principal moments of inertia {a:.4g}, {b:.4g}, {c:.4g} kg m² are not all positive"
    if a + b < c * (1.0 - _SLACK):
        return (
            f"the principal moments of inertia {a:.4g}, {b:.4g}, {c:.4g} kg m² break the triangle "
            "inequality: the largest exceeds the sum of the others"
        )
    return None


def usable(properties: MassProperties) -> bool:
    """Whether equations of motion can hold them: a mass above zero, a symmetric tensor of finite numbers.

    The tensor itself may still be one that no body has: fixed to others it may make one that is possible, and engines
    compute with it as it stands.
    """
    mass, com, inertia = properties.mass, properties.com, np.asarray(properties.inertia)
    if not (np.isfinite(mass) and np.all(np.isfinite(com)) and np.all(np.isfinite(inertia))):
        return False
    # Files write nine digits and more of each of the two halves.
    return mass > 0 and np.allclose(inertia, inertia.T, atol=1e-9 * float(np.abs(inertia).max()), rtol=0)


_ROUNDING = 1e-12
"""m²: a moment of inertia below zero by less than this for each kg is a rounded zero (-5e-20, as CAD writes it)."""


def settled(properties: MassProperties) -> MassProperties:
    """The properties with moments of inertia that are rounded zeros as zeros."""
    moments, axes = np.linalg.eigh(np.asarray(properties.inertia))
    if not -_ROUNDING * properties.mass <= moments[0] < 0:
        return properties
    return replace(properties, inertia=axes @ np.diag(np.maximum(moments, 0.0)) @ axes.T)


def positive(properties: MassProperties) -> bool:
    """Whether no principal moment is below zero, within rounding: a body can be turned with it."""
    moments = np.linalg.eigvalsh(np.asarray(properties.inertia))
    return bool(properties.mass > 0 and moments[0] >= -_SLACK * abs(moments[-1]))


def audit_declared(parts: Iterable[Part]) -> tuple[Finding, ...]:
    """Findings on declared mass properties that cannot be used, and on placeholders."""
    findings = Findings()
    alike: dict[tuple[float, ...], list[Part]] = {}
    declaring = [part for part in parts if part.declared is not None and not (part.weightless or part.by_default)]
    for part in declaring:
        declared = part.declared
        assert declared is not None
        reason = impossible(declared)
        if reason and not usable(declared):
            code = "CB306" if declared.mass == 0 else "CB305"
            findings.add(code, f"{part.name} declares mass properties of no body: {reason}", part.where)
            continue
        # A mirrored part has its original's mass by right.
        if part.mirrored_from is None:
            # Principal moments are the same for copies in turned frames; nine digits, as files round.
            values = (declared.mass, *np.linalg.eigvalsh(declared.inertia))
            alike.setdefault(tuple(float(f"{v:.9g}") for v in values), []).append(part)
    for values, same in alike.items():
        sizes = {size for part in same if (size := _size(part.shape)) is not None}
        bare = {part.shape.key if part.shape else part.name for part in same if _size(part.shape) is None}
        most = len(same) >= _OF_ALL_PARTS * len(declaring)
        if len(sizes) + most * len(bare) >= _ALIKE_PARTS:
            names = listed([part.name for part in same], 8)
            findings.add(
                "CB307",
                f"{len(same)} different parts ({names}) declare the same mass {values[0]:g} kg and the "
                f"same inertia {values[-1]:g} kg m²",
                same[0].where,
                items=[part.name for part in same],
            )
    return findings.as_tuple()


def _size(shape: Shape | None) -> tuple[str, ...] | None:
    """The edges of a shape's box, sorted, to two digits: those of mirror images are alike; None without a mesh."""
    mesh = None if shape is None else shape.coarse if shape.coarse is not None else shape.fine
    if mesh is None or isinstance(mesh, FineMesh) or not len(mesh.vertices):
        return None
    return tuple(f"{edge:.2g}" for edge in sorted(np.ptp(mesh.vertices, axis=0).tolist()))
