"""The shapes of the page: as fine as they are large where too many triangles would be drawn."""

from dataclasses import replace

import numpy as np

from cadbridge.assembly import Assembly, Instance, Part
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh, Shape
from cadbridge.report.page.buffer import Buffer
from cadbridge.report.page.meshes import MOST_DRAWN, add_shapes
from tests.report.page.models import cube, door

ROUND, HIGH = 64, 32


def ball(radius: float) -> Mesh:
    """A ball of 4,032 triangles."""
    around, up = np.meshgrid(np.linspace(0, 2 * np.pi, ROUND + 1), np.linspace(0, np.pi, HIGH + 1))
    points = np.stack([np.sin(up) * np.cos(around), np.sin(up) * np.sin(around), np.cos(up)], axis=-1)
    k = np.arange(HIGH * (ROUND + 1)).reshape(HIGH, -1)[:, :-1].ravel()
    below = k + ROUND + 1
    triangles = np.concatenate([np.stack([k, below, k + 1], 1), np.stack([k + 1, below, below + 1], 1)])
    return Mesh(np.round(radius * points.reshape(-1, 3), 12), triangles.astype(np.int32))


def bearing(balls: int) -> Assembly:
    """A large ball, many small ones, and a cube."""
    shapes = {"large": ball(1.0), "small": ball(0.01), "cube": cube(0.5)}
    names = [("large", "large"), ("cube", "cube"), *((f"ball {i}", "small") for i in range(balls))]
    return replace(
        door(),
        parts=tuple(Part(name, Shape(name, mesh, mesh)) for name, mesh in shapes.items()),
        instances=tuple(Instance(name, part, Pose(), "frame") for name, part in names),
    )


def triangles(assembly: Assembly) -> dict[str, int]:
    shapes, shape_of = add_shapes(assembly, Buffer())
    return {part: int(shapes[i]["triangles"][2]) // 3 for part, i in shape_of.items()}


def test_a_few_balls_stay_as_fine_as_they_are() -> None:
    found = triangles(bearing(10))
    assert found["small"] == found["large"] > 3_900
    assert found["cube"] == 12


def test_hundreds_of_balls_are_as_coarse_as_they_are_small() -> None:
    found = triangles(bearing(400))
    assert found["large"] + 400 * found["small"] + 12 <= MOST_DRAWN
    assert 60 <= found["small"] < 900
    assert found["large"] > 3_900
    assert found["cube"] == 12
