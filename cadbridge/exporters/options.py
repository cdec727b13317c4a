"""What a person may choose of an export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ExportOptions:
    """`run`: a trajectory of the mechanism, which glTF plays. `collision`: a key of `collision.KINDS`."""

    run: Path | None = None
    collision: str = "as-is"
