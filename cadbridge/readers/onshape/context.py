"""What the steps of the Onshape reader share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cadbridge.assembly import Feature, FeatureKind, Mate
from cadbridge.findings import Findings
from cadbridge.readers.json_file import JsonFile, names_of
from cadbridge.readers.onshape.limits import Parameters
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.structure import Key, Structure

Holder = tuple[Key, list[dict[str, Any]]]
"""An assembly at one of its places: the path of the place, and its features."""


@dataclass(eq=False)
class Context:
    """The document, what was asked, what was found.

    `holders` are the root and every placed sub-assembly. `mates[place, id]` are the mates of each feature;
    `given` counts the features that are mates, relations or groups and not suppressed.
    """

    file: JsonFile
    options: ReadOptions
    findings: Findings
    parameters: dict[str, Parameters] = field(default_factory=dict)
    holders: list[Holder] = field(default_factory=list)
    mates: dict[tuple[Key, str], tuple[Mate, ...]] = field(default_factory=dict)
    given: int = 0
    suppressed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.structure = Structure(self.findings)

    def name(self, place: Key, own: str) -> str:
        """A feature's name below the path of its sub-assembly."""
        prefix = self.structure.placed[place].name if place in self.structure.placed else ""
        return f"{prefix}/{own}" if prefix else own

    def frame(self, place: Key, occurrence: Any, cs: Any, name: str) -> Feature | None:
        """The FRAME of a mate connector at an occurrence; a finding and None where it cannot be read."""
        path = names_of(occurrence)
        placed = None if path is None else self.structure.placed.get((*place, *path))
        if placed is None:
            path_text = occurrence if path is None else "/".join(path)
            self.file.say("CB162", f"{name} holds the occurrence {path_text!r}, which is not in the assembly", name)
            return None
        if not placed.component:
            text = f"{name} holds the frame of {placed.name}, which is flexible and has nothing fixed in it"
            self.file.say("CB1303", text, name)
            return None
        system = self.file.mapping(cs, f"{name}: the coordinate system")
        origin, z, x = (self.file.vector(system.get(k), 3, f"{name}: {k}", name) for k in ("origin", "zAxis", "xAxis"))
        if origin is None or z is None or x is None:
            return None
        try:
            return self.structure.feature(placed, FeatureKind.FRAME, origin, z, x, label="mate connector")
        except ValueError:
            self.file.say("CB181", f"{name}: the axes of its coordinate system are zero or parallel", name)
            return None
