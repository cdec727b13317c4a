"""Teeth that lose: one pair in closed form, a planetary train by its textbook formula, energy, motors' efforts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solver import State, functions, inverse, simulate
from solver.constraints import GROUND
from solver.equations.projection import complete
from solver.equations.system import prepare
from solver.model import JointLoad, Mesh, Model, Motor
from solver.steps.methods import slope_at
from tests.solver.examples import X, planetary, turn, wheels

SLOW = 1e-6
"""A speed that smooths nothing at the speeds of these tests, rad/s."""


def lossy(model: Model, efficiency: float, name: str = "gear") -> Model:
    """Two wheels on the ground whose teeth lose."""
    mesh = Mesh(name, model.coordinates[0], model.coordinates[1], efficiency, SLOW, SLOW)
    return replace(model, meshes=(mesh,))


def turning(model: Model, rates: list[float]) -> State:
    velocities = np.zeros((len(model.bodies), 6))
    velocities[:, 5] = rates
    return State(0.0, model.positions, model.quaternions, velocities)


@pytest.mark.parametrize("efficiency", [1.0, 0.9, 0.4])
@pytest.mark.parametrize(("torque", "drives"), [(3.0, True), (-3.0, False)])
def test_what_one_wheel_gives_less_the_loss_arrives_at_the_other(
    efficiency: float, torque: float, drives: bool
) -> None:
    """A torque on a that speeds both up drives b; one that brakes is driven by b."""
    ratio = 2.5
    model = wheels(ratio, (Motor("torque", turn(GROUND, 0), "torque", functions.constant(torque)),))
    inertia = model.bodies[0].inertia[2, 2]
    assert model.bodies[1].inertia[2, 2] == inertia
    system = prepare(lossy(model, efficiency))
    slope = slope_at(system, complete(system, turning(model, [ratio, -1.0])))
    # I α_a = τ − F and I α_b = −η ratio F where a drives; η F at a where b does; α_a = −ratio α_b.
    at_a, at_b = (1.0, efficiency) if drives else (efficiency, 1.0)
    pull = torque / (at_a + ratio**2 * at_b)
    assert slope.acceleration[0, 5] == pytest.approx((torque - at_a * pull) / inertia, rel=1e-9)
    assert slope.acceleration[1, 5] == pytest.approx(-ratio * at_b * pull / inertia, rel=1e-9)
    assert slope.power[-1] == pytest.approx((1 - efficiency) * abs(pull) * ratio, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("ratio", "torque", "drives"), [(40.0, 3.0, True), (1 / 40, -3.0, False)])
def test_pulls_of_which_hardly_anything_arrives_are_found(ratio: float, torque: float, drives: bool) -> None:
    """Round by round each would leave nearly all of the error: two rounds show where the next ones lead."""
    efficiency = 0.01
    model = wheels(ratio, (Motor("torque", turn(GROUND, 0), "torque", functions.constant(torque)),))
    system = prepare(lossy(model, efficiency))
    slope = slope_at(system, complete(system, turning(model, [ratio, -1.0])))
    at_a, at_b = (1.0, efficiency) if drives else (efficiency, 1.0)
    pull = torque / (at_a + ratio**2 * at_b)
    assert slope.acceleration[0, 5] == pytest.approx((torque - at_a * pull) / model.bodies[0].inertia[2, 2], rel=1e-6)


def test_a_planetary_train_has_the_efficiency_of_the_textbooks() -> None:
    """Sun to carrier, ring held: (1 + i₀ η₀) / (1 + i₀), i₀ = z_ring / z_sun; η₀: both meshes seen by the carrier."""
    first, second = 0.96, 0.98
    drive = Motor("sun", turn(GROUND, 0), "speed", functions.constant(30.0))
    load = Motor("carrier", turn(GROUND, 1), "torque", functions.constant(-7.0))
    model = replace(planetary(drive), gravity=(0.0, 0.0, 0.0))
    planet = turn(1, 2, point_a=model.positions[2])
    ring, sun = turn(1, GROUND), turn(1, 0)
    meshes = (Mesh("sun gear", sun, planet, first, SLOW, SLOW), Mesh("ring gear", ring, planet, second, SLOW, SLOW))
    system = prepare(replace(model, motors=(drive, load), meshes=meshes))
    state = turning(model, [30.0, 10.0, -10.0])
    state.velocities[2, :2] = 0.0, 15.0
    slope = slope_at(system, complete(system, state))
    given, taken = slope.power[0], -slope.power[1]
    assert taken == pytest.approx(70.0)
    assert taken / given == pytest.approx((1 + 2 * first * second) / 3, rel=1e-9)


@pytest.mark.parametrize("integrator", ["dopri5", "generalized_alpha"])
def test_what_is_lost_is_what_the_energy_lacks(integrator: str) -> None:
    model = wheels(2.5, (Motor("torque", turn(GROUND, 0), "torque", functions.expression("sin(7*t)")),))
    loads = (JointLoad(model.coordinates[1], stiffness=4.0, name="spring"),)
    mesh = Mesh("gear", model.coordinates[0], model.coordinates[1], 0.8, 0.05, 0.02)
    given = replace(model, meshes=(mesh,), loads=loads)
    run = simulate(given, duration=1.0, rate=100.0, rtol=1e-9, atol=1e-9, integrator=integrator)
    assert run.status.ok
    T = run.trajectory
    balance = T.kinetic + T.potential - T.motor_work + T.dissipated
    assert T.dissipated[-1] > 0.02
    assert np.max(np.abs(balance - balance[0])) < (1e-7 if integrator == "dopri5" else 1e-4)


def test_a_motor_makes_up_for_what_teeth_lose() -> None:
    model = wheels(2.5, (Motor("load", turn(GROUND, 1, point_a=X), "torque", functions.constant(5.0)),))
    model = replace(model, coordinates=model.coordinates[:1], meshes=lossy(model, 0.9).meshes)
    steady = turning(model, [2.5, -1.0])
    assert inverse(model, [steady], [[0.0]]).efforts[0, 0] == pytest.approx(5.0 / 2.5 / 0.9, rel=1e-9)


def test_a_mesh_that_cannot_be_is_refused() -> None:
    model = wheels(2.0)
    for mesh, words in (
        (lossy(model, 1.2), "its efficiency must be above zero and at most one, not 1.2"),
        (lossy(model, 0.0), "its efficiency must be above zero"),
        (lossy(model, 0.9, "first"), "no one row bears its name"),
    ):
        with pytest.raises(ValueError, match=words):
            prepare(mesh)


def worm(backward: float, load: float, inertia: float = 1.0) -> Model:
    """Wheels whose second one drives the first with its own efficiency; a torque on the second."""
    model = wheels(2.5, (Motor("load", turn(GROUND, 1, point_a=X), "torque", functions.constant(load)),))
    mesh = Mesh("gear", model.coordinates[0], model.coordinates[1], 0.4, 0.01, 0.01, backward)
    heavy = replace(model.bodies[1], inertia=inertia * np.asarray(model.bodies[1].inertia))
    return replace(model, bodies=(model.bodies[0], heavy), meshes=(mesh,))


def test_a_mesh_has_an_efficiency_for_each_way() -> None:
    model = replace(worm(0.25, 5.0), coordinates=wheels(2.5).coordinates[:1])
    for rate, effort in ((1.0, 5.0 / 2.5 / 0.4), (-1.0, 5.0 / 2.5 * 0.25)):
        # The torque of 5 turns b in its positive sense, and a in its negative one.
        assert inverse(model, [turning(model, [2.5 * rate, -rate])], [[0.0]]).efforts[0, 0] == pytest.approx(effort)


def test_a_train_that_locks_itself_creeps_under_its_load() -> None:
    """From rest: as slowly as friction is smoothed, loss · tanh(rate / speed) = 1."""
    run = simulate(worm(-0.5, 5.0), duration=0.5, rate=20.0, rtol=1e-8, atol=1e-8)
    assert run.status.ok
    assert abs(run.trajectory.velocities[-1, 0, 5]) == pytest.approx(0.01 * np.arctanh(1 / 1.5), rel=1e-3)


def test_a_train_that_locks_itself_and_is_driven_backwards_ends_with_its_name() -> None:
    model = worm(-1.5, 5.0, inertia=50.0)
    run = simulate(model, turning(model, [-2.5, 1.0]), duration=0.5, rate=20.0)
    assert (run.status.ok, run.status.code) == (False, "locked")
    assert "gear is driven backwards and locks" in run.status.message
