"""Hinges without a pin or an axle drawn: wheels about an axis of what carries them, knuckles with holes in line."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import product

from cadbridge.recognition.contacts.contacts import Line, Placed, clearance
from cadbridge.recognition.contacts.walls import Verdict, Witness
from cadbridge.recognition.evidence.bearing_seats import WHOLE
from cadbridge.recognition.evidence.candidates import Candidate, joint_of
from cadbridge.recognition.evidence.pins import LOOSEST_HOLE, ROUNDED, SAME_SCREW
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.seated import round_outside
from cadbridge.recognition.standard.names import called_drive

WIDEST_EYE = 6.0
"""Radius of the rounded end of a link about its hole, beside that of the hole, at most: wider is a plate's corner. 54
machines: 4.8 | 405."""

THICK_HORN = 3.0
"""Thickness of a servo's horn beside the radius of its shaft, at most: a spline of 3 mm, a horn of 4 to 8. A choice."""

FORK_REACHES = 1e-5
"""m by which a fork's hole may overlap that of its tongue along their line: rounding. 54 machines: 0 | 0.001. Tests: 0
| 0.008 (`test_links`)."""


def coaxial(scene: Scene, a: str, b: str) -> bool:
    """Whether two instances have round faces on one line."""
    return any(_rounds(line, (b,)) for line in scene.contacts.lines_on([a]))


def on_axis(scene: Scene, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of a wheel drawn without its axle: it touches nothing, and stands on the one axis of some others.

    A wheel is round outside and has a hole through its hub, less than half as wide as itself, on a round face of
    the others that is no wider than itself: no cap, no bush.
    """
    found: list[tuple[str, Line, float]] = []
    for own, others in ((first, second), (second, first)):
        if len(own) == 1 and not scene.is_clamp(next(iter(own))):
            found += _hubs(scene, next(iter(own)), others)
    # With two hubs or two axes that fit, nothing says on which of them it turns.
    if len({name for name, _, _ in found}) != 1 or len({id(line) for _, line, _ in found}) != 1:
        return None
    name, line, radius = found[0]
    text = f"a wheel that touches nothing, with its hub, radius {1e3 * radius:.4g} mm, on an axis of the other"
    verdict = Verdict("revolute", line.middle((name,)), line.direction, (text,), ("no axle is drawn",), 0.45)
    return joint_of(scene, min(first), min(second), verdict)


def journal(scene: Scene, first: set[str], second: set[str], names: bool) -> Candidate | None:
    """The hinge of two bodies that touch nothing, one of which has a shaft in a wider hole of the other.

    It was drawn on the axis of the hole, and the two share no other line by which a screw could hold them: a wide
    fit, or a bush that is not drawn. The shaft of a drive (where `names` are a witness) may end before the hole: its
    horn is not drawn.
    """
    shared = [
        (line, ours, theirs) for line in scene.contacts.lines_on(sorted(first))
        if (ours := _rounds(line, first)) and (theirs := _rounds(line, second))
    ]  # fmt: skip
    if len(shared) != 1:
        return None
    ((line, ours, theirs),) = shared
    fits = [
        m for m, n in (*product(ours, theirs), *product(theirs, ours))
        if not m.surface.hollow and _hole(n) and m.beside(n) > -_horn(scene, m, names)
        and m.surface.radius < n.surface.radius <= LOOSEST_HOLE * m.surface.radius
    ]  # fmt: skip
    if not fits:
        return None
    shaft = max(fits, key=lambda m: m.surface.radius)
    text = f"a shaft of radius {1e3 * shaft.surface.radius:.4g} mm on the axis of a wider hole, on no other line"
    at, against = line.amid(shaft, shaft), ("the two do not touch",)
    verdict = Verdict("revolute", at, line.direction, (text,), against, 0.45)
    return joint_of(scene, min(first), min(second), verdict)


def in_line(scene: Scene, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two bodies that touch nothing, and have a hole and another round face beside it on one line alone.

    What is drawn on one line is meant to be on it: a bearing or a bolt that is not drawn holds the two there, and one
    line leaves a turn. Holes may stand apart by their width; a shaft reaches into its hole. No line of a shaft that is
    drawn: two cases that it goes through are round about it, and not about each other.
    """
    if scene.contacts.between(first, second):
        return None
    shared = [
        (line, pairs) for line in scene.contacts.lines_on(sorted(first)) if (pairs := _beside(line, first, second))
    ]  # fmt: skip
    fits = [
        (line, m, n) for line, pairs in shared for m, n in pairs
        if _for_axle(m, n) and not _plug(scene, line, n) and not _other_shaft(line, m, n)
    ]  # fmt: skip
    # A second line, of whatever fit, may be a screw's.
    if len(shared) != 1 or not fits:
        return None
    line, hole, other = max(fits, key=lambda fit: (fit[1].beside(fit[2]), -fit[1].surface.radius))
    radii = f"{1e3 * hole.surface.radius:.4g} and {1e3 * other.surface.radius:.4g}"
    text = f"a hole of one on a round face of the other, radii {radii} mm, on no other line"
    verdict = Verdict("revolute", line.amid(hole, other), line.direction, (text,), ("the two do not touch",), 0.4)
    return joint_of(scene, min(first), min(second), verdict)


def _beside(line: Line, first: set[str], second: set[str]) -> list[tuple[Placed, Placed]]:
    """Holes of some instances with round faces of others beside them: a shaft in one, a hole within its width."""
    ours, theirs = ([m for m in line.of(own) if m.surface.turn >= WHOLE] for own in (first, second))
    return [
        (m, n) for m, n in (*product(ours, theirs), *product(theirs, ours))
        if m.surface.hollow
        and m.beside(n) >= (-2 * max(m.surface.radius, n.surface.radius) if n.surface.hollow else 0.0)
    ]  # fmt: skip


def _for_axle(hole: Placed, other: Placed) -> bool:
    """Whether a hole and another round face may be for one axle: no sunk hole, none for one screw, nor much unlike."""
    small, large = sorted((hole.surface.radius, other.surface.radius))
    screw = other.surface.hollow and clearance(large) < large - small <= (SAME_SCREW - 1) * small
    return large <= LOOSEST_HOLE * small and not screw and hole.surface.kind == other.surface.kind == "cylinder"


def _other_shaft(line: Line, hole: Placed, other: Placed) -> bool:
    """Whether a third part goes through a hole and, if that is one, the other: both are there for it."""
    holes = [m for m in (hole, other) if m.surface.hollow]
    return any(
        m.instance not in (hole.instance, other.instance) and not m.surface.hollow and m.surface.turn >= WHOLE
        and all(m.beside(n) > 0.0 and m.surface.radius < n.surface.radius for n in holes)
        for m in line.members
    )  # fmt: skip


def _plug(scene: Scene, line: Line, other: Placed) -> bool:
    """Whether what stands in a hole is round about it outside: no axle, but a bottle in its holder, or a cap."""
    return not other.surface.hollow and round_outside(scene, other.instance, line.point, line.direction)


def _horn(scene: Scene, shaft: Placed, names: bool) -> float:
    """How thick (m) a horn may be that is not drawn between the shaft of a drive by its name and what that turns."""
    drive = names and called_drive(scene.called(shaft.instance)[0])
    return THICK_HORN * shaft.surface.radius if drive else 0.0


def overlapping(scene: Scene, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two links that were drawn into each other, about the one line on which both have round faces.

    A trunnion without its bore. Only in models of links: elsewhere what overlaps is most often pressed in.
    """
    if not scene.links_only:
        return None
    shared = [line for line in scene.contacts.lines_on(sorted(first)) if _rounds(line, first) and _rounds(line, second)]
    if len(shared) != 1:
        return None
    text = "links drawn into each other, with round faces of both about one line alone"
    at, way = shared[0].middle(first | second), shared[0].direction
    verdict = Verdict("revolute", at, way, (text,), ("the two overlap",), 0.35)
    return joint_of(scene, min(first), min(second), verdict)


def knuckle(scene: Scene, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two bodies whose holes are in line on one line alone, with the pin not drawn.

    Holes of one on both sides of a hole of the other are a fork about its tongue. Holes that follow on each other
    are an eye on another part where one part is rounded about them: what is but screwed on has no end to turn by.
    """
    found: dict[int, tuple[Line, list[Placed], list[Placed]]] = {}
    for line in scene.contacts.lines_on(sorted(first)):
        ours, theirs = ([m for m in line.of(own) if _hole(m)] for own in (first, second))
        if any(1 / SAME_SCREW <= m.surface.radius / n.surface.radius <= SAME_SCREW for m in ours for n in theirs):
            found[id(line)] = (line, ours, theirs)
    # Holes in line twice are those of two screws, which hold fast.
    if len(found) != 1:
        return None
    line, ours, theirs = next(iter(found.values()))
    fork = _fork(ours, theirs) or _fork(theirs, ours)
    if not (fork or any(_eye(scene, line, holes) for holes in (ours, theirs))):
        return None
    radii = " and ".join(f"{1e3 * holes[0].surface.radius:.4g}" for holes in (ours, theirs))
    text = f"{'a fork about a tongue' if fork else 'a rounded end'}, with holes in line, radii {radii} mm"
    at, against = line.amid(ours[0], ours[0]), ("no pin is drawn",)
    verdict = Verdict("revolute", at, line.direction, (text,), against, 0.6 if fork else 0.5, witness=Witness.HOLES)
    return joint_of(scene, min(first), min(second), verdict)


def _eye(scene: Scene, line: Line, holes: Sequence[Placed]) -> bool:
    """Whether a part is rounded about its hole on a line, at an end: what is round all about it is a flange."""
    return any(
        m.instance == n.instance and not m.surface.hollow and m.surface.turn >= ROUNDED
        and n.surface.radius < m.surface.radius <= WIDEST_EYE * n.surface.radius
        and min(m.high, n.high) - max(m.low, n.low) > 0.0
        and not round_outside(scene, m.instance, line.point, line.direction)
        for m in line.members for n in holes
    )  # fmt: skip


def _hubs(scene: Scene, name: str, others: set[str]) -> Iterator[tuple[str, Line, float]]:
    """The lines of a wheel's hub on which some others have a round face that it could stand on."""
    for line in scene.contacts.lines_on([name]):
        own = [m for m in line.of((name,)) if m.surface.kind == "cylinder"]
        holes = [m.surface.radius for m in own if _hole(m)]
        widest = max((m.surface.radius for m in own if not m.surface.hollow), default=0.0)
        theirs = [m.surface.radius for m in _rounds(line, others) if m.surface.kind == "cylinder"]
        fits = holes and theirs and 2 * min(holes) < widest and min(theirs) < widest
        if fits and round_outside(scene, name, line.point, line.direction):
            yield name, line, min(holes)


def _rounds(line: Line, names: Container[str]) -> list[Placed]:
    """The faces of some instances on a line that go round enough to turn by."""
    return [m for m in line.of(names) if m.surface.turn >= ROUNDED]


def _hole(m: Placed) -> bool:
    return m.surface.hollow and m.surface.kind == "cylinder" and m.surface.turn >= ROUNDED


def _fork(outer: Sequence[Placed], inner: Sequence[Placed]) -> bool:
    """Whether holes stand on both sides of a hole of the other."""
    return any(
        any(m.high <= n.low + FORK_REACHES for m in outer) and any(m.low >= n.high - FORK_REACHES for m in outer)
        for n in inner
    )
