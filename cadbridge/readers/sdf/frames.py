"""The frame graph of SDF: every link, frame, joint and model has a pose relative to another, by name, in its scope.

Names are looked up in the scope in which they stand; "a::b" is b of the nested model a, "__model__" the scope's
own frame, "world" the world. Source: "Pose Frame Semantics" of the SDFormat documentation, 1.7 and later; older
versions are the case without `relative_to`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cadbridge.assembly import GROUND
from cadbridge.frames import Pose
from cadbridge.readers.xml import Element

MODEL = "__model__"
WORLD = "world"
MOST_ATTACHED = 200
"""Frames attached to one another in a row; a ring of them has no end, and Python's recursion ends near 1,000 calls."""


class UnresolvedError(Exception):
    """A name that is not there, or that leads back to itself."""


@dataclass(eq=False)
class ScopedFrame:
    """A name in a scope: pose X_RF in what it is relative to, and what it is fixed to."""

    pose: Pose
    relative_to: str
    attached_to: str
    element: Element
    kind: str


@dataclass(eq=False)
class Scope:
    """A model (or the world): its names, nested models, and where it stands in the scope around it."""

    name: str
    element: Element
    parent: Scope | None = None
    entries: dict[str, ScopedFrame] = field(default_factory=dict)
    nested: dict[str, Scope] = field(default_factory=dict)
    placement: str = ""
    canonical: str = ""
    prefix: str = ""
    static: bool = False
    _known: dict[str, Pose] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)

    def X_M(self, name: str) -> Pose:
        """The pose X_MF of a name in this scope's own frame M; UnresolvedError where it has none."""
        # A loop, not recursion: a chain of ten thousand frames is a valid file.
        chain: dict[str, ScopedFrame] = {}
        at = name
        while at not in self._known and at not in ("", MODEL, WORLD) and (at in self.entries or "::" not in at):
            if at in chain:
                raise UnresolvedError(f"{at!r} is placed relative to itself")
            if at not in self.entries:
                raise UnresolvedError(f"{at!r} names no frame")
            chain[at] = self.entries[at]
            at = chain[at].relative_to
        X = self._known[at] if at in self._known else self._beyond(at)
        for link, entry in reversed(chain.items()):
            X = X @ entry.pose
            inner = self.nested.get(link)
            if inner is not None and inner.placement:
                # placement_frame: the pose given is that of a frame within the model, not of the model's own frame.
                X = X @ inner.X_M(inner.placement).inverse()
            self._known[link] = X
        return X

    def _beyond(self, name: str) -> Pose:
        """X_MF of this scope's own frame, the world, or a name of a nested model."""
        if name in ("", MODEL) or (self.parent is None and name == WORLD):
            return Pose()
        if name in self._open:
            raise UnresolvedError(f"{name!r} is placed relative to itself")
        self._open.add(name)
        try:
            if name == WORLD:
                return self.X_W().inverse()
            first, rest = self._within(name)
            if first not in self.nested:
                raise UnresolvedError(f"{name!r} names no frame")
            return self.X_M(first) @ self.nested[first].X_M(rest)
        finally:
            self._open.discard(name)

    def _within(self, name: str) -> tuple[str, str]:
        """The nested model that a name "A::B" begins with, and the rest; before 1.8 the model may be "A::B" itself."""
        steps = name.split("::")
        for k in range(len(steps) - 1, 0, -1):
            if (first := "::".join(steps[:k])) in self.nested:
                return first, "::".join(steps[k:])
        return steps[0], "::".join(steps[1:])

    def X_W(self) -> Pose:
        """The pose of this scope's own frame in the world."""
        return Pose() if self.parent is None else self.parent.X_W() @ self.parent.X_M(self.name)

    def named(self, name: str) -> str:
        """A name of this scope among those of all; "A::B" of files before 1.8 is what nested models give now."""
        return self.prefix + name.replace("::", "/")

    def link(self, name: str) -> str:
        """The component of a link of this scope; one that is called as the world itself is gets another name."""
        full = self.named(name)
        return f"{full}_link" if full == GROUND else full

    def body(self, name: str, steps: int = 0) -> str:
        """The component to which a name is fixed, GROUND for the world; UnresolvedError where there is none."""
        if steps > MOST_ATTACHED:
            raise UnresolvedError(f"{name!r} is attached to itself")
        if name == WORLD:
            return GROUND
        if name in ("", MODEL):
            if self.parent is None:
                return GROUND
            return self.body(self._canonical(), steps + 1)
        if "::" in name and name not in self.entries:
            first, rest = self._within(name)
            if first not in self.nested:
                raise UnresolvedError(f"{name!r} names no link")
            return self.nested[first].body(rest, steps + 1)
        if name in self.nested:
            return self.nested[name].body(MODEL, steps + 1)
        entry = self.entries.get(name)
        if entry is None:
            raise UnresolvedError(f"{name!r} names no link")
        if entry.kind == "link":
            return self.link(name)
        return self.body(entry.attached_to, steps + 1)

    def _canonical(self) -> str:
        """The link that a model's own frame is fixed to: the one named, else its first, else a nested model's."""
        if self.canonical:
            return self.canonical
        first = next((name for name, e in self.entries.items() if e.kind == "link"), None)
        first = first or next((name for name, s in self.nested.items() if s.entries), None)
        if first is None:
            raise UnresolvedError(f"the model {self.name!r} has no link")
        return first
