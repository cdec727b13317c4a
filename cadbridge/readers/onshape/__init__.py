"""Onshape: the assembly definition saved as JSON, its features document for limits, and the STEP export beside it.

All in SI, as the API has it. docs/formats.md says how to save the files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cadbridge.assembly import Assembly, Part
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.readers.json_file import JsonFile, text_of
from cadbridge.readers.onshape.context import Context
from cadbridge.readers.onshape.geometry import step_beside, with_geometry
from cadbridge.readers.onshape.limits import read_parameters
from cadbridge.readers.onshape.mates import read_frames, read_mates, report_unknown
from cadbridge.readers.onshape.relations import read_relations
from cadbridge.readers.onshape.tree import read_tree
from cadbridge.readers.options import ReadOptions

__all__ = ["read"]


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """An assembly with its mates and relations from an Onshape assembly definition.

    InputError where nothing can be read; all else is in the findings, and what they concern is left out.
    """
    findings = Findings()
    file = JsonFile(Path(path), findings)
    root = file.content.get("rootAssembly") if isinstance(file.content, dict) else None
    if not isinstance(root, dict) or not isinstance(root.get("instances"), list):
        file.say("CB180", "there is no rootAssembly with instances")
        raise InputError(f"{file.path.name} is not an assembly definition of Onshape.", findings)
    c = Context(file, options or ReadOptions(), findings, read_parameters(file, findings))
    read_tree(c, root)
    mates, couplings = read_relations(c, read_mates(c))
    frames = read_frames(c)
    report_unknown(c)
    parts, instances, ledger = _geometry(c)
    name = text_of(root.get("name"))
    file.report_misspelt()
    return Assembly(
        name=name or file.path.stem,
        source=str(file.path),
        format="onshape",
        parts=parts,
        instances=instances,
        components=c.structure.components,
        mates=tuple(mates),
        couplings=tuple(couplings),
        frames=tuple(frames),
        units=("Onshape: m and rad (SI by definition)", "limits: counted from the pose in the file", *ledger),
        mates_in_file=c.given,
        extra={"tree": c.structure.tree},
        findings=findings.as_tuple(),
    )


def _geometry(c: Context) -> tuple[tuple[Part, ...], Any, tuple[str, ...]]:
    """Parts and instances, with the geometry of the STEP file beside where there is one."""
    bare = tuple(c.structure.parts.values()), tuple(c.structure.instances)
    step = step_beside(c.file.path)
    if not c.options.geometry:
        return *bare, ()
    if step is None:
        c.file.say("CB1306", f"there is no STEP file {c.file.path.stem}.step beside the definition")
        return *bare, ()
    try:
        parts, instances, missing, found = with_geometry(c.structure.parts, c.structure.instances, step, c.options)
    except InputError as error:
        c.findings.extend(error.findings)
        return *bare, ()
    c.findings.extend(found.findings)
    for name in missing:
        c.file.say("CB1306", f"{step.name} has nothing at the place of {name}", None, name)
    return parts, instances, (f"geometry: {step.name}", *found.units)
