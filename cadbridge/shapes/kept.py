"""What OCCT answered once is kept by the content of the file, so that a second command need not ask again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from cadbridge.shapes.packing import pack, unpack
from cadbridge.storage import computed_once
from cadbridge.version import version_of


def ask_once(content: str, verb: str, question: dict[str, Any], ask: Callable[[], Any]) -> Any:
    """The answer that is kept for a question about a file with this hash of its content, else that of `ask`."""
    return computed_once(["occt", content, verb, question, versions()], ask, pack, unpack)


def content_of(*paths: Path) -> str:
    """The hash of the content of files, in their order."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


@cache
def versions() -> str:
    """OCCT's version, and the hash of the code that asks it."""
    digest = hashlib.sha256(version_of("cadquery-ocp").encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()
