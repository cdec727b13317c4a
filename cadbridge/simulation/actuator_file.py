"""DC motors and cylinders as people write them in a scenario or motion file, and what they mean in SI."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from cadbridge.mechanism import Joint
from cadbridge.numbers import Finite, NotNegative, Positive
from cadbridge.simulation.circuits import Chamber, Cylinder, DcMotor
from cadbridge.simulation.load_file import Function, Strict, function_of
from solver.functions import constant, scaled

BAR, LITRE, CUBIC_CENTIMETRE = 1e5, 1e-3, 1e-6
"""Pa, m³ and m³."""
Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class DcData(Strict):
    """A DC motor: Ω, H, N m/A (V s/rad), kg m² of the rotor; a gearhead with its `ratio` and `efficiency`.

    `ratio` is turns of the motor for one of the joint; on a sliding joint rad/m.
    """

    resistance: Positive
    inductance: NotNegative = 0.0
    constant: Positive
    ratio: Finite = 1.0
    efficiency: Share = 1.0
    rotor_inertia: NotNegative = 0.0


class DcEntry(DcData):
    """A DC motor with its voltage (V), and its `current` (A) at first."""

    voltage: Function
    current: Finite = 0.0


class ChamberEntry(Strict):
    """A side of a cylinder: its supply's gauge pressure (bar), the line's resistance (bar s/L), volume of oil (cm³).

    `initial` is the chamber's first pressure (bar), by default that of the supply.
    """

    pressure: Function = 0.0
    resistance: NotNegative = 0.0
    volume: Positive | None = None
    initial: Finite | None = None


class CylinderEntry(Strict):
    """A cylinder on a sliding joint: mm, bar. The cap's pressure pushes the joint's value up, the rod side's down.

    `bulk_modulus` (bar) is that of the fluid in chambers with a `volume`.
    """

    bore: Positive
    rod: NotNegative = 0.0
    bulk_modulus: Positive | None = None
    cap: ChamberEntry = Field(default_factory=ChamberEntry)
    rod_side: ChamberEntry = Field(default_factory=ChamberEntry)


class LedChamberEntry(Strict):
    """The chamber whose supply is requested: its line's resistance (bar s/L) and its volume of fluid (cm³)."""

    resistance: NotNegative = 0.0
    volume: Positive | None = None


class LedCylinderEntry(Strict):
    """A cylinder whose cap's pressure is requested; that of the rod side's supply is known (0: ambient)."""

    bore: Positive
    rod: NotNegative = 0.0
    bulk_modulus: Positive | None = None
    cap: LedChamberEntry = Field(default_factory=LedChamberEntry)
    rod_side: ChamberEntry = Field(default_factory=ChamberEntry)


def dc_motor_of(name: str, entry: DcEntry, faults: list[str]) -> DcMotor:
    """The motor, with what is wrong with it stated; ValueError where its voltage is no function of time."""
    if entry.efficiency < 1.0 and not entry.rotor_inertia:
        faults.append("a gearhead that loses power needs the motor's rotor_inertia, which stands behind the loss")
    if entry.current and not entry.inductance:
        faults.append("without inductance the current follows at once: it has no first value of its own")
    plain = dc_data_of(name, entry, faults)
    return replace(plain, voltage=function_of(entry.voltage), current=entry.current)


def dc_data_of(name: str, entry: DcData, faults: list[str]) -> DcMotor:
    """The motor without a voltage, with what is wrong with it stated."""
    if entry.ratio == 0.0:
        faults.append("a ratio of 0 ties it to nothing")
    return DcMotor(
        name, constant(0.0), entry.resistance, entry.constant, entry.inductance, entry.ratio, entry.efficiency,
        entry.rotor_inertia,
    )  # fmt: skip


def cylinder_of(joint: Joint, entry: CylinderEntry, faults: list[str]) -> Cylinder:
    """The cylinder, with what is wrong with it stated; ValueError where a pressure is no function of time."""
    if joint.coordinate != "distance":
        faults.append(f"a cylinder needs a joint that slides, and {joint.name} is {joint.type}")
    if entry.rod >= entry.bore:
        faults.append(f"its rod of {entry.rod:g} mm does not fit into its bore of {entry.bore:g} mm")
    whole = math.pi / 4 * (entry.bore * 1e-3) ** 2
    rest = whole - math.pi / 4 * (entry.rod * 1e-3) ** 2
    cap = _chamber("cap", entry.cap, whole, entry.bulk_modulus, faults)
    return Cylinder(joint.name, cap, _chamber("rod_side", entry.rod_side, rest, entry.bulk_modulus, faults))


def led_cylinder_of(joint: Joint, entry: LedCylinderEntry, faults: list[str]) -> Cylinder:
    """The cylinder with no supply at its cap, with what is wrong with it stated."""
    cap = ChamberEntry(resistance=entry.cap.resistance, volume=entry.cap.volume)
    whole = CylinderEntry(
        bore=entry.bore, rod=entry.rod, bulk_modulus=entry.bulk_modulus, cap=cap, rod_side=entry.rod_side
    )
    return cylinder_of(joint, whole, faults)


def _chamber(side: str, entry: ChamberEntry, area: float, modulus: float | None, faults: list[str]) -> Chamber:
    supply = scaled(function_of(entry.pressure), BAR)
    capacity = 0.0
    if entry.volume is not None:
        if modulus is None:
            faults.append(f"the volume of {side} gives way by the fluid's bulk_modulus, which is not said")
        elif not entry.resistance:
            faults.append(f"{side} has a volume and no resistance: its pressure is the supply's, whatever the volume")
        else:
            capacity = entry.volume * CUBIC_CENTIMETRE / (modulus * BAR)
    if entry.initial is not None and not capacity:
        faults.append(f"{side} has an initial pressure, and no volume that would hold it")
    first = supply.evaluate(0.0)[0] if entry.initial is None else entry.initial * BAR
    return Chamber(supply, area, entry.resistance * BAR / LITRE, capacity, first)
