"""The mass of a part and where it comes from.

Precedence: what a person gives (override) > what the file declares > density × mesh. The mesh is
checked against the exact B-Rep; where the mesh is open or off, the B-Rep is taken, then the collision
mesh. Without a density there is no mass: none is made up.
"""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from cadbridge.assembly import MassOverride, Mesh, Part, Shape
from cadbridge.findings import Findings
from cadbridge.inertia import MassProperties
from cadbridge.mass.audit import MeshAudit, audit_mesh
from cadbridge.mass.declared import impossible

MASS_TOLERANCE = 1e-3
INERTIA_TOLERANCE = 3e-3
"""Relative deviations of a mesh from its B-Rep beyond which the B-Rep is taken."""

_AUDITS: WeakKeyDictionary[Mesh, MeshAudit] = WeakKeyDictionary()


def part_mass(part: Part, findings: Findings) -> tuple[MassProperties | None, str | None]:
    """Mass properties in the part's frame and their source, or (None, None) where they are not known.

    Source: "override", "declared", "mesh" or "brep". What is wrong or missing goes to `findings`,
    once a part.
    """
    override = part.override
    if override is not None:
        given = _overridden(part, override, findings)
        if given is not None:
            return given, "override"
    if part.weightless:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3))), "declared"
    return _computed(part, findings)


def part_volume(part: Part, findings: Findings) -> tuple[MassProperties | None, str | None]:
    """Volume properties (at density 1) of a part's shape and whether "mesh" or "brep" gave them."""
    shape = part.shape
    if shape is None:
        return None, None
    if shape.fine is not None:
        audit = audited(shape.fine)
        _tell(part, audit, shape, findings)
        if audit.closed:
            properties = audit.volume
            if properties.mass > 0 and _agrees(part, properties, findings):
                return properties, "mesh"
    if shape.brep is not None and shape.brep.mass > 0:
        return shape.brep, "brep"
    return _from_collision(part, shape, findings)


def _computed(part: Part, findings: Findings) -> tuple[MassProperties | None, str | None]:
    """What the file declares, else density × volume."""
    if part.declared is not None and impossible(part.declared) is None:
        return part.declared, "declared"
    if part.declared is not None:
        _say(findings, "CB308", f"{part.name}: the declared mass properties are not used", part)
    volume, source = part_volume(part, findings)
    if volume is None:
        if part.shape is None:
            _say(findings, "CB302", f"{part.name} has neither a shape nor a mass of its own", part)
        elif part.shape.fine is None and part.shape.coarse is None:
            _say(findings, "CB302", f"{part.name} has no volume, so there is nothing to weigh", part)
        return None, None
    if part.density is None:
        named = f" (its material is {part.material!r})" if part.material else ""
        _say(findings, "CB301", f"{part.name} has no density{named}", part)
        return None, None
    return volume.scaled(part.density), source


def _overridden(part: Part, override: MassOverride, findings: Findings) -> MassProperties | None:
    """What a person gave, completed by what is computed; None where that does not make a whole.

    A mass alone scales the inertia with it. A centre alone moves the body: the inertia about the
    centre stays. An inertia is about the (given or computed) centre.
    """
    if override.mass is None and override.com is None and override.inertia is None:
        return None
    complete = override.mass is not None and override.com is not None and override.inertia is not None
    base: MassProperties | None = None
    if not complete:
        base = _base(part, needs_mass=override.mass is None, findings=findings)
        if base is None:
            missing = [k for k in ("mass", "com", "inertia") if getattr(override, k) is None]
            text = f"{part.name}: {', '.join(missing)} must be given too, since they cannot be computed"
            _say(findings, "CB309", text, part)
            return None
    mass = override.mass if override.mass is not None else base.mass  # type: ignore[union-attr]
    com = override.com if override.com is not None else base.com  # type: ignore[union-attr]
    if override.inertia is not None:
        inertia = override.inertia
    else:
        assert base is not None
        inertia = base.inertia * (mass / base.mass)
    result = MassProperties(float(mass), np.asarray(com, dtype=float), np.asarray(inertia, dtype=float))
    reason = impossible(result)
    if reason:
        where = override.where if str(override.where) else part.where
        findings.add("CB310", f"{part.name}: the mass properties given are those of no body: {reason}", where)
        return None
    return result


def _base(part: Part, needs_mass: bool, findings: Findings) -> MassProperties | None:
    """What an incomplete override is completed from; without a density the shape alone will do for a
    given mass, since only the proportions count."""
    quiet = Findings()
    properties, _ = _computed(part, quiet)
    if properties is None and not needs_mass:
        properties, _ = part_volume(part, findings)
    if properties is None:
        findings.extend(f for f in quiet if f not in findings.as_tuple())
    return properties


def audited(mesh: Mesh) -> MeshAudit:
    """The audit of a mesh, made once."""
    if mesh not in _AUDITS:
        _AUDITS[mesh] = audit_mesh(mesh)
    return _AUDITS[mesh]


def _tell(part: Part, audit: MeshAudit, shape: Shape, findings: Findings) -> None:
    """What the audit of a part's mesh found."""
    name = part.name if shape.visual_file is None else f"{part.name} ({shape.visual_file})"
    if not audit.closed:
        text = f"the mesh of {name} is open: {audit.open_edges} edges without a partner"
        _say(findings, "CB303", text, part)
        return
    if audit.inverted:
        _say(findings, "CB311", f"the mesh of {name} was inside out ({audit.inverted} shells); turned", part)
    if audit.flipped:
        text = f"{audit.flipped} triangles of {name} faced the wrong way; turned"
        _say(findings, "CB312", text, part)
    if audit.overlapping:
        text = f"{audit.overlapping} of the {audit.shells} shells of {name} reach into another"
        _say(findings, "CB313", text, part)


def _agrees(part: Part, ours: MassProperties, findings: Findings) -> bool:
    """Whether the mesh weighs what the B-Rep does."""
    exact = part.shape.brep if part.shape is not None else None
    if exact is None or exact.mass <= 0:
        return True
    mass = abs(ours.mass / exact.mass - 1.0)
    inertia = float(np.linalg.norm(ours.inertia - exact.inertia) / np.linalg.norm(exact.inertia))
    if mass <= MASS_TOLERANCE and inertia <= INERTIA_TOLERANCE:
        return True
    text = (
        f"the mesh of {part.name} is off its exact shape by {100 * mass:.2g} % in volume and "
        f"{100 * inertia:.2g} % in inertia; the exact values are taken"
    )
    _say(findings, "CB304", text, part)
    return False


def _from_collision(part: Part, shape: Shape, findings: Findings) -> tuple[MassProperties | None, str | None]:
    """The collision mesh's volume, where it is closed."""
    if shape.collision is None:
        return None, None
    audit = audited(shape.collision)
    if not audit.closed:
        name = shape.collision_file or "the collision mesh"
        _say(findings, "CB303", f"{part.name}: {name} is open too ({audit.open_edges} edges)", part)
        return None, None
    file = f" ({shape.collision_file})" if shape.collision_file else ""
    _say(findings, "CB314", f"{part.name} is weighed by its collision mesh{file}", part)
    return audit.volume, "mesh"


def _say(findings: Findings, code: str, text: str, part: Part) -> None:
    """Add a finding unless it was said already: a part may be weighed several times."""
    if not any(f.code == code and f.message == text for f in findings):
        where = part.where if part.where.item else replace(part.where, item=part.name)
        findings.add(code, text, where)
