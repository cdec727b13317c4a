"""`run`: what is known is taken from the cache, the rest is worked through, results come as they come."""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from cadbridge.findings import Finding, Findings, Where
from cadbridge.jobs import limits
from cadbridge.jobs.cache import Cache, DamagedError
from cadbridge.jobs.child import as_finding, plain
from cadbridge.jobs.hashing import Hashes
from cadbridge.jobs.local import Ended, Local
from cadbridge.jobs.model import Job, Result, State, shown
from cadbridge.jobs.planning import Plan, load, plan, relative_to
from cadbridge.jobs.publish import ForeignFolderError, Stages, is_published, publish
from cadbridge.jobs.versions import versions
from cadbridge.storage import digest
from solver.compilation.caches import cache_folder

Jobs = Plan | str | Path | Iterable[Mapping[str, Any]]
"""A plan, a jobs file, or jobs as mappings."""

_SHARE_OF_MEMORY = 0.9
"""What a job may use of the machine's memory where no limit is given: the rest is the system's, which else would end
some process of its own choice."""


class Executor(Protocol):
    """Where jobs run: processes of this machine, or those of a scheduler.

    Attributes:
        capacity: How many are worth submitting at once.
    """

    capacity: int

    def submit(self, request: dict[str, Any]) -> None:
        """Start a request.

        Args:
            request: Plain data: id, stage, base, do, source, options, cache, timeout (s), memory (bytes).
        """

    def wait(self, timeout: float = 0.5) -> list[Ended]:
        """Wait until a request ends, or for some time.

        Args:
            timeout: s.

        Returns:
            Those that ended.
        """

    def cancel(self) -> None:
        """End the jobs that run."""

    def close(self) -> None:
        """End everything."""


@dataclass
class Progress:
    """What `run` reports while it works.

    Attributes:
        total: How many jobs there are.
        done: How many ended.
        failed: How many of these failed.
        cached: How many were known.
        running: By job in hand, the clock (`time.monotonic`, s) when it began.
    """

    total: int
    done: int = 0
    failed: int = 0
    cached: int = 0
    running: dict[str, float] = field(default_factory=dict)


def run(
    jobs: Jobs, *, workers: int | None = None, cache: str | Path | bool = True, fail_fast: bool = False,
    executor: Executor | None = None, progress: Callable[[Progress], None] | None = None,
) -> Iterator[Result]:  # fmt: skip
    """Run jobs, each in a process of its own, and yield the result of each as it ends.

    Faults of the jobs themselves never raise: they are results. Leaving the loop early ends what runs.

    Args:
        jobs: A plan, a jobs file, or jobs as mappings.
        workers: How many run at once; None takes one for each core, or what the executor says.
        cache: The folder of results of former runs, True for the usual one, False for none.
        fail_fast: Whether the first failure leaves the jobs that were not begun unrun.
        executor: What runs them: a `Local` kept warm for several runs, or a scheduler's; the caller closes it. None
            starts one for this call.
        progress: Called whenever something begins or ends.

    Yields:
        A result for each job; those from the cache come first.

    Raises:
        InputError: The jobs file or the folder of outputs cannot be used.
    """
    if isinstance(jobs, (str, Path)):
        jobs = load(jobs)
    elif not isinstance(jobs, Plan):
        jobs = plan(jobs)
    capacity = executor.capacity if executor is not None else os.cpu_count() or 1
    batch = _Batch(jobs, workers or capacity, _cache(cache), executor, progress)
    return batch.run(fail_fast)


def _cache(given: str | Path | bool) -> Cache | None:
    if given is False:
        return None
    return Cache(cache_folder()) if given is True else Cache(Path(given), shared=True)


class _Batch:
    """One run of a plan."""

    def __init__(
        self,
        plan: Plan,
        workers: int,
        cache: Cache | None,
        executor: Executor | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.plan, self.workers, self.cache = plan, workers, cache
        self.stages = Stages(plan.output)
        self.hashes = Hashes(
            cache.folder / "files" / f"{digest(os.fsencode(plan.output))[:32]}.json" if cache else None
        )
        self.memory = int(limits.physical_memory() * _SHARE_OF_MEMORY)
        self._executor, self._own = executor, executor is None
        self._report = progress or (lambda state: None)
        self.state = Progress(len(plan.jobs))
        self.running: dict[int, tuple[Job, Path, tuple[Finding, ...]]] = {}
        self._cache_reported = False

    def run(self, fail_fast: bool) -> Iterator[Result]:
        """Results as they come."""
        waiting = deque(enumerate(self.plan.jobs))
        stopped = False
        try:
            while waiting or self.running:
                while waiting and len(self.running) < self.workers and not stopped:
                    number, job = waiting.popleft()
                    result = self._known(number, job)
                    if result is not None:
                        yield self._count(result)
                for result in self._ended():
                    stopped = stopped or (fail_fast and not result.ok)
                    yield self._count(result)
                if stopped and not self.running:
                    for _, job in waiting:
                        yield _not_run(job)
                    return
        finally:
            if self._executor is not None:
                (self._executor.close if self._own else self._executor.cancel)()
            self.hashes.save()
            self.stages.close()

    def _count(self, result: Result) -> Result:
        self.state.done += 1
        self.state.failed += not result.ok
        self.state.cached += result.cached
        self.state.running.pop(result.job.name, None)
        self._report(self.state)
        return result

    def _known(self, number: int, job: Job) -> Result | None:
        """The result of a job whose inputs are as they were; else the job is begun, and None."""
        remarks: tuple[Finding, ...] = ()
        if self.cache is not None:
            try:
                entry = self.cache.find(job, self.hashes)
                if entry is not None:
                    if not is_published(job, entry.body, self.hashes):
                        self._restore(number, job, entry.body)
                    return _result(job, entry.body, cached=True)
                remarks = self._foreign(job)
            except DamagedError as error:
                remarks = _finding("CB730", f"the cache: {error}; {shown(job.name)} is computed again", job)
            except ForeignFolderError as error:
                return _failed(job, "CB726", str(error))
            except OSError as error:
                return _failed(job, "CB723", f"{shown(job.name)}: {error.strerror or error}")
        try:
            stage = self.stages.new(number)
        except OSError as error:
            return _failed(job, "CB723", f"the outputs cannot be written: {error.strerror or error}")
        if self._executor is None:
            self._executor = Local()
        self.running[number] = (job, stage, remarks)
        self.state.running[job.name] = time.monotonic()
        self._report(self.state)
        self._executor.submit(
            {
                "id": number, "stage": str(stage), "base": str(job.base), **job.order,
                "cache": str(self.cache.folder) if self.cache else None,
                "timeout": job.timeout, "memory": min(job.memory or self.memory, self.memory),
            }
        )  # fmt: skip
        return None

    def _restore(self, number: int, job: Job, body: dict[str, Any]) -> None:
        """Show a kept result once more, from its objects."""
        assert self.cache is not None
        stage = self.stages.new(number)
        try:
            for name, known in body["outputs"].items():
                self.cache.fetch(known, stage / "out" / name)
            self.cache.fetch(body["log"], stage / "log")
            publish(job, stage, body, {"cached": True}, self.stages)
        finally:
            with contextlib.suppress(OSError):
                _remove(stage)

    def _ended(self) -> list[Result]:
        if self._executor is None or not self.running:
            return []
        results = []
        ended = self._executor.wait()
        for one in ended:
            job, stage, remarks = self.running.pop(one.id)
            results.append(self._finish(job, stage, one, remarks))
        if not ended:
            self._report(self.state)
        return results

    def _finish(self, job: Job, stage: Path, ended: Ended, remarks: tuple[Finding, ...]) -> Result:
        """Keep and show what a job's process left."""
        times = {"wall_s": ended.seconds, "cpu_s": ended.cpu, "peak_memory_bytes": ended.memory, "cached": False}
        try:
            body, whole = self._body(job, stage, ended)
            if whole and self.cache is not None:
                remarks += self._keep(job, stage, body)
            publish(job, stage, body, times, self.stages)
        except ForeignFolderError as error:
            return _failed(job, "CB726", str(error))
        except OSError as error:
            return _failed(job, "CB723", f"the outputs cannot be written: {error.strerror or error}")
        finally:
            with contextlib.suppress(OSError):
                _remove(stage)
        result = _result(job, body, cached=False, remarks=remarks)
        return Result(**{**vars(result), "seconds": ended.seconds, "cpu": ended.cpu, "memory": ended.memory})

    def _body(self, job: Job, stage: Path, ended: Ended) -> tuple[dict[str, Any], bool]:
        """What is reported of a job in its manifest, and whether the same would come of it again."""
        answer = ended.answer
        inputs: dict[str, str | None] = {job.source: self.hashes.of(job.base / job.source)}
        if answer is None:
            finding = _finding(ended.fault, f"{shown(job.name)}: {ended.reason}", job)[0]
            answer = {"ok": False, "reason": f"{ended.fault}: {ended.reason}", "findings": [plain(finding)]}
            answer |= {"steady": False, "touched": {}}
            _remove(stage / "out")
        steady = bool(answer["steady"])
        for path, stamp in answer["touched"].items():
            name = relative_to(Path(path), job.base)
            inputs[name] = known = self.hashes.of(path)
            # A file that changed while the job ran: the result belongs to neither state and is not kept.
            steady = steady and _as_then(path, stamp) and (known is None) == (stamp is None)
        # A process that died at once has none.
        (stage / "log").touch()
        outputs = {name: _hash(path) for name, path in _files(stage / "out")}
        body = {
            "state": (State.DONE if answer["ok"] else State.FAILED).value,
            "reason": answer["reason"],
            "inputs": inputs,
            "outputs": outputs,
            "findings": answer["findings"],
            "versions": versions(),
            "log": _hash(stage / "log"),
            "base": None,
        }
        return body, steady

    def _foreign(self, job: Job) -> tuple[Finding, ...]:
        """A remark, once, where an entry would have served if it were the user's own."""
        assert self.cache is not None
        if self.cache.foreign is None or self._cache_reported:
            return ()
        self._cache_reported = True
        text = f"{self.cache.foreign} is not your own, or others can write it; it is not believed"
        return _finding("CB731", text, job)

    def _keep(self, job: Job, stage: Path, body: dict[str, Any]) -> tuple[Finding, ...]:
        """Store a result in the cache; a remark, once, where that cannot be done."""
        assert self.cache is not None
        files = {known: stage / "out" / name for name, known in body["outputs"].items()}
        files[body["log"]] = stage / "log"
        if _names_its_folder(job.base, files.values()):
            # It would be wrong elsewhere, where the same files lie in another folder.
            body = {**body, "base": str(job.base)}
        try:
            self.cache.keep(job, body, files)
        except OSError as error:
            if not self._cache_reported:
                self._cache_reported = True
                return _finding("CB731", f"{self.cache.folder} cannot be used: {error.strerror or error}", job)
        return ()


def _names_its_folder(base: Path, files: Iterable[Path]) -> bool:
    """Whether any of the files holds the folder that the inputs lie in."""
    place = os.fsencode(base)
    return any(place in path.read_bytes() for path in files)


def _as_then(path: str, stamp: list[int] | None) -> bool:
    """Whether a file is as it was when the job looked at it."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return stamp is None
    return [status.st_size, status.st_mtime_ns] == stamp


def _files(folder: Path) -> list[tuple[str, Path]]:
    """All files below a folder, by their names from it on."""
    found = [Path(root) / name for root, _, names in os.walk(folder) for name in names]
    return sorted((path.relative_to(folder).as_posix(), path) for path in found)


def _hash(path: Path) -> str:
    return digest(path.read_bytes())


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _finding(code: str, message: str, job: Job) -> tuple[Finding, ...]:
    collected = Findings()
    collected.add(code, message, Where(item=shown(job.name)))
    return collected.as_tuple()


def _result(job: Job, body: dict[str, Any], cached: bool, remarks: tuple[Finding, ...] = ()) -> Result:
    findings = (*(as_finding(f) for f in body["findings"]), *remarks)
    state = State(body["state"])
    return Result(job, state, body["reason"], findings, body["inputs"], body["outputs"], cached=cached)


def _failed(job: Job, code: str, message: str) -> Result:
    return Result(job, State.FAILED, f"{code}: {message}", _finding(code, message, job))


def _not_run(job: Job) -> Result:
    message = f"{shown(job.name)} was not run"
    return Result(job, State.NOT_RUN, f"CB725: {message}", _finding("CB725", message, job))
