#!/usr/bin/env python3
"""What reading a STEP assembly costs beside what OCCT itself needs for it. Run it with the Python that has cadbridge.

    scripts/measure/step_import.py [--shapes 100] [--instances 1000] [--times 3]

Bare is OCCT's read, transfer and parallel mesh of each distinct shape, with the deflections that cadbridge comes to;
ours is `cadbridge.read`, whose OCCT runs in a process of its own, without the weighing. Both in warm processes, by
turns; the least of each is told, on the clock and in processor seconds, since a busy machine stretches the clock.
Peak memory is that of fresh processes that do one of the two once.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


def make(path: Path, shapes: int, instances: int) -> None:
    """Plates with holes, rounded blocks and turned parts, each shape in its own size, on a grid."""
    import cadquery as cq

    solids = []
    for i in range(shapes):
        a = 20.0 + i * 0.37
        if i % 3 == 0:
            solid = cq.Workplane().box(a, 2 * a, 8).faces(">Z").workplane().rarray(a / 3, a / 2, 2, 3).hole(a / 8)
        elif i % 3 == 1:
            solid = cq.Workplane().box(a, a, a).edges("|Z").fillet(a / 6).faces(">Z").shell(-a / 20)
        else:
            solid = cq.Workplane().circle(a / 2).extrude(a).faces(">Z").workplane().circle(a / 3).extrude(a)
        solids.append(solid)
    assembly = cq.Assembly(name="grid")
    for i in range(instances):
        place = cq.Location(cq.Vector(150.0 * (i % 32), 150.0 * (i // 32), 0.0))
        assembly.add(solids[i % shapes], name=f"part{i}", loc=place)
    assembly.export(str(path))


Times = tuple[float, float]
"""Seconds on the clock, and of processors."""


def timed(work: Callable[[], Any]) -> Times:
    """How long it takes; processor seconds of this process alone."""
    start = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start[0], time.process_time() - start[1]


class Bare:
    """OCCT alone: the same triangulations that cadbridge comes to, on a document read anew."""

    def __init__(self, path: Path) -> None:
        from cadbridge.shapes import document, meshing

        self._path, self._open, self._meshing = str(path), document.StepDocument, meshing
        asked: list[tuple[list[Any], tuple[float, float]]] = []
        genuine = meshing.triangulate

        def noted(items: list[Any], deflection: float, angle: float) -> None:
            asked.append((items, (deflection, angle)))
            genuine(items, deflection, angle)

        meshing.triangulate = noted  # type: ignore[assignment]
        known = document.read_document(self._open(self._path), 1e-3)
        meshing.triangulate = genuine
        self._labels = [shape.label for shape in known.shapes.values()]
        self._items = list(asked[0][0])
        index = {id(item): i for i, item in enumerate(self._items)}
        self._requested = [([index[id(item)] for item in items], how) for items, how in asked]

    def once(self) -> None:
        """Read, transfer, mesh."""
        from OCP.BRepTools import BRepTools

        source = self._open(self._path)
        shapes = [source.shape(label) for label in self._labels]
        items = [replace(item, shape=shape) for item, shape in zip(self._items, shapes, strict=True)]
        for n, (which, how) in enumerate(self._requested):
            for i in which if n else ():
                BRepTools.Clean_s(shapes[i])
            self._meshing.triangulate([items[i] for i in which], *how)

    def weighing(self) -> Times:
        """What weighing the shapes takes."""
        source = self._open(self._path)
        shapes = [source.shape(label) for label in self._labels]
        return timed(lambda: [self._meshing.weigh(shape) for shape in shapes])


def ours(path: Path) -> Times:
    """`cadbridge.read`; processor seconds of this process and OCCT's."""
    import cadbridge as cb

    before = sum(sum(p.cpu_times()[:2]) for p in psutil.Process().children(recursive=True))
    wall, cpu = timed(lambda: cb.read(path))
    after = sum(sum(p.cpu_times()[:2]) for p in psutil.Process().children(recursive=True))
    return wall, cpu + after - before


def alone(what: str, path: Path) -> None:
    """One reading in this process, fresh; prints the peak memory (MB) of each process that took part."""
    if what == "bare":
        from OCP.BRepMesh import BRepMesh_IncrementalMesh
        from OCP.BRepTools import BRepTools

        from cadbridge.shapes import document

        source = document.StepDocument(str(path))
        shapes = [source.tool.GetShape_s(label) for label in source.free_labels()]
        for linear, angle in ((0.1, 0.5), (0.05, 0.1)):
            for shape in shapes:
                BRepTools.Clean_s(shape)
                BRepMesh_IncrementalMesh(shape, linear, False, angle, True)
    else:
        import cadbridge as cb

        cb.read(path)
    print(json.dumps([peak(os.getpid()), *(peak(child.pid) for child in psutil.Process().children(recursive=True))]))


def peak(pid: int) -> float:
    """Peak memory of a process in MB (Linux)."""
    (line,) = [x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmHWM")]
    return int(line.split()[1]) / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", type=int, default=100)
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--alone", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        alone(given.alone[0], Path(given.alone[1]))
        return
    with tempfile.TemporaryDirectory(prefix="cadbridge-measure-") as folder:
        path = Path(folder) / "grid.step"
        make(path, given.shapes, given.instances)
        print(f"{given.instances} instances of {given.shapes} shapes, {path.stat().st_size / 1e6:.1f} MB")
        bare = Bare(path)
        ours(path)
        # A file of its own for each reading: OCCT's process still knows the last one.
        copies = [Path(shutil.copy(path, Path(folder) / f"grid{n}.step")) for n in range(given.times)]
        runs = [(timed(bare.once), bare.weighing(), ours(copy)) for copy in copies]
        for k, clock in enumerate(("on the clock", "of processors")):
            b, w, o = (min(run[i][k] for run in runs) for i in range(3))
            print(f"{clock}: bare {b:.2f} s, ours {o:.2f} s of which weighing {w:.2f} s: {(o - w) / b:.2f} times bare")
        for what in ("bare", "ours"):
            command = [sys.executable, __file__, "--alone", what, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            sizes = json.loads(done.stdout.splitlines()[-1])
            print(f"peak memory, {what}: {' + '.join(f'{mb:.0f}' for mb in sizes)} MB")


if __name__ == "__main__":
    main()
