"""Files that are kept from one run to the next: where, by rename, and known to be whole when read again."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from cadbridge.files import replacing

COLLISION = "collision"
"""The folder for collision geometry within the folder of caches."""


def cache_folder() -> Path:
    """CADBRIDGE_CACHE, else the user's folder of caches."""
    named = os.environ.get("CADBRIDGE_CACHE")
    if named:
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("cadbridge", appauthor=False))


def digest(data: bytes) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Write by rename: the file is whole or as it was."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def keep(path: Path, data: bytes) -> None:
    """Write `data` behind its hash, by which `kept` knows it; OSError where that cannot be."""
    write_atomically(path, digest(data).encode() + b"\n" + data)


def kept(path: Path) -> bytes | None:
    """What `keep` wrote; None where there is nothing, or where it is damaged (then it is removed)."""
    try:
        told, _, data = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if told == digest(data).encode():
        return data
    with contextlib.suppress(OSError):
        path.unlink()
    return None
