"""From a job's stage to its folder: the manifest, the cache, and the one rename that makes it visible."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.jobs.hashing import Hashes
from cadbridge.jobs.model import Job, shown
from cadbridge.jobs.planning import OWN

MANIFEST = "manifest.json"
MANIFEST_FORMAT = "cadbridge.manifest/1"
LOG = "job.log"
TIMES = "times.json"


class ForeignFolderError(Exception):
    """The folder of a job holds files that are not a job's."""


class Stages:
    """The folder where jobs write before their outputs are shown; what killed runs left there is removed.

    InputError (CB707) where nothing can be written.
    """

    def __init__(self, output: Path) -> None:
        own = output / OWN
        try:
            own.mkdir(parents=True, exist_ok=True)
            self.folder = Path(tempfile.mkdtemp(prefix="run-", dir=own))
        except OSError as error:
            findings = Findings()
            message = f"{shown(str(output))} cannot be written: {error.strerror or error}"
            findings.add("CB707", message, Where(file=str(output)))
            raise InputError(message, findings) from error
        self._alive = FileLock(self.folder / "alive.lock")
        # Held as long as this process lives: the system lets go of it however it ends, which tells its stages to be
        # left over.
        self._alive.acquire()
        self.publishing = FileLock(own / "publish.lock")
        for left in own.glob("run-*"):
            if left != self.folder:
                _remove_if_dead(left)

    def new(self, number: int) -> Path:
        """The stage of a job."""
        stage = self.folder / str(number)
        stage.mkdir()
        return stage

    def close(self) -> None:
        """Remove all stages."""
        self._alive.release()
        shutil.rmtree(self.folder, ignore_errors=True)


def _remove_if_dead(folder: Path) -> None:
    """Remove the stages of a run whose process is no more."""
    with contextlib.suppress(Timeout, OSError):
        lock = FileLock(folder / "alive.lock", timeout=0)
        with lock:
            shutil.rmtree(folder, ignore_errors=True)
        # Windows removes no file that is open: what is left goes once the lock is closed.
        shutil.rmtree(folder, ignore_errors=True)


def manifest_bytes(job: Job, body: dict[str, Any]) -> bytes:
    """The manifest of a job: what went in, what was asked, what came out; no times, no places.

    Files that were looked for in vain above the folder of the jobs file depend on the place alone, and are left out.
    """
    kept = {key: body[key] for key in ("state", "reason", "inputs", "outputs", "findings", "versions")}
    kept["inputs"] = {p: known for p, known in body["inputs"].items() if known is not None or not os.path.isabs(p)}
    document = {"format": MANIFEST_FORMAT, "name": job.name, **job.order, **kept}
    return json.dumps(document, indent=2, sort_keys=True, allow_nan=False).encode() + b"\n"


def is_published(job: Job, body: dict[str, Any], hashes: Hashes) -> bool:
    """Whether the job's folder holds what an entry says, manifest and outputs unchanged."""
    try:
        if (job.folder / MANIFEST).read_bytes() != manifest_bytes(job, body):
            return False
    except OSError:
        return False
    return all(hashes.of(job.folder / name) == known for name, known in body["outputs"].items())


def publish(job: Job, stage: Path, body: dict[str, Any], times: dict[str, Any], stages: Stages) -> None:
    """Show a stage's outputs, with manifest, log and times, as the job's folder, in place of earlier ones.

    A kill at any moment leaves the earlier folder, the new one, or none (then the manifest is missing, and the
    next run shows it again). ForeignFolderError where the folder is no job's; OSError where it cannot be written.
    """
    out = stage / "out"
    out.mkdir(exist_ok=True)
    (out / MANIFEST).write_bytes(manifest_bytes(job, body))
    (out / TIMES).write_text(json.dumps(times, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    log = stage / "log"
    if log.exists():
        os.replace(log, out / LOG)
    with stages.publishing:
        if job.folder.exists():
            _refuse_foreign(job.folder)
            os.replace(job.folder, stage / "old")
        job.folder.parent.mkdir(parents=True, exist_ok=True)
        os.replace(out, job.folder)


def _refuse_foreign(folder: Path) -> None:
    if not folder.is_dir():
        raise ForeignFolderError(f"{shown(str(folder))} is a file")
    if any(folder.iterdir()):
        try:
            ours = json.loads((folder / MANIFEST).read_bytes())["format"] == MANIFEST_FORMAT
        except (OSError, ValueError, KeyError, TypeError):
            ours = False
        if not ours:
            raise ForeignFolderError(f"{shown(str(folder))} holds files that no job wrote")
