"""Motors: each is one class from the file that people write to the run; SI, with the file's units in the annotations.

`cadbridge.simulation.motor_file` makes the file's model of these classes and reads it. Loads no pydantic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints

from cadbridge.mechanism import Joint, Mechanism
from solver.functions import constant, scaled
from solver.model import TimeFunction

BAR, LITRE, CUBIC_CENTIMETRE, MILLIMETRE = 1e5, 1e-3, 1e-6, 1e-3
"""Pa, m³, m³ and m of the units in which people write circuits."""
LEADS = ("speed", "angle")
"""Laws that prescribe a motion."""
DRIVES = ("torque", *LEADS, "pd")
"""Laws without a circuit."""
CIRCUITS = ("dc", "cylinder")
LAWS = (*DRIVES, *CIRCUITS)

Spec = TypeVar("Spec")


@dataclass(frozen=True)
class Written:
    """How a field stands in a file: in SI it is `factor` times what the file gives.

    `along`: and degrees or millimetres are those of the joint. `reduced`: of what is given for a drive's motor, the
    n-th power of the reduction times it acts on the joint. `form`: a function of time, or what numbers it may be.
    """

    factor: float = 1.0
    along: bool = False
    reduced: int = 0
    form: Literal["function", "finite", "positive", "not negative", "share"] = "function"
    required: bool = False


_NOTHING = constant(0.0)
_Along = Annotated[TimeFunction, Written(along=True, reduced=-1)]
_Positive = Annotated[float, Written(form="positive")]
_NotNegative = Annotated[float, Written(form="not negative")]


@dataclass(frozen=True)
class Pd:
    """A motor that pulls its joint to a target, like a spring with a damper.

    Attributes:
        target: rad, m (in a file degrees, mm).
        kp: N m/rad, N/m.
        kd: N m s/rad, N s/m.
        effort: The most that it pulls with, N m or N.
    """

    target: _Along
    kp: Annotated[float, Written(reduced=2, form="not negative")]
    kd: Annotated[float, Written(reduced=2, form="not negative")] = 0.0
    effort: Annotated[float, Written(reduced=1, form="positive")] = math.inf


@dataclass(frozen=True)
class DcMotor:
    """A DC motor with a gearhead: V = R i + L di/dt + K ω.

    Attributes:
        resistance: R, Ω.
        constant: K, N m/A or V s/rad.
        voltage: V, a function of time.
        inductance: L, H; with 0 the current follows at once.
        ratio: Turns of the motor for one of the joint (rad/m on a sliding one).
        efficiency: The gearhead's, whichever end drives.
        rotor_inertia: kg m² of the rotor.
        current: The current at the start, A.
    """

    resistance: _Positive
    constant: _Positive
    voltage: Annotated[TimeFunction, Written(required=True)] = _NOTHING
    inductance: _NotNegative = 0.0
    ratio: Annotated[float, Written(reduced=1, form="finite")] = 1.0
    efficiency: Annotated[float, Written(form="share")] = 1.0
    rotor_inertia: _NotNegative = 0.0
    current: Annotated[float, Written(form="finite")] = 0.0


@dataclass(frozen=True)
class Chamber:
    """A side of a cylinder, behind the line of its supply.

    Attributes:
        pressure: The supply's gauge pressure, Pa (in a file bar).
        resistance: Of the laminar line, Pa s/m³ (in a file bar s/L).
        volume: Of fluid that gives way, m³ (in a file cm³); None where it does not.
        initial: The pressure at the start, Pa (in a file bar); None takes the supply's.
    """

    pressure: Annotated[TimeFunction, Written(BAR)] = _NOTHING
    resistance: Annotated[float, Written(BAR / LITRE, form="not negative")] = 0.0
    volume: Annotated[float | None, Written(CUBIC_CENTIMETRE, form="positive")] = None
    initial: Annotated[float | None, Written(BAR, form="finite")] = None


@dataclass(frozen=True)
class CylinderSide:
    """A chamber in its cylinder.

    Attributes:
        name: "cap" or "rod".
        sense: The way in which it pushes the joint's value, +1 or −1.
        area: m².
        chamber: The chamber.
        modulus: The fluid's bulk modulus, Pa.
    """

    name: str
    sense: float
    area: float
    chamber: Chamber
    modulus: float | None

    @property
    def resistance(self) -> float:
        """That of the line, Pa s/m³."""
        return self.chamber.resistance

    @property
    def capacity(self) -> float:
        """Volume over bulk modulus (m³/Pa), 0 where the pressure has no motion of its own: it is the supply's."""
        volume, modulus = self.chamber.volume, self.modulus
        return 0.0 if volume is None or modulus is None or not self.resistance else volume / modulus

    @property
    def initial(self) -> float:
        """The first pressure, Pa."""
        given = self.chamber.initial
        return self.chamber.pressure.evaluate(0.0)[0] if given is None else given


@dataclass(frozen=True)
class Cylinder:
    """A hydraulic or pneumatic cylinder on a joint that slides: the cap's pressure pushes its value up, the rod's down.

    Attributes:
        bore: Diameter, m (in a file mm).
        rod: Diameter, m (in a file mm).
        bulk_modulus: Of the fluid in chambers with a volume, Pa (in a file bar).
        cap: The chamber without the rod.
        rod_side: The chamber with the rod.
    """

    bore: Annotated[float, Written(MILLIMETRE, form="positive")]
    rod: Annotated[float, Written(MILLIMETRE, form="not negative")] = 0.0
    bulk_modulus: Annotated[float | None, Written(BAR, form="positive")] = None
    cap: Chamber = field(default_factory=Chamber)
    rod_side: Chamber = field(default_factory=Chamber)

    @property
    def sides(self) -> tuple[CylinderSide, CylinderSide]:
        """The cap and the rod side."""
        whole, rod = math.pi / 4 * self.bore**2, math.pi / 4 * self.rod**2
        return (
            CylinderSide("cap", 1.0, whole, self.cap, self.bulk_modulus),
            CylinderSide("rod", -1.0, whole - rod, self.rod_side, self.bulk_modulus),
        )


@dataclass(frozen=True)
class MotorSpec:
    """A motor: its joint, and one law.

    By the name of a drive in place of a joint, all is of the motor before the drive's reduction.

    Attributes:
        joint: The joint's name, or a drive's.
        torque: N m or N, a function of time.
        speed: rad/s or m/s (in a file degrees/s, mm/s), which is prescribed.
        angle: rad or m (in a file degrees, mm), which is prescribed.
        pd: A target that it pulls to.
        dc: A DC motor.
        cylinder: A cylinder.
    """

    joint: str
    torque: Annotated[TimeFunction | None, Written(reduced=1)] = None
    speed: _Along | None = None
    angle: _Along | None = None
    pd: Pd | None = None
    dc: DcMotor | None = None
    cylinder: Cylinder | None = None

    @property
    def laws(self) -> tuple[str, ...]:
        """What of `LAWS` is given: one, of a motor that can be."""
        return tuple(law for law in LAWS if getattr(self, law) is not None)

    @property
    def kind(self) -> str:
        """Which of `LAWS` it follows."""
        return self.laws[0]

    @property
    def function(self) -> TimeFunction:
        """What it follows where it has no circuit: torque, speed, angle, or the target of a pd motor."""
        given = self.torque or self.speed or self.angle or (None if self.pd is None else self.pd.target)
        assert given is not None, self.joint
        return given


def on_joint(mechanism: Mechanism, motor: MotorSpec) -> MotorSpec:
    """A motor as it acts on its joint, by the joint's name.

    What is given for a drive by the drive's name is for its motor, before the reduction r: r times its torque acts on
    the joint, and the joint turns by 1/r of its angle. By the name of a mate it acts as that counts.
    """
    drive, joint = mechanism.drive_named(motor.joint), mechanism.joint_named(motor.joint)
    r = mechanism.sense(motor.joint) if drive is None else drive.reduction
    if r != 1.0:
        motor = times(motor, lambda written: r**written.reduced)
    return motor if joint is None else replace(motor, joint=joint.name)


def times(spec: Spec, factor: Callable[[Written], float]) -> Spec:
    """A class of this room with each quantity times a factor, which depends on how it is written."""
    done: dict[str, Any] = {}
    kind: type = spec.__class__
    for name, stands in standing(kind).items():
        value = getattr(spec, name)
        if value is None or stands is None:
            continue
        if isinstance(stands, type):
            done[name] = times(value, factor)
        elif isinstance(value, TimeFunction):
            by = factor(stands)
            done[name] = value if by == 1.0 else scaled(value, by)
        else:
            # A reduction below zero turns the sense of what has one; a stiffness or a largest effort has none.
            done[name] = value * (factor(stands) if stands.form == "finite" else abs(factor(stands)))
    return replace(spec, **done)  # type: ignore[type-var]  # `standing` knows dataclasses alone


@cache
def standing(kind: type) -> dict[str, Written | type | None]:
    """What the fields of a class of this room are: quantities as they are written, classes within, names (None)."""
    hints = get_type_hints(kind, include_extras=True)
    return {f.name: _stands(hints[f.name]) for f in fields(kind)}


def _stands(hint: Any) -> Written | type | None:
    # Of a union with None as of what else it holds.
    for part in (hint, *get_args(hint)):
        for mark in getattr(part, "__metadata__", ()):
            if isinstance(mark, Written):
                return mark
        if isinstance(part, type) and is_dataclass(part) and part is not TimeFunction:
            return part
    return None


def doubts(motor: MotorSpec, joint: Joint, *, led: bool = False) -> list[str]:
    """What cannot be meant of a DC motor or a cylinder on a joint; `led`: its voltage or pressure is requested."""
    if motor.dc is not None:
        return _doubts_of_dc(motor.dc, led)
    if motor.cylinder is None:
        return []
    found, cylinder = [], motor.cylinder
    if joint.coordinate != "distance":
        found.append(f"a cylinder needs a joint that slides, and {joint.name} is {joint.type}")
    rod, bore = cylinder.rod / MILLIMETRE, cylinder.bore / MILLIMETRE
    if rod >= bore:
        found.append(f"its rod of {rod:g} mm does not fit into its bore of {bore:g} mm")
    for key in ("cap", "rod_side"):
        found += _doubts_of_chamber(key, getattr(cylinder, key), cylinder.bulk_modulus)
    return found


def _doubts_of_dc(dc: DcMotor, led: bool) -> list[str]:
    found = []
    if dc.efficiency < 1.0 and not dc.rotor_inertia and not led:
        found.append("a gearhead that loses power needs the motor's rotor_inertia, which stands behind the loss")
    if dc.current and not dc.inductance:
        found.append("without inductance the current follows at once: it has no first value of its own")
    if dc.ratio == 0.0:
        found.append("a ratio of 0 ties it to nothing")
    return found


def _doubts_of_chamber(side: str, chamber: Chamber, modulus: float | None) -> list[str]:
    found = []
    if chamber.volume is not None and modulus is None:
        found.append(f"the volume of {side} gives way by the fluid's bulk_modulus, which is not said")
    elif chamber.volume is not None and not chamber.resistance:
        found.append(f"{side} has a volume and no resistance: its pressure is the supply's, whatever the volume")
    stores = chamber.volume is not None and modulus is not None and chamber.resistance
    if chamber.initial is not None and not stores:
        found.append(f"{side} has an initial pressure, and no volume that would hold it")
    return found
