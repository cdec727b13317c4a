"""Links made of several parts, which the sweep of their joints shows to be one body, and links that are none."""

from __future__ import annotations

from pathlib import Path

from tests.late import cq
from tests.recognition.solids import box, disc, joints, link, recognised


def half_rod(tongue: bool) -> cq.Workplane:
    """Half of a rod along x with an eye of radius 4 at the origin, and a tongue or its groove from x = 60 to 80."""
    end = box(20, 6, 6).translate((70, 0, 0))
    whole = box(68 if tongue else 88, 16, 6).translate((26 if tongue else 36, 0, 0))
    return (whole.union(end) if tongue else whole.cut(end)).cut(disc(4, 6))


def test_halves_of_rods_put_together_are_one_body_each(tmp_path: Path) -> None:
    """A parallelogram: each half would meet the other at once, and is bound to it and not to its bracket."""
    bracket = box(30, 100, 6).translate((0, 30, -6))
    for y in (0, 60):
        bracket = bracket.union(disc(4, 8).translate((0, y, 0)))
    near = half_rod(True)
    far = half_rod(False).rotate((0, 0, 0), (0, 1, 0), 180).translate((140, 0, 6))
    parts = {"base": (bracket, (0.0, 0.0, 0.0)), "top": (bracket.translate((140, 0, 0)), (0.0, 0.0, 0.0))}
    for k, off in enumerate((0.0, 60.0)):
        parts |= {f"near{k}": (near, (0.0, off, 0.0)), f"far{k}": (far, (0.0, off, 0.0))}
    found = recognised(tmp_path, parts)
    assert {body.instances for body in found.bodies} == {("base",), ("top",), ("far0", "near0"), ("far1", "near1")}
    assert list(joints(found).values()) == ["revolute"] * 4
    assert found.freedoms == 1
    reasons = [bond.reason for body in found.bodies for bond in body.bonds]
    assert len(reasons) == 2
    assert all("lies on it, and as two they could not move: " in reason for reason in reasons)


def test_links_beside_each_other_whose_eyes_are_in_line_are_two(tmp_path: Path) -> None:
    """As in a row of fingers: they touch nowhere, and each turns on a stud of its own."""
    frame = box(12, 40, 30).translate((-30, 0, -10)).union(disc(3, 8).translate((0, 0, -5)))
    frame = frame.union(box(34, 10, 5).translate((-13, 0, -10))).union(box(34, 10, 5).translate((-13, 0, 15)))
    frame = frame.union(disc(3, 8).translate((0, 0, 12)).union(disc(4, 5).translate((0, 0, -5))))
    frame = frame.union(disc(4, 1).translate((0, 0, 15)))
    finger = link(40)
    parts = {"frame": (frame, (0.0, 0.0, 0.0)), "one": (finger, (0.0, 0.0, 0.0)), "two": (finger, (0.0, 0.0, 12.0))}
    found = recognised(tmp_path, parts)
    assert joints(found) == {frozenset(("frame", name)): "revolute" for name in ("one", "two")}
