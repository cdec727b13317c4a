"""What lowering makes of joints that have more freedoms than one, beside what their inertia must be."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.lowering import Lowered, lower

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
