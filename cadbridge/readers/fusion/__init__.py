"""Fusion 360's assembly.json, in the form of the Fusion 360 Gallery: joints, as-built joints, rigid groups.

Lengths are centimetres, angles radians, densities kg/cm³. Bodies' STEP files lie beside it.
"""

from __future__ import annotations

from pathlib import Path

from cadbridge.assembly import Assembly
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.readers.fusion.context import Context
from cadbridge.readers.fusion.joints import read_joints
from cadbridge.readers.fusion.tree import read_tree
from cadbridge.readers.json_file import JsonFile, text_of
from cadbridge.readers.options import ReadOptions

__all__ = ["read"]


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """An assembly with its joints from a Fusion 360 assembly document.

    InputError where nothing can be read; all else is in the findings, and what they concern is left out.
    """
    findings = Findings()
    file = JsonFile(Path(path), findings)
    content = file.content
    if not isinstance(content, dict) or not all(isinstance(content.get(k), dict) for k in ("tree", "occurrences")):
        file.say("CB180", "there is no tree of occurrences")
        raise InputError(f"{file.path.name} is not an assembly of Fusion 360.", findings)
    c = Context(file, options or ReadOptions(), findings)
    read_tree(c)
    mates = read_joints(c)
    if c.suppressed:
        file.say("CB1304", f"suppressed: {', '.join(c.suppressed[:8])}")
    properties = file.mapping(content.get("properties"), "properties")
    name = text_of(properties.get("name"))
    file.report_misspelt()
    return Assembly(
        name=name or file.path.stem,
        source=str(file.path),
        format="fusion",
        parts=tuple(c.structure.parts.values()),
        instances=tuple(c.structure.instances),
        components=c.structure.components,
        mates=tuple(mates),
        units=("Fusion 360: cm, rad, kg/cm³ → m, rad, kg/m³", "limits: counted from the pose in the file"),
        mates_in_file=c.given,
        extra={"tree": c.structure.tree},
        findings=findings.as_tuple(),
    )
