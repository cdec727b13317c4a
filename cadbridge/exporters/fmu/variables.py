"""The variables of an FMU: names as the columns of a trajectory have them, units, and where they stand in the block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cadbridge.exporters.fmu.machine import Given, Machine
from cadbridge.exporters.fmu.tables import TableBlock
from cadbridge.exporters.names import UniqueNames

KINDS = ("time", "input", "parameter", "mass", "state", "derivative", "output", "reaction")
"""What a value reference stands for, in the order of the enumeration in runtime/model.h."""


@dataclass(frozen=True)
class Variable:
    """`kind`: one of `KINDS`; `place`: its word in the block; `extra`: a mass's body, or 1: it is not negative.

    `of`: of a derivative, the index of its state among all variables.
    """

    name: str
    kind: str
    place: int
    unit: str
    text: str
    start: float | None = None
    extra: int = 0
    of: int | None = None


def rows_of(variables: Iterable[Variable]) -> list[tuple[int, int, int]]:
    """Kind, place and extra of each, as `model.bin` holds them."""
    return [(KINDS.index(v.kind), v.place, v.extra) for v in variables]


def variables_of(
    machine: Machine, tables: TableBlock, reactions: bool
) -> tuple[list[Variable], dict[str, dict[str, str]]]:
    """All variables in the order of their value references, and the names given (new → old) to joints and bodies."""
    joints, bodies = UniqueNames("joint", ()), UniqueNames("link", ())
    of_joint = {joint.name: joints.give(joint.name) for joint in machine.lowered.mechanism.joints}
    of_body = [bodies.give(unit.name) for unit in machine.lowered.units]
    of_body += [bodies.give(body.name) for body in machine.system.model.bodies[len(of_body) :]]
    found = [Variable("time", "time", tables.places["TIME"], "s", "time")]
    found += _inputs(machine, tables, of_joint)
    found += _parameters(machine, tables, of_joint, of_body)
    found += _outputs(machine, tables, of_joint, of_body)
    if reactions:
        found += _reactions(machine, tables, of_joint)
    states = list(_states(machine, tables, of_body))
    first = len(found)
    found += states
    for k, state in enumerate(states):
        place = tables.at("DERIVATIVES", k)
        found.append(
            Variable(
                f"der({state.name})",
                "derivative",
                place,
                _per_second(state.unit),
                f"rate of {state.name}",
                of=first + k,
            )
        )
    return found, {"joints": joints.mapping, "links": bodies.mapping}


def _per_second(unit: str) -> str:
    return {"m": "m/s", "1": "1/s", "m/s": "m/s2", "rad/s": "rad/s2", "rad": "rad/s"}[unit]


def _units(kind: str | None) -> tuple[str, str]:
    """The unit of a joint's value, and of the effort on it."""
    return ("m", "N") if kind == "distance" else ("rad", "N.m")


def _inputs(machine: Machine, tables: TableBlock, names: dict[str, str]) -> Iterator[Variable]:
    for given in machine.given:
        name, (unit, effort) = f"joint.{names[given.joint.name]}", _units(given.joint.coordinate)
        at, own = tables.at("INPUT", 3 * given.row), given.joint.name
        if given.kind == "effort":
            yield Variable(f"{name}.effort", "input", at, effort, f"effort on {own}, besides the scenario's", 0.0)
            continue
        yield Variable(f"{name}.{given.kind}", "input", at, _followed_unit(given, unit), _meaning(given), given.start)
        for order, rate in enumerate(("rate", "acceleration")[: _orders(given)], start=1):
            more = f"{given.kind}_{rate}"
            rates = (f"{unit}/s", f"{unit}/s2") if given.kind == "target" else (f"{unit}/s2", "")
            yield Variable(
                f"{name}.{more}", "input", at + order, rates[order - 1], f"{rate} of {name}.{given.kind}", 0.0
            )


def _orders(given: Given) -> int:
    """How many rates of an input count."""
    return {"target": 2, "speed": 1}.get(given.kind, 0)


def _followed_unit(given: Given, unit: str) -> str:
    return {"target": unit, "speed": f"{unit}/s", "voltage": "V", "control": "1"}[given.kind]


def _meaning(given: Given) -> str:
    own = given.joint.name
    what = {"target": f"value that {own} follows", "speed": f"rate that {own} follows", "voltage": f"voltage of {own}",
            "control": f"control of the servo on {own}"}  # fmt: skip
    return what[given.kind] + (", added to the scenario's" if given.added else "")


def _parameters(machine: Machine, tables: TableBlock, joints: dict[str, str], bodies: list[str]) -> Iterator[Variable]:
    gravity = tables.arrays["GRAVITY"]
    for k, axis in enumerate("xyz"):
        yield Variable(
            f"gravity.{axis}", "parameter", tables.at("GRAVITY", k), "m/s2", f"gravity along {axis}", float(gravity[k])
        )
    light = set(machine.system.bodies.light.tolist())
    for k, unit in enumerate(machine.lowered.units):
        mass = float(tables.arrays["MASS"][k])
        # What a light body is added was found from the masses there are: another mass would need another addition.
        if k not in light and mass > 0:
            text = f"mass of {unit.name}; its inertia follows"
            yield Variable(f"body.{bodies[k]}.mass", "mass", tables.at("MASS", k), "kg", text, mass, k)
    for joint, load in zip(machine.lowered.joints, machine.load_of, strict=True):
        if joint.name in machine.released:
            continue
        name, slide = f"joint.{joints[joint.name]}", joint.coordinate == "distance"
        damping, friction = (float(tables.arrays[x][load]) for x in ("DAMPING", "FRICTION"))
        viscous, dry = ("N.s/m", "N") if slide else ("N.m.s/rad", "N.m")
        at = tables.at("DAMPING", load), tables.at("FRICTION", load)
        yield Variable(f"{name}.damping", "parameter", at[0], viscous, f"viscous damping of {joint.name}", damping, 1)
        yield Variable(f"{name}.friction", "parameter", at[1], dry, f"dry friction of {joint.name}", friction, 1)


def _outputs(machine: Machine, tables: TableBlock, joints: dict[str, str], bodies: list[str]) -> Iterator[Variable]:
    terms = len(machine.system.program.terms.kind) - len(machine.system.program.coordinate_term)
    for k, joint in enumerate(machine.lowered.joints):
        name, (unit, effort) = f"joint.{joints[joint.name]}", _units(joint.coordinate)
        own = joint.name
        yield Variable(f"{name}.q", "output", tables.at("TERM_VALUE", terms + k), unit, f"value of {own}")
        yield Variable(f"{name}.qd", "output", tables.at("TERM_RATE", terms + k), f"{unit}/s", f"rate of {own}")
        yield Variable(f"{name}.qdd", "output", tables.at("SECOND", k), f"{unit}/s2", f"acceleration of {own}")
        moved = f"effort of all motors on {own}"
        yield Variable(f"motor.{joints[own]}.effort", "output", tables.at("EFFORTS", k), effort, moved)
    # Bodies that stand for circuits and gearheads come after the units, and have no frame to tell of.
    for k, (unit_, name) in enumerate(zip(machine.lowered.units, bodies, strict=False)):
        for j, what in enumerate(("x", "y", "z", "qw", "qx", "qy", "qz")):
            text = f"{what} of the frame of {unit_.name} in the world"
            yield Variable(
                f"body.{name}.{what}", "output", tables.at("ORIGINS", 7 * k + j), "m" if j < 3 else "1", text
            )
    for k, what in enumerate(("kinetic", "potential")):
        yield Variable(f"energy.{what}", "output", tables.at("ENERGY", k), "J", f"{what} energy")


def _reactions(machine: Machine, tables: TableBlock, joints: dict[str, str]) -> Iterator[Variable]:
    for k, joint in enumerate(machine.lowered.mechanism.joints):
        for j, what in enumerate(("fx", "fy", "fz", "tx", "ty", "tz")):
            text = f"{what} of {joint.name} on its second body at its origin, world axes"
            name = f"joint.{joints[joint.name]}.{what}"
            yield Variable(name, "reaction", tables.at("WRENCHES", 6 * k + j), "N" if j < 3 else "N.m", text)


_STATES = (
    (("x", "y", "z"), "m", "centre of mass"),
    (("qw", "qx", "qy", "qz"), "1", "orientation"),
    (("vx", "vy", "vz", "wx", "wy", "wz"), "", "velocity"),
)


def _states(machine: Machine, tables: TableBlock, bodies: list[str]) -> Iterator[Variable]:
    """Poses and velocities of the centres of mass of all bodies, in the world; then the angles that are counted."""
    k = 0
    for letters, unit, text in _STATES:
        for name in bodies:
            for letter in letters:
                own = unit or ("m/s" if letter[0] == "v" else "rad/s")
                start = float(tables.arrays["GIVEN"][k])
                yield Variable(
                    f"state.{name}.{letter}", "state", tables.at("GIVEN", k), own, f"{text} of {name}: {letter}", start
                )
                k += 1
    for j in range(tables.places["ANGLE_COUNT"]):
        start = float(tables.arrays["GIVEN"][k])
        yield Variable(f"state.angle_{j + 1}", "state", tables.at("GIVEN", k), "rad", "an angle with its turns", start)
        k += 1
