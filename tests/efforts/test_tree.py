"""`--method tree`: the forces of absolute coordinates by recursions over a spanning tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.assembly import Assembly, Part
from cadbridge.efforts import Inverse, JointPath, Motion
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import Mechanism
from cadbridge.simulation.loads import LoadSpecs
from solver.functions import expression
from solver.model import JointLoad
from tests.efforts.test_inverse import four_bar, motion

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def both(mechanism: Mechanism, asked: Motion) -> tuple[Inverse, Inverse]:
    """A motion by both methods, compared: efforts, wrenches from outside, multipliers of all rows."""
    one, other = (cb.inverse(mechanism, asked, method=m) for m in ("absolute", "tree"))
    assert one.run.result.status.ok
    assert_allclose(other.forces.efforts, one.forces.efforts, rtol=1e-9, atol=1e-9)
    # Of repeated rows the solver iterates to the least norm.
    assert_allclose(other.forces.multipliers, one.forces.multipliers, rtol=1e-9, atol=1e-8)
    assert one.external.keys() == other.external.keys()
    for name in one.external:
        assert_allclose(other.external[name], one.external[name], rtol=1e-9, atol=1e-9)
    assert np.max(other.forces.unmet) < 1e-8
    return one, other


def read(path: Path, *codes: str) -> Mechanism:
    """The mechanism of a fixture that has these warnings and no others."""
    assembly = cb.read(path)
    mechanism = cb.build(assembly)
    assert {f.code for f in (*assembly.findings, *mechanism.findings) if f.severity != "info"} == {*codes}
    return mechanism


def shorter(asked: Motion, samples: int) -> Motion:
    return replace(asked, scenario=replace(asked.scenario, rate=samples / asked.scenario.duration))


@pytest.mark.parametrize("name", ["rrrt3", "stewart"])
def test_loops_universal_joints_and_bodies_moved_from_outside(name: str) -> None:
    mechanism = read(FIXTURES / name / f"{name}.sdf")
    asked = shorter(cb.load_motion(FIXTURES / name / f"{name}.motion.yaml", mechanism), 3)
    _, tree = both(mechanism, asked)
    assert tree.method == "tree"
    both(mechanism, replace(asked, actuators=()))


def test_bearings_with_friction_springs_and_rotors() -> None:
    mechanism = read(FIXTURES / "rrrt3" / "rrrt3.sdf")
    asked = shorter(cb.load_motion(FIXTURES / "rrrt3" / "rrrt3.motion.yaml", mechanism), 3)
    load = JointLoad(None, damping=0.2, stiffness=1.5, armature=0.01, name="bearing")  # type: ignore[arg-type]
    springs = tuple((j.name, load) for j in mechanism.joints if j.type == "revolute")
    both(mechanism, replace(asked, scenario=replace(asked.scenario, loads=LoadSpecs(joint_springs=springs))))


def test_gears_close_the_tree() -> None:
    mechanism = read(FIXTURES / "geared_robot3" / "geared_robot3.urdf", "CB318", "CB319")
    paths = tuple(JointPath(n, expression(f)) for n, f in (("q4", "sin(2*t)"), ("q5", "t"), ("q6", "t^2")))
    asked = Motion(joints=paths, actuators=("q4", "q5", "q6"))
    both(mechanism, replace(asked, scenario=replace(asked.scenario, duration=0.5, rate=10.0)))


def uneven(of: Assembly) -> Assembly:
    """The same with bodies of unlike masses: which multipliers have the least norm depends on them."""
    heavy = MassProperties(7.0, np.array([0.1, 0.05, 0.0]), np.diag([0.2, 0.25, 0.3]))
    parts = (*of.parts, Part("heavy", declared=heavy))
    instances = tuple(replace(i, part="heavy") if i.name == "rocker" else i for i in of.instances)
    return replace(of, parts=parts, instances=instances)


def test_rows_that_repeat_across_a_loop_and_actuators_to_spare(tmp_path: Path) -> None:
    bar = cb.build(uneven(four_bar()))
    text = 'duration: 1\nrate: 3\njoints: {A: "40*t"}\n'
    both(bar, motion(tmp_path, bar, text + "actuators: [A]\n"))
    both(bar, motion(tmp_path, bar, text + "actuators: [A, D, C]\n"))
