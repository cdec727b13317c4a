"""Plane faces that lie on each other; a face whose outline is not known has none in common."""

from __future__ import annotations

import numpy as np
import pytest

from cadbridge.frames import Pose
from cadbridge.recognition.contacts.contacts import Placed
from cadbridge.recognition.contacts.planes import plane_contacts
from cadbridge.recognition.faces.surfaces import Surface

SQUARE = 0.01 * np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
"""m: a square in z = 0."""


def face(instance: str, up: float, outlined: bool) -> Placed:
    """A face in z = 0 that looks up (1) or down (-1); without an outline it has an edge of two points."""
    z = np.array([0.0, 0.0, up])
    loops = (SQUARE if outlined else SQUARE[:2],)
    surface = Surface("plane", np.zeros(3), z, 0.0, 0.0, False, 0.0, 0.0, 1e-4, 0.0, loops, (0,))
    return Placed(instance, Pose(np.eye(3), np.zeros(3)), surface, np.zeros(3), z)


@pytest.mark.parametrize("outlined", [(True, True), (True, False), (False, True), (False, False)])
def test_faces_on_each_other_have_the_area_of_their_outlines_in_common(outlined: tuple[bool, bool]) -> None:
    found = plane_contacts([face("a", 1.0, outlined[0]), face("b", -1.0, outlined[1])], np.zeros(3), 1e-5)
    assert [c.overlap for c in found] == pytest.approx([1e-4] * all(outlined))
