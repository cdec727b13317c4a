"""To which body each fastener goes, once the bodies are found without them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from cadbridge.findings import Findings
from cadbridge.frames import Vector
from cadbridge.mass.overlap import overlaps_of
from cadbridge.recognition.contacts.contacts import EXACT_SLACK, Contact
from cadbridge.recognition.evidence.bolts import beside_head
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.standard.screws import StandardPart
from cadbridge.recognition.ties import Tie

Reached = tuple[int, float, str]
"""How many sub-assemblies two parts share, the volume (m³) that they have in common, the other part."""


@dataclass(frozen=True, eq=False)
class Hosts:
    """What fasteners touch (how firmly, which), which touch each other, what those without contact reach into."""

    whole: Scene
    fasteners: Mapping[str, StandardPart]
    touched: dict[str, list[tuple[float, str]]]
    stacks: Groups
    reached: dict[str, list[Reached]]

    def ties(self) -> Iterator[Tie]:
        """Pairs of parts that two fasteners at least reach into, where no contact says that they hold them."""
        both: dict[tuple[str, str], int] = defaultdict(int)
        for found in self.reached.values():
            for a, b in combinations(sorted({other for _, _, other in found}), 2):
                both[a, b] += 1
        for (a, b), count in sorted(both.items(), key=lambda e: (-e[1], e[0])):
            if count > 1:
                yield Tie(a, b, f"{count} fasteners reach into both", 0.7)

    def attach(self, scene: Scene) -> None:
        """Bind each fastener to what is under its head, else to what it touches most, reaches into, or is nearest."""
        for name in self.fasteners:
            scene.groups.add(name)
        for name, standard in sorted(self.fasteners.items()):
            if self.touched[name]:
                _, host = max(self.touched[name])
                scene.bind(name, host, f"a {standard.kind} that holds it", 0.9)
        for names in self.stacks.members().values():
            held = sorted(name for name in names if self.touched[name])
            for name in sorted(name for name in names if not self.touched[name]):
                if held:
                    scene.bind(name, held[0], f"a {self.fasteners[name].kind} on {held[0]}", 0.9)
                else:
                    self._attach_lonely(scene, name)

    def _attach_lonely(self, scene: Scene, name: str) -> None:
        kind = self.fasteners[name].kind
        if self.reached.get(name):
            _, volume, host = max(self.reached[name])
            scene.bind(name, host, f"a {kind} that reaches into it by {volume * 1e9:.4g} mm³", 0.8)
            return
        host = _nearest(scene, self.whole, name)
        scene.bind(name, host, f"a {kind} that touches nothing; nearest to it", 0.3)


def attach_ignored(scene: Scene, whole: Scene, names: Sequence[str]) -> None:
    """Bind what was left out as told to what it touches most and is not with it yet, else to what is nearest."""
    area: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for c in whole.contacts.found:
        for name, other in (c.pair, c.pair[::-1]):
            if name in names and other not in names:
                area[name][other] += c.overlap if c.kind == "plane" else 2 * np.pi * c.radius * c.overlap
    for name in names:
        # A screw in it may be with it already.
        others = [n for n in area[name] if scene.groups.root(n) != scene.groups.root(name)]
        host = max(others, key=lambda n: (area[name][n], n), default=None)
        scene.bind(
            name,
            host or _nearest(scene, whole, name),
            "left out: as told (--ignore), or a spring, a cable or a belt, which yields",
            0.95,
        )


def _nearest(scene: Scene, whole: Scene, name: str) -> str:
    """The instance of a scene whose box is nearest to that of another."""
    middle, radius = _ball_about(whole, name)
    others = ((i.name, *_ball_about(scene, i.name)) for i in scene.assembly.instances)
    return min((float(np.linalg.norm(at - middle)) - r - radius, other) for other, at, r in others)[1]


def hosts_of(scene: Scene, whole: Scene, fasteners: Mapping[str, StandardPart]) -> Hosts:
    """What each fastener may go with; `scene` is without them, `whole` has the contacts of all."""
    touched: dict[str, list[tuple[float, str]]] = defaultdict(list)
    stacks = Groups(fasteners)
    for c in whole.contacts.found:
        ours = [name for name in c.pair if name in fasteners]
        if len(ours) == 2:
            stacks.join(*c.pair)
        elif ours and not beside_head(whole, ours[0], c):
            other = c.b.instance if c.a.instance == ours[0] else c.a.instance
            touched[ours[0]].append((_hold(whole, ours[0], c), other))
    lonely = [name for names in stacks.members().values() if not any(touched[n] for n in names) for name in names]
    return Hosts(whole, fasteners, touched, stacks, _reached(scene, whole, lonely))


def _hold(whole: Scene, name: str, c: Contact) -> float:
    """How firmly a contact holds a fastener: under its head above all, then by the area."""
    standard = whole.standards[name]
    if c.kind != "plane":
        return 2 * np.pi * c.radius * c.overlap if c.kind in ("shaft", "cone") else 0.0
    X = whole.pose(name)
    at = float((c.point - X.point(standard.point)) @ X.vector(standard.axis))
    under = standard.under_head is not None and abs(at - standard.under_head) <= max(whole.contacts.slack, EXACT_SLACK)
    # A square metre, which no face of a fastener has: what lies under the head is what it clamps, however wide its
    # shank stands in something else.
    return c.overlap + (1.0 if under else 0.0)


def _reached(scene: Scene, whole: Scene, names: list[str]) -> dict[str, list[Reached]]:
    """What instances without a contact overlap."""
    if not names:
        return {}
    hosts = [i.name for i in scene.assembly.instances]
    balls = [_ball_about(scene, name) for name in hosts]
    middles, radii = np.array([b[0] for b in balls]), np.array([b[1] for b in balls])
    kept = set(names)
    for middle, radius in (_ball_about(whole, name) for name in names):
        near = np.linalg.norm(middles - middle, axis=1) <= radii + radius
        kept |= {hosts[k] for k in np.flatnonzero(near)}
    # Volumes in common are dear: only those whose balls meet those of the lonely are looked at.
    few = replace(whole.assembly, instances=tuple(i for i in whole.assembly.instances if i.name in kept))
    found: dict[str, list[Reached]] = {name: [] for name in names}
    for o in overlaps_of(few, Findings()):
        for name, other in ((o.a, o.b), (o.b, o.a)):
            if name in found and other not in whole.standards:
                found[name].append((len(whole.shared(name, other)), o.volume, other))
    return found


def _ball_about(scene: Scene, name: str) -> tuple[Vector, float]:
    """The middle of an instance's box in W, and half of its diagonal, m."""
    known, X = scene.faces_of(name), scene.pose(name)
    return (X.p, 0.0) if known is None else (X.point(known.box.mean(axis=0)), known.size / 2)
