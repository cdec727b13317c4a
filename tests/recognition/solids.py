"""Solids and assemblies of tests, mm; and what is recognised in them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any

import cadbridge as cb
from cadbridge.recognition import Recognition, recognise
from cadbridge.recognition.hints import Hints
from tests.late import cq

Parts = dict[str, tuple["cq.Workplane", tuple[float, float, float]]]
"""Solids with their places (mm), by name."""


def drawn_once(draw: Callable[..., cq.Workplane]) -> Callable[..., cq.Workplane]:
    """Draw a solid of some sizes once for all tests: nothing changes it, each gets a workplane of its own."""

    @cache
    def solid(*sizes: Hashable) -> cq.Shape:
        shape = draw(*sizes).val()
        assert isinstance(shape, cq.Shape)
        return shape

    @wraps(draw)
    def drawn(*sizes: Any) -> cq.Workplane:
        return cq.Workplane(obj=solid(*(tuple(size) if isinstance(size, list) else size for size in sizes)))

    return drawn


def read(folder: Path, assembly: cq.Assembly, hints: Hints | None = None) -> Recognition:
    """An assembly written as STEP, read and recognised."""
    file = folder / "made.step"
    assembly.export(str(file))
    return recognise(cb.read(file), hints=hints or Hints())


def joints(found: Recognition) -> dict[frozenset[str], str]:
    """The types of the joints, by the names of their two bodies."""
    return {frozenset((found.bodies[j.a].name, found.bodies[j.b].name)): j.type for j in found.joints}


def recognised(folder: Path, parts: Parts) -> Recognition:
    """What is recognised in parts at their places (mm), by way of a STEP file."""
    assembly = cq.Assembly(name="made")
    for name, (shape, place) in parts.items():
        assembly.add(shape, name=name, loc=cq.Location(cq.Vector(*place)))
    file = folder / "made.step"
    assembly.export(str(file))
    return recognise(cb.read(file))


@drawn_once
def plate(x: float, y: float, z: float, holes: Sequence[tuple[float, float]], radius: float) -> cq.Workplane:
    """Drawn with its holes: each that is cut takes three times as long."""
    return cq.Workplane().rect(x, y).pushPoints(holes).circle(radius).extrude(z)


def at(x: float, y: float, z: float) -> cq.Location:
    return cq.Location(cq.Vector(x, y, z))


@drawn_once
def disc(radius: float, height: float) -> cq.Workplane:
    return cq.Workplane().circle(radius).extrude(height)


@drawn_once
def tube(outer: float, inner: float, length: float) -> cq.Workplane:
    return cq.Workplane().circle(outer).circle(inner).extrude(length)


@drawn_once
def link(length: float, thick: float = 3.0) -> cq.Workplane:
    """A flat link along x with a rounded end and an eye of radius 3 at both ends, the first at the origin."""
    return cq.Workplane().center(length / 2, 0).slot2D(length + 16, 16).extrude(thick).cut(
        cq.Workplane().pushPoints([(0, 0), (length, 0)]).circle(3).extrude(thick)
    )  # fmt: skip


@drawn_once
def box(x: float, y: float, z: float) -> cq.Workplane:
    """On the plane z = 0, about the origin."""
    return cq.Workplane().box(x, y, z, centered=(True, True, False))


def with_block() -> Parts:
    """A base with a cover on it and an arm on its stud, on which a block rests."""
    stub = cq.Workplane().workplane(offset=10).circle(5).extrude(10)
    return {
        "base": (box(100, 60, 10).union(stub), (0, 0, 0)),
        "cover": (box(20, 60, 5), (-40, 0, 10)),
        "arm": (plate(60, 20, 10, [(-20, 0)], 5), (20, 0, 10)),
        "block": (box(20, 20, 10), (30, 0, 20)),
    }


def two_levers(folder: Path) -> Path:
    """A base with two levers on studs, a disc on its boss with two holes that meet."""
    base = plate(120, 60, 10, [(-26, 0), (-14, 0)], 1.5)
    for x in (20, 45):
        base = base.union(cq.Workplane().center(x, 0).circle(4).extrude(18))
    disc = cq.Workplane().circle(12).extrude(4).faces(">Z").workplane().pushPoints([(-6, 0), (6, 0)]).hole(3)
    assembly = cq.Assembly(name="made")
    assembly.add(base.cut(cq.Workplane().center(-20, 0).circle(3).extrude(10)), name="base")
    assembly.add(disc.union(cq.Workplane().circle(3).extrude(-10)), name="disc", loc=cq.Location(cq.Vector(-20, 0, 10)))
    for x, name in ((20, "lever1"), (45, "lever2")):
        assembly.add(plate(20, 12, 4, [(0, 0)], 4), name=name, loc=cq.Location(cq.Vector(x, 0, 10)))
    path = folder / "made.step"
    assembly.export(str(path))
    return path


def bolted_look(folder: Path) -> Path:
    """A base, a disc that lies on its boss with a bolted look (two holes that meet), and a lever on a stud."""
    base = plate(80, 40, 10, [(-26, 0), (-14, 0)], 1.5).union(cq.Workplane().center(20, 0).circle(4).extrude(18))
    disc = cq.Workplane().circle(12).extrude(4).faces(">Z").workplane().pushPoints([(-6, 0), (6, 0)]).hole(3)
    hub = cq.Workplane().center(-20, 0).circle(3).extrude(10)
    assembly = cq.Assembly(name="made")
    assembly.add(base.cut(hub), name="base")
    assembly.add(disc.union(cq.Workplane().circle(3).extrude(-10)), name="disc", loc=cq.Location(cq.Vector(-20, 0, 10)))
    assembly.add(plate(40, 12, 4, [(0, 0)], 4), name="lever", loc=cq.Location(cq.Vector(20, 0, 10)))
    path = folder / "made.step"
    assembly.export(str(path))
    return path
