"""What a person may choose of an export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cadbridge.simulation.scenario import Scenario


@dataclass(frozen=True)
class ExportOptions:
    """`run`: a trajectory of the mechanism, which glTF plays.

    `collision`: a key of `collision.KINDS`; `collision_tolerance`: how far it may be from the part, as a share of the
    part's size (the diagonal of its box); `cache`: the folder of caches where what took time is kept, None for none.
    `poses`: of so many the collision matrix of a ROS 2 package is made, 0 for none.
    Of an FMU: `scenario` (or its file), what acts on the mechanism and where it begins; `fmi`, the version, 2 or 3;
    `reactions`: whether the joints' forces are outputs.
    """

    run: Path | None = None
    collision: str = "as-is"
    collision_tolerance: float = 0.01
    cache: Path | None = None
    poses: int = 10_000
    scenario: Path | Scenario | None = None
    fmi: int = 3
    reactions: bool = False
