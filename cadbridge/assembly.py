"""What the CAD system states: parts, instances and components, with the mates of `cadbridge.mates`. Frozen, SI.

Nothing is interpreted. The names of `cadbridge.mates` can be imported from here too.

Frames: W world (the source's, SI), I an instance (its part's own frame), C a component.
Placements are proper rigid motions; a mirrored instance gets a mirrored part of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cadbridge.findings import Finding, Findings, Where
from cadbridge.frames import Matrix, Pose, Vector
from cadbridge.geometry import FineMesh, Shape
from cadbridge.inertia import MassProperties
from cadbridge.mates import (
    GROUND,
    MATE_FREEDOM,
    CamLaw,
    ControlLaw,
    Coupling,
    CouplingKind,
    Drive,
    Feature,
    FeatureKind,
    Limit,
    Mate,
    MateKind,
)  # fmt: skip
from cadbridge.shown import Shown, sentence
from cadbridge.study import MotionLaw, Study
from cadbridge.wording import count, listed

__all__ = [
    "GROUND", "MATE_FREEDOM", "TOUCHING", "UNACTUATED", "Assembly", "CamLaw", "Component", "ControlLaw", "Coupling",
    "CouplingKind", "Drive", "Feature", "FeatureKind", "Instance", "Limit", "MassOverride", "Mate", "MateKind",
    "NamedFrame", "Part", "report_unrefined", "unrefined",
]  # fmt: skip

TOUCHING = "touching"
"""In `Assembly.extra`: how many geometries touch one another in the engine of the source."""


UNACTUATED = "unactuated"
"""In `Assembly.extra`: whether the source switches all its actuators off."""


def unrefined(parts: Iterable[Part]) -> list[str]:
    """The names of parts whose fine mesh was asked for and could not be made."""
    meshes = ((part.name, part.shape.fine) for part in parts if part.shape is not None)
    return [name for name, mesh in meshes if isinstance(mesh, FineMesh) and mesh.failed]


def report_unrefined(names: Sequence[str], findings: Findings) -> None:
    """CB542 for parts of these names."""
    if names:
        findings.add(
            "CB542",
            f"OCCT did not finish the fine mesh of {count(len(names), 'part')} in time: {listed(names)}",
            items=names,
        )


@dataclass(frozen=True, eq=False)
class MassOverride:
    """Mass properties that a person gives, in the frame of the part or component; None leaves what is computed.

    Attributes:
        mass: kg.
        com: Centre of mass (3,) m.
        inertia: About the centre of mass (3, 3) kg m².
        where: Where they were given.
    """

    mass: float | None = None
    com: Vector | None = None
    inertia: Matrix | None = None
    where: Where = field(default_factory=Where)


@dataclass(frozen=True, eq=False)
class Part:
    """A distinct shape; it may be placed many times.

    Attributes:
        name: Its name, one among all parts.
        shape: Its geometry, None where the source has none.
        material: The material's name.
        density: kg/m³; None where it is not known.
        density_source: Who gave the density.
        declared: The file's own mass properties, in the part's frame.
        override: What a person gives of its mass.
        colour: Red, green, blue and opacity, each from 0 to 1.
        mirrored_from: The part of which it is the mirror image.
        weightless: Whether the file says that it weighs nothing beside what it is fixed to.
        by_default: Whether `declared` is what the format gives to a part of which the file says nothing.
        inertia_by_default: Whether the inertia of `declared` is what the format gives where the file has none.
        collision: What collides of it in exports: "none", or a key of `cadbridge.exporters.COLLISIONS`; None where the
            export decides.
        where: Its place in the file.
    """

    name: str
    shape: Shape | None = None
    material: str | None = None
    density: float | None = None
    density_source: str | None = None
    declared: MassProperties | None = None
    override: MassOverride | None = None
    colour: tuple[float, float, float, float] | None = None
    mirrored_from: str | None = None
    weightless: bool = False
    by_default: bool = False
    inertia_by_default: bool = False
    collision: str | None = None
    where: Where = field(default_factory=Where)

    @property
    def form(self) -> str:
        """What equal parts have in common, copies that are parts of their own too: the shape's key, else the name."""
        return self.name if self.shape is None else self.shape.key

    def __repr__(self) -> str:
        return sentence("Part", self.name, self.material or "", repr(self.shape) if self.shape else "no shape")


@dataclass(frozen=True, eq=False)
class Instance:
    """A leaf placement of a part.

    Attributes:
        name: Its unique path, with '/' between levels.
        part: The part's name.
        X_WI: Its pose in the world as designed; I is the part's own frame.
        component: The component to which it belongs.
        colour: Red, green, blue and opacity from 0 to 1, in place of the part's.
        product_path: The names of the products above it, as the file has them.
    """

    name: str
    part: str
    X_WI: Pose
    component: str
    colour: tuple[float, float, float, float] | None = None
    product_path: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return sentence("Instance", self.name, f"part {self.part!r}", f"component {self.component!r}")


@dataclass(frozen=True, eq=False)
class Component:
    """A rigid unit that mates connect: instances with no motion between them.

    Attributes:
        name: Its name, one among all components.
        instances: The names of its instances.
        X_WC: Its pose in the world as designed; C is I where it has one instance.
        grounded: Whether it stands still.
        override: What a person gives of its mass, in C.
        gravity_compensation: The share of its weight that something outside carries; 1 is all.
        where: Its place in the file.
    """

    name: str
    instances: tuple[str, ...]
    X_WC: Pose
    grounded: bool = False
    override: MassOverride | None = None
    gravity_compensation: float = 0.0
    where: Where = field(default_factory=Where)

    def __repr__(self) -> str:
        return sentence(
            "Component", self.name, count(len(self.instances), "instance"), "grounded" if self.grounded else ""
        )


@dataclass(frozen=True, eq=False)
class NamedFrame:
    """A frame that people refer to, such as base or tool, fixed in a component.

    Attributes:
        name: Its name.
        component: The component.
        X_CF: Its pose in the component's frame C.
    """

    name: str
    component: str
    X_CF: Pose


@dataclass(frozen=True, eq=False)
class Assembly(Shown):
    """All that a source states, frozen and in SI; placements are in the world frame W of the source.

    Attributes:
        name: The assembly's name.
        source: The path of the file.
        format: The format's name.
        parts: Distinct shapes.
        instances: Their placements.
        components: The rigid units that mates connect.
        mates: Relations between components.
        couplings: Gears, belts, racks, screws, cams, mimics.
        drives: What moves joints.
        frames: Named frames.
        home: Values of joints in the home pose, rad or m, by name.
        joint_names: Names that joints shall have, by mate.
        units: The ledger of units: what was in the file, and what it became.
        mates_in_file: How many mates, joints and couplings the file has, those left out included.
        extra: What only one format says, by keys of its reader.
        study: What the source says of a run; None where it says nothing.
        gravity: The source's own, m/s², world axes; None where it has none.
        findings: What was found wrong or remarkable in reading.
    """

    name: str
    source: str
    format: str
    parts: tuple[Part, ...]
    instances: tuple[Instance, ...]
    components: tuple[Component, ...]
    mates: tuple[Mate, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    drives: tuple[Drive, ...] = ()
    frames: tuple[NamedFrame, ...] = ()
    home: dict[str, float] = field(default_factory=dict)
    joint_names: dict[str, str] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    mates_in_file: int = 0
    extra: dict[str, Any] = field(default_factory=dict)
    study: Study | None = None
    gravity: tuple[float, float, float] | None = None
    findings: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        counts = [("part", self.parts), ("instance", self.instances), ("component", self.components),
                  ("mate", self.mates), ("coupling", self.couplings), ("finding", self.findings)]  # fmt: skip
        return sentence("Assembly", self.name, self.format, *(count(len(items), noun) for noun, items in counts))

    @property
    def motions(self) -> tuple[MotionLaw, ...]:
        """The motions of joints that the source prescribes in its own run."""
        return () if self.study is None else self.study.motions

    def part(self, name: str) -> Part:
        """Look a part up.

        Args:
            name: Its name.

        Returns:
            The part.

        Raises:
            KeyError: There is none of that name.
        """
        found: Part = self._index("parts")[name]
        return found

    def instance(self, name: str) -> Instance:
        """Look an instance up.

        Args:
            name: Its path.

        Returns:
            The instance.

        Raises:
            KeyError: There is none of that name.
        """
        found: Instance = self._index("instances")[name]
        return found

    def component(self, name: str) -> Component:
        """Look a component up.

        Args:
            name: Its name.

        Returns:
            The component.

        Raises:
            KeyError: There is none of that name.
        """
        found: Component = self._index("components")[name]
        return found

    def component_pose(self, name: str) -> Pose:
        """Look up where a component is.

        Args:
            name: Its name; `GROUND` for the world.

        Returns:
            X_WC.

        Raises:
            KeyError: There is none of that name.
        """
        return Pose() if name == GROUND else self.component(name).X_WC

    def _index(self, what: str) -> dict[str, Any]:
        cache: dict[str, dict[str, Any]] = self.__dict__.setdefault("_indices", {})
        if what not in cache:
            cache[what] = {item.name: item for item in getattr(self, what)}
        return cache[what]

    def with_findings(self, findings: tuple[Finding, ...]) -> Assembly:
        """Add findings.

        Args:
            findings: Those to add behind its own.

        Returns:
            A copy with them.
        """
        return replace(self, findings=self.findings + findings)
