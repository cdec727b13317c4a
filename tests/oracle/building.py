"""Assemblies in the world's coordinates, made row by row: bodies of any mass, joints between them, couplings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import (
    GROUND,
    Assembly,
    Component,
    Coupling,
    CouplingKind,
    Feature,
    FeatureKind,
    Instance,
    Mate,
    MateKind,
    Part,
)
from cadbridge.frames import Pose, unit
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import Mechanism, build

Array = NDArray[np.float64]
Triple = Sequence[float] | Array
Wheel = tuple[str, Triple, Triple]
"""The component, a point of its axis, and the axis, in the world."""


@dataclass
class Maker:
    """What an assembly is made of, until `mechanism` builds it. All axes of bodies are the world's as designed."""

    places: dict[str, Array] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    mates: list[Mate] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)

    def body(self, name: str, at: Triple, mass: float = 1.0, com: Triple = (0.0, 0.0, 0.0), size: float = 0.1) -> str:
        """A body at a place (m) with its centre of mass `com` from there and a box's inertia of about `size` (m)."""
        self.places[name] = np.array(at, float)
        inertia = mass * size**2 * np.diag([0.9, 1.0, 1.1])
        self.parts.append(Part(name, declared=MassProperties(mass, np.array(com, float), inertia)))
        return name

    def feature(self, component: str, at: Triple, axis: Triple, kind: FeatureKind = FeatureKind.AXIS) -> Feature:
        """An axis of a component through a point of the world."""
        origin = np.zeros(3) if component == GROUND else self.places[component]
        return Feature(component, kind, np.array(at, float) - origin, unit(axis))

    def joint(self, name: str, kind: MateKind, a: str, b: str, at: Triple, axis: Triple, **more: float) -> str:
        """A joint of b on a about an axis of the world; a ball joint has no axis, but a point."""
        side = FeatureKind.POINT if kind is MateKind.SPHERICAL else FeatureKind.AXIS
        one, two = (self.feature(body, at, axis, side) for body in (a, b))
        self.mates.append(Mate(name, kind, one, two, **more))  # type: ignore[arg-type]
        return name

    def pair(
        self,
        name: str,
        kind: CouplingKind,
        a: tuple[str, Triple, Triple],
        b: tuple[str, Triple, Triple],
        **more: object,
    ) -> str:
        """A gear of two wheels, each (component, point, axis)."""
        self.couplings.append(Coupling(name, kind, self.feature(*a), self.feature(*b), **more))  # type: ignore[arg-type]
        return name

    def mechanism(self) -> Mechanism:
        """The mechanism of all that was added; AssertionError where building it finds an error."""
        poses = {name: Pose(np.eye(3), at) for name, at in self.places.items()}
        made = Assembly(
            name="oracle",
            source="oracle",
            format="test",
            parts=tuple(self.parts),
            instances=tuple(Instance(n, n, X, n) for n, X in poses.items()),
            components=tuple(Component(n, (n,), X) for n, X in poses.items()),
            mates=tuple(self.mates),
            couplings=tuple(self.couplings),
        )
        found = build(made)
        errors = [f for f in found.findings if f.severity == "error"]
        assert not errors, errors
        return found
