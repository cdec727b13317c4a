"""What the steps of the Fusion reader share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cadbridge.findings import Findings
from cadbridge.frames import Vector
from cadbridge.readers.json_file import JsonFile
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.structure import Key, Structure
from cadbridge.units import LENGTH

CENTIMETRE = LENGTH["cm"]


@dataclass(eq=False)
class Context:
    """The document, what was asked, what was found. `keys[uuid]` is the path of an occurrence, () the root."""

    file: JsonFile
    options: ReadOptions
    findings: Findings
    keys: dict[str, Key] = field(default_factory=dict)
    given: int = 0
    suppressed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.structure = Structure(self.findings)
        self.length = LENGTH.get(self.options.length_unit or "cm", CENTIMETRE)

    def entries(self, section: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The objects of a section by their uuids; a finding for anything else in their place."""
        content = self.file.mapping(self.file.content.get(section), section)
        for uuid, entry in content.items():
            if isinstance(entry, dict):
                yield uuid, entry
            else:
                self.file.say("CB181", f"{section}: {uuid} is not an object", uuid)

    def xyz(self, value: Any, what: str, name: str) -> Vector | None:
        """The three numbers of a point or a vector {x, y, z}; a finding and None where they cannot be read."""
        entry = value if isinstance(value, dict) else {}
        return self.file.vector([entry.get(k) for k in "xyz"], 3, what, name)

    def axis(self, value: Any, what: str, name: str) -> Vector | None:
        """A unit vector; a finding and None where it cannot be read or has no length."""
        found = self.xyz(value, what, name)
        size = 0.0 if found is None else float(np.linalg.norm(found))
        # A direction is a unit vector; a shorter one is none.
        if found is not None and size < 1e-9:
            self.file.say("CB181", f"{what} has no length", name)
        return None if found is None or size < 1e-9 else found / size
