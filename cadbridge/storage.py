"""Files that are kept from one run to the next: where, by rename, and known to be whole when read again."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import shutil
import stat
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeVar

from cadbridge.errors import InputError
from cadbridge.files import replacing
from solver.compilation.caches import cache_folder, close, is_own, tell_unwritable

T = TypeVar("T")

COLLISION = "collision"
"""The folder for collision geometry within the folder of caches."""
KERNELS = "kernels"
"""That of the solver's compiled kernels, as `solver.compilation.library` names it."""


ANSWERS = "answers"
"""The folder for what was computed once, within the folder of caches."""
LIMIT = 4_000_000_000
"""Bytes that all answers may take; CADBRIDGE_CACHE_LIMIT overrides it. A choice."""
_LARGEST = 0.25
"""Share of the limit that one answer may take: else one file would drive out all others."""

_LOOK = 0.01
"""Share of the limit by which all answers grow before they are measured again. A choice."""

_unlooked = math.inf
"""Bytes since they were measured; a process measures them with its first answer."""
_used = True


def use_cache(used: bool) -> None:
    """Whether this process keeps what it computes and looks at what was kept (`--no-cache` says no).

    InputError where CADBRIDGE_CACHE_LIMIT is no number.
    """
    global _used
    _used = used
    if is_used():
        answer_limit()


def is_used() -> bool:
    """Whether this process uses what is kept from one run to the next; CADBRIDGE_NO_CACHE says no for all."""
    return _used and not os.environ.get("CADBRIDGE_NO_CACHE")


def digest(data: bytes) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Write by rename: the file is whole or as it was."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def keep(path: Path, data: bytes) -> None:
    """Write `data` behind a hash of it and of the file's name, by which `kept` knows both; OSError where that fails."""
    with replacing(path) as temporary:
        temporary.write_bytes(_sealed(path, data) + b"\n" + data)
        close(temporary)


def _sealed(path: Path, data: bytes) -> bytes:
    """The hash that stands before `data`: whole, but in another's place, it is another's answer."""
    return digest(path.name.encode() + b"\0" + data).encode()


def opened(path: Path) -> BufferedReader:
    """A file of a folder that others may write; OSError for what is no plain file: a pipe would be waited for."""
    stream = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")
    if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        return stream
    stream.close()
    raise OSError(errno.EINVAL, "no plain file", str(path))


def kept(path: Path) -> bytes | None:
    """What `keep` wrote; None where nothing is, others can write it, or it is damaged or another's (then it goes).

    A folder in its place goes, too: nothing could be kept there any more.
    """
    if not is_own(path):
        return None
    try:
        with opened(path) as stream:
            stored_digest, _, data = stream.read().partition(b"\n")
    except OSError:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        return None
    if stored_digest == _sealed(path, data):
        return data
    with contextlib.suppress(OSError):
        path.unlink()
    return None


def computed_once(key: Any, compute: Callable[[], T], pack: Callable[[T], bytes], unpack: Callable[[bytes], T]) -> T:
    """What `compute` gives, kept by `key` from one run to the next.

        CACHE/answers/KK/KEY    the packed answer, behind its own hash

    `key` is plain data that names all that the answer depends on: contents by their hashes, and versions. `unpack`
    raises ValueError for what it cannot read. A damaged answer is dropped and computed anew; a folder that cannot be
    written, or is full, keeps nothing, which is told once. When all answers are larger than `LIMIT`, the longest unused
    ones go.
    """
    if not is_used():
        return compute()
    name = digest(json.dumps(key, sort_keys=True).encode())
    path = cache_folder() / ANSWERS / name[:2] / name
    data = kept(path)
    if data is not None:
        with contextlib.suppress(ValueError, OSError):
            answer = unpack(data)
            # What was used last is kept longest, and many file systems do not note that a file is read.
            os.utime(path)
            return answer
    answer = compute()
    with contextlib.suppress(TypeError):
        packed = pack(answer)
        if len(packed) <= _LARGEST * answer_limit():
            try:
                keep(path, packed)
                _grown(path.parent.parent, len(packed))
            except OSError as fault:
                tell_unwritable(cache_folder(), str(fault.strerror or fault), "what is computed is not kept")
    return answer


def _grown(folder: Path, by: int) -> None:
    """Note that answers have grown, by so many bytes, and look after a while whether they are within the limit.

    Each part of a machine may have small answers of its own: to look at all files after each would take longer.
    """
    global _unlooked
    _unlooked += by
    if _unlooked >= _LOOK * answer_limit():
        _trim(folder)
        _unlooked = 0.0


def answer_limit() -> int:
    """Bytes that all answers may take; InputError where CADBRIDGE_CACHE_LIMIT is no number."""
    named = os.environ.get("CADBRIDGE_CACHE_LIMIT", "").strip()
    if named and not (named.isascii() and named.isdecimal()):
        raise InputError(f"CADBRIDGE_CACHE_LIMIT is {named!r}; it takes a number of bytes, such as {LIMIT}.")
    return int(named) if named else LIMIT


def _trim(folder: Path) -> None:
    """Drop the longest unused answers until all are within the limit."""
    entries = [(status.st_mtime, status.st_size, path) for path in folder.glob("??/*") if (status := _status(path))]
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries, key=lambda e: e[0]):
        if total <= answer_limit():
            return
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:  # another process dropped it
        return None
