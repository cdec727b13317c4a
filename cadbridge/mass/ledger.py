"""The masses of all parts of an assembly, weighed once."""

from __future__ import annotations

from collections import Counter

from cadbridge.assembly import Assembly
from cadbridge.findings import Findings
from cadbridge.mass.declared import audit_declared
from cadbridge.mass.doubts import doubt_declared
from cadbridge.mass.parts import PartMass, part_volume, weigh_part


def mass_ledger(assembly: Assembly, findings: Findings) -> tuple[PartMass, ...]:
    """An entry for each part, in order; doubtful, missing and impossible masses go to `findings`."""
    placed = Counter(i.part for i in assembly.instances)
    findings.extend(audit_declared(assembly.parts))
    volumes = [part_volume(part) for part in assembly.parts]
    weighed = list(zip(assembly.parts, volumes, strict=True))
    doubt_declared(weighed, findings)
    return tuple(weigh_part(part, volume, findings, placed[part.name]) for part, volume in weighed)
