"""What lowering makes of joints that have more freedoms than one, beside what their inertia must be."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.assembly import GROUND, MateKind
from cadbridge.lowering import Lowered, joint_bearer, lower
from tests.oracle.building import Maker

BOX = '<geom type="box" size=".1 .1 .1" mass="1"/>'
MODEL = f"""<mujoco><worldbody>
  <body name="base" pos="0 0 1"><joint name="flies" type="free" armature=".1"/>{BOX}
    <body name="child" pos=".2 .3 0"><joint name="ball" type="ball" armature=".2"/>{BOX}</body></body>
  <body name="hung" pos="1 0 0"><joint name="hangs" type="ball" armature=".3"/>{BOX}</body>
</worldbody></mujoco>"""
OWN = 1.0 / 150.0 * np.eye(3)
"""kg m² of the boxes: m a²/6."""


@pytest.fixture(scope="module")
def lowered(tmp_path_factory: pytest.TempPathFactory) -> Lowered:
    path = tmp_path_factory.mktemp("lowering") / "rotors.xml"
    path.write_text(MODEL)
    return lower(cb.build(cb.read(path)))


def test_a_rotor_against_the_ground_turns_with_its_body(lowered: Lowered) -> None:
    found = {body.name: body.inertia for body in lowered.model.bodies}
    assert_allclose(found["base"], OWN + 0.1 * np.eye(3), atol=1e-12)
    assert_allclose(found["child"], OWN, atol=1e-12)
    assert_allclose(found["hung"], OWN + 0.3 * np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "pair", "armature"), [("distance", ("", "base"), 0.1), ("spin", ("base", "child"), 0.2)]
)
def test_a_rotor_counts_along_each_of_three_axes(
    lowered: Lowered, kind: str, pair: tuple[str, str], armature: float
) -> None:
    """Against the travel of what floats, and between two bodies that both move."""
    names = [body.name for body in lowered.model.bodies]
    loads = [load for load in lowered.model.loads if load.armature and load.coordinate.kind == kind]
    assert [load.armature for load in loads] == [armature] * 3
    assert_allclose(sum(np.outer(a, a) for a in (load.coordinate.axis_a for load in loads)), np.eye(3), atol=1e-12)
    for load in loads:
        ends = load.coordinate.a, load.coordinate.b
        assert tuple(names[k] if k >= 0 else "" for k in ends) == pair


@pytest.mark.parametrize(("order", "sign"), [(("ground", "bar"), 1.0), (("bar", "ground"), -1.0)])
def test_a_wrench_is_told_on_the_second_body_or_on_the_first_with_its_sign(order: tuple[str, str], sign: float) -> None:
    made = Maker()
    made.body("bar", (0.3, 0.1, 0.0), com=(0.05, 0.0, 0.0))
    a, b = (GROUND if name == "ground" else name for name in order)
    made.joint("J", MateKind.REVOLUTE, a, b, (0.1, 0.0, 0.2), (0.0, 0.0, 1.0))
    found = lower(made.mechanism())
    bearer, lever, told = joint_bearer(found, found.joints[0])
    assert (found.units[bearer].name, told) == ("bar", sign)
    # From the centre of mass, at (0.35, 0.1, 0), to the joint; the bar's axes are the world's. Along z it is free.
    assert_allclose(lever[:2], [-0.25, -0.1], atol=1e-12)
