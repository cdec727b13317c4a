"""Plane faces that lie on each other; a face whose outline is not known has none in common."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cadbridge.frames import Pose
from cadbridge.recognition.contacts import planes
from cadbridge.recognition.contacts.contacts import Placed
from cadbridge.recognition.contacts.planes import plane_contacts
from cadbridge.recognition.faces.surfaces import Surface

SQUARE = 0.01 * np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
"""m: a square in z = 0."""


def face(instance: str, up: float, outlined: bool = True, tilt: float = 0.0, off: float = 0.0) -> Placed:
    """A face in z = 0 that looks up (1) or down (-1); without an outline it has an edge of two points.

    It is turned by `tilt` rad about a line through its middle and set `off` m above.
    """
    z = np.array([0.0, 0.0, up])
    loops = (SQUARE if outlined else SQUARE[:2],)
    surface = Surface("plane", np.zeros(3), z, 0.0, 0.0, False, 0.0, 0.0, 1e-4, 0.0, loops, (0,))
    R = Rotation.from_rotvec([tilt, 0.0, 0.0]).as_matrix()
    middle = np.array([0.005, 0.005, 0.0])
    X_WI = Pose(R, middle + np.array([0.0, 0.0, off]) - R @ middle)
    return Placed(instance, X_WI, surface, X_WI.p, X_WI.vector(z))


@pytest.mark.parametrize("outlined", [(True, True), (True, False), (False, True), (False, False)])
def test_faces_on_each_other_have_the_area_of_their_outlines_in_common(outlined: tuple[bool, bool]) -> None:
    found = plane_contacts([face("a", 1.0, outlined[0]), face("b", -1.0, outlined[1])], np.zeros(3), 1e-5)
    assert [c.overlap for c in found] == pytest.approx([1e-4] * all(outlined))


@pytest.mark.parametrize("far", [0.0, 0.1, 10.0])
def test_faces_askew_lie_on_each_other_wherever_the_middle_of_all_is(far: float) -> None:
    """A tilt of 0.3 mrad parts the planes by 0.03 mm at 0.1 m from them, and by a micron at the rim of the faces."""
    faces = [face("a", 1.0), face("b", -1.0, tilt=3e-4), face("c", 1.0, off=-0.02)]
    found = plane_contacts(faces, np.array([far, far, far]), 1e-5)
    assert [c.pair for c in found] == [("a", "b")]
    assert found[0].gap == pytest.approx(0.0, abs=1e-9)
    assert found[0].point == pytest.approx([0.005, 0.005, 0.0], abs=1e-6)


@pytest.mark.parametrize("far", [0.0, 0.1, 10.0])
@pytest.mark.parametrize(("tilt", "off"), [(3e-4, 2e-5), (3e-3, 0.0), (0.0, 2e-5)])
def test_faces_apart_or_at_an_angle_do_not(tilt: float, off: float, far: float) -> None:
    assert plane_contacts([face("a", 1.0), face("b", -1.0, tilt=tilt, off=off)], np.array([far, 0.0, far]), 1e-5) == []


def test_of_very_many_planes_none_is_compared_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planes, "MOST_ASKEW", 3)
    many = [face("a", 1.0), face("b", -1.0), face("c", 1.0), face("d", -1.0, tilt=3e-4)]
    found = plane_contacts(many, np.array([0.1, 0.1, 0.0]), 1e-5)
    assert {c.pair for c in found} == {("a", "b"), ("b", "c")}
