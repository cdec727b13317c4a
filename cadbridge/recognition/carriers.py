"""Which body holds the axes of two wheels that mesh."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from cadbridge.frames import Vector
from cadbridge.recognition.placed_wheels import MeshingPair, about
from cadbridge.recognition.wheel_kinds import Wheel, WheelKind


def carrier_of(
    pair: MeshingPair,
    body_of: Mapping[str, str],
    revolutes: Sequence[tuple[str, str, Vector, Vector]],
    slides: Sequence[tuple[str, str, Vector]] = (),
) -> str | None:
    """The body that holds both axes of a pair: from it joints about each axis lead to each wheel's body.

    `body_of` names the body of an instance; `revolutes` are (body, body, point, direction) in the world's frame.
    `slides` (body, body, direction) guide racks. Concentric shafts may stand between; the fewest joints win. None where
    there is no such body.
    """
    reached = [steps_about(p.wheel, body_of[p.instance], revolutes, slides) for p in (pair.a, pair.b)]
    both = (set(reached[0]) & set(reached[1])) - {body_of[pair.a.instance], body_of[pair.b.instance]}
    return min(both, key=lambda body: (reached[0][body] + reached[1][body], body), default=None)


def steps_about(
    wheel: Wheel,
    start: str,
    revolutes: Sequence[tuple[str, str, Vector, Vector]],
    slides: Sequence[tuple[str, str, Vector]] = (),
) -> dict[str, int]:
    """How many joints about the wheel's axis (of a rack: slides along it) lead from its body to each other one."""
    near: dict[str, list[str]] = {}
    if wheel.kind is WheelKind.RACK:
        # A slide has no line of its own: along its direction it guides the rack wherever that lies.
        revolutes = [(a, b, wheel.point, direction) for a, b, direction in slides]
    for a, b, point, direction in revolutes:
        if about(wheel, point, direction):
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
    steps, queue = {start: 0}, deque([start])
    while queue:
        body = queue.popleft()
        for other in near.get(body, ()):
            if other not in steps:
                steps[other] = steps[body] + 1
                queue.append(other)
    return steps
