"""Changes of a mechanism as people write them in a scenario file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import Discriminator, Field, Tag

from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.numbers import FileModel, NotNegative
from cadbridge.simulation.changes import ChangeSpec
from cadbridge.simulation.load_file import PointEntry, Three
from cadbridge.units import MM


class LineEntry(PointEntry):
    """A point of a component; with an `axis` (its direction in the component's frame) the line through it."""

    axis: Three | None = None


Name = Annotated[str, Field(min_length=1)]


class PointsEntry(FileModel):
    """A point of `b` on a point, or with an `axis` on a line, of `a`."""

    name: Name
    a: LineEntry
    b: PointEntry


class WeldEntry(FileModel):
    """Two components held as they then are to each other."""

    name: Name
    a: str
    b: str = "ground"


def _named(value: object) -> str:
    """Whether what is attached or locked bears a name already, or is named by its parts."""
    return "<new>" if isinstance(value, dict | PointsEntry | WeldEntry) else "<joint>"


Attached = Annotated[Annotated[str, Tag("<joint>")] | Annotated[PointsEntry, Tag("<new>")], Discriminator(_named)]
Locked = Annotated[Annotated[str, Tag("<joint>")] | Annotated[WeldEntry, Tag("<new>")], Discriminator(_named)]


class ChangeEntry(FileModel):
    """At a time (s) one of: attach or release a joint or points, lock or unlock a joint or two components."""

    time: NotNegative
    attach: Attached | None = None
    release: str | None = None
    lock: Locked | None = None
    unlock: str | None = None
    impact: Literal["refuse", "plastic"] = "refuse"


@dataclass
class ChangesResolver:
    """From the file's entries to changes; what cannot be is reported at its place (CB620), all of it."""

    mechanism: Mechanism
    findings: Findings
    joint: Callable[[str, Where], Joint | None]
    component: Callable[[str, Where], tuple[int, Pose] | None]
    driven: frozenset[str]
    duration: float
    released: set[str] = field(default_factory=set)
    present: set[str] = field(default_factory=set)
    locked: set[str] = field(default_factory=set)
    parted: set[str] = field(default_factory=set)

    def resolve(self, entries: Sequence[tuple[ChangeEntry, Where]]) -> tuple[ChangeSpec, ...]:
        """All changes in order of time, each held against what is attached and locked by then."""
        found = []
        # In order of time, not of the file: whether a joint can be attached is known only from what was released
        # before.
        for entry, where in sorted(entries, key=lambda pair: pair[0].time):
            verbs = [verb for verb in ("attach", "release", "lock", "unlock") if getattr(entry, verb) is not None]
            if len(verbs) != 1:
                self._refuse("a change is one of attach, release, lock, unlock", where)
                continue
            if entry.time > self.duration:
                self._refuse(f"{entry.time:g} s is after the end of the run at {self.duration:g} s", where)
            what = getattr(entry, verbs[0])
            spec = getattr(self, f"_{verbs[0]}")(what, entry, where)
            if spec is not None:
                found.append(spec)
        return tuple(found)

    def _refuse(self, message: str, where: Where) -> None:
        self.findings.add("CB620", message, where)

    def _attach(self, what: str | PointsEntry, entry: ChangeEntry, where: Where) -> ChangeSpec | None:
        plastic = entry.impact == "plastic"
        if isinstance(what, PointsEntry):
            return self._points(what, entry, where)
        joint = self.joint(what, where)
        if joint is None:
            return None
        if joint.name not in self.released:
            self._refuse(f"{joint.name} is attached at {entry.time:g} s already", where)
            return None
        self.released.discard(joint.name)
        return ChangeSpec(entry.time, "attach", joint.name, joint=joint, plastic=plastic)

    def _points(self, what: PointsEntry, entry: ChangeEntry, where: Where) -> ChangeSpec | None:
        ends = [(e, self.component(e.component, where)) for e in (what.a, what.b)]
        if not self._new(what.name, where) or any(found is None for _, found in ends):
            return None
        placed = [(found[0], found[1].point(np.array(e.point) * MM)) for e, found in ends if found is not None]
        if placed[0][0] == placed[1][0]:
            self._refuse(f"{what.name}: both points are on one rigid body", where)
            return None
        axis = None
        if what.a.axis is not None:
            size = float(np.linalg.norm(what.a.axis))
            if not size > 0:
                self._refuse(f"{what.name}: its axis has no direction", where)
                return None
            assert ends[0][1] is not None
            axis = ends[0][1][1].vector(np.array(what.a.axis) / size)
        self.present.add(what.name)
        spec = (entry.time, "attach", what.name)
        return ChangeSpec(*spec, points=(placed[0], placed[1]), axis=axis, plastic=entry.impact == "plastic")

    def _new(self, name: str, where: Where) -> bool:
        taken = {j.name for j in self.mechanism.joints} | {c.name for c in self.mechanism.couplings}
        taken |= {m.name for m in self.mechanism.assembly.mates}
        if name in taken | self.present | self.locked:
            self._refuse(f"the name {name} is taken at that time", where)
            return False
        return True

    def _release(self, what: str, entry: ChangeEntry, where: Where) -> ChangeSpec | None:
        if what in self.present:
            self.present.discard(what)
            return ChangeSpec(entry.time, "release", what)
        joint = self.joint(what, where)
        if joint is None:
            return None
        if joint.name in self.released or joint.name in self.locked:
            state = "released already" if joint.name in self.released else "locked: unlock it first"
            self._refuse(f"{joint.name} is {state} at {entry.time:g} s", where)
            return None
        self.released.add(joint.name)
        parted = tuple(name for name in couplings_over(self.mechanism, joint) if name not in self.parted)
        self.parted.update(parted)
        return ChangeSpec(entry.time, "release", joint.name, joint=joint, parted=parted)

    def _lock(self, what: str | WeldEntry, entry: ChangeEntry, where: Where) -> ChangeSpec | None:
        plastic = entry.impact == "plastic"
        if isinstance(what, WeldEntry):
            ends = [self.component(name, where) for name in (what.a, what.b)]
            if not self._new(what.name, where) or ends[0] is None or ends[1] is None:
                return None
            if ends[0][0] == ends[1][0]:
                self._refuse(f"{what.name}: both components are on one rigid body", where)
                return None
            self.locked.add(what.name)
            return ChangeSpec(entry.time, "lock", what.name, bodies=(ends[1][0], ends[0][0]), plastic=plastic)
        joint = self.joint(what, where)
        if joint is None:
            return None
        for wrong, message in (
            (joint.name in self.locked, "locked already"),
            (joint.name in self.released, "released, so that there is nothing to lock"),
            (joint.name in self.driven, "driven by a motor that prescribes its motion"),
        ):
            if wrong:
                self._refuse(f"{joint.name} is {message} at {entry.time:g} s", where)
                return None
        self.locked.add(joint.name)
        return ChangeSpec(entry.time, "lock", joint.name, joint=joint, plastic=plastic)

    def _unlock(self, what: str, entry: ChangeEntry, where: Where) -> ChangeSpec | None:
        name = what
        if what not in self.locked:
            joint = self.joint(what, where)
            if joint is None:
                return None
            name = joint.name
        if name not in self.locked:
            self._refuse(f"{name} is not locked at {entry.time:g} s", where)
            return None
        self.locked.discard(name)
        joints = {j.name: j for j in self.mechanism.joints}
        return ChangeSpec(entry.time, "unlock", name, joint=joints.get(name))


def couplings_over(mechanism: Mechanism, joint: Joint) -> tuple[str, ...]:
    """The couplings that need a joint: those of its own coordinate, and those of bodies that it holds together.

    A pair of wheels meshes by the joints on the way from the one to the other.
    """
    # Not light, and few runs change anything on the way.
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_edges_from((j.a, j.b) for j in mechanism.joints)
    found = []
    for one in mechanism.couplings:
        named = {*(one.coupling.joints or ()), *(mate for mate, _ in one.coupling.factors)}
        if named:
            if named & {joint.name, *joint.mates}:
                found.append(one.name)
            continue
        ends = [body for body in one.primitive.bodies if graph.has_node(body)]
        if len(ends) < 2 or not nx.has_path(graph, ends[0], ends[-1]):
            continue
        way = nx.shortest_path(graph, ends[0], ends[-1])
        if (joint.a, joint.b) in {pair for u, v in pairwise(way) for pair in ((u, v), (v, u))}:
            found.append(one.name)
    return tuple(found)
