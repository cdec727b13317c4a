"""Occurrences as CAD systems nest them, turned into instances, components and the tree; features found by path.

A sub-assembly is rigid (one component with all in it) or flexible (its children are components). What is fixed in
a flexible sub-assembly is fixed to that sub-assembly's frame, not to the world: all such children stand for the
frame, and are on the ground only if the sub-assembly is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from cadbridge.assembly import GROUND, Component, Feature, FeatureKind, Instance, Part
from cadbridge.budget import allowed, beyond
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Matrix, Pose, Vector, unit
from cadbridge.readers.names import free_name, unused
from cadbridge.readers.placement import ALIGNED, EXACT_ROTATION, Rigid, compose, proper
from cadbridge.shapes import MIRROR_SUFFIX
from cadbridge.shapes.convert import mirrored, mirrored_mass

DEEPEST_ASSEMBLY = 64
"""Levels of sub-assemblies; a choice: machines have ten. Python's recursion, of three calls a level, ends near 300."""

Key = tuple[str, ...]


@dataclass(eq=False)
class Occurrence:
    """An occurrence as the file has it.

    `matrix` (3, 4), m, takes its frame to the parent's and may mirror. `part` is the key of the part, None
    for a sub-assembly. `uid` is the step by which the file's paths name it.
    """

    name: str
    uid: str
    matrix: Matrix
    part: str | None = None
    children: list[Occurrence] = field(default_factory=list)
    grounded: bool = False
    flexible: bool = False
    product: str = ""
    where: Where = field(default_factory=Where)


@dataclass(frozen=True, eq=False)
class PlacedOccurrence:
    """Where a path of the file leads: the occurrence's name, component, and map (3, 4) to the world in m."""

    name: str
    component: str
    matrix: Matrix
    instance: str | None = None


class Structure:
    """Occurrences placed: what an Assembly takes, and features by the file's paths."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.parts: dict[str, Part] = {}
        self.instances: list[Instance] = []
        self.tree: list[dict[str, object]] = []
        self.placed: dict[Key, PlacedOccurrence] = {(): PlacedOccurrence("", GROUND, np.eye(3, 4))}
        self._by_key: dict[str, str] = {}
        self._components: dict[str, Component] = {}
        self._members: dict[str, list[str]] = {}

    @property
    def components(self) -> tuple[Component, ...]:
        """The components with their instances."""
        return tuple(replace(c, instances=tuple(self._members[n])) for n, c in self._components.items())

    def add_part(self, key: str, part: Part) -> Part:
        """A part by the file's key; its name is made unique."""
        name = unused(part.name or key, self.parts)
        part = replace(part, name=name)
        self.parts[name] = part
        self._by_key[key] = name
        return part

    def known(self, key: str) -> bool:
        """Whether a part of that key was added."""
        return key in self._by_key

    def place(self, occurrences: list[Occurrence]) -> None:
        """Place the first-level occurrences and all below them; InputError (CB138) where they are too many."""
        try:
            self._siblings(occurrences, np.eye(3, 4), "", (), None, True, GROUND)
        except _TooManyError as error:
            deep = f"more than {DEEPEST_ASSEMBLY} levels of assemblies"
            text = beyond("instances", len(self.placed), "this assembly") or deep
            self.findings.add("CB138", text, error.where)
            raise InputError(text, self.findings) from None

    def _siblings(
        self, items: list[Occurrence], X: Matrix, prefix: str, key: Key, component: str | None, still: bool, frame: str
    ) -> list[str]:
        """Place siblings below a parent's map X; `component` takes them up if they are in a rigid one.

        `still`: the parent's frame is the world's; `frame`: the component that stands for it ("" if none yet).
        """
        taken: set[str] = set()
        paths = []
        for item in items:
            name = prefix + self._unique(item, prefix, taken)
            paths.append(name)
            matrix = compose(X, item.matrix)
            here = (*key, item.uid)
            rigid = proper(matrix)
            row: dict[str, object] = {"path": name, "product": item.product, "X_WI": rigid[0]}
            self.tree.append(row)
            # The first component from above: what lies below it is rigid within it.
            if component is None and not (item.flexible and item.children):
                fixed = item.grounded
                own = frame if fixed and frame not in ("", GROUND) else name
                if own == name:
                    self._component(name, rigid[0], item, fixed and still)
                # The first fixed child bears the sub-assembly's frame, and the further ones are one body with it.
                if fixed and not frame:
                    frame = name
                below = self._below(item, matrix, rigid, name, here, own)
            elif component is None:
                below = self._flexible(item, matrix, name, here, still)
            else:
                below = self._below(item, matrix, rigid, name, here, component)
            row |= {"children": below, "leaf": not below and item.part is not None}
        # Mates may hold the sub-assembly's own planes, which are known by its path.
        if key and frame and key in self.placed:
            self.placed[key] = replace(self.placed[key], component=frame)
        return paths

    def _below(self, item: Occurrence, matrix: Matrix, rigid: Rigid, name: str, key: Key, component: str) -> list[str]:
        """What lies in a rigid component: the instance of a leaf, or the children."""
        leaf = item.part is not None
        self.placed[key] = PlacedOccurrence(name, component, matrix, name if leaf else None)
        if leaf:
            self._leaf(item, rigid, name, key, component)
        return self._siblings(item.children, matrix, name + "/", key, component, False, "") if item.children else []

    def _flexible(self, item: Occurrence, matrix: Matrix, name: str, key: Key, still: bool) -> list[str]:
        on_ground = item.grounded and still
        self.placed[key] = PlacedOccurrence(name, "", matrix)
        return self._siblings(item.children, matrix, name + "/", key, None, on_ground, GROUND if on_ground else "")

    def _unique(self, item: Occurrence, prefix: str, taken: set[str]) -> str:
        base = " ".join(item.name.split()).replace("/", "_") or item.uid.replace("/", "_") or "Unnamed"
        name = free_name(base, taken, "{}:{}")
        if name != base:
            text = f"two occurrences are named {prefix}{base}; one is called {prefix}{name}"
            self.findings.add("CB107", text, replace(item.where, item=prefix + name))
        if len(self.placed) > allowed("instances") or prefix.count("/") > DEEPEST_ASSEMBLY:
            raise _TooManyError(item.where)
        return name

    def _component(self, name: str, pose: Pose, item: Occurrence, grounded: bool) -> None:
        self._components[name] = Component(name, (), pose, grounded, where=item.where)
        self._members[name] = []

    def _leaf(self, item: Occurrence, rigid: Rigid, name: str, key: Key, component: str) -> None:
        pose, flip, scale, shear = rigid
        if shear > EXACT_ROTATION or abs(scale - 1.0) > EXACT_ROTATION:
            text = f"the placement of {name} is not a rigid motion (scale {scale:.6g}, shear {shear:.2g})"
            self.findings.add("CB133", text, item.where)
        assert item.part is not None
        part = self.parts[self._by_key[item.part]]
        if flip:
            self.findings.add("CB131", f"{name} is a mirrored {part.name}", item.where)
            part = self._mirrored(part)
        self.instances.append(Instance(name, part.name, pose, component, product_path=key))
        self._members[component].append(name)

    def _mirrored(self, part: Part) -> Part:
        """The part mirrored at its plane x = 0, made once."""
        name = f"{part.name} (mirrored)"
        if name not in self.parts:
            self.parts[name] = replace(
                part,
                name=name,
                shape=None if part.shape is None else mirrored(part.shape, MIRROR_SUFFIX),
                declared=None if part.declared is None else mirrored_mass(part.declared),
                mirrored_from=part.name,
            )
        return self.parts[name]

    def feature(
        self, place: PlacedOccurrence, kind: FeatureKind, point: ArrayLike, direction: ArrayLike | None = None,
        x: ArrayLike | None = None, radius: float | None = None, label: str = "",
    ) -> Feature:  # fmt: skip
        """A feature given in an occurrence's own frame (m), in its component's frame.

        A frame's x is made perpendicular to its direction. ValueError where a direction is zero
        or x lies along z.
        """
        X_CW = self.frame(place.component).inverse()
        # The map of the file, not its rigid motion: a mirrored part's features are mirrored with it.
        linear = place.matrix[:, :3]
        world = linear @ np.asarray(point, dtype=float) + place.matrix[:, 3]
        z = None if direction is None else unit(X_CW.R @ linear @ unit(direction))
        e1: Vector | None = None
        if z is not None and x is not None:
            across = unit(X_CW.R @ linear @ unit(x))
            across = across - z * float(z @ across)
            if float(np.linalg.norm(across)) < ALIGNED:
                raise ValueError("x lies along the direction")
            e1 = unit(across)
        return Feature(place.component, kind, X_CW.point(world), z, e1, radius, place.instance, label)

    def frame_of(self, key: Key) -> PlacedOccurrence:
        """A component without parts for the frame of a flexible sub-assembly in which nothing is fixed."""
        place = self.placed[key]
        if not place.component:
            self._components[place.name] = Component(place.name, (), proper(place.matrix)[0])
            self._members[place.name] = []
            place = self.placed[key] = replace(place, component=place.name)
        return place

    def is_grounded(self, component: str) -> bool:
        """Whether a component stands still."""
        return component == GROUND or self._components[component].grounded

    def frame(self, component: str) -> Pose:
        """X_WC of a component; the identity for the ground."""
        return Pose() if component == GROUND else self._components[component].X_WC


class _TooManyError(Exception):
    """The occurrences unfold into more than is read."""

    def __init__(self, where: Where) -> None:
        super().__init__()
        self.where = where
