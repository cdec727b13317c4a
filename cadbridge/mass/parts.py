"""The mass of a part and where it comes from.

Precedence: what a person gives (override) > what the file declares > density × volume, of the exact B-Rep, else of
the mesh, else of the collision mesh. A mesh is held against the B-Rep: the coarse one, and where that does not
confirm it the fine one. Without a density there is no mass: none is made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from cadbridge.assembly import MassOverride, Part
from cadbridge.findings import Finding, Findings
from cadbridge.geometry import Mesh, Shape
from cadbridge.inertia import MassProperties
from cadbridge.mass.declared import impossible, positive, usable
from cadbridge.mass.weighing import Weighed, weigh_mesh, weigh_meshes
from cadbridge.wording import count

MASS_TOLERANCE = 1e-3
"""Relative deviations of a fine mesh from its B-Rep beyond which they are reported: what we promise. Meshes are made a
fifth finer (`shapes.meshing`); the inertia goes with higher powers of lengths than the volume."""
INERTIA_TOLERANCE = 3e-3
"""Relative deviations of a fine mesh from its B-Rep beyond which they are reported."""
CHORDS = 0.04
"""The same for the volume of a coarse mesh: what chords of 0.5 rad cut off a disc, 1 - sin(0.5)/0.5; an inertia, of the
fourth power of a length beside the second, loses twice that."""


@dataclass(frozen=True, slots=True)
class PartMass:
    """A part's mass properties, beside all that they could be taken from; None is what is not known.

    Attributes:
        part: The part's name.
        instances: How often it is placed.
        properties: In the part's frame.
        source: "override", "declared", "mesh" or "brep".
        density: kg/m³.
        density_source: Who gave the density.
        mesh_volume: m³ of the closed mesh.
        brep_volume: m³ of the exact shape.
        declared: kg that the file declares.
        volume: m³ as mass, of its shape at density 1; None without a closed one.
    """

    part: str
    instances: int
    properties: MassProperties | None
    source: str | None
    density: float | None
    density_source: str | None
    mesh_volume: float | None
    brep_volume: float | None
    declared: float | None
    volume: MassProperties | None = None

    @property
    def weighable(self) -> bool:
        """Whether it has a shape with a volume."""
        return self.volume is not None

    @property
    def mass(self) -> float | None:
        """kg; None where it is not known."""
        return None if self.properties is None else self.properties.mass


@dataclass(frozen=True, slots=True)
class PartVolume:
    """A part's properties at density 1 and their source ("mesh", "brep"), None without a closed shape.

    `of_mesh` is the volume of the mesh that was audited, None where it is not closed. `findings` are those of meshes.
    """

    properties: MassProperties | None = None
    source: str | None = None
    of_mesh: float | None = None
    findings: tuple[Finding, ...] = ()


def part_volume(part: Part, known: Mapping[int, Weighed] = MappingProxyType({})) -> PartVolume:
    """The volume of a part's shape: of its B-Rep, else of its mesh (`known` by its id), else of its collision mesh."""
    shape, findings = part.shape, Findings()
    if shape is None:
        return PartVolume()
    mesh, weighed = first_mesh(shape), None
    if mesh is not None:
        weighed = known.get(id(mesh)) or weigh_mesh(mesh)
        # A fine mesh takes OCCT seconds for some parts, so it is made only where the coarse one leaves a doubt.
        if mesh is not shape.fine and not _confirms(weighed, shape):
            mesh = shape.fine
            weighed = None if mesh is None else weigh_meshes([mesh])[id(mesh)]
    volume = None if weighed is None or weighed.volume is None or weighed.volume.mass <= 0 else weighed.volume
    if weighed is not None and mesh is shape.fine:
        _report_audit(part, weighed, shape, findings)
        _report_deviation(part, volume, findings)
    of_mesh = None if weighed is None or weighed.volume is None else weighed.volume.mass
    # The exact volume before that of any mesh, which chords make smaller.
    if shape.brep is not None and shape.brep.mass > 0 and positive(shape.brep):  # an open one may have any inertia
        return PartVolume(shape.brep, "brep", of_mesh, findings.as_tuple())
    if volume is not None:
        return PartVolume(volume, "mesh", of_mesh, findings.as_tuple())
    return PartVolume(*_from_collision(part, shape, findings), of_mesh, findings.as_tuple())


def first_mesh(shape: Shape) -> Mesh | None:
    """The mesh to audit first: the coarse one where there is a B-Rep for it to confirm."""
    exact = shape.brep is not None and shape.brep.mass > 0
    return shape.coarse if exact and shape.coarse is not None and shape.fine is not None else shape.fine


def _confirms(coarse: Weighed, shape: Shape) -> bool:
    """Whether a coarse mesh is sound and off its B-Rep by no more than its chords explain."""
    if coarse.volume is None or coarse.flipped or coarse.inverted or coarse.overlapping:
        return False
    mass, inertia = _deviation(coarse.volume, shape.brep)
    return mass <= CHORDS and inertia <= 2 * CHORDS


def _deviation(ours: MassProperties, exact: MassProperties | None) -> tuple[float, float]:
    """The relative deviations of volume and inertia from those of the B-Rep; zeros where there is none."""
    if exact is None or exact.mass <= 0:
        return 0.0, 0.0
    inertia = float(np.linalg.norm(ours.inertia - exact.inertia) / np.linalg.norm(exact.inertia))
    return abs(ours.mass / exact.mass - 1.0), inertia


def weigh_part(part: Part, volume: PartVolume, findings: Findings, instances: int = 1) -> PartMass:
    """The mass of a part by the precedence above; what is wrong or missing goes to `findings`, once."""
    own = Findings()
    properties, source = _mass(part, volume, own)
    # Overriding and computing may both find the same fault.
    findings.extend(dict.fromkeys(own))
    return PartMass(
        part=part.name,
        instances=instances,
        properties=properties,
        source=source,
        density=part.density,
        density_source=part.density_source,
        mesh_volume=volume.of_mesh,
        brep_volume=None if part.shape is None or part.shape.brep is None else part.shape.brep.mass,
        declared=None if part.declared is None else part.declared.mass,
        volume=volume.properties,
    )


def _mass(part: Part, volume: PartVolume, findings: Findings) -> tuple[MassProperties | None, str | None]:
    if part.override is not None:
        given = _overridden(part, volume, part.override, findings)
        if given is not None:
            return given, "override"
    if part.weightless:
        nothing = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
        return (nothing if part.declared is None else part.declared), "declared"
    return _computed(part, volume, findings)


def _computed(part: Part, volume: PartVolume, findings: Findings) -> tuple[MassProperties | None, str | None]:
    """What the file declares, else density × volume; also of an inertia that no body has, which engines take."""
    declared = part.declared
    reason = None if declared is None else impossible(declared)
    if declared is not None and reason is None:
        return declared, "declared"
    weighed = part.density is not None and volume.properties is not None
    if declared is not None and usable(declared) and not weighed:
        _add(findings, "CB1433", f"{part.name}: {reason}; cadbridge computes with the declared values unchanged", part)
        return declared, "declared"
    if declared is not None:
        _add(findings, "CB308", f"{part.name}: the declared mass properties are not used", part)
    findings.extend(volume.findings)
    if volume.properties is None:
        if part.shape is None:
            _add(findings, "CB302", f"{part.name} has neither a shape nor a mass of its own", part)
        elif part.shape.fine is None and part.shape.coarse is None:
            _add(findings, "CB302", f"{part.name} has no volume, so there is nothing to weigh", part)
        return None, None
    if part.density is None:
        named = f" (its material is {part.material!r})" if part.material else ""
        _add(findings, "CB301", f"{part.name} has no density{named}", part)
        return None, None
    return volume.properties.scaled(part.density), volume.source


def _overridden(part: Part, volume: PartVolume, override: MassOverride, findings: Findings) -> MassProperties | None:
    """What a person gave, completed by what is computed; None where that does not make a whole.

    A mass alone scales the inertia with it. A centre alone moves the body: the inertia about the
    centre stays. An inertia is about the (given or computed) centre.
    """
    if override.mass is None and override.com is None and override.inertia is None:
        return None
    if override.mass == 0.0 and override.com is None and override.inertia is None:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))  # where nothing is, centre and inertia say nothing
    if override.mass is not None and override.com is not None and override.inertia is not None:
        mass, com, inertia = override.mass, override.com, override.inertia
    else:
        base = _base(part, volume, needs_mass=override.mass is None, findings=findings)
        if base is None:
            missing = [k for k in ("mass", "com", "inertia") if getattr(override, k) is None]
            text = f"{part.name}: {', '.join(missing)} must be given too, since they cannot be computed"
            _add(findings, "CB309", text, part)
            return None
        mass = base.mass if override.mass is None else override.mass
        com = base.com if override.com is None else override.com
        inertia = base.inertia * (mass / base.mass) if override.inertia is None else override.inertia
    result = MassProperties(float(mass), np.asarray(com, dtype=float), np.asarray(inertia, dtype=float))
    reason = impossible(result)
    if reason:
        where = override.where if str(override.where) else part.where
        findings.add("CB310", f"{part.name}: the given mass properties are physically impossible: {reason}", where)
        return None
    return result


def _base(part: Part, volume: PartVolume, needs_mass: bool, findings: Findings) -> MassProperties | None:
    """What an incomplete override is completed from; without a density the shape alone will do for a
    given mass, since only the proportions count."""
    quiet = Findings()
    properties, _ = _computed(part, volume, quiet)
    if properties is None and not needs_mass and volume.properties is not None:
        findings.extend(volume.findings)
        return volume.properties
    if properties is None:
        findings.extend(quiet)
    return properties


def _report_audit(part: Part, audit: Weighed, shape: Shape, findings: Findings) -> None:
    """What the audit of a part's mesh found."""
    name = part.name if shape.visual_file is None else f"{part.name} ({shape.visual_file})"
    if not audit.closed:
        text = f"the mesh of {name} is open: {count(audit.open_edges, 'edge')} without a partner"
        _add(findings, "CB303", text, part)
        return
    if audit.inverted:
        _add(findings, "CB311", f"the mesh of {name} was inside out ({count(audit.inverted, 'shell')}); turned", part)
    if audit.flipped:
        text = f"{count(audit.flipped, 'triangle')} of {name} faced the wrong way; turned"
        _add(findings, "CB312", text, part)
    if audit.overlapping:
        text = f"{audit.overlapping} of the {audit.shells} shells of {name} reach into another"
        _add(findings, "CB313", text, part)


def _report_deviation(part: Part, ours: MassProperties | None, findings: Findings) -> None:
    """CB304 where a closed mesh does not weigh what the B-Rep does."""
    if ours is None or part.shape is None or (part.shape.brep is not None and not positive(part.shape.brep)):
        return
    mass, inertia = _deviation(ours, part.shape.brep)
    if mass <= MASS_TOLERANCE and inertia <= INERTIA_TOLERANCE:
        return
    text = (
        f"the mesh of {part.name} is off its exact shape by {100 * mass:.2g} % in volume and "
        f"{100 * inertia:.2g} % in inertia; the exact values are taken"
    )
    _add(findings, "CB304", text, part)


def _from_collision(part: Part, shape: Shape, findings: Findings) -> tuple[MassProperties | None, str | None]:
    """The collision mesh's volume, where it is closed."""
    if shape.collision is None:
        return None, None
    audit = weigh_mesh(shape.collision)
    if audit.volume is None:
        name = shape.collision_file or "the collision mesh"
        _add(findings, "CB303", f"{part.name}: {name} is open too ({count(audit.open_edges, 'edge')})", part)
        return None, None
    file = f" ({shape.collision_file})" if shape.collision_file else ""
    _add(findings, "CB314", f"{part.name} is weighed by its collision mesh{file}", part)
    return audit.volume, "mesh"


def _add(findings: Findings, code: str, text: str, part: Part) -> None:
    findings.add(code, text, part.where if part.where.item else replace(part.where, item=part.name))
