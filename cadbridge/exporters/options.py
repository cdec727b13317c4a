"""What a person may choose of an export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cadbridge.simulation.scenario import Scenario


GREY = (0.7, 0.7, 0.7, 1.0)
"""Red, green, blue and opacity of parts for which no source has a colour."""


@dataclass(frozen=True)
class ExportOptions:
    """What a person may choose of an export.

    Attributes:
        run: A trajectory of the mechanism (a Parquet file), which glTF plays.
        collision: A key of `cadbridge.exporters.COLLISIONS`.
        collision_tolerance: How far it may be from the part, as a share of the part's size (the diagonal of its box).
        cache: The folder of caches where what took time is kept; None for none.
        poses: Of so many poses the collision matrix of a ROS 2 package is made; 0 for none.
        scenario: Of an FMU: what acts on the mechanism and where it begins, or its file.
        fmi: Of an FMU: the version, 2 or 3.
        reactions: Of an FMU: whether the joints' forces are outputs.
    """

    run: Path | None = None
    collision: str = "as-is"
    collision_tolerance: float = 0.01
    cache: Path | None = None
    poses: int = 10_000
    scenario: Path | Scenario | None = None
    fmi: int = 3
    reactions: bool = False
