"""AP242: the STEP file that the assembly came from, with its mates and gears as kinematic pairs (ISO 10303-105).

Every mate that is a lower pair becomes that pair, so that what is redundant stays redundant; a mate of
another kind is written, with those beside it, as the joint that they make. Both frames of a pair coincide as
designed, z is the axis (x of a prismatic pair). The freedoms t_x … r_z are written out: OCCT reads them, and a
reader need not know what the standard derives.
"""

from __future__ import annotations

from pathlib import Path

from cadbridge.assembly import Assembly
from cadbridge.errors import InputError
from cadbridge.exporters import sidecars
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.step_ap242.pairs import pairs_of
from cadbridge.exporters.step_ap242.text import EntityWriter
from cadbridge.findings import Findings, Where
from cadbridge.mechanism.model import Mechanism
from cadbridge.shapes.external import external_names
from cadbridge.shapes.part21 import load
from cadbridge.shapes.text21 import Part21Error, Text

__all__ = ["contents"]


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export: NAME.step and losses.json; nothing where findings hold an error."""
    assembly = mechanism.assembly
    data = _source(assembly, findings)
    if data is None:
        return {}
    pairs = pairs_of(mechanism, findings)
    _report(assembly, findings)
    try:
        step = EntityWriter(Text(data), assembly, findings).add(pairs, data)
    except Part21Error as error:
        findings.add("CB790", str(error), Where(file=assembly.source))
        return {}
    names: dict[str, dict[str, str]] = {"links": {}, "joints": {}, "frames": {}, "meshes": {}}
    losses = sidecars.losses("step-ap242", name, names, findings, assembly.home)
    return {f"{name}.step": step, sidecars.LOSSES: losses}


def _source(assembly: Assembly, findings: Findings) -> bytes | None:
    """The text of the STEP file behind an assembly; None with a finding."""
    where = Where(file=assembly.source)
    if assembly.format != "step":
        findings.add("CB790", f"the assembly came from {assembly.format or 'no file'}, not from a STEP file", where)
        return None
    try:
        data = load(Path(assembly.source), Findings())
    except InputError as error:
        findings.add("CB790", str(error), where)
        return None
    # Parts in other files would stay where they are, and the references of a copy elsewhere lead to nothing.
    if external_names(data):
        findings.add("CB790", f"{Path(assembly.source).name} refers to other files for its parts", where)
        return None
    return data


def _report(assembly: Assembly, findings: Findings) -> None:
    """What the pairs have no place for, in one finding."""
    mates = assembly.mates
    kinds = {
        "damping": sum(bool(m.damping) for m in mates),
        "friction": sum(bool(m.friction) for m in mates),
        "velocity or effort": sum(
            m.limit is not None and (m.limit.velocity or m.limit.effort) is not None for m in mates
        ),
        "drives": len(assembly.drives),
        "frames": len(assembly.frames),
        "home values": len(assembly.home),
        "masses given": sum(p.override is not None for p in assembly.parts)
        + sum(c.override is not None for c in assembly.components),
    }
    found = [f"{count} {what}" for what, count in kinds.items() if count]
    if found:
        findings.add("CB792", f"the pairs of the file do not hold {', '.join(found)}")
