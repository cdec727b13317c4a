"""Jobs as they run: each alone, known again, the same bytes however often and wherever."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote

import psutil
import pytest

import cadbridge
from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.jobs import State, load, plan, run, write_summary
from cadbridge.jobs.local import Cold, Local
from tests.jobs.making import batch, poisoned, robot, written
from tests.waiting import SLOW, settled

DEMO = Path(cadbridge.__file__).parent / "data" / "demo" / "demo.step"

JOBS = """\
defaults: {timeout: 60}
jobs:
  - {sources: "*.urdf"}
  - {sources: "*.urdf", do: convert, to: mjcf}
"""


def robots(folder: Path, count: int = 3) -> Path:
    """A jobs file over some robots."""
    for n in range(1, count + 1):
        robot(folder / f"r{n}.urdf", n)
    (folder / "jobs.yaml").write_text(JOBS, encoding="utf-8")
    return folder / "jobs.yaml"


def states(jobs: Path, warm: Local) -> dict[str, tuple[State, bool]]:
    return {r.job.name: (r.state, r.cached) for r in run(jobs, executor=warm)}


def test_a_batch_as_a_person_runs_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs = robots(tmp_path, 2)
    before = os.umask(0o027)
    try:
        assert main(["batch", str(jobs), "--json"]) == 0
    finally:
        os.umask(before)
    captured = capsys.readouterr()
    said = json.loads(captured.out)
    assert said["counts"] == {"jobs": 4, "done": 4, "failed": 0, "not run": 0}
    assert said == json.loads((tmp_path / "out" / "summary.json").read_text())
    assert "[4/4]" in captured.err
    folder = tmp_path / "out" / "r1" / "mjcf"
    assert folder.stat().st_mode & 0o777 == 0o750
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["inputs"]["r1.urdf"]
    assert manifest["inputs"]["r1.mates.yaml"] is None  # it was looked for
    assert set(manifest["outputs"]) >= {"convert.json", "mjcf/robot.xml", "mjcf/scene.xml"}
    assert manifest["versions"]["numpy"]
    times = json.loads((folder / "times.json").read_text())
    assert times["cpu_s"] > 0
    assert times["peak_memory_bytes"] > 1e7
    page = (tmp_path / "out" / "index.html").read_text()
    assert 'href="./r1/mjcf/convert.json"' in page


def test_a_report_is_a_page_and_the_index_links_it(tmp_path: Path, warm: Local, page_code: None) -> None:
    robot(tmp_path / "a b#1.urdf")
    (tmp_path / "jobs.yaml").write_text("jobs: [{sources: '*.urdf', do: report}]")
    found = load(tmp_path / "jobs.yaml")
    (result,) = run(found, executor=warm)
    assert result.ok, result.reason
    assert not [name for name in result.inputs if "page" in name]
    write_summary(found, [result])
    index = tmp_path / "out" / "index.html"
    (link,) = re.findall(r'href="([^"]*report\.html)"', index.read_text())
    page = (index.parent / unquote(link)).read_text()
    assert page.startswith("<!doctype html>")
    assert "arm1" in page
    (index.parent / unquote(link)).unlink()
    (again,) = run(found, executor=warm)
    assert again.cached
    assert (index.parent / unquote(link)).read_text() == page


def test_nothing_is_done_twice(tmp_path: Path, warm: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = robots(tmp_path, 1)
    assert set(states(jobs, warm).values()) == {(State.DONE, False)}
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").rglob("*") if ".cadbridge" not in str(p)}
    monkeypatch.setattr(warm, "submit", None)  # any process would be a fault
    assert set(states(jobs, warm).values()) == {(State.DONE, True)}
    assert before == {p: p.stat().st_mtime_ns for p in (tmp_path / "out").rglob("*") if ".cadbridge" not in str(p)}


def test_only_what_depends_on_a_change_is_done_again(tmp_path: Path, warm: Local) -> None:
    jobs = robots(tmp_path)
    mesh = '<mesh filename="part.stl"/>'
    robot(tmp_path / "r2.urdf", 2, geometry=mesh)  # the mesh is missing: a finding, and a dependence all the same
    assert states(jobs, warm)["r2/check"] == (State.DONE, False)
    assert states(jobs, warm)["r2/check"] == (State.DONE, True)
    import trimesh

    trimesh.creation.box((1, 1, 1)).export(tmp_path / "part.stl")
    assert {n for n, s in states(jobs, warm).items() if s != (State.DONE, True)} == {"r2/check", "r2/mjcf"}
    robot(tmp_path / "r1.urdf", 1, mass=2.0)
    (tmp_path / "r3.mates.yaml").write_text("format: cadbridge.mates/1\n")
    assert {n for n, s in states(jobs, warm).items() if not s[1]} == {"r1/check", "r1/mjcf", "r3/check", "r3/mjcf"}
    robot(tmp_path / "r1.urdf", 1, mass=1.0)  # as it was: known from before
    assert {n for n, s in states(jobs, warm).items() if not s[1]} == set()
    trimesh.creation.box((1, 2, 1)).export(tmp_path / "part.stl")
    assert {n for n, s in states(jobs, warm).items() if not s[1]} == {"r2/check", "r2/mjcf"}
    jobs.write_text(JOBS.replace("to: mjcf", "to: mjcf, density: 1000"))
    assert {n for n, s in states(jobs, warm).items() if not s[1]} == {"r1/mjcf", "r2/mjcf", "r3/mjcf"}


def test_lost_or_altered_outputs_are_shown_again_from_the_cache(tmp_path: Path, warm: Local) -> None:
    jobs = robots(tmp_path)
    states(jobs, warm)
    whole = written(tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "r1")
    (tmp_path / "out" / "r2" / "check" / "check.json").write_text("{}")
    (tmp_path / "out" / "r3" / "mjcf" / "manifest.json").write_text('{"format": "cadbridge.manifest/1"}')
    assert set(states(jobs, warm).values()) == {(State.DONE, True)}
    assert written(tmp_path / "out") == whole


def test_damaged_entries_are_computed_again_and_never_served(tmp_path: Path, cache: Path, warm: Local) -> None:
    jobs = robots(tmp_path, 1)
    states(jobs, warm)
    whole = written(tmp_path / "out")
    for path in [*(cache / "objects").rglob("*"), *(cache / "jobs").rglob("*.json")]:
        if path.is_file():
            data = bytearray(path.read_bytes()) or bytearray(1)
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
    shutil.rmtree(tmp_path / "out")
    results = list(run(jobs, executor=warm))
    assert [r.cached for r in results] == [False, False]
    assert all(f.code == "CB730" for r in results for f in r.findings[-1:])
    assert written(tmp_path / "out") == whole
    assert main(["cache", "verify"]) == 0


def test_a_foreign_folder_is_left_alone(tmp_path: Path, warm: Local) -> None:
    jobs = robots(tmp_path, 1)
    theirs = tmp_path / "out" / "r1" / "check" / "thesis.txt"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("years of work")
    results = {r.job.name: r for r in run(jobs, executor=warm)}
    assert results["r1/check"].reason.startswith("CB726")
    assert results["r1/mjcf"].ok
    assert theirs.read_text() == "years of work"


BAD = {
    "crash": "CB722", "exit": "CB722", "hang": "CB720", "spin": "CB720", "children": "CB720",
    "ask": "CB721", "grow": "CB721", "raise": "CB724",
}  # fmt: skip


def _runs(word: str) -> bool:
    """Whether a process with a word in its command runs."""
    return any(word in " ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"]))


def test_poisoned_jobs_fail_alone(tmp_path: Path, warm: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadbridge.processes.PATIENCE", 30.0)  # what spins gets little of a busy machine
    jobs = robots(tmp_path, 1)
    (tmp_path / "broken.step").write_bytes(DEMO.read_bytes()[:50_000])
    entities = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">'
    bomb = f"<!DOCTYPE b [{entities}]><SimscapeMultibodyImportXML>&b;</SimscapeMultibodyImportXML>"
    (tmp_path / "bomb.xml").write_text(bomb)
    (tmp_path / "clean").mkdir()
    assert all(r.ok for r in run(load(jobs, output=tmp_path / "clean"), cache=False, executor=warm))
    for what in BAD:
        poisoned(tmp_path / f"p-{what}.poison", what)
    asleep = "  - {sources: [p-hang.poison, p-children.poison], timeout: 0.2}\n"  # thirty times that on the clock
    # Where pages are slow to get, 700 MB take more than a second.
    growing = "  - {sources: p-grow.poison, timeout: 30, memory: 700 MB}\n"
    apart = "[p-hang.poison, p-children.poison, p-grow.poison]"
    others = f"  - {{sources: '*.poison', exclude: {apart}, timeout: 1, memory: 700 MB}}\n"
    text = f"{JOBS}{asleep}{growing}{others}  - {{sources: [broken.step, bomb.xml]}}\n"
    jobs.write_text(text)
    results = {r.job.name: r for r in run(jobs, executor=warm)}
    for what, code in BAD.items():
        result = results[f"p-{what}/check"]
        assert result.reason.startswith(code), result
        assert [f.code for f in result.findings] == [code]
    assert "Segmentation fault" in results["p-crash/check"].reason
    assert "status 7" in results["p-exit/check"].reason
    assert "poisoned" in results["p-raise/check"].reason
    assert "1 s of processor time" in results["p-spin/check"].reason
    assert "more than 6 s" in results["p-hang/check"].reason
    assert "Traceback" in (tmp_path / "out" / "p-raise" / "check" / "job.log").read_text()
    assert not results["broken/check"].ok
    assert "CB103" in {f.code for f in results["bomb/check"].findings}
    assert settled(lambda: not _runs("p-children"))  # what a job started ended with it
    good = {k: v for k, v in written(tmp_path / "out").items() if k.startswith("r")}
    assert good == {k: v for k, v in written(tmp_path / "clean").items() if k.startswith("r")}


def test_a_job_killed_from_outside_is_that_jobs_failure(tmp_path: Path, warm: Local) -> None:
    poisoned(tmp_path / "s.poison", "slow 30")
    robot(tmp_path / "a.urdf")
    jobs = plan([{"sources": "s.poison"}, {"sources": "a.urdf"}], base=tmp_path)
    found = []
    for result in run(jobs, workers=2, executor=warm):
        found.append(result)
        if len(found) == 1:
            (running,) = warm.pids()
            os.kill(running, signal.SIGKILL)
    assert [r.state for r in found] == [State.DONE, State.FAILED]
    assert "SIGKILL" in found[1].reason


def test_no_job_is_lost_with_the_warm_process(tmp_path: Path, warm: Local) -> None:
    jobs = robots(tmp_path)
    poisoned(tmp_path / "s.poison", "slow 1")
    jobs.write_text(JOBS + "  - {sources: s.poison}\n")
    found = []
    for result in run(jobs, workers=2, executor=warm):
        found.append(result)
        if len(found) == 2:
            assert warm.warm_pid is not None
            os.kill(warm.warm_pid, signal.SIGKILL)
    assert len(found) == 9
    assert all(r.ok for r in found), [(r.job.name, r.reason) for r in found]


def test_fail_fast_begins_no_more(tmp_path: Path, warm: Local, by_warm: None) -> None:
    poisoned(tmp_path / "p.poison", "exit")
    jobs = robots(tmp_path)
    jobs.write_text("jobs: [{sources: p.poison, name: p}, {sources: '*.urdf'}]")
    results = list(run(jobs, workers=1, fail_fast=True, executor=warm))
    assert [r.state for r in results] == [State.FAILED, *[State.NOT_RUN] * 4]
    assert main(["batch", str(jobs), "--fail-fast", "--only", "r*"]) == 0


def test_processes_from_nothing_give_the_same_bytes(tmp_path: Path, warm: Local) -> None:
    jobs = robots(tmp_path, 1)
    copies, cold = (load(jobs, output=tmp_path / name) for name in ("copies", "cold"))
    assert all(r.ok for r in run(copies, cache=False, executor=warm))
    assert all(r.ok for r in run(cold, cache=False, executor=Local(Cold())))
    assert written(copies.output) == written(cold.output)


def test_elsewhere_the_bytes_are_the_same(tmp_path: Path, warm: Local) -> None:
    first, second = robots(tmp_path / "a"), robots(tmp_path / "much" / "deeper b")
    assert all(r.ok for r in run(first, cache=False, executor=warm))
    assert all(r.ok for r in run(second, cache=False, executor=warm))
    assert written(tmp_path / "a" / "out") == written(tmp_path / "much" / "deeper b" / "out")


def test_odd_names_run(tmp_path: Path, warm: Local, by_warm: None) -> None:
    odd = ["with space", 'it\'s "q" <b>&', "größe-日本", "new\nline", "[a]*?"]
    for name in odd:
        robot(tmp_path / f"{name}.urdf")
    (tmp_path / "jobs.yaml").write_text("jobs: [{sources: '*.urdf'}]")
    assert main(["batch", str(tmp_path / "jobs.yaml")]) == 0
    assert set(states(tmp_path / "jobs.yaml", warm)) == {f"{name}/check" for name in odd}
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "<b>" not in page
    assert 'href="./new%0Aline/check/check.json"' in page


def test_an_output_folder_that_cannot_be_written_is_told_first(tmp_path: Path) -> None:
    jobs = robots(tmp_path, 1)
    (tmp_path / "file").touch()
    with pytest.raises(InputError) as caught:
        run(load(jobs, output=tmp_path / "file" / "out"))
    assert [f.code for f in caught.value.findings] == ["CB707"]
    assert main(["batch", str(jobs), "-o", "/proc/none"]) == 2


def test_a_cache_that_cannot_be_written_is_told_once_and_jobs_run(tmp_path: Path, warm: Local) -> None:
    jobs = robots(tmp_path, 1)
    (tmp_path / "file").touch()
    results = list(run(jobs, cache=tmp_path / "file" / "cache", executor=warm))
    assert all(r.ok for r in results)
    assert [f.code for r in results for f in r.findings if f.code == "CB731"] == ["CB731"]


def test_a_full_disk_fails_what_does_not_fit(tmp_path: Path, warm: Local) -> None:
    """No file may grow beyond 20 kB: the larger export fails, and nothing half-written is left."""
    import resource

    jobs = robots(tmp_path, 1)
    inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(
        f'<link name="l{i}">{inertia}</link><joint name="j{i}" type="continuous">'
        f'<parent link="{f"l{i - 1}" if i else "base"}"/><child link="l{i}"/></joint>'
        for i in range(50)
    )
    (tmp_path / "long.urdf").write_text(f'<robot name="long"><link name="base"/>{links}</robot>')

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = batch(jobs, "--json", preexec_fn=limit)
    out, err = done.communicate(timeout=SLOW)
    assert done.returncode == 1, err
    found = {j["name"]: j["state"] for j in json.loads(out)["jobs"]}
    assert found == {"r1/check": "done", "r1/mjcf": "done", "long/check": "failed", "long/mjcf": "failed"}
    assert "CB723" in out
    manifest = json.loads((tmp_path / "out" / "long" / "mjcf" / "manifest.json").read_text())
    assert manifest["outputs"] == {}
    assert all(state is State.DONE for state, _ in states(jobs, warm).values())


def test_killed_while_it_writes_the_summary_it_leaves_nothing_beside_it(tmp_path: Path) -> None:
    plan = load(robots(tmp_path), output=tmp_path / "out")
    killed = (
        "import os, sys; from cadbridge.jobs import load, write_summary\n"
        "os.replace = lambda *paths: os._exit(9)  # what a kill before the rename leaves\n"
        "write_summary(load(sys.argv[1], output=sys.argv[2]), [])"
    )
    command = [sys.executable, "-c", killed, str(tmp_path / "jobs.yaml"), str(plan.output)]
    assert subprocess.run(command, check=False).returncode == 9
    assert not written(plan.output)
    assert list((plan.output / ".cadbridge").glob("run-*/0/*"))
    write_summary(plan, [])
    assert set(written(plan.output)) == {"summary.json", "index.html"}
    assert not list((plan.output / ".cadbridge").glob("run-*"))


def test_killed_at_any_moment_the_next_run_ends_with_the_same_bytes(tmp_path: Path, warm: Local) -> None:
    jobs = robots(tmp_path, 2)
    undisturbed = load(jobs, output=tmp_path / "undisturbed")
    write_summary(undisturbed, list(run(undisturbed, cache=False, executor=warm)))
    whole = written(tmp_path / "undisturbed")
    moments = random.Random(7)
    # Of four jobs: before the first is done, between two of them, near the end.
    for attempt, seen in enumerate((0, 1, 3)):
        output, cache = tmp_path / f"out {attempt}", tmp_path / f"cache {attempt}"
        process = batch(jobs, "-o", str(output), "--cache", str(cache))
        assert process.stderr is not None
        lines: list[str] = []
        while sum(": done" in line for line in lines) < seen:
            lines.append(process.stderr.readline())
            assert lines[-1], "it ended by itself"
        time.sleep(moments.uniform(0.0, 0.2) if seen else moments.uniform(0.2, 1.0))
        process.kill()
        lines += process.communicate()[1].splitlines()
        done = {line.split("] ")[1].split(":")[0] for line in lines if ": done" in line}
        assert all((output / name / "manifest.json").exists() for name in done)
        plan = load(jobs, output=output)
        found = list(run(plan, cache=cache, executor=warm))
        assert {r.job.name for r in found if r.cached} >= done  # what was reported done is not done again
        write_summary(plan, found)
        assert written(output) == whole
        assert os.listdir(output / ".cadbridge") == ["publish.lock"]
