"""A run in forked processes tells what a run in one tells, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forked
from tests.waiting import settled

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="xdist runs the tests here")

TESTS = """
import os, resource, signal, time, warnings
from pathlib import Path
import pytest

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
HERE = Path(__file__).parent
OWNER = os.getpid()

@pytest.fixture(scope="session")
def shared(tmp_path_factory, worker_id):
    (HERE / f"begun-{os.getpid()}").touch()
    yield os.getpid(), tmp_path_factory.getbasetemp().name, worker_id
    (HERE / f"over-{os.getpid()}").touch()

@pytest.fixture
def torn():
    yield
    raise ValueError("torn")

@pytest.mark.parametrize("number", range(30))
def test_passes(number, shared):
    assert shared[0] == os.getpid() != OWNER
    assert shared[1] == shared[2]

def test_fails(tmp_path):
    print("before it failed")
    assert tmp_path == 2

def test_crashes():
    os.kill(os.getpid(), signal.SIGKILL)

def test_warns():
    class Own(UserWarning):
        pass
    warnings.warn("beware", Own)

def test_after_it(torn):
    pass

def test_skipped():
    pytest.skip("no reason")

@pytest.mark.xfail(strict=True)
def test_expected():
    assert False

@pytest.mark.parametrize("number", range(6))
def test_waits(number, shared):
    (HERE / f"waits-{os.getpid()}").touch()
    time.sleep(float(os.environ.get("SECONDS", 0)))
"""


def command(folder: Path, *options: str) -> list[str]:
    (folder / "test_it.py").write_text(TESTS, "utf-8")
    pytest_ = [sys.executable, "-m", "pytest", "-p", "tests.forked", "--processes", "3", "-p", "no:hypothesispytest"]
    return [
        *pytest_,
        "-c",
        os.devnull,
        "--rootdir",
        str(folder),
        "--basetemp",
        str(folder / "base"),
        *options,
        str(folder),
    ]


def run(folder: Path, *options: str) -> tuple[int, str]:
    made = subprocess.run(command(folder, *options), cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    return made.returncode, made.stdout + made.stderr


def those(folder: Path, stage: str) -> set[str]:
    return {path.name.partition("-")[2] for path in folder.glob(f"{stage}-*")}


def test_all_that_happens_is_told(tmp_path: Path) -> None:
    status, told = run(tmp_path, "-rfE", "--durations=3", "--durations-min=0")
    assert status == 1
    assert re.search(r"2 failed, 38 passed, 1 skipped, 1 xfailed, 1 warning, 1 error in", told), told
    assert "before it failed" in told
    assert re.search(r"_ test_crashes _+\nthe process that ran this ended by SIGKILL\n", told), told
    assert "ERROR at teardown of test_after_it" in told
    assert re.search(r"test_it.py:\d+: Own: beware", told)
    assert len(re.findall(r"s (call|setup|teardown) +\S*test_", told)) == 3
    # What was shared is put away in each process but the one that was killed.
    assert len(those(tmp_path, "begun") - those(tmp_path, "over")) <= 1 < len(those(tmp_path, "begun"))


def test_the_first_failure_ends_the_run_where_asked_and_those_that_failed_run_again(tmp_path: Path) -> None:
    cache = ("-o", f"cache_dir={tmp_path / 'kept'}")
    status, told = run(tmp_path, "-x", "-k", "passes or fails", *cache)
    assert status == 1
    assert "stopping after 1 failures" in told
    assert those(tmp_path, "begun") == those(tmp_path, "over")
    status, told = run(tmp_path, "--lf", "-k", "passes or fails", *cache)
    assert re.search(r"= 1 failed in", told), told


def test_the_tests_that_come_first_are_there() -> None:
    for name in forked.FIRST:
        file, _, function = name.partition("::")
        assert f"def {function.partition('[')[0]}(" in (ROOT / file).read_text("utf-8")


@pytest.mark.parametrize("whom", ["one", "all"])
def test_what_is_interrupted_leaves_no_process_and_puts_away_what_is_shared(tmp_path: Path, whom: str) -> None:
    words = command(tmp_path, "-k", "waits")
    environment = {**os.environ, "SECONDS": "60"}
    with subprocess.Popen(words, cwd=ROOT, env=environment, start_new_session=True, stdout=subprocess.DEVNULL) as made:
        assert settled(lambda: len(those(tmp_path, "waits")) == 3)
        (os.kill if whom == "one" else os.killpg)(made.pid, signal.SIGINT)
        assert made.wait(60) == 2
    assert those(tmp_path, "begun") == those(tmp_path, "over")
    for pid in those(tmp_path, "begun"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
