"""The gears of an assembly: its wheels, which of them mesh, between which bodies, and on which carrier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cadbridge.assembly import Assembly, CouplingKind, report_unrefined, unrefined
from cadbridge.findings import Findings
from cadbridge.frames import Vector
from cadbridge.freedoms import SLIDE
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.wheels.finding import MOST_TRIANGLES, find_wheels, too_fine
from cadbridge.recognition.wheels.meshing import Meshing, carrier_of, reaching, unfit_pairs
from cadbridge.recognition.wheels.placed import MeshingPair, meeting
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind
from cadbridge.wording import listed

_TURNING = ("revolute", "cylindrical", "screw")
"""Joints about whose axis a wheel turns."""
_AXES_MEET = 1e-6
"""m by which axes that meet may pass each other before the teeth's pose is a finding: rounding of placements."""

_MOST_NAMED = 5
"""Names that a message gives; all of them are the finding's items."""


@dataclass(frozen=True, eq=False)
class FoundGear:
    """A gear pair between the bodies `a` and `b` (indices); points and axes (3,) in the world's frame.

    `instances` hold the wheels, `ratio` = teeth of b / teeth of a (of a rack 0, and `radius` m of the pinion's pitch
    circle). `carrier`: the body that holds both axes, None where none is known. `helix` rad of a's teeth against its
    axis, right-hand positive; `pressure_angle` rad, None where it could not be read. `against`: why it is proposed as a
    comment only. `radii`: of the pitch circles, m, of wheels without teeth, whose `teeth` are 0.
    """

    name: str
    kind: CouplingKind
    a: int
    b: int
    instances: tuple[str, str]
    points: tuple[Vector, Vector]
    axes: tuple[Vector, Vector]
    teeth: tuple[int, int]
    ratio: float
    radius: float
    helix: float
    pressure_angle: float | None
    carrier: int | None
    confidence: float
    evidence: tuple[str, ...]
    against: str = ""
    radii: tuple[float, float] | None = None

    @property
    def bodies(self) -> tuple[int, ...]:
        """The bodies that it ties: of the two wheels, and the carrier where it is known."""
        return (self.a, self.b) if self.carrier is None else (self.a, self.b, self.carrier)

    @property
    def couples(self) -> bool:
        """Whether it is a gear and no proposal: a body holds both axes, and nothing speaks against."""
        return self.carrier is not None and not self.against


def with_gears(found: Recognition, placed: Sequence[Wheel], meshing: Meshing) -> Recognition:
    """What was recognised, with its gears and wheels, and findings on those in doubt and without a partner."""
    gears, findings = tuple(_gears(meshing, found)), Findings()
    reasons: dict[str, list[str]] = {}
    for wheel in _doubtful(placed, meshing):
        reasons.setdefault(wheel.doubt, []).append(wheel.instance)
    for reason, names in reasons.items():
        findings.add("CB1607", f"{listed(names, _MOST_NAMED)}: {reason}", items=names)
    if large := [p.name for p in found.assembly.parts if p.shape is not None and too_fine(p.shape)]:
        text = f"{listed(large)}: more than {MOST_TRIANGLES:,} triangles; teeth are not looked for"
        findings.add("CB1487", text, items=large)
    report_unrefined(unrefined(found.assembly.parts), findings)
    unfit = unfit_pairs(meshing.alone)
    for p, q in unfit:
        text = f"the teeth of {p.instance} and {q.instance} reach between each other, but do not fit: no gear"
        findings.add("CB1607", text, items=[p.instance, q.instance])
    paired = {w for pair in unfit for w in pair}
    if alone := [w for w in meshing.alone if w not in paired]:
        mesh = {name for pair in meshing.pairs for name in pair.instances}
        # A part with several wheels, of which another meshes, would be said to mesh and not to.
        called = [f"the {w.teeth} teeth of {w.instance}" if w.instance in mesh else w.instance for w in alone]
        some = ", ".join(called[:_MOST_NAMED]) + (" …" if len(alone) > _MOST_NAMED else "")
        text = f"no other wheel of the same module stands where it would mesh with {some}"
        findings.add("CB1608", text, items=[w.instance for w in alone])
    for one, other in dict.fromkeys(gear.instances for gear in gears if gear.carrier is None and not gear.against):
        findings.add("CB1609", f"{one} and {other} mesh, but no body holds both axes", items=(one, other))
    wheels = tuple(_entry(w) for w in meshing.wheels)
    return replace(found, gears=gears, wheels=wheels, findings=found.findings + findings.as_tuple())


def _gears(meshing: Meshing, found: Recognition) -> Iterator[FoundGear]:
    """The pairs that mesh between two bodies; what meshes inside of one is no gear."""
    body_of, joints = found.body_of, found.joints
    names = {name: str(i) for name, i in body_of.items()}
    turning = [(str(j.a), str(j.b), j.point, j.axis) for j in joints if j.type in _TURNING and j.axis is not None]
    sliding = [(str(j.a), str(j.b), j.axis) for j in joints if j.free.motion == SLIDE and j.axis is not None]
    for pair in meshing.pairs:
        a, b = (body_of.get(name) for name in pair.instances)
        if a is not None and b is not None and a != b:
            carrier = carrier_of(pair, names, turning, sliding)
            yield _gear(pair, a, b, None if carrier is None else int(carrier))


def _doubtful(placed: Sequence[Wheel], meshing: Meshing) -> list[Wheel]:
    """Teeth that are not sure to be a wheel's, and reach between those of another."""
    # A wheel that its partner makes sure is another object by now: its place tells which it was.
    confirmed = {(w.instance, *_spot(w)) for w in meshing.wheels}
    unsure = [w for w in placed if not w.sure and (w.instance, *_spot(w)) not in confirmed]
    return [w for w in reaching(placed, unsure) if w.kind is not WheelKind.THREAD]


def wheels_of_parts(assembly: Assembly) -> dict[str, tuple[Wheel, ...]]:
    """The wheels of each part by its name; shapes that are equal are looked at once."""
    by_key: dict[str, tuple[Wheel, ...]] = {}
    found = {}
    for part in assembly.parts:
        if part.shape is not None:
            if part.shape.key not in by_key:
                by_key[part.shape.key] = find_wheels(part.shape)
            found[part.name] = by_key[part.shape.key]
    return found


def _spot(wheel: Wheel) -> tuple[float, ...]:
    return tuple(round(float(x), 9) for x in wheel.point)


def _gear(pair: MeshingPair, a: int, b: int, carrier: int | None) -> FoundGear:
    p, q = pair.a, pair.b
    name = f"{pair.kind.value.capitalize()}: {p.instance} - {q.instance}"
    angle = p.pressure_angle if p.pressure_angle is not None else q.pressure_angle
    if pair.kind in (CouplingKind.BELT, CouplingKind.CHAIN):
        angle = None
    radius = p.teeth * p.module / 2 if pair.kind is CouplingKind.RACK_PINION else 0.0
    points = p.point, q.point
    if pair.kind is CouplingKind.BEVEL and (meet := meeting(p, q))[0] > _AXES_MEET and meet[1] is not None:
        points = meet[1], meet[1]  # axes that pass each other within the clearance of the placements
    return FoundGear(
        name, pair.kind, a, b, pair.instances, points, (p.axis, q.axis), (p.teeth, q.teeth), pair.ratio, radius,
        p.helix, angle, carrier, pair.confidence, pair.evidence, pair.against,
        None if p.teeth else (p.reference, q.reference),
    )  # fmt: skip


def _entry(wheel: Wheel) -> dict[str, Any]:
    """A wheel as `recognised_gears` lists it: SI, world frame."""
    return {
        "component": wheel.instance,
        "teeth": wheel.teeth,
        "internal": wheel.internal,
        "module": float(wheel.module),
        "kind": wheel.label,
        "axis": [float(x) for x in wheel.axis],
        "point": [float(x) for x in wheel.point],
        "helix": float(wheel.helix),
        "evidence": list(wheel.evidence),
    }
