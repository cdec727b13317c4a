"""The picture without a graphics card: what is where, in front of what, and in which colour."""

import io

import numpy as np
import pytest
from matplotlib.image import imread

from cadbridge.assembly import Assembly, Component, Instance, Part
from cadbridge.frames import Pose
from cadbridge.geometry import Shape
from cadbridge.report.still import still
from tests.report.page.models import cube, door

RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


def cubes(*placed: tuple[tuple[float, float, float], tuple[float, float, float, float]]) -> Assembly:
    """Cubes of 0.2 m at places, each of its colour."""
    shape = Shape("cube", cube(0.2), cube(0.2))
    return Assembly(
        name="cubes", source="cubes", format="test", parts=(Part("cube", shape),),
        instances=tuple(
            Instance(str(k), "cube", Pose(np.eye(3), np.array(at)), str(k), colour)
            for k, (at, colour) in enumerate(placed)
        ),
        components=tuple(Component(str(k), (str(k),), Pose()) for k in range(len(placed))),
    )  # fmt: skip


def seen(assembly: Assembly) -> np.ndarray:
    """The picture's pixels (h, w, 4)."""
    png = still(assembly, 160, 120)
    assert png is not None
    return np.asarray(imread(io.BytesIO(png), "png"))


def share(image: np.ndarray, channel: int) -> float:
    """The share of pixels in which a channel is the strongest."""
    inside = image[..., 3] > 0.5
    return float((inside & (np.argmax(image[..., :3], axis=2) == channel) & (image[..., channel] > 0.2)).mean())


def test_what_lies_in_front_hides_what_lies_behind() -> None:
    """Seen from the right, in front and above: the red cube lies between the eye and the blue one."""
    towards = np.array([0.62, -0.72, 0.36])
    in_front = seen(cubes(((0, 0, 0), BLUE), (tuple(0.5 * towards), RED)))
    assert share(in_front, 0) > 0.2
    assert share(in_front, 2) == 0.0
    behind = seen(cubes(((0, 0, 0), BLUE), (tuple(-0.5 * towards), RED)))
    assert share(behind, 2) > 0.2
    assert share(behind, 0) == 0.0


def test_up_is_up_and_right_is_right() -> None:
    above = seen(cubes(((0, 0, 0), BLUE), ((0, 0, 0.5), RED)))
    assert share(above[:60], 0) > share(above[60:], 0) == 0.0
    beside = seen(cubes(((0, 0, 0), BLUE), ((0.36, 0.31, 0), RED)))
    assert share(beside[:, 80:], 0) > share(beside[:, :80], 0) == 0.0


def test_a_face_has_no_holes_and_the_ground_is_transparent() -> None:
    image = seen(cubes(((0, 0, 0), RED)))
    assert image[60, 80, 3] == 1.0
    assert image[0, 0, 3] == 0.0
    rows = image[..., 3] > 0.99
    for row in rows[rows.any(axis=1)]:
        filled = np.flatnonzero(row)
        assert len(filled) == filled[-1] - filled[0] + 1  # convex: no gap within a row


def test_the_same_bytes_every_time_and_nothing_without_shapes() -> None:
    assert still(door(), 80, 60) == still(door(), 80, 60)
    bare = Assembly(name="bare", source="", format="test", parts=(), instances=(), components=())
    assert still(bare) is None


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_triangles_that_are_not_finite_are_left_out(bad: float) -> None:
    mesh = cube(0.2)
    mesh.vertices[0] = bad
    whole = cubes(((0, 0, 0), RED))
    shape = Shape("bad", mesh, mesh)
    broken = Assembly(name="b", source="", format="test", parts=(Part("cube", shape),), instances=whole.instances,
                      components=whole.components)  # fmt: skip
    image = seen(broken)
    assert 0.05 < share(image, 0) < share(seen(whole), 0)
