"""Ranges of joints that others follow: in ROS a mimic goes where its leader goes, whatever its own limits say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cadbridge.assembly import Limit
from cadbridge.exporters.relations import eliminate, ranking, relations
from cadbridge.exporters.tree import Tree, spanning_tree
from cadbridge.mechanism.model import Joint, Mechanism

_SLACK = 1e-6
"""Relative: ends that differ by less are the same, written with other digits."""


def within_followers(mechanism: Mechanism) -> tuple[Mechanism, Mapping[str, tuple[str, ...]]]:
    """The mechanism whose leading joints stay within the limits of what follows them; by leader, who narrows it.

    A follower that would leave its leader no room says nothing: such limits are placeholders.
    """
    tree = spanning_tree(mechanism)
    own = _joints(tree)
    limits: dict[str, Limit] = {}
    narrowed: dict[str, tuple[str, ...]] = {}
    for found in eliminate(relations(tree)[0], ranking(tree))[0]:
        if len(found.terms) != 1 or found.dependent not in own or found.terms[0][0] not in own:
            continue
        ((driver, factor),) = found.terms
        leader, follower = own[driver], own[found.dependent]
        before = limits.get(leader.name, leader.limit or Limit())
        after = _narrowed(before, follower.limit or Limit(), factor, found.offset)
        if after != before:
            limits[leader.name] = after
            narrowed[leader.name] = (*narrowed.get(leader.name, ()), follower.name)
    joints = tuple(replace(j, limit=limits[j.name]) if j.name in limits else j for j in mechanism.joints)
    return (replace(mechanism, joints=joints) if limits else mechanism), narrowed


def _joints(tree: Tree) -> dict[int, Joint]:
    """By coordinate, the joints of one freedom."""
    return {
        link.first: link.joint
        for link in tree.links
        if link.joint is not None and len(link.freedoms) == 1 and link.joint.coordinate is not None
    }


def _narrowed(leader: Limit, follower: Limit, factor: float, offset: float) -> Limit:
    """The leader's limit where follower = factor · leader + offset keeps its own."""
    ends = [None if v is None else (v - offset) / factor for v in (follower.lower, follower.upper)]
    low, high = ends if factor > 0 else ends[::-1]
    lower = low if low is not None and _tighter(low, leader.lower, 1.0) else leader.lower
    upper = high if high is not None and _tighter(high, leader.upper, -1.0) else leader.upper
    if lower is not None and upper is not None and not lower < upper:
        lower, upper = leader.lower, leader.upper
    fast = follower.velocity / abs(factor) if follower.velocity else None
    velocity = fast if fast and (not leader.velocity or fast < leader.velocity * (1.0 - _SLACK)) else leader.velocity
    return replace(leader, lower=lower, upper=upper, velocity=velocity)


def _tighter(end: float, given: float | None, inwards: float) -> bool:
    """Whether an end lies further inwards than that which is given."""
    return given is None or inwards * (end - given) > _SLACK * max(abs(end), abs(given))
