"""Jobs on a real scheduler with real worker processes, some of which are killed."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.jobs import load, run
from cadbridge.jobs.distributed import Dask, difference
from cadbridge.jobs.local import Local
from cadbridge.jobs.versions import versions
from tests.jobs.making import poison_path, poisoned, robot, written
from tests.waiting import SLOW, settled


@dataclass
class Cluster:
    file: Path
    folder: Path
    environment: dict[str, str]
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]

    def more(self, number: int) -> None:
        """Start workers without a nanny: a killed one stays dead."""
        for _ in range(number):
            self.workers.append(self.start("worker", "--nthreads", "1", "--no-nanny", "--death-timeout", "60"))

    def start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file", str(self.file)]
        command += ["--no-dashboard", *options]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=quiet, stderr=quiet)

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def _started(folder: Path, outside: dict[str, str]) -> Cluster:
    environment = {**outside, "PYTHONPATH": poison_path(folder / "poison")}
    made = Cluster(folder / "scheduler.json", folder, environment, None, [])  # type: ignore[arg-type]  # at once
    made.scheduler = made.start("scheduler", "--host", "127.0.0.1", "--port", "0")
    assert settled(made.file.exists)
    made.more(1)
    return made


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Cluster]]:
    """Gives the cluster, or another after the test that ends its scheduler: which of a file is last is not known."""
    outside, made = dict(os.environ), list[Cluster]()  # before a test has a cache of its own

    def one() -> Cluster:
        if not made or made[-1].scheduler.poll() is not None:
            made.append(_started(tmp_path_factory.mktemp("dask"), outside))
        return made[-1]

    yield one
    for each in made:
        each.stop()


@pytest.fixture
def cluster(living: Callable[[], Cluster]) -> Cluster:
    return living()


def jobs_file(folder: Path) -> Path:
    for n in range(1, 4):
        robot(folder / f"r{n}.urdf", n)
    import trimesh

    (folder / "deep").mkdir()
    trimesh.creation.box((1, 1, 1)).export(folder / "deep" / "part.stl")
    robot(folder / "r1.urdf", geometry='<mesh filename="deep/part.stl"/>')
    (folder / "r2.urdf").write_text("<robot")
    path = folder / "jobs.yaml"
    path.write_text("jobs: [{sources: 'r*.urdf'}, {sources: 'r*.urdf', do: convert, to: mjcf}]")
    return path


@pytest.mark.parametrize("ship", ["paths", "content"])
def test_the_same_bytes_come_back(tmp_path: Path, cluster: Cluster, warm: Local, ship: str) -> None:
    path = jobs_file(tmp_path)
    here = load(path, output=tmp_path / "here")
    for result in run(here, executor=warm, cache=tmp_path / "c1"):
        assert result.ok == (not result.job.source.startswith("r2"))
    there = load(path, output=tmp_path / "there")
    executor = Dask(str(cluster.file), ship)
    try:
        results = list(run(there, executor=executor, cache=tmp_path / "c2"))
        assert len(results) == 6
        assert written(there.output) == written(here.output)
        assert os.listdir(there.output / ".cadbridge") == ["publish.lock"]
        # What was computed there is known here, and depends on the same files.
        assert all(r.cached for r in run(there, executor=executor, cache=tmp_path / "c2"))
        (tmp_path / "deep" / "part.stl").touch()
        robot(tmp_path / "r3.urdf", 3, mass=4.0)
        again = {r.job.name for r in run(there, executor=executor, cache=tmp_path / "c2") if not r.cached}
        assert again == {"r3/check", "r3/mjcf"}
    finally:
        executor.close()


def test_a_killed_worker_loses_no_job(tmp_path: Path, cluster: Cluster) -> None:
    for i in range(6):
        poisoned(tmp_path / f"s{i}.poison", "slow 0.7")
    (tmp_path / "jobs.yaml").write_text("jobs: [{sources: '*.poison'}]")
    cluster.more(1)
    executor = Dask(str(cluster.file))
    try:
        executor._client.wait_for_workers(2, timeout=SLOW)
        found = []
        for result in run(tmp_path / "jobs.yaml", executor=executor):
            found.append(result)
            if len(found) == 1:
                cluster.workers[0].send_signal(signal.SIGKILL)
        assert sorted(r.job.source for r in found) == [f"s{i}.poison" for i in range(6)]
        assert all(r.ok for r in found), [r.reason for r in found]
    finally:
        executor.close()


def fetched(
    folder: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, hindered: Callable[[Any, float], None]
) -> list[tuple[bool, str]]:
    """How a job ended, and why, where `hindered` (future, seconds) may raise before its answer is fetched."""
    import distributed  # an extra

    poisoned(folder / "s.poison", "slow 0")
    (folder / "jobs.yaml").write_text("jobs: [{sources: s.poison}]")
    given = distributed.Future.result

    def result(future: Any, timeout: float) -> object:
        hindered(future, timeout)
        return given(future, timeout)

    monkeypatch.setattr(distributed.Future, "result", result)
    executor = Dask(str(cluster.file))
    try:
        return [(answer.ok, answer.reason) for answer in run(folder / "jobs.yaml", executor=executor)]
    finally:
        executor.close()


def test_an_answer_that_died_with_its_worker_is_waited_for_again(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Dask's client does where it cannot fetch an answer: the future is pending again, the scheduler is asked."""
    lost: list[str] = []

    def dies_once(future: Any, timeout: float) -> None:
        if not lost:
            lost.append(future.key)
            client = future.client
            client.loop.add_callback(client.futures[future.key].reset)
            assert settled(lambda: not future.done())
            ask = {"op": "report-key", "key": future.key}
            client.loop.add_callback(client.loop.call_later, 0.2, client._send_to_scheduler, ask)
            raise TimeoutError(f"timed out after {timeout:g} s.")

    assert fetched(tmp_path, cluster, monkeypatch, dies_once) == [(True, "")]
    assert len(lost) == 1


def test_a_large_answer_over_a_slow_line_is_fetched_with_more_time(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[float] = []

    def slow(_future: Any, timeout: float) -> None:
        tried.append(timeout)
        if timeout < 15.0:  # as the client does where the data take longer
            raise TimeoutError

    assert fetched(tmp_path, cluster, monkeypatch, slow) == [(True, "")]
    assert tried == [5.0, 10.0, 20.0]


def test_a_job_that_crashes_there_fails_alone(tmp_path: Path, cluster: Cluster) -> None:
    for i, what in enumerate(["crash", "exit", "slow 0", "hang"]):
        poisoned(tmp_path / f"s{i}.poison", what)
    jobs = "jobs: [{sources: s3.poison, timeout: 1}, {sources: '*.poison', exclude: s3.poison}]"
    (tmp_path / "jobs.yaml").write_text(jobs)
    executor = Dask(str(cluster.file))
    try:
        reasons = {r.job.source: r.reason[:5] for r in run(tmp_path / "jobs.yaml", executor=executor)}
    finally:
        executor.close()
    assert reasons == {"s0.poison": "CB722", "s1.poison": "CB722", "s2.poison": "", "s3.poison": "CB720"}


def test_from_the_command_line(tmp_path: Path, cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    robot(tmp_path / "r.urdf")
    (tmp_path / "jobs.yaml").write_text("jobs: [{sources: r.urdf}]")
    status = main(
        ["batch", str(tmp_path / "jobs.yaml"), "--scheduler", str(cluster.file), "--ship", "content", "--json"]
    )
    assert status == 0
    assert json.loads(capsys.readouterr().out)["counts"]["done"] == 1


def test_a_scheduler_that_is_not_there_is_told_quickly(tmp_path: Path) -> None:
    robot(tmp_path / "r.urdf")
    (tmp_path / "jobs.yaml").write_text("jobs: [{sources: r.urdf}]")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for address in (f"tcp://127.0.0.1:{port}", str(tmp_path / "no.json"), "nonsense://x"):
        with pytest.raises(InputError) as caught:
            Dask(address, connect=1.0)
        assert [f.code for f in caught.value.findings] == ["CB710"]
    assert main(["batch", str(tmp_path / "jobs.yaml"), "--scheduler", str(tmp_path / "no.json")]) == 2


def test_other_versions_are_told(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    assert difference(versions()) == ""
    assert difference({**versions(), "numpy": "1.0"}).startswith("numpy 1.0, not ")
    import distributed

    with monkeypatch.context() as patch:
        patch.setattr(distributed, "__version__", "1.2.3")
        with pytest.raises(InputError, match=r"has distributed .*, not 1\.2\.3"):
            Dask(str(cluster.file))
    other = {**versions(), "code": "0" * 16}
    with monkeypatch.context() as patch:
        patch.setattr("cadbridge.jobs.distributed.versions", lambda: other)
        with pytest.raises(InputError, match=r"has code .*, not 0000000000000000"):
            Dask(str(cluster.file))


def test_a_lost_scheduler_fails_what_runs_and_the_next_run_goes_on(
    tmp_path: Path, cluster: Cluster, warm: Local
) -> None:
    for i in range(4):
        poisoned(tmp_path / f"s{i}.poison", f"slow {0.3 + 1.5 * (i > 1)}")
    (tmp_path / "jobs.yaml").write_text("jobs: [{sources: '*.poison'}]")
    executor = Dask(str(cluster.file))
    found = []
    try:
        for result in run(tmp_path / "jobs.yaml", executor=executor, workers=3):
            found.append(result)
            if len(found) == 1:
                cluster.scheduler.send_signal(signal.SIGKILL)
                cluster.scheduler.wait()
    finally:
        executor.close()
    assert len(found) == 4
    assert found[0].ok
    assert "CB710" in {r.reason[:5] for r in found}
    again = list(run(tmp_path / "jobs.yaml", executor=warm))
    assert all(r.ok for r in again)
    assert next(r for r in again if r.job == found[0].job).cached
