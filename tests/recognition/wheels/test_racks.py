"""Racks by the planes of their flanks, against the numbers by which they are drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cadbridge.geometry import Face, Mesh, Shape
from cadbridge.recognition.wheels.racks import find_racks

WIDTH = 0.02


def drawn(teeth: int, module: float, angle: float, helix: float) -> Shape:
    """A rack along x, teeth out along z, sheared across y by its helix; `angle` of the flanks across y."""
    pitch, high, low = math.pi * module, module, -1.25 * module
    lean = math.tan(angle)
    profile = []
    for centre in pitch * np.arange(teeth):
        for x, z in ((-1, low), (-1, high), (1, high), (1, low)):
            profile.append((centre + x * (pitch / 4 - z * lean), z))
    ends = [[(x + y * math.tan(helix), y, z) for x, z in profile] for y in (-WIDTH / 2, WIDTH / 2)]
    vertices, n = np.array(ends).reshape(-1, 3), len(profile)
    strips = [((i, i + 1, n + i), (n + i, i + 1, n + i + 1)) for i in range(n - 1)]
    faces = []
    for i in range(0, n, 2):
        corners = vertices[[i, i + 1, n + i, n + i + 1]]
        across = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        outward = across / np.linalg.norm(across) * np.sign(across[2])
        faces.append(
            Face("plane", corners[0], outward, area=float(np.linalg.norm(across)), centre=corners.mean(axis=0))
        )
    mesh = Mesh(vertices, np.array(strips, np.int32).reshape(-1, 3))
    return Shape("rack", mesh, mesh, faces=tuple(faces))


@pytest.mark.parametrize("helix", [0.0, 15.0, -10.0])
@pytest.mark.parametrize(("teeth", "module", "angle"), [(12, 2e-3, 20.0), (8, 1e-3, 14.5)])
def test_a_rack_has_the_numbers_by_which_it_is_drawn(teeth: int, module: float, angle: float, helix: float) -> None:
    shape = drawn(teeth, module, math.radians(angle), math.radians(helix))
    assert shape.fine is not None
    (rack,) = find_racks(shape, shape.fine)
    cosine = math.cos(math.radians(helix))
    assert rack.teeth == teeth
    assert rack.module == pytest.approx(module * cosine)
    assert rack.tip - rack.root == pytest.approx(2.25 * module, rel=3e-4)  # levels are of 1e-4 pitches
    assert rack.width == pytest.approx(WIDTH)
    assert rack.pressure_angle == pytest.approx(math.atan(math.tan(math.radians(angle)) * cosine))
    assert abs(rack.helix) == pytest.approx(math.radians(abs(helix)))
    assert abs(rack.axis[0]) == pytest.approx(1.0)
    assert rack.normal == pytest.approx([0.0, 0.0, 1.0])


def test_few_flanks_and_parallel_fins_are_no_rack() -> None:
    for shape in (drawn(4, 2e-3, math.radians(20), 0.0), drawn(12, 2e-3, math.radians(1), 0.0)):
        assert shape.fine is not None
        assert find_racks(shape, shape.fine) == []
