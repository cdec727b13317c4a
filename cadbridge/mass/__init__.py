"""Mass properties from triangles and density, checked against the B-Rep; declared ones put to the test.

volume_properties(mesh)      volume, centre and inertia at density 1
audit_mesh(mesh)             is it closed, which way out; repaired where that is exact
weigh_part(part, …)          the mass of a part and where it comes from
volume_of(assembly, …)       instances together, at density 1
audit_declared(parts)        placeholders and impossible values among declared masses
doubt_declared(parts, …)     declared masses that are not those of the shapes
overlaps_of(assembly, …)     solids that reach into each other
mass_ledger(assembly, …)     all parts weighed, once; where every number comes from
load_mesh_file(path)         STL, DAE, OBJ or glTF
"""

from __future__ import annotations

from cadbridge.mass.audit import MeshAudit, audit_mesh, volume_properties
from cadbridge.mass.declared import audit_declared, impossible, positive, settled
from cadbridge.mass.doubts import doubt_declared
from cadbridge.mass.files import load_mesh_file
from cadbridge.mass.ledger import mass_ledger
from cadbridge.mass.overlap import Overlap, overlaps_of
from cadbridge.mass.parts import PartMass, PartVolume, part_volume, weigh_part
from cadbridge.mass.volumes import volume_of

__all__ = [
    "MeshAudit", "Overlap", "PartMass", "PartVolume", "audit_declared", "audit_mesh", "doubt_declared", "impossible",
    "load_mesh_file", "mass_ledger", "overlaps_of", "part_volume", "positive", "settled", "volume_of",
    "volume_properties", "weigh_part",
]  # fmt: skip
