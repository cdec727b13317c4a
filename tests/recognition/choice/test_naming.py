"""Names of recognised joints: short, those of the part that moves, and never twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from cadbridge.assembly import Assembly, Instance
from cadbridge.frames import Pose
from cadbridge.recognition.choice.naming import LONGEST_NAME, named
from cadbridge.recognition.model import FoundBody, FoundJoint, Recognition


def found(bodies: Sequence[tuple[str, ...]], joints: list[tuple[int, int]], ground: int = 0) -> Recognition:
    """A recognition of bodies by their instances (the first is the largest), and hinges between them."""
    instances = tuple(Instance(n, "part", Pose(), n.split("/")[0]) for body in bodies for n in body)
    hinges = tuple(
        FoundJoint(f"long name {k}", "revolute", a, b, np.zeros(3), np.array([0.0, 0.0, 1.0]), (), (), 0.8)
        for k, (a, b) in enumerate(joints)
    )
    made = tuple(FoundBody(body[0], body, ()) for body in bodies)
    return Recognition(Assembly("made", "", "", (), instances, ()), made, ground, "", hinges, (), (), 0.0)


def names(bodies: Sequence[tuple[str, ...]], joints: list[tuple[int, int]], ground: int = 0) -> list[str]:
    return [j.name for j in named(found(bodies, joints, ground)).joints]


@pytest.mark.parametrize(
    ("child", "name"),
    [
        ("shoulder", "shoulder"),
        ("link_pillar_:1/Component3:1", "pillar"),
        ("pillar_link-2", "pillar"),
        ("Upper Arm v12:1", "Upper_Arm"),
        ("lever.SLDPRT", "lever"),
        ("wheel<4>", "wheel"),
        ("Çubuk-1", "Çubuk"),
        ("link1", "link1"),
        ("link_1", "joint_1"),
        ("Part4-1", "Part4"),
        ("COMPOUND", "joint_1"),
        ("NAUO12", "joint_1"),
        ("=>[0:1:1:5]", "joint_1"),
        ("2f9a6c0d1b3e4f5a", "joint_1"),
    ],
)
def test_a_joint_is_called_like_what_it_carries(child: str, name: str) -> None:
    assert names([("base",), (child,)], [(0, 1)]) == [name]


def test_the_child_is_seen_from_the_ground() -> None:
    assert names([("hand",), ("arm",), ("base",)], [(0, 1), (1, 2)], ground=2) == ["hand", "arm"]


def test_a_joint_that_closes_a_loop_has_both_names() -> None:
    bodies = [("base",), ("crank",), ("rod",), ("piston",)]
    assert names(bodies, [(0, 1), (1, 2), (0, 3), (2, 3)]) == ["crank", "rod", "piston", "rod_piston"]


def test_a_sub_assembly_that_moves_as_one_gives_its_name() -> None:
    whole = [("base",), ("robot/shoulder/big cover", "robot/shoulder/motor"), ("robot/hand/finger",)]
    assert names(whole, [(0, 1), (1, 2)]) == ["shoulder", "hand"]
    divided = [("base",), ("hand/left",), ("hand/right",)]
    assert names(divided, [(0, 1), (0, 2)]) == ["left", "right"]


def test_names_of_equal_parts_keep_their_counters_or_are_numbered() -> None:
    assert names([("base",), ("wheel:2",), ("wheel:4",)], [(0, 1), (0, 2)]) == ["wheel_2", "wheel_4"]
    assert names([("base",), ("a/wheel:1",), ("b/wheel:1",), ("b/x",)], [(0, 1), (0, 2)]) == ["a", "wheel"]
    both = [("base",), ("a/wheel:1", "a/x"), ("b/wheel:1",), ("a/y", "b/y")]
    assert names(both, [(0, 1), (0, 2)]) == ["wheel_1", "wheel_2"]
    assert names([("base",), ("Solid",), ("Solid.1",)], [(0, 1), (0, 2)]) == ["joint_1", "joint_2"]


def test_a_mate_of_the_source_keeps_its_name() -> None:
    made = found([("base",), ("arm",)], [(0, 1)])
    coupling = type("Named", (), {"name": "arm"})()
    taken = replace(made, assembly=replace(made.assembly, couplings=(coupling,)))
    assert [j.name for j in named(taken).joints] == ["arm_1"]


def test_long_names_are_cut() -> None:
    (name,) = names([("base",), ("x" * 300,)], [(0, 1)])
    assert len(name) == LONGEST_NAME
