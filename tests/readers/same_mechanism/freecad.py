"""The mechanism as FreeCAD's .FCStd, its parts without shapes; the mates file brings the masses."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from cadbridge.frames import Pose
from tests.readers.freecad.making import Maker, flag, number, placement, xlink
from tests.readers.same_mechanism import plain
from tests.readers.same_mechanism.model import BODIES, GEAR, GUIDE, HINGES, Body, X, Z

WORLD = np.column_stack([X, np.cross(Z, X), Z])


def newer(folder: Path) -> Path:
    """The same with the property types of FreeCAD 1.1, its switch, and two elements a reference."""
    return write(folder, Newer())


class Newer(Maker):
    """Writes joints as FreeCAD 1.1 does."""

    TYPES: ClassVar = {"Distance": "App::PropertyLength", "Angle": "App::PropertyAngle"}

    def joint(self, name: str, kind: str, refs: tuple[str, str], *sides: Any, **more: tuple[str, str]) -> None:
        """A joint whose lengths and angles have types of their own, with `Suppressed` in place of `Activated`."""
        typed = {
            key: (next((t for k, t in self.TYPES.items() if key.startswith(k)), kind_), value)
            for key, (kind_, value) in more.items()
        }
        twice = {f"Reference{n}": xlink("Assembly", subs=(ref, ref)) for n, ref in zip("12", refs, strict=True)}
        numbers = {"Distance": number(0.0), "Distance2": number(0.0), "Angle": number(0.0)}
        rest = {k: (self.TYPES[k.rstrip("2")], v) for k, (_, v) in numbers.items() if k not in typed}
        super().joint(name, kind, refs, *sides, Suppressed=flag(False), **(typed | twice | rest))


def write(folder: Path, made: Maker | None = None) -> Path:
    """Without B-Reps: the mates file gives mass, centre and inertia."""
    made = made or Maker()
    for body in BODIES.values():
        made.add(body.name, "App::Part", Placement=_placement(body.X))
    axes = {}
    for hinge in HINGES:
        sides = _connector(BODIES[hinge.a], hinge.point), _connector(BODIES[hinge.b], hinge.point)
        limits: dict[str, tuple[str, str]] = {}
        if hinge.limits:
            for end, value in zip(("Min", "Max"), hinge.limits, strict=True):
                limits |= {f"EnableAngle{end}": flag(True), f"Angle{end}": number(repr(float(np.degrees(value))))}
        made.joint(hinge.name, "Revolute", (f"{hinge.a}.", f"{hinge.b}."), *sides, **limits)
        if hinge.a == "Base":
            axes[hinge.b] = sides[1]
    sides = _connector(BODIES[GUIDE.a], GUIDE.point), _connector(BODIES[GUIDE.b], GUIDE.point)
    made.joint(GUIDE.name, "Distance", (f"{GUIDE.a}.", f"{GUIDE.b}."), *sides, Distance=number(0.0))
    name, a, b, ratio = GEAR
    made.joint(name, "Gears", (f"{a}.", f"{b}."), axes[a], axes[b], Distance=number(1.0), Distance2=number(ratio))
    for body in BODIES.values():
        if body.grounded:
            made.ground(body.name)
    made.assembly(*BODIES)
    source = made.save(folder / "mechanism.FCStd")
    masses = [{"component" if k == "part" else k: v for k, v in entry.items()} for entry in plain.masses()["mass"]]
    plain.write_mates(plain.beside(source), {"mass": masses})
    return source


def _connector(body: Body, point: np.ndarray) -> tuple[str, str]:
    return _placement(Pose(body.X.R.T @ WORLD, body.point(point)))


def _placement(X_AB: Pose) -> tuple[str, str]:
    w, x, y, z = (float(v) for v in X_AB.quaternion())
    return placement([float(v) * 1e3 for v in X_AB.p], (x, y, z, w))
