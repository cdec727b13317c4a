"""What redundant mates cost at other poses than the designed one: where the mechanism binds first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cadbridge.diagnosis.settle import placed_at
from cadbridge.frames import Pose
from cadbridge.mechanism import GROUND_BODY, Mechanism, build
from cadbridge.misfit.analyse import fit, sizes_of
from cadbridge.misfit.model import Fit
from cadbridge.misfit.settings import Settings

DRAWS_A_POSE = 1000
"""Draws at each pose: they only start the search for the worst case."""


@dataclass(frozen=True, slots=True)
class PoseFit:
    """At one pose: redundant equations, the worst play (m) with its mates, the largest force (N) and moment (N m).

    Force and moment are those of the worst errors without play.
    """

    redundant: int
    play: float
    mates: tuple[str, ...]
    force: float
    moment: float


def fit_at(mechanism: Mechanism, poses: Iterable[Sequence[Pose]], settings: Settings | None = None) -> list[PoseFit]:
    """The play needed and the forces at poses X_WB of the bodies, each pose looked at as if it were the design."""
    return [_summary(posed_fit(mechanism, X_WB, settings)) for X_WB in poses]


def posed_fit(mechanism: Mechanism, X_WB: Sequence[Pose], settings: Settings | None = None) -> Fit:
    """What redundant mates cost at poses X_WB of the bodies, as if they were the design; no weights, no releases."""
    X_WC = []
    for name, X in zip(mechanism.component_names, mechanism.X_WC, strict=True):
        body = mechanism.body_of[name]
        X_WC.append(X if body == GROUND_BODY else X_WB[body] @ mechanism.X_WB(body).inverse() @ X)
    posed = placed_at(mechanism, X_WC)
    bare = replace(posed, parts=tuple(replace(part, shape=None) for part in posed.parts))  # nothing is weighed
    settings = replace(settings or Settings(), draws=DRAWS_A_POSE)
    return fit(build(bare), settings, releases=0, sizes=sizes_of(mechanism.assembly))


def _summary(found: Fit) -> PoseFit:
    if not found.groups:
        return PoseFit(0, 0.0, (), 0.0, 0.0)
    loads = [load for group in found.groups for load in group.loads]
    force, moment = (max((x.worst for x in loads if x.turns == turns), default=0.0) for turns in (False, True))
    first = found.groups[0]
    return PoseFit(found.redundant, first.play.worst, first.mates, force, moment)
