"""Mechanisms made at random from a seed, of every kind that a run may meet, each with what acts on it.

A case is a mechanism and a scenario of default tolerances. Everything follows from the kind and the seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

import cadbridge as cb
from cadbridge.assembly import GROUND, CouplingKind, MateKind
from cadbridge.simulation import Scenario
from tests.oracle.building import Maker
from tests.oracle.cases import ROOT, Case, Chance, Z, motor_of, times
from tests.oracle.linkages import four_bar, masses, parallelogram, slider, tree
from tests.oracle.loaded import change, corners, friction, pulse, rigid, servo, stiff, stop
from tests.oracle.trains import PAIRS, hundreds, planet, train


def _reported() -> dict[str, Case]:
    """What was once wrong, and called right: trains that turn far in a step, a pulse, a fall through a dead pose."""
    z, o = np.array(Z), np.zeros(3)
    cases: dict[str, Case] = {}
    for pair in ("bevel", "spur", "internal"):
        made = Maker()
        x = np.array([1.0, 0.0, 0.0])
        axis, place = (x, 0.15 * x) if pair == "bevel" else (z, 0.2 * x)
        for name, at, size in (("sun", o, 0.1), ("carrier", 0.1 * z, 0.2), ("planet", place, 0.06)):
            made.body(name, at, 1.0, o, size)
        made.joint("S", MateKind.REVOLUTE, GROUND, "sun", o, z)
        made.joint("C", MateKind.REVOLUTE, GROUND, "carrier", o, z)
        made.joint("P", MateKind.REVOLUTE, "carrier", "planet", place, axis)
        made.pair("G", CouplingKind(pair), ("sun", o, z), ("planet", place, axis), ratio=0.5, carrier="carrier")
        free = (motor_of("C", "torque", "40"), motor_of("S", "torque", "-25"))
        turns = math.pi / 180
        told = (
            motor_of("C", "angle", f"{27000 * turns}*t+{2000 * turns}*sin(3*t)"),
            motor_of("S", "angle", f"{-5000 * turns}*t*t"),
        )
        cases[f"{pair} planet, pushed"] = Case("", made.mechanism(), Scenario(duration=2.0, rate=50, motors=free))
        cases[f"{pair} planet, led"] = Case("", made.mechanism(), Scenario(duration=3.0, rate=50, motors=told))
    worm = Maker()
    worm.body("worm", o, 0.5, o, 0.03)
    worm.body("other", (0.05, 0.0, 0.0), 1.0, o, 0.05)
    worm.joint("Wheel", MateKind.REVOLUTE, GROUND, "worm", o, z)
    worm.joint("Other", MateKind.REVOLUTE, GROUND, "other", (0.05, 0.0, 0.0), (0, 1, 0))
    wheel = ("other", (0.05, 0.0, 0.0), (0, 1, 0))
    worm.pair("Gear", CouplingKind.WORM, ("worm", o, z), wheel, teeth_a=1, teeth_b=40, ratio=40.0,
              helix=math.pi / 2 - 0.1, carrier=GROUND)  # fmt: skip
    push = (motor_of("Wheel", "torque", "0.5"),)
    cases["worm 1:40"] = Case("", worm.mechanism(), Scenario(duration=1.0, rate=50, motors=push))
    disc = Maker()
    disc.body("disc", o)
    disc.joint("Disc", MateKind.REVOLUTE, GROUND, "disc", o, Z)
    hit = (motor_of("Disc", "torque", "5*(step(t-5.3)-step(t-5.305))"),)
    for rate in (1.0, 10.0, 100.0):
        what = Scenario(gravity=(0.0, 0.0, 0.0), duration=6.0, rate=rate, motors=hit)
        cases[f"pulse of 5 ms, {rate:g} samples a second"] = Case("", disc.mechanism(), what, finest=0.0025)
    fall = cb.build(cb.read(ROOT / "fixtures" / FIXTURES["TRRR3"]))
    cases["TRRR3 through a singular pose"] = Case("", fall, Scenario(duration=2.0, rate=100))
    return {name: replace(each, name=name) for name, each in cases.items()}


@cache
def _all_reported() -> tuple[Case, ...]:
    return tuple(_reported().values())


FIXTURES = {
    "delta": "delta/delta.sdf",
    "Stewart platform": "stewart/stewart.sdf",
    "PUMA 560": "puma560/puma560.urdf",
    "Bendix wrist": "bendix_wrist/bendix_wrist.urdf",
    "geared robot": "geared_robot3/geared_robot3.urdf",
    "RRRT3": "rrrt3/rrrt3.sdf",
    "TRRR3": "trrr3/trrr3.sdf",
}


SCENARIOS = {
    "four-bar driven": "four_bar/four_bar",
    "crank and slider driven": "crank_slider/crank_slider",
}


def driven(name: str) -> Callable[[Chance], Case]:
    """A fixture with its own scenario, sampled by chance."""

    def made(chance: Chance) -> Case:
        path = ROOT / "fixtures" / SCENARIOS[name]
        mechanism = cb.build(cb.read(path.with_suffix(".urdf")))
        what = cb.load_scenario(path.with_suffix(".scenario.yaml"), mechanism)
        duration, rate = times(chance, 1.5)
        return Case(name, mechanism, replace(what, duration=duration, rate=rate))

    return made


def fixture(name: str) -> Callable[[Chance], Case]:
    """A fixture that falls, for a time and with samples by chance."""

    def made(chance: Chance) -> Case:
        mechanism = cb.build(cb.read(ROOT / "fixtures" / FIXTURES[name]))
        duration, rate = times(chance, 1.5)
        return Case(name, mechanism, Scenario(duration=duration, rate=rate))

    return made


KINDS: dict[str, Callable[[Chance], Case]] = {
    **{pair: (lambda chance, pair=pair: train(pair, chance)) for pair in PAIRS},  # type: ignore[misc]
    "planet": planet, "tree": tree, "four-bar": four_bar, "parallelogram": parallelogram, "slider": slider,
    "pulse": pulse, "stiff": stiff, "stop": stop, "change": change, "masses": masses,
    "corners": corners, "hundreds": hundreds, "rigid": rigid, "friction": friction,
    **{name: fixture(name) for name in FIXTURES},
    **{name: driven(name) for name in SCENARIOS},
    "servo": servo,
}  # fmt: skip


LATER = {"servo": 1000}
"""Of kinds that came later, the numbers beside which they have their seeds: those of the others stay as they were."""


REPORTED = "reported"
"""The kind of the cases that were once wrong; their seeds only count them."""


ALL_KINDS = (*KINDS, REPORTED)


def case(kind: str, seed: int) -> Case:
    """The case of a kind and a seed."""
    if kind == REPORTED:
        return _all_reported()[seed % len(_all_reported())]
    place = LATER.get(kind) or sorted(set(KINDS) - set(LATER)).index(kind)
    return KINDS[kind](np.random.default_rng([seed, place]))
