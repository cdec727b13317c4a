"""Results go where they belong: never over what was read, never out of a job's folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.files import below, refuse_output
from cadbridge.findings import Findings
from cadbridge.jobs.cache import FORMAT, Cache, DamagedError
from cadbridge.jobs.distributed import _refuse_links, _Shipped
from cadbridge.jobs.hashing import Hashes, canonical
from cadbridge.jobs.planning import load
from cadbridge.readers.mjcf.files import check_files
from cadbridge.readers.options import ReadOptions
from cadbridge.storage import digest

ROBOT = (
    '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
)
OUTSIDE = ["/etc/x", "../x", "a/../../x", "..", "", "C:/x", "C:x", "//server/x", "a\\..\\..\\x", "\\x", "a\0b"]


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["r.urdf", "./r.urdf", "link", "hard", "folder/../r.urdf"])
def test_an_output_is_never_a_file_that_was_read(name: str, robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (robot.parent / "folder").mkdir()
    (robot.parent / "link").symlink_to("r.urdf")
    os.link(robot, robot.parent / "hard")
    assert main(["check", "r.urdf", "--html", name]) == 2
    assert "is a file that this command reads" in capsys.readouterr().err
    assert robot.read_text("utf-8") == ROBOT


MESHED = '<robot name="r"><link name="a"><visual><geometry><mesh filename="m.obj"/></geometry></visual></link></robot>'
COMPILED = (
    '<mujoco><asset><mesh name="m" file="m.obj"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
)
LAYERED = "#usda 1.0\n(subLayers=[@sub.usda@])\n"
LAYER = '#usda 1.0\ndef Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}\n'


@pytest.mark.parametrize(
    ("source", "text", "beside"),
    [("r.urdf", MESHED, "m.obj"), ("r.xml", COMPILED, "m.obj"), ("r.usda", LAYERED, "sub.usda")],
)
def test_an_output_is_no_file_that_another_process_reads(
    source: str, text: str, beside: str, robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (robot.parent / source).write_text(text, encoding="utf-8")
    held = LAYER if source == "r.usda" else "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (robot.parent / beside).write_text(held, encoding="utf-8")
    assert main(["check", source, "--html", beside]) == 2
    assert f"{beside} is a file that this command reads" in capsys.readouterr().err
    assert (robot.parent / beside).read_text("utf-8") == held


def test_a_page_does_not_replace_the_run_that_it_plays(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "r.urdf", "--duration", "0.01", "-o", "run.parquet"]) == 0
    held = (robot.parent / "run.parquet").read_bytes()
    assert main(["check", "r.urdf", "--run", "run.parquet", "--html", "run.parquet"]) == 2
    assert "is a file that this command reads" in capsys.readouterr().err
    assert (robot.parent / "run.parquet").read_bytes() == held


@pytest.mark.parametrize("name", ["summary.json", "index.html"])
def test_the_summary_of_a_batch_does_not_replace_a_source(name: str, robot: Path) -> None:
    jobs = robot.with_name("jobs.yaml")
    jobs.write_text(f"defaults: {{output: .}}\njobs: [{{sources: {name}, name: x}}]\n", encoding="utf-8")
    robot.rename(robot.with_name(name))
    with pytest.raises(InputError) as caught:
        load(jobs)
    assert [f.code for f in caught.value.findings] == ["CB706"]


def test_an_export_does_not_replace_the_folder_of_its_source(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "r.urdf", "--to", "urdf", "-o", "made"]) == 0
    made = sorted((robot.parent / "made").rglob("*.urdf"))[0]
    assert main(["convert", str(made), "--to", "urdf", "-o", "made"]) == 2
    assert "which this command reads" in capsys.readouterr().err
    assert made.is_file()
    assert main(["convert", "r.urdf", "--to", "urdf", "-o", "made"]) == 0


@pytest.mark.parametrize("command", [["check", "r.urdf", "--html"], ["simulate", "r.urdf", "--output"]])
@pytest.mark.parametrize("name", ["", ".", "..", "folder", "pipe", "/dev/null"])
def test_an_output_names_a_plain_file(
    command: list[str], name: str, robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (robot.parent / "folder").mkdir()
    os.mkfifo(robot.parent / "pipe")
    assert main([*command, name]) == 2
    assert "error: " in capsys.readouterr().err.lower()


def test_a_new_file_may_be_written(tmp_path: Path) -> None:
    refuse_output(tmp_path / "new" / "file.html")


def test_a_folder_that_takes_no_file_is_told_before_anything_is_computed(
    robot: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of hours ended with it, and was lost."""
    monkeypatch.setattr("cadbridge.cli.options.Reading.limited_mechanism", lambda *_: pytest.fail("it was computed"))
    assert main(["simulate", str(robot), "-o", "r.urdf/new/run.csv"]) == 2
    assert f"cannot be written: {robot} is no folder" in capsys.readouterr().err
    for command in (
        ["simulate", "--plots", "r.urdf"], ["inverse", "--motion", "m.yaml", "--plots", "r.urdf/plots"],
        ["fit", "--along", "j", "--plots", "r.urdf"], ["convert", "--to", "mjcf", "-o", "r.urdf/new"],
    ):  # fmt: skip
        assert main([command[0], str(robot), *command[1:]]) == 2
        assert f"{robot} is no folder" in capsys.readouterr().err
    monkeypatch.setattr("cadbridge.files.os.access", lambda path, mode: not mode & os.W_OK)
    assert main(["simulate", str(robot), "-o", "new/run.csv"]) == 2
    assert f"nothing may be written into the folder {robot.parent}" in capsys.readouterr().err


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_others_made_stay_below_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not name a file"):
        below(tmp_path, name)
    assert below(tmp_path, "a/b.txt") == tmp_path / "a" / "b.txt"


@pytest.mark.parametrize("name", OUTSIDE)
def test_an_entry_of_a_shared_cache_leads_nowhere_else(name: str, tmp_path: Path) -> None:
    body = {"outputs": {name: "0" * 64}, "log": "0" * 64, "inputs": {}, "base": None}
    _stored_and_refused(body, tmp_path)


@pytest.mark.parametrize("known", ["../../victim", "/etc/passwd", "0" * 63, 1, None])
def test_an_object_of_a_shared_cache_is_named_by_its_hash(known: object, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine", encoding="utf-8")
    _stored_and_refused({"outputs": {"a": known}, "log": "0" * 64, "inputs": {}, "base": None}, tmp_path)
    _stored_and_refused({"outputs": {}, "log": known, "inputs": {}, "base": None}, tmp_path)
    assert (tmp_path / "victim").is_file()


def _stored_and_refused(body: Mapping[str, object], folder: Path) -> None:
    path = folder / "entry.json"
    path.write_bytes(canonical({"format": FORMAT, "sha256": digest(canonical(body)), "body": body}))
    with pytest.raises(DamagedError):
        Cache(folder)._load(path)


def _request(folder: Path) -> dict[str, object]:
    stage = folder / "stage"
    stage.mkdir()
    return {"id": 1, "stage": str(stage), "base": str(folder), "source": "r.urdf", "options": {}}


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_worker_cannot_write_outside_of_the_stage(name: str, tmp_path: Path) -> None:
    job = _Shipped(_request(tmp_path), "content")
    ended = {"id": 1, "answer": None}
    with pytest.raises(ValueError, match="not name a file"):
        job.received({"ended": ended, "files": {name: b"evil"}})
    assert [p.name for p in tmp_path.rglob("*")] == ["stage"]


def test_a_worker_cannot_move_what_is_not_its_own(tmp_path: Path) -> None:
    job = _Shipped(_request(tmp_path), "paths")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "keys").write_text("secret", encoding="utf-8")
    with pytest.raises(ValueError, match="not in the job's folder"):
        job.received({"ended": {"id": 1, "answer": None}, "stage": str(mine)})
    assert (mine / "keys").is_file()


def test_links_that_a_worker_leaves_are_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    _refuse_links(tmp_path)
    (tmp_path / "out" / "manifest.json").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match="is a link"):
        _refuse_links(tmp_path)


@pytest.mark.parametrize("name", ["..\\secret.txt", "a\\..\\..\\secret.txt", "../secret.txt"])
def test_a_mjcf_leads_out_by_no_kind_of_slash(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("", encoding="utf-8")
    path = folder / "m.xml"
    path.write_text(f'<mujoco><asset><mesh name="m" file="{name}"/></asset></mujoco>', encoding="utf-8")
    findings = Findings()
    with pytest.raises(InputError):
        check_files(path, ReadOptions(), findings)
    assert [f.code for f in findings] == ["CB102"]


def test_a_jobs_file_may_lie_above(robot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (robot.parent / "jobs.yaml").write_text("jobs: [{sources: r.urdf, do: check}]\n", encoding="utf-8")
    below_it = robot.parent / "below"
    below_it.mkdir()
    monkeypatch.chdir(below_it)
    plan = load("../jobs.yaml")
    assert plan.output == robot.parent / "out"
    assert [job.folder.is_relative_to(plan.output) for job in plan.jobs] == [True]
    assert json.dumps([str(p) for p in plan.files]) == json.dumps(["../jobs.yaml"])


@pytest.mark.parametrize("chosen", [["-o", "run.csv"], ["--columns", "energy"]])
def test_the_page_of_a_run_needs_neither_parquet_nor_all_columns(chosen: list[str], robot: Path) -> None:
    assert main(["simulate", "r.urdf", "--duration", "0.01", *chosen, "--html", "page.html"]) == 0
    page = (robot.parent / "page.html").read_text("utf-8")
    assert Path(chosen[-1] if "." in chosen[-1] else "run.parquet").name in page


@pytest.mark.parametrize("ending", [".mates.yaml", ".cadbridge.yaml"])
def test_a_pipe_in_place_of_a_file_beside_the_source_is_an_error(
    ending: str, robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(robot.with_name(f"r{ending}"))
    assert main(["check", "r.urdf"]) == 2
    assert "CB100" in capsys.readouterr().err


def test_a_pipe_or_device_that_a_job_looked_at_has_no_hash(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("a", encoding="utf-8")
    hashes = [Hashes().of(path) for path in (tmp_path / "pipe", "/dev/zero", tmp_path, tmp_path / "file")]
    assert hashes == [None, None, None, digest(b"a")]


def test_a_page_and_an_mjcf_need_no_inertia_about_every_axis_and_no_body(robot: Path) -> None:
    robot.write_text(ROBOT.replace('izz="1"', 'izz="0"'), encoding="utf-8")
    assert main(["check", "r.urdf", "--html", "page.html"]) in (0, 1)
    assert (robot.parent / "page.html").is_file()
    robot.write_text('<robot name="r"><link name="a"/></robot>', encoding="utf-8")
    assert main(["convert", "r.urdf", "--to", "mjcf", "-o", "made"]) == 0
