"""The process of one job: entered, limited, worked through, answered in a file of its stage, left.

STAGE/out/           the outputs
STAGE/log            all that was printed, and the traceback of a crash
STAGE/answer.json    how it went; without it the process died
STAGE/tmp/           temporary files, gone with the stage
"""

from __future__ import annotations

import atexit
import errno
import faulthandler
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

from cadbridge.confinement import libraries
from cadbridge.errors import CadbridgeError
from cadbridge.findings import Finding, Findings, Where, exit_status
from cadbridge.folders import MESHES
from cadbridge.jobs import limits
from cadbridge.jobs.work import Order, perform
from cadbridge.processes import ONE_CORE
from cadbridge.touched import record
from cadbridge.version import PACKAGE
from solver.compilation.caches import cache_folder
from solver.compilation.library import kernel_folder

ENVIRONMENT = {
    **ONE_CORE,
    # The order of sets is the same in every run.
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "MPLBACKEND": "Agg",
}
"""What is set for the processes of jobs."""

_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.EIO)
"""Errors of the system that say that the outputs cannot be written."""

_UNSTEADY = frozenset({"CB124", "CB126"})
"""Findings that depend on the machine and the hour (OCCT's crash, time and memory): never kept for next time."""


PRELOADED = (
    "cadbridge.readers.step", "cadbridge.readers.simscape", "cadbridge.readers.urdf", "cadbridge.readers.mates_file",
    "cadbridge.mechanism", "cadbridge.diagnosis", "cadbridge.report", "cadbridge.exporters", "cadbridge.simulation",
)  # fmt: skip
"""What every job needs. What starts threads when it is loaded (Arrow) is left to the jobs."""


_LOOKED_THROUGH = 1 << 22
"""So many bytes of a source are looked through for names of meshes: those of robots have less."""


def load() -> None:
    """Load what every job needs; what these modules look at while they load is then no input of a job."""
    for module in PRELOADED:
        import_module(module)


def names_a_mesh(source: Path) -> bool:
    """Whether a file seems to name a mesh that is no STL. Only time is lost where it is wrong: so with STLs as text."""
    try:
        if not source.is_file():
            return False
        with source.open("rb") as file:
            start = file.read(_LOOKED_THROUGH).lower()
    except (OSError, ValueError):
        return False
    return any(ending.encode() in start for ending in MESHES if ending != ".stl")


def load_meshes() -> None:
    """Load what reads meshes: two processor seconds, which each job of a robot with meshes would take by itself."""
    import_module("trimesh")


def main(request: dict[str, Any]) -> None:
    """Do the job of a request and end the process; nothing goes back but by the stage.

    `caller` of the request is the number of the process that started this one.
    """
    stage = Path(request["stage"])
    log = os.open(stage / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(log, 1)
    os.dup2(log, 2)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(n, mode, closefd=False) for n, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    # Before anything of the source is opened.
    limits.enter(request["memory"], request["caller"])
    # A crash of a library then leaves its traceback in the log.
    faulthandler.enable(2)
    try:
        _write(stage / "answer.json", work(request))
    except BaseException:
        traceback.print_exc()  # no answer and this in the log: a job that failed
    finally:
        # The processes that this one started end with it; then no more of Python's own tidying is needed.
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(0)


def work(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request: state, reason, findings, and the files that were looked at."""
    stage = Path(request["stage"])
    for name in ("out", "tmp"):
        (stage / name).mkdir(exist_ok=True)
    # Libraries heed either; both go with the stage, even where the process is killed.
    os.environ["TMPDIR"] = tempfile.tempdir = str(stage / "tmp")
    os.chdir(request["base"])
    touched: dict[str, list[int] | None] = {}
    record(lambda path: _touch(path, touched))
    start = time.process_time()
    cache = Path(request["cache"]) if request["cache"] else None
    order = Order(request["do"], request["source"], request["options"], stage / "out", cache)
    findings, reason, steady = _attempt(order)
    if reason:
        # What a job wrote before it failed is half of something.
        shutil.rmtree(order.out)
        order.out.mkdir()
    status = exit_status(findings, strict=bool(order.options.get("strict")))
    if status and not reason:
        worst = [f for f in findings if f.severity.value == ("error" if exit_status(findings) else "warning")]
        reason = f"{worst[0].code}: {worst[0].message}" + (f", and {len(worst) - 1} more" if len(worst) > 1 else "")
    _log(findings, reason)
    return {
        "ok": not reason,
        "reason": reason,
        "steady": steady and not any(f.code in _UNSTEADY for f in findings),
        "findings": [plain(f) for f in findings],
        "touched": _outside(touched, stage, cache),
        "cpu": time.process_time() - start,
    }


def _attempt(order: Order) -> tuple[tuple[Finding, ...], str, bool]:
    """Findings, why it failed ("" where it did not), and whether it would end the same way again."""
    collected = Findings()
    try:
        return perform(order), "", True
    except MemoryError:
        collected.add("CB721", "the memory that the job may use did not suffice")
    except (CadbridgeError, OSError) as error:
        fault = error if isinstance(error, OSError) else error.__cause__
        if isinstance(fault, OSError) and fault.errno in _WRITING:
            collected.add("CB723", f"the outputs cannot be written: {fault.strerror}")
        elif isinstance(error, CadbridgeError):
            return error.findings, str(error), True
        else:
            collected.add("CB724", f"{type(error).__name__}: {error}")
            traceback.print_exc()
    except Exception as error:
        collected.add("CB724", f"{type(error).__name__}: {error}")
        traceback.print_exc()
    (finding,) = collected
    return (finding,), f"{finding.code}: {finding.message}", False


def _log(findings: tuple[Finding, ...], reason: str) -> None:
    """Findings and the reason of a failure into the log, where last words are looked for."""
    for finding in findings:
        line = f"{finding.severity.value} {finding.code}: {finding.message}  [{finding.where}]"
        sys.stdout.write(line.removesuffix("  []") + "\n")
    if reason:
        sys.stdout.write(f"failed: {reason}\n")


def plain(finding: Finding) -> dict[str, Any]:
    """A finding as plain data, from which `as_finding` makes it again."""
    w = finding.where
    where = {k: v for k in ("file", "line", "column", "item") if (v := getattr(w, k)) is not None}
    return {
        "code": finding.code, "severity": finding.severity.value,
        "message": finding.message, "where": where, "hint": finding.hint, "items": list(finding.items),
    }  # fmt: skip


def as_finding(data: dict[str, Any]) -> Finding:
    """The finding of its plain data."""
    from cadbridge.findings import Severity

    severity, where, items = Severity(data["severity"]), Where(**data["where"]), tuple(data["items"])
    return Finding(data["code"], severity, data["message"], where, data["hint"], items)


def _touch(path: str, touched: dict[str, list[int] | None]) -> None:
    """Remember a path with its size and time as they are when it is looked at; None where there is no file."""
    whole = os.path.abspath(path)
    if whole in touched:
        return
    try:
        status = os.stat(whole)
    except (OSError, ValueError):
        touched[whole] = None
    else:
        touched[whole] = [status.st_size, status.st_mtime_ns]


_CODE = (".py", ".pyc", ".so", ".pyd", ".dll")
"""Endings of programs: what a job loads of them is no input of it."""


def _outside(touched: dict[str, list[int] | None], stage: Path, cache: Path | None) -> dict[str, list[int] | None]:
    """What belongs to the input: not our own files and caches, not Python's, the system's or a person's settings."""
    home = Path.home()
    inner = [str(p) + os.sep for p in (
        stage, *([cache] if cache else []), cache_folder(), kernel_folder(), PACKAGE / "data" / "page",
        PACKAGE.parent / "web", *libraries(), home / ".cache", home / ".config", home / ".local",
        *(() if os.name == "nt" else ("/proc", "/sys", "/dev", "/etc", "/usr")),
    )]  # fmt: skip
    return {
        path: state
        for path, state in sorted(touched.items())
        if not path.endswith(_CODE) and not path.startswith(tuple(inner)) and not os.path.isdir(path)
    }


def _write(path: Path, document: dict[str, Any]) -> None:
    """By rename: an answer is whole or not there."""
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(document), encoding="utf-8", errors="surrogateescape")
    os.replace(temporary, path)
