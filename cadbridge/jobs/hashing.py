"""SHA-256 of files, remembered by size and times so that unchanged files need not be read again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import time
from pathlib import Path
from typing import Any

from cadbridge.files import replacing
from solver.compilation.caches import close, is_own

_COARSE, _FINE = 2_000_000_000, 50_000_000
"""Nanoseconds within which a change may leave the time of a file as it is: where times are whole seconds, and
where they are not. A file younger than that is read again next time."""


def canonical(document: Any) -> bytes:
    """JSON in the one form that is hashed and stored."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


class Hashes:
    """Hashes of files; `file` keeps what is known from one run to the next."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: dict[str, list[Any]] = {}
        self._changed = False
        if file is not None:
            with contextlib.suppress(OSError, ValueError, AttributeError):
                if is_own(file):
                    self._known = dict(json.loads(file.read_bytes()).items())

    def of(self, path: str | Path) -> str | None:
        """The hash of a file; None where there is no file that can be read."""
        name = os.fspath(path)
        try:
            status = os.stat(name)
            if not stat.S_ISREG(status.st_mode):  # a pipe or a device has no end
                return None
            stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
            known = self._known.get(name)
            if isinstance(known, list) and known[:4] == stamp and len(known) == 5:
                return str(known[4])
            now = time.time_ns()
            with open(name, "rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
        except (OSError, ValueError):
            return None
        # A time without fractions of a second (ns) is from a file system that keeps none.
        young = _COARSE if status.st_mtime_ns % 1_000_000_000 == 0 else _FINE
        if now - max(status.st_mtime_ns, status.st_ctime_ns) > young:
            self._known[name] = [*stamp, found]
            self._changed = True
        return found

    def save(self) -> None:
        """Write what is known; what cannot be written is merely not known next time."""
        if self._file is not None and self._changed:
            with contextlib.suppress(OSError), replacing(self._file) as temporary:
                temporary.write_bytes(canonical(self._known))
                close(temporary)
            self._changed = False
