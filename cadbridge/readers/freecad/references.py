"""What a joint's references name: a component, the object whose frame the connector is in, a face, edge or vertex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from cadbridge.assembly import GROUND
from cadbridge.frames import Pose
from cadbridge.readers.freecad.document import Library, Object
from cadbridge.readers.freecad.kinds import CONTAINERS, DATUMS
from cadbridge.readers.freecad.links import ELEMENT, descend
from cadbridge.readers.freecad.tree import UnnamedComponent
from cadbridge.readers.markers import Marker
from cadbridge.shapes import Brep

UNKNOWN = "unknown"
"""The kind of an element of a shape that cannot be read."""


@dataclass(frozen=True, eq=False)
class JointSide:
    """One side of a joint: its component's unit, the connector as marker, X_WM, and the element by kind and radius.

    `kind`: plane, cylinder, cone, torus, sphere, other (faces), line, circle, curve (edges), point, UNKNOWN of a face
    or edge whose shape is not there, or "" for none.
    """

    unit: UnnamedComponent
    marker: Marker
    X_WM: Pose
    kind: str
    radius: float


class Resolver:
    """Follows the dotted paths of references; `shape_of` gives the shape of an object, if `geometry` is read.

    What leads to a datum of `root`, the assembly, leads to the ground.
    """

    def __init__(
        self,
        library: Library,
        by_way: dict[tuple[str, ...], UnnamedComponent],
        shape_of: Callable[[Object], Brep | None],
        root: Object | None = None,
        geometry: bool = True,
    ) -> None:
        self._library = library
        self.findings = library.findings
        self._by_way = by_way
        self._shape_of = shape_of
        self._root = root
        self._geometry = geometry
        self._datums = {} if root is None else datums(root)

    def side(self, joint: Object, number: str, scope: tuple[str, ...]) -> JointSide | None:
        """A side of a joint that lies in the (sub-)assembly at `scope`; a finding and None where it is none."""
        reference, connector = f"Reference{number}", f"Placement{number}"
        way = self._way(joint, reference)
        if not way:
            self.findings.add("CB1238", f"{joint.label}: {reference} names nothing", joint.where(reference))
            return None
        unit, rest = self._unit(way, scope)
        if unit is None:
            unit, rest = self._datum(way)
        X_OM = joint.placement(connector)
        if unit is None and (attached := self._attached(way)) is not None:
            text = f"{joint.label} is on {attached.label}, a datum of the assembly that is attached, and holds nothing"
            self.findings.add("CB1272", text, joint.where(reference), items=[attached.label])
            return None
        if unit is None or X_OM is None:
            code, what = ("CB181", connector) if unit is not None else ("CB162", reference)
            message = "cannot be read" if unit is not None else f"names {'.'.join(way)!r}, which is not a component"
            self.findings.add(code, f"{joint.label}: {what} {message}", joint.where(what))
            return None
        holder, X_CO, element = self._object(unit, rest)
        X_CM = X_CO @ X_OM
        kind, radius = self._element(joint, reference, holder, element)
        X_WM = unit.X_WC @ X_CM
        return JointSide(unit, Marker(unit.name, X_WM if unit.name == GROUND else X_CM), X_WM, kind, radius)

    def grounded(self, joint: Object, scope: tuple[str, ...]) -> UnnamedComponent | None:
        """What a grounded joint holds; a finding and None where that is no component, None of a datum."""
        target = joint.link("ObjectToGround")
        unit = None if target is None else self._by_way.get((*scope, target[1]))
        if unit is None and (target is None or target[1] not in self._datums):
            message = f"{joint.label} grounds {None if target is None else target[1]!r}, which is not a component"
            self.findings.add("CB162", message, joint.where("ObjectToGround"))
        return unit

    def _way(self, joint: Object, reference: str) -> list[str]:
        """The names from the link's own object on, down to the element (which may be empty)."""
        target = joint.link(reference)
        subs = joint.subs(reference)
        if target is None:
            return []
        # FreeCAD 1.1 may put the mapped name between: ";...;:H,E" pieces hold no object.
        pieces = [p for p in (subs[0] if subs else "").split(".") if not p.startswith(";")]
        return [target[1], *pieces]

    def _unit(self, way: list[str], scope: tuple[str, ...]) -> tuple[UnnamedComponent | None, list[str]]:
        """The component that a way leads to, and what is left of the way."""
        # The longest first: a member of a flexible sub-assembly before the sub-assembly. Names of folders may stand
        # before it. Eight levels are more than people make, and keep a long way from taking the square of its length.
        for names in (way, _numbered(way)):
            for start in range(len(way)):
                for stop in range(min(len(way), start + 8), start, -1):
                    for prefix in (scope, ()):
                        unit = self._by_way.get((*prefix, *names[start:stop]))
                        if unit is not None:
                            return unit, way[stop:]
        return None, []

    def _attached(self, way: list[str]) -> Object | None:
        """The attached datum of the assembly that a way leads to."""
        if self._root is None:
            return None
        first = next(iter(self._below_root(way)), "")
        found = self._root.document.objects.get(first) if first in self._root.links("Group") else None
        return found if found is not None and found.type in DATUMS else None

    def _below_root(self, way: list[str]) -> list[str]:
        """A way from the assembly on: the parts that hold it may stand before."""
        start = way.index(self._root.name) + 1 if self._root is not None and self._root.name in way else 0
        return way[start:]

    def _datum(self, way: list[str]) -> tuple[UnnamedComponent | None, list[str]]:
        """The datum of the assembly that a way leads to, as the ground, and the way from the datum on."""
        below = self._below_root(way)
        datum = self._datums.get(below[0]) if below else None
        if datum is None or self._root is None:
            return None, []
        X_WD = place_of_assembly(self._root) @ (datum.placement() or Pose())
        return UnnamedComponent((), datum, (), X_WD, name=GROUND), below[1:]

    def _object(self, unit: UnnamedComponent, rest: list[str]) -> tuple[Object, Pose, str]:
        """The object in whose frame the connector is, X_CO, and the element's name."""
        *names, element = rest or [""]
        return *descend(self._library, unit.object, names), element

    def _element(self, joint: Object, reference: str, holder: Object, element: str) -> tuple[str, float]:
        """The kind and radius of a face, edge or vertex of an object; "" for none, UNKNOWN without a shape."""
        named = ELEMENT.search(element)
        if named is None:
            return "", 0.0
        what, index = named[1], int(named[2]) - 1
        if what == "Vertex":
            return "point", 0.0
        brep = self._shape_of(holder)
        if brep is None:
            return UNKNOWN if self._geometry else "", 0.0
        items = brep.shape.faces if what == "Face" else brep.edges
        if not 0 <= index < len(items):
            message = f"{joint.label}: {holder.label} has no {element}; it has {len(items)}"
            self.findings.add("CB162", message, joint.where(reference))
            return "", 0.0
        if what == "Face":
            face = brep.shape.faces[index]
            return face.kind, face.radius or 0.0
        return brep.edges[index]


def _numbered(way: list[str]) -> list[str]:
    """A way with the copies of arrays by their numbers: FreeCAD calls the second of `Row` `Row_i1`, too."""
    copies = [name.removeprefix(f"{above}_i") for above, name in pairwise(way)]
    return [*way[:1], *(str(int(c)) if c != n and c.isdecimal() else n for c, n in zip(copies, way[1:], strict=True))]


def place_of_assembly(root: Object) -> Pose:
    """The pose of an assembly in the world of its document: parts that hold it count."""
    X, here, above = root.placement() or Pose(), root, [root]
    while True:
        holders = (o for o in root.document.objects.values() if o.type in CONTAINERS and here.name in o.links("Group"))
        holder = next((o for o in holders if o not in above), None)
        if holder is None:
            return X
        X, here = (holder.placement() or Pose()) @ X, holder
        above.append(holder)


def datums(root: Object) -> dict[str, Object]:
    """The origin of an assembly, and its datums that are attached to nothing: FreeCAD's solver holds them still."""
    objects = root.document.objects
    names = [name for name in root.links("Group") if name in objects and objects[name].type in DATUMS]
    # The first mode of an attachment is none.
    loose = [n for n in names if objects[n].choice("MapMode") in (None, "0", "Deactivated")]
    origin = root.link("Origin")
    return {n: objects[n] for n in (*loose, *([origin[1]] if origin else [])) if n in objects}
