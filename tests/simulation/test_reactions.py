"""The wrench across a merged connection, against a run in which the connection is not merged."""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import MotorSpec, Scenario, locked_wrench, simulate
from cadbridge.simulation.row_wrenches import row_results
from solver.functions import constant


@pytest.fixture(scope="module")
def crane() -> Mechanism:
    with as_file(files("cadbridge.data") / "demo") as folder:
        return cb.build(cb.read(folder / "demo.step"))


def test_it_is_what_the_mates_of_the_connection_carry(crane: Mechanism) -> None:
    (body,) = [b for b in crane.bodies if len(b.components) > 1]
    component = body.components[1]
    motors = (MotorSpec("A1", torque=constant(0.02)), MotorSpec("A2", speed=constant(0.5)))
    scenario = Scenario(duration=0.3, rate=50.0, rtol=1e-10, atol=1e-10, motors=motors)
    found = locked_wrench(simulate(crane, scenario), component)
    apart = simulate(crane, scenario, collapse=False)
    forces, index = row_results(apart).wrenches, crane.component_names.index(component)
    inside = set(body.components)
    carried = np.zeros_like(found)
    for mate in crane.assembly.mates:
        if component in (mate.a.component, mate.b.component) and {mate.a.component, mate.b.component} <= inside:
            carried += forces[mate.name].on(index)
    assert np.max(np.abs(found)) > 0.1
    np.testing.assert_allclose(found, carried, atol=1e-6 * np.max(np.abs(found)))


def test_what_stands_still_has_none(crane: Mechanism) -> None:
    with pytest.raises(InputError, match="not a moving component"):
        locked_wrench(simulate(crane, Scenario(duration=0.01)), "Base")
