"""What the steps of recognition share: the parts, their contacts, and the bodies so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.findings import Findings
from cadbridge.frames import Pose, Vector
from cadbridge.mass.meeting import SolidScene
from cadbridge.mass.overlap import overlaps_of
from cadbridge.recognition.contacts.contacts import ROUNDING, Contact, Contacts
from cadbridge.recognition.contacts.judging import judge
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.faces.parts import PartFaces
from cadbridge.recognition.faces.revolution import Revolution, revolution_of
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.model import Bond
from cadbridge.recognition.part_names import own_names
from cadbridge.recognition.standard.names import StandardKind
from cadbridge.recognition.standard.screws import StandardPart
from cadbridge.recognition.ties import Held, Tie

MOST_LINKS = 12
"""Parts that a model of links alone, without a fastener, has at most. A choice: 54 machines have 11, 12 | 14."""


class Overlaps:
    """The pairs of instances that overlap, with their volumes in m³, found when they are first asked for."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], list[tuple[str, str, float]]] = {}

    def of(self, assembly: Assembly) -> list[tuple[str, str, float]]:
        """The pairs of an assembly."""
        key = tuple(i.name for i in assembly.instances)
        if key not in self._found:
            self._found[key] = [(o.a, o.b, o.volume) for o in overlaps_of(assembly, Findings())]
        return self._found[key]


@dataclass(frozen=True, eq=False)
class Driven:
    """A part that turns on the output of a case, by instances; the contacts that hold it there."""

    case: str
    on: str
    verdict: Verdict
    contacts: tuple[Contact, ...]


@dataclass(eq=False)
class Scene:
    """What the steps of recognition share: the assembly, its surfaces and contacts, and the bodies so far."""

    assembly: Assembly
    faces: dict[str, PartFaces]
    contacts: Contacts
    groups: Groups
    fasteners: dict[str, str] = field(default_factory=dict)
    """What an instance is, where it clamps what it touches: screw, nut, rivet or key."""
    standards: dict[str, StandardPart] = field(default_factory=dict)
    """The instances that are standard parts."""
    bonds: dict[str, list[Bond]] = field(default_factory=lambda: defaultdict(list))
    rolling: list[tuple[str, str, Contact]] = field(default_factory=list)
    """Inner and outer ring, and a contact of a ball that rolls between them."""
    revolutions: dict[str, Revolution | None] = field(default_factory=dict)
    """By part."""
    bolted: bool = False
    """Whether fasteners were taken out."""
    overlaps: Overlaps = field(default_factory=Overlaps)
    _meeting: tuple[Assembly, SolidScene] | None = None
    screwed_ties: tuple[Tie, ...] = ()
    """Pairs that several fasteners reach into."""
    linear: set[str] = field(default_factory=set)
    """Linear bearings, which run along the rod in their bore."""
    pistons: frozenset[str] = frozenset()
    """Pistons by their names, which slide in the bore in which they stand."""
    units: frozenset[str] = frozenset()
    """Bearings with their housings by their names, such as pillow blocks: what stands in their bore turns."""
    keyed: list[Contact] | None = None
    """Shafts with a flat on that of their bore, once they were looked for."""
    driven: list[Driven] = field(default_factory=list)
    """What turns on the outputs of actuators."""
    on_shafts: dict[str, str] = field(default_factory=dict)
    """What stands on the shaft of a motor that is one part, with that motor."""
    idle_horns: dict[str, float] = field(default_factory=dict)
    """Horns of servos that touch nothing else, with their radius in m."""
    meshing: tuple[tuple[str, str], ...] = ()
    """Instances whose teeth mesh for sure."""
    unconnected: Sequence[tuple[str, str]] = ()
    """Instances between whose bodies there is no joint."""
    _between: tuple[Contacts, int, dict[tuple[str, str], list[Contact]]] | None = None
    """The contacts between bodies, of the contacts and with so many bodies: bodies only grow."""
    _sizes: dict[str, float] = field(default_factory=dict)
    _verdicts: dict[tuple[str, str, int, int], Verdict | None] = field(default_factory=dict)

    def connects(self, a: str, b: str) -> bool:
        """Whether the bodies of two instances are two, between which there may be a joint."""
        ends = self.bodies(a, b)
        return len(ends) == 2 and all(self.bodies(*pair) != ends for pair in self.unconnected)

    def hold_apart(self, a: str, b: str) -> None:
        """Keep two instances in two bodies; nothing is done where they are in one already."""
        if self.groups.root(a) != self.groups.root(b):
            self.groups.part(a, b)

    def stay_apart(self, a: str, b: str) -> bool:
        """Whether the bodies of two instances are to stay two."""
        return self.groups.parted(a, b)

    def bind(self, a: str, b: str, reason: str, confidence: float, how: Held = Held.OTHER) -> bool:
        """Make the bodies of two instances one, with the reason; False where they are, or are to stay apart."""
        if self.stay_apart(a, b):
            return False
        if not self.groups.join(a, b):
            return False
        self.bonds[a].append(Bond(a, b, reason, confidence, how=how))
        return True

    def solids(self, work: int) -> SolidScene:
        """The parts as solids, made once, with so many intersections allowed from now on."""
        if self._meeting is None or self._meeting[0] is not self.assembly:
            self._meeting = self.assembly, SolidScene(self.assembly, (), work)
        self._meeting[1].allow(work)
        return self._meeting[1]

    @cached_property
    def top(self) -> int:
        """How many levels of the product structure all instances share: those distinguish nothing."""
        return len(_common([i.name for i in self.assembly.instances]))

    @cached_property
    def links_only(self) -> bool:
        """Whether the model shows links and nothing else: few parts, no sub-assemblies, no standard part.

        Who draws no screw draws no part that screws would hold: each part stands for a body.
        """
        names = [] if self.bolted else [i.name for i in self.assembly.instances]
        flat = all(name.count("/") == self.top for name in names)
        return flat and 0 < len(names) <= MOST_LINKS and not any(self.is_clamp(name) for name in names)

    def is_clamp(self, instance: str) -> bool:
        """Whether an instance is a standard part that turns on nothing, or screwed to another.

        A stepped pin may be a motor or a knob.
        """
        standard = self.standards.get(instance)
        return instance in self.screwed or (standard is not None and standard.kind != StandardKind.PIN)

    @cached_property
    def screwed(self) -> frozenset[str]:
        """The instances that a screw holds to another."""
        return frozenset(name for c in self.contacts.found if c.kind == "bolt" for name in c.pair)

    def shared(self, a: str, b: str) -> tuple[str, ...]:
        """The sub-assemblies that hold both instances and not all, from the top."""
        return tuple(_common([a, b])[self.top :])

    def revolution(self, instance: str) -> Revolution | None:
        """The body of revolution that an instance's part is; None where it is none."""
        part = self.assembly.instance(instance).part
        if part not in self.revolutions:
            known = self.faces_of(instance)
            self.revolutions[part] = None if known is None or not known.surfaces else revolution_of(known)
        return self.revolutions[part]

    def faces_of(self, instance: str) -> PartFaces | None:
        """The surfaces of an instance's part; None where it has no shape."""
        shape = self.assembly.part(self.assembly.instance(instance).part).shape
        return None if shape is None else self.faces.get(shape.key)

    def pose(self, instance: str) -> Pose:
        """Where an instance stands, X_WI."""
        return self.assembly.instance(instance).X_WI

    def bodies(self, a: str, b: str) -> frozenset[str]:
        """The bodies of two instances, by their roots: one where they are of one body."""
        return frozenset((self.groups.root(a), self.groups.root(b)))

    @property
    def rolling_bodies(self) -> dict[frozenset[str], list[Contact]]:
        """The contacts of balls that roll between bodies, as these are now."""
        found: dict[frozenset[str], list[Contact]] = defaultdict(list)
        for inner, outer, contact in self.rolling:
            found[self.bodies(inner, outer)].append(contact)
        return found

    def called(self, instance: str) -> tuple[str, str]:
        """What an instance is called: its own name (`own_names`), and that of its part."""
        return self._names[instance], self.assembly.instance(instance).part

    @cached_property
    def _names(self) -> dict[str, str]:
        return own_names(i.name for i in self.assembly.instances)

    def size(self, instance: str) -> float:
        """The volume of an instance's box, m³: how much of the assembly it is."""
        part = self.assembly.instance(instance).part
        if part not in self._sizes:
            known = self.faces_of(instance)
            # A little more each way, so that a sheet without thickness still has a size by its area.
            self._sizes[part] = 0.0 if known is None else float((known.box[1] - known.box[0] + ROUNDING).prod())
        return self._sizes[part]

    def sizes(self, members: dict[str, list[str]]) -> dict[str, float]:
        """The volume of the boxes of each body's instances, m³, by the body's root."""
        return {root: sum(map(self.size, own)) for root, own in members.items()}

    def extent(self, instance: str, direction: Vector) -> float:
        """How far an instance's box reaches along a direction, m."""
        known = self.faces_of(instance)
        return 0.0 if known is None else float(np.abs(self.pose(instance).R.T @ direction) @ np.ptp(known.box, axis=0))

    def verdict(
        self, a: str, b: str, contacts: Sequence[Contact], members: Mapping[str, Sequence[str]]
    ) -> Verdict | None:
        """What the contacts of two bodies, by their roots, leave free; None where nothing holds.

        Each is judged once: bodies only grow, so that one with this root and so many instances is always the same.
        """
        key = a, b, len(members[a]), len(members[b])
        if key not in self._verdicts:
            self._verdicts[key] = judge(contacts, set(members[a]), self.contacts.slack, self.links_only)
        return self._verdicts[key]

    def between(self) -> dict[tuple[str, str], list[Contact]]:
        """The contacts between different bodies, by their roots in alphabetical order."""
        if self._between is None or self._between[:2] != (self.contacts, self.groups.count):
            found: dict[tuple[str, str], list[Contact]] = defaultdict(list)
            root = {name: body for body, names in self.groups.members().items() for name in names}
            for (a, b), contacts in self.contacts.by_pair.items():
                if root[a] != root[b]:
                    found[(root[a], root[b]) if root[a] < root[b] else (root[b], root[a])] += contacts
            self._between = self.contacts, self.groups.count, dict(found)
        return self._between[2]


def _common(names: Sequence[str]) -> list[str]:
    """The sub-assemblies, from the top, that hold all of some instances."""
    levels = takewhile(lambda level: len(set(level)) == 1, zip(*(name.split("/")[:-1] for name in names), strict=False))
    return [level[0] for level in levels]
