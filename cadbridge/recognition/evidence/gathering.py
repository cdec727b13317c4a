"""The evidence in an assembly, which no decision changes: faces, contacts, wheels, standard parts, fasteners."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.assembly import Assembly, Instance
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.recognition.contacts.contacts import ROUNDING, without
from cadbridge.recognition.contacts.touching import find_contacts
from cadbridge.recognition.evidence.belt_drives import find_belt_drives
from cadbridge.recognition.evidence.fasteners import find_fasteners, find_standard_parts
from cadbridge.recognition.evidence.scene import Overlaps, Scene
from cadbridge.recognition.evidence.smooth_belts import find_smooth_belts
from cadbridge.recognition.faces.parts import faces_of_parts
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.hints import Pair
from cadbridge.recognition.standard.names import StandardKind, called_belt, called_yielding
from cadbridge.recognition.standard.screws import StandardPart
from cadbridge.recognition.wheels.bores import shafts_through
from cadbridge.recognition.wheels.gears import wheels_of_parts
from cadbridge.recognition.wheels.meshing import Meshing, find_meshing, pairs_without, place
from cadbridge.recognition.wheels.placed import MeshingPair
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind
from cadbridge.wording import listed

DRIVEN = 0.9
"""Confidence by its shape of a screw whose head has a hexagon or a socket (`screws`); a cap screw's proportions have
0.6."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """`whole` is the scene of all instances, without bodies; `fasteners` and `ignored` (as told, and what
    yields to any motion: springs, cables, and `lone_belts`, which no shape shows to be one) are taken out of it."""

    whole: Scene
    names: bool
    wheels: tuple[Wheel, ...]
    meshing: Meshing
    drives: tuple[MeshingPair, ...]
    belts: dict[str, tuple[str, str]]
    copies: tuple[str, ...]
    fasteners: dict[str, StandardPart]
    ignored: tuple[str, ...]
    lone_belts: tuple[str, ...]
    overlaps: Overlaps

    @property
    def meshes(self) -> set[frozenset[str]]:
        """The pairs of instances whose teeth mesh, or that a belt ties."""
        return {frozenset((p.a.instance, p.b.instance)) for p in (*self.meshing.pairs, *self.drives)}

    @property
    def in_plane_contact(self) -> set[Pair]:
        """The pairs of instances, in alphabetical order, with plane faces on each other."""
        return {c.pair for c in self.whole.contacts.found if c.kind == "plane"}


def gather(assembly: Assembly, names: bool, ignore: Sequence[str] = ()) -> Evidence:
    """The evidence in an assembly; `ignore`: patterns of names of instances or parts that are left out.

    Parts and instances are taken in the order of their names: what a file lists first must decide nothing. InputError
    where there are none, or none is left.
    """
    if not assembly.instances:
        raise InputError(f"{assembly.name} has no parts, so nothing can be recognised.", assembly.findings)
    assembly = _in_order(assembly)
    told = _left_out(assembly, ignore)
    faces = faces_of_parts(assembly.parts)
    wheels = tuple(place(assembly, wheels_of_parts(assembly)))
    meshing = find_meshing(wheels)
    drives, belts = find_belt_drives(assembly, faces, meshing.wheels)
    smooth, bands = find_smooth_belts(assembly, faces, belts)
    drives, belts = (*drives, *smooth), belts | bands
    # A belt lies in the grooves of its wheels as a bore about a shaft, but turns on none of them.
    contacts = without(find_contacts(assembly, faces), belts)
    whole = Scene(assembly, faces, contacts, Groups(i.name for i in assembly.instances))
    copies = bind_copies(whole)
    find_standard_parts(whole, names)
    lone_belts = _lone_belts(whole, {*belts, *told}) if names else ()
    ignored = (*told, *_yielding(whole, names, {*told, *lone_belts}), *lone_belts)
    fasteners = find_fasteners(whole, toothed(whole, wheels, meshing), names)
    # A tapped rod, a stand-off, may be called like a screw and look like a long nut: with a wheel on it, it is a shaft.
    shafts = {name for names in shafts_through(meshing.wheels, assembly).values() for name in names}
    fasteners = {
        name: s for name, s in fasteners.items()
        if name not in ignored and (s.under_head is not None or name not in shafts)
    }  # fmt: skip
    # What is left out, or a screw, couples nothing, though it has teeth.
    toothless = {*ignored, *fasteners}
    wheels = tuple(wheel for wheel in wheels if wheel.instance not in toothless)
    meshing, drives = meshing.without(toothless), pairs_without(drives, ignored)
    belts = {name: tied for name, tied in belts.items() if not {name, *tied} & set(ignored)}
    return Evidence(
        whole, names, wheels, meshing, drives, belts, tuple(copies), fasteners, ignored, lone_belts, Overlaps()
    )


def toothed(whole: Scene, wheels: Sequence[Wheel], meshing: Meshing) -> set[str]:
    """The instances with teeth that are no screw's.

    A thread has ridges as a worm has, and the socket or the knurl of a head has teeth as a spline: a screw is known by
    them.
    """
    screws = {name: s for name, s in whole.standards.items() if s.kind is StandardKind.SCREW}
    named = {name for name, s in screws.items() if s.named}
    # Below its head, with a hexagon or a socket, even ridges are a thread of any depth, where nothing meshes with them.
    headed = {name for name, s in screws.items() if s.under_head is not None and s.confidence >= DRIVEN}
    headed -= {name for pair in meshing.pairs for name in pair.instances}
    of_screws = {WheelKind.SPLINE: named, WheelKind.WORM: headed}
    return {
        w.instance for w in wheels
        if w.kind is not WheelKind.THREAD and w.instance not in of_screws.get(w.kind, ())
    }  # fmt: skip


def bind_copies(scene: Scene) -> list[str]:
    """Bind each instance that stands where another one of the same shape stands; returns them."""
    first: dict[tuple[str, bytes], str] = {}
    copies = []
    for instance in scene.assembly.instances:
        shape = scene.assembly.part(instance.part).shape
        if shape is None:
            continue
        # Adding 0 makes 0 of −0, which has other bytes.
        place = np.vstack([np.round(instance.X_WI.R, 6), np.round(instance.X_WI.p / ROUNDING)]) + 0.0
        original = first.setdefault((shape.key, place.tobytes()), instance.name)
        if original != instance.name:
            scene.bind(instance.name, original, "an equal part that stands in the same place", 0.9)
            copies.append(instance.name)
    return copies


def _yielding(whole: Scene, names: bool, known: Collection[str]) -> list[str]:
    """Springs, cables and hoses but those known: they touch what they pull on, and hold nothing in its place."""
    springs = {name for name, s in whole.standards.items() if s.kind is StandardKind.SPRING}
    called = {i.name for i in whole.assembly.instances if names and called_yielding(whole.called(i.name))}
    found = (springs | called) - set(known)
    return sorted(found) if len(whole.assembly.instances) - len(found) - len(known) >= 2 else []


def _lone_belts(whole: Scene, known: Collection[str]) -> tuple[str, ...]:
    """Belts by their names, but those known: a belt holds nothing in its place either."""
    instances = whole.assembly.instances
    found = tuple(i.name for i in instances if i.name not in known and called_belt(whole.called(i.name)))
    return found if len(instances) - len(found) >= 2 else ()


def _in_order(assembly: Assembly) -> Assembly:
    parts = tuple(sorted(assembly.parts, key=lambda part: part.name))
    return replace(assembly, parts=parts, instances=tuple(sorted(assembly.instances, key=lambda i: i.name)))


def report_unmatched(assembly: Assembly, ignore: Sequence[str], findings: Findings) -> None:
    """CB1653 for each pattern of --ignore that no part has."""
    for pattern in ignore:
        if not any(_called(i, pattern) for i in assembly.instances):
            findings.add("CB1653", f"--ignore: no part is called {pattern!r}", Where(file=assembly.source))


def _left_out(assembly: Assembly, ignore: Sequence[str]) -> tuple[str, ...]:
    """The instances that patterns of --ignore name; InputError (CB1654) where none is left."""
    told = tuple(i.name for i in assembly.instances if any(_called(i, pattern) for pattern in ignore))
    if len(told) == len(assembly.instances):
        findings = Findings()
        text = f"--ignore leaves no part of {assembly.name} to look at: {listed([repr(pattern) for pattern in ignore])}"
        findings.add("CB1654", text, Where(file=assembly.source))
        raise InputError(text, findings)
    return told


def _called(instance: Instance, pattern: str) -> bool:
    """Whether an instance or its part is called so, in capitals or not."""
    names = (instance.name, instance.name.rsplit("/", 1)[-1], instance.part)
    return any(fnmatch.fnmatchcase(name.lower(), pattern.lower()) for name in names)
