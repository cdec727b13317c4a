"""Writing files that are whole or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new empty file to write in place of `path`, which it replaces by rename when the block ends well.

    When the block fails, `path` is as it was and nothing stays behind. Its folder is made where it is missing;
    the file may be read by those whom the user's umask lets (mkstemp's by nobody else). OSError as from the
    system.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".part-{secrets.token_hex(8)}")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
