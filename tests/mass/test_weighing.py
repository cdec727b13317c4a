"""Meshes weighed for an assembly: as each by itself, each content once, and kept between runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cadbridge.assembly import Part
from cadbridge.geometry import Mesh, Shape
from cadbridge.mass import audit_mesh, weighing
from cadbridge.mass.parts import part_volume
from cadbridge.mass.weighing import Weighed, weigh_mesh, weigh_meshes

CORNERS = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.3]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
CLOSED, AGAIN = Mesh(CORNERS, FACES), Mesh(CORNERS.copy(), FACES.copy())
OPEN, INVERTED = Mesh(CORNERS, FACES[:3]), Mesh(CORNERS, FACES[:, ::-1])


def same(a: Weighed, b: Weighed) -> bool:
    if a.volume is None or b.volume is None:
        return a == b
    return a[:-1] == b[:-1] and all(
        np.array_equal(x, y)
        for x, y in (
            (a.volume.mass, b.volume.mass), (a.volume.com, b.volume.com), (a.volume.inertia, b.volume.inertia),
        )
    )  # fmt: skip


def _keeping(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what every mesh weighs, in this folder."""
    monkeypatch.setenv("CADBRIDGE_CACHE", str(folder))
    monkeypatch.delenv("CADBRIDGE_NO_CACHE", raising=False)
    monkeypatch.setattr(weighing, "KEPT", 1)


def _counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Mesh]:
    """The meshes that are audited from now on, while what they weigh is kept."""
    _keeping(folder, monkeypatch)
    audited: list[Mesh] = []

    def counted(mesh: Mesh) -> object:
        audited.append(mesh)
        return audit_mesh(mesh)

    monkeypatch.setattr(weighing, "audit_mesh", counted)
    return audited


def test_each_content_is_audited_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audited = _counted(tmp_path, monkeypatch)
    monkeypatch.setattr(weighing, "_version", lambda: "one")
    meshes = [CLOSED, OPEN, AGAIN, INVERTED]
    first = weigh_meshes(meshes)
    assert len(audited) == 3
    second = weigh_meshes(meshes)
    assert len(audited) == 3, "what was kept is not audited again"
    monkeypatch.undo()
    for mesh in meshes:
        alone = weigh_mesh(mesh)
        assert same(first[id(mesh)], alone)
        assert same(second[id(mesh)], alone)
    closed = first[id(CLOSED)].volume
    assert closed is not None
    assert closed.mass == pytest.approx(1e-3)
    assert (first[id(OPEN)].volume, first[id(OPEN)].open_edges) == (None, 3)
    assert first[id(INVERTED)].inverted == 1


def test_a_damaged_answer_is_computed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _keeping(tmp_path, monkeypatch)
    first = weigh_meshes([CLOSED])[id(CLOSED)]
    (kept,) = (path for path in tmp_path.rglob("*") if path.is_file())
    kept.write_bytes(kept.read_bytes()[:-3])
    assert same(weigh_meshes([CLOSED])[id(CLOSED)], first)
    for broken in (b"[[true, 0]]", b"[[true,0,0,0,1,0,[1.0]]]", b"3"):
        with pytest.raises(ValueError, match="no kept meshes"):
            weighing._unpacked(broken)


def test_a_fine_mesh_that_is_asked_for_later_is_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A coarse mesh that does not confirm its B-Rep has the fine one weighed: with each decision in the live view."""
    audited = _counted(tmp_path, monkeypatch)
    exact = weigh_mesh(CLOSED).volume
    part = Part("part", Shape("key", coarse=OPEN, fine=CLOSED, brep=exact))
    audited.clear()
    first, second = part_volume(part), part_volume(part)
    assert [mesh for mesh in audited if mesh is CLOSED] == [CLOSED]
    assert first.of_mesh == second.of_mesh == pytest.approx(1e-3)
