"""Ranks of the mates of raw CAD files, by NumPy from wrenches of the mates alone: nothing of cadbridge is imported.

A mate's rows are written as wrenches [f; r × f] and [0; m] that it can bear at the designed pose, r the point where it
acts: the matrix that maps twists of the units to what the mates forbid. Its rank by singular values is the rank that a
diagnosis must find. None where a file has what these rules do not cover (the reason is the second of the pair).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Row = tuple[str, str, Array, Array]
"""A row between two units ("" the ground): the force along which, and the moment about which, nothing moves."""
Element = ElementTree.Element
LIMIT = re.compile(r"Limit(Distance|Angle)\d*$")
"""SolidWorks' names of limit mates, which hold nothing within their range."""

AXES, PLANES, POINTS = ("line", "cylinder", "circle", "cone"), ("plane",), ("point", "sphere")
BLOCKS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "Weld": ((0, 1, 2), (0, 1, 2)),
    "Revolute": ((0, 1, 2), (0, 1)),
    "Prismatic": ((0, 1), (0, 1, 2)),
    "Cylindrical": ((0, 1), (0, 1)),
    "Spherical": ((0, 1, 2), ()),
    "Planar": ((2,), (0, 1)),
}
"""Simscape's joint blocks: the axes of the frame along which nothing slides, and about which nothing turns."""
CUT = 1e-6
"""Of the largest singular value; positions of CAD are good to about 1e-9."""


def rank_of(units: Iterable[str], rows: list[Row]) -> dict[str, int]:
    """Rank, freedoms and redundant rows of rows between moving units."""
    index = {name: i for i, name in enumerate(units)}
    matrix = np.zeros((len(rows), 6 * len(index)))
    reach = max((float(np.linalg.norm(m)) for _, _, f, m in rows if np.any(f)), default=1.0) or 1.0
    for i, (a, b, force, moment) in enumerate(rows):
        # A pure moment has the size of the others.
        row = np.hstack([force, moment / reach if np.any(force) else moment])
        for name, sign in ((a, -1.0), (b, 1.0)):
            if name in index:
                matrix[i, 6 * index[name] : 6 * index[name] + 6] += sign * row
    values = np.linalg.svd(matrix, compute_uv=False) if matrix.size else np.zeros(0)
    rank = int(np.sum(values > CUT * values[0])) if len(values) and values[0] > 0 else 0
    return {"rows": len(rows), "rank": rank, "dof": 6 * len(index) - rank, "redundant": len(rows) - rank}


def across(direction: Array) -> tuple[Array, Array]:
    """Two directions across one."""
    least = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = np.cross(direction, least)
    first /= np.linalg.norm(first)
    return first, np.cross(direction, first)


class Rows:
    """Collects the rows between two units, acting at a point."""

    def __init__(self, a: str, b: str, point: Array) -> None:
        self.rows: list[Row] = []
        self.ends, self.point = (a, b), point

    def hold(self, *directions: Array, at: Array | None = None) -> Rows:
        """No motion of the point along the directions."""
        r = self.point if at is None else at
        self.rows += [(*self.ends, d, np.cross(r, d)) for d in directions]
        return self

    def stop(self, *directions: Array) -> Rows:
        """No turn about the directions."""
        self.rows += [(*self.ends, np.zeros(3), d) for d in directions]
        return self


# --- Simscape Multibody XML ---


def _numbers(text: str | None) -> Array:
    return np.array([float(x) for x in (text or "").split()])


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _kids(element: Element | None, *tags: str) -> list[Element]:
    return [] if element is None else [e for e in element if _tag(e) in tags]


def _kid(element: Element | None, tag: str) -> Element | None:
    return next(iter(_kids(element, tag)), None)


def _text(element: Element | None, tag: str) -> str | None:
    found = _kid(element, tag)
    return None if found is None else found.text


def _pose(instance: Element) -> Array:
    X, transform = np.eye(4), _kid(instance, "Transform")
    if transform is not None:
        X[:3, :3] = _numbers(_text(transform, "Rotation")).reshape(3, 3)
        X[:3, 3] = _numbers(_text(transform, "Translation"))
    return X


def simscape(path: Path) -> tuple[dict[str, int] | None, str]:
    """Of the root's constraints and joints; sub-assemblies are rigid, and not covered where they have mates."""
    top = _kid(ElementTree.parse(path).getroot(), "RootAssembly")
    inner = _kid(ElementTree.parse(path).getroot(), "Assemblies")
    if any(len(list(s)) for a in _kids(inner, "Assembly") for s in _kids(a, "Constraints", "Joints")):
        return None, "sub-assemblies with mates"
    places: dict[tuple[str, ...], Array] = {}
    grounded: set[str] = set()

    def walk(parent: Element | None, above: tuple[str, ...], X: Array) -> None:
        for instance in _kids(parent, "Instance"):
            key = (*above, instance.get("uid", ""))
            places[key] = X @ _pose(instance)
            if not above and instance.get("grounded") == "true":
                grounded.add(key[0])
            walk(instance, key, places[key])

    walk(_kid(top, "InstanceTree"), (), np.eye(4))
    units = [key[0] for key in places if len(key) == 1 and key[0] not in grounded]
    rows: list[Row] = []
    for joint in [j for section in _kids(top, "Joints") for j in section]:
        made = _joint(joint, places, grounded)
        if made is None:
            return None, f"joint {_tag(joint)}"
        rows += made
    for constraint in [c for section in _kids(top, "Constraints") for c in section]:
        if LIMIT.match(constraint.get("name") or ""):
            continue
        made = _constraint(constraint, places, grounded)
        if made is None:
            return None, f"{_tag(constraint)} of {[g.get('geomType') for g in _kids(constraint, 'ConstraintGeometry')]}"
        rows += made
    return rank_of(units, rows), ""


def _placed(side: Element, places: dict[tuple[str, ...], Array], grounded: set[str]) -> tuple[Array, str]:
    """Pose and unit of what a side names; the assembly itself is the ground."""
    key = tuple(u.text or "" for u in _kids(_kid(side, "InstancePath"), "Uid"))
    return places.get(key, np.eye(4)), "" if key not in places or key[0] in grounded else key[0]


def _joint(joint: Element, places: dict[tuple[str, ...], Array], grounded: set[str]) -> list[Row] | None:
    """A joint block: z of the base's frame is its axis."""
    base, follower = _kid(joint, "BaseFrame"), _kid(joint, "FollowerFrame")
    if base is None or follower is None or _tag(joint) not in BLOCKS:
        return None
    X, a = _placed(base, places, grounded)
    b = _placed(follower, places, grounded)[1]
    X = X @ _pose(base)
    axes = X[:3, :3].T
    held, stopped = BLOCKS[_tag(joint)]
    return [] if a == b else Rows(a, b, X[:3, 3]).hold(*axes[list(held)]).stop(*axes[list(stopped)]).rows


def _constraint(constraint: Element, places: dict[tuple[str, ...], Array], grounded: set[str]) -> list[Row] | None:
    sides = []
    for geometry in _kids(constraint, "ConstraintGeometry"):
        if geometry.get("geomType") not in (*AXES, *PLANES, *POINTS):
            return None
        X, unit = _placed(geometry, places, grounded)
        axis = _numbers(_text(geometry, "Axis")) if _kid(geometry, "Axis") is not None else np.zeros(3)
        point = (X @ np.append(_numbers(_text(geometry, "Position")), 1.0))[:3]
        kind = geometry.get("geomType", "")
        sides.append((kind, unit, point, X[:3, :3] @ axis))
    if len(sides) != 2:
        return None
    # The one with more directions first: plane, axis, point.
    order = {**dict.fromkeys(PLANES, 0), **dict.fromkeys(AXES, 1), **dict.fromkeys(POINTS, 2)}
    (one, a, p, d), (two, b, q, e) = sorted(sides, key=lambda s: order[s[0]])
    if a == b:
        return []
    forms = tuple("plane" if k in PLANES else "axis" if k in AXES else "point" for k in (one, two))
    return _rows(_tag(constraint), forms, (one, two), Rows(a, b, q), (p, d, q, e))


def _rows(
    tag: str, forms: tuple[str, ...], kinds: tuple[str, str], made: Rows, places: tuple[Array, Array, Array, Array]
) -> list[Row] | None:
    p, d, q, e = places
    circle = kinds in (("plane", "circle"), ("circle", "plane"))
    if tag == "Parallel" and forms[0] == forms[1] != "point":
        return made.stop(*across(d)).rows
    if tag == "Perpendicular" and forms[0] == forms[1] != "point":
        return made.stop(np.cross(d, e)).rows
    if tag == "Concentric" and forms == ("axis", "axis"):
        return made.hold(*across(d)).stop(*across(d)).rows
    if tag == "Coincident" and kinds == ("circle", "circle"):
        return made.hold(*np.eye(3)).stop(*across(d)).rows
    if tag in ("Coincident", "Distance") and (forms == ("plane", "plane") or circle):
        return made.hold(d).stop(*across(d)).rows
    if tag in ("Coincident", "Distance", "Tangent") and forms == ("plane", "axis"):
        return made.hold(d).stop(np.cross(d, e)).rows
    if tag in ("Coincident", "Distance") and forms == ("plane", "point"):
        return made.hold(d).rows
    if tag == "Coincident" and forms == ("axis", "axis"):
        return made.hold(*across(d)).stop(*across(d)).rows
    if tag == "Coincident" and forms == ("axis", "point"):
        return made.hold(*across(d)).rows
    if tag == "Coincident" and forms == ("point", "point"):
        return made.hold(*np.eye(3)).rows
    if tag == "Distance" and forms == ("axis", "axis"):
        away = (q - p) - d * (d @ (q - p)) / (d @ d)
        if np.linalg.norm(away) < 1e-9:
            return made.hold(*across(d)).stop(*across(d)).rows
        return made.hold(away / np.linalg.norm(away)).stop(*across(d)).rows
    return None


# --- Chrono::SolidWorks ---

_LINK = re.compile(r"^(link_\d+)\s*=\s*chrono\.(\w+)\(", re.MULTILINE)
_SIDES = re.compile(r"^(c[AB]|d[AB])\s*=\s*chrono\.\w+\(([^()]*)\)", re.MULTILINE)
_BODIES = re.compile(r"\.Initialize\(\s*(body_\d+)\s*,\s*(body_\d+)")
_FLAGS = re.compile(r"(?:SetConstrainedCoords|ChLinkMateGeneric)\(([^()]+)\)")


def chrono(path: Path) -> tuple[dict[str, int] | None, str]:
    """Of the links of the script, in world coordinates as it has them; motors and locks are not covered."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    bodies = dict.fromkeys(re.findall(r"^(body_\d+)\.SetMass\(", text, re.MULTILINE))
    fixed = set(re.findall(r"^(body_\d+)\.Set(?:BodyFixed|Fixed)\(True\)", text, re.MULTILINE))
    rows: list[Row] = []
    starts = [*_LINK.finditer(text)]
    for i, start in enumerate(starts):
        stop = starts[i + 1].start() if i + 1 < len(starts) else len(text)
        made = _link(start[2], text[start.start() : stop], fixed)
        if made is None:
            return None, start[2]
        rows += made
    return rank_of([b for b in bodies if b not in fixed], rows), ""


def _link(kind: str, block: str, fixed: set[str]) -> list[Row] | None:
    found = _BODIES.search(block)
    at = {name: np.array([float(x) for x in values.split(",")]) for name, values in _SIDES.findall(block)}
    if found is None or "cA" not in at:
        return None
    a, b = ("" if name in fixed else name for name in found.groups())
    made = Rows(a, b, at["cA"])
    axis = at.get("dB", at.get("dA"))
    if kind in ("ChLinkMateXdistance", "ChLinkMateDistanceZ") and axis is not None:
        return made.hold(axis).rows
    if kind == "ChLinkMateParallel" and axis is not None:
        return made.stop(*across(axis)).rows
    if kind == "ChLinkMateOrthogonal":
        return made.stop(np.cross(at["dA"], at["dB"])).rows
    if kind == "ChLinkMateSpherical":
        return made.hold(*np.eye(3)).rows
    if kind in ("ChLinkMateCoaxial", "ChLinkMateCylindrical") and axis is not None:
        return made.hold(*across(axis)).stop(*across(axis)).rows
    flags = _FLAGS.search(block)
    if kind == "ChLinkMateGeneric" and flags is not None and axis is not None:
        return _generic([f.strip() == "True" for f in flags[1].split(",")], made, axis)
    return None


def _generic(flags: list[bool], made: Rows, axis: Array) -> list[Row] | None:
    """What is held lies across the given axis: the first of the link's frame in Chrono before 9, the third since."""
    old, new = (False, True, True), (True, True, False)
    moves, turns = tuple(flags[:3]), tuple(flags[3:6])
    if moves not in (old, new) or turns not in (old, new, (False, False, False), (False,)):
        return None
    made.hold(*across(axis))
    if any(turns):
        made.stop(*across(axis))
    return made.rows


RANKS = {"simscape": simscape, "chrono": chrono}
