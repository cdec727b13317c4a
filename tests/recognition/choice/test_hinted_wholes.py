"""A hint may name a sub-assembly: all of it is meant where it moves as one, and else it is said that none is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.recognition import Recognition, recognise
from cadbridge.recognition.hints import NO_HINTS, Hints, Told
from tests.late import cq
from tests.recognition.solids import at, box, disc, tube

Z = (0.0, 0.0, 1.0)


@pytest.fixture(scope="module", params=["", "finger"])
def tool(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> cb.Assembly:
    """On a base stands a sub-assembly: a plate, a round column on it and a cap on that; or a finger that turns there.

    Its first part, the cap, touches nothing of the base; the column is round about the axis of a hole of the base.
    """
    turret = cq.Assembly(name="turret")
    turret.add(disc(7, 4), name="cap", loc=at(20, 0, 60))
    turret.add(box(40, 40, 10), name="plate", loc=at(20, 0, 10))
    turret.add(disc(6, 40), name="column", loc=at(20, 0, 20))
    if request.param:
        turret.add(tube(10, 6.02, 8).union(box(30, 6, 8).translate((22, 0, 0))), name="finger", loc=at(20, 0, 30))
    made = cq.Assembly(name="made")
    made.add(box(120, 80, 10).cut(disc(6, 10).translate((20, 0, 0))), name="base")
    made.add(turret, name="turret")
    made.add(box(10, 10, 30), name="post", loc=at(-40, 0, 10))
    file = tmp_path_factory.mktemp("tool") / "made.step"
    made.export(str(file))
    return cb.read(file)


def moves(assembly: cb.Assembly) -> bool:
    return any(i.name.endswith("finger") for i in assembly.instances)


def hinted(assembly: cb.Assembly, hints: Hints = NO_HINTS) -> Recognition:
    """What is recognised where the finger, if there is one, is said to move."""
    inner = (("turret/column", "turret/finger"),) if moves(assembly) else ()
    return recognise(assembly, hints=hints.having("joint", inner))


def told(found: Recognition) -> list[tuple[str, ...]]:
    return [f.items for f in found.findings if f.code == "CB1659"]


def test_a_joint_of_a_sub_assembly_moves_all_of_it(tool: cb.Assembly) -> None:
    found = hinted(tool, Hints().having("joint", (("base", "turret"),)))
    inside = {i.name for i in tool.instances if i.name.startswith("turret/")}
    if moves(tool):
        ((name, *bodies),) = told(found)
        assert name == "turret"
        assert "turret/finger" in bodies
        assert set(bodies) <= inside  # the plate is one body with the base, and no base is in the turret
        assert found.freedoms == hinted(tool).freedoms
        return
    assert not told(found)
    (joint,) = found.joints
    assert joint.type == "revolute"
    moving = next(b for k, b in enumerate(found.bodies) if k in (joint.a, joint.b) and k != found.ground)
    assert set(moving.instances) == inside
    # On the axis of the column, which alone is round about a hole of the base; not on that of the first part.
    np.testing.assert_allclose(joint.point[:2], (0.02, 0.0), atol=1e-9)
    assert not {"CB1640", "CB1642", "CB1656", "CB1657", "CB1658"} & {f.code for f in found.findings}


def test_the_ground_may_be_a_sub_assembly(tool: cb.Assembly) -> None:
    found = hinted(tool, Hints(ground="turret"))
    assert bool(told(found)) == moves(tool)
    if not moves(tool):
        assert "turret/plate" in found.bodies[found.ground].instances


def test_a_point_in_the_frame_of_a_sub_assembly_is_refused(tool: cb.Assembly) -> None:
    for frame, used in (("turret", False), ("base", True), ("", True)):
        hint = Told("revolute", point=(0.02, 0.0, 0.01), axis=Z, frame=frame)
        found = hinted(tool, Hints().having("joint", (("base", "turret"),), hint))
        assert bool(told(found)) == (moves(tool) or not used)
        if used and not moves(tool):
            (joint,) = found.joints
            np.testing.assert_allclose(joint.point[:2], (0.02, 0.0), atol=1e-9)


def test_an_axis_of_several_parts_is_none(tool: cb.Assembly, tmp_path: Path) -> None:
    found = hinted(tool, Hints().having("joint", (("base", "post"),), Told(about="turret")))
    (why,) = [f for f in found.findings if f.code == "CB1640"]
    assert "turret/column" in why.message


def test_the_other_name_may_lack_its_counter_or_be_no_part(tool: cb.Assembly) -> None:
    for kind in ("joint", "fixed", "apart"):
        found = hinted(tool, Hints().having(kind, (("nothing", "turret"),)))
        assert ("nothing",) in [f.items for f in found.findings if f.code == "CB1640"] or moves(tool)
        found = hinted(tool, Hints().having(kind, (("base v2", "turret"),)))
        assert "CB1651" in {f.code for f in found.findings} or moves(tool)
