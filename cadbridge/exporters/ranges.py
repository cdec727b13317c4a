"""Ranges of joints that others follow: in ROS a mimic goes where its leader goes, whatever its own limits say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cadbridge.assembly import Limit
from cadbridge.exporters.relations import eliminate, ranking, relations
from cadbridge.exporters.tree import Tree, spanning_tree
from cadbridge.findings import Findings, Where
from cadbridge.mechanism.model import Joint, Mechanism
from cadbridge.wording import listed

_SLACK = 1e-6
"""Relative: ends that differ by less are the same, written with other digits."""

_ROOM = 0.01
"""Of the narrower of two ranges: those that share less only touch. Files write an end with two digits at least, and
the other end of a joint that turns the other way is not always the same number."""


@dataclass(frozen=True)
class Narrowing:
    """The followers within whose limits a leader stays: those that narrow its range, those that narrow its speed.

    `apart` are those whose range would leave it no room: it keeps its own.
    """

    range: tuple[str, ...] = ()
    speed: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    def told(self) -> str:
        """What of the leader is narrowed, and by whom."""
        if self.range == self.speed:
            return _told("its range and its speed are those", self.range)
        parts = (_told("its range is that", self.range), _told("its speed is that", self.speed))
        return "; ".join(part for part in parts if part)


def _told(what: str, followers: tuple[str, ...]) -> str:
    own = "keeps its own" if len(followers) == 1 else "keep their own"
    return f"{what} within which {listed(followers)} {own}" if followers else ""


def within_followers(mechanism: Mechanism) -> tuple[Mechanism, Mapping[str, Narrowing]]:
    """The mechanism whose leading joints stay within the limits of what follows them; by leader, what narrows it.

    A follower that would leave its leader no room does not narrow it.
    """
    tree = spanning_tree(mechanism)
    own = _joints(tree)
    limits: dict[str, Limit] = {}
    narrowed: dict[str, Narrowing] = {}
    for found in eliminate(relations(tree)[0], ranking(tree))[0]:
        if len(found.terms) != 1 or found.dependent not in own or found.terms[0][0] not in own:
            continue
        ((driver, factor),) = found.terms
        leader, follower = own[driver], own[found.dependent]
        before = limits.get(leader.name, leader.limit or Limit())
        after, room = _narrowed(before, follower.limit or Limit(), factor, found.offset)
        by = narrowed.get(leader.name, Narrowing())
        if not room and _is_range(before) and _is_range(follower.limit):
            by = narrowed[leader.name] = replace(by, apart=(*by.apart, follower.name))
        if after == before:
            continue
        limits[leader.name] = after
        if (after.lower, after.upper) != (before.lower, before.upper):
            by = replace(by, range=(*by.range, follower.name))
        if after.velocity != before.velocity:
            by = replace(by, speed=(*by.speed, follower.name))
        narrowed[leader.name] = by
    joints = tuple(replace(j, limit=limits[j.name]) if j.name in limits else j for j in mechanism.joints)
    return (replace(mechanism, joints=joints) if limits else mechanism), narrowed


def report_apart(narrowed: Mapping[str, Narrowing], findings: Findings) -> None:
    """Say which joints have ranges that exclude those of joints that follow them (CB564)."""
    for leader, narrowing in narrowed.items():
        if apart := narrowing.apart:
            follow = "which follows it, exclude" if len(apart) == 1 else "which follow it, exclude"
            text = f"the ranges of joint {leader} and of {listed(apart)}, {follow} each other"
            findings.add("CB564", text, Where(item=leader), items=[leader, *apart])


def _joints(tree: Tree) -> dict[int, Joint]:
    """By coordinate, the joints of one freedom."""
    return {
        link.first: link.joint
        for link in tree.links
        if link.joint is not None and len(link.freedoms) == 1 and link.joint.coordinate is not None
    }


def _is_range(limit: Limit | None) -> bool:
    """Whether a limit has two ends; two of one value are a placeholder."""
    return limit is not None and limit.lower is not None and limit.upper is not None and limit.lower < limit.upper


def _narrowed(leader: Limit, follower: Limit, factor: float, offset: float) -> tuple[Limit, bool]:
    """The leader's limit where follower = factor · leader + offset keeps its own, and whether that leaves it room."""
    ends = [None if v is None else (v - offset) / factor for v in (follower.lower, follower.upper)]
    low, high = ends if factor > 0 else ends[::-1]
    lower = low if low is not None and _tighter(low, leader.lower, 1.0) else leader.lower
    upper = high if high is not None and _tighter(high, leader.upper, -1.0) else leader.upper
    own = leader.lower, leader.upper
    room = lower is None or upper is None or _room(lower, upper, own, (low, high))
    if not room:
        lower, upper = own
    fast = follower.velocity / abs(factor) if follower.velocity else None
    velocity = fast if fast and (not leader.velocity or fast < leader.velocity * (1.0 - _SLACK)) else leader.velocity
    return replace(leader, lower=lower, upper=upper, velocity=velocity), room


def _room(lower: float, upper: float, *ranges: tuple[float | None, float | None]) -> bool:
    """Whether what two ranges share lets a joint move, beside the narrower of them: the other may be ±1e6."""
    widths = [high - low for low, high in ranges if low is not None and high is not None]
    return upper - lower > max(0.0, _ROOM * min(widths, default=0.0))


def _tighter(end: float, given: float | None, inwards: float) -> bool:
    """Whether an end lies further inwards than that which is given."""
    return given is None or inwards * (end - given) > _SLACK * max(abs(end), abs(given))
