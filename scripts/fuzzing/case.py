"""One broken file, read and used in a process of its own whose time and memory are limited."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

SECONDS = 20
"""Processor seconds of a case."""
MEMORY = 2 << 30
"""Bytes that a case may hold beyond what the process has when it begins."""
TARGETS = ("urdf", "mjcf", "sdf")


@dataclass(frozen=True)
class Outcome:
    """`kind` is fine, refused (an error that names the input), exception, hang or crash; `said` is the traceback."""

    kind: str
    said: str
    seconds: float


def use(path: Path, folder: Path) -> str:
    """All that is done with a model: check, a short run, the page, exports that are read again; fine or refused."""
    import cadbridge as cb
    from cadbridge.report.page import write_page
    from cadbridge.simulation import Scenario

    refused = 0
    try:
        mechanism = cb.build(cb.read(path))
        diagnosis = cb.diagnose(mechanism)
        cb.check_document(mechanism, diagnosis)
    except cb.CadbridgeError as error:
        return _refused(error)
    write_page(folder / "page.html", mechanism, diagnosis)
    with _refusal() as told:
        cb.simulate(mechanism, Scenario(duration=0.02, rate=100, rtol=1e-5, atol=1e-5))
    refused += told.count("refused")
    for target in TARGETS:
        with _refusal():
            done = cb.export(mechanism, folder / target, target)
            for file in done.files:
                if file.suffix in (".urdf", ".xml", ".sdf"):
                    cb.build(cb.read(file))
    return "fine" if not refused else "refused"


def _refused(error: Exception) -> str:
    from cadbridge.errors import InternalError

    if isinstance(error, InternalError) or not str(error).strip():
        raise error
    return "refused"


@contextlib.contextmanager
def _refusal():  # type: ignore[no-untyped-def]
    """Errors of ours that name the input are an answer."""
    from cadbridge.errors import CadbridgeError

    told: list[str] = []
    try:
        yield told
    except CadbridgeError as error:
        told.append(_refused(error))


def run(path: Path, folder: Path) -> Outcome:
    """Use a file in a forked process. POSIX only."""
    said = folder / "said.txt"
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _child(path, folder, said)
    status = _wait(child, 10 * SECONDS)
    seconds = time.monotonic() - began
    text = said.read_text(encoding="utf-8", errors="replace") if said.exists() else ""
    if os.WIFSIGNALED(status):
        late = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        return Outcome("hang" if late else "crash", f"signal {os.WTERMSIG(status)}\n{text}", seconds)
    code = os.WEXITSTATUS(status)
    return Outcome({0: "fine", 2: "refused"}.get(code, "exception"), text, seconds)


def _wait(child: int, seconds: float) -> int:
    """The status of a child; one that sleeps for so long is killed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _child(path: Path, folder: Path, said: Path) -> None:
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        used = int(time.process_time()) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (used + SECONDS, used + SECONDS + 5))
        # Libraries reserve much that they never use; what is asked for counts here.
        resource.setrlimit(resource.RLIMIT_DATA, (2 * MEMORY, 2 * MEMORY))
        os.chdir(folder)
        code = {"fine": 0, "refused": 2}[use(path, folder)]
    except BaseException:
        said.write_text(traceback.format_exc(), encoding="utf-8")
    finally:
        sys.stdout.flush()
        os._exit(code)
