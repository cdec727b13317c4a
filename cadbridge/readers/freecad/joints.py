"""Joints as mates and couplings, with the meaning that FreeCAD's own solver gives them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cadbridge.assembly import Coupling, FeatureKind, Limit, Mate, MateKind
from cadbridge.findings import Findings
from cadbridge.frames import Pose, cross_length, unit
from cadbridge.readers.freecad.document import Object
from cadbridge.readers.freecad.held import joint_kind, switched_off
from cadbridge.readers.freecad.references import UNKNOWN, JointSide, Resolver
from cadbridge.readers.joints import coordinate
from cadbridge.readers.markers import Marker, feature, gear, rack, screw
from cadbridge.readers.placement import ALIGNED
from cadbridge.units import DEGREE

FRAME, PLANE, AXIS, POINT = FeatureKind.FRAME, FeatureKind.PLANE, FeatureKind.AXIS, FeatureKind.POINT

PAIRS: dict[str, tuple[MateKind, FeatureKind]] = {
    "Fixed": (MateKind.FIXED, FRAME),
    "Revolute": (MateKind.REVOLUTE, FRAME),
    "Cylindrical": (MateKind.CYLINDRICAL, FRAME),
    "Slider": (MateKind.PRISMATIC, FRAME),
    "Ball": (MateKind.SPHERICAL, POINT),
    "Parallel": (MateKind.PARALLEL, AXIS),
    "Perpendicular": (MateKind.PERPENDICULAR, AXIS),
}
"""Joints between the two connectors as they are."""


@dataclass(frozen=True)
class _Rule:
    """A distance between two kinds: the mate, what it takes of either connector, whether radii add."""

    kind: MateKind
    a: FeatureKind
    b: FeatureKind
    radii: bool = False


_SPAN = MateKind.DISTANCE
_ON = MateKind.COINCIDENT
_PLANAR = _Rule(MateKind.PLANAR, PLANE, PLANE)
DISTANCES: dict[tuple[str, str], _Rule] = {
    ("plane", "plane"): _PLANAR,
    ("plane", "cylinder"): _Rule(_ON, PLANE, AXIS, True),
    ("plane", "sphere"): _Rule(_ON, PLANE, POINT, True),
    ("plane", "torus"): _PLANAR,
    ("cylinder", "cylinder"): _Rule(_SPAN, AXIS, AXIS, True),
    ("cylinder", "sphere"): _Rule(_SPAN, AXIS, POINT, True),
    ("cylinder", "torus"): _Rule(_SPAN, AXIS, AXIS, True),
    ("torus", "torus"): _PLANAR,
    ("torus", "sphere"): _Rule(_SPAN, AXIS, POINT, True),
    ("sphere", "sphere"): _Rule(_SPAN, POINT, POINT, True),
    ("plane", "line"): _Rule(_ON, PLANE, AXIS),
    ("plane", "point"): _Rule(_ON, PLANE, POINT),
    ("cylinder", "point"): _Rule(_SPAN, AXIS, POINT, True),
    ("sphere", "point"): _Rule(_SPAN, POINT, POINT, True),
    ("line", "line"): _Rule(_SPAN, AXIS, AXIS),
    ("line", "circle"): _Rule(_SPAN, AXIS, AXIS, True),
    ("circle", "circle"): _Rule(_SPAN, AXIS, AXIS, True),
    ("line", "point"): _Rule(_SPAN, AXIS, POINT),
    ("circle", "point"): _Rule(_ON, PLANE, POINT),
    ("curve", "point"): _Rule(_ON, PLANE, POINT),
    ("point", "point"): _Rule(_SPAN, POINT, POINT),
}
"""By the kinds of the elements, the earlier of `_ORDER` first; FreeCAD takes every other pair for two planes."""
_ORDER = ("plane", "cylinder", "cone", "torus", "sphere", "other", "line", "circle", "curve", "point")


@dataclass(eq=False)
class Joints:
    """Reads the joints of an assembly and its flexible sub-assemblies; `made` has the mates by the joints' names."""

    resolver: Resolver
    findings: Findings
    length: float
    sliders: dict[str, list[JointSide]] = field(default_factory=dict)
    made: dict[str, tuple[Mate, JointSide, JointSide]] = field(default_factory=dict)

    def read(self, joint: Object, scope: tuple[str, ...]) -> Mate | Coupling | None:
        """A joint as mate or coupling; a finding and None where it cannot be one."""
        kind = joint_kind(joint)
        if switched_off(joint):
            self.findings.add("CB1304", f"{joint.label} ({kind}) is switched off", joint.where())
            return None
        first, second = self.resolver.side(joint, "1", scope), self.resolver.side(joint, "2", scope)
        if first is None or second is None:
            return None
        if first.unit is second.unit:
            self.findings.add("CB168", f"{joint.label} holds two places of {first.unit.name}", joint.where())
            return None
        maker = _MAKERS.get(kind or "")
        if maker is None:
            self.findings.add("CB1228", f"{joint.label} is a joint of type {kind!r}", joint.where("JointType"))
            return None
        try:
            found = maker(self, joint, first, second)
        except ValueError as fault:
            self.findings.add("CB181", f"{joint.label}: {fault}", joint.where())
            return None
        if isinstance(found, Mate):
            self.made[joint.name] = found, first, second
        return found

    def note(self, joint: Object, scope: tuple[str, ...]) -> None:
        """Remember the sides of a slider: racks are known by them."""
        if joint_kind(joint) != "Slider" or switched_off(joint):
            return
        # The same faults are reported when the joint itself is read.
        quiet = Findings()
        findings, self.resolver.findings = self.resolver.findings, quiet
        for number in "12":
            side = self.resolver.side(joint, number, scope)
            if side is not None:
                self.sliders.setdefault(side.unit.name, []).append(side)
        self.resolver.findings = findings

    def amount(self, joint: Object, name: str) -> float:
        """A number of a joint; ValueError where it is none. A joint of an older file may lack it: 0."""
        value = joint.number(name) if joint.has(name) else 0.0
        if value is None:
            raise ValueError(f"{name} is not a number")
        return value

    def pair(self, joint: Object, first: JointSide, second: JointSide) -> Mate:
        """A joint between the connectors as they are."""
        kind, held = PAIRS[str(joint_kind(joint))]
        a, b = feature(first.marker, held), feature(second.marker, held)
        return Mate(joint.label, kind, a, b, limit=self._limit(joint, kind, first, second), where=joint.where())

    def angle(self, joint: Object, first: JointSide, second: JointSide) -> Mate:
        """The angle between the axes: `Angle` in newer files, `Distance` in those of 1.0; degrees."""
        degrees = abs(self.amount(joint, "Angle" if joint.has("Angle") else "Distance")) % 360.0
        a, b = feature(first.marker, AXIS), feature(second.marker, AXIS)
        # At 0 the cosine of the angle is flat, so that an equation of the angle would hold nothing there. FreeCAD's
        # solver makes a parallel joint of it as well.
        kind = MateKind.PARALLEL if degrees == 0.0 else MateKind.ANGLE
        return Mate(joint.label, kind, a, b, value=math.radians(degrees), where=joint.where())

    def distance(self, joint: Object, first: JointSide, second: JointSide) -> Mate | None:
        """By the kinds of the elements that the references name; a finding and None where one is not known."""
        bare = [side.unit.name for side in (first, second) if side.kind == UNKNOWN]
        if bare:
            text = f"{joint.label} is a distance to a face or edge of {' and '.join(bare)}, of which no shape is read"
            self.findings.add("CB1273", text, joint.where(), items=bare)
            return None
        value = self.amount(joint, "Distance") * self.length
        one, two = first, second
        # Of a datum or a whole part FreeCAD knows no kind, and then it sorts nothing: the offset's sign hangs on that.
        if first.kind and second.kind:
            one, two = sorted((first, second), key=lambda s: _ORDER.index(s.kind) if s.kind in _ORDER else len(_ORDER))
        rule = DISTANCES.get((one.kind, two.kind))
        if rule is None:
            kinds = " and ".join(s.kind or "an unknown feature" for s in (first, second))
            self.findings.add(
                "CB1231", f"{joint.label} is between {kinds}: it is held as if between two planes", joint.where()
            )
            rule = _PLANAR
        if rule.radii:
            value += one.radius + two.radius
        # FreeCAD makes a ball joint of two points if the distance is below its precision; older files have negatives.
        touching = value < _PRECISION if one.kind == two.kind == "point" else value == 0.0
        kind = MateKind.SPHERICAL if rule.a is rule.b is POINT and touching else rule.kind
        a, b = feature(one.marker, rule.a, label=one.kind), feature(two.marker, rule.b, label=two.kind)
        return Mate(joint.label, kind, a, b, value=value, where=joint.where())

    def gears(self, joint: Object, first: JointSide, second: JointSide) -> Coupling:
        """Pitch radii in Distance and Distance2; a belt is as a gear with one of them negative."""
        sense = -1.0 if joint_kind(joint) == "Belt" else 1.0
        radii = self.amount(joint, "Distance") * self.length, sense * self.amount(joint, "Distance2") * self.length
        return gear(joint.label, first.marker, second.marker, (first.X_WM, second.X_WM), radii, joint.where())

    def screw(self, joint: Object, first: JointSide, second: JointSide) -> Coupling:
        """Distance is the advance a turn. FreeCAD's solver has no screw where neither side is held by a slider."""
        pitch = self.amount(joint, "Distance") * self.length
        made = screw(joint.label, first.marker, second.marker, pitch, joint.where())
        if not (self._slides(first) or self._slides(second)):
            text = f"{joint.label} is a screw of which no slider holds a side along its axis"
            self.findings.add("CB1271", text, joint.where())
        return made

    def rack(self, joint: Object, first: JointSide, second: JointSide) -> Coupling:
        """The side that a slider holds along its axis is the rack; the bar runs along that connector's z."""
        bar, pinion = first, second
        if not self._slides(first):
            bar, pinion = second, first
            if not self._slides(second):
                raise ValueError("neither side is held by a slider along it, so which is the rack is not known")
        z, x = pinion.X_WM.R[:, 2], bar.X_WM.R[:, 2]
        across = x - z * float(x @ z)
        if float(np.linalg.norm(across)) < ALIGNED:
            raise ValueError("the rack runs along the pinion's axis")
        # The solver's rack runs along x of its marker; FreeCAD's connector has z along the slide. The frame is turned
        # so, with z along the pinion's axis.
        x = unit(across)
        X_WI = Pose(np.column_stack([x, np.cross(z, x), z]), bar.X_WM.p)
        X_WC = bar.unit.X_WC
        marker = Marker(bar.unit.name, X_WC.inverse() @ X_WI)
        radius = self.amount(joint, "Distance") * self.length
        return rack(joint.label, marker, pinion.marker, (X_WI, pinion.X_WM), radius, joint.where())

    def _slides(self, side: JointSide) -> bool:
        """Whether a slider holds the component of a side along the z of its connector."""
        axes = [s.X_WM.R[:, 2] for s in self.sliders.get(side.unit.name, [])]
        return any(cross_length(z, side.X_WM.R[:, 2]) < _ALONG_SLIDER for z in axes)

    def _limit(self, joint: Object, kind: MateKind, first: JointSide, second: JointSide) -> Limit | None:
        """Limits that are enabled, counted from the designed pose; on a joint of two freedoms they are reported."""
        found: dict[int, list[float | None]] = {}
        for what, axis, scale in (("Length", 2, self.length), ("Angle", 5, DEGREE)):
            ends = [
                self.amount(joint, f"{what}{end}") * scale if joint.flag(f"Enable{what}{end}", False) else None
                for end in ("Min", "Max")
            ]
            if any(e is not None for e in ends) and axis in _AXES.get(kind, ()):
                found[axis] = ends
        if found and len(_AXES[kind]) > 1:
            self.findings.add(
                "CB1305", f"{joint.label} is {kind.value}, of several freedoms: its limits are left out", joint.where()
            )
            return None
        for axis, (lower, upper) in found.items():
            if lower is not None and upper is not None and lower > upper:
                # FreeCAD swaps them where they stand the wrong way round.
                lower, upper = upper, lower
            zero = coordinate(first.X_WM.inverse() @ second.X_WM, axis)
            return Limit(lower, upper).counted_from(zero, turns=axis > 2)
        return None


_PRECISION = 1e-10
"""m: FreeCAD's `Precision::Confusion`, 1e-7 of its millimetres."""

_ALONG_SLIDER = 1e-4
"""Sine of the angle between a rack's connector and the slider that holds it, up to which the rack runs along it.

A choice: solved joints are off by the solver's tolerance, connectors along another axis by right angles.
"""

_AXES = {MateKind.PRISMATIC: (2,), MateKind.REVOLUTE: (5,), MateKind.CYLINDRICAL: (2, 5)}
"""What kinds with limits leave free of the connectors' frames, by the indices of `freedoms.AXES`."""

_MAKERS: dict[str, Callable[[Joints, Object, JointSide, JointSide], Mate | Coupling | None]] = {
    **dict.fromkeys(PAIRS, Joints.pair),
    "Angle": Joints.angle,
    "Distance": Joints.distance,
    "Gears": Joints.gears,
    "Belt": Joints.gears,
    "Screw": Joints.screw,
    "RackPinion": Joints.rack,
}
