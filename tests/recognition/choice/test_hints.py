"""What the findings of recognition advise, done to its mates file, gives what they promise."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.recognition import mates_text
from cadbridge.recognition.wheels.meshing import find_meshing, reaching
from tests.recognition import gear_shapes
from tests.recognition.rules.test_links import drawn_apart
from tests.recognition.solids import plate, recognised
from tests.recognition.wheels.test_meshing import placed


def mobility(folder: Path, text: str) -> int:
    file = folder / "made.mates.yaml"
    file.write_text(text, encoding="utf-8")
    assembly = cb.read(folder / "made.step", mates=file)
    assert not [f for f in assembly.findings if f.severity.value == "error"]
    return cb.diagnose(cb.build(assembly)).mobility.dof


def test_a_joint_in_doubt_that_is_written_as_fixed_takes_its_freedom_and_no_more(tmp_path: Path) -> None:
    found = recognised(tmp_path, drawn_apart(18))
    (doubt,) = [f for f in found.findings if f.code == "CB1601"]
    (joint,) = found.joints
    assert doubt.items == (joint.name,)
    assert "`type: fixed`" in doubt.hint
    text = mates_text(found)
    assert joint.name == "arm"
    assert "name: arm  #" in text
    assert mobility(tmp_path, text) == 1
    assert mobility(tmp_path, text.replace("type: revolute", "type: fixed")) == 0


def test_of_a_group_that_touches_nothing_the_part_that_was_bound_is_named(tmp_path: Path) -> None:
    arm = plate(60, 12, 8, [(0, 0)], 5)
    (base, _) = drawn_apart(10)["base"]
    parts = drawn_apart(10) | {"base2": (base, (5000, 0, 0)), "arm2": (arm, (5000, 0, 10))}
    found = recognised(tmp_path, parts)
    (told,) = [f for f in found.findings if f.code == "CB1602"]
    (bound,) = told.items
    held = next(body for body in found.bodies if bound in body.instances)
    assert held is found.bodies[found.ground]
    assert {"base2", "arm2"} == set(found.loose)


@pytest.mark.parametrize(("apart", "named"), [(0.020, {"a", "b"}), (0.060, set())])
def test_teeth_in_doubt_are_named_where_they_reach_between_others(apart: float, named: set[str]) -> None:
    """Wheels of one size and 18 and 22 teeth do not mesh; in doubt are those that stand between each other's teeth."""
    few, many = (gear_shapes.plate(gear_shapes.star(n, 0.01055, 0.00925), 6e-3) for n in (18, 22))
    wheels = (*placed("a", few, (0, 0, 0)), *placed("b", many, (apart, 0, 0)))
    unsure = [w for w in wheels if not w.sure]
    assert {w.instance for w in unsure} == {"a", "b"}
    assert find_meshing(wheels).pairs == ()
    assert {w.instance for w in reaching(wheels, unsure)} == named
