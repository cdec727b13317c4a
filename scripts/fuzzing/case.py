"""Broken files, each used in a process whose processor time and memory are watched; the process serves many."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any, cast

import psutil

from cadbridge.processes import ONE_CORE, TimeLimit, environment, family, processor_seconds

ROOT = Path(__file__).resolve().parents[2]
PATHS = (ROOT / "scripts", ROOT)
"""Where the worker's modules are found."""
SECONDS = 20.0
"""Processor seconds of a case, with all processes that it starts."""
MEMORY = 2 << 30
"""Bytes of a case, with all processes that it starts."""
SERVED = 400
"""Cases of one process: what a library loses of memory in each must not be counted against the last."""
_LOOK = 0.1
_NET = 6 << 30
"""What libraries reserve and never use is much more than what they use."""
KINDS = ("fine", "refused", "exception", "hang", "memory", "crash")


@dataclass(frozen=True)
class Outcome:
    """`kind` is one of KINDS; `said` the traceback or where it stood; processor seconds; bytes at most."""

    kind: str
    said: str
    seconds: float
    memory: int


class Runner:
    """Runs cases, one after the other, in a process that is started anew after a fault."""

    def __init__(self, module: str = "fuzzing.worker", seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._module, self._seconds, self._memory = module, seconds, memory
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: Queue[bytes] = Queue()
        self._log: IO[bytes] | None = None
        self._served = 0

    def run(self, way: str, folder: Path, source: str, broken: str) -> Outcome:
        """Use the broken file of a folder."""
        if self._process is None or self._served >= SERVED:
            self._start()
        self._served += 1
        process = cast("subprocess.Popen[bytes]", self._process)
        began = processor_seconds(process.pid)
        request = {"way": way, "folder": str(folder), "source": source, "broken": broken}
        with contextlib.suppress(OSError):
            stream = cast("IO[bytes]", process.stdin)
            stream.write(json.dumps(request).encode() + b"\n")
            stream.flush()
        return self._wait(process, began)

    def _wait(self, process: subprocess.Popen[bytes], began: float) -> Outcome:
        most, limit = 0, TimeLimit(process.pid, self._seconds)
        while True:
            answer = self._heard()
            used = processor_seconds(process.pid) - began
            most = max(most, _resident(process.pid))
            if answer is not None:
                most = max(most, int(answer["peak"]))
                kind = "memory" if most > self._memory else "hang" if used > self._seconds else answer["kind"]
                if kind not in ("fine", "refused"):
                    self.close()
                return Outcome(kind, answer["said"], used, most)
            if process.poll() is not None:
                said = self._end()
                return Outcome("crash", f"status {process.returncode}\n{said}", used, most)
            if limit.reached or most > self._memory:
                process.send_signal(signal.SIGUSR1)
                time.sleep(0.3)
                return Outcome("memory" if most > self._memory else "hang", self._end(), used, most)

    def _heard(self) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads(self._answers.get(timeout=_LOOK))
        except (Empty, ValueError):
            return None
        return found

    def _start(self) -> None:
        self.close()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the process)
        paths = {"PYTHONPATH": os.pathsep.join(map(str, PATHS)), "CADBRIDGE_NO_CACHE": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", self._module, str(_NET)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**environment(ONE_CORE), **paths},
            start_new_session=True,
        )
        self._answers, self._served = Queue(), 0
        threading.Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True).start()

    def _end(self) -> str:
        """Stop the process; the last that it said."""
        said = ""
        if self._log is not None:
            self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - 6000))
            said = self._log.read().decode("utf-8", "replace")
        self.close()
        return said

    def close(self) -> None:
        """End the process and all that it started."""
        if self._process is not None:
            for pid in (*family(self._process.pid), self._process.pid):
                with contextlib.suppress(psutil.Error, OSError):
                    psutil.Process(pid).kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout, self._log):
                with contextlib.suppress(OSError):
                    cast("IO[bytes]", stream).close()
        self._process = None


def _listen(stream: IO[bytes], answers: Queue[bytes]) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in stream:
            answers.put(line)


def _resident(pid: int) -> int:
    total = 0
    for each in (pid, *family(pid)):
        with contextlib.suppress(psutil.Error, OSError):
            total += int(psutil.Process(each).memory_info().rss)
    return total
