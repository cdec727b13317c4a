"""What a comparison with one engine finds."""

from __future__ import annotations

from dataclasses import dataclass

from cadbridge.verification.contents import Compared
from cadbridge.verification.left_out import Loss
from cadbridge.verification.swing import Swing


@dataclass(frozen=True, eq=False)
class EngineFindings:
    """What a comparison with one engine shows; see `Verification`."""

    engine: str
    precision: float
    links: int
    joints: int
    mass: float
    centre: float
    inertia: float
    pose: float
    swing: Swing
    contents: Compared
    losses: tuple[Loss, ...] = ()
