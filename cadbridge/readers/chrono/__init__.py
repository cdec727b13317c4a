"""Chrono::SolidWorks' export, a Python file: read as text, never run. m, kg; links are given in the world.

The exporter writes most mates as two links of one name (a plane's distance and its direction, an axis's direction and
its place); they become one mate again.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from cadbridge.assembly import Assembly, Feature, FeatureKind, Mate, MateKind, Part
from cadbridge.budget import refuse_file
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.readers.chrono.text import Made, array, finite, read_objects
from cadbridge.readers.json_file import LARGEST_IN_JSON
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.placement import affine
from cadbridge.readers.source import Source
from cadbridge.readers.structure import Occurrence, Structure

__all__ = ["read"]


@dataclass(frozen=True, eq=False)
class _Link:
    """A link between two bodies (names of variables) with points (m) and directions in the world."""

    name: str
    kind: str
    line: int
    bodies: tuple[str, str]
    cA: np.ndarray
    cB: np.ndarray
    dA: np.ndarray | None
    dB: np.ndarray | None
    distance: float = 0.0


@dataclass
class _Reader(Source[int]):
    path: Path
    findings: Findings
    variables: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.structure = Structure(self.findings)

    def line_of(self, at: int) -> int | None:
        return at


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """An assembly with its mates from a Python file of Chrono::SolidWorks, which is parsed and not run.

    InputError where nothing can be read; all else is in the findings, and what they concern is left out.
    """
    r = _Reader(Path(path), Findings())
    objects = _objects(r)
    bodies = {v: o for v, o in objects.items() if o.kind.startswith("ChBody")}
    if not bodies:
        r.say("CB180", "no body is made in it", 1)
        raise InputError(f"{r.path.name} is not an export of Chrono::SolidWorks.", r.findings)
    r.variables = {id(o): v for v, o in bodies.items()}
    _place(r, bodies)
    # Whatever joins two bodies is a link, of a kind that is known or not.
    _report_unwritten(r, objects)
    links = [(v, o) for v, o in objects.items() if o.kind.startswith("ChLink") or "Initialize" in o.calls]
    read_links = [link for v, o in links if (link := _link(r, o)) is not None]
    mates: list[Mate] = []
    # Names repeat: links that follow each other with one name and one pair of bodies are of one mate.
    same = itertools.groupby(read_links, key=lambda k: (k.name, frozenset(k.bodies)))
    given = len(links) - len(read_links)
    for _, group in same:
        made, unread = _mates(r, list(group))
        mates += made
        given += len(made) + unread
    return Assembly(
        name=r.path.stem,
        source=str(r.path),
        format="chrono",
        parts=tuple(r.structure.parts.values()),
        instances=tuple(r.structure.instances),
        components=r.structure.components,
        mates=tuple(mates),
        units=("Chrono: m, kg, rad (SI by definition)",),
        mates_in_file=given,
        extra={"tree": r.structure.tree},
        findings=r.findings.as_tuple(),
    )


_MATE = re.compile(r"^# Mate constraint: (.+?) \[(\w+)\]", re.MULTILINE)
"""The comment that the exporter writes above the links of a mate, with its name and kind."""


def _report_unwritten(r: _Reader, objects: dict[str, Made]) -> None:
    """Report the mates that the exporter names in a comment, but writes no link for."""
    written = {str((o.calls.get("SetName") or [""])[0]) for o in objects.values()}
    text = r.path.read_text(encoding="utf-8-sig")
    for match in _MATE.finditer(text):
        if match[1] not in written:
            line = text.count("\n", 0, match.start()) + 1
            r.say(
                "CB1315", f"{match[1]} ({match[2]}) stands in a comment, and no link is written for it", line, match[1]
            )


def _objects(r: _Reader) -> dict[str, Made]:
    """What the file makes; InputError where it is too large or no Python."""
    why: Exception
    line = None
    refuse_file("Python bytes", r.path, r.findings)
    try:
        return read_objects(r.path.read_text(encoding="utf-8-sig"))
    except SyntaxError as fault:
        why, line = fault, fault.lineno
    except (ValueError, RecursionError, MemoryError) as fault:
        why = fault
    r.findings.add("CB180", f"{r.path.name} cannot be parsed: {why}", Where(str(r.path), line))
    raise InputError(f"{r.path.name} is not a Python file that can be parsed.", r.findings)


def _place(r: _Reader, bodies: dict[str, Made]) -> None:
    occurrences = []
    for variable, body in bodies.items():
        name = str((body.calls.get("SetName") or [variable])[0])
        X = _pose(body)
        if X is None:
            r.say("CB181", f"{name} has no place in numbers below {LARGEST_IN_JSON:g}; it is left out", body.line, name)
            continue
        fixed = any((body.calls.get(m) or [False])[0] is True for m in ("SetFixed", "SetBodyFixed"))
        if fixed and "SetMass" not in body.calls and "SetPos" not in body.calls:
            # The exporter's own first body, which the assembly's planes and origin belong to.
            r.structure.placed[(variable,)] = r.structure.placed[()]
            continue
        key = None
        if "SetMass" in body.calls:
            key = variable
            if "SetPos" not in body.calls:
                r.say("CB1317", f"{name} has no SetPos; it stands at the origin", body.line, name)
            r.structure.add_part(key, Part(name=name, declared=_mass(r, body, name), where=r.where(body.line, name)))
        where = r.where(body.line, name)
        occurrences.append(Occurrence(name, variable, affine(X.R, X.p), key, grounded=fixed, where=where))
    r.structure.place(occurrences)


def _pose(body: Made) -> Pose | None:
    """X_WB, the identity where the file says nothing (as in Chrono); None where what it says cannot be read."""
    p = body.numbers("SetPos", 3) if "SetPos" in body.calls else np.zeros(3)
    q = body.numbers("SetRot", 4) if "SetRot" in body.calls else np.array([1.0, 0.0, 0.0, 0.0])
    # Decimals leave a unit quaternion near length 1; one far from it is no rotation that a normalisation could restore.
    if p is None or q is None or not 0.5 < float(np.linalg.norm(q)) < 2.0:
        return None
    return Pose.from_quaternion(p, q)


def _mass(r: _Reader, body: Made, name: str) -> MassProperties | None:
    """Mass, centre and inertia about the centre, along the axes of the frame at the centre."""
    given = (body.calls.get("SetMass") or [None])[0]
    diagonal, products = body.numbers("SetInertiaXX", 3), body.numbers("SetInertiaXY", 3)
    frame = (body.calls.get("SetFrameCOMToRef") or body.calls.get("SetFrame_COG_to_REF") or [None])[0]
    parts = frame if isinstance(frame, tuple) and len(frame) == 2 else ((0.0,) * 3, (1.0, 0.0, 0.0, 0.0))
    p, q = array(parts[0], 3), array(parts[1], 4)
    mass = given if isinstance(given, float) and 0 < given < LARGEST_IN_JSON else None
    if mass is None or diagonal is None or products is None or p is None or q is None or not np.any(q):
        r.say("CB1314", f"{name}: mass or inertia are no numbers from 0 to {LARGEST_IN_JSON:g}", body.line, name)
        return None
    # SetInertiaXY takes entries of the tensor itself, in the order xy, xz, yz: they bear their sign already.
    xy, xz, yz = products
    inertia = np.diag(diagonal) + np.array([[0.0, xy, xz], [xy, 0.0, yz], [xz, yz, 0.0]])
    # The inertia is along the axes of the centre's frame, which the exporter may turn against the body's own.
    return MassProperties(mass, np.zeros(3), inertia).moved(Pose.from_quaternion(p, q))


def _link(r: _Reader, link: Made) -> _Link | None:
    """A link with its geometry; a finding and None where it cannot be read."""
    name = str((link.calls.get("SetName") or [f"{link.kind}@{link.line}"])[0])
    arguments = link.calls.get("Initialize") or []
    ends = tuple(r.variables.get(id(v), "") for v in arguments[:2])
    if len(ends) != 2 or any((e,) not in r.structure.placed for e in ends):
        r.say("CB162", f"{name} is between bodies that are not there", link.line, _item(name, link.line))
        return None
    vectors = [array(v, 3) for v in arguments[3:]]
    # Initialize takes as third argument whether points are relative to the bodies. The exporter writes False; points of
    # the bodies' own frames would put the joint elsewhere without any other sign.
    if len(vectors) < 2 or vectors[0] is None or vectors[1] is None or arguments[2] is not False:
        r.say("CB181", f"{name}: {link.kind} has no points in the world", link.line, _item(name, link.line))
        return None
    # A direction is a unit vector; a shorter one is none.
    directions = [None if v is None or float(np.linalg.norm(v)) < 1e-9 else v for v in vectors[2:]]
    # ChLinkMateDistanceZ takes one direction only, that of the second body's plane.
    dA, dB = (*directions, None, None)[:2] if len(directions) != 1 else (None, directions[0])
    distance = finite((link.calls.get("SetDistance") or [0.0])[0])
    if distance is None:
        r.say("CB181", f"{name}: the distance cannot be read", link.line, _item(name, link.line))
        return None
    kind = link.kind.removeprefix("ChLinkMate").removeprefix("ChLink")
    # A generic link is what its constrained coordinates say, so that they belong to the name that the tables know.
    if kind == "Generic":
        flags = link.calls.get("SetConstrainedCoords") or []
        kind += "".join("1" if f is True else "0" for f in flags)
    return _Link(name, kind, link.line, (ends[0], ends[1]), vectors[0], vectors[1], dA, dB, distance)


def _item(name: str, line: int) -> str:
    """What a link is called in a finding: others may have its name, and may have been understood."""
    return f"{name} (line {line})"


SAME_DIRECTION = 1e-3
"""Sine of the angle by which the directions of one mate's links may differ, as files round. A choice.

Beyond it (0.06°) the two links are read as two mates, with CB1318.
"""

PLANE, AXIS, POINT = FeatureKind.PLANE, FeatureKind.AXIS, FeatureKind.POINT

# kind of the mate, feature at B and feature at A: the frame of a link is that of its second body. The direction of a
# link is its frame's z in today's Chrono and was its x in Chrono up to 8, which is why an axis leaves either one free.
SINGLE: dict[str, tuple[MateKind, FeatureKind, FeatureKind]] = {
    "DistanceZ": (MateKind.COINCIDENT, PLANE, POINT),
    "Xdistance": (MateKind.COINCIDENT, PLANE, POINT),
    "Parallel": (MateKind.PARALLEL, AXIS, AXIS),
    "Orthogonal": (MateKind.PERPENDICULAR, AXIS, AXIS),
    "Cylindrical": (MateKind.CONCENTRIC, AXIS, AXIS),
    "Coaxial": (MateKind.CONCENTRIC, AXIS, AXIS),
    "Planar": (MateKind.COINCIDENT, PLANE, PLANE),
    "Plane": (MateKind.COINCIDENT, PLANE, PLANE),
    "Revolute": (MateKind.REVOLUTE, AXIS, AXIS),
    "Prismatic": (MateKind.PRISMATIC, AXIS, AXIS),
    "Spherical": (MateKind.SPHERICAL, POINT, POINT),
    "Fix": (MateKind.FIXED, POINT, POINT),
    "Generic110000": (MateKind.COINCIDENT, AXIS, POINT),
    "Generic011000": (MateKind.COINCIDENT, AXIS, POINT),
    "Generic111000": (MateKind.SPHERICAL, POINT, POINT),
    "Generic110110": (MateKind.CONCENTRIC, AXIS, AXIS),
    "Generic011011": (MateKind.CONCENTRIC, AXIS, AXIS),
    "Generic111111": (MateKind.FIXED, POINT, POINT),
}
TOGETHER: dict[frozenset[str], tuple[MateKind, FeatureKind, FeatureKind]] = {
    frozenset({"DistanceZ", "Parallel"}): (MateKind.COINCIDENT, PLANE, PLANE),
    frozenset({"Xdistance", "Parallel"}): (MateKind.COINCIDENT, PLANE, PLANE),
    frozenset({"Generic110000", "Parallel"}): (MateKind.CONCENTRIC, AXIS, AXIS),
    frozenset({"Generic011000", "Parallel"}): (MateKind.CONCENTRIC, AXIS, AXIS),
}
"""Two links that are one mate; its geometry is that of the link that is not a mere direction."""


def _mates(r: _Reader, links: list[_Link]) -> tuple[list[Mate], int]:
    """The mates of links of one name, and how many links could not be understood."""
    kinds = frozenset(k.kind for k in links)
    chief, other = sorted(links, key=lambda k: k.kind == "Parallel") if len(links) == 2 else (None, None)
    if chief is not None and other is not None and kinds in TOGETHER and _agree(r, chief, other):
        # The distance link has no direction at its first body; the other one has it, of the same entities.
        dA = chief.dA if chief.dA is not None else (other.dA if other.bodies == chief.bodies else other.dB)
        made = _mate(r, replace(chief, dA=dA), TOGETHER[kinds], chief.name)
        return ([made], 0) if made is not None else ([], 1)
    mates: list[Mate] = []
    unread = 0
    for link in links:
        kind = SINGLE.get(link.kind)
        end = f" {len(mates) + unread + 1}" if mates or unread else ""
        if kind is None:
            r.say(
                "CB1303",
                f"{link.name}: a link of type {link.kind} is not understood",
                link.line,
                _item(link.name, link.line),
            )
        mate = None if kind is None else _mate(r, link, kind, link.name + end)
        if mate is None:
            unread += 1
        else:
            mates.append(mate)
    return mates, unread


def _agree(r: _Reader, chief: _Link, other: _Link) -> bool:
    """Whether the second link of a mate, which holds a direction, is between the same bodies and along the first's."""
    why = "is between other bodies" if set(chief.bodies) != set(other.bodies) else ""
    along = chief.dB if chief.dB is not None else chief.dA
    for d in (other.dA, other.dB):
        if along is not None and d is not None:
            sine = float(np.linalg.norm(np.cross(d, along)) / (np.linalg.norm(d) * np.linalg.norm(along)))
            why = why or (f"is {math.degrees(math.asin(min(1.0, sine))):.3g}° aside" if sine > SAME_DIRECTION else "")
    if why:
        text = f"the second link of {chief.name} {why}; the two are read as two mates"
        r.say("CB1318", text, other.line, _item(other.name, other.line))
    return not why


def _mate(r: _Reader, link: _Link, kind: tuple[MateKind, FeatureKind, FeatureKind], name: str) -> Mate | None:
    """A mate of a link; the distance is counted from B's plane along its direction."""
    feature: list[Feature] = []
    ends: tuple[tuple[str, np.ndarray, np.ndarray | None, FeatureKind], ...] = (
        (link.bodies[1], link.cB, link.dB, kind[1]),
        (link.bodies[0], link.cA, link.dA, kind[2]),
    )
    for body, point, direction, what in ends:
        if what is not POINT and direction is None:
            r.say("CB181", f"{name}: {link.kind} lacks a direction", link.line, _item(name, link.line))
            return None
        place = replace(r.structure.placed[(body,)], matrix=np.eye(3, 4))
        feature.append(r.structure.feature(place, what, point, None if what is POINT else direction))
    a, b = feature
    if a.component == b.component:
        r.say("CB168", f"{name} holds two places of {a.component}, which is rigid", link.line, _item(name, link.line))
        return None
    return Mate(name, kind[0], a, b, value=link.distance, where=r.where(link.line, name))
