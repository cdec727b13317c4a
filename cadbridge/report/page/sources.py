"""Whether the page's bundle is made of the present sources: those of a checkout, which a wheel has not.

`hatch_build.py` runs this file alone, before cadbridge can be imported: nothing but the standard library here.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def fingerprint(web: Path) -> str:
    """What the bundle is made of, as a hash. OSError where it cannot be read."""
    files = []
    for folder, folders, names in os.walk(web, onerror=_fail):
        folders[:] = [name for name in folders if name != "node_modules"]
        files += [Path(folder, name) for name in names]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.relative_to(web).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def is_stale(page: Path, web: Path) -> bool:
    """Whether a bundle that was built here, which has a stamp, is of other sources; False where none can be read."""
    try:
        return (page / "stamp").read_text("utf-8").strip() != fingerprint(web)
    except OSError:
        return False


def _fail(fault: OSError) -> None:
    raise fault
