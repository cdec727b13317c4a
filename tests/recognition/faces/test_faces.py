"""The analytic surfaces of parts, with their sides and extents."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.readers import ReadOptions
from cadbridge.recognition.faces.parts import PartFaces, faces_of_parts
from tests.late import cq
from tests.readers.freecad.making import Maker

MM = 1e-3


def faces_of(solid: cq.Workplane, folder: Path) -> PartFaces:
    file = folder / "part.step"
    cq.exporters.export(solid, str(file))
    assembly = cb.read(file)
    assert not [f for f in assembly.findings if f.severity.value == "error"]
    return next(iter(faces_of_parts(assembly.parts).values()))


def test_a_plate_with_a_bore_and_a_boss(tmp_path: Path) -> None:
    plate = cq.Workplane().box(40, 20, 10).faces(">Z").workplane().pushPoints([(10, 0)]).hole(8)
    plate = plate.union(cq.Workplane().center(-10, 0).circle(3).extrude(15))
    found = faces_of(plate, tmp_path)
    bore, boss = sorted(found.of("cylinder"), key=lambda s: -s.radius)
    assert bore.hollow
    assert not boss.hollow
    assert (bore.radius, boss.radius) == pytest.approx((4 * MM, 3 * MM))
    assert (bore.length, boss.length) == pytest.approx((10 * MM, 10 * MM))
    assert bore.turn == pytest.approx(2 * math.pi)
    assert bore.point[0] == pytest.approx(10 * MM)
    top = next(s for s in found.of("plane") if s.direction is not None and s.direction[2] > 0.9 and s.area > 1e-4)
    assert top.area == pytest.approx(((40 * 20) - math.pi * (16 + 9)) * MM**2)
    across = np.concatenate(top.loops)[:, 0]
    assert (across.min(), across.max()) == pytest.approx((-20 * MM, 20 * MM))


def test_cones_spheres_and_tori_have_sides(tmp_path: Path) -> None:
    body = cq.Workplane().box(60, 60, 20)
    body = body.faces(">Z").workplane().pushPoints([(-20, -20)]).cskHole(6, 12, 90)
    body = body.cut(cq.Workplane("XY", origin=(15, 15, 10)).sphere(6))
    body = body.union(cq.Workplane("XY", origin=(15, -15, 10)).sphere(5))
    groove = cq.Solid.makeTorus(8, 2, cq.Vector(-15, 15, 10))
    found = faces_of(body.cut(cq.Workplane(groove)), tmp_path)
    (cone,) = found.of("cone")
    assert cone.hollow
    assert abs(cone.second) == pytest.approx(math.radians(45), abs=1e-6)
    ends = sorted(cone.radius + math.tan(cone.second) * z for z in (cone.low, cone.high))
    assert ends == pytest.approx([3 * MM, 6 * MM])
    assert cone.radius == pytest.approx(4.5 * MM)  # in the middle of its face, wherever its file gives it
    cup, ball = sorted(found.of("sphere"), key=lambda s: -s.radius)
    assert (cup.hollow, ball.hollow) == (True, False)
    (ring,) = found.of("torus")
    assert ring.hollow
    assert (ring.radius, ring.second) == pytest.approx((8 * MM, 2 * MM))


def test_halves_of_a_bore_are_one_and_far_knuckles_two(tmp_path: Path) -> None:
    fork = cq.Workplane().box(30, 10, 20).faces(">Y").workplane(centerOption="CenterOfBoundBox").hole(6)
    fork = fork.cut(cq.Workplane(origin=(0, 0, 5)).box(30, 4, 20))
    knuckles = faces_of(fork, tmp_path).of("cylinder")
    assert [round(s.length, 6) for s in knuckles] == [3 * MM, 3 * MM]
    bore = cq.Workplane().circle(4).extrude(5)
    left, right = (cq.Workplane().center(x, 0).rect(20, 20).extrude(5).cut(bore) for x in (-10, 10))
    (whole,) = faces_of(left.union(right, clean=False), tmp_path).of("cylinder")
    assert len(whole.faces) == 2
    assert whole.turn == pytest.approx(2 * math.pi)


def test_a_part_with_a_broken_number_has_no_faces_and_no_mass(tmp_path: Path) -> None:
    faces_of(cq.Workplane().circle(4).extrude(5), tmp_path)
    file = tmp_path / "part.step"
    file.write_text(file.read_text().replace("CARTESIAN_POINT('',(4.,0.,0.))", "CARTESIAN_POINT('',(1.E250,0.,0.))", 1))
    assembly = cb.read(file, options=ReadOptions(density=1000.0))
    (found,) = faces_of_parts(assembly.parts).values()
    assert (found.surfaces, found.fault) == ((), "the faces reach farther than 1e+09 m")
    (body,) = cb.build(assembly).bodies
    assert body.mass is None


def test_a_mesh_says_that_it_has_no_faces(tmp_path: Path) -> None:
    import trimesh

    trimesh.creation.box((1, 1, 1)).export(tmp_path / "box.stl")
    (tmp_path / "box.urdf").write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="box.stl"/></geometry></visual></link></robot>'
    )
    assembly = cb.read(tmp_path / "box.urdf")
    (found,) = faces_of_parts(assembly.parts).values()
    assert found.surfaces == ()
    assert found.fault is not None
    assert "mesh" in found.fault


def test_faces_in_a_file_of_freecad_are_those_of_the_step_file(tmp_path: Path) -> None:
    from OCP.BRepTools import BRepTools

    plate = cq.Workplane().box(40, 20, 10).faces(">Z").workplane().pushPoints([(10, 0)]).hole(8)
    brep = tmp_path / "plate.brp"
    BRepTools.Write_s(plate.val().wrapped, str(brep))
    made = Maker()
    made.part("Plate", brep.read_bytes(), p=(5.0, 0.0, 0.0))
    made.assembly("Plate")
    file = made.save(tmp_path / "plate.FCStd")
    assembly = cb.read(file)
    (found,) = faces_of_parts(assembly.parts).values()
    expected = faces_of(plate, tmp_path)
    assert [s.kind for s in found.surfaces] == [s.kind for s in expected.surfaces]
    (bore,), same = found.of("cylinder"), expected.of("cylinder")[0]
    assert bore.hollow
    assert (bore.radius, bore.length, bore.area) == pytest.approx((same.radius, same.length, same.area))
    file.write_bytes(b"no archive")
    (lost,) = faces_of_parts(assembly.parts).values()
    assert not lost.surfaces
    assert "cannot be unpacked" in str(lost.fault)
