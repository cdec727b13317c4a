"""What is found in a shape is found once: in one run, and by its content in the next."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cadbridge.geometry import FineMesh, Mesh, Shape
from cadbridge.recognition.faces.once import once_a_shape
from cadbridge.recognition.standard import parts
from cadbridge.recognition.standard.names import StandardKind
from cadbridge.recognition.standard.parts import standard_part
from cadbridge.recognition.wheels import finding
from cadbridge.recognition.wheels.finding import find_wheels
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind
from tests.recognition import gear_shapes

pytestmark = pytest.mark.usefixtures("kept_here")


@pytest.fixture
def kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked_anew: None) -> None:
    """A folder of caches of its own, that is used."""
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CADBRIDGE_NO_CACHE", raising=False)


class Counting:
    """Counts the triangles of shapes, and how often it did."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, shape: Shape) -> int:
        self.calls += 1
        assert shape.fine is not None
        return len(shape.fine.triangles)


def counted(counting: Counting) -> Any:
    def triangles(shape: Shape) -> int:
        return counting(shape)

    return once_a_shape(int)(triangles)


def test_it_is_found_once_by_content() -> None:
    counting = Counting()
    wheel = gear_shapes.wheel(13, 1e-3, 6e-3)
    again = replace(wheel)
    assert len({counted(counting)(shape) for shape in (wheel, wheel, again, replace(wheel, key="other"))}) == 1
    assert counting.calls == 1


def test_what_is_looked_at_is_its_content() -> None:
    counting = Counting()
    wheel = gear_shapes.wheel(13, 1e-3, 6e-3)
    assert wheel.fine is not None
    larger = Mesh(1.001 * wheel.fine.vertices, wheel.fine.triangles)
    others = [replace(wheel, solids=2), replace(wheel, fine=larger), replace(wheel, coarse=larger)]
    if wheel.faces:
        others.append(replace(wheel, faces=wheel.faces[1:]))
    for shape in (wheel, *others):
        counted(counting)(shape)
    assert counting.calls == 1 + len(others)


def test_a_coarse_mesh_that_stands_in_is_not_kept_for() -> None:
    counting = Counting()
    coarse = gear_shapes.wheel(13, 1e-3, 6e-3).fine
    assert coarse is not None
    for made, calls in ((None, 1), (coarse, 2), (None, 2)):
        shape = Shape("key", FineMesh("fine", lambda made=made: made, coarse), coarse)  # type: ignore[misc]
        counted(counting)(shape)
        assert counting.calls == calls


def test_wheels_come_back_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = [
        gear_shapes.wheel(31, 1e-3, 12e-3, helix=15.0),
        gear_shapes.bevel(20, 2e-3, 45.0, 0.3 * 2e-3 * 20 / 2 / math.sin(math.radians(45.0))),
    ]
    first = [find_wheels(shape) for shape in shapes]
    monkeypatch.setattr(finding, "candidate_axes", None)  # to look again would end in an error
    second = [find_wheels(replace(shape)) for shape in shapes]
    for a, b in zip(sum(first, ()), sum(second, ()), strict=True):
        assert type(b.kind) is WheelKind
        for f in fields(Wheel):
            assert_array_equal(getattr(a, f.name), getattr(b, f.name))


def test_standard_parts_come_back_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    angles = np.linspace(0, math.tau, 48, endpoint=False)
    rings = [[(0.003 * math.cos(a), 0.003 * math.sin(a), z) for a in angles] for z in (0.0, 0.02)]
    n = len(angles)
    sides = [(k, (k + 1) % n, n + k) for k in range(n)] + [((k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    ends = [(0, k + 1, k) for k in range(1, n - 1)] + [(n, n + k, n + k + 1) for k in range(1, n - 1)]
    mesh = Mesh(np.array(rings).reshape(-1, 3), np.array([*sides, *ends], np.int32))
    first = standard_part(Shape("pin", mesh, mesh))
    monkeypatch.setattr(parts, "_by_layers", None)
    second = standard_part(Shape("pin", mesh, mesh))
    assert first is not None
    assert second is not None
    assert second.kind is StandardKind.PIN
    for f in fields(first):
        assert_array_equal(getattr(first, f.name), getattr(second, f.name))
