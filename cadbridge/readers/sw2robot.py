"""sw2robot's graph.json: SolidWorks components with their places, and mates between faces. m, kg, rad; in the world.

Every mate stands twice in the file, once for each component. Its meshes are 3DXML and are not read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.assembly import Assembly, Feature, FeatureKind, Limit, Mate, MateKind, Part
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.frames import unit
from cadbridge.inertia import MassProperties
from cadbridge.readers.json_file import JsonFile, is_number, names_of, text_of
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.structure import Occurrence, Structure
from cadbridge.wording import count

__all__ = ["read"]

ENTITIES: dict[int, FeatureKind] = {
    0: FeatureKind.POINT,
    1: FeatureKind.AXIS,
    2: FeatureKind.AXIS,
    3: FeatureKind.PLANE,
    4: FeatureKind.AXIS,
    5: FeatureKind.SPHERE,
    7: FeatureKind.AXIS,
}
"""SolidWorks' kinds of mate entities: point, line, circle, plane, cylinder, sphere, cone."""

CIRCLE = 2
"""SolidWorks' kind of mate entity that an edge of a hole or a shaft is."""

KINDS: dict[str, MateKind] = {
    "COINCIDENT": MateKind.COINCIDENT,
    "CONCENTRIC": MateKind.CONCENTRIC,
    "PARALLEL": MateKind.PARALLEL,
    "PERPENDICULAR": MateKind.PERPENDICULAR,
    "TANGENT": MateKind.TANGENT,
    "DISTANCE": MateKind.DISTANCE,
    "ANGLE": MateKind.ANGLE,
    "LOCK": MateKind.FIXED,
}
VALUED = (MateKind.DISTANCE, MateKind.ANGLE)


@dataclass
class _Reader:
    file: JsonFile
    findings: Findings
    seen: set[str] = field(default_factory=set)
    twice: int = 0
    given: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.structure = Structure(self.findings)
        self.limits = list(self.file.objects(self.file.content.get("limit_joints"), "limit_joints"))


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """An assembly with its mates from a graph of sw2robot; a sub-assembly is one rigid component.

    InputError where nothing can be read; all else is in the findings, and what they concern is left out.
    """
    findings = Findings()
    file = JsonFile(Path(path), findings)
    content = file.content
    if not isinstance(content, dict) or not all(isinstance(content.get(k), list) for k in ("components", "edges")):
        file.say("CB180", "there are no lists of components and edges")
        raise InputError(f"{file.path.name} is not a graph of sw2robot.", findings)
    r = _Reader(file, findings)
    _components(r)
    mates = [m for edge in file.objects(content["edges"], "edges") for m in _edge(r, edge)]
    if r.twice:
        file.say("CB1310", count(r.twice, "mate is", "mates are") + " listed twice")
    for name in names_of(content.get("ground")) or ():
        placed = r.structure.placed.get((name,))
        if placed is not None and not r.structure.is_grounded(placed.component):
            file.say("CB1312", f"{name} is mated to the assembly itself", name)
    name = text_of(content.get("robot_name"))
    file.report_misspelt()
    return Assembly(
        name=name or file.path.stem,
        source=str(file.path),
        format="sw2robot",
        parts=tuple(r.structure.parts.values()),
        instances=tuple(r.structure.instances),
        components=r.structure.components,
        mates=tuple(mates),
        units=("sw2robot: m, kg, rad (SI by definition)",),
        mates_in_file=r.given,
        extra={"tree": r.structure.tree},
        findings=findings.as_tuple(),
    )


def _components(r: _Reader) -> None:
    occurrences = []
    for entry in r.file.objects(r.file.content["components"], "components"):
        name = text_of(entry.get("name"))
        sixteen = r.file.vector(entry.get("world"), 16, f"{name or 'a component'}: world", name or None)
        if not name or sixteen is None:
            if not name:
                r.file.say("CB181", "a component has no name")
            continue
        # The determinant of a rotation is 1; a matrix of zeros, or one that flattens, has none.
        if abs(np.linalg.det(sixteen.reshape(4, 4)[:3, :3])) < 1e-9:
            r.file.say("CB181", f"{name}: world is not a placement", name)
            continue
        key = f"{text_of(entry.get('part_path')) or name}|{text_of(entry.get('configuration'))}"
        if not r.structure.known(key):
            r.structure.add_part(key, _part(r, entry, name))
        matrix = sixteen.reshape(4, 4)[:3]
        fixed = entry.get("fixed") is True
        occurrences.append(Occurrence(name, name, matrix, key, grounded=fixed, where=r.file.where(name)))
    r.structure.place(occurrences)


def _part(r: _Reader, entry: dict[str, Any], name: str) -> Part:
    """The part, named by its file, with the mass properties of SolidWorks where they are there."""
    file = text_of(entry.get("part_path")).replace("\\", "/").rpartition("/")[2]
    given = entry.get("density")
    density = None if given is None else r.file.number(given, f"{name}: density", name)
    declared = None
    if entry.get("sw_mass") is not None:
        mass = r.file.number(entry["sw_mass"], f"{name}: sw_mass", name)
        com = r.file.vector(entry.get("sw_com"), 3, f"{name}: sw_com", name)
        six = r.file.vector(entry.get("sw_inertia"), 6, f"{name}: sw_inertia", name)
        if mass is not None and com is not None and six is not None and mass > 0:
            # The upper triangle of the tensor, row by row.
            xx, xy, xz, yy, yz, zz = six
            declared = MassProperties(mass, com, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return Part(
        name=file.rpartition(".")[0] or name,
        material=text_of(entry.get("material")) or None,
        density=density if density is not None and density > 0 else None,
        density_source=None if density is None else "file",
        declared=declared,
        where=r.file.where(name),
    )


def _edge(r: _Reader, edge: dict[str, Any]) -> list[Mate]:
    """The mates between two components, with the limit that the edge has."""
    a, b = text_of(edge.get("a")), text_of(edge.get("b"))
    made: list[Mate] = []
    for entry in r.file.objects(edge.get("mates"), f"mates of {a} and {b}"):
        # The file has no ids of mates: two entries of the same content are the two listings of one mate.
        identity = repr(sorted(entry.items()))
        if identity in r.seen:
            r.twice += 1
            continue
        r.seen.add(identity)
        r.given += 1
        mate = _mate(r, entry, a, b)
        if mate is not None:
            made.append(mate)
    if edge.get("mates") is None:
        r.given += len(names_of(edge.get("types")) or ())
        r.file.say("CB1303", f"the mates of {a} and {b} are given by their types only", a or None)
    return _limited(r, made, {a, b})


def _mate(r: _Reader, entry: dict[str, Any], a: str, b: str) -> Mate | None:
    kind_name = text_of(entry.get("type"), "?")
    r.counts[kind_name] = r.counts.get(kind_name, 0) + 1
    name = f"{kind_name.title()}:{r.counts[kind_name]}"
    kind = KINDS.get(kind_name)
    owners = names_of(entry.get("owners")) or (a, b)
    types = entry.get("etypes")
    if kind is None or len(owners) != 2 or not isinstance(types, list) or len(types) != 2:
        r.file.say(
            "CB1303",
            f"{name}: a mate of type {kind_name} between {count(len(owners), 'entity', 'entities')} is not understood",
            a or None,
            name,
        )
        return None
    sides = [_side(r, entry, i, owners[i], types[i], name) for i in (0, 1)]
    one, two = sides
    if one is None or two is None:
        return None
    if one.component == two.component:
        r.file.say("CB168", f"{name} holds two places of {one.component}, which is rigid", a or None, name)
        return None
    value = 0.0
    if kind in VALUED:
        # Older files write neither values nor limits: a limit mate, a distance without its range, would lock what it
        # bounds.
        if "limit_joints" not in r.file.content:
            r.file.say("CB1311", f"{name} between {owners[0]} and {owners[1]} has no value", a or None, name)
            return None
        value = _measured(r, kind, one, two)
        if _limit_of(r, {a, b}) is not None:
            return None  # the limit stands for it
    if types == [CIRCLE, CIRCLE] and kind is MateKind.COINCIDENT:
        kind = MateKind.INSERT  # circular edges: same axis, same plane
    return Mate(name, kind, one, two, value=value, where=r.file.where(a or None, name))


def _side(r: _Reader, entry: dict[str, Any], index: int, owner: str, entity: Any, name: str) -> Feature | None:
    """A feature given in the world, of the component that owns it or holds its owner."""
    # A path into a sub-assembly leads to the sub-assembly, which is one rigid component.
    placed = r.structure.placed.get((owner,)) or r.structure.placed.get((owner.split("/", 1)[0],))
    kind = ENTITIES.get(entity) if isinstance(entity, int) else None
    if placed is None or kind is None:
        what = f"the component {owner!r}, which does not exist" if placed is None else f"an entity of type {entity!r}"
        r.file.say("CB162" if placed is None else "CB1303", f"{name} holds {what}", owner, name)
        return None
    point, direction, radius = (_item(entry.get(key), index) for key in ("points", "dirs", "radii"))
    p = r.file.vector(point, 3, f"{name}: point", owner)
    directed = kind not in (FeatureKind.POINT, FeatureKind.SPHERE)
    d = r.file.vector(direction, 3, f"{name}: direction", owner) if directed else None
    if p is None or (directed and d is None):
        return None
    # A direction is a unit vector; a shorter one is none.
    if d is not None and float(np.linalg.norm(d)) < 1e-9:
        r.file.say("CB181", f"{name}: its direction has no length", owner, name)
        return None
    whole = replace(placed, matrix=np.eye(3, 4))
    size = float(radius) if is_number(radius) and radius is not None and radius > 0 else None
    return r.structure.feature(whole, kind, p, d, radius=size)


def _item(values: Any, index: int) -> Any:
    return values[index] if isinstance(values, list) and len(values) > index else None


def _measured(r: _Reader, kind: MateKind, a: Feature, b: Feature) -> float:
    """The distance (m) or angle (rad) at which two features stand."""
    A, B = r.structure.frame(a.component), r.structure.frame(b.component)
    if kind is MateKind.ANGLE and a.direction is not None and b.direction is not None:
        return math.acos(float(np.clip(A.vector(a.direction) @ B.vector(b.direction), -1.0, 1.0)))
    gap = B.point(b.point) - A.point(a.point)
    if a.kind is FeatureKind.PLANE and a.direction is not None:
        return abs(float(A.vector(a.direction) @ gap))
    if b.kind is FeatureKind.PLANE and b.direction is not None:
        return abs(float(B.vector(b.direction) @ gap))
    axis = a if a.kind is FeatureKind.AXIS else b
    if axis.direction is not None:
        z = unit(r.structure.frame(axis.component).vector(axis.direction))
        gap = gap - z * float(z @ gap)
    return float(np.linalg.norm(gap))


def _limit_of(r: _Reader, pair: set[str]) -> dict[str, Any] | None:
    return next((e for e in r.limits if {text_of(e.get("a")), text_of(e.get("b"))} == pair), None)


def _limited(r: _Reader, mates: list[Mate], pair: set[str]) -> list[Mate]:
    """The mates of an edge, the first of them with the range of its limit mate, counted from the pose in the file."""
    entry = _limit_of(r, pair)
    if entry is None:
        return mates
    what = f"the limit of {' and '.join(sorted(pair))}"
    low, high = (r.file.number(entry.get(k), f"{what}: {k}") for k in ("lower", "upper"))
    axis = r.file.vector(entry.get("axis_dir"), 3, f"{what}: axis_dir")
    if low is None or high is None or axis is None or low > high or not mates:
        r.file.say("CB1305", f"{what} from {entry.get('lower')} to {entry.get('upper')} is not carried over")
        return mates
    first = next((m for m in mates if m.a.kind is FeatureKind.AXIS), mates[0])
    along = first.a.direction
    sign = 1.0
    if along is not None and float(r.structure.frame(first.a.component).vector(along) @ axis) < 0:
        sign = -sign
    # The range is counted with the file's order of the two components.
    if first.a.component != text_of(entry.get("a")):
        sign = -sign
    lower, upper = (low, high) if sign > 0 else (-high, -low)
    return [replace(m, limit=Limit(lower, upper)) if m is first else m for m in mates]
