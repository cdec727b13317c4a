"""Links of a mechanism, bound to occurrences of the same file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Component
from cadbridge.findings import Findings, Where
from cadbridge.frames import Matrix, Pose, Vector, frame_from_axis, unit
from cadbridge.readers.bounds import LARGEST_READ
from cadbridge.readers.kinematics.units import context_units
from cadbridge.readers.product_names import clean
from cadbridge.shapes.text21 import Entity, Part21Error, Ref, Text
from cadbridge.units import MM
from solver import rotation

_SAME_PLACEMENT = 1e-6
"""m, and entries of rotations, within which a placement of the file is that of an occurrence.

Two occurrences so near each other cannot be told apart, and the pair is refused.
"""


@dataclass
class LinkPlaces:
    """`path` of the occurrence (GROUND for the whole) and X_WL of every link, by number; `scale` m a unit of length."""

    path: dict[int, str] = field(default_factory=dict)
    X_WL: dict[int, Pose] = field(default_factory=dict)
    scale: dict[int, float] = field(default_factory=dict)
    grounded: set[str] = field(default_factory=set)
    file: str = ""
    X_WC: dict[str, Pose] = field(default_factory=dict)


def read_links(text: Text, assembly: Assembly, path: Path, findings: Findings) -> LinkPlaces:
    """All links that can be bound to an occurrence; the others are reported."""
    links = LinkPlaces(file=str(path))
    tree = {entry["path"]: entry for entry in assembly.extra.get("tree", ())}
    occurrences = Occurrences(text, assembly, tree)
    for link, representation in _representations(text):
        where = Where(file=str(path))
        try:
            found = occurrences.of(representation)
            _check_whole(assembly, found)
        except Part21Error as error:
            findings.add("CB782", f"the link #{link} is bound to no occurrence: {error}", where)
            continue
        links.path[link] = found
        links.X_WL[link] = Pose() if found == GROUND else tree[found]["X_WI"]
        # The third attribute of a representation is its context, which assigns the units. Each link may have its own.
        context = argument(text, representation, 2)
        links.scale[link] = context_units(text, context).length if isinstance(context, Ref) else MM
    for base in _bases(text, findings):
        if base in links.path and links.path[base] != GROUND:
            links.grounded.add(links.path[base])
    by_path = {c.name: c for c in assembly.components}
    for name in set(links.path.values()) - {GROUND}:
        links.X_WC[name] = by_path[name].X_WC if name in by_path else _pose_of(assembly, name, tree[name]["X_WI"])
    return links


def _pose_of(assembly: Assembly, path: str, X: Pose) -> Pose:
    """X_WC as the STEP reader has it: of one instance the instance's, of several the occurrence's."""
    inside = _inside(assembly, path)
    return assembly.instance(inside[0]).X_WI if len(inside) == 1 else X


def _check_whole(assembly: Assembly, path: str) -> None:
    """Part21Error for an occurrence that shows its product mirrored or scaled: frames on it are the product's."""
    parts = (assembly.part(assembly.instance(i).part) for i in ([] if path == GROUND else _inside(assembly, path)))
    if any(part.mirrored_from is not None for part in parts):
        raise Part21Error(f"{path} is a mirrored or scaled copy, on which no frame of a pair is known")


def _inside(assembly: Assembly, path: str) -> list[str]:
    return [i.name for i in assembly.instances if i.name == path or i.name.startswith(f"{path}/")]


def regrouped(assembly: Assembly, links: LinkPlaces) -> tuple[Component, ...]:
    """The components: every bound occurrence is one, what is left of first-level ones stays."""
    paths = set(links.path.values()) - {GROUND}
    owner: dict[str, str] = {}
    for instance in assembly.instances:
        above = instance.name.split("/")
        ways = ["/".join(above[:n]) for n in range(len(above), 0, -1)]
        owner[instance.name] = next((way for way in ways if way in paths), instance.component)
    members: dict[str, list[str]] = {}
    for name, component in owner.items():
        members.setdefault(component, []).append(name)
    first = {c.name: c for c in assembly.components}
    return tuple(
        replace(
            first.get(name, Component(name, (), links.X_WC.get(name, Pose()), where=Where(links.file, item=name))),
            instances=tuple(inside),
            grounded=name in links.grounded,
        )
        for name, inside in members.items()
    )


def _representations(text: Text) -> Iterable[tuple[int, int]]:
    """Pairs of link and its representation, in both editions."""
    # The second edition names the link in its representation (represented_link).
    for entity in text.of("RIGID_LINK_REPRESENTATION", "KINEMATIC_LINK_REPRESENTATION"):
        arguments = next(iter(entity.parts.values()))
        if len(arguments) >= 4 and isinstance(arguments[3], Ref):
            yield int(arguments[3]), entity.number
    # In the first edition a relation joins them: topological_aspects, geometric_aspects.
    for entity in text.of("KINEMATIC_LINK_REPRESENTATION_RELATION"):
        arguments = next(iter(entity.parts.values()))
        if len(arguments) == 2 and all(isinstance(a, Ref) for a in arguments):
            yield int(arguments[0]), int(arguments[1])


def _bases(text: Text, findings: Findings) -> list[int]:
    """The links that stand still."""
    found: list[int] = []
    # The second edition names the base as a link representation, the first as the link itself.
    for entity in text.of("KINEMATIC_PROPERTY_MECHANISM_REPRESENTATION"):
        base = argument(text, entity.number, 2)
        link = argument(text, base, 3) if isinstance(base, Ref) else None
        found += [int(link)] if isinstance(link, Ref) else []
    for entity in text.of("MECHANISM"):
        link = argument(text, entity.number, 1)
        found += [int(link)] if isinstance(link, Ref) else []
    return found


def argument(text: Text, number: int, index: int) -> Any:
    """An argument of a simple entity, None where it has not so many."""
    try:
        arguments = next(iter(text.get(number).parts.values()))
    except Part21Error:
        return None
    return arguments[index] if index < len(arguments) else None


class Occurrences:
    """Which occurrence of the file a link's representation stands for."""

    def __init__(self, text: Text, assembly: Assembly, tree: dict[str, dict[str, object]]) -> None:
        self._text = text
        self._tree = tree
        self._by_product: dict[str, list[str]] = {}
        for path, entry in tree.items():
            self._by_product.setdefault(str(entry["product"]), []).append(path)
        self._root = assembly.name
        self._shapes: dict[int, list[Entity]] = {}
        self._of_association: dict[int, int] = {}
        self._definition_of_shape = self._shape_definitions()
        self._transform_of_usage = self._usages()
        self._index()

    def _index(self) -> None:
        for entity in self._text.of("KINEMATIC_LINK_REPRESENTATION_ASSOCIATION", "REPRESENTATION_RELATIONSHIP"):
            arguments = self._relation(entity)
            for end in arguments:
                self._shapes.setdefault(end, []).append(entity)
        for entity in self._text.of("CONTEXT_DEPENDENT_KINEMATIC_LINK_REPRESENTATION"):
            relation, product = (*next(iter(entity.parts.values())), None, None)[:2]
            usage = argument(self._text, product, 2) if isinstance(product, Ref) else None
            if isinstance(relation, Ref) and isinstance(usage, Ref):
                self._of_association[int(relation)] = int(usage)

    @staticmethod
    def _relation(entity: Entity) -> tuple[int, ...]:
        arguments = entity.parts.get("REPRESENTATION_RELATIONSHIP") or next(iter(entity.parts.values()))
        return tuple(int(a) for a in arguments[2:4] if isinstance(a, Ref))

    def _shape_definitions(self) -> dict[int, int]:
        """Product definition by its shape representation."""
        found: dict[int, int] = {}
        for entity in self._text.of("SHAPE_DEFINITION_REPRESENTATION"):
            shape, representation = (*next(iter(entity.parts.values())), None, None)[:2]
            definition = argument(self._text, shape, 2) if isinstance(shape, Ref) else None
            if isinstance(representation, Ref) and isinstance(definition, Ref):
                found[int(representation)] = int(definition)
        return found

    def _usages(self) -> dict[int, Entity]:
        """The relation that places an occurrence, by the occurrence's number."""
        found: dict[int, Entity] = {}
        for entity in self._text.of("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"):
            relation, shape = (*next(iter(entity.parts.values())), None, None)[:2]
            usage = argument(self._text, shape, 2) if isinstance(shape, Ref) else None
            if isinstance(relation, Ref) and isinstance(usage, Ref):
                with suppress(Part21Error):  # names and products may still say which occurrence it is
                    found[int(usage)] = self._text.get(relation)
        return found

    def of(self, representation: int) -> str:
        """The path of the occurrence; Part21Error where it cannot be found."""
        associations = self._shapes.get(representation, [])
        if not associations:
            raise Part21Error("no association names a shape for it")
        for entity in associations:
            usage = self._of_association.get(entity.number)
            if usage is not None:
                return self._occurrence(usage)
        for entity in associations:
            for end in self._relation(entity):
                definition = self._definition_of_shape.get(end)
                if definition is not None:
                    return self._only(definition)
        raise Part21Error("the shape it names belongs to no product")

    def usages(self) -> dict[str, int]:
        """The NEXT_ASSEMBLY_USAGE_OCCURRENCE of every path that has one of its own."""
        found: dict[str, int] = {}
        for usage in self._text.numbers_of("NEXT_ASSEMBLY_USAGE_OCCURRENCE"):
            try:
                found.setdefault(self._occurrence(usage), usage)
            except Part21Error:
                continue
        return found

    def shape_of(self, definition: int) -> int | None:
        """The shape representation of a product definition."""
        return next((shape for shape, d in self._definition_of_shape.items() if d == definition), None)

    def pose(self, path: str) -> Pose:
        """X_WI of an occurrence."""
        X = self._tree[path]["X_WI"]
        assert isinstance(X, Pose)
        return X

    def root(self) -> int | None:
        """The product definition of the assembly itself."""
        for definition in self._definition_of_shape.values():
            try:
                if self._product(definition) == self._root:
                    return definition
            except Part21Error:
                continue
        return None

    def _product(self, definition: int) -> str:
        formation = argument(self._text, definition, 2)
        product = argument(self._text, formation, 2) if isinstance(formation, Ref) else None
        if not isinstance(product, Ref):
            raise Part21Error(f"#{definition} is of no product")
        identifier, name = argument(self._text, product, 0), argument(self._text, product, 1)
        return clean(str(name or identifier or "")) or str(identifier)

    def _only(self, definition: int) -> str:
        """The one occurrence of a product; GROUND for the assembly itself."""
        product = self._product(definition)
        paths = self._by_product.get(product, [])
        if len(paths) == 1:
            return paths[0]
        if not paths and product == self._root:
            return GROUND
        raise Part21Error(f"{product!r} occurs {len(paths)} times, and which one is meant is not said")

    def _occurrence(self, usage: int) -> str:
        """The path of a NEXT_ASSEMBLY_USAGE_OCCURRENCE: by product, then by name, then by placement."""
        arguments = next(iter(self._text.get(usage).parts.values()))
        if len(arguments) < 5 or not isinstance(arguments[4], Ref):
            raise Part21Error(f"#{usage} is not an occurrence")
        paths = self._by_product.get(self._product(arguments[4]), [])
        # id and name of the occurrence; writers put what the user sees into either.
        names = {clean(str(n)) for n in arguments[:2] if n}
        named = [p for p in paths if p.rpartition("/")[2] in names]
        if len(named) == 1:
            return named[0]
        candidates = named or paths
        placed = self._placed(usage)
        near = [p for p in candidates if placed is not None and _same(self._local(p), placed)]
        if len(near) == 1:
            return near[0]
        if len(candidates) == 1:
            return candidates[0]
        raise Part21Error(
            f"the occurrence #{usage} may be any of {len(candidates)}: neither its name nor its place says which"
        )

    def _local(self, path: str) -> Pose:
        """The pose of an occurrence in the one above it."""
        above = path.rpartition("/")[0]
        X = self._tree[path]["X_WI"]
        assert isinstance(X, Pose)
        if not above:
            return X
        X_above = self._tree[above]["X_WI"]
        assert isinstance(X_above, Pose)
        return X_above.inverse() @ X

    def _placed(self, usage: int) -> Pose | None:
        relation = self._transform_of_usage.get(usage)
        arguments = None if relation is None else relation.parts.get("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION")
        if relation is None or not arguments or not isinstance(arguments[0], Ref):
            return None
        representation = next((int(r) for r in self._relation(relation)), 0)
        context = argument(self._text, representation, 2)
        scale = context_units(self._text, context).length if isinstance(context, Ref) else MM
        first, second = (placement(self._text, argument(self._text, arguments[0], i), scale) for i in (2, 3))
        # transform_item_1 lies in the component's representation, transform_item_2 in the assembly's: the occurrence is
        # placed so that they coincide.
        return second @ first.inverse()


def _same(A: Pose, B: Pose) -> bool:
    return bool(np.abs(A.p - B.p).max() < _SAME_PLACEMENT and np.abs(A.R - B.R).max() < _SAME_PLACEMENT)


def placement(text: Text, reference: object, scale: float) -> Pose:
    """An AXIS2_PLACEMENT_3D as a pose, lengths times `scale`; Part21Error where it is none."""
    if not isinstance(reference, Ref):
        raise Part21Error("a placement is missing")
    arguments = text.get(reference).parts.get("AXIS2_PLACEMENT_3D")
    if arguments is None or len(arguments) != 4:
        raise Part21Error(f"#{int(reference)} is not a placement")
    point = _triple(text, arguments[1], "CARTESIAN_POINT")
    z = (0.0, 0.0, 1.0) if arguments[2] is None else _triple(text, arguments[2], "DIRECTION")
    x = (1.0, 0.0, 0.0) if arguments[3] is None else _triple(text, arguments[3], "DIRECTION")
    try:
        return Pose(_rotation(unit(z), unit(x)), np.array(point) * scale)
    except ValueError as error:
        raise Part21Error(f"#{int(reference)} has an axis of length zero") from error


def _rotation(z: Vector, x: Vector) -> Matrix:
    """Unit axes as a rotation; where x lies along z, the standard takes the axis that does not."""
    # A reference direction along the axis, but for rounding, says nothing of x (ISO 10303-42).
    if math.hypot(*rotation.cross(z, x).tolist()) < 1e-9:
        x = np.eye(3)[int(np.argmin(np.abs(z)))]
    return frame_from_axis(z, x)


def _triple(text: Text, reference: object, kind: str) -> tuple[float, ...]:
    arguments = text.get(reference).parts.get(kind) if isinstance(reference, Ref) else None
    values = arguments[1] if arguments is not None and len(arguments) == 2 else None
    if (
        not isinstance(values, tuple)
        or len(values) != 3
        or not all(isinstance(v, float) and abs(v) < LARGEST_READ for v in values)
    ):
        raise Part21Error(f"a {kind.lower()} does not have three numbers below {LARGEST_READ:g}")
    return tuple(values)
