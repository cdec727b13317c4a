"""The worker process as its caller sees it: started when first needed, killed when it hangs."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, cast

from cadbridge.processes import ONE_CORE, TimeLimit, data_size, environment, python
from cadbridge.shapes import packing, protocol
from cadbridge.shapes.checking import checked
from cadbridge.shapes.workspace import WORKSPACE, Workspace

_OCCT = "cadbridge.shapes.worker"
_POLL = 0.1
"""Seconds between looks at clock and memory; short, so that Ctrl-C is heard on Windows as well."""

_LAST_WORDS = 10.0
"""Seconds that a worker may take to end once its pipe is closed. A choice."""


class WorkerDiedError(Exception):
    """The worker crashed, was killed at its time limit or answered nonsense; `reason` says which, in words.

    `data` is what it was last seen to have of memory, bytes, where the system tells.
    """

    def __init__(self, reason: str, log: str = "", data: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.log = log
        self.data = data


class WorkerLateError(WorkerDiedError):
    """The worker was killed at its time limit."""


class WorkerRefusedError(Exception):
    """The worker lives but could not do what was asked; `kind` names the fault."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class _Nonsense(str):
    """What is wrong with an answer."""


_GONE = object()
"""In place of an answer: the worker has ended."""


class Worker:
    """OCCT in a process of its own, or another `module`. One request at a time; safe to use from several threads.

    OCCT's process can open files in `workspace` alone; another module is told in its requests what it may open.
    `answers` has the type of the answer to each verb (`checking.checked`); another is refused.
    """

    def __init__(
        self,
        module: str = _OCCT,
        workspace: Workspace | None = None,
        answers: Mapping[str, Any] = MappingProxyType(protocol.ANSWERS),
    ) -> None:
        self._module, self._workspace, self._kinds = module, workspace, answers
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the running worker, None where there is none."""
        return None if self._process is None else self._process.pid

    def request(self, verb: str, arguments: dict[str, Any], time_limit: float) -> Any:
        """Ask for `verb`; returns what the worker answers.

        Raises WorkerDiedError where it crashed, took more than `time_limit` processor seconds (TimeLimit) or gave
        another answer than `verb` has, WorkerRefusedError where it says that it cannot. After either the next request
        finds a living worker.
        """
        with self._lock:
            self._start()
            try:
                answer = self._ask(verb, arguments, time_limit)
            except BaseException:
                # Also on Ctrl-C: an answer half on its way must never be taken for the next one's.
                self._kill()
                raise
        if isinstance(answer, protocol.Failure):
            raise WorkerRefusedError(answer.kind, answer.message)
        return answer

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._kill()

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._kill()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the process)
        # The worker ends with the thread that starts it: only the main one lives as long as the process.
        tied = [str(os.getpid())] if threading.current_thread() is threading.main_thread() else []
        folder = [] if self._workspace is None else [str(self._workspace.path)]
        self._process = subprocess.Popen(
            python(self._module, *folder, *tied),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment(ONE_CORE),
        )

    def _ask(self, verb: str, arguments: dict[str, Any], time_limit: float) -> Any:
        process = cast("subprocess.Popen[bytes]", self._process)
        limit, data = TimeLimit(process.pid, time_limit), 0
        answers: queue.Queue[Any] = queue.Queue()
        # A thread for each request: what comes without one is not taken, and a worker that reads nothing is late.
        talk = (process, (verb, arguments), self._kinds[verb] | protocol.Failure, answers)
        threading.Thread(target=_ask_and_hear, args=talk, daemon=True).start()
        while True:
            try:
                answer = answers.get(timeout=_POLL)
            except queue.Empty:
                if reached := limit.reached:
                    raise WorkerLateError(f"it was stopped after its time limit of {reached}", self._tail()) from None
                # Looked at while it lives: how much a process had is gone when it has died.
                data = _data_of(process.pid) or data
                continue
            if answer is _GONE:
                raise WorkerDiedError(_how_it_ended(process), self._tail(), data)
            if isinstance(answer, _Nonsense):
                raise WorkerDiedError(f"its answer cannot be used: {answer}", self._tail(), data)
            return answer

    def _tail(self) -> str:
        if self._log is None:
            return ""
        size = self._log.seek(0, os.SEEK_END)
        # The last lines: OCCT says much before it crashes.
        self._log.seek(max(0, size - 2000))
        return self._log.read().decode("utf-8", "replace").strip()

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._process = None
        if self._log is not None:
            self._log.close()
            self._log = None


def _ask_and_hear(process: subprocess.Popen[bytes], request: Any, kind: Any, answers: queue.Queue[Any]) -> None:
    """Hand on the answer to a request: one of `kind`, what is wrong with it, or that the worker has gone."""
    answer: Any = _GONE
    try:
        packing.send(cast("Any", process.stdin), request)
        answer = checked(packing.receive(cast("Any", process.stdout)), kind)
    except (EOFError, OSError):
        pass
    except (ValueError, MemoryError, RecursionError) as fault:
        answer = _Nonsense(str(fault) or type(fault).__name__)
    finally:
        answers.put(answer)


def _data_of(pid: int) -> int:
    """Bytes of memory that a process has, on Linux; else 0."""
    try:
        return data_size(Path(f"/proc/{pid}/statm").read_bytes())
    except (OSError, IndexError):
        return 0


def _how_it_ended(process: subprocess.Popen[bytes]) -> str:
    try:
        status = process.wait(_LAST_WORDS)
    except subprocess.TimeoutExpired:  # it lives, and has closed its pipe
        return "it fell silent"
    if status < 0:
        import signal

        try:
            return f"it was ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"it was ended by signal {-status}"
    return f"it ended with status {status}"


WORKER = Worker(workspace=WORKSPACE)
"""The one worker of this process."""

atexit.register(WORKER.close)
