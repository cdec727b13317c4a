"""The warm process that jobs are copies of: everything loaded once, a fork for each job (POSIX).

Loading NumPy, the kernels and OCCT takes seconds of a processor; a copy of a process that has them takes
milliseconds. One thread only, so that a copy is whole. Run as `python -m cadbridge.jobs.server`; requests come
as lines of JSON on stdin, answers go as lines of JSON to stdout:

    → {"id": …, …the request of child.main}         ← {"started": id, "pid": pid}
                                                    ← {"ended": id, "status": s, "cpu": s, "memory": bytes}

At the end of stdin, which is also the end of whoever started it, all jobs are ended.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import signal
import sys
from pathlib import Path
from typing import Any

from cadbridge.jobs import child, limits


class ForkServer:
    """Forks a process for each request and reports when it ends."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._jobs: dict[int, Any] = {}

    def run(self) -> None:
        """Serve until stdin ends."""
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        selector = selectors.DefaultSelector()
        selector.register(0, selectors.EVENT_READ)
        selector.register(wake, selectors.EVENT_READ)
        waiting = b""
        while True:
            for key, _ in selector.select():
                if key.fd == wake:
                    with contextlib.suppress(BlockingIOError):
                        # What woke it says nothing; it is only taken away.
                        os.read(wake, 4096)
                    self._reap()
                    continue
                data = os.read(0, 1 << 16)
                if not data:
                    return self._end_all()
                *lines, waiting = (waiting + data).split(b"\n")
                for line in lines:
                    self._start(json.loads(line), (wake, woken, selector.fileno()))

    def _start(self, request: dict[str, Any], ours: tuple[int, ...]) -> None:
        if child.names_a_mesh(Path(request["base"], request["source"])):
            child.load_meshes()
        caller = os.getpid()
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # A job that kept the answers open would hide from the caller that this process has ended.
            for descriptor in (*ours, self._answers):
                os.close(descriptor)
            child.main({**request, "caller": caller})
        self._jobs[pid] = request["id"]
        self._report({"started": request["id"], "pid": pid})

    def _reap(self) -> None:
        """Report the processes that ended, and end what they had started."""
        while self._jobs:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None:
                return
            # The group's number is not given anew as long as its leader has not been waited for.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(found.si_pid, signal.SIGKILL)
            pid, status, usage = os.wait4(found.si_pid, 0)
            name = self._jobs.pop(pid, None)
            if name is not None:
                # Linux gives kB of 1024 bytes, macOS bytes.
                cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1024 if limits.LINUX else 1)
                code = os.waitstatus_to_exitcode(status)
                self._report({"ended": name, "status": code, "cpu": cpu, "memory": memory})

    def _end_all(self) -> None:
        for pid in list(self._jobs):
            limits.end(pid)

    def _report(self, answer: dict[str, Any]) -> None:
        data = json.dumps(answer).encode() + b"\n"
        while data:
            data = data[os.write(self._answers, data) :]


def main() -> None:
    """Load everything, then serve."""
    answers = os.dup(1)
    # What libraries print must not get among the answers.
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's, who ends this process
    child.load()
    # Collecting garbage would touch, and so copy, every page that the jobs share.
    gc.collect()
    gc.freeze()
    with contextlib.suppress(BrokenPipeError):
        ForkServer(answers).run()
    sys.stdout.flush()


if __name__ == "__main__":
    main()
