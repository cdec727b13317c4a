"""Bolts, screws, nuts, washers, rivets and circlips: known by shape and by name, and taken out first.

A fastener moves nothing of its own. What it holds is recognised without it, with the line on which it stands between
two parts as evidence (`bolts`); it is attached to one of them at the very end.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from cadbridge.geometry import Mesh, Shape
from cadbridge.recognition.contacts.contacts import ALONG, without
from cadbridge.recognition.contacts.judging import goes_on
from cadbridge.recognition.evidence.lead_screws import called_lead_screw
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.faces.sections import across
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.standard.names import StandardKind, called_fastener, called_slot_nut, named_size
from cadbridge.recognition.standard.parts import standard_part
from cadbridge.recognition.standard.screws import StandardPart
from cadbridge.recognition.wheels.axes import candidate_axes

TRUSTED = 0.5
"""Confidence from which a standard part is taken out as what it seems. 54 machines: 0.4 | 0.5: a name that agrees adds
0.3, one that says another kind halves it."""

LARGEST_SHANK = 0.018
"""m, the radius of an M36's: larger bolts belong to the structure. 54 machines have 0.0074 and less."""

WIDEST_HEAD = 2.2
"""Radius of a head beside that of its shank; ISO's widest, with a flange, has 2.2. 54 machines: 2.1 | 2.4. Tests: 1.8 |
2.25 (`test_fasteners`)."""

HOLDING = (StandardKind.SCREW, StandardKind.NUT, StandardKind.RIVET)
"""Kinds that are taken out wherever they stand; rings only where they stand on one of these, or are called so."""
RINGS = (StandardKind.WASHER, StandardKind.CIRCLIP)
ROUND_OUTLINE = 0.75
"""The least beside the largest radius of a fastener's outline about its axis: a square nut has 0.71, a hexagon 0.87."""

LEAST_BORE = 0.2
"""Of the outer radius of a nut or a ring: the radius of its bore at least. A choice."""

THICK_CIRCLIP = 0.5
"""Thickness of a circlip beside its outer radius, at most: DIN 471 has 0.27 (3 mm) and less. A choice."""

SECTORS = 12
"""Directions about an axis in which an outline is measured: twelve meet corners and flats of squares and hexagons."""

NAMED_HEAD = 3.0
"""Width of a screw beside the diameter in its name, at most. A choice: 54 machines have 2.4 and less."""


def find_standard_parts(scene: Scene, names: bool) -> None:
    """Fill in what each instance is, where it is a standard part; each part is looked at once."""
    called: dict[str, list[str]] = {}
    for instance in scene.assembly.instances:
        called.setdefault(instance.part, []).append(scene.called(instance.name)[0])
    found: dict[str, StandardPart | None] = {}
    by_shape: dict[tuple[str, tuple[str, ...]], StandardPart | None] = {}
    for part in scene.assembly.parts:
        if part.shape is None or part.name not in called:
            continue
        witnesses = (part.name, *called[part.name][:3]) if names else ()
        key = (part.shape.key, witnesses)
        if key not in by_shape:
            by_shape[key] = _trusted(standard_part(part.shape, witnesses)) or _by_name(part.shape, witnesses)
        found[part.name] = by_shape[key]
    for instance in scene.assembly.instances:
        standard = found.get(instance.part)
        if standard is not None:
            scene.standards[instance.name] = standard
            if standard.kind is StandardKind.KEY:
                scene.fasteners[instance.name] = str(standard.kind)


def _trusted(standard: StandardPart | None) -> StandardPart | None:
    """A standard part that is sure enough and of the usual size: links of robots can look like screws."""
    if standard is None or standard.confidence < TRUSTED:
        return None
    if standard.kind not in (StandardKind.SCREW, StandardKind.RIVET):
        return standard
    return standard if standard.radius <= LARGEST_SHANK and standard.head <= WIDEST_HEAD * standard.radius else None


def _by_name(shape: Shape, names: Sequence[str]) -> StandardPart | None:
    """A fastener by its name, where its outline is round or a hexagon and its size is that of its name."""
    kind = called_fastener(names)
    mesh = shape.fine if shape.fine is not None else shape.coarse
    if kind is None or mesh is None or len(mesh.triangles) < 4 or not np.isfinite(mesh.vertices).all():
        return None
    in_slot = called_slot_nut(names)
    for point, axis in candidate_axes(shape, mesh)[:2]:
        local = (mesh.vertices - point) @ across(axis)
        low, high = float(local[:, 2].min()), float(local[:, 2].max())
        away = np.linalg.norm(local[:, :2], axis=1)
        outer, inner = float(away.max()), float(away.min())
        size = named_size(names)
        # The ears of a circlip stand out of its outline, and a nut for a slot is as long as it likes.
        round_outside = kind is StandardKind.CIRCLIP or in_slot or _lean(mesh, local) >= ROUND_OUTLINE * outer
        if not 0.0 < outer <= WIDEST_HEAD * LARGEST_SHANK or not round_outside:
            continue
        if kind in (StandardKind.SCREW, StandardKind.RIVET):
            radius = size[0] / 2 if size is not None else outer / WIDEST_HEAD
            fits = size is None or (2 * outer <= NAMED_HEAD * size[0] and high - low <= size[1] + 2 * size[0])
            # What is shorter than half as wide and has a screw's name is a cap on its head, or a washer called by it.
            fits &= high - low >= outer
        else:
            thick = THICK_CIRCLIP if kind is StandardKind.CIRCLIP else 3.0
            wide = 0.0 if in_slot else LEAST_BORE
            radius, fits = inner, wide * outer < inner and high - low <= thick * outer
        if fits:
            at, way, text = np.asarray(point), np.asarray(axis), f"a {kind} by its name"
            return StandardPart(kind, at, way, low, high, radius, outer, 0.7, text, named=True)
    return None


def _lean(mesh: Mesh, local: np.ndarray) -> float:
    """The least reach of an outline about its axis: in each direction the outermost corner, of these the nearest, m."""
    ends = local[np.unique(mesh.triangles)][:, :2]
    ways = np.linspace(0.0, 2 * np.pi, SECTORS, endpoint=False)
    return float((ends @ np.array([np.cos(ways), np.sin(ways)])).max(axis=0).min())


def find_fasteners(scene: Scene, wheels: Collection[str], names: bool) -> dict[str, StandardPart]:
    """The instances to take out, with what they are; none of `wheels`, no lead screw, and never nearly all."""
    # The nut on a lead screw may look like any other, and is what the screw moves.
    kept = set(wheels) | _with_handles(scene) | (_of_lead_screws(scene) if names else set())
    standards = {name: s for name, s in scene.standards.items() if name not in kept}
    found = {name: s for name, s in standards.items() if s.kind in HOLDING}
    found |= {name: s for name, s in standards.items() if s.kind in RINGS and s.named}
    found |= {name: standards[name] for name in _on_screws(scene, found) if name in standards}
    shaped = sum(scene.assembly.part(i.part).shape is not None for i in scene.assembly.instances)
    return found if shaped - len(found) >= 2 else {}


def _of_lead_screws(scene: Scene) -> set[str]:
    """What is called a lead screw, and what it stands in."""
    screws = {i.name for i in scene.assembly.instances if called_lead_screw(scene, i.name)}
    return screws | {name for c in scene.contacts.found if screws & set(c.pair) for name in c.pair}


def _with_handles(scene: Scene) -> set[str]:
    """Screws through which a bar goes across, and out on both sides: a vise's, a clamp's, turned by hand."""
    screws = {name: scene.pose(name).vector(s.axis) for name, s in scene.standards.items() if s.kind in HOLDING}
    return {
        c.b.instance for c in scene.contacts.found
        if c.kind == "shaft" and c.b.instance in screws and c.a.instance not in screws
        and abs(float(screws[c.b.instance] @ c.direction)) < ALONG and goes_on(c.a, c.b)
    }  # fmt: skip


def _on_screws(scene: Scene, screws: Mapping[str, StandardPart]) -> set[str]:
    """Washers and circlips on the shank of a screw."""
    return {
        c.b.instance for c in scene.contacts.found
        if c.kind == "shaft" and c.a.instance in screws and c.b.instance in scene.standards
        and scene.standards[c.b.instance].kind in RINGS
    }  # fmt: skip


def without_fasteners(scene: Scene, out: Collection[str], bolted: bool) -> Scene:
    """A scene of all other instances, with their contacts and lines; `bolted`: whether the model shows fasteners."""
    kept = tuple(i for i in scene.assembly.instances if i.name not in out)
    bare = replace(scene.assembly, instances=kept)
    standards = {name: s for name, s in scene.standards.items() if name not in out}
    return Scene(
        bare, scene.faces, without(scene.contacts, out), Groups(i.name for i in kept),
        fasteners=dict(scene.fasteners), standards=standards, bolted=bolted,
    )  # fmt: skip
