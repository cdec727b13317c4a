"""The parts of a mechanism that move each for themselves: joints and couplings tie them by way of the ground alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from cadbridge.mechanism.model import GROUND_BODY, BodyCoupling, Joint, Mechanism
from cadbridge.mechanism.reframe import renumbered
from solver.algebra.connected import connected


def independent(mechanism: Mechanism) -> list[tuple[tuple[int, ...], Mechanism]]:
    """Take a mechanism apart into what moves whatever the rest of it does.

    Args:
        mechanism: The mechanism.

    Returns:
        Of each part the indices of its bodies, and a mechanism of these bodies in this order with their joints,
        couplings and drives, on the same ground. Its assembly, mates and characteristic length are those of the whole.
    """
    held = [coupling.primitive.bodies for coupling in mechanism.couplings]
    held += [(joint.a, joint.b) for joint in mechanism.joints]
    ties = [tie for bodies in held for tie in pairwise(sorted({*bodies} - {GROUND_BODY}))]
    first, second = np.array(ties, np.int64).reshape(-1, 2).T
    label = connected(len(mechanism.bodies), first, second).tolist()
    parts: dict[int, list[int]] = defaultdict(list)
    for body, part in enumerate(label):
        parts[part].append(body)
    # The ground is the least index of all, and each item is tied to one part at most.
    joints: dict[int, list[Joint]] = defaultdict(list)
    couplings: dict[int, list[BodyCoupling]] = defaultdict(list)
    components: dict[int, dict[str, int]] = defaultdict(dict)
    index = {GROUND_BODY: GROUND_BODY, **{body: k for bodies in parts.values() for k, body in enumerate(bodies)}}
    for joint in mechanism.joints:
        if (body := max(joint.a, joint.b)) != GROUND_BODY:
            joints[label[body]].append(_joint(joint, index))
    for coupling in mechanism.couplings:
        if (body := max(coupling.primitive.bodies)) != GROUND_BODY:
            couplings[label[body]].append(replace(coupling, primitive=renumbered(coupling.primitive, index)))
    for name, body in mechanism.body_of.items():
        if body != GROUND_BODY:
            components[label[body]][name] = index[body]
    drives = {name: [d for d in mechanism.drives if d.joint == name] for name in {d.joint for d in mechanism.drives}}
    return [
        (
            tuple(bodies),
            replace(
                mechanism,
                bodies=tuple(mechanism.bodies[body] for body in bodies),
                joints=tuple(joints[part]),
                couplings=tuple(couplings[part]),
                body_of=components[part],
                drives=tuple(drive for joint in joints[part] for drive in drives.get(joint.name, ())),
                length_of_whole=mechanism.length_scale,
            ),
        )
        for part, bodies in parts.items()
    ]


def _joint(joint: Joint, index: Mapping[int, int]) -> Joint:
    """A joint between bodies of other indices."""
    held = tuple(renumbered(p, index) for p in joint.primitives)
    return replace(joint, a=index[joint.a], b=index[joint.b], primitives=held)
