"""Trees, closed linkages and rows of pendulums: cases by chance."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cadbridge.assembly import GROUND, MateKind
from cadbridge.simulation import Scenario
from tests.oracle.building import Array, Maker
from tests.oracle.cases import GRAVITY, Case, Chance, Z, across, direction, moment, motor_of, times


def tree(chance: Chance) -> Case:
    """A chain or tree of bodies on joints of any kind that falls."""
    made, kinds = Maker(), (MateKind.REVOLUTE,) * 4 + (MateKind.SPHERICAL, MateKind.CYLINDRICAL, MateKind.UNIVERSAL)
    count = int(chance.integers(1, 6))
    at = {GROUND: np.zeros(3)}
    for k in range(count):
        base = GROUND if k == 0 else str(chance.choice(list(made.places)))
        place = at[base] + 0.3 * direction(chance)
        kind = kinds[int(chance.integers(len(kinds)))]
        body = made.body(f"b{k}", place, float(np.exp(chance.uniform(-2, 2))), 0.1 * direction(chance))
        axis = direction(chance)
        made.joint(f"J{k}", kind, base, body, (place + at[base]) / 2, axis)
        if kind is MateKind.UNIVERSAL:
            last = made.mates.pop()
            second = made.feature(body, (place + at[base]) / 2, across(axis, chance))
            made.mates.append(replace(last, b=second))
        at[body] = place
    duration, rate = times(chance)
    return Case("tree", made.mechanism(), Scenario(duration=duration, rate=rate))


def bars(corners: Array, masses: Array, *, spherical: bool = False) -> Maker:
    """A closed chain of bars in the plane through corners (k, 2): joints J0 … on z, the last closes it."""
    made = Maker()
    at = np.column_stack([corners, np.zeros(len(corners))])
    names = [GROUND]
    for k in range(len(at) - 1):
        middle, along = (at[k] + at[k + 1]) / 2, np.linalg.norm(at[k + 1] - at[k])
        names.append(made.body(f"bar{k}", middle, float(masses[k]), (0, 0, 0), 0.29 * float(along)))
        made.joint(f"J{k}", MateKind.REVOLUTE, names[-2], names[-1], at[k], Z)
    kind = MateKind.SPHERICAL if spherical else MateKind.REVOLUTE
    made.joint(f"J{len(at) - 1}", kind, names[-1], GROUND, at[-1], Z)
    return made


def four_bar(chance: Chance) -> Case:
    """A four-bar of any lengths that falls or is pushed at its crank."""
    corners = np.array([[0, 0], [0.1, 0.3], [0.6, 0.5], [0.7, 0.0]]) + 0.08 * chance.normal(size=(4, 2))
    made = bars(corners, np.exp(chance.uniform(-1, 1, size=3)))
    duration, rate = times(chance)
    motors = (motor_of("J0", "torque", moment(chance, 3.0)),) if chance.random() < 0.5 else ()
    return Case("four-bar", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, motors=motors))


def parallelogram(chance: Chance) -> Case:
    """A parallelogram with a third bar, whose pose is singular where it lies flat."""
    crank, base = float(chance.uniform(0.1, 0.3)), float(chance.uniform(0.4, 0.8))
    angle = chance.uniform(0.4, 2.6)
    u = crank * np.array([math.cos(angle), math.sin(angle)])
    corners = np.array([[0, 0], u, [base + u[0], u[1]], [base, 0]])
    made = bars(corners, np.exp(chance.uniform(-1, 1, size=3)))
    if chance.random() < 0.6:
        middle = np.array([base / 2, 0, 0])
        top = middle + np.array([*u, 0])
        made.body("third", (middle + top) / 2, 0.5, (0, 0, 0), 0.29 * crank)
        made.joint("T0", MateKind.REVOLUTE, GROUND, "third", middle, Z)
        made.joint("T1", MateKind.REVOLUTE, "third", "bar1", top, Z)
    duration, rate = times(chance)
    rates = {"J0": float(chance.uniform(-12, 12))} if chance.random() < 0.6 else {}
    return Case("parallelogram", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, rates=rates))


def slider(chance: Chance) -> Case:
    """A crank with its slider, of equal lengths in a part of cases (singular in the middle)."""
    made = Maker()
    crank = float(chance.uniform(0.1, 0.2))
    rod = crank * (1.0 if chance.random() < 0.25 else float(chance.uniform(1.2, 3.0)))
    angle = float(chance.uniform(0.3, 1.2))
    pin = crank * np.array([math.cos(angle), math.sin(angle), 0])
    end = np.array([pin[0] + math.sqrt(rod**2 - pin[1] ** 2), 0, 0])
    made.body("crank", pin / 2, 0.6, (0, 0, 0), 0.29 * crank)
    made.body("rod", (pin + end) / 2, 0.9, (0, 0, 0), 0.29 * rod)
    made.body("block", end, 1.4, (0, 0, 0), 0.05)
    made.joint("A", MateKind.REVOLUTE, GROUND, "crank", (0, 0, 0), Z)
    made.joint("B", MateKind.REVOLUTE, "crank", "rod", pin, Z)
    made.joint("C", MateKind.REVOLUTE, "rod", "block", end, Z)
    made.joint("D", MateKind.PRISMATIC, GROUND, "block", end, (1, 0, 0))
    duration, rate = times(chance)
    motors = (motor_of("A", "torque", moment(chance, 4.0)),)
    name = "slider of equal bars" if rod == crank else "slider"
    return Case(name, made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, motors=motors))


def pendulums(chance: Chance, count: int, masses: Array | None = None) -> Maker:
    """Bars in a row that hang in the plane."""
    made, at, names = Maker(), np.zeros(3), [GROUND]
    for k in range(count):
        angle = chance.uniform(-math.pi, 0)
        along = float(chance.uniform(0.2, 0.5)) * np.array([math.cos(angle), math.sin(angle), 0])
        mass = 1.0 if masses is None else float(masses[k])
        names.append(made.body(f"p{k}", at + along / 2, mass, (0, 0, 0), 0.29 * float(np.linalg.norm(along))))
        made.joint(f"J{k}", MateKind.REVOLUTE, names[-2], names[-1], at, Z)
        at = at + along
    return made


def masses(chance: Chance) -> Case:
    """Pendulums and four-bars whose masses are far apart."""
    apart = np.exp(chance.uniform(-8, 8, size=3))
    duration, rate = times(chance, 0.5)
    if chance.random() < 0.5:
        corners = np.array([[0, 0], [0.1, 0.3], [0.6, 0.5], [0.7, 0.0]]) + 0.05 * chance.normal(size=(4, 2))
        made, name = bars(corners, apart), "four-bar, masses apart"
    else:
        made, name = pendulums(chance, 3, apart), "pendulum, masses apart"
    return Case(name, made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate))
