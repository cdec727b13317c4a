"""The masses of all parts of an assembly, weighed once."""

from __future__ import annotations

from collections import Counter

from cadbridge.assembly import Assembly
from cadbridge.findings import Findings
from cadbridge.mass.declared import audit_declared
from cadbridge.mass.doubts import doubt_declared
from cadbridge.mass.parts import PartMass, part_volume, weigh_part
from cadbridge.mass.weighing import weigh_meshes


def mass_ledger(assembly: Assembly, findings: Findings) -> tuple[PartMass, ...]:
    """An entry for each part, in order; doubtful, missing and impossible masses go to `findings`."""
    placed = Counter(i.part for i in assembly.instances)
    findings.extend(audit_declared(assembly.parts))
    shapes = [part.shape for part in assembly.parts]
    known = weigh_meshes(shape.fine for shape in shapes if shape is not None and shape.fine is not None)
    volumes = [part_volume(part, known) for part in assembly.parts]
    weighed = list(zip(assembly.parts, volumes, strict=True))
    doubt_declared(weighed, findings)
    return tuple(weigh_part(part, volume, findings, placed[part.name]) for part, volume in weighed)
