"""Jobs in processes of this machine: copies of a warm process, watched, ended when they take too much."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol, cast

from cadbridge.jobs import limits
from cadbridge.jobs.child import ENVIRONMENT
from cadbridge.processes import TimeLimit, environment, python
from cadbridge.units import MEGABYTE

LOOK = 0.1
"""Seconds between looks at the time and memory of running jobs: a job takes no more than some 100 MB in it."""

LAST_WORDS = 16_384
"""Bytes of a log that are reported of a job that died."""

_TRIES = 3
"""So often a job is started whose warm process was lost before it ended: one may be the system's doing; what loses
three loses more."""


@dataclass
class Ended:
    """How the process of a request ended: by its answer, or `fault` (a code) with the reason in words."""

    id: int
    answer: dict[str, Any] | None
    fault: str = ""
    reason: str = ""
    seconds: float = 0.0
    cpu: float = 0.0
    memory: int = 0


@dataclass
class _Running:
    request: dict[str, Any]
    started: float
    pid: int | None = None
    limit: TimeLimit | None = None
    memory: int = 0
    fault: str = ""
    reason: str = ""
    tries: int = 1


class Launcher(Protocol):
    """Starts processes; reports by `events` of ("started", id, pid), ("ended", id, status, cpu, memory), ("lost",)."""

    def start(self, request: dict[str, Any]) -> None:
        """Start the process of a request."""

    def events(self, timeout: float) -> Iterator[tuple[Any, ...]]:
        """What happened, waiting at most so many seconds for the first."""

    def close(self) -> None:
        """End everything."""


class Local:
    """Runs requests (see `child.main`) beside each other, as many as are submitted."""

    def __init__(self, launcher: Launcher | None = None) -> None:
        self._launcher = launcher or (Warm() if limits.POSIX else Cold())
        self.capacity = os.cpu_count() or 1
        self._running: dict[int, _Running] = {}
        self._count = 0
        self._looked = 0.0

    def submit(self, request: dict[str, Any]) -> None:
        """Start a request; its `id` is the caller's, `timeout` in seconds or None, `memory` in bytes."""
        # A number of our own: what is still heard of an earlier batch's jobs must not be taken for this one's.
        self._count += 1
        self._running[self._count] = _Running(request, time.monotonic())
        self._launcher.start({**request, "id": self._count})

    def wait(self, timeout: float = 0.5) -> list[Ended]:
        """Those that ended, waiting at most so long for the first."""
        done: list[Ended] = []
        deadline = time.monotonic() + timeout
        while not done and self._running:
            left = deadline - time.monotonic()
            for event in self._launcher.events(max(0.0, min(left, LOOK))):
                done += self._take(event)
            if time.monotonic() - self._looked > LOOK:
                self._look()
            if left <= 0:
                break
        return done

    def cancel(self) -> None:
        """End the jobs that run; the warm process stays for others."""
        if any(job.pid is None for job in self._running.values()):
            self._launcher.close()  # what is not known to have started can be ended only so
        for job in self._running.values():
            if job.pid is not None:
                limits.end(job.pid)
        self._running.clear()

    def close(self) -> None:
        """End everything."""
        self.cancel()
        self._launcher.close()

    def pids(self) -> list[int]:
        """The processes of running jobs."""
        return [job.pid for job in self._running.values() if job.pid is not None]

    @property
    def warm_pid(self) -> int | None:
        """The process that jobs are copies of, None where there is none."""
        return self._launcher.pid if isinstance(self._launcher, Warm) else None

    def _take(self, event: tuple[Any, ...]) -> list[Ended]:
        if event[0] == "lost":
            return self._start_again()
        job = self._running.get(event[1])
        if job is None:
            return []
        if event[0] == "started":
            job.pid, job.started = event[2], time.monotonic()
            seconds = job.request["timeout"]
            job.limit = None if seconds is None else TimeLimit(job.pid, seconds)
            return []
        _, name, status, cpu, memory = event
        del self._running[name]
        return [_ended(job, status, cpu, memory)]

    def _start_again(self) -> list[Ended]:
        """The warm process was lost (killed from outside): its jobs are run by a new one."""
        given_up = []
        for number, job in list(self._running.items()):
            if job.pid is not None:
                limits.end(job.pid)
            job.pid = job.limit = None
            job.tries += 1
            if job.tries > _TRIES:
                del self._running[number]
                job.fault, job.reason = "CB722", "the process that starts jobs ended, time and again"
                given_up.append(_ended(job, -1, 0.0, 0))
                continue
            _empty(Path(job.request["stage"]))
            self._launcher.start({**job.request, "id": number})
        return given_up

    def _look(self) -> None:
        """End those past their time or memory."""
        self._looked = time.monotonic()
        for job in self._running.values():
            if job.pid is None or job.fault:
                continue
            request = job.request
            used = limits.memory_used(job.pid, request["memory"])
            job.memory = max(job.memory, used)
            if job.limit is not None and (reached := job.limit.reached):
                job.fault, job.reason = "CB720", f"it took more than {reached}"
            elif used > request["memory"]:
                job.fault = "CB721"
                job.reason = (
                    f"it used {used / MEGABYTE:.0f} MB of the {request['memory'] / MEGABYTE:.0f} MB that it may use"
                )
            if job.fault:
                limits.end(job.pid)


def _ended(job: _Running, status: int, cpu: float, memory: int) -> Ended:
    stage = Path(job.request["stage"])
    answer = None
    with contextlib.suppress(OSError, ValueError):
        answer = json.loads((stage / "answer.json").read_text("utf-8"))
    if answer is not None:
        # It had answered, whatever was thought of it in the last moment.
        job.fault = job.reason = ""
    elif not job.fault:
        job.fault = "CB722"
        job.reason = f"its process {how_it_ended(status)}" + _last_words(stage)
    else:
        job.reason += _last_words(stage)
    seconds = time.monotonic() - job.started
    ended = Ended(job.request["id"], answer, job.fault, job.reason, seconds, cpu, max(memory, job.memory))
    return ended


def _empty(stage: Path) -> None:
    """Take away what a job wrote that is started again: half of a file may be among it."""
    for name in ("answer.json", "log"):
        (stage / name).unlink(missing_ok=True)
    for name in ("out", "tmp"):
        shutil.rmtree(stage / name, ignore_errors=True)


def how_it_ended(status: int) -> str:
    """An exit status (a signal's where negative) in words."""
    if status < 0:
        import signal

        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
        return f"was ended by signal {-status}"
    return f"ended with status {status} and no answer"


def _last_words(stage: Path) -> str:
    """The first line of a crash's traceback, or the last line that was printed."""
    try:
        with (stage / "log").open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - LAST_WORDS))
            lines = [line.strip() for line in log.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return ""
    fatal = [line for line in lines if line.startswith("Fatal Python error")]
    return f"; its last words: {(fatal or lines)[-1]}" if lines else ""


class Warm:
    """Copies of one warm process (POSIX)."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting = b""

    @property
    def pid(self) -> int | None:
        """The warm process."""
        return None if self._process is None else self._process.pid

    def start(self, request: dict[str, Any]) -> None:
        """Send a request, to a new process where there is none."""
        if self._process is None:
            self._process = subprocess.Popen(
                python("cadbridge.jobs.server"),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(ENVIRONMENT), start_new_session=True,
            )  # fmt: skip
            self._waiting = b""
        stream = cast("IO[bytes]", self._process.stdin)
        with contextlib.suppress(OSError):  # its end is reported by events
            stream.write(json.dumps(request).encode() + b"\n")
            stream.flush()

    def events(self, timeout: float) -> Iterator[tuple[Any, ...]]:
        """What the process reports; ("lost",) where it has gone."""
        if self._process is None:
            return
        stream = cast("IO[bytes]", self._process.stdout)
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            if not selector.select(timeout):
                return
        data = os.read(stream.fileno(), 1 << 16)
        if not data:
            self.close()
            yield ("lost",)
            return
        *lines, self._waiting = (self._waiting + data).split(b"\n")
        for line in lines:
            event = json.loads(line)
            if "started" in event:
                yield "started", event["started"], event["pid"]
            else:
                yield "ended", event["ended"], event["status"], event["cpu"], event["memory"]

    def close(self) -> None:
        """End the process."""
        if self._process is None:
            return
        process, self._process = self._process, None
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                cast("IO[bytes]", stream).close()
        process.kill()
        process.wait()


class Cold:
    """A process from nothing for each job: slower to start, and the same on every system."""

    def __init__(self) -> None:
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._new: list[tuple[Any, ...]] = []

    def start(self, request: dict[str, Any]) -> None:
        """Start the process of a request."""
        process = subprocess.Popen(
            python("cadbridge.jobs.cold"),
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment(ENVIRONMENT),
        )  # fmt: skip
        with contextlib.suppress(OSError), cast("IO[bytes]", process.stdin) as stream:
            stream.write(json.dumps({**request, "caller": os.getpid()}).encode())
        self._processes[request["id"]] = process
        self._new.append(("started", request["id"], process.pid))

    def events(self, timeout: float) -> Iterator[tuple[Any, ...]]:
        """Looks at each process in turn; there is no way to wait for all of them on every system."""
        new, self._new = self._new, []
        yield from new
        deadline = time.monotonic() + timeout
        while True:
            ended = [(name, p.returncode) for name, p in self._processes.items() if p.poll() is not None]
            for name, status in ended:
                del self._processes[name]
                yield "ended", name, status, 0.0, 0
            if ended or new or time.monotonic() >= deadline:
                return
            # s: soon enough for jobs of a tenth of a second, and 50 looks a second cost nothing.
            time.sleep(0.02)

    def close(self) -> None:
        """End the processes."""
        for process in self._processes.values():
            limits.end(process.pid)
            process.wait()
        self._processes.clear()
