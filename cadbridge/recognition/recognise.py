"""From an assembly as it stands to bodies, joints and gears, with the evidence of each."""

from __future__ import annotations

from cadbridge.assembly import Assembly
from cadbridge.findings import Findings
from cadbridge.recognition.bodies import (
    Groups,
    Scene,
    bind_fasteners,
    bind_fixed,
    bind_rings,
    bind_rolling,
    bind_seats,
    bind_stubs,
)
from cadbridge.recognition.contacts import find_contacts
from cadbridge.recognition.faces import faces_of_parts
from cadbridge.recognition.joints import Candidate, find_joints
from cadbridge.recognition.model import FoundBody, FoundJoint, Recognition, Rejected
from cadbridge.recognition.pins import is_pin, with_shared_lines
from cadbridge.recognition.whole import choose_ground, connect


def recognise(assembly: Assembly, names: bool = True) -> Recognition:
    """Bodies, joints and gears of an assembly from the shapes of its parts and where they stand.

    `names`: whether names are a second witness. Mates that the assembly has are not looked at.
    """
    faces = faces_of_parts(assembly.parts)
    scene = Scene(assembly, faces, find_contacts(assembly, faces), Groups(i.name for i in assembly.instances))

    def pin(name: str) -> bool:
        return is_pin(scene, name)

    scene.contacts = with_shared_lines(scene)
    bind_fasteners(scene)
    bind_rolling(scene)
    bind_seats(scene)
    bind_rings(scene)
    bind_fixed(scene)
    bind_stubs(scene, pin)
    joints, rejected = find_joints(scene, pin)
    loose = connect(scene, joints)
    # What was bound since may hold more, and may have made two bodies of a joint one.
    bind_fixed(scene)
    joints, rejected = find_joints(scene, pin)
    ground, why = choose_ground(scene, joints, names)
    return _result(scene, joints, rejected, ground, why, loose)


def _result(
    scene: Scene, joints: list[Candidate], rejected: list[Rejected], ground: str, why: str, loose: list[str]
) -> Recognition:
    members = scene.groups.members()
    roots = sorted(members, key=lambda root: (root != ground, root))
    bodies = tuple(_body(scene, members[root]) for root in roots)
    index = {root: i for i, root in enumerate(roots)}
    names = {root: bodies[i].name for root, i in index.items()}
    found = tuple(_joint(scene, c, index, names) for c in sorted(joints, key=lambda c: (index[c.a], index[c.b])))
    findings = Findings()
    return Recognition(
        assembly=scene.assembly,
        bodies=bodies,
        ground=index[ground],
        ground_reason=why,
        joints=found,
        rejected=tuple(Rejected(r.type, names[scene.groups.root(r.a)], names[scene.groups.root(r.b)], r.reason) for r in rejected),
        loose=tuple(loose),
        slack=scene.contacts.slack,
        findings=findings.as_tuple(),
    )


def _body(scene: Scene, instances: list[str]) -> FoundBody:
    chief = max(instances, key=lambda n: (scene.size(n), n))
    bonds = tuple(bond for name in instances for bond in scene.bonds.get(name, ()))
    return FoundBody(chief, tuple(instances), bonds)


def _joint(scene: Scene, c: Candidate, index: dict[str, int], names: dict[str, str]) -> FoundJoint:
    first, second = sorted((c.a, c.b), key=lambda root: index[root])
    v = c.verdict
    return FoundJoint(
        name=f"{v.type.capitalize()}: {names[first]} - {names[second]}",
        type=v.type,
        a=index[first],
        b=index[second],
        point=v.point,
        axis=v.axis,
        evidence=v.evidence,
        against=v.against,
        confidence=v.confidence,
        contacts=tuple(dict.fromkeys(k.pair for k in c.contacts)),
    )
