"""What several mates of one joint carry, as the joint's: ranges meet, springs and losses add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cadbridge.assembly import Limit, Mate
from cadbridge.freedoms import TURN
from cadbridge.mechanism.joint_types import JointType

LOSSES: dict[str, str] = {"damping": "damping", "friction": "friction", "armature": "armature", "stiffness": "spring"}
"""What a mate has against motion, by its attribute, in words."""


@dataclass(frozen=True)
class Together:
    """The joint's limit, losses and spring; and what of its mates it cannot have.

    `apart`: (mate, words) of what is of a turn where the joint slides, or of a slide where it turns. `exclude`: mates
    whose ranges have nothing in common.
    """

    limit: Limit | None
    losses: dict[str, float]
    apart: tuple[tuple[str, str], ...] = ()
    exclude: tuple[str, ...] = ()


def together(mates: Sequence[Mate], senses: Sequence[float], named: str | None, kind: JointType) -> Together:
    """What the mates of a joint of this kind carry, in the joint's coordinate.

    `senses`: +1 where a mate counts its coordinate as the joint does, −1 where it counts it the other way. What the
    mate `named` carries is the joint's, whose name it bears; another mate's only where it is of the same motion.
    """
    of_joint, apart = [], []
    for mate, sense in zip(mates, senses, strict=True):
        if mate.name == named or _same_motion(mate, kind):
            of_joint.append((mate, sense))
        else:
            apart += [(mate.name, words) for words in carries(mate)]
    ranges = [(m.name, m.limit.oriented(sense)) for m, sense in of_joint if m.limit is not None]
    limit = met(limit for _, limit in ranges)
    losses = {key: sum(getattr(m, key) for m, _ in of_joint) for key in LOSSES}
    # Springs side by side: Σ kᵢ (q − rᵢ) = k (q − r) with k = Σ kᵢ and r = Σ kᵢ rᵢ / k.
    pull = sum(m.stiffness * sense * m.rest for m, sense in of_joint)
    losses["rest"] = pull / losses["stiffness"] if losses["stiffness"] else 0.0
    return Together(limit, losses, tuple(apart), _exclude(ranges))


def carries(mate: Mate) -> list[str]:
    """What a mate carries beside its rows, in words."""
    limit = ["limit"] if mate.limit is not None and mate.limit != Limit() else []
    return limit + [words for key, words in LOSSES.items() if getattr(mate, key)]


def _same_motion(mate: Mate, kind: JointType) -> bool:
    return mate.freedom is None or kind.resisted is None or (mate.freedom == TURN) == (kind.resisted == "angle")


def met(limits: Iterable[Limit]) -> Limit | None:
    """The range that all leave, and the least velocity and effort; None without any."""
    all_of = list(limits)
    if not all_of:
        return None

    def chosen(key: str, choose: Callable[[list[float]], float]) -> float | None:
        values = [value for limit in all_of if (value := getattr(limit, key)) is not None]
        return choose(values) if values else None

    return Limit(chosen("lower", max), chosen("upper", min), chosen("velocity", min), chosen("effort", min))


def _exclude(ranges: Sequence[tuple[str, Limit]]) -> tuple[str, ...]:
    """The two mates between whose ranges the gap is widest; none where all ranges have something in common."""
    lows = [(limit.lower, name) for name, limit in ranges if limit.lower is not None]
    highs = [(limit.upper, name) for name, limit in ranges if limit.upper is not None]
    if not lows or not highs:
        return ()
    (low, first), (high, second) = max(lows), min(highs)
    return (first, second) if low > high and first != second else ()
