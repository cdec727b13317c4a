"""The folder of OCCT's process: the only one whose files it can open, besides the libraries of the machine.

What OCCT is to read is copied there. The folder goes with the process that made it; where that was killed, the next
one of the same user that makes such a folder takes the old one away.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO

_PREFIX, _LOCK = "cadbridge-", "in-use"


class Workspace:
    """A folder, made when it is first asked for: a temporary one, or that `at` which exists."""

    def __init__(self, at: Path | None = None) -> None:
        self._given = self._path = at
        self._lock: IO[bytes] | None = None
        self._count = 0

    @property
    def path(self) -> Path:
        """The folder; the same one until `close`."""
        if self._path is None:
            _clear_left()
            self._path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            self._lock = _held(self._path)
        return self._path

    def new(self) -> Path:
        """An empty folder within."""
        self._count += 1
        folder = self.path / str(self._count)
        folder.mkdir()
        return folder

    def close(self) -> None:
        """Remove the folder, unless it was given."""
        if self._path is not None and self._given is None:
            shutil.rmtree(self._path, ignore_errors=True)
            self._path = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _held(folder: Path) -> IO[bytes] | None:
    """A file that is locked for as long as this process lives; it has its name when it is locked. None on Windows."""
    try:
        import fcntl
    except ImportError:
        return None
    # Locked before it has its name: in between, another process would find a lock that nobody holds and clear the
    # folder.
    file = (folder / f"{_LOCK}.new").open("wb")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    (folder / f"{_LOCK}.new").rename(folder / _LOCK)
    return file


def _clear_left() -> None:
    """Remove the folders of processes of this user that were killed: nobody holds their locks."""
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        for lock in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
            with contextlib.suppress(OSError), lock.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if lock.parent.lstat().st_uid == os.geteuid() and not lock.is_symlink():
                    shutil.rmtree(lock.parent, ignore_errors=True)


WORKSPACE = Workspace()
"""The one of this process."""

atexit.register(WORKSPACE.close)
