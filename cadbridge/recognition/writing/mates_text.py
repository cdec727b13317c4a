"""The mates file of what was recognised: each line with its evidence, what was not taken commented out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from cadbridge.assembly import CouplingKind
from cadbridge.frames import Vector
from cadbridge.freedoms import SLIDE
from cadbridge.readers.mates_file.faces import yaml_text, yaml_vector
from cadbridge.recognition.choice.calibration import of_mobility
from cadbridge.recognition.choice.hypotheses import Hypothesis, hypotheses
from cadbridge.recognition.choice.reporting import SURE_JOINT, nothing_known
from cadbridge.recognition.model import FoundJoint, Recognition
from cadbridge.recognition.part_names import shortest
from cadbridge.recognition.wheels.gears import FoundGear
from cadbridge.recognition.writing.hints_text import hints_text
from cadbridge.recognition.writing.units import BodyUnits, Unit, units_of
from cadbridge.wording import count, of_which

CLOSEST = 3
"""Other verdicts that the first line of a mates file names, the closest."""

_HEAD = """\
# {freedoms}
# Mates recognised in {source} by `cadbridge recognise`: a proposal to check and to edit. The line above is about the
# proposal: of joints that you edit, `cadbridge check` counts the degrees of freedom.
# Behind each line stand its evidence and how sure it is. Where two parts do not move against each other, write
# `type: fixed` for their mate (without pitch and limits): without its lines they float. `cadbridge explain CB1601`.
"""

_BEGINNING = """\
format: cadbridge.mates/1
units: {length: mm, angle: deg}
"""


def mates_text(found: Recognition) -> str:
    """Write what was found as a mates file.

    Args:
        found: What `recognise` gave.

    Returns:
        YAML, each line with its evidence, what was not taken commented out; the same recognition gives the same bytes.
    """
    head = _HEAD.format(source=_comment(found.assembly.name), freedoms=_comment(freedoms_text(found)))
    return head + mates_entries(found)


def mates_entries(found: Recognition) -> str:
    """The mates file without what stands above it for a person, which takes a count of all second verdicts."""
    units = units_of(found)
    lines = [_BEGINNING, hints_text(found.hints)]
    ground = units.of_body[found.ground][0]
    lines.append(f"ground:\n  - {yaml_text(ground.name)}  # {found.ground_reason}\n")
    if units.flexible:
        lines.append("flexible:  # sub-assemblies that move inside, or belong to several bodies\n")
        lines += [f"  - {yaml_text(path)}\n" for path in units.flexible]
    attached = "".join(_attached(found, units))
    if attached:
        lines.append("attach:  # what moves as one\n" + attached)
    joints = "".join(text for joint in found.joints for text in _joint(found, units, joint))
    if joints:
        lines.append("mates:\n" + joints)
    lines += gear_lines(found, units)
    lines += _rejected(found)
    return "".join(lines)


def freedoms_text(found: Recognition) -> str:
    """The mobility, whether it is sure, and what else it may be: the first line of the file."""
    if found.assembly.mates:
        return "The source has mates of its own, with which `cadbridge check` counts the degrees of freedom."
    if nothing_known(found.assembly):
        return "Nothing can be known of how it moves (CB1652)."
    if found.freedoms is None:
        return "Too many bodies to count the degrees of freedom."
    text = f"{count(found.freedoms, 'degree').capitalize()} of freedom"
    if found.spins:
        about = "a body about its own axis"
        text += f", {of_which(found.spins, found.freedoms, f'only spins {about}', f'only spin {about}')}"
    if found.momentary:
        text += f", and {found.momentary} more only at this pose"
    known = [h for h in hypotheses(found) if h.turns and h.change != 0]
    share = of_mobility(math.prod(h.confidence for h in known), found.freedoms)
    if found.as_told:
        text += ", as you said."
    elif any(f.code == "CB1658" for f in found.findings):
        text += ", not sure: nothing holds some of the bodies (CB1658)."
    elif share < SURE_JOINT:
        behind = f": {count(len(known), 'decision')} behind it may be otherwise" if known else ""
        text += f", not sure (about {100 * share:.0f} %){behind}."
    else:
        # Of the number alone: a wrong joint may have as many freedoms as the right one, and wrong welds none at all.
        whole = not known and share > 0.995
        text += ", a number that nothing unsure changes." if whole else f", the number about {100 * share:.0f} % sure."
    names = shortest(i.name for i in found.assembly.instances)
    closest = [_otherwise(h, names, found.freedoms) for h in known[:CLOSEST]]
    return f"{text} Closest: {'; '.join(closest)}." if closest else text


def _otherwise(h: Hypothesis, names: Mapping[str, str], freedoms: int) -> str:
    """The other verdict of a decision, how likely it is, and the mobility with it."""
    more = f" and {count(len(h.equal) - 1, 'pair')} alike" if len(h.equal) > 1 else ""
    other = "joined" if h.now == "fixed" else "fixed"
    text = f"{names[h.a]} - {names[h.b]}{more} {other} ({100 * (1 - h.confidence):.0f} %)"
    return text if h.change is None else f"{text}: {freedoms + h.change}"


def _attached(found: Recognition, units: BodyUnits) -> Iterator[str]:
    for body, members in zip(found.bodies, units.of_body, strict=True):
        if len(members) < 2:
            continue
        yield f"  - to: {yaml_text(members[0].name)}\n    components:\n"
        # A bond stands at the one of its two parts that was bound; the other, to which all is held, has no bond of its
        # own.
        reasons = {bond.instance: bond for bond in body.bonds} | {
            bond.to: bond
            for bond in body.bonds
            if bond.to is not None and bond.to not in {b.instance for b in body.bonds}
        }
        for unit in members[1:]:
            bond = next((reasons[i] for i in unit.instances if i in reasons), None)
            why = "" if bond is None else f"  # {_comment(bond.reason)} ({100 * bond.confidence:.0f} %)"
            yield f"      - {yaml_text(unit.name)}{why}\n"


def _joint(found: Recognition, units: BodyUnits, joint: FoundJoint) -> Iterator[str]:
    a, b = units.of_body[joint.a][0], units.of_body[joint.b][0]
    yield f"  - name: {yaml_text(joint.name)}  # {100 * joint.confidence:.0f} %\n"
    yield f"    type: {joint.type}\n"
    if joint.pitch is not None:
        yield f"    pitch: {joint.pitch * 1e3:.9g}\n"
    yield f"    a: {_axis(a, joint.point, joint.axis)}\n"
    yield f"    b: {{component: {yaml_text(b.name)}}}\n"
    yield from _limits(joint)
    for text in joint.evidence:
        yield f"    # for: {_comment(text)}\n"
    for text in joint.against:
        yield f"    # against: {_comment(text)}\n"
    motion = joint.motion
    if motion is not None and motion.state != "blocked" and joint.limit is None:
        yield f"    # {'not moved' if motion.state == 'untested' else 'moved'}: {_comment(motion.reason)}\n"


def _limits(joint: FoundJoint) -> Iterator[str]:
    """The limits of a joint, rounded towards the pose as designed, with the two parts that meet at each end."""
    if joint.limit is None:
        return
    scale, digits = (1e3, 2) if joint.free.motion == SLIDE else (math.degrees(1.0), 1)
    ends = [("lower", joint.limit.lower), ("upper", joint.limit.upper)]
    shown = [f"{name}: {_inward(value * scale, digits):g}" for name, value in ends if value is not None]
    yield f"    limits: {{{', '.join(shown)}}}\n"
    for (name, _), text in zip(ends, joint.motion.ends if joint.motion is not None else (), strict=False):
        if text:
            yield f"    # {name} end: {_comment(text)}\n"


def _inward(value: float, digits: int) -> float:
    """A number cut to so many digits behind the point."""
    # Rounded outward, the parts would meet within their limits. No minus stands before a zero (+ 0.0).
    scale = 10.0**digits
    return math.trunc(value * scale) / scale + 0.0


def _rejected(found: Recognition) -> Iterator[str]:
    if found.rejected:
        yield "# Seen, and not taken:\n"
    for r in found.rejected:
        yield f"#   {r.type}: {_comment(r.a)} - {_comment(r.b)}: {_comment(r.reason)}\n"


def _comment(text: str) -> str:
    """Text that stays on its line."""
    return "".join(c if c.isprintable() else " " for c in text)


def gear_lines(found: Recognition, units: BodyUnits) -> Iterator[str]:
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


def _gear(gear: FoundGear, units: BodyUnits) -> Iterator[str]:
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
    if gear.radii is not None:
        return {"radii": "[" + ", ".join(f"{radius * 1e3:.9g}" for radius in gear.radii) + "]"}
    keys: dict[str, object] = {"teeth": f"[{gear.teeth[0]}, {gear.teeth[1]}]"}
    if gear.kind is CouplingKind.CROSSED_HELICAL:
        keys["helix"] = f"{math.degrees(gear.helix):.4g}"
    elif gear.pressure_angle is not None:
        keys["pressure_angle"] = f"{math.degrees(gear.pressure_angle):.3g}"
    return keys


def _unit(units: BodyUnits, body: int, instance: str) -> Unit:
    members = units.of_body[body]
    return next((unit for unit in members if instance in unit.instances), members[0])


def _axis(unit: Unit, point: Vector, axis: Vector | None) -> str:
    """A point, and perhaps an axis, in the frame of a component."""
    X_UW = unit.X_WU.inverse()
    items = [f"component: {yaml_text(unit.name)}", f"point: {yaml_vector(X_UW.point(point) * 1e3, 6)}"]
    items += [] if axis is None else [f"axis: {yaml_vector(X_UW.vector(axis), 12)}"]
    return "{" + ", ".join(items) + "}"
