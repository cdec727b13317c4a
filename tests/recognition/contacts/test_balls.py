"""Balls in their sockets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.late import cq
from tests.recognition.solids import box, disc, joints, recognised, tube


@pytest.mark.parametrize(("width", "count"), [(3.0, 1), (1.2, 0)])
def test_a_slotted_ring_about_a_ball_is_its_socket_and_a_dimple_is_none(
    tmp_path: Path, width: float, count: int
) -> None:
    """Of a ring 3 mm wide the ball of 4 mm has 2.4 rad of a ball after the slot, 1.2 mm leave 0.9."""
    ball = cq.Workplane().sphere(4).union(disc(2, 20))
    ring = tube(8, 3, width).translate((0, 0, -width / 2)).union(box(60, 8, width).translate((35, 0, -width / 2)))
    ring = ring.cut(cq.Workplane().sphere(4)).cut(box(20, 6, 20).translate((-8, 0, -10)))
    found = recognised(tmp_path, {"ball": (ball, (0, 0, 0)), "ring": (ring, (0, 0, 0))})
    assert list(joints(found).values()).count("spherical") == count


@pytest.mark.parametrize(("radius", "count"), [(12.0, 1), (8.0, 0)])
def test_a_ball_turns_in_a_socket_whose_liner_is_not_drawn(tmp_path: Path, radius: float, count: int) -> None:
    arm = box(70, 40, 40).translate((15, 0, -20)).cut(cq.Workplane().sphere(17.5)).cut(disc(15, 30))
    ball = cq.Workplane().sphere(radius).union(disc(5, 60)).union(box(60, 60, 8).translate((0, 0, 60)))
    found = recognised(tmp_path, {"arm": (arm, (0, 0, 0)), "ball": (ball, (0, 0, 0))})
    assert list(joints(found).values()) == ["spherical"] * count
