"""OCCT in its own process: what it measures, and what happens when it dies."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cadbridge.assembly import Part, report_unrefined, unrefined
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.geometry import Face, FineMesh, Mesh
from cadbridge.mass import audit_mesh, volume_properties
from cadbridge.mass.parts import part_volume
from cadbridge.polyhedron import volume_properties_of
from cadbridge.shapes import load_shapes, select_faces
from cadbridge.shapes.convert import mirrored, scaled
from cadbridge.shapes.process import Worker, WorkerDiedError, WorkerLateError, WorkerRefusedError
from cadbridge.shapes.protocol import Rough
from cadbridge.shapes.refining import fine_mesh
from cadbridge.shapes.workspace import Workspace
from tests.late import cq
from tests.shapes.solids import involute_gear, write_part
from tests.waiting import SLOW


@pytest.fixture(scope="module")
def readable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the worker may read."""
    return tmp_path_factory.mktemp("readable")


@pytest.fixture(scope="module")
def worker(readable: Path) -> Iterator[Worker]:
    """One for all tests here: it takes a second to start, and starts anew where the last test left it dead."""
    worker = Worker(workspace=Workspace(readable))
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def gear(readable: Path) -> Path:
    """A file with which OCCT is busy for some tenths of a second."""
    return write_part(readable / "gear.step", involute_gear(40, 1.0, 10.0))


# --- measures ---


@pytest.mark.parametrize(("teeth", "module"), [(20, 2.0), (45, 1.0)])
def test_an_involute_gear_weighs_what_its_brep_does(tmp_path: Path, teeth: int, module: float) -> None:
    path = write_part(tmp_path / "gear.step", involute_gear(teeth, module, 15.0))
    shape = load_shapes([path])[path]
    assert shape.fine is not None
    assert shape.coarse is not None
    assert shape.brep is not None
    audit = audit_mesh(shape.fine)
    assert audit.closed
    ours, exact = volume_properties(audit.mesh), shape.brep
    assert ours.mass == pytest.approx(exact.mass, rel=1e-3)
    assert np.linalg.norm(ours.inertia - exact.inertia) < 3e-3 * np.linalg.norm(exact.inertia)
    assert len(shape.coarse.triangles) <= len(shape.fine.triangles) < 40_000


@pytest.mark.parametrize(
    ("make", "sizes", "kinds"),
    [
        ("box", (20, 30, 40), {"plane": 6}),
        ("cylinder", (40, 10), {"plane": 2, "cylinder": 1}),
        ("sphere", (20,), {"sphere": 1}),
    ],
)
def test_faces_that_a_writer_turned_into_splines_are_known_again(
    tmp_path: Path, make: str, sizes: tuple[float, ...], kinds: dict[str, int]
) -> None:
    from OCP.BRepBuilderAPI import BRepBuilderAPI_NurbsConvert

    solid: cq.Workplane = getattr(cq.Workplane(), make)(*sizes)
    splines = BRepBuilderAPI_NurbsConvert(solid.val().wrapped, True).Shape()
    exact = load_shapes([write_part(tmp_path / "exact.step", solid)]).popitem()[1]
    shape = load_shapes([write_part(tmp_path / "spline.step", cq.Shape.cast(splines))]).popitem()[1]
    assert Counter(f.kind for f in shape.faces) == kinds

    def told(face: Face) -> tuple[float, ...]:
        direction = np.zeros(3) if face.direction is None else face.direction
        along = direction if face.kind == "plane" else np.abs(direction)  # an axis has no sense
        # OCCT's centre of a spline's area is 0.02 mm off.
        return (*np.round(face.centre, 4) + 0.0, *np.round(along, 6) + 0.0, round(face.radius or 0.0, 6))

    assert sorted(map(told, shape.faces)) == sorted(map(told, exact.faces))


def test_round_parts_are_fine_for_weighing_and_coarse_for_showing(tmp_path: Path) -> None:
    path = write_part(tmp_path / "ball.step", cq.Workplane().sphere(20.0))
    shape = load_shapes([path])[path]
    assert shape.fine is not None
    assert shape.coarse is not None
    assert shape.brep is not None
    assert shape.brep.mass == pytest.approx(4.0 / 3.0 * np.pi * 0.02**3, rel=1e-9)
    assert volume_properties(shape.fine).mass == pytest.approx(shape.brep.mass, rel=1e-3)
    assert len(shape.coarse.triangles) < len(shape.fine.triangles) / 3
    assert [(f.kind, f.radius) for f in shape.faces] == [("sphere", pytest.approx(0.02))]


def test_faces_tell_place_direction_and_radius_in_metres(tmp_path: Path) -> None:
    solid = cq.Workplane().box(40, 30, 20).translate((100, 0, 0))
    solid = solid.faces(">Z").workplane(centerOption="CenterOfMass").hole(8)
    path = write_part(tmp_path / "block.step", solid)
    shape = load_shapes([path])[path]
    assert sorted(f.kind for f in shape.faces) == ["cylinder"] + ["plane"] * 6
    centre = np.array([0.1, 0.0, 0.0])
    for face in shape.faces:
        assert face.direction is not None
        if face.kind == "plane":
            # Outward: from the middle of the block to the face.
            assert face.direction @ (face.centre - centre) > 0.009
            assert face.direction @ (face.point - face.centre) == pytest.approx(0.0, abs=1e-12)
        else:
            assert face.radius == pytest.approx(0.004)
            np.testing.assert_allclose(np.abs(face.direction), [0, 0, 1], atol=1e-12)
            np.testing.assert_allclose(face.point[:2], [0.1, 0.0], atol=1e-12)
    assert sum(f.area for f in shape.faces if f.kind == "plane") == pytest.approx(
        2e-6 * (40 * 30 + 40 * 20 + 30 * 20) - 2 * np.pi * 0.004**2
    )


def test_faces_are_selected_by_cadquery_selectors(tmp_path: Path) -> None:
    path = write_part(tmp_path / "block.step", cq.Workplane().box(4, 3, 2).faces(">Z").workplane().hole(1))
    shape = load_shapes([path])[path]
    (top,) = select_faces(shape, ">Z")
    direction = shape.faces[top].direction
    assert direction is not None
    np.testing.assert_allclose(direction, [0, 0, 1], atol=1e-12)
    assert [shape.faces[i].kind for i in select_faces(shape, "%CYLINDER")] == ["cylinder"]
    assert len(select_faces(shape, "|X")) == 2
    assert select_faces(shape, "%SPHERE") == ()
    with pytest.raises(ValueError, match="at character 1"):
        select_faces(shape, "nonsense(")


def test_a_mirrored_shape_is_selected_as_it_is_mirrored(tmp_path: Path) -> None:
    path = write_part(tmp_path / "wedge.step", cq.Workplane().box(4, 3, 2).faces(">X").workplane().hole(1))
    original = load_shapes([path])[path]
    copy = mirrored(original, "|mirror")
    (right,), (left,) = select_faces(copy, ">X"), select_faces(original, "<X")
    assert right == left
    direction = copy.faces[right].direction
    assert direction is not None
    np.testing.assert_allclose(direction, [1, 0, 0], atol=1e-12)
    assert copy.fine is not None
    assert copy.brep is not None
    assert volume_properties(copy.fine).mass == pytest.approx(copy.brep.mass, rel=1e-3)


def test_files_that_cannot_be_read_are_told_all_at_once(tmp_path: Path) -> None:
    good = write_part(tmp_path / "good.step", cq.Workplane().box(1, 1, 1))
    bad, none = tmp_path / "bad.step", tmp_path / "none.step"
    bad.write_text("hello")
    with pytest.raises(InputError) as caught:
        load_shapes([bad, good, none])
    assert sorted(f.code for f in caught.value.findings) == ["CB100", "CB180"]
    findings = Findings()
    assert list(load_shapes([bad, good, none], findings=findings)) == [good]
    assert sorted(f.code for f in findings) == ["CB100", "CB180"]


# --- the process ---


def test_after_a_killed_worker_the_next_request_is_answered_and_one_that_dies_at_work_says_how(
    worker: Worker, gear: Path
) -> None:
    first = worker.request("ping", {}, 60.0)
    assert first == worker.pid != os.getpid()
    process = worker._process
    assert process is not None
    process.kill()
    process.wait()
    second = worker.request("ping", {}, 60.0)
    assert second != first
    process = worker._process
    assert process is not None
    killer = threading.Timer(0.05, process.kill)
    killer.start()
    with pytest.raises(WorkerDiedError, match=r"it (was ended by SIGKILL|ended)"):
        worker.request("whole", {"path": str(gear), "memory": 1_200_000_000, "length_unit": None}, 60.0)
    killer.join()
    assert worker.request("ping", {}, 60.0) == worker.pid


def _process_state(pid: int) -> str:
    """Its letter in /proc: T stopped, Z ended and not yet asked for; X where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tie a process to another")
def test_a_busy_worker_ends_with_a_caller_that_is_killed() -> None:
    """Stopped, the worker reads its pipe as little as one at work in OCCT does."""
    code = (
        "import os, signal, time; from cadbridge.shapes.process import WORKER; WORKER.request('ping', {}, 60.0);"
        "os.kill(WORKER.pid, signal.SIGSTOP); print(WORKER.pid, flush=True); time.sleep(60)"
    )
    seen: list[str] = []
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as caller:
        assert caller.stdout is not None
        pid = int(caller.stdout.readline())
        for until in ("T", "ZX"):
            deadline = time.monotonic() + SLOW
            while (state := _process_state(pid)) not in until and time.monotonic() < deadline:
                time.sleep(0.02)
            seen.append(state)
            caller.kill()
    assert seen[0] == "T"
    assert seen[1] in "ZX"


def test_a_worker_that_hangs_is_stopped_at_its_time_limit(worker: Worker, gear: Path) -> None:
    worker.request("ping", {}, 60.0)
    with pytest.raises(WorkerDiedError, match="time limit"):
        worker.request("whole", {"path": str(gear), "memory": 1_200_000_000, "length_unit": None}, 0.01)


def test_a_crash_of_occt_is_a_finding(gear: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CADBRIDGE_OCCT_TIME_LIMIT", "0.01")
    with pytest.raises(InputError, match=r"gear\.step") as caught:
        load_shapes([gear])
    (finding,) = caught.value.findings
    assert finding.code == "CB124"
    assert "--allow-larger 10" in finding.message
    monkeypatch.delenv("CADBRIDGE_OCCT_TIME_LIMIT")
    assert load_shapes([gear])[gear].solids == 1


def test_a_fault_inside_the_worker_leaves_it_alive(worker: Worker, readable: Path) -> None:
    before = worker.request("ping", {}, 60.0)
    asked = {"path": str(readable / "none.stp"), "memory": 10**9, "length_unit": None, "geometry": True}
    with pytest.raises(WorkerRefusedError) as caught:
        worker.request("read", asked, 60.0)
    assert caught.value.kind == "occt"
    assert worker.request("ping", {}, 60.0) == before


def test_nothing_of_occt_reaches_our_stdout_nor_our_imports(corpus: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from cadbridge.readers.step import read;"
        f"a = read(Path({str(corpus / 'caxif' / 'as1-oc-214.stp')!r}));"
        "assert not any(m.split('.')[0] in ('OCP', 'cadquery', 'trimesh') for m in sys.modules);"
        "print(len(a.instances))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("18\n", "")


def test_volumes_of_solids_that_look_inward_beside_others_do_not_cancel() -> None:
    """A FreeCAD file keeps a shape as it is: one of two solids turned inside out took its volume off the other's."""
    from cadbridge.shapes import meshing

    sizes = ((100.0, 0.0), (50.0, 200.0))
    one, two = (cq.Workplane().box(a, 20.0, 20.0).translate((x, 0.0, 0.0)).val().wrapped for a, x in sizes)
    right, mixed, turned = (
        meshing.weigh(meshing.compound(solids))
        for solids in ([one, two], [one, two.Reversed()], [one.Reversed(), two.Reversed()])
    )
    assert right.volume == pytest.approx(60e3)
    for found in (mixed, turned):
        assert found.volume == pytest.approx(right.volume)
        np.testing.assert_allclose(found.com, right.com, atol=1e-9)
        np.testing.assert_allclose(found.inertia, right.inertia, rtol=1e-12, atol=1e-3)


@pytest.mark.nightly
def test_meshes_taken_again_and_again_leave_no_memory_behind() -> None:
    """OCCT's tool that merges nodes keeps the tables that it outgrows: some 100 bytes a triangle, for ever."""
    import psutil

    from cadbridge.shapes import meshing

    ball = cq.Workplane().sphere(50.0).val().wrapped
    meshing.triangulate([meshing.weigh(ball)], 1e-3, 0.03)
    first = meshing.extract(ball)
    assert first is not None
    assert len(first[1]) > 10_000
    for _ in range(3):
        meshing.extract(ball)
    before = psutil.Process().memory_info().rss
    for _ in range(10):
        meshing.extract(ball)
    assert psutil.Process().memory_info().rss - before < 10 * 40 * len(first[1])


def test_a_face_that_occt_cannot_recognise_is_of_no_simple_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its recognition of cylinders throws on some splines trimmed in real files; the solid's other faces stay."""
    from OCP.GeomAbs import GeomAbs_Cylinder
    from OCP.Standard import Standard_NullObject

    from cadbridge.shapes import faces

    def fails(surface: Any, face: Any) -> None:
        raise Standard_NullObject("GeomAdaptor_Surface::Load")

    box = cq.Workplane().box(10.0, 20.0, 30.0).edges("|Z").fillet(2.0).val().wrapped
    before = faces.describe(box, 1e-3, {})
    assert Counter(before.kinds) == {"plane": 6, "cylinder": 4}
    monkeypatch.setitem(faces._KINDS, GeomAbs_Cylinder, fails)
    after = faces.describe(box, 1e-3, {})
    assert Counter(after.kinds) == {"plane": 6, "other": 4}
    np.testing.assert_allclose(after.areas, before.areas)


class Slow:
    """A worker that ends no fine mesh."""

    asked = 0

    def request(self, verb: str, arguments: dict[str, Any], time_limit: float) -> Any:
        assert verb == "refine"
        self.asked += 1
        raise WorkerLateError(f"it was stopped after its time limit of {time_limit:.0f} s")


def test_a_fine_mesh_is_made_when_it_is_asked_for_and_as_exact_as_promised(tmp_path: Path) -> None:
    path = write_part(tmp_path / "ball.step", cq.Workplane().sphere(10.0).val())
    shape = load_shapes([path])[path]
    assert isinstance(shape.fine, FineMesh)
    assert shape.coarse is not None
    assert "vertices" not in vars(shape.fine)
    flat, large = mirrored(shape, "|mirror"), scaled(shape, 2.0)
    assert "vertices" not in vars(shape.fine)
    large = pickle.loads(pickle.dumps(large))
    volume, _, inertia = volume_properties_of(shape.fine.vertices, shape.fine.triangles)
    assert volume == pytest.approx(4 / 3 * math.pi * 1e-6, rel=1e-3)
    assert inertia[0, 0] == pytest.approx(0.4 * volume * 1e-4, rel=3e-3)
    assert len(shape.fine.triangles) > 2 * len(shape.coarse.triangles)
    for other, factor in ((flat, 1.0), (large, 8.0)):
        assert other.fine is not None
        assert volume_properties_of(other.fine.vertices, other.fine.triangles)[0] == pytest.approx(factor * volume)
    assert len({m.content for m in (shape.fine, flat.fine, large.fine) if m is not None}) == 3


def test_a_mesh_without_end_leaves_the_coarse_one_and_the_exact_mass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_part(tmp_path / "ball.step", cq.Workplane().sphere(10.0).val())
    shape = load_shapes([path])[path]
    monkeypatch.setattr("cadbridge.shapes.refining.WORKER", Slow())
    monkeypatch.setenv("CADBRIDGE_OCCT_TIME_LIMIT", "50")  # another question: an earlier answer is kept
    part, findings = Part("ball", shape, density=1000.0), Findings()
    assert unrefined([part]) == []
    flat = mirrored(shape, "|mirror")
    assert flat.fine is not None
    assert shape.coarse is not None
    np.testing.assert_array_equal(flat.fine.vertices, shape.coarse.vertices * [-1.0, 1.0, 1.0])
    report_unrefined(unrefined([part, replace(part, name="mirrored", shape=flat)]), findings)
    assert [f.code for f in findings] == ["CB542"]
    assert next(iter(findings)).items == ("ball", "mirrored")
    volume = part_volume(part)
    assert (volume.source, volume.findings) == ("brep", ())
    assert volume.properties is not None
    assert volume.properties.mass == pytest.approx(4 / 3 * math.pi * 1e-6, rel=1e-9)


def test_a_mesh_that_did_not_come_in_time_is_not_waited_for_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slow, coarse = Slow(), Mesh(np.eye(3), np.array([[0, 1, 2]], dtype=np.int32))
    monkeypatch.setattr("cadbridge.shapes.refining.WORKER", slow)
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path))
    monkeypatch.setenv("CADBRIDGE_CACHE_LIMIT", "0")  # what is kept for other commands serves none here
    rough = Rough(np.frombuffer(b"no shape", np.uint8), 1e-3, 1.0, 0.0, np.zeros((3, 3)), False)
    for _ in range(2):
        np.testing.assert_array_equal(fine_mesh(rough, coarse).triangles, coarse.triangles)
    assert slow.asked == 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits what a process may ask for")
def test_a_text_that_takes_occt_too_much_memory_is_a_finding(tmp_path: Path) -> None:
    sound = write_part(tmp_path / "sound.step", cq.Workplane().box(1.0, 2.0, 3.0).val())
    broken = tmp_path / "broken.step"
    text = sound.read_text()
    at = text.index("DIRECTION('',(") + len("DIRECTION('',(")
    broken.write_text(text[:at] + "&a [" * 20_000 + text[at:])
    with pytest.raises(InputError) as caught:
        load_shapes([broken])
    assert {f.code for f in caught.value.findings} <= {"CB124", "CB126"}
    assert load_shapes([sound])[sound].solids == 1


@pytest.mark.parametrize("kind", ["gzip", "zip"])
def test_a_packed_text_is_unpacked_within_bounds(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip
    import tracemalloc
    import zipfile

    from cadbridge.shapes import part21

    path, text = tmp_path / "bomb.stpZ", b"ISO-10303-21;\n" + b" " * (64 << 20)
    if kind == "gzip":
        path.write_bytes(gzip.compress(text))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("bomb.stp", text)
    findings = Findings()
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="16 MiB"):
            part21.load(path, findings)
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()
    assert [f.code for f in findings] == ["CB108"]


NAMES = """import sys
from cadbridge.shapes.document import StepDocument

document = StepDocument(sys.argv[1])
print(sorted(document.face_names("0:1:1:1", document.shape("0:1:1:1")).values()))
"""


def test_the_first_file_of_a_process_has_its_face_names(tmp_path: Path) -> None:
    """Without its controller OCCT did not know the parameter that asks for them: only later files had names."""
    path = tmp_path / "named.step"
    cq.exporters.export(cq.Workplane().box(1, 2, 3), str(path))
    first, *rest = path.read_text("utf-8").split("ADVANCED_FACE(''")
    assert len(rest) == 6
    named = zip(["seat", "NONE", "rim", "", "", ""], rest, strict=True)
    path.write_text(first + "".join(f"ADVANCED_FACE('{name}'{text}" for name, text in named), "utf-8")
    done = subprocess.run([sys.executable, "-c", NAMES, str(path)], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "['rim', 'seat']"
