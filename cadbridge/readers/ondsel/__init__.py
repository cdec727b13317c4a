"""OndselSolver's .asmt, the text form of FreeCAD's assembly solver and its forerunner.

Parts with markers (frames), joints between markers, motions as expressions of time, and, after a run, the time
series, which become the reference that `cadbridge simulate --against reference` compares with.
"""

from __future__ import annotations

from pathlib import Path

from cadbridge.assembly import Assembly
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Vector
from cadbridge.readers.ondsel.context import Reader
from cadbridge.readers.ondsel.joints import UNREAD, read_joints, read_limits, read_motions
from cadbridge.readers.ondsel.parts import read_parts
from cadbridge.readers.ondsel.series import designed_at, read_series
from cadbridge.readers.ondsel.text import TreeLine, load, number, row
from cadbridge.readers.options import ReadOptions
from cadbridge.study import Study
from cadbridge.units import LENGTH

HEADS = {"freeCAD: 3D CAD with Motion Simulation  by  askoh.com": "m", "OndselSolver": "mm"}
"""The first line, and the unit of length that goes with it."""


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """An assembly with its joints, motions and time series; InputError where the file is none of the format."""
    options = options or ReadOptions()
    r = Reader(Path(path), Findings())
    head, tree, series = load(r.path, r.findings)
    assembly = tree.child("Assembly")
    if head not in HEADS or assembly is None:
        r.findings.add("CB180", f"the file begins with {head[:60]!r}", Where(str(r.path), 1))
        raise InputError(f"{r.path.name} is not an OndselSolver file.", r.findings)
    for node in tree.children:
        if node is not assembly:
            r.say("CB1204", f"{node.text[:60]!r} stands beside the assembly; it is left out", node)
    unit = HEADS[head]
    if options.length_unit in LENGTH:
        unit = str(options.length_unit)
    else:
        r.findings.add("CB1209", f"the file states no unit of length; {unit} is taken", Where(str(r.path), 1))
    r.length = LENGTH[unit]
    r.start = _parameters(assembly).get("tstart") or 0.0
    root = assembly.value("Name") or r.path.stem
    # The order is that of reference: joints name markers of parts, limits and motions name joints.
    velocities = read_parts(r, assembly)
    mates, couplings, given = read_joints(r, assembly, root)
    mates = read_limits(r, assembly, mates)
    study = _study(r, assembly, series, velocities)
    return Assembly(
        name=root, source=str(r.path), format="ondsel", parts=tuple(r.parts), instances=tuple(r.instances),
        components=tuple(r.components), mates=tuple(mates), couplings=tuple(couplings),
        units=(f"lengths in {unit} → m", "masses in kg, inertias in kg and the unit of length → kg m²",
               "angles in rad"),
        mates_in_file=given, study=study, extra={"before_assembly": True}, findings=r.findings.as_tuple(),
    )  # fmt: skip


def _parameters(assembly: TreeLine) -> dict[str, float | None]:
    """The numbers of the run that the file asks for: tstart, tend, hout (s), errorTol and others."""
    found = assembly.child("SimulationParameters")
    return {} if found is None else {n.text: number(n.children[0].text) for n in found.children if n.children}


def _study(r: Reader, assembly: TreeLine, series: list[tuple[int, str]], velocities: dict[str, Vector]) -> Study:
    """The run that the file asks for, and the trajectory that it holds. Forces are reported: none is carried."""
    numbers = _parameters(assembly)
    start, end, step = numbers.get("tstart"), numbers.get("tend"), numbers.get("hout")
    gravity = row(assembly.value("ConstantGravity") or "")
    tolerance = numbers.get("errorTol")
    for node in assembly.under("ForceTorques"):
        name = node.value("Name") or node.text
        what = UNREAD.get(node.text, f"a {node.text}, which is not understood")
        r.say("CB1212", f"{name} is {what}; it is left out", node)
    gx, gy, gz = (g * r.length for g in gravity) if gravity and len(gravity) == 3 else (0.0, 0.0, 0.0)
    reference = read_series(r, series, tolerance)
    motions, frame_motions = read_motions(r, assembly)
    return Study(
        gravity=(gx, gy, gz) if gravity is not None else None,
        duration=end - start if start is not None and end is not None and end > start else None,
        rate=1.0 / step if step is not None and step > 0 else None,
        tolerance=tolerance,
        motions=motions,
        frame_motions=frame_motions,
        velocities=velocities,
        reference=reference,
        designed_at=designed_at(r, reference),
    )
