"""Import of a large STEP assembly beside bare OCCT: reading, transfer and parallel meshing of the same file.

Both sides are warm processes that have read a small file before, and mesh the same shapes to the same deflections.
Weighing, which bare OCCT does not do, is measured by itself and left out.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DISTINCT, INSTANCES, REPEATS = 100, 1000, 3
NAME = "STEP import"
COARSE = (2e-3, 0.5)
"""Deflection over size, and angle (rad), of the mesh that an import delivers of every shape."""


def write_assembly(path: Path, distinct: int = DISTINCT, instances: int = INSTANCES) -> None:
    """A STEP file of flanges with bores, fillets and ribs: `distinct` shapes, placed `instances` times in all."""
    import cadquery as cq

    assembly = cq.Assembly(name="many")
    for k in range(distinct):
        size, holes = 20.0 + 0.7 * k, 4 + k % 5
        solid = cq.Workplane().circle(size).extrude(6 + k % 7).edges(">Z").fillet(1.0 + 0.01 * k)
        solid = solid.faces("<Z").workplane().polarArray(0.7 * size, 0, 360, holes).hole(3.0 + 0.02 * k)
        solid = solid.faces(">Z").workplane().circle(0.4 * size).extrude(10 + 0.1 * k)
        solid = solid.faces(">Z").workplane().hole(0.5 * size)
        for i in range(k, instances, distinct):
            place = cq.Location(cq.Vector(250.0 * (i % 40), 250.0 * (i // 40), 0.0))
            assembly.add(solid, name=f"flange {k} {i // distinct}", loc=place)
    assembly.export(str(path), exportType="STEP")


def compare(folder: Path) -> dict[str, Any]:
    """Seconds and bytes of both sides, the least of some repeats each in a fresh process."""
    path, small = folder / "many.step", folder / "few.step"
    write_assembly(path)
    write_assembly(small, 2, 4)
    probes = [_child("probe", small, path) for _ in range(REPEATS)]
    own, bare = [], []
    for _ in range(REPEATS):
        # In turn: whatever else the machine does then, it does to both.
        own.append(_child("own", small, path))
        bare.append(_child("bare", small, path))
    weighing = min(x["weighing"] for x in probes)
    seconds = min(x["seconds"] for x in own)
    return {
        "case": NAME,
        "file_bytes": path.stat().st_size,
        "instances": own[0]["instances"],
        "shapes": own[0]["shapes"],
        "own_seconds": seconds,
        "weighing_seconds": weighing,
        "bare_seconds": min(x["seconds"] for x in bare),
        "time_ratio": (seconds - weighing) / min(x["seconds"] for x in bare),
        "own_bytes": statistics.median(x["bytes"] for x in own),
        "bare_bytes": statistics.median(x["bytes"] for x in bare),
        "memory_ratio": statistics.median(x["bytes"] for x in own) / statistics.median(x["bytes"] for x in bare),
    }


def text(result: dict[str, Any]) -> list[str]:
    """The result as lines of Markdown."""
    return [
        "## Import of a STEP assembly beside bare OCCT\n",
        f"{result['instances']} instances of {result['shapes']} shapes, {result['file_bytes'] / 1e6:.1f} MB: "
        f"cadbridge {result['own_seconds']:.2f} s, of which weighing {result['weighing_seconds']:.2f} s; "
        f"OCCT alone {result['bare_seconds']:.2f} s. Without weighing **{result['time_ratio']:.2f}×** the time "
        f"(target 1.3×). Peak memory {result['own_bytes'] / 1e6:.0f} MB, all processes, against "
        f"{result['bare_bytes'] / 1e6:.0f} MB: **{result['memory_ratio']:.2f}×** (target 1.5×).\n",
    ]


def _child(what: str, *arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-c", f"from benchmark import imports; imports.answer_{what}()"]
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the process of {what} ended with {done.returncode}: {done.stderr[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def answer_own() -> None:
    """Our import, its worker warm; memory of this process and the worker."""
    import cadbridge as cb
    from cadbridge.readers import ReadOptions
    from cadbridge.shapes.process import WORKER

    fresh = ReadOptions(no_cache=True)  # what an earlier reading kept would be no import
    cb.read(Path(sys.argv[1]), options=fresh)
    began = time.perf_counter()
    assembly = cb.read(Path(sys.argv[2]), options=fresh)
    seconds = time.perf_counter() - began
    shapes = len({part.shape.key for part in assembly.parts if part.shape is not None})
    peaks = (_peak(), _peak(WORKER.pid))
    _answer(seconds=seconds, bytes=sum(peaks), peaks=peaks, shapes=shapes, instances=len(assembly.instances))


def answer_probe() -> None:
    """The worker's work in this process, to see what weighing takes."""
    from cadbridge.shapes import meshing
    from cadbridge.shapes.document import StepDocument, read_document

    read_document(StepDocument(sys.argv[1]), 1e-3)
    spent, weigh = 0.0, meshing.weigh

    def weighed(shape: Any) -> Any:
        nonlocal spent
        began = time.perf_counter()
        found = weigh(shape)
        spent += time.perf_counter() - began
        return found

    meshing.weigh = weighed
    read_document(StepDocument(sys.argv[2]), 1e-3)
    _answer(weighing=spent)


def answer_bare() -> None:
    """OCCT alone: read with names, colours, layers and materials, transfer, mesh in parallel."""
    _bare(sys.argv[1])
    began = time.perf_counter()
    _bare(sys.argv[2])
    _answer(seconds=time.perf_counter() - began, bytes=_peak())


def _bare(path: str) -> None:
    from OCP.Bnd import Bnd_Box
    from OCP.BRepBndLib import BRepBndLib
    from OCP.IFSelect import IFSelect_RetDone
    from OCP.STEPCAFControl import STEPCAFControl_Reader
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDF import TDF_LabelSequence
    from OCP.TDocStd import TDocStd_Document
    from OCP.XCAFApp import XCAFApp_Application
    from OCP.XCAFDoc import XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

    kind = TCollection_ExtendedString("BinXCAF")
    document = TDocStd_Document(kind)
    XCAFApp_Application.GetApplication_s().NewDocument(kind, document)
    reader = STEPCAFControl_Reader()
    for mode in ("Name", "Color", "Layer", "Mat", "Props"):
        getattr(reader, f"Set{mode}Mode")(True)
    if reader.ReadFile(path) != IFSelect_RetDone or not reader.Transfer(document):
        raise SystemExit("OCCT cannot read it")
    labels = TDF_LabelSequence()
    XCAFDoc_DocumentTool.ShapeTool_s(document.Main()).GetShapes(labels)
    every = [labels.Value(i + 1) for i in range(labels.Length())]
    shapes = [XCAFDoc_ShapeTool.GetShape_s(label) for label in every if XCAFDoc_ShapeTool.IsSimpleShape_s(label)]
    sizes = []
    for shape in shapes:
        box = Bnd_Box()
        BRepBndLib.AddClose_s(shape, box)
        sizes.append(box.SquareExtent() ** 0.5)
    _mesh(zip(shapes, sizes, strict=True), *COARSE)


def _mesh(shapes: Iterable[tuple[Any, float]], fraction: float, angle: float) -> None:
    """Mesh shapes of one size class together, as the import does, by bare OCCT."""
    from OCP.BRep import BRep_Builder
    from OCP.BRepMesh import BRepMesh_IncrementalMesh
    from OCP.TopoDS import TopoDS_Compound

    classes: dict[int, Any] = {}
    builder = BRep_Builder()
    for shape, size in shapes:
        power = math.floor(math.log2(size * fraction))
        if power not in classes:
            classes[power] = TopoDS_Compound()
            builder.MakeCompound(classes[power])
        builder.Add(classes[power], shape)
    for power, whole in sorted(classes.items()):
        BRepMesh_IncrementalMesh(whole, 2.0**power, False, angle, True)


def _peak(pid: int | None = None) -> int:
    """The largest resident memory of a process so far, bytes."""
    status = Path(f"/proc/{pid or 'self'}/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import psutil

    return int(psutil.Process(pid).memory_info().rss)


def _answer(**values: Any) -> None:
    print(json.dumps(values))
