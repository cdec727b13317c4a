"""The processes of a sweep: one for each core, alive for all runs, so that the model is handed over once to each."""

from __future__ import annotations

import contextlib
import pickle
import queue
import subprocess
import threading
from collections.abc import Iterator
from typing import IO, Any, cast

from cadbridge.processes import ONE_CORE, environment, python
from cadbridge.sweeps.messages import read_message, write_message
from cadbridge.sweeps.one import CRASHED, RunRow

Point = tuple[int, list[Any]]
"""The number of a run and the values of its parameters."""


class Crew:
    """Runs points in `workers` processes; `task` is the pickled (base, sweep, how) that each is given at its start.

    A process that ends on its way loses the run that it had, which is reported in its row, and is replaced.
    """

    def __init__(self, task: bytes, points: Iterator[Point], workers: int) -> None:
        self._task, self._points = task, points
        self._lock = threading.Lock()
        self._rows: queue.Queue[RunRow | BaseException | None] = queue.Queue()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._stopped = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(workers)]

    def rows(self) -> Iterator[RunRow]:
        """The rows as they are done, in no order."""
        for thread in self._threads:
            thread.start()
        working = len(self._threads)
        while working:
            try:
                found = self._rows.get(timeout=0.2)  # Ctrl-C is heard between the waits on every system
            except queue.Empty:
                continue
            if isinstance(found, BaseException):
                raise found
            if found is None:
                working -= 1
            else:
                yield found

    def stop(self) -> None:
        """End the processes; what they had not finished is lost."""
        with self._lock:
            self._stopped = True
            processes = list(self._processes)
        for process in processes:
            process.kill()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=10)

    def _next(self) -> Point | None:
        # An iterator serves one thread at a time.
        with self._lock:
            return None if self._stopped else next(self._points, None)

    def _serve(self) -> None:
        """One process and its successors, until no point is left."""
        try:
            point = self._next()
            while point is not None:
                point = self._worked(point)
        except BaseException as fault:
            self._rows.put(fault)
        finally:
            self._rows.put(None)

    def _worked(self, point: Point | None) -> Point | None:
        """Work by one process until it ends or the points do; returns the next point where the process is lost."""
        process = self._started()
        if process is None:
            return None
        stream, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        try:
            with contextlib.suppress(OSError):
                write_message(stream, self._task)
            while point is not None:
                row = _requested(stream, answers, point)
                if row is None:
                    if not self._stopped:
                        self._rows.put(_crashed(point[0], process.wait()))
                    return self._next()
                self._rows.put(row)
                point = self._next()
            return None
        finally:
            _ended(process)
            with self._lock:
                self._processes.discard(process)

    def _started(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopped:
                return None
            process = subprocess.Popen(
                python("cadbridge.sweeps.worker"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # One core each, as the threads of numerical libraries would contend for all; and a session of their
                # own, so that Ctrl-C comes to this process alone, which ends the others.
                env=environment(ONE_CORE),
                start_new_session=True,
            )
            self._processes.add(process)
            return process


def _requested(stream: IO[bytes], answers: IO[bytes], point: Point) -> RunRow | None:
    """The row of a point; None where the process has ended."""
    try:
        write_message(stream, pickle.dumps(point))
        answer = read_message(answers)
    except OSError:
        return None
    return None if answer is None else cast("RunRow", pickle.loads(answer))


def _crashed(run: int, status: int) -> RunRow:
    how = f"by signal {-status}" if status < 0 else f"with status {status}"
    return RunRow(run, CRASHED, ("CB653",), f"the process of the run ended {how}")


def _ended(process: subprocess.Popen[bytes]) -> None:
    """End a process; at the end of its input it ends by itself."""
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            cast("IO[bytes]", stream).close()
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
