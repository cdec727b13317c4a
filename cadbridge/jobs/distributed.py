"""Jobs on many machines, by a Dask scheduler that runs already.

Each worker runs a job as this machine would: in a process of its own (`Local`), in a stage of its own. Either
paths are shipped (all machines see the same folders), or content: then what a job turns out to depend on is
sent after it, until nothing is missing. What comes back is what a job's process leaves: answer, log, outputs.
A worker that dies is the scheduler's matter: it gives the job to another.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cadbridge.errors import InputError, MissingExtraError
from cadbridge.files import below
from cadbridge.findings import Findings
from cadbridge.jobs.local import Ended, Local
from cadbridge.jobs.planning import relative_to
from cadbridge.jobs.versions import versions

CONNECT = 5.0
"""Seconds in which a scheduler must answer."""

LONGEST_FETCH = 600.0
"""Seconds for which an answer that is there may take to come: a gigabyte at 2 MB/s."""

WORKERS = 10.0
"""Seconds in which its first worker must be there."""

_ROUNDS = 8
"""So often more files are sent to a job that names files which name files."""

_AHEAD = 2
"""Jobs handed to the scheduler for each of its threads, so that none waits for the next."""


class Dask:
    """Runs requests on the workers of a scheduler; `address` is tcp://… or the path of a scheduler file.

    `ship` is "paths" or "content". InputError (CB710) where the scheduler does not answer, is of another
    version, or its workers have other versions of cadbridge and what it needs.
    """

    def __init__(self, address: str, ship: str = "paths", connect: float = CONNECT, workers: float = WORKERS) -> None:
        self._ship = ship
        self._done: queue.Queue[tuple[int, Any]] = queue.Queue()
        self._jobs: dict[int, _Shipped] = {}
        with _cluster_faults(address):
            self._client = _connect(address, connect)
        try:
            with _cluster_faults(address):
                self._client.wait_for_workers(1, timeout=workers)
                _same_versions(self._client)
            threads = self._client.nthreads()
        except BaseException:
            self._client.close(timeout=1)
            raise
        self.capacity = _AHEAD * max(1, sum(threads.values()))
        """So many jobs are worth submitting at once."""

    def submit(self, request: dict[str, Any]) -> None:
        """Hand a request to the scheduler."""
        job = _Shipped(request, self._ship)
        self._jobs[request["id"]] = job
        self._send(job)

    def wait(self, timeout: float = 0.5) -> list[Ended]:
        """Those that ended; where the scheduler is lost, all of them, as failures."""
        try:
            number, future = self._done.get(timeout=timeout)
        except queue.Empty:
            return [] if self._alive() else self._lost()
        job = self._jobs.get(number)
        # The answer to an earlier round, or of a job that was given up.
        if job is None or future is not job.future:
            return []
        try:
            found = future.result(timeout=job.patience)
        except Exception as error:
            if not self._alive():
                return self._lost()
            # A worker that died with the answer: the scheduler has the job done again, which takes as long as the job.
            if not future.done():
                self._hear_of(number, future)
                return []
            # A large answer over a slow line is fetched again, with more time; the others are heard in between.
            if isinstance(error, TimeoutError) and job.patience < LONGEST_FETCH:
                job.patience *= 2
                self._done.put((number, future))
                return []
            del self._jobs[number]
            return [Ended(number, None, "CB722", f"its worker failed: {_first_line(error)}")]
        try:
            ended = job.received(found)
        except ValueError as error:
            del self._jobs[number]
            return [Ended(number, None, "CB722", f"what its worker sent is refused: {error}")]
        if ended is None:
            self._send(job)
            return []
        del self._jobs[number]
        return [ended]

    def cancel(self) -> None:
        """Take back what was submitted."""
        with contextlib.suppress(Exception):
            self._client.cancel([job.future for job in self._jobs.values()], force=True)
        self._jobs.clear()

    def close(self) -> None:
        """Take back what was submitted, and leave the scheduler."""
        self.cancel()
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)

    def _send(self, job: _Shipped) -> None:
        number = job.request["id"]
        try:
            # A request that was worked through once is not again, whatever has the same arguments: never `pure`.
            job.future = self._client.submit(_remote, job.shipment(), pure=False, key=f"cadbridge-{uuid.uuid4().hex}")
            self._hear_of(number, job.future)
        except Exception as error:
            self._jobs.pop(number, None)
            job.future = _Failed(error)
            self._jobs[number] = job
            self._done.put((number, job.future))

    def _hear_of(self, number: int, future: Any) -> None:
        """Let `wait` know when a future is done."""
        future.add_done_callback(lambda done: self._done.put((number, done)))

    def _alive(self) -> bool:
        return self._client.status == "running" and self._client.scheduler is not None

    def _lost(self) -> list[Ended]:
        jobs, self._jobs = self._jobs, {}
        return [Ended(number, None, "CB710", "the scheduler was lost while the job ran") for number in jobs]


class _Failed:
    """What could not even be submitted."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def done(self) -> bool:
        return True

    def result(self, timeout: float) -> Any:
        raise self._error


def _connect(address: str, timeout: float) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("--scheduler needs Dask: pip install 'cadbridge[distributed]'") from None
    if "://" in address:
        return Client(address, timeout=timeout, set_as_default=False)
    if not Path(address).is_file():
        raise OSError(f"there is no scheduler file {address}")
    return Client(scheduler_file=address, timeout=timeout, set_as_default=False)


@contextmanager
def _cluster_faults(address: str) -> Iterator[None]:
    """Faults of the connection as CB710."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        findings = Findings()
        message = f"the scheduler {address} cannot be used: {_first_line(error)}"
        findings.add("CB710", message)
        raise InputError(message, findings) from error


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]


def _same_versions(client: Any) -> None:
    """ValueError unless scheduler and workers have our version of Dask, and the workers ours of all the rest."""
    import distributed

    identity = client.scheduler_info()
    seen = client.get_versions(check=False)
    for where, installed in (("scheduler", seen["scheduler"]), *seen["workers"].items()):
        other = installed["packages"].get("distributed")
        if other != distributed.__version__:
            raise ValueError(f"{where} has distributed {other}, not {distributed.__version__}")
    if not identity["workers"]:
        raise ValueError("it has no workers")
    for where, theirs in client.run(_versions).items():
        raise_on = difference(theirs)
        if raise_on:
            raise ValueError(f"the worker {where} has {raise_on}")


def _versions() -> dict[str, str]:
    return versions()


def difference(theirs: dict[str, str]) -> str:
    """The first version that differs from ours, in words; "" where none does."""
    ours = versions()
    for name in sorted(set(ours) | set(theirs)):
        if name != "system" and ours.get(name) != theirs.get(name):
            return f"{name} {theirs.get(name, 'not installed')}, not {ours.get(name, 'without it')}"
    return ""


class _Shipped:
    """A request on its way: what was sent with it, and what came back."""

    def __init__(self, request: dict[str, Any], ship: str) -> None:
        self.request = request
        self.future: Any = None
        self.patience = CONNECT
        """Seconds in which the answer must come once it is there."""
        self._rounds = 0
        self._base = Path(request["base"])
        self._files: dict[str, bytes] | None = None
        self._stamps: dict[str, list[int]] = {}
        if ship == "content":
            self._files = {}
            for name in (
                request["source"],
                request["options"].get("mates"),
                request["options"].get("scenario"),
                request["options"].get("overrides"),
            ):
                if name is not None:
                    self._add(name)
            # A mates file beside the source is read without being named: it saves a round to send it at once.
            for ending in (".mates.yaml", ".cadbridge.yaml"):
                self._add(str(Path(request["source"]).with_suffix("")) + ending)

    def shipment(self) -> dict[str, Any]:
        """What the worker needs."""
        return {**self.request, "files": self._files, "versions": versions()}

    def received(self, found: dict[str, Any]) -> Ended | None:
        """How the job ended, its stage filled; None where files are missing there that are here."""
        stage = Path(self.request["stage"])
        ended = Ended(**found["ended"])
        if self._files is None:
            if found["stage"] is not None:
                there = Path(found["stage"])
                # The worker names this folder: of any other the files would be moved into the outputs.
                if there.parent != stage or there.is_symlink():
                    raise ValueError(f"it names {there}, which is not in the job's folder")
                _move_into(there, stage)
                _refuse_links(stage)
            return ended
        if ended.answer is not None and self._send_more(ended.answer) and self._rounds < _ROUNDS:
            self._rounds += 1
            return None
        for name, data in found["files"].items():
            path = below(stage, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return ended

    def _send_more(self, answer: dict[str, Any]) -> bool:
        """Turn the paths that were looked at there into ours; whether files of ours were missing there."""
        more = False
        touched: dict[str, list[int] | None] = {}
        for name in answer["touched"]:
            if Path(name).is_absolute():
                continue  # looked for above the worker's own folder: nothing of ours lies there
            here = str(self._base / name)
            if name not in self._stamps:
                more = self._add(name) or more
            touched[here] = self._stamps.get(name)
        answer["touched"] = touched
        return more

    def _add(self, name: str) -> bool:
        """Take a file below the folder of the jobs file along, as it is now; False where there is none."""
        path = self._base / name
        if Path(name).is_absolute() or self._files is None:
            return False
        try:
            status = path.stat()
            self._files[name] = path.read_bytes()
        except OSError:
            return False
        self._stamps[name] = [status.st_size, status.st_mtime_ns]
        return True


def _refuse_links(folder: Path) -> None:
    """ValueError where a folder that others filled holds a link: what is written there would go elsewhere."""
    for item in folder.rglob("*"):
        if item.is_symlink():
            raise ValueError(f"{item.relative_to(folder)} is a link")


def _move_into(there: Path, stage: Path) -> None:
    for item in there.iterdir():
        os.replace(item, stage / item.name)
    there.rmdir()


# -- on the worker ------------------------------------------------------------------------------------------

_LOCAL: Local | None = None
_ONE = threading.Lock()


def _remote(shipment: dict[str, Any]) -> dict[str, Any]:
    """Run a job on this worker; returns how it ended, and where its files are or what is in them."""
    other = difference(shipment.pop("versions"))
    if other:
        return _refused(shipment, f"the worker and the batch differ: here, as seen from there, is {other}")
    files = shipment.pop("files")
    if files is not None:
        return _by_content(shipment, files)
    parent = Path(shipment["stage"])
    if not parent.is_dir() or not Path(shipment["base"]).is_dir():
        return _refused(shipment, f"the worker does not see {parent.parent}; ship content instead of paths")
    # An earlier worker may have died in this stage: each try has a folder of its own.
    stage = Path(tempfile.mkdtemp(prefix="try-", dir=parent))
    ended = _run({**shipment, "stage": str(stage)})
    shutil.rmtree(stage / "tmp", ignore_errors=True)
    return {"ended": vars(ended), "stage": str(stage)}


def _refused(shipment: dict[str, Any], reason: str) -> dict[str, Any]:
    return {"ended": vars(Ended(shipment["id"], None, "CB710", reason)), "stage": None, "files": {}}


def _by_content(shipment: dict[str, Any], files: dict[str, bytes]) -> dict[str, Any]:
    if Path(shipment["source"]).is_absolute():
        reason = "its source lies outside the folder of the jobs file, which is all that is shipped as content"
        return _refused(shipment, reason)
    with tempfile.TemporaryDirectory(prefix="cadbridge-job-") as folder:
        base, stage = Path(folder).resolve() / "base", Path(folder).resolve() / "stage"
        base.mkdir()
        stage.mkdir()
        for name, data in files.items():
            path = below(base, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        # The caller's cache is a folder of another machine.
        ended = _run({**shipment, "base": str(base), "stage": str(stage), "cache": None})
        if ended.answer is not None:
            touched = {relative_to(Path(p), base): stamp for p, stamp in ended.answer["touched"].items()}
            ended.answer["touched"] = touched
        shutil.rmtree(stage / "tmp", ignore_errors=True)
        found = [p for p in stage.rglob("*") if p.is_file()]
        return {"ended": vars(ended), "files": {p.relative_to(stage).as_posix(): p.read_bytes() for p in found}}


def _run(request: dict[str, Any]) -> Ended:
    """One job at a time in a worker; its warm process is kept for the next."""
    global _LOCAL
    with _ONE:
        if _LOCAL is None:
            _LOCAL = Local()
        _LOCAL.submit(request)
        while True:
            for ended in _LOCAL.wait():
                return ended
