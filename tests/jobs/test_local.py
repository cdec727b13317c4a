"""Processes of jobs whose warm process is lost: nothing of the first attempt meets the second."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cadbridge.jobs import run
from cadbridge.jobs.child import names_a_mesh
from cadbridge.jobs.local import Local
from cadbridge.processes import environment, python
from tests.jobs.making import robot


class LostOnce:
    """A launcher whose process is lost when the first attempt has half written its outputs."""

    def __init__(self) -> None:
        self.found: list[set[str]] = []

    def start(self, request: dict[str, Any]) -> None:
        """Note what the attempt finds in its stage; the first leaves halves there, the second answers."""
        stage = Path(request["stage"])
        self.found.append({p.relative_to(stage).as_posix() for p in stage.rglob("*")})
        if len(self.found) == 1:
            for name in ("out/mjcf/robot.xml", "tmp/mesh.part", "log"):
                (stage / name).parent.mkdir(parents=True, exist_ok=True)
                (stage / name).write_text("<muj")
        else:
            (stage / "answer.json").write_text('{"ok": true}')

    def events(self, timeout: float) -> Iterator[tuple[Any, ...]]:
        """Lost first, then ended."""
        yield ("lost",) if len(self.found) == 1 else ("ended", 1, 0, 0.0, 0)

    def close(self) -> None:
        """Nothing to end."""


def test_a_job_started_again_finds_an_empty_stage(tmp_path: Path) -> None:
    launcher = LostOnce()
    local = Local(launcher)
    local.submit({"id": 7, "stage": str(tmp_path), "timeout": None, "memory": 1})
    (ended,) = local.wait()
    assert ended.answer == {"ok": True}
    assert launcher.found == [set(), set()]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with the one that started it")
def test_a_job_whose_starter_has_gone_does_nothing(tmp_path: Path) -> None:
    """Between its start and its first look the warm process may be killed: its successor does the job."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    request = {"stage": str(tmp_path), "memory": 1 << 30, "caller": gone.pid}
    done = subprocess.run(
        python("cadbridge.jobs.cold"), input=json.dumps(request).encode(), env=environment(), timeout=300, check=False
    )
    assert done.returncode == 0
    assert (tmp_path / "log").read_text() == ""  # the request lacks all else: going on would end in a traceback
    assert not (tmp_path / "answer.json").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process has loaded")
def test_what_reads_meshes_is_loaded_once_for_all_jobs_that_name_one(tmp_path: Path, warm: Local) -> None:
    import trimesh

    trimesh.creation.box((1, 1, 1)).export(tmp_path / "part.obj")
    robot(tmp_path / "meshes.urdf", geometry='<mesh filename="part.obj"/>')
    (tmp_path / "jobs.yaml").write_text("jobs: [{sources: meshes.urdf}]")
    (result,) = run(tmp_path / "jobs.yaml", executor=warm)
    assert result.ok
    assert warm.warm_pid is not None
    # The warm process has it, of which the next job is a copy.
    assert "_qhull" in Path(f"/proc/{warm.warm_pid}/maps").read_text()


def test_a_source_names_a_mesh_by_any_of_its_endings(tmp_path: Path) -> None:
    """An STL is read without what takes long to load."""
    robot(tmp_path / "box.urdf", geometry='<mesh filename="part.stl"/>')
    robot(tmp_path / "mesh.urdf", geometry='<mesh filename="PART.DAE"/>')
    assert not names_a_mesh(tmp_path / "box.urdf")
    assert names_a_mesh(tmp_path / "mesh.urdf")
    assert not names_a_mesh(tmp_path)
    assert not names_a_mesh(tmp_path / "none.urdf")
