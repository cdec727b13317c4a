"""Links, joints and pairs as entities at the end of a STEP text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Coupling, CouplingKind
from cadbridge.exporters.step_ap242.pairs import TYPES, KinematicPair
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, Vector, frame_from_axis
from cadbridge.freedoms import free
from cadbridge.readers.kinematics.links import Occurrences, argument
from cadbridge.readers.kinematics.pairs import FREEDOM, PAIRS
from cadbridge.readers.kinematics.units import context_units
from cadbridge.shapes.text21 import Part21Error, Ref, Text, written

SCHEMA = "AP242_MANAGED_MODEL_BASED_3D_ENGINEERING_MIM_LF { 1 0 10303 442 1 1 4 }"

KINEMATIC = (
    *PAIRS, "KINEMATIC_LINK", "RIGID_LINK_REPRESENTATION", "KINEMATIC_LINK_REPRESENTATION",
    "KINEMATIC_LINK_REPRESENTATION_ASSOCIATION", "PRODUCT_DEFINITION_RELATIONSHIP_KINEMATICS",
    "CONTEXT_DEPENDENT_KINEMATIC_LINK_REPRESENTATION", "KINEMATIC_JOINT", "KINEMATIC_TOPOLOGY_STRUCTURE",
    "MECHANISM_REPRESENTATION", "PRODUCT_DEFINITION_KINEMATICS", "KINEMATIC_PROPERTY_MECHANISM_REPRESENTATION",
)  # fmt: skip
"""What an earlier export left; it is replaced."""

_HEADER = re.compile(rb"FILE_SCHEMA\s*\(\s*\((?:[^';]|'[^']*')*\)\s*\)\s*;")
_END_DATA = re.compile(rb"ENDSEC\s*;\s*END-ISO-10303-21\s*;")
_GEARS = (CouplingKind.SPUR, CouplingKind.INTERNAL, CouplingKind.BEVEL, CouplingKind.RACK_PINION)
_FREE_OF = {kind: FREEDOM[pair] for kind, pair in TYPES.items() if pair in FREEDOM} | {"parallel": free("tx ty tz rz")}


@dataclass
class _Bound:
    """A link written: its entity, its representation, X_WL, the scale of lengths."""

    link: Ref
    representation: Ref
    X_WL: Pose
    scale: float
    name: str
    context: Ref
    items: list[Ref]


@dataclass
class EntityWriter:
    """Appends entities to a STEP text; one writer writes once."""

    text: Text
    assembly: Assembly
    findings: Findings
    lines: list[str] = field(default_factory=list)
    number: int = 0
    bound: dict[str, _Bound] = field(default_factory=dict)

    def add(self, pairs: list[KinematicPair], data: bytes) -> bytes:
        """The text with links, joints and pairs; Part21Error where it has no place for them."""
        self.number = self.text.highest
        self.occurrences = Occurrences(self.text, self.assembly, {e["path"]: e for e in self.assembly.extra["tree"]})
        self.usages = self.occurrences.usages()
        if not self.usages:
            raise Part21Error("the file is one part, without occurrences that could move")
        root = self.occurrences.root()
        shape = None if root is None else self.occurrences.shape_of(root)
        context = None if shape is None else argument(self.text, shape, 2)
        if root is None or shape is None or not isinstance(context, Ref):
            raise Part21Error("the file's own product has no shape with units")
        self.units = context_units(self.text, context)
        self.root, self.root_shape, self.context = Ref(root), Ref(shape), context
        items, joints = self._items(pairs)
        self._mechanism(items, joints)
        return self._spliced(data)

    def _put(self, type_: str, *arguments: object) -> Ref:
        self.number += 1
        self._line(Ref(self.number), type_, arguments)
        return Ref(self.number)

    def _line(self, number: Ref, type_: str, arguments: tuple[object, ...]) -> None:
        self.lines.append(f"#{int(number)}={type_}({','.join(written(a) for a in arguments)});")

    def _items(self, pairs: list[KinematicPair]) -> tuple[list[Ref], list[Ref]]:
        """Pairs and gears, and their joints."""
        items: list[Ref] = []
        joints: list[Ref] = []
        base = self._base()
        whole = [*pairs, *self._rigid(), *self._grounding(base)]
        for pair in whole:
            joints.append(self._joint(pair.joint_name, pair.a, pair.b))
            items.append(self._lower(pair, joints[-1]))
        for coupling in self.assembly.couplings:
            made = self._coupling(coupling)
            if made is not None:
                items.append(made[0])
                joints.append(made[1])
        return items, joints

    def _base(self) -> str:
        """The link that stands still: the one grounded component where nothing refers to the world, else the whole."""
        grounded = [c.name for c in self.assembly.components if c.grounded]
        used = any(GROUND in (m.a.component, m.b.component) for m in self.assembly.mates)
        name = grounded[0] if len(grounded) == 1 and not used else GROUND
        self.base = self._link(name)
        return name

    def _grounding(self, base: str) -> list[KinematicPair]:
        grounded = [c for c in self.assembly.components if c.grounded and c.name != base]
        return [KinematicPair(f"ground {c.name}", "fixed", GROUND, c.name, c.X_WC) for c in grounded]

    def _rigid(self) -> list[KinematicPair]:
        """Occurrences of a component that no occurrence of the file holds together."""
        found = []
        for component in self.assembly.components:
            for path in self._paths(component.name)[1:]:
                X = self.assembly.instance(path).X_WI
                found.append(KinematicPair(f"{component.name}: {path}", "fixed", component.name, path, X))
        return found

    def _paths(self, component: str) -> list[str]:
        """The occurrences that a component consists of, the first one being its link."""
        if component in self.usages:
            return [component]
        return list(self.assembly.component(component).instances)

    def _link(self, name: str) -> _Bound:
        """The link of a component (or of an occurrence in one, or of the whole)."""
        if name in self.bound:
            return self.bound[name]
        link = self._put("KINEMATIC_LINK", name)
        components = {c.name for c in self.assembly.components}
        if name == GROUND:
            X, shape, usage = Pose(), self.root_shape, None
        else:
            path = (self._paths(name) if name in components else [name])[0]
            usage = self.usages.get(path)
            child = None if usage is None else argument(self.text, usage, 4)
            found = self.occurrences.shape_of(int(child)) if isinstance(child, Ref) else None
            if usage is None or found is None:
                raise Part21Error(f"the occurrence {path} cannot be found in the file")
            X, shape = self.occurrences.pose(path), Ref(found)
        context = argument(self.text, shape, 2)
        # Each representation counts in the units of its own context, which may differ within a file.
        context = context if isinstance(context, Ref) else self.context
        scale = context_units(self.text, context).length
        origin = self._placement(Pose(), scale)
        self.number += 1  # kept free: the representation lists the placements of all pairs
        representation = Ref(self.number)
        association = self._put("KINEMATIC_LINK_REPRESENTATION_ASSOCIATION", name, None, representation, shape)
        if usage is not None:
            relation = self._put("PRODUCT_DEFINITION_RELATIONSHIP_KINEMATICS", name, None, Ref(usage))
            self._put("CONTEXT_DEPENDENT_KINEMATIC_LINK_REPRESENTATION", association, relation)
        self.bound[name] = _Bound(link, representation, X, scale, name, context, [origin])
        return self.bound[name]

    def _placement(self, X: Pose, scale: float) -> Ref:
        point = self._put("CARTESIAN_POINT", "", tuple(float(v) for v in X.p / scale))
        z, x = (self._put("DIRECTION", "", tuple(float(v) for v in X.R[:, k])) for k in (2, 0))
        return self._put("AXIS2_PLACEMENT_3D", "", point, z, x)

    def _joint(self, name: str, a: str, b: str) -> Ref:
        return self._put("KINEMATIC_JOINT", name, self._link(a).link, self._link(b).link)

    def _frames(self, pair_a: str, pair_b: str, X_WA: Pose, X_WB: Pose) -> tuple[Ref, Ref]:
        links = [self._link(pair_a), self._link(pair_b)]
        first, second = (
            self._placement(link.X_WL.inverse() @ X, link.scale) for link, X in zip(links, (X_WA, X_WB), strict=True)
        )
        links[0].items.append(first)
        links[1].items.append(second)
        return first, second

    def _lower(self, pair: KinematicPair, joint: Ref) -> Ref:
        X = pair.X_WJ
        leaves = _FREE_OF.get(pair.type)
        if leaves is not None and leaves.axes == (0,):  # z of ours is x of the standard's
            X = Pose(np.column_stack([X.R[:, 2], X.R[:, 0], X.R[:, 1]]), X.p)
        frames = self._frames(pair.a, pair.b, X, X)
        kind, head = TYPES[pair.type], (pair.name, pair.name, None, *frames, joint)
        flags = () if leaves is None else tuple(i in leaves.axes for i in range(6))
        own = {"screw": (pair.pitch * 2.0 * math.pi / self.units.length,), "universal": (None,)}.get(pair.type, ())
        ends = self._range(pair)
        return self._put(f"{kind}_PAIR{'_WITH_RANGE' if ends else ''}", *head, *flags, *own, *ends)

    def _range(self, pair: KinematicPair) -> tuple[float | None, ...]:
        limit = pair.limit
        if limit is None or (limit.lower is None and limit.upper is None):
            return ()
        unit = {"revolute": self.units.angle, "screw": self.units.angle, "prismatic": self.units.length}.get(pair.type)
        if unit is None:
            self.findings.add(
                "CB1305", f"{pair.name}: the range of a {pair.type} joint is left out", Where(item=pair.name)
            )
            return ()
        return tuple(None if v is None else v / unit for v in (limit.lower, limit.upper))

    def _coupling(self, coupling: Coupling) -> tuple[Ref, Ref] | None:
        """A gear or rack pair with its joint; None with a finding where there is none for it."""
        a, b = coupling.a, coupling.b
        if coupling.kind not in _GEARS or a is None or b is None or a.direction is None or b.direction is None:
            self.findings.add(
                "CB791",
                f"{coupling.name} ({coupling.kind.value}) is not a kinematic pair of AP242 and is left out",
                coupling.where,
            )
            return None
        X = [self.assembly.component_pose(f.component) for f in (a, b)]
        points = [x.point(f.point) for x, f in zip(X, (a, b), strict=True)]
        axes = [x.vector(d) for x, d in zip(X, (a.direction, b.direction), strict=True)]
        rack = coupling.kind is CouplingKind.RACK_PINION
        R = [frame_from_axis(axes[0]), frame_from_axis(axes[1])]
        if rack:
            R[1] = np.column_stack([axes[1], R[1][:, 0], np.cross(axes[1], R[1][:, 0])])
        frames = self._frames(a.component, b.component, Pose(R[0], points[0]), Pose(R[1], points[1]))
        joint = self._joint(coupling.name, a.component, b.component)
        head = (coupling.name, coupling.name, None, *frames, joint)
        length = self.units.length
        if rack:
            return self._put("RACK_AND_PINION_PAIR", *head, (coupling.radius_a or 0.0) / length), joint
        ra, rb = _gear_radii(coupling, points, axes)
        bevel = math.acos(float(np.clip(axes[0] @ axes[1], -1.0, 1.0))) if coupling.kind is CouplingKind.BEVEL else 0.0
        ratio = coupling.ratio or 1.0
        return self._put("GEAR_PAIR", *head, ra / length, rb / length, bevel / self.units.angle, 0.0, ratio), joint

    def _mechanism(self, items: list[Ref], joints: list[Ref]) -> None:
        name = self.assembly.name
        for bound in self.bound.values():
            arguments = (bound.name, tuple(bound.items), bound.context, bound.link)
            self._line(bound.representation, "RIGID_LINK_REPRESENTATION", arguments)
        topology = self._put("KINEMATIC_TOPOLOGY_STRUCTURE", name, tuple(joints), self.context)
        mechanism = self._put("MECHANISM_REPRESENTATION", name, tuple(items), self.context, topology)
        kinematics = self._put("PRODUCT_DEFINITION_KINEMATICS", name, None, self.root)
        self._put("KINEMATIC_PROPERTY_MECHANISM_REPRESENTATION", kinematics, mechanism, self.base.representation)

    def _spliced(self, data: bytes) -> bytes:
        """The text without earlier kinematics and with ours, its schema AP242."""
        # An export of an export: two mechanisms in a file would both be read.
        for number in self.text.numbers_of(*KINEMATIC):
            data = re.sub(rb"#%d\s*=\s*(?:[^';]|'[^']*')*;[ \t]*\r?\n?" % number, b"", data, count=1)
        if b"AP242" not in data[: data.find(b"DATA")]:
            data = _HEADER.sub(f"FILE_SCHEMA(('{SCHEMA}'));".encode(), data, count=1)
            self.findings.add("CB794", f"the schema is now {SCHEMA}", Where(file=self.assembly.source))
        ends = list(_END_DATA.finditer(data))
        if not ends:
            raise Part21Error("the file has no end of its data")
        at = ends[-1].start()
        return data[:at] + ("\n".join(self.lines) + "\n").encode() + data[at:]


def _gear_radii(coupling: Coupling, points: Iterable[Vector], axes: Iterable[Vector]) -> tuple[float, float]:
    """Pitch radii in m: as given, else from the centre distance and the ratio."""
    ratio = coupling.ratio or 1.0
    if coupling.radius_a is not None and coupling.radius_b is not None:
        return coupling.radius_a, coupling.radius_b
    if coupling.radius_a is not None:
        return coupling.radius_a, coupling.radius_a * ratio
    (p, q), (u, _) = points, axes
    apart = q - p
    distance = float(np.linalg.norm(apart - u * float(u @ apart)))
    # m: axes that meet have no radii but by their angles.
    if coupling.kind is CouplingKind.BEVEL or distance < 1e-12:
        return 0.01, 0.01 * ratio  # only their ratio matters: the axes of bevel gears meet
    first = distance / (1.0 + ratio) if coupling.kind is CouplingKind.SPUR else distance / abs(1.0 - ratio)
    return first, first * ratio
