"""How a Python process of ours is started, and what processes have used: no module is found where the user stands.

`python -m` and `-c` put the current folder first among those that modules are looked for in: a `json.py` beside a
stranger's robot would be run. `-P` leaves it out, and so must PYTHONPATH, of which an empty entry means it as well.

Time limits count what a process and its children have used of the processors, so that a busy machine reads what an
idle one reads. One that sleeps uses nothing: it is stopped when `PATIENCE` times the limit has passed on the clock,
without what it waited for a processor, where the system tells that.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
"""The folder that this package lies in."""

_PR_SET_PDEATHSIG = 1
"""Of prctl(2): which signal to get when the thread ends that started this process."""

PATIENCE = 10.0
"""Seconds of the clock that pass at most for each processor second of a limit."""


ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""What keeps a process to one core: processes run beside each other, and sums do not depend on a number of threads."""


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours with this Python."""
    return [sys.executable, "-P", "-m", module, *arguments]


def program(command: Sequence[str], *arguments: str) -> list[str]:
    """The command of a tool of the machine, such as a compiler. ValueError unless its path is whole.

    A bare name would be looked for in the folder that the user stands in, where PATH says so.
    """
    if not os.path.isabs(command[0]):
        raise ValueError(f"{command[0]} is not an absolute path")
    return [*command, *arguments]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of such a process: ours, with this package found, and no relative entry of PYTHONPATH."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join((str(HOME), *(p for p in given if os.path.isabs(p))))
    return {**os.environ, **(more or {}), "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}


def end_with_caller(caller: int | None = None) -> None:
    """On Linux: end this process when the thread that started it does, even when that is killed during a computation.

    `caller` is the number of its process, where this one knows it. A closed pipe alone would be noticed only after the
    computation, which may have no end, and compiled code may let no thread of Python watch meanwhile.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if caller is not None and os.getppid() != caller:  # it ended before this was requested
            os._exit(0)


class TimeLimit:
    """A limit of processor seconds from now on, of a process with all that it starts, and `PATIENCE` of the clock.

    On Linux what it waits for a processor does not count on the clock: a machine that is busy with other things gives
    it little, and is no sign that it hangs.
    """

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid, self._seconds = pid, seconds
        self._used, self._waited, self._began = processor_seconds(pid), seconds_waited(pid), time.monotonic()

    @property
    def reached(self) -> str:
        """Which of the two is reached, in words: "12 s of processor time", "120 s on the clock"; "" where none is."""
        if processor_seconds(self._pid) - self._used > self._seconds:
            return f"{self._seconds:g} s of processor time"
        clock, allowed = time.monotonic() - self._began, PATIENCE * self._seconds
        if clock > allowed and clock - (seconds_waited(self._pid) - self._waited) > allowed:
            return f"{allowed:g} s on the clock"
        return ""


def processor_seconds(pid: int) -> float:
    """What a process and all that it started have used, in user and system; 0 where it has gone."""
    import psutil

    total = 0.0
    for each in (pid, *family(pid)):
        with contextlib.suppress(psutil.Error, OSError):
            total += sum(psutil.Process(each).cpu_times()[:4])  # the last two: of children that have ended
    return total


def seconds_waited(pid: int) -> float:
    """What the threads of a process, and of all that it started, were ready to run and had no processor, on Linux.

    The second number of each thread's schedstat, ns. 0 where the system does not tell.
    """
    total = 0
    for each in (pid, *family(pid)):
        with contextlib.suppress(OSError, LookupError):
            for thread in os.listdir(f"/proc/{each}/task"):
                total += int(Path(f"/proc/{each}/task/{thread}/schedstat").read_bytes().split()[1])
    # The kernel counts nanoseconds.
    return total / 1e9


def data_size(statm: bytes) -> int:
    """Bytes of data and stack, of which RLIMIT_DATA bounds the first: the sixth number of proc(5)'s statm."""
    return int(statm.split()[5]) * os.sysconf("SC_PAGE_SIZE")


def family(pid: int) -> tuple[int, ...]:
    """The processes that a process started and that still run, and those that these started."""
    if not sys.platform.startswith("linux"):
        import psutil

        try:
            return tuple(child.pid for child in psutil.Process(pid).children(recursive=True))
        except psutil.Error:
            return ()
    # Much quicker than a look at all processes of the machine, which the general way needs.
    found: list[int] = []
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        try:
            threads = os.listdir(f"/proc/{parent}/task")
        except OSError:
            continue
        for thread in threads:
            with contextlib.suppress(OSError):
                text = Path(f"/proc/{parent}/task/{thread}/children").read_text(encoding="ascii")
                children = [int(c) for c in text.split()]
                found += children
                waiting += children
    return tuple(found)
