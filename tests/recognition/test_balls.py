"""Balls in their sockets."""

from __future__ import annotations

from pathlib import Path

import cadquery as cq
import pytest

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


def test_the_foot_of_a_ball_stud_goes_with_what_it_lies_on(tmp_path: Path) -> None:
    """A platform on a stud in its middle and on a strut: but for its foot the stud would hang on its ball alone."""
    stud = cq.Workplane().sphere(8).translate((0, 0, 20)).union(box(20, 20, 4)).union(disc(4, 20))
    strut = cq.Workplane().sphere(4).union(disc(2, 20).translate((0, 0, -20)))
    top = box(80, 30, 12).translate((25, 0, 20)).cut(cq.Workplane().sphere(8).translate((0, 0, 20)))
    top = top.cut(cq.Workplane().sphere(4).translate((50, 0, 20)))
    post = tube(6, 2, 20)
    base = box(140, 60, 8).translate((20, 0, -8))
    base = base.union(post.translate((50, 0, -5)))
    found = recognised(tmp_path, {
        "base": (base, (0, 0, 0)), "stud": (stud, (0, 0, 0)), "top": (top, (0, 0, 0)), "strut": (strut, (50, 0, 20)),
    })  # fmt: skip
    body = found.bodies[found.body_of["stud"]]
    assert "base" in body.instances
    assert any("but a ball holds it elsewhere" in bond.reason for bond in body.bonds)
    assert sorted(joints(found).values()).count("spherical") == 2
