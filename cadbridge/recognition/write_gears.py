"""The gears of a mates file: teeth, axes and carrier, each with its evidence; without a carrier commented out."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cadbridge.assembly import CouplingKind
from cadbridge.frames import Vector
from cadbridge.readers.mates_file.faces import yaml_text, yaml_vector
from cadbridge.recognition.gears import FoundGear
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.units import Unit, Units


def gear_lines(found: Recognition, units: Units) -> Iterator[str]:
    """The lines of the section `gears:`; none where there are no gears."""
    sure = [gear for gear in found.gears if gear.couples]
    if sure:
        yield "gears:\n"
    for gear in sure:
        yield from _gear(gear, units)
    for gear in found.gears:
        if gear not in sure:
            yield f"# {gear.against or 'No body holds both axes of this gear'}:\n"
            yield from ("#" + line for line in _gear(gear, units))


def _gear(gear: FoundGear, units: Units) -> Iterator[str]:
    yield f"  - name: {yaml_text(gear.name)}  # {100 * gear.confidence:.0f} %\n"
    yield f"    type: {gear.kind.value}\n"
    yield from (f"    {key}: {value}\n" for key, value in _numbers(gear).items())
    for side, body, instance, point, axis in zip(
        "ab", (gear.a, gear.b), gear.instances, gear.points, gear.axes, strict=True
    ):
        yield f"    {side}: {_axis(_unit(units, body, instance), point, axis)}\n"
    if gear.carrier is not None:
        yield f"    carrier: {yaml_text(units.of_body[gear.carrier][0].name)}\n"
    for text in gear.evidence:
        yield f"    # for: {text}\n"


def _numbers(gear: FoundGear) -> dict[str, object]:
    """What each kind of gear is written by."""
    if gear.kind is CouplingKind.RACK_PINION:
        return {"radius": f"{gear.radius * 1e3:.9g}"}
    if gear.kind is CouplingKind.WORM:
        return {"starts": gear.teeth[0], "teeth": gear.teeth[1], "hand": "left" if gear.helix < 0 else "right"}
    keys: dict[str, object] = {"teeth": f"[{gear.teeth[0]}, {gear.teeth[1]}]"}
    if gear.kind is CouplingKind.CROSSED_HELICAL:
        keys["helix"] = f"{math.degrees(gear.helix):.4g}"
    elif gear.pressure_angle is not None:
        keys["pressure_angle"] = f"{math.degrees(gear.pressure_angle):.3g}"
    return keys


def _unit(units: Units, body: int, instance: str) -> Unit:
    members = units.of_body[body]
    return next((unit for unit in members if instance in unit.instances), members[0])


def _axis(unit: Unit, point: Vector, axis: Vector) -> str:
    X_UW = unit.X_WU.inverse()
    items = [f"component: {yaml_text(unit.name)}", f"point: {yaml_vector(X_UW.point(point) * 1e3, 6)}"]
    return "{" + ", ".join([*items, f"axis: {yaml_vector(X_UW.vector(axis), 12)}"]) + "}"
