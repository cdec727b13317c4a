"""What was computed before, found again by the content of all that it depends on.

    CACHE/jobs/KK/KEY/DIGEST.json     an entry: what else was looked at, with hashes, and the result
    CACHE/objects/HH/HASH             the content of outputs and logs
    CACHE/collision/KK/KEY            collision geometry (`cadbridge.exporters.collision`)
    CACHE/files/DIGEST.json           hashes of files by size and time, for one folder of outputs
    CACHE/kernels/NAME                the solver's compiled kernels (`solver.compilation.library`)

KEY is the hash of what is known before a job runs (its order, its source's content, versions). What it depends
on besides, it shows only by running: referenced files, the mates file beside the source, files that were
looked for and not found. An entry serves where all of these are as they were. Every file is written by
rename and is named by, or holds, its own hash: two runs at once do no harm, and damage is noticed.

A hash says that an entry is what was written, not that it is true. In the user's own folder of caches an entry is
believed that is the user's own (or root's) and that nobody else can write, as ssh believes keys. A folder that the
person names may be shared: who names it trusts those who can write it, unless that is everybody.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cadbridge.files import below, replacing
from cadbridge.jobs.hashing import Hashes, canonical
from cadbridge.jobs.model import Job
from cadbridge.jobs.versions import versions
from cadbridge.storage import ANSWERS, COLLISION, KERNELS, digest, kept, opened
from solver.compilation.caches import close, is_own

FORMAT = "cadbridge.cache/1"

_YOUNG = 3600.0
"""Seconds for which objects that no entry names are kept: a run may be about to write the entry."""

_A_DAY = 86400.0
"""s: one mark a day is enough to tell what was used last."""


class DamagedError(Exception):
    """What is stored is not what was stored; it has been dropped."""


@dataclass(frozen=True)
class StoredResult:
    """A result that is kept: `inputs` are all files looked at (None: not there), `outputs` name → hash."""

    path: Path
    body: dict[str, Any]

    @property
    def outputs(self) -> dict[str, str]:
        """Outputs by name, with hashes."""
        return dict(self.body["outputs"])


_HASH = re.compile(r"[0-9a-f]{64}")


def _sound(body: dict[str, Any]) -> bool:
    """Whether an entry names outputs below the job's folder only, and objects by hashes only.

    Others may write a shared cache: neither its names nor its hashes may lead out of the folders.
    """
    for name in body["outputs"]:
        below(Path(), name)
    hashes = [*body["outputs"].values(), body["log"]]
    return all(isinstance(known, str) and _HASH.fullmatch(known) for known in hashes)


def _open_to_all(folder: Path) -> bool:
    """Whether everybody on the machine can write a cache's folder, or the one of its entries."""
    for at in (folder, folder / "jobs"):
        with contextlib.suppress(OSError):
            if at.stat().st_mode & stat.S_IWOTH:
                return True
    return False


class Cache:
    """What was computed before, in a folder that is made when first written.

    Args:
        folder: The folder.
        shared: Whether others may write it; what they wrote is believed then, unless everybody can write it. Else only
            entries are believed that are the user's own.

    Attributes:
        folder: The folder.
        own_only: Whether only entries of the user's own are believed.
        foreign: The last entry that would have served and was not believed.
    """

    def __init__(self, folder: Path, shared: bool = False) -> None:
        self.folder = folder
        self.own_only = not shared or _open_to_all(folder)
        self.foreign: Path | None = None
        """The last entry that would have served and was not believed."""

    def key(self, job: Job, source: str | None) -> str:
        """Hash what is known before a job runs: its order, its source's content, versions.

        Args:
            job: The job.
            source: SHA-256 of its source; None where it is not there.

        Returns:
            The hash.
        """
        return digest(canonical({"order": job.order, "source": source, "versions": versions()}))

    def find(self, job: Job, hashes: Hashes) -> StoredResult | None:
        """Find the entry that serves a job as its files are now.

        Args:
            job: The job.
            hashes: Hashes of files as they are.

        Returns:
            The entry; None where there is none.

        Raises:
            DamagedError: One was found and could not be read; it has been dropped.
        """
        folder = self._entries(self.key(job, hashes.of(job.base / job.source)))
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            return None
        for name in names:
            if not name.endswith(".json"):
                continue
            entry = self._load(folder / name)
            if entry.body["base"] not in (None, str(job.base)):
                continue
            if all(hashes.of(job.base / p) == known for p, known in entry.body["inputs"].items()):
                # Looked at last: only an entry that would have served is worth a remark.
                if self.own_only and not is_own(entry.path):
                    self.foreign = entry.path
                    continue
                self._used(entry.path)
                return entry
        return None

    def keep(self, job: Job, body: dict[str, Any], files: dict[str, Path]) -> StoredResult:
        """Store a result.

        Args:
            job: The job.
            body: The entry's content.
            files: The files of outputs and log, by their hashes.

        Returns:
            The entry.

        Raises:
            OSError: The folder cannot be written.
        """
        # Objects before the entry that names them: an entry is never seen without its content.
        for name, path in files.items():
            self._put(name, path)
        source = body["inputs"][job.source]
        data = canonical(body)
        path = self._entries(self.key(job, source)) / f"{digest(data)[:32]}.json"
        with replacing(path) as temporary:
            temporary.write_bytes(canonical({"format": FORMAT, "sha256": digest(data), "body": body}))
            if self.own_only:
                close(temporary)
        return StoredResult(path, body)

    def fetch(self, name: str, target: Path) -> None:
        """Copy an object out of the cache.

        Args:
            name: Its SHA-256.
            target: Where to.

        Raises:
            DamagedError: It is not there, or not what it was.
        """
        path = self._object(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        found = hashlib.sha256()
        try:
            source = opened(path)
        except OSError:
            raise DamagedError(f"{name[:12]} is missing") from None
        with source, target.open("wb") as copy:
            while chunk := source.read(1 << 20):
                found.update(chunk)
                copy.write(chunk)
        if found.hexdigest() != name:
            target.unlink()
            path.unlink(missing_ok=True)
            raise DamagedError(f"{name[:12]} is not what was stored")

    def drop(self, entry: StoredResult) -> None:
        """Forget an entry.

        Args:
            entry: The entry.
        """
        entry.path.unlink(missing_ok=True)

    # -- what people ask of a cache -------------------------------------------------------------------------

    def size(self) -> dict[str, int]:
        """Count what is kept.

        Returns:
            The numbers of entries, of objects (outputs, collision geometry) and of answers (what commands computed of
            a file), and the bytes of all files.
        """
        entries, objects = list(self._files("jobs")), [*self._files("objects"), *self._files(COLLISION)]
        answers = list(self._files(ANSWERS))
        total = sum(s.st_size for _, s in (*entries, *objects, *answers, *self._files("files")))
        return {"entries": len(entries), "objects": len(objects), "answers": len(answers), "bytes": total}

    def kernel_bytes(self) -> int:
        """Count the bytes of the solver's compiled kernels, where they are kept in this folder; they are never pruned.

        Returns:
            Bytes.
        """
        return sum(status.st_size for _, status in self._files(KERNELS))

    def verify(self) -> list[str]:
        """Read everything; what is damaged is dropped.

        Returns:
            A line for each thing that was damaged.
        """
        damaged = []
        for path, _ in list(self._files("objects")):
            if _content(path) != path.name:
                path.unlink(missing_ok=True)
                damaged.append(f"object {path.name[:12]} is not what was stored")
        for folder, what in ((COLLISION, "collision geometry"), (ANSWERS, "answer")):
            for path, _ in list(self._files(folder)):
                if kept(path) is None:
                    damaged.append(f"{what} {path.name[:12]} is not what was stored")
        for path, _ in list(self._files("jobs")):
            try:
                entry = self._load(path)
            except DamagedError as error:
                damaged.append(str(error))
                continue
            lost = [name for name in self._named(entry) if not self._object(name).is_file()]
            if lost:
                self.drop(entry)
                damaged.append(f"entry {path.stem[:12]} has lost {len(lost)} of its outputs")
        return damaged

    def prune(self, older: float | None = None, size: int | None = None) -> dict[str, int]:
        """Drop the entries that were not used for longest; without arguments, all of them.

        Args:
            older: Drops those not used for so many seconds.
            size: Drops the longest unused until so many bytes are left.

        Returns:
            How many entries, objects, answers and bytes went.
        """
        before = self.size()
        now = time.time()
        # Collision geometry and answers depend on nothing and nothing names them: they go like entries.
        jobs = list(self._files("jobs"))
        entries = sorted((*jobs, *self._files(COLLISION), *self._files(ANSWERS)), key=lambda item: item[1].st_mtime)
        everything = older is None and size is None
        for path, status in entries:
            if everything or (older is not None and now - status.st_mtime > older):
                path.unlink(missing_ok=True)
        self._sweep(0.0 if everything else _YOUNG)
        if size is not None:
            naming, left = {path for path, _ in jobs}, self.size()["bytes"]
            for path, status in entries:
                if left <= size:
                    break
                path.unlink(missing_ok=True)
                left -= status.st_size
                if path in naming:  # with it go the objects that no other names
                    self._sweep(0.0)
                    left = self.size()["bytes"]
        if everything:
            shutil.rmtree(self.folder / "files", ignore_errors=True)
        after = self.size()
        return {key: before[key] - after[key] for key in before}

    def _sweep(self, young: float) -> None:
        """Remove objects that no entry names, unless they are younger than so many seconds; and leftovers."""
        named: set[str] = set()
        for path, _ in list(self._files("jobs")):
            with contextlib.suppress(DamagedError):
                named.update(self._named(self._load(path)))
        now = time.time()
        for path, status in list(self._files("objects")):
            if path.name not in named and now - status.st_mtime >= young:
                path.unlink(missing_ok=True)
        for path in self.folder.rglob(".part-*"):
            with contextlib.suppress(OSError):
                if now - path.stat().st_mtime > _YOUNG:
                    path.unlink()

    def _named(self, entry: StoredResult) -> list[str]:
        return [*entry.outputs.values(), entry.body["log"]]

    def _files(self, kind: str) -> Iterator[tuple[Path, os.stat_result]]:
        for root, _, names in os.walk(self.folder / kind):
            for name in sorted(names):
                if not name.startswith("."):
                    with contextlib.suppress(OSError):
                        yield Path(root) / name, os.stat(os.path.join(root, name))

    def _entries(self, key: str) -> Path:
        return self.folder / "jobs" / key[:2] / key

    def _object(self, name: str) -> Path:
        return self.folder / "objects" / name[:2] / name

    def _load(self, path: Path) -> StoredResult:
        try:
            with opened(path) as stream:
                document = json.load(stream)
            body = document["body"]
            whole = document["format"] == FORMAT and digest(canonical(body)) == document["sha256"] and _sound(body)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            whole = False
        if not whole:
            path.unlink(missing_ok=True)
            raise DamagedError(f"entry {path.stem[:12]} is not what was stored")
        return StoredResult(path, body)

    def _put(self, name: str, path: Path) -> None:
        target = self._object(name)
        if _content(target) == name:
            return
        with replacing(target) as temporary, temporary.open("wb") as copy, path.open("rb") as source:
            shutil.copyfileobj(source, copy, 1 << 20)

    def _used(self, path: Path) -> None:
        """Pruning drops the longest unused first; one mark a day is enough."""
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _A_DAY:
                os.utime(path)


def _content(path: Path) -> str | None:
    """The hash of a file's content; None where there is no file that can be read."""
    with contextlib.suppress(OSError), opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
    return None
