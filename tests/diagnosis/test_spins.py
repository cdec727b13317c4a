"""Freedoms that only spin one balanced body about its own axis, told apart from those that move something."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cadbridge.assembly import GROUND, Assembly, Drive, FeatureKind, Mate, MateKind, Part
from cadbridge.diagnosis import diagnose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import build
from tests.mechanism.building import assembly, feature, mate

Z = (0.0, 0.0, 1.0)
DISC = np.diag([0.01, 0.01, 0.02])


def hinged(
    inertia: np.ndarray, com: tuple[float, float, float] = (0.0, 0.0, 0.0), kind: MateKind = MateKind.INSERT
) -> Assembly:
    """One part that turns, and with another kind also slides, about z through its origin."""
    places = {"wheel": (0.0, 0.0, 0.0)}
    bare = assembly(places, [mate(places, "hinge", kind, GROUND, "wheel", (0, 0, 0), Z)])
    return replace(bare, parts=(Part("block", declared=MassProperties(1.0, np.array(com), inertia)),))


def spins(model: Assembly) -> list[bool]:
    return [f.spin for f in diagnose(build(model)).freedoms]


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_disc_on_its_axis_spins_and_a_lever_turns_at_any_size(size: float) -> None:
    assert spins(hinged(DISC * size**2)) == [True]
    assert spins(hinged(DISC * size**2, (0.01 * size, 0.0, 0.0))) == [False]
    assert spins(hinged(np.diag([0.01, 0.013, 0.02]) * size**2)) == [False]
    tilted = np.array([[0.01, 0.0, 0.003], [0.0, 0.01, 0.0], [0.003, 0.0, 0.02]])
    assert spins(hinged(tilted * size**2)) == [False]


@pytest.mark.parametrize("kind", [MateKind.INSERT, MateKind.CYLINDRICAL])
def test_what_a_drive_turns_is_no_spin(kind: MateKind) -> None:
    free = hinged(DISC, kind=kind)
    assert sum(spins(free)) == 1
    assert sum(spins(replace(free, drives=(Drive("motor", "hinge"),)))) == 0


def test_a_rod_between_ball_joints_spins_and_its_end_does_not() -> None:
    places = {"arm": (0.0, 0.0, 0.0), "rod": (0.5, 0.0, 0.0), "rocker": (1.0, 0.0, 0.0)}

    def ball(a: str, b: str, point: tuple[float, float, float]) -> Mate:
        at = {name: feature(places, name, FeatureKind.POINT, point) for name in (a, b)}
        return Mate(f"{a} to {b}", MateKind.COINCIDENT, at[a], at[b])

    mates = [
        mate(places, "shoulder", MateKind.INSERT, GROUND, "arm", (0.0, -0.3, 0.0), Z),
        mate(places, "foot", MateKind.INSERT, GROUND, "rocker", (1.0, -0.2, 0.0), Z),
        ball("arm", "rod", (0.0, 0.0, 0.0)),
        ball("rod", "rocker", (1.0, 0.0, 0.0)),
    ]
    found = diagnose(build(assembly(places, mates)))
    assert found.mobility.dof == 2
    assert [(f.spin, f.bodies == ("rod",)) for f in found.freedoms if len(f.bodies) == 1] == [(True, True)]
    assert sum(f.spin for f in found.freedoms) == 1


def test_what_carries_a_body_does_not_only_spin() -> None:
    places = {"wheel": (0.0, 0.0, 0.0), "roller": (0.1, 0.0, 0.0)}
    mates = [
        mate(places, "hub", MateKind.INSERT, GROUND, "wheel", (0.0, 0.0, 0.0), Z),
        mate(places, "pin", MateKind.INSERT, "wheel", "roller", (0.1, 0.0, 0.0), Z),
    ]
    found = diagnose(build(assembly(places, mates)))
    assert {f.leader: f.spin for f in found.freedoms} == {"hub": False, "pin": True}


def test_a_wheel_that_takes_a_loose_pin_with_it_spins_and_wheels_on_two_axes_do_not() -> None:
    """Which of the two carries the other is no matter: wheel and pin are balanced about one axis."""
    part = (Part("block", declared=MassProperties(1.0, np.zeros(3), DISC)),)

    def on(x: float) -> Assembly:
        places = {"wheel": (0.0, 0.0, 0.0), "pin": (x, 0.0, 0.1)}
        mates = [
            mate(places, "hinge", MateKind.INSERT, GROUND, "wheel", (0, 0, 0), Z),
            mate(places, "bore", MateKind.INSERT, "wheel", "pin", (x, 0, 0.1), Z),
        ]
        return replace(assembly(places, mates), parts=part)

    assert spins(on(0.0)) == [True, True]
    assert spins(on(0.01)) == [False, True]  # it swings the pin
