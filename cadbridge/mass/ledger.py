"""The masses of all parts of an assembly, weighed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from cadbridge.assembly import Assembly
from cadbridge.findings import Finding, Findings, Where
from cadbridge.mass.declared import audit_declared
from cadbridge.mass.doubts import doubt_declared
from cadbridge.mass.parts import PartMass, first_mesh, part_volume, weigh_part
from cadbridge.mass.weighing import weigh_meshes
from cadbridge.wording import listed

LISTED = 10
"""Parts without a density that a message names; its items are all of them."""


def mass_ledger(assembly: Assembly, findings: Findings, still: Collection[str] = ()) -> tuple[PartMass, ...]:
    """An entry for each part, in order; doubtful, missing and impossible masses go to `findings`.

    Parts all of whose instances belong to the components that are named `still`, those of the ground, need no mass.
    """
    placed = Counter(i.part for i in assembly.instances)
    moving = _moving(assembly, still)
    resting = set(placed) - {i.part for i in assembly.instances if i.name in moving}
    findings.extend(audit_declared(assembly.parts))
    shapes = [part.shape for part in assembly.parts]
    meshes = [first_mesh(shape) for shape in shapes if shape is not None]
    # All at once, as the answer for an assembly is kept as one.
    known = weigh_meshes(mesh for mesh in meshes if mesh is not None)
    volumes = [part_volume(part, known) for part in assembly.parts]
    weighed = list(zip(assembly.parts, volumes, strict=True))
    doubt_declared(weighed, findings)
    found = Findings()
    masses = tuple(weigh_part(part, volume, found, placed[part.name]) for part, volume in weighed)
    # What a component weighs, a person may say of the whole: its shapes share that.
    said = {i for c in assembly.components if c.override is not None and c.override.mass for i in c.instances}
    shared = set(placed) - {i.part for i in assembly.instances if i.name not in said}
    needless = {"CB301": resting | shared, "CB302": resting}
    own = [f for f in found if f.where.item not in needless.get(f.code, ())]
    lacking = {p.name for p in assembly.parts if p.material is None}
    without: list[Finding] = []
    others: list[Finding] = []
    for f in own:
        (without if f.code == "CB301" and f.where.item in lacking else others).append(f)
    findings.extend(others if len(without) > 1 else own)
    if len(without) > 1:
        names = [str(f.where.item) for f in without]
        text = f"{len(names)} parts have no density: {listed(names, LISTED)}"
        findings.add("CB301", text, Where(without[0].where.file), items=names)
    return masses


def _moving(assembly: Assembly, still: Collection[str]) -> set[str]:
    """The instances of components that are neither grounded nor named."""
    return {name for c in assembly.components if not c.grounded and c.name not in still for name in c.instances}
