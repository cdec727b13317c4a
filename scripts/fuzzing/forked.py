"""OCCT's process as a fork of one that has loaded it: broken files end it often, and loading takes a second of each.

It is held as it always is, after the fork; its parent is the server of `multiprocessing`, a child of the process that
asks, so that its time and memory are counted with that one's.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import IO, Any

from cadbridge.shapes import process, worker

LOADED = ("brep", "document", "features", "selecting")
"""What OCCT's process loads before it is held."""


def fork_occt() -> None:
    """From here on `cadbridge.shapes.process` starts OCCT so; other processes as before."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"cadbridge.shapes.{name}" for name in LOADED])

    def started(command: list[str], stderr: IO[bytes], **more: Any) -> Any:
        module, *arguments = command[command.index("-m") + 1 :]
        if module != worker.__name__:
            return subprocess.Popen(command, stderr=stderr, **more)
        return _Fork(context, arguments[0], stderr)

    used = {"PIPE": subprocess.PIPE, "TimeoutExpired": subprocess.TimeoutExpired}
    process.subprocess = SimpleNamespace(Popen=started, **used)  # type: ignore[assignment, attr-defined]


class _Fork:
    """What is used of subprocess.Popen."""

    def __init__(self, context: Any, folder: str, log: IO[bytes]) -> None:
        (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
        ends = [Connection(fd, writable=fd != theirs_in, readable=fd == theirs_in) for fd in (theirs_in, theirs_out)]
        ends.append(Connection(os.dup(log.fileno())))
        self._process = context.Process(target=_serve, args=(folder, *ends), daemon=True)
        self._process.start()
        for end in ends:
            end.close()
        self.stdin, self.stdout = os.fdopen(ours_in, "wb", buffering=0), os.fdopen(ours_out, "rb")
        self.pid, self.kill = self._process.pid, self._process.kill

    def poll(self) -> int | None:
        """The status with which it ended, None where it has not; negative for a signal."""
        status: int | None = self._process.exitcode
        return status

    def wait(self, timeout: float | None = None) -> int:
        """The status with which it ends. TimeoutExpired where it lives on for so long (s)."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(worker.__name__, timeout or 0.0)
        return int(self._process.exitcode)


def _serve(folder: str, *ends: Connection) -> None:
    for descriptor, end in enumerate(ends):
        os.dup2(end.fileno(), descriptor)
        end.close()
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115  (multiprocessing has put /dev/null there)
    sys.argv = [worker.__name__, folder]
    worker.main()
