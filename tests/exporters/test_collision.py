"""What collides in an export: how near it is to the part, that engines load it, that it is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio
import pytest

from cadbridge.errors import InputError
from cadbridge.exporters import COLLISIONS, ExportOptions, export
from cadbridge.exporters.collision import Box, Capsule, Collision, Cylinder, Sphere, collision_of
from cadbridge.exporters.collision.surface import MeshSurface, Piece, apart
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh
from cadbridge.mechanism import Mechanism
from cadbridge.storage import COLLISION, keep
from tests.exporters import models
from tests.late import trimesh

X_SM = models.random_pose(np.random.default_rng(4))

Make = Callable[[], Any]
BODIES: dict[str, tuple[Make, Box | Cylinder | Sphere | Capsule]] = {
    "box": (lambda: trimesh.creation.box((0.3, 0.1, 0.2)), Box((0.3, 0.1, 0.2))),
    "cube": (lambda: trimesh.creation.box((0.1, 0.1, 0.1)), Box((0.1, 0.1, 0.1))),
    "rod": (lambda: trimesh.creation.cylinder(0.05, 0.3, sections=48), Cylinder(0.05, 0.3)),
    "disc": (lambda: trimesh.creation.cylinder(0.3, 0.05, sections=48), Cylinder(0.3, 0.05)),
    "ball": (lambda: trimesh.creation.icosphere(3, 0.1), Sphere(0.1)),
    "pill": (lambda: trimesh.creation.capsule(0.2, 0.05, count=[32, 32]), Capsule(0.05, 0.2)),
}


def placed(made: Any) -> Mesh:
    """A mesh of trimesh's, somewhere."""
    return Mesh(made.vertices @ X_SM.R.T + X_SM.p, made.faces.astype(np.int32))


def tube() -> Mesh:
    return placed(trimesh.creation.annulus(0.1, 0.2, 0.1, sections=24))


@pytest.mark.parametrize("name", BODIES)
def test_a_part_that_is_a_solid_is_found(name: str) -> None:
    make, solid = BODIES[name]
    mesh = placed(make())
    found = collision_of(mesh, "primitives", 0.01)
    (piece,) = found.pieces
    assert type(piece.body) is type(solid)
    found_size, size = (np.sort(np.hstack(list(vars(s).values()))) for s in (piece.body, solid))
    np.testing.assert_allclose(found_size, size, rtol=2e-2)
    assert found.deviation < 3e-3 * found.size
    assert found.volume == pytest.approx(1.0, abs=0.02)


def test_what_is_no_solid_is_left() -> None:
    assert collision_of(tube(), "primitives", 0.01).pieces == ()
    flat = Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]), np.array([[0, 1, 2]], dtype=np.int32))
    for kind in ("hull", "primitives", "simplified"):
        assert collision_of(flat, kind, 0.01).pieces == ()


def test_distances_of_solids_are_those_of_their_surfaces() -> None:
    points = np.random.default_rng(2).normal(0, 0.2, (300, 3))
    for make, solid in BODIES.values():
        made = make()
        if isinstance(solid, Box) and solid.size != (0.1, 0.1, 0.1):
            made = trimesh.creation.box(solid.size)
        ours = solid.distance(points)
        np.testing.assert_allclose(
            np.abs(ours), MeshSurface(Mesh(made.vertices, made.faces)).distance(points), atol=2e-3
        )
        assert np.array_equal(ours < -2e-3, (made.contains(points)) & (ours < -2e-3))
        np.testing.assert_allclose(solid.distance(solid.surface()), 0, atol=1e-12)
        assert solid.volume == pytest.approx(made.volume, rel=0.02)


def test_the_error_told_is_how_far_surfaces_are_apart() -> None:
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    surface = MeshSurface(Mesh(box.vertices, box.faces))
    moved = Piece(Pose(np.eye(3), np.array([0.0, 0.0, 0.03])), Box((0.2, 0.2, 0.2)))
    assert apart((moved,), surface) == pytest.approx(0.03, rel=1e-6)
    # Two halves that touch are the whole: where they touch there is no surface.
    halves = [Piece(Pose(np.eye(3), np.array([0.0, 0.0, z])), Box((0.2, 0.2, 0.1))) for z in (-0.05, 0.05)]
    assert apart(tuple(halves), surface) < 1e-9
    # A hull fills the hole of a tube: from the middle of its cover to the rim is the inner radius.
    hull = collision_of(tube(), "hull", 0.01)
    assert hull.deviation == pytest.approx(0.1, rel=0.05)
    assert hull.volume == pytest.approx(4 / 3, rel=0.01)


def angle_iron() -> Mesh:
    """An L of two legs, 0.2 m by 0.05 m, 0.1 m long; its first corner is the one within."""
    corners = np.array([(0.05, 0.05), (0.05, 0.2), (0, 0.2), (0, 0), (0.2, 0), (0.2, 0.05)])
    cover = [(0, k, k + 1) for k in range(1, 5)]
    sides = [t for k in range(6) for t in ((k, (k + 1) % 6, k + 6), ((k + 1) % 6, (k + 1) % 6 + 6, k + 6))]
    triangles = [*((c, b, a) for a, b, c in cover), *((a + 6, b + 6, c + 6) for a, b, c in cover), *sides]
    points = np.vstack([np.column_stack([corners, np.full(6, z)]) for z in (0.0, 0.1)])
    return Mesh(points, np.array(triangles, dtype=np.int32))


def test_convex_pieces_keep_the_corner_open(tmp_path: Path) -> None:
    mesh = angle_iron()
    made = collision_of(mesh, "decomposition", 0.01, tmp_path)
    assert len(made.pieces) == 2
    assert made.deviation < 1e-2 * made.size < 0.1 * collision_of(mesh, "hull", 0.01).deviation
    assert made.volume == pytest.approx(1.0, abs=0.02)
    assert_equal(collision_of(mesh, "decomposition", 0.01, tmp_path), made)


def test_fewer_triangles_stay_near() -> None:
    ball = placed(trimesh.creation.icosphere(3, 0.1))
    (fewer,) = collision_of(ball, "simplified", 0.01).pieces
    assert isinstance(fewer.body, Mesh)
    assert len(fewer.body.triangles) <= 320
    assert collision_of(ball, "simplified", 1e-5).pieces == ()


def assert_equal(one: Collision, other: Collision) -> None:
    assert (one.deviation, one.size, one.volume) == (other.deviation, other.size, other.volume)
    assert len(one.pieces) == len(other.pieces)
    for a, b in zip(one.pieces, other.pieces, strict=True):
        assert np.array_equal(a.X_IP.R, b.X_IP.R)
        assert np.array_equal(a.X_IP.p, b.X_IP.p)
        if isinstance(a.body, Mesh) and isinstance(b.body, Mesh):
            assert np.array_equal(a.body.vertices, b.body.vertices)
            assert np.array_equal(a.body.triangles, b.body.triangles)
        else:
            assert a.body == b.body


@pytest.mark.parametrize("kind", ["hull", "primitives", "simplified"])
def test_what_was_made_is_kept_and_damage_is_noticed(kind: str, tmp_path: Path) -> None:
    mesh = placed(trimesh.creation.icosphere(2, 0.1))
    made = collision_of(mesh, kind, 0.01, tmp_path)
    (file,) = (p for p in (tmp_path / COLLISION).rglob("*") if p.is_file())
    whole = file.read_bytes()
    assert_equal(collision_of(mesh, kind, 0.01, tmp_path), made)
    file.write_bytes(whole[:-9] + b"something")
    assert_equal(collision_of(mesh, kind, 0.01, tmp_path), made)
    assert file.read_bytes() == whole
    other = collision_of(placed(trimesh.creation.icosphere(1, 0.1)), kind, 0.02)
    collision_of(placed(trimesh.creation.icosphere(1, 0.1)), kind, 0.02, tmp_path)
    (second,) = (p for p in (tmp_path / COLLISION).rglob("*") if p.is_file() and p != file)
    keep(file, second.read_bytes().partition(b"\n")[2])
    assert_equal(collision_of(mesh, kind, 0.01, tmp_path), other)  # it is what is kept that is served


def shaped(mesh: Mesh) -> Mechanism:
    """A pendulum of that shape."""
    mechanism = models.pendulum()
    part = mechanism.assembly.parts[0]
    assert part.shape is not None
    shaped = replace(part, shape=replace(part.shape, coarse=mesh, fine=mesh, collision=None))
    return replace(mechanism, assembly=replace(mechanism.assembly, parts=(shaped,)))


@pytest.mark.parametrize("name", ["box", "rod", "ball", "pill", "tube"])
@pytest.mark.parametrize("to", ["urdf", "mjcf", "sdf"])
def test_engines_load_what_collides_in_its_place(to: str, name: str, tmp_path: Path) -> None:
    mesh = tube() if name == "tube" else placed(BODIES[name][0]())
    options = ExportOptions(collision="hull" if name == "tube" else "primitives")
    mechanism = shaped(mesh)
    result = export(mechanism, tmp_path / "x", to, options=options)
    (said,) = [f for f in result.findings if f.code == "CB523"]
    assert "mm (" in said.message
    assert "volume" in said.message
    losses = json.loads((tmp_path / "x" / "losses.json").read_text())
    assert said.message in [f["message"] for f in losses["findings"]]
    # A capsule may come as a cylinder and two balls; MuJoCo puts a mesh at the middle of its volume.
    X_IP = collision_of(mesh, options.collision, 0.01).pieces[0].X_IP
    p = 0.5 * (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0)) if name == "tube" else X_IP.p
    centres = [instance.X_WI.point(p) for instance in mechanism.assembly.instances]
    for place in LOADERS[to](result.files[0]):
        assert min(np.linalg.norm(place - c) for c in centres) < (0.11 if name in ("pill", "tube") else 1e-6)


def in_mujoco(path: Path) -> list[Any]:
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    places = [data.geom_xpos[i].copy() for i in range(model.ngeom) if model.geom_group[i] == 3]
    assert places
    return places


def in_pinocchio(path: Path) -> list[Any]:
    model = pinocchio.buildModelFromUrdf(str(path))
    kind = pinocchio.GeometryType.COLLISION
    geometry = pinocchio.buildGeomFromUrdf(model, str(path), kind, package_dirs=[str(path.parent)])
    data, places = model.createData(), geometry.createData()
    pinocchio.updateGeometryPlacements(model, data, geometry, places, pinocchio.neutral(model))
    names = [type(o.geometry).__name__ for o in geometry.geometryObjects]
    assert names
    return [] if any("BVH" in n for n in names) else [np.array(p.translation) for p in places.oMg]


def in_drake(path: Path) -> list[Any]:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.multibody.tree import BodyIndex
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 0.0)
    Parser(plant).AddModels(path)
    plant.Finalize()
    context = builder.Build().CreateDefaultContext()
    query = scene.get_query_output_port().Eval(scene.GetMyContextFromRoot(context))
    inspector = scene.model_inspector()
    bodies = [plant.get_body(BodyIndex(n)) for n in range(plant.num_bodies())]
    ids = [g for body in bodies for g in plant.GetCollisionGeometriesForBody(body)]
    assert ids
    meshes = [g for g in ids if "Mesh" in type(inspector.GetShape(g)).__name__]
    return [query.GetPoseInWorld(g).translation() for g in ids if g not in meshes]


LOADERS = {"mjcf": in_mujoco, "urdf": in_pinocchio, "sdf": in_drake}


def test_a_format_without_collisions_says_so(tmp_path: Path) -> None:
    result = export(models.pendulum(), tmp_path / "x", "glb", options=ExportOptions(collision="hull"))
    assert "CB526" in [f.code for f in result.findings]
    assert "CB526" in (tmp_path / "x" / "losses.json").read_text()


def test_what_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="as-is, box, hull"):
        export(models.pendulum(), tmp_path / "x", "urdf", options=ExportOptions(collision="cubes"))
    with pytest.raises(InputError, match="between 0 and 1"):
        export(
            models.pendulum(), tmp_path / "x", "urdf", options=ExportOptions(collision="hull", collision_tolerance=0.0)
        )
    assert next(iter(COLLISIONS)) == "as-is"
