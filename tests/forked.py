"""A plugin of pytest: tests in several processes, forked from one that has collected them.

`-p tests.forked --processes 3`. With xdist each process loads all files of tests and all that these load; here they
are loaded once, and a process has them when it is forked. Where there is no fork that can be trusted, xdist does it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
import time
import traceback
import warnings
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import pytest

FIRST = (
    "tests/scripts/test_fuzz.py::test_broken_files_of_every_format[1]",
    "tests/jobs/test_run.py::test_poisoned_jobs_fail_alone",
    "tests/scripts/test_machines.py::test_the_table_counts_a_machine_that_fails",
    "tests/oracle/test_oracle.py::test_a_run_is_right_or_says_that_it_is_not[hundreds]",
    "tests/notebooks/test_notebooks.py"
    "::test_the_simulation_agrees_with_the_closed_form_and_the_last_cell_shows_its_plot",
)
"""Long tests that share little with others of their files: dealt out first, one by one, lest one of them be left for
the end, when nothing runs beside it."""

ROOT = Path(__file__).resolve().parents[1]

PIECES = 4
"""Of the tests that are left, a process is given so many parts of its share: long pieces first, so that tests of a file
come to one process, which has what they share; single tests at the end, so that all end together."""

PATIENCE = 30.0
"""Seconds for a process that is to end to put away what its tests share, such as a browser."""


@dataclass
class Process:
    """One that runs tests: what it was given and has not told of yet, the first of which it is running."""

    number: int
    pid: int
    line: Connection
    given: deque[int] = field(default_factory=deque)

    def give(self, tests: list[int]) -> None:
        self.given += tests
        with contextlib.suppress(OSError):  # It has ended, which is seen when it is next listened to.
            self.line.send(tests)

    def ended(self) -> int:
        """How it ended: below 0 by which signal; waited for until it has."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        os.kill(self.pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=0, help="run the tests in so many forked processes")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("processes") and not config.getoption("collectonly"):
        config.pluginmanager.register(Dealer(config), "forked-dealer")


def load_part(config: pytest.Config, part: int, of: int) -> None:
    """Load one in so many of the files that are named to pytest: what is compiled by it no other process needs to."""
    if sys.dont_write_bytecode:
        return
    named = [Path(argument.partition("::")[0]).absolute() for argument in config.args]
    files = sorted({file for path in named if path.is_relative_to(ROOT) for file in path.rglob("test_*.py")})
    gc.disable()
    for file in files[part::of]:
        # A file that cannot be loaded is told of where it is collected.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


class Dealer:
    """In the process that collects: deals the tests out and tells pytest's own plugins what comes back."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.running: list[Process] = []
        self.ends: list[float] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """While this process compiles a part of the files and loads what they need, others compile the rest."""
        parts = min(self.config.getoption("processes"), os.cpu_count() or 1)
        others = []
        for part in range(1, parts):
            if (pid := os.fork()) == 0:
                load_part(self.config, part, parts)
                os._exit(0)
            others.append(pid)
        load_part(self.config, 0, parts)
        for pid in others:
            os.waitpid(pid, 0)
        return (yield)

    @pytest.hookimpl
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed and not self.config.getoption("continue_on_collection_errors"):
            return None
        self.session = session
        names = {item.nodeid: index for index, item in enumerate(session.items)}
        self.first = deque(names[name] for name in FIRST if name in names)
        self.rest = deque(index for index in range(len(session.items)) if index not in set(self.first))
        self.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # One for all.
        self.count = min(self.config.getoption("processes"), len(session.items))
        # The file of each test before its dots would be another with each test.
        if reporter := self.config.pluginmanager.getplugin("terminalreporter"):
            reporter.showfspath = False
        try:
            for number in range(self.count):
                self.start(number)
            while self.running and not (session.shouldfail or session.shouldstop):
                self.listen()
        finally:
            self.stop()
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        return True

    def piece(self) -> list[int]:
        """The next tests for a process that has none left."""
        if self.first:
            return [self.first.popleft()]
        size = -(-len(self.rest) // (PIECES * self.count))
        return [self.rest.popleft() for _ in range(size)]

    def start(self, number: int) -> None:
        here, there = Pipe()
        with warnings.catch_warnings():
            # Python 3.12 warns of threads: pyarrow's jemalloc has one, and is made to be forked.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            for line in (here, *(process.line for process in self.running)):
                line.close()
            Worker(self.session, number, there).live()
        there.close()
        self.running.append(Process(number, pid, here))
        self.running[-1].give(self.piece())

    def listen(self) -> None:
        for line in wait([process.line for process in self.running]):
            process = next(process for process in self.running if process.line is line)
            try:
                told = process.line.recv()
            except (EOFError, OSError):
                self.end(process)
                continue
            if told is None:
                process.give(self.piece())
            else:
                self.tell(process, *told)

    def tell(self, process: Process, index: int, reports: list[Any], warned: list[Any]) -> None:
        """What a process tells of one test, told as if it had been run here."""
        hook, item = self.config.hook, self.session.items[index]
        process.given.remove(index)
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for (text, category, *place), told in warned:
            # Of a kind of warning its name is shown: where it is made may be loaded in that process alone.
            warning = warnings.WarningMessage(text, type(category, (Warning,), {}), *place)
            hook.pytest_warning_recorded.call_historic(kwargs={"warning_message": warning, **told})
        for data in reports:
            report = hook.pytest_report_from_serializable(config=self.config, data=data)
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def end(self, process: Process) -> None:
        """A process has ended: where it had not run all that it was given, by the test that it was running."""
        self.running.remove(process)
        process.line.close()
        status = process.ended()
        self.ends.append(time.monotonic())
        if status == 0:
            return
        item, name = None, f"process {process.number}, after its last test"
        if process.given:
            item = self.session.items[process.given.popleft()]
            name = item.nodeid
        if status == Worker.INTERRUPTED:
            self.session.shouldstop = f"{name} was interrupted"
            return
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        message = f"the process that ran this ended {how}"
        report = pytest.TestReport(name, item.location if item else ("", None, name), {}, "failed", message, "call")
        self.config.hook.pytest_runtest_logreport(report=report)
        self.rest.extendleft(reversed(process.given))
        if self.rest or self.first:
            self.start(process.number)

    def stop(self) -> None:
        """No process stays, whatever ended the run: each puts away what its tests share."""
        for process in self.running:
            os.kill(process.pid, signal.SIGINT)
        for process in self.running:
            process.line.close()
            process.ended()
        self.running.clear()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if len(self.ends) > 1:
            waited = max(self.ends) - min(self.ends)
            terminalreporter.write_line(f"{self.count} processes, the first ended {waited:.1f} s before the last")


class Worker:
    """In a forked process: runs what it is given, and tells of each test when it is over."""

    INTERRUPTED = 2

    def __init__(self, session: pytest.Session, number: int, line: Connection) -> None:
        self.session, self.config, self.line, self.number = session, session.config, line, number
        self.reports: list[Any] = []
        self.warned: list[Any] = []

    def live(self) -> None:
        """Run tests to the end of this process."""
        status = 1
        try:
            self.prepare()
            self.run()
            status = 0
        except (KeyboardInterrupt, pytest.exit.Exception):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            status = self.INTERRUPTED
        except (EOFError, BrokenPipeError):
            pass
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            with contextlib.suppress(BaseException):
                self.session._setupstate.teardown_exact(None)
            warnings.simplefilter("ignore")  # As at the end of a process; here those of the tests still hold.
            with contextlib.suppress(BaseException):
                atexit._run_exitfuncs()
            os._exit(status)

    def prepare(self) -> None:
        """What it must not share with the others, and what pytest's own plugins tell there, not here."""
        plugins = self.config.pluginmanager
        # Two processes cannot write to one file what they capture.
        if capture := plugins.getplugin("capturemanager"):
            capture.stop_global_capturing()
            capture.start_global_capturing()
            capture.suspend_global_capture()
        for name in ("terminalreporter", "forked-dealer"):
            if plugins.hasplugin(name):
                plugins.unregister(name=name)
        plugins.register(self, "forked-worker")
        self.warned.clear()  # What was warned of before the fork is told to each plugin that comes.
        # As xdist has it, for its fixture worker_id; a folder of its own in the one of the run.
        self.config.workerinput = {"workerid": f"gw{self.number}", "workercount": 1}  # type: ignore[attr-defined]
        factory = self.config._tmp_path_factory  # type: ignore[attr-defined]
        if removing := getattr(factory, "_exit_stack", None):
            removing.pop_all()  # The folders of earlier runs are removed by one.
        factory._basetemp = factory.getbasetemp() / f"gw{self.number}"
        factory._basetemp.mkdir(exist_ok=True)  # It is there where the process before it crashed.

    def run(self) -> None:
        items, todo = self.session.items, deque(self.line.recv())
        while todo:
            index = todo.popleft()
            if not todo:
                self.line.send(None)
                todo += self.line.recv()
            item, following = items[index], items[todo[0]] if todo else None
            self.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.line.send((index, self.reports, self.warned))
            self.reports, self.warned = [], []
            if self.session.shouldfail or self.session.shouldstop:
                break

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.reports.append(data)

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: object
    ) -> None:
        it = warning_message
        said = (str(it.message), it.category.__name__, it.filename, it.lineno, None, it.line)
        self.warned.append((said, {"when": when, "nodeid": nodeid, "location": location}))
