"""Masses of components and bodies from those of their parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cadbridge.assembly import Assembly, Component, MassOverride
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties, combine
from cadbridge.wording import listed

if TYPE_CHECKING:
    from cadbridge.mass import PartMass


@dataclass(frozen=True, eq=False)
class ComponentMass:
    """A component's mass properties.

    Attributes:
        mass: In its frame C; None where one of its parts' is unknown.
        source: Where they come from.
    """

    mass: MassProperties | None
    source: str | None


def component_masses(assembly: Assembly, parts: Iterable[PartMass]) -> dict[str, ComponentMass]:
    """Mass properties of every component, from those of its parts."""
    of_part = {part.part: part for part in parts}
    return {c.name: _component(assembly, c, of_part) for c in assembly.components}


def _component(assembly: Assembly, component: Component, of_part: dict[str, PartMass]) -> ComponentMass:
    items, bare = [], []
    sources: defaultdict[str, float] = defaultdict(float)
    for name in component.instances:
        instance = assembly.instance(name)
        part, X_CI = of_part[instance.part], component.X_WC.inverse() @ instance.X_WI
        if part.properties is None:
            bare.append(None if part.volume is None else part.volume.moved(X_CI))
            continue
        items.append(part.properties.moved(X_CI))
        sources[part.source or "declared"] += part.properties.mass
    if bare and component.override is not None:
        items, bare = _of_one_density(items, bare, component.override.mass)
    total = None if bare else combine(items)
    source = max(sources, key=sources.__getitem__) if sources else None
    if component.override is not None:
        overridden = _override(total, component.override)
        if overridden is not None:
            return ComponentMass(overridden, "override")
    return ComponentMass(total, source if total is not None else None)


def _of_one_density(
    known: list[MassProperties], bare: list[MassProperties | None], given: float | None
) -> tuple[list[MassProperties], list[MassProperties | None]]:
    """Items that weigh what is given in all, where those without a density have one; the two lists as they are else."""
    volumes = [volume for volume in bare if volume is not None]
    rest = 0.0 if given is None else given - sum(item.mass for item in known)
    if rest <= 0.0 or len(volumes) < len(bare):
        return known, bare
    density = rest / sum(volume.mass for volume in volumes)
    return [*known, *(volume.scaled(density) for volume in volumes)], []


def _override(total: MassProperties | None, override: MassOverride) -> MassProperties | None:
    """What a person gave, over what was computed; a mass alone scales the inertia."""
    if override.mass == 0.0 and total is None and override.com is None and override.inertia is None:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))  # where nothing is, centre and inertia say nothing
    if override.mass is not None and total is not None and total.mass > 0:
        # As of the same shape in another material: the centre stays, the inertia goes with the mass.
        total = total.scaled(override.mass / total.mass)
    mass = override.mass if override.mass is not None else (total.mass if total else None)
    com = override.com if override.com is not None else (total.com if total else None)
    inertia = override.inertia if override.inertia is not None else (total.inertia if total else None)
    if mass is None or com is None or inertia is None:
        return None
    return MassProperties(mass, np.asarray(com, dtype=float), np.asarray(inertia, dtype=float))


def body_mass(
    assembly: Assembly, components: Sequence[str], masses: dict[str, ComponentMass], X_WB: Pose
) -> tuple[MassProperties | None, str | None]:
    """The sum of components in the body's frame B, with the source that most of the mass has.

    (None, None) where a mass is not known.
    """
    from cadbridge.mass import settled

    items = []
    sources: defaultdict[str, float] = defaultdict(float)
    for name in components:
        found = masses[name]
        if found.mass is None:
            return None, None
        items.append(found.mass.moved(X_WB.inverse() @ assembly.component(name).X_WC))
        sources[found.source or "declared"] += found.mass.mass
    return settled(combine(items)), (max(sources, key=sources.__getitem__) if sources else None)


NOTHING_TO_WEIGH = (
    "These parts have no solid, so that a density does not help. Export them as solids, or write what they weigh under "
    "`mass:` in the mates file: each `mass`, `com` and `inertia`, or `mass: 0` of a part beside others on a body that "
    "have a mass. A body that moves has one."
)
"""The cure where parts are without a shape: a source may put the solids of several under one."""

NO_BODY = "Correct the moments of inertia in the file, or give the part its own in the mates file."
"""The cure where all parts have a mass, and the inertia of all together is below zero about an axis."""


def unknown_mass(
    assembly: Assembly, parts: Iterable[PartMass], body: str, components: Iterable[str]
) -> tuple[str, str | None]:
    """That the mass of a body is not known and of which of its parts, and the cure where it is no density."""
    own = {assembly.instance(i).part for c in components for i in assembly.component(c).instances}
    unweighed = sorted((part for part in parts if part.part in own and part.properties is None), key=lambda p: p.part)
    bare = [part.part for part in unweighed if not part.weighable]
    light = [part.part for part in unweighed if part.weighable and part.density is None]
    reasons = [
        f"{listed(names)} {'has' if len(names) == 1 else 'have'} {what}"
        for names, what in ((bare, "no solid to weigh"), (light, "no density")) if names
    ]  # fmt: skip
    if not unweighed:
        return f"the moments of inertia of {body} are of no body, and its mass is not used (CB305)", NO_BODY
    text = f"the mass of {body} is not known" + (f": {'; '.join(reasons)}" if reasons else "")
    if not bare:
        return text, None
    return text, NOTHING_TO_WEIGH + (" The others need a density (--density, --material)." if light else "")


def turns(mass: MassProperties) -> bool:
    """Whether a body of these mass properties follows a torque; one without mass is another finding's."""
    from cadbridge.mass import positive

    return mass.mass <= 0 or positive(mass)
