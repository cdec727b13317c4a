"""From what the worker sends to the shapes of an assembly."""

from pathlib import Path

import numpy as np
import pytest

from cadbridge.shapes.convert import to_shape
from cadbridge.shapes.protocol import FaceTable, ShapeData

_EMPTY = np.zeros((0, 3))
_NO_FACES = FaceTable([], _EMPTY, _EMPTY, np.zeros(0), np.zeros(0), _EMPTY, [])


@pytest.mark.parametrize(
    ("volume", "inertia", "kept"), [(1.5, 1.0, True), (1e28, 1.0, False), (np.nan, 1.0, False), (1.5, np.nan, False)]
)
def test_an_exact_volume_of_broken_numbers_is_none(volume: float, inertia: float, kept: bool) -> None:
    data = ShapeData("key", "0:1:1", None, None, (volume, np.zeros(3), inertia * np.eye(3)), _NO_FACES, 1, 0, 1.0)
    assert (to_shape(data, Path("part.step")).brep is not None) == kept
