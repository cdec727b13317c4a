"""Which pairs of bodies are joints, and which of several on one axis: a hinge of three knuckles is one joint."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Vector
from cadbridge.freedoms import SLIDE
from cadbridge.recognition.contacts.contacts import ALIGNED, EXACT_SLACK, ROUNDING, parallel
from cadbridge.recognition.evidence.candidates import Candidate, candidates_of, linked_by, one_axis
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.model import Rejected
from cadbridge.wording import count

IN_LOOP = 0.4
"""Strength of a hinge where one hole goes on in another and a loop is all that speaks for it. A choice."""

UNMET = 0.45
"""Confidence beside others on its axis of a hinge by holes alone, of parts whose faces do not meet there, at most.

Below that of holes whose faces meet. A choice.
"""

LEFT_FREE = re.compile(r"-\d+$")
"""How SolidWorks calls an instance."""


def find_joints(scene: Scene, is_pin: Callable[[str], bool]) -> tuple[list[Candidate], list[Rejected]]:
    """The joints between the bodies as they are now, and what was seen and not taken."""
    members = scene.groups.members()
    candidates = candidates_of(scene, members)
    rejected: list[Rejected] = []
    candidates = _one_partner(scene, candidates, _pins(scene, members, is_pin), rejected)
    return trees(scene, candidates, rejected), rejected


def bind_pins(scene: Scene, is_pin: Callable[[str], bool], turned: Collection[str]) -> None:
    """A pin on which two bodies turn to the one whose faces its ends are flush with: it would only spin there.

    Not those of `turned` (wheels and lead screws), nor where instances are called as SolidWorks calls them: its mates
    leave the spin of a pin free, and so it counts.
    """
    if spins_count(scene):
        return
    members = scene.groups.members()
    pins = {root for root in _pins(scene, members, is_pin) if not set(members[root]) & set(turned)}
    sizes = scene.sizes(members)
    held: dict[str, list[tuple[int, float, str]]] = defaultdict(list)
    for c in candidates_of(scene, members):
        for pin in {c.a, c.b} & pins:
            host = c.other(pin)
            if host not in pins:
                held[pin].append((_flush(scene, pin, c), sum(k.overlap for k in c.contacts), host))
    for pin, hosts in held.items():
        flush, _, host = max(hosts)
        # What is larger than the part that it would go with is an axle, which carries that.
        if len(hosts) > 1 and flush and sizes[pin] < sizes[host]:
            scene.bind(pin, host, f"a pin that would only spin; {count(flush, 'end')} flush with it", 0.6)


def spins_count(scene: Scene) -> bool:
    """Whether the mates of the program that names instances so leave the spin of pins free: then it is a freedom."""
    called = [i.name for i in scene.assembly.instances]
    return 2 * sum(bool(LEFT_FREE.search(name)) for name in called) > len(called)


def _pins(scene: Scene, members: dict[str, list[str]], is_pin: Callable[[str], bool]) -> set[str]:
    """The bodies that are pins, with rings and fasteners on them."""
    return {
        root
        for root, names in members.items()
        if any(is_pin(n) for n in names) and all(_slim(scene, is_pin, n) for n in names)
    }


def _slim(scene: Scene, is_pin: Callable[[str], bool], name: str) -> bool:
    revolution = scene.revolution(name)
    return is_pin(name) or name in scene.fasteners or (revolution is not None and revolution.is_ring)


def pivots_in_loops(scene: Scene, joints: Sequence[Candidate]) -> list[Candidate]:
    """Hinges where one hole goes on in that of a body that is joined to it by way of others.

    A bolt there would be one more joint, not a bond: and holes of bodies that move are in line by no chance.
    """
    linked, members, known = linked_by(scene, joints), scene.groups.members(), {frozenset((c.a, c.b)) for c in joints}
    found = []
    for (a, b), contacts in scene.between().items():
        if frozenset((a, b)) in known or linked.root(a) != linked.root(b) or not scene.connects(a, b):
            continue
        verdict = scene.verdict(a, b, contacts, members)
        if verdict is not None and verdict.type == "rest" and any(c.kind == "holes" for c in contacts):
            evidence = (*verdict.evidence[:-1], "the two are joined by way of others, so that no bolt holds them")
            against = ("no shaft in the bores",)
            hinge = replace(verdict, type="revolute", evidence=evidence, against=against, confidence=IN_LOOP)
            found.append(Candidate(a, b, hinge, tuple(contacts)))
    return found


def _one_partner(
    scene: Scene, candidates: list[Candidate], pins: set[str], rejected: list[Rejected]
) -> list[Candidate]:
    """A pin turns against one of the bodies it stands in, where joints say that the others turn against that on it."""
    by_pin: dict[str, list[Candidate]] = defaultdict(list)
    for c in candidates:
        for body in (c.a, c.b):
            if body in pins and c.other(body) not in pins:
                by_pin[body].append(c)
    dropped: set[int] = set()
    kept: dict[int, Candidate] = {}
    lines = np.array([_line(c) for c in candidates]).reshape(-1, 2, 3)
    for pin, own in by_pin.items():
        ranked = sorted(own, key=lambda c: (-_flush(scene, pin, c), -sum(k.overlap for k in c.contacts), c.other(pin)))
        first = ranked[0]
        flush = _flush(scene, pin, first)
        text = f"{count(flush, 'end')} of the pin flush with it" if flush else "the longest bore on the pin"
        verdict = replace(first.verdict, evidence=(*first.verdict.evidence, text))
        # A second body, or ends that are flush, say where the pin stays along its axis: it does not slide.
        if len(own) > 1 or flush:
            verdict = replace(verdict, type="revolute", against=())
        kept[id(first)] = replace(first, verdict=verdict)
        beside = _turning_beside(scene, candidates, lines, pin, first) if len(own) > 1 else Groups(())
        for c in ranked[1:]:
            # Far from the others on a rod, it turns on nothing but the rod.
            for body in (first.other(pin), c.other(pin)):
                beside.add(body)
            if beside.join(first.other(pin), c.other(pin)):
                continue
            dropped.add(id(c))
            reason = f"the pin turns against {first.other(pin)} already, whose faces its ends are flush with"
            rejected.append(Rejected(c.verdict.type, c.a, c.b, reason if flush else reason.split(",")[0]))
    return [kept.get(id(c), c) for c in candidates if id(c) not in dropped]


def _line(c: Candidate) -> tuple[Vector, Vector]:
    """A point and the direction of a joint's axis; not numbers where it has none."""
    nowhere = np.full(3, np.nan)
    return (nowhere, nowhere) if c.verdict.axis is None else (c.verdict.point, c.verdict.axis)


def _turning_beside(
    scene: Scene, candidates: Sequence[Candidate], lines: NDArray[np.float64], pin: str, first: Candidate
) -> Groups:
    """The bodies that turn on each other on the axis of a pin, without the pin; `lines` are those of the candidates."""
    groups = Groups(())
    # Those near at once: a thousand pins would else each ask a thousand joints one by one.
    off = np.linalg.norm(np.cross(_line(first)[0] - lines[:, 0], lines[:, 1]), axis=1)
    for k in np.flatnonzero(off < 4 * (scene.contacts.slack + EXACT_SLACK)).tolist():
        c = candidates[k]
        if pin not in (c.a, c.b) and one_axis(scene, first, c):
            for body in (c.a, c.b):
                groups.add(body)
            groups.join(c.a, c.b)
    return groups


def _flush(scene: Scene, pin: str, candidate: Candidate) -> int:
    """How many ends of a pin lie in one plane with faces of its partner, looking the same way."""
    axis = candidate.verdict.axis
    if axis is None:
        return 0
    ends = [f for name in scene.groups.group(pin) for f in _faces_across(scene, name, axis)]
    if not ends:
        return 0
    spots = [e[0] for e in ends]
    outermost = [(min(spots), -1.0), (max(spots), 1.0)]
    others = {
        (name, way): heights for name in scene.groups.group(candidate.other(pin))
        for way in (-1.0, 1.0) if (heights := [h for h, w in _faces_across(scene, name, axis) if w == way])
    }  # fmt: skip
    tolerance = 2 * scene.contacts.slack + ROUNDING
    return sum(
        any(abs(h - end) <= tolerance for (_, w), heights in others.items() if w == way for h in heights)
        for end, way in outermost
    )


def _faces_across(scene: Scene, name: str, axis: Vector) -> list[tuple[float, float]]:
    """Heights along an axis of the faces of an instance across it, and which way they look."""
    known, X = scene.faces_of(name), scene.pose(name)
    planes = () if known is None else known.of("plane")
    normals = ((s, X.vector(s.direction)) for s in planes)
    return [(float(X.point(s.point) @ axis), math.copysign(1.0, n @ axis)) for s, n in normals if parallel(n, axis)]


def trees(scene: Scene, candidates: list[Candidate], rejected: list[Rejected]) -> list[Candidate]:
    """Of joints on one axis only as many as connect its bodies, the surest first."""
    order = sorted(candidates, key=lambda c: (-_sureness(c), -_nearness(c), c.a, c.b))
    lines = Lines(len(order), 3 * scene.contacts.slack + EXACT_SLACK)
    kept = []
    for c in order:
        axis, point = c.verdict.axis, c.verdict.point
        # Of parallel guides none is another's knuckle, and a ball has no axis.
        if axis is None or c.verdict.free.motion == SLIDE:
            kept.append(c)
            continue
        # Each knuckle of a hinge says the same joint: a second one there would only repeat its constraints.
        groups = lines.at(point, axis)
        for body in (c.a, c.b):
            groups.add(body)
        if groups.join(c.a, c.b):
            kept.append(c)
        else:
            rejected.append(Rejected(c.verdict.type, c.a, c.b, "both turn on this axis by way of others already"))
    return kept


def _sureness(c: Candidate) -> float:
    """The confidence of a joint beside others on its axis: holes of parts that do not meet there say least."""
    unmet = all(k.kind in ("holes", "eyes") for k in c.contacts)
    return min(c.verdict.confidence, UNMET) if unmet else c.verdict.confidence


def _nearness(c: Candidate) -> float:
    """The area with which two bodies touch."""
    return sum(k.overlap for k in c.contacts if k.kind == "plane")


class Lines:
    """Axes, each with the bodies that turn on it; one counts as another where it runs within `near` (m) of it."""

    def __init__(self, count: int, near: float) -> None:
        self._points, self._directions = np.empty((count, 3)), np.empty((count, 3))
        self._groups: list[Groups] = []
        self._near = near

    def at(self, point: Vector, axis: Vector) -> Groups:
        """The bodies on the axis through a point, a new axis where none runs there."""
        count = len(self._groups)
        directions = self._directions[:count]
        skew = np.linalg.norm(np.cross(axis, directions), axis=1)
        off = np.linalg.norm(np.cross(point - self._points[:count], directions), axis=1)
        (same,) = np.nonzero((skew < ALIGNED) & (off < self._near))
        if len(same):
            return self._groups[int(same[0])]
        self._points[count], self._directions[count] = point, axis
        self._groups.append(Groups(()))
        return self._groups[-1]
