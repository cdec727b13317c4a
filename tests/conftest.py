"""What all tests share."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pickle
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock
from hypothesis import settings
from typer.main import get_command

from cadbridge import storage
from cadbridge.mechanism import Mechanism
from solver.compilation.library import kernel_folder
from tests import real_files
from tests.at_night import to_night
from tests.loading import module_of

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.diagnosis import Diagnosis

ROOT = Path(__file__).resolve().parents[1]
KR15 = ROOT / "fixtures" / "kr15"
SOON = 0.02
"""Seconds within which an answer is found anew by each worker: a file of it for all would take a good part of that."""

MadeOnce = Callable[[str, Callable[[], object]], object]
SHAPES = ("cadbridge.shapes.kept", "cadbridge.shapes.kept_finds")
ANSWERING = (*SHAPES, "cadbridge.mass.overlap", "cadbridge.mass.weighing", "cadbridge.simulation.kept_limits")
"""The modules that keep by content what they computed."""

# No deadline: the first example of a property may compile a kernel. Derandomised: a run can be repeated.
settings.register_profile("night", deadline=None, derandomize=True)
# By day the first of them; a test of which more are needed says how many.
settings.register_profile("day", settings.get_profile("night"), max_examples=40)
settings.load_profile("night")


# Tests with a cache folder of their own share the compiled kernels: nothing of those depends on the test.
os.environ.setdefault("CADBRIDGE_KERNELS", str(kernel_folder()))

# A test sees what is computed now, not what an earlier run kept; tests of the cache take this away.
os.environ.setdefault("CADBRIDGE_NO_CACHE", "1")

# What a shell starts in the background ignores Ctrl-C, and so would all that it starts: tests send it, and wait.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Stop before the first test where the folder of real files that was named cannot be used."""
    if config.getoption("markexpr") == "not nightly":
        settings.load_profile("day")
    if (fault := real_files.fault()) is not None:
        raise pytest.UsageError(fault)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each of pytest's workers first loads its share of the files: what it compiles there the others need not.

    Compiling the asserts is half of what collecting costs, and each worker collects all tests. What it makes stays: it
    is not looked through for what could be freed, which took a fifth of the time.
    """
    gc.disable()
    worker: dict[str, Any] | None = getattr(session.config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode:
        return
    share = slice(int(worker["workerid"].removeprefix("gw")), None, worker["workercount"])
    named = [Path(argument.partition("::")[0]).absolute() for argument in session.config.args]
    files = sorted({file for path in named if path.is_relative_to(ROOT) for file in path.rglob("test_*.py")})
    for file in files[share]:
        # A file that cannot be loaded is told of where it is collected.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Before `-m "not nightly"` leaves out what has the marker."""
    to_night(items)


def pytest_collection_finish() -> None:
    """What was loaded to collect stays to the end: it is not looked through again for what could be freed."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where the folder of real files is named, no test of them may be skipped, whatever it lacks."""
    report = yield
    if report.skipped and real_files.named() is not None and "corpus" in getattr(item, "fixturenames", ()):
        report.outcome = "failed"
        report.longrepr = f"{real_files.VARIABLE} is set and this was skipped: {reason(report)}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each reason for which tests were skipped: how many, and what would have them run."""
    reasons = Counter(reason(report) for report in terminalreporter.getreports("skipped"))
    for each, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {each}")


def reason(report: pytest.TestReport) -> str:
    """Why a test was skipped."""
    return report.longrepr[-1].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else "no reason"


@pytest.fixture(scope="session", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests stand outside the checkout: what one writes by a relative name, or a library logs, lands in no sources."""
    with contextlib.chdir(tmp_path_factory.mktemp("elsewhere")):
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real inputs: CADBRIDGE_CORPUS, else ../shared/corpus beside the project; without, skipped."""
    return real_files.corpus()


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> MadeOnce:
    """Gives what a name stands for, made by one of pytest's workers for all."""
    base = tmp_path_factory.getbasetemp()

    def given(name: str, make: Callable[[], object]) -> object:
        kept = (base if worker_id == "master" else base.parent) / f"{name}.pickle"
        with FileLock(f"{kept}.lock"):
            if not kept.is_file():
                kept.write_bytes(pickle.dumps(make()))
        return pickle.loads(kept.read_bytes())

    return given


@pytest.fixture(scope="session", autouse=True)
def answered_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[None]:
    """What OCCT answered about a file, and what shapes, meshes and limits were found, is kept by content for all tests.

    Many read the same. OCCT computes in a process of its own, so that nothing that a test puts in place of our code
    spoils an answer. Tests of that process, or that change how shapes and meshes are looked at, ask each time:
    `asked_anew`. Where no file of tests that was collected has loaded meshes and limits, they are not loaded for this.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "answers"
    small: dict[str, bytes] = {}

    def once(key: Any, compute: Callable[[], Any], pack: Callable[..., bytes], unpack: Callable[[bytes], Any]) -> Any:
        if storage.is_used():
            return storage.computed_once(key, compute, pack, unpack)
        name = storage.digest(json.dumps(key, sort_keys=True).encode())
        if (data := small.get(name) or storage.kept(folder / name)) is not None:
            return unpack(data)
        began = time.perf_counter()
        answer = compute()
        soon = time.perf_counter() - began < SOON
        with contextlib.suppress(OSError, TypeError):
            data = pack(answer)
            if soon:
                small[name] = data
            else:
                storage.keep(folder / name, data)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        for name in (name for name in ANSWERING if name in SHAPES or name in sys.modules):
            patch.setattr(f"{name}.computed_once", once)
            patch.setattr(f"{name}.is_used", lambda: True, raising=False)
        yield


commands_of = cache(get_command)


@pytest.fixture(scope="session", autouse=True)
def command_line_once() -> Iterator[None]:
    """The commands with all their options are made once for all calls of the command line, not for each (20 ms)."""
    with pytest.MonkeyPatch.context() as patch:
        for place in ("typer.testing._get_command", "typer.main.get_command"):
            patch.setattr(place, commands_of)
        yield


@pytest.fixture(scope="session", autouse=True)
def pictures_once() -> Iterator[None]:
    """The picture of the same triangles on a page is drawn once: that takes longer than all else of most pages.

    Where no file of tests that was collected has loaded what makes pages, it is not loaded for this.
    """
    rooms = ("cadbridge.report.page.page", "cadbridge.report.notebook")
    pages = [sys.modules[room] for room in rooms if room in sys.modules]
    drawn: dict[object, bytes | None] = {}

    def once(assembly: Assembly, width: int, height: int) -> bytes | None:
        from cadbridge.report import still

        shown = b"".join(array.tobytes() for array in still._triangles(assembly))
        key = (storage.digest(shown), width, height)
        if key not in drawn:
            drawn[key] = still.still(assembly, width, height)
        return drawn[key]

    with pytest.MonkeyPatch.context() as patch:
        for page in pages:
            patch.setattr(page, "still", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def expanded_by_forks(request: pytest.FixtureRequest) -> Iterator[None]:
    """By day, xacro is expanded by forks of one process (tests/expansion.py), not by one that is started each time."""
    if request.config.getoption("markexpr") != "not nightly":
        yield
        return
    from cadbridge.readers.xacro import process
    from tests.expansion import Forks

    forks = Forks(process._answer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "_answer", forks.answer)
        yield
    forks.close()


@pytest.fixture
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of OCCT's process, or of how a shape is looked at: each time, as without `answered_once`."""
    for name in ANSWERING:
        monkeypatch.setattr(f"{name}.computed_once", storage.computed_once)
        monkeypatch.setattr(f"{name}.is_used", storage.is_used, raising=False)


@pytest.fixture(scope="session")
def kr15(made_once: MadeOnce) -> Mechanism:
    """The mechanism of fixtures/kr15, which takes about half a minute to read."""
    from cadbridge.mechanism import build
    from cadbridge.reading import read

    mechanism = made_once("kr15", lambda: build(read(KR15 / "kr15.step")))
    assert isinstance(mechanism, Mechanism)
    return mechanism


@pytest.fixture(scope="session")
def kr15_diagnosis(made_once: MadeOnce, kr15: Mechanism) -> Diagnosis:
    """What is diagnosed of it."""
    from cadbridge.diagnosis import Diagnosis, diagnose

    diagnosis = made_once("kr15-diagnosis", lambda: diagnose(kr15))
    assert isinstance(diagnosis, Diagnosis)
    return diagnosis


@pytest.fixture(scope="session")
def build_hook() -> ModuleType:
    """hatch_build.py, which bundles the code of the report page."""
    return module_of(ROOT / "hatch_build.py")


@pytest.fixture(scope="session")
def page_code(build_hook: ModuleType) -> None:
    """The report page's code, built from the present sources where it is not; skipped where nothing can build it."""
    if not build_hook.is_built() and build_hook.node_commands() is None:
        pytest.skip(f"the report page is not bundled, and there is no Node {build_hook.OLDEST_NODE} or newer to do it")
    build_hook.build_page()
