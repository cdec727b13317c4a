"""What the steps of the Simscape reader share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cadbridge.findings import Findings
from cadbridge.frames import Matrix, Vector
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.placement import EXACT_ROTATION, affine
from cadbridge.readers.source import XmlSource
from cadbridge.readers.structure import Structure
from cadbridge.readers.xml import Element, child


@dataclass
class Context(XmlSource):
    """The file, what was asked, what was found. `length` and `mass` are metres and kilograms a unit of the file.

    `holder` are the names of the assembly whose mates are being read.
    """

    path: Path
    options: ReadOptions
    findings: Findings = field(default_factory=Findings)
    length: float = 1.0
    mass: float = 1.0
    holder: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.structure = Structure(self.findings)

    def values(self, parent: Element, name: str, count: int, item: str) -> Vector | None:
        """The numbers of a child element; a finding and None where they cannot be read."""
        element = child(parent, name)
        text = None if element is None else element.text
        return self.numbers(text, count, name, parent if element is None else element, item)

    def transform(self, element: Element, item: str) -> Matrix | None:
        """The map (3, 4) of <Transform>, in m, the identity without one; a finding and None if it is none.

        The nine numbers of a rotation go row by row; they may mirror.
        """
        transform = child(element, "Transform")
        if transform is None:
            return np.eye(3, 4)
        nine = self.values(transform, "Rotation", 9, item)
        three = self.values(transform, "Translation", 3, item)
        if nine is None or three is None:
            return None
        R = nine.reshape(3, 3)
        if float(np.max(np.abs(R @ R.T - np.eye(3)))) > EXACT_ROTATION:
            self.say("CB133", f"{item} is not placed by a rigid motion; it is left out", transform, item)
            return None
        U, _, Vt = np.linalg.svd(R)
        return affine(U @ Vt, three * self.length)
