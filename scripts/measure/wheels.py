#!/usr/bin/env python3
"""Wheels made here in all kinds and dresses, and whether `recognise` counts their teeth, as a table by kind.

    python scripts/measure/wheels.py [--count 12] [--seed 1] [--kinds spur,helical] [--folder FOLDER] [--log FILE]
        [--verbose]

Each wheel is drawn by its equations (involutes, ISO 606 and belt profiles), dressed by chance (hub, keyway, holes,
chamfers, tip relief, root fillets; flanks as splines, flats or one face; all faces B-splines; mirrored; turned and
moved in its frame), written as STEP and read again. `right`: teeth and side (inner, outer) are those drawn; `not sure`:
nothing, or teeth with a doubt; `wrong`: another number, or a wheel where none is; `not read`: OCCT gave up on the file.
Exit status 1 where any is wrong. With `--log` each wheel is a line there, and one that has its line is not drawn again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cadquery as cq
import numpy as np
from numpy.typing import NDArray
from OCP.BRepBuilderAPI import BRepBuilderAPI_NurbsConvert

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cadbridge.errors import InputError  # noqa: E402
from cadbridge.recognition.wheels.finding import find_wheels  # noqa: E402
from cadbridge.recognition.wheels.wheel import Wheel  # noqa: E402
from cadbridge.shapes import load_shapes  # noqa: E402

Array = NDArray[np.float64]
Z = cq.Vector(0, 0, 1)
MODULES = (0.3, 0.4, 0.5, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8)


@dataclass(frozen=True)
class Made:
    """A solid, the teeth that it has (0: it is no wheel), whether they are inner ones, and how it was drawn."""

    solid: cq.Shape
    teeth: int
    text: str
    inner: bool = False
    module: float = 0.0


def tooth(teeth: int, module: float, chance: random.Random, inside: bool = False) -> tuple[Array, str]:
    """Half a tooth (n, 2), radius and angle from root to tip, and in words what is particular to it."""
    alpha = math.radians(chance.choice((14.5, 20, 20, 20, 25)))
    shift = chance.choice((0, 0, 0, 0.3, 0.5)) if not inside and teeth < 40 else 0.0
    relief = chance.choice((0, 0, 0.02)) * module
    addendum, dedendum = (1.25, 1.0) if inside else (1.0, 1.25)
    reference = module * teeth / 2
    base, tip = reference * math.cos(alpha), reference + module * (addendum + shift)
    root = reference - module * (dedendum - shift)
    half = math.pi / (2 * teeth) + 2 * shift * math.tan(alpha) / teeth + math.tan(alpha) - alpha
    r = np.linspace(max(base, root) * 1.0001, tip, 9)
    phi = np.arccos(base / r)
    angle = np.maximum(half - (np.tan(phi) - phi), 0.12 * module / reference)
    angle[-3:] -= relief / r[-3:] * np.array([0.1, 0.4, 1.0])
    if root < base:  # a radial foot
        r, angle = np.concatenate([[root], r]), np.concatenate([[angle[0]], angle])
    words = f"{math.degrees(alpha):.3g}°" + (f" shift {shift}" if shift else "") + (" relief" if relief else "")
    return np.column_stack([r, angle]), words


def polar(r: float, angle: float) -> cq.Vector:
    """A point of the plane."""
    return cq.Vector(r * math.cos(angle), r * math.sin(angle))


def wire(teeth: int, half: Array, style: str, fillet: float = 0.0) -> cq.Wire:
    """The closed outline of a wheel of `half` teeth, `style` flanks; with rounded roots where `fillet` is above 0."""
    pitch = 2 * math.pi / teeth
    edges: list[cq.Edge] = []
    loop: list[cq.Vector] = []
    for k in range(teeth):
        at = pitch * k
        up = [polar(r, at - a) for r, a in half]
        down = [polar(r, at + a) for r, a in half[::-1]]
        tip, root = polar(half[-1, 0], at), polar(half[0, 0] - fillet, at + pitch / 2)
        after = polar(half[0, 0], at + pitch - half[0, 1])
        loop += [*up, *down]
        if style == "flats":
            points = [*up, *down, after]
            edges += [cq.Edge.makeLine(a, b) for a, b in itertools.pairwise(points)]
        elif style == "splines":
            edges += [cq.Edge.makeSpline(up), cq.Edge.makeThreePointArc(up[-1], tip, down[0])]
            edges += [cq.Edge.makeSpline(down), cq.Edge.makeThreePointArc(down[-1], root, after)]
    if style == "one":
        edges = [cq.Edge.makeSpline(loop, periodic=True)]
    return cq.Wire.assembleEdges(edges)


def disc(radius: float, low: float, high: float) -> cq.Solid:
    """A cylinder about z."""
    return cq.Solid.makeCylinder(radius, high - low, cq.Vector(0, 0, low))


def dressed(solid: cq.Shape, root: float, width: float, chance: random.Random) -> tuple[cq.Shape, str]:
    """A wheel with a bore, perhaps a hub, a keyway, holes; in words."""
    words: list[str] = []
    bore = 0.25 * root
    if chance.random() < 0.4:
        solid, words = solid.fuse(disc(0.45 * root, 0, 1.6 * width)), [*words, "hub"]
    if chance.random() < 0.8:
        solid, words = solid.cut(disc(bore, -width, 3 * width)), [*words, "bore"]
        if chance.random() < 0.4:
            box = cq.Solid.makeBox(0.5 * bore, 1.3 * bore, 4 * width, cq.Vector(-0.25 * bore, 0, -width))
            solid, words = solid.cut(box), [*words, "keyway"]
    if chance.random() < 0.35:
        count = chance.choice((3, 4, 5, 6, 8))
        for k in range(count):
            hole = disc(0.12 * root, -width, 3 * width).translate(polar(0.68 * root, 2 * math.pi * k / count))
            solid = solid.cut(hole)
        words.append(f"{count} holes")
    return solid, " ".join(words)


def chamfered(solid: cq.Shape, tip: float, width: float, depth: float) -> cq.Shape:
    """A wheel whose tips are bevelled at both ends."""
    points = [
        (0, 0),
        (tip - depth, 0),
        (tip + 0.01, depth),
        (tip + 0.01, width - depth),
        (tip - depth, width),
        (0, width),
    ]
    turned = cq.Workplane("XZ").polyline(points).close().revolve(360, (0, 0, 0), (0, 1, 0))
    return solid.intersect(turned.val())


def usual(chance: random.Random, low: int = 8, high: int = 200) -> tuple[int, float, str]:
    """(teeth, module mm, style of the flanks)."""
    teeth = round(math.exp(chance.uniform(math.log(low), math.log(high))))
    styles = ("splines", "splines", "flats", "one") if teeth < 50 else ("splines", "flats")
    return teeth, chance.choice(MODULES), chance.choice(styles)


def spur(chance: random.Random) -> Made:
    """A spur wheel."""
    teeth, module, style = usual(chance)
    half, words = tooth(teeth, module, chance)
    width = module * chance.uniform(3, 12)
    fillet = chance.choice((0.0, 0.15)) * module
    solid: cq.Shape = cq.Solid.extrudeLinear(wire(teeth, half, style, fillet), [], cq.Vector(0, 0, width))
    if chance.random() < 0.3 and teeth < 90:
        solid, words = chamfered(solid, half[-1, 0], width, 0.3 * module), words + " chamfers"
    solid, more = dressed(solid, half[0, 0] - fillet, width, chance)
    return Made(solid, teeth, f"m{module:g} {style} {words} {more}", module=module)


def helical(chance: random.Random) -> Made:
    """A helical wheel, 5 to 45°, of either hand."""
    teeth, module, style = usual(chance, high=60)
    half, words = tooth(teeth, module, chance)
    width, helix = module * chance.uniform(4, 10), chance.choice((-1, 1)) * chance.uniform(5, 45)
    turn = math.degrees(math.tan(math.radians(helix)) * width / (module * teeth / 2))
    outline = wire(teeth, half, style)
    solid: cq.Shape = cq.Solid.extrudeLinearWithRotation(outline, [], cq.Vector(), cq.Vector(0, 0, width), turn)
    solid, more = dressed(solid, half[0, 0], width, chance)
    return Made(solid, teeth, f"m_t{module:g} {helix:.1f}° {style} {words} {more}")


def internal(chance: random.Random) -> Made:
    """An inner wheel in a ring, straight or helical, perhaps with holes in its rim and a bottom."""
    teeth, module, style = usual(chance, 24, 160)
    half, words = tooth(teeth, module, chance, inside=True)
    width, rim = module * chance.uniform(4, 10), half[-1, 0] + module * chance.uniform(1.5, 6)
    inner, outer, up, turn = wire(teeth, half, style), cq.Wire.makeCircle(rim, cq.Vector(), Z), Z * width, 0.0
    twisted, closed, notched = chance.random() < 0.3 and teeth < 90, chance.random() < 0.4, chance.random() < 0.4
    if notched:  # cut from a plain disc: a boolean with all the teeth takes ten times as long
        plain: cq.Shape = disc(rim, 0, width)
        for k in range(6):
            away = polar(rim, 2 * math.pi * k / 6)
            plain = plain.cut(disc(0.4 * (rim - half[-1, 0]), -width, 2 * width).translate(away))
        outer = cq.Workplane(plain).faces("<Z").val().outerWire()
    if twisted:
        turn = chance.uniform(-20, 20) * 20 / teeth
        solid: cq.Shape = cq.Solid.extrudeLinearWithRotation(outer, [inner], cq.Vector(), up, turn)
    else:
        solid = cq.Solid.extrudeLinear(outer, [inner], up)
    if closed:
        solid = solid.fuse(disc(rim, -0.3 * width, 0))
    return Made(solid, teeth, f"m{module:g} {style} {words} turn {turn:.1f}", inner=True, module=module)


def bevel(chance: random.Random) -> Made:
    """A bevel wheel, its outline drawn to the apex; perhaps with back and front cones, or curved teeth (spiral)."""
    teeth, module, style = usual(chance, 10, 60)
    half, words = tooth(teeth, module, chance)
    cone = math.radians(chance.uniform(20, 70))
    reference = module * teeth / 2
    apex = reference / math.tan(cone)
    height = chance.uniform(0.2, 0.33) * apex
    small = half * np.array([1 - height / apex, 1.0])
    outlines = [wire(teeth, half, style), wire(teeth, small, style).translate(cq.Vector(0, 0, height))]
    solid: cq.Shape = cq.Solid.makeLoft(outlines, True)
    if chance.random() < 0.6:  # a back cone, square to the pitch cone
        tip, low = half[-1, 0] * 1.02, reference - 1.3 * module
        rise = (tip - reference) * math.tan(cone), (low - reference) * math.tan(cone)
        up = -min(rise)
        points = [(0, up + rise[1]), (low, up + rise[1]), (tip, up + rise[0]), (tip, up + height), (0, up + height)]
        turned = cq.Workplane("XZ").polyline(points).close().revolve(360, (0, 0, 0), (0, 1, 0)).val()
        if up + rise[0] < 0.4 * height:
            solid, words = solid.intersect(turned), words + " back cone"
    solid, more = dressed(solid, small[0, 0], height, chance)
    return Made(solid, teeth, f"m{module:g} {math.degrees(cone):.0f}° {style} {words} {more}")


def rack(chance: random.Random) -> Made:
    """A rack, straight or with slanted teeth, on a bar."""
    teeth, module = chance.randint(8, 60), chance.choice(MODULES)
    alpha, pitch = math.radians(chance.choice((14.5, 20, 20))), math.pi * module
    up, low = module * math.tan(alpha), 1.25 * module * math.tan(alpha)
    points = [(0.0, -6 * module)]
    for k in range(teeth):
        at = pitch * (k + 0.5)
        points += [(at - pitch / 4 - low, -1.25 * module), (at - pitch / 4 + up, module)]
        points += [(at + pitch / 4 - up, module), (at + pitch / 4 + low, -1.25 * module)]
    points += [(pitch * teeth, -6 * module)]
    points.insert(1, (0.0, -1.25 * module))
    points.insert(-1, (pitch * teeth, -1.25 * module))
    helix = chance.choice((0, 0, 15))
    outline = cq.Wire.makePolygon([cq.Vector(*p) for p in points], close=True)
    width = module * chance.uniform(5, 15)
    along = cq.Vector(width * math.tan(math.radians(helix)), 0, width)
    return Made(cq.Solid.extrudeLinear(outline, [], along), teeth, f"m{module:g} helix {helix}")


def worm(chance: random.Random) -> Made:
    """A worm of one to four starts with a shaft."""
    starts, module = chance.randint(1, 4), chance.choice(MODULES[3:])
    root = module * chance.uniform(3, 6)
    tip, pitch = root + 2.2 * module, math.pi * module
    slope = 1 / math.tan(math.radians(chance.choice((14.5, 20))))
    angle = np.linspace(0, 2 * math.pi, 160, endpoint=False)
    phase = np.abs(np.mod(angle * starts / (2 * math.pi), 1.0) - 0.5)
    r = np.clip((root + tip) / 2 + slope * (0.25 - phase) * pitch, root, tip)
    outline = cq.Wire.makePolygon([polar(*p) for p in zip(r, angle, strict=True)], close=True)
    length, hand = pitch * chance.uniform(4, 7), chance.choice((-1, 1))
    turn = hand * 360 * length / (pitch * starts)
    solid: cq.Shape = cq.Solid.extrudeLinearWithRotation(outline, [], cq.Vector(), cq.Vector(0, 0, length), turn)
    solid = solid.fuse(disc(0.8 * root, -length / 2, 1.5 * length))
    return Made(solid, starts, f"m{module:g} {hand:+d} root {root:.1f}")


def sprocket(chance: random.Random) -> Made:
    """A sprocket of ISO 606, its seats arcs."""
    from tests.recognition import gear_shapes

    pitch, roller = chance.choice(((6.35, 3.3), (8.0, 5.0), (9.525, 6.35), (12.7, 8.51), (15.875, 10.16), (12.7, 7.92)))
    teeth = chance.randint(9, 70)
    points = gear_shapes.sprocket(teeth, pitch, roller)
    outline = cq.Wire.makePolygon([cq.Vector(*p) for p in points], close=True)
    width = 0.5 * pitch
    solid: cq.Shape = cq.Solid.extrudeLinear(outline, [], cq.Vector(0, 0, width))
    solid, more = dressed(solid, float(np.hypot(*points.T).min()), width, chance)
    return Made(solid, teeth, f"pitch {pitch} {more}")


def pulley(chance: random.Random) -> Made:
    """A toothed pulley of GT2 or T profile, perhaps with flanges."""
    teeth = chance.randint(12, 80)
    if chance.random() < 0.5:
        from tests.recognition import gear_shapes

        name, outer, seat = "GT2 2M", teeth * 2 / (2 * math.pi) - 0.254, 0.555
        points = gear_shapes.notched(teeth, outer - 0.18, seat, outer)
        vectors = [cq.Vector(*p) for p in points]
    else:
        pitch, below, depth, name = chance.choice(
            ((5, 1.0, 1.88, "T5"), (10, 2.0, 2.6, "T10"), (2.5, 0.6, 0.75, "T2.5"))
        )
        outer, vectors = (teeth * pitch / math.pi - below) / 2, []
        for k in range(teeth):
            at, half = 2 * math.pi * k / teeth, 0.2 * pitch
            grow = depth * math.tan(math.radians(25))
            for r, a in ((outer, -half - grow / 2), (outer - depth, -half + grow / 2)):
                vectors.append(polar(r, at + a / r))
            for r, a in ((outer - depth, half - grow / 2), (outer, half + grow / 2)):
                vectors.append(polar(r, at + a / r))
    width = chance.uniform(0.5, 1.5) * outer
    solid: cq.Shape = cq.Solid.extrudeLinear(cq.Wire.makePolygon(vectors, close=True), [], cq.Vector(0, 0, width))
    flanges = chance.random() < 0.6
    if flanges:
        rim = outer * 1.15
        solid = solid.fuse(disc(rim, -0.1 * width, 0)).fuse(disc(rim, width, 1.1 * width))
    return Made(solid.cut(disc(0.3 * outer, -width, 3 * width)), teeth, f"{name}{' flanges' if flanges else ''}")


def none(chance: random.Random) -> Made:
    """What looks like a wheel and is none: cycloidal discs, splines, ratchets, fins, knobs."""
    count, outer = chance.randint(8, 40), chance.uniform(10, 60)
    kind = chance.choice(("cycloid", "straight spline", "involute spline", "ratchet", "fins"))
    t = np.linspace(0, 2 * math.pi, 40 * count, endpoint=False)
    if kind == "cycloid":
        pins, off = count + 1, 0.5 * outer / (count + 1)
        x = outer * np.cos(t) - 0.3 * off * np.cos(pins * t)
        y = outer * np.sin(t) - 0.3 * off * np.sin(pins * t)
        points = np.column_stack([x, y])[::2]
    else:
        depth = {"straight spline": 0.12, "involute spline": 2.0 / count, "ratchet": 4.0 / count, "fins": 0.5}[kind]
        phase = np.mod(t * count / (2 * math.pi), 1.0)
        up = np.clip({"ratchet": phase, "involute spline": 2.2 * (0.5 - np.abs(phase - 0.5)) - 0.05}.get(
            kind, (np.abs(phase - 0.5) < 0.25) * 1.0), 0, 1)  # fmt: skip
        r = outer * (1 - depth / 2 + depth / 2 * up)
        points = np.column_stack([r * np.cos(t), r * np.sin(t)])
    outline = cq.Wire.makePolygon([cq.Vector(*p) for p in points], close=True)
    solid = cq.Solid.extrudeLinear(outline, [], cq.Vector(0, 0, 0.3 * outer)).cut(disc(0.2 * outer, -outer, outer))
    return Made(solid, 0, f"{kind} {count}")


KINDS: dict[str, Callable[[random.Random], Made]] = {
    f.__name__: f for f in (spur, helical, internal, bevel, rack, worm, sprocket, pulley, none)
}


def placed(made: Made, chance: random.Random) -> tuple[cq.Shape, str]:
    """The solid turned and moved in its frame, perhaps mirrored, perhaps with B-spline faces only."""
    solid, words = made.solid, ""
    if chance.random() < 0.25:
        solid, words = solid.mirror("XZ"), " mirrored"
    if chance.random() < 0.15:
        solid, words = cq.Shape.cast(BRepBuilderAPI_NurbsConvert(solid.wrapped).Shape()), words + " B-splines"
    axis = cq.Vector(*(chance.uniform(-1, 1) for _ in range(3)))
    if chance.random() < 0.5:
        solid = solid.rotate(cq.Vector(), axis, chance.uniform(0, 180)).translate(axis * 30)
        words += " moved"
    return solid, words


def drawn(
    kinds: list[str], count: int, seed: int, folder: Path, known: Container[str]
) -> Iterator[tuple[str, Made, str, Path]]:
    """(kind, what was drawn, how it was placed, its STEP file), but for those whose name is known."""
    for k in range(count):
        for kind in kinds:
            if f"{kind}_{seed}_{k}" in known:
                continue
            chance = random.Random(f"{kind} {seed} {k}")
            made = KINDS[kind](chance)
            solid, words = placed(made, chance)
            file = folder / f"{kind}_{seed}_{k}.step"
            cq.exporters.export(cq.Workplane(solid), str(file))
            yield kind, made, words, file


def verdict(made: Made, found: tuple[Wheel, ...]) -> str:
    """right, not sure or wrong."""
    sure = [w for w in found if w.sure]
    if any(w.teeth != made.teeth or w.internal != made.inner for w in sure):
        return "wrong"
    return "right" if bool(sure) == bool(made.teeth) else "not sure"


def measured(made: Made, words: str, file: Path) -> dict[str, Any]:
    """What was found in a wheel's file, and how right it is."""
    start = cpu()
    try:
        found = find_wheels(load_shapes([file])[file])
    except InputError as fault:
        return {"verdict": "not read", "drawn": made.text + words, "found": str(fault), "cpu": cpu() - start}
    finds = [(w.teeth, w.label, round(w.module * 1e3, 3), w.doubt) for w in found]
    modules = [w.module * 1e3 for w in found if w.sure and made.module]
    off = any(abs(m / made.module - 1) > 0.02 for m in modules)
    text = f"z{made.teeth} {made.text}{words}"
    return {"verdict": verdict(made, found), "drawn": text, "found": finds, "module_off": off, "cpu": cpu() - start}


def cpu() -> float:
    """Processor seconds of this process and of those that it started and that ended."""
    return sum(os.times()[:4])


def main() -> int:
    """Draw, read, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--folder", type=Path, help="keep the STEP files here")
    parser.add_argument("--log", type=Path, help="a line of JSON for each wheel; what stands there is not done again")
    parser.add_argument("--verbose", action="store_true", help="a line for each wheel, not for those not right only")
    options = parser.parse_args()
    log: Path | None = options.log
    lines = log.read_text(encoding="utf-8").splitlines() if log is not None and log.is_file() else []
    done: dict[str, dict[str, Any]] = {d["name"]: d for d in map(json.loads, lines)}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for kind, made, words, file in drawn(options.kinds.split(","), options.count, options.seed, folder, done):
            result = {"name": file.stem, "kind": kind, **measured(made, words, file)}
            done[file.stem] = result
            if log is not None:
                with log.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(result) + "\n")
            if options.verbose or result["verdict"] != "right":
                print(f"{result['verdict']:8} {file.stem} {result['drawn']}: {result['found']}", flush=True)
    table: dict[str, Counter[str]] = {}
    for result in done.values():
        counts = table.setdefault(result["kind"], Counter())
        counts[result["verdict"]] += 1
        counts["module off by 2 %"] += bool(result.get("module_off"))
    names = ("right", "not sure", "wrong", "not read")
    print(f"{'kind':10}{'wheels':>8}" + "".join(f"{name:>10}" for name in names) + "   module off by 2 %")
    for kind, counts in table.items():
        figures = [counts[name] for name in names]
        print(f"{kind:10}{sum(figures):8}" + "".join(f"{n:10}" for n in figures) + f"{counts['module off by 2 %']:8}")
    return int(any(counts["wrong"] for counts in table.values()))


if __name__ == "__main__":
    sys.exit(main())
