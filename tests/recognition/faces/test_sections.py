"""Circles about an axis in sections of a part."""

from __future__ import annotations

import numpy as np

from cadbridge.geometry import Mesh
from cadbridge.recognition.faces.sections import Cutter, across
from tests.recognition.gear_shapes import wheel


def test_shares_and_numbers_of_arcs_are_those_of_rings() -> None:
    """Of whole meshes and of one with a hole, about the axis, beside it and across it."""
    whole = wheel(12, 2e-3, 8e-3).fine
    assert whole is not None
    broken = Mesh(whole.vertices, np.delete(whole.triangles, slice(40, 60), axis=0))
    seen = set()
    for mesh in (whole, broken):
        for axis, point in (("z", (0, 0, 0)), ("z", (1e-3, 2e-3, 0)), ("x", (0, 0, 4e-3))):
            section = Cutter(mesh, np.array(point, float), across(np.eye(3)["xyz".index(axis)])).section(3.1e-3)
            radii = section.radii(24)
            rings = section.rings(np.concatenate([0.1 * radii[:1], radii, 2 * radii[-1:]]))
            shares, counts = section.shares(np.array([ring.radius for ring in rings]))
            np.testing.assert_allclose(shares, [ring.share for ring in rings], atol=1e-12)
            assert counts.tolist() == [len(ring.starts) for ring in rings]
            seen |= {(ring.sound, len(ring.starts) > 0, ring.filled) for ring in rings}
    assert {(False, False, True), (True, True, False), (True, False, True), (True, False, False)} <= seen
