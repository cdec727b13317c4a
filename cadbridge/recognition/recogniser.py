"""From an assembly as it stands to bodies, joints and gears, with the evidence of each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from cadbridge.assembly import Assembly
from cadbridge.findings import Finding, Findings
from cadbridge.recognition.actuators import find_actuators
from cadbridge.recognition.attaching import hosts_of
from cadbridge.recognition.belt_drives import bind_belts, find_belt_drives
from cadbridge.recognition.bodies import (
    Groups,
    Scene,
    bind_copies,
    bind_fixed,
    bind_flats,
    bind_keys,
    bind_rings,
    bind_rolling,
    bind_seats,
    bind_stubs,
    bind_twins,
)
from cadbridge.recognition.bolts import bolt_lines
from cadbridge.recognition.contacts import EXACT, find_contacts, without
from cadbridge.recognition.faces import faces_of_parts
from cadbridge.recognition.fasteners import find_fasteners, find_standard_parts, without_fasteners
from cadbridge.recognition.gears import wheels_of_parts, with_gears
from cadbridge.recognition.joints import Candidate, bind_pins, find_joints, pivots_in_loops, trees
from cadbridge.recognition.lead_screws import lead_screws, without_pitch
from cadbridge.recognition.meshing import find_meshing, place, with_drives
from cadbridge.recognition.model import FoundBody, FoundJoint, Recognition, Rejected
from cadbridge.recognition.pins import is_pin, with_shared_lines
from cadbridge.recognition.placing import with_sliding
from cadbridge.recognition.subassemblies import bind_between, bind_caps, bind_flanges, bind_idle, bind_within
from cadbridge.recognition.turntables import hinged_apart, still_apart
from cadbridge.recognition.wheel_kinds import WheelKind
from cadbridge.recognition.whole import REACHES, bind_beside, bind_wheels, choose_ground, connect
from cadbridge.wording import count, listed

SURE = 0.7
"""Confidence below which a joint is reported as not sure."""


def recognise(assembly: Assembly, names: bool = True) -> Recognition:
    """Bodies, joints and gears of an assembly from the shapes of its parts and where they stand.

    `names`: whether names are a second witness. Mates that the assembly has are not looked at.
    """
    faces = faces_of_parts(assembly.parts)
    wheels = place(assembly, wheels_of_parts(assembly))
    meshing = find_meshing(wheels)
    drives, belts = find_belt_drives(assembly, faces, meshing.wheels)
    contacts = without(find_contacts(assembly, faces), belts)
    whole = Scene(assembly, faces, contacts, Groups(i.name for i in assembly.instances))
    copies = bind_copies(whole)
    find_standard_parts(whole, names)
    fasteners = find_fasteners(whole, {w.instance for w in wheels if w.wheel.kind is not WheelKind.THREAD}, names)
    scene = without_fasteners(whole, fasteners)

    def pin(name: str) -> bool:
        return is_pin(scene, name)

    bind_copies(scene)
    scene.contacts = with_shared_lines(scene, bolt_lines(whole, fasteners))
    hosts = hosts_of(scene, whole, fasteners)
    scene.screwed_ties = tuple(hosts.ties())
    find_actuators(scene, names)
    bind_keys(scene)
    bind_rolling(scene)
    bind_seats(scene)
    bind_twins(scene)
    bind_rings(scene)
    bind_flats(scene)
    bind_fixed(scene)
    bind_stubs(scene, pin)
    meshes = {frozenset((p.a.instance, p.b.instance)) for p in (*meshing.pairs, *drives)}
    screws = lead_screws(scene, wheels, names)
    if names:
        bind_pins(scene, pin, {w.instance for w in wheels} | {name for c in screws for name in (c.a, c.b)})
        bind_fixed(scene)
    joints = _with_turning(scene, find_joints(scene, pin)[0], screws)
    turning = [*screws, *bind_within(scene, joints, meshes)]
    bind_fixed(scene)
    toothed = {name for pair in meshes for name in pair}
    joints = _with_turning(scene, find_joints(scene, pin)[0], turning)
    while (
        bind_idle(scene, joints, toothed)
        or bind_caps(scene, joints)
        or bind_between(scene, joints, toothed, names)
        or bind_flanges(scene, joints)
    ):
        joints = _with_turning(scene, find_joints(scene, pin)[0], turning)
    bind_belts(scene, belts, joints)
    apart, on_faces = connect(scene, joints, meshing.pairs, drives)
    apart = bind_wheels(scene, apart, meshing.pairs)
    apart, on_line = hinged_apart(scene, apart)
    apart, beside = bind_beside(scene, apart)
    turning = [*turning, *on_faces, *on_line, *beside]
    loose = [name for group in apart for name in group]
    # What was bound since may hold more, and may have made two bodies of a joint one.
    bind_fixed(scene)
    if bind_between(scene, _with_turning(scene, find_joints(scene, pin)[0], turning), toothed, names):
        bind_fixed(scene)
    joints, rejected = find_joints(scene, pin)
    joints = _with_turning(scene, joints, turning)
    joints = with_sliding(scene, trees(scene, [*joints, *pivots_in_loops(scene, joints)], rejected))
    unread = without_pitch(scene, joints) if names else []
    ground, why = choose_ground(scene, joints, names, set(loose))
    held = [max(group, key=lambda n: (scene.size(n), n)) for group in apart]
    for chief in held:
        scene.bind(chief, ground, "touches nothing; left where it stands", 0.2)
    hosts.attach(scene)
    scene.assembly = assembly
    ground = scene.groups.root(ground)
    # What stayed loose was bound since the joints were found: their roots may be others now.
    joints = [replace(c, a=scene.groups.root(c.a), b=scene.groups.root(c.b)) for c in joints]
    found = replace(_result(scene, joints, [*rejected, *unread], ground), ground_reason=why, loose=tuple(loose))
    told = (*_findings(scene, found, held, copies, ground), *_unread(unread))
    found = replace(found, findings=told)
    return with_gears(found, wheels, with_drives(meshing, drives))


def _with_turning(scene: Scene, joints: list[Candidate], turning: list[Candidate]) -> list[Candidate]:
    """The joints that contacts show, and those seen in another way; a screw rules over what its bore shows."""
    screws = still_apart(scene, [c for c in turning if c.verdict.type == "screw"], ())
    pairs = {(c.a, c.b) for c in screws}
    joints = [*screws, *(c for c in joints if (c.a, c.b) not in pairs)]
    return [*joints, *still_apart(scene, turning, joints)]


def _result(scene: Scene, joints: list[Candidate], rejected: list[Rejected], ground: str) -> Recognition:
    """Bodies and joints by their names, the ground first."""
    members = scene.groups.members()
    roots = sorted(members, key=lambda root: (root != ground, root))
    bodies = tuple(_body(scene, members[root]) for root in roots)
    index = {root: i for i, root in enumerate(roots)}
    names = {root: bodies[i].name for root, i in index.items()}
    return Recognition(
        assembly=scene.assembly,
        bodies=bodies,
        ground=index[ground],
        ground_reason="",
        joints=tuple(_joint(c, index, names) for c in sorted(joints, key=lambda c: sorted((index[c.a], index[c.b])))),
        rejected=tuple(
            Rejected(r.type, names[scene.groups.root(r.a)], names[scene.groups.root(r.b)], r.reason) for r in rejected
        ),
        loose=(),
        slack=scene.contacts.slack,
    )


def _findings(scene: Scene, found: Recognition, held: list[str], copies: list[str], ground: str) -> tuple[Finding, ...]:
    """What a person should know of the recognition as a whole; `held` was bound to the ground for want of contact."""
    findings = Findings()
    joints = found.joints
    findings.add(
        "CB1600",
        f"{count(len(found.bodies), 'body', 'bodies')} and {count(len(joints), 'joint')} recognised in "
        f"{count(len(scene.assembly.instances), 'part')}",
    )
    faults: dict[str, list[str]] = defaultdict(list)
    for part in scene.assembly.parts:
        known = None if part.shape is None else scene.faces.get(part.shape.key)
        why = "it has no shape" if known is None else known.fault
        if why is not None:
            faults[why].append(part.name)
    for why, parts in faults.items():
        findings.add("CB1603", f"{listed(parts)}: {why}; contacts of its own are not seen", items=parts)
    if held:
        to = max(scene.groups.members()[ground], key=lambda n: (n not in found.loose, scene.size(n), n))
        verb = "touches" if len(held) == 1 else "touch"
        what = "nothing" if len(held) == len(found.loose) else "nothing but what is joined to it"
        findings.add("CB1602", f"{listed(held)} {verb} {what}; fixed to the ground, {to}", items=held)
    if copies:
        verb = "stands" if len(copies) == 1 else "stand"
        findings.add("CB1614", f"{listed(copies)} {verb} where an equal part stands; bound to that", items=copies)
    over = [f"{b.instance} and {b.to}" for own in scene.bonds.values() for b in own if b.reason.startswith(REACHES)]
    if over:
        findings.add(
            "CB1486", f"they overlap and nothing else holds them, so they are one body: {listed(over)}", items=over
        )
    unsure = [j.name for j in joints if j.confidence < SURE]
    if unsure:
        findings.add("CB1601", f"{count(len(unsure), 'joint')} may be wrong: {listed(unsure)}", items=unsure)
    if not joints:
        findings.add("CB1604", "no joint was recognised: nothing can move")
    if scene.contacts.slack > EXACT:
        slack = scene.contacts.slack * 1e3
        findings.add("CB1605", f"the placements are not exact; axes within {slack:.3g} mm are taken to be one")
    return findings.as_tuple()


def _unread(screws: list[Rejected]) -> tuple[Finding, ...]:
    """Lead screws that cannot be joints, for want of a pitch."""
    findings = Findings()
    for r in screws:
        findings.add("CB1615", f"{r.a} in {r.b}: {r.reason}", items=[r.a, r.b])
    return findings.as_tuple()


def _body(scene: Scene, instances: list[str]) -> FoundBody:
    chief = max(instances, key=lambda n: (scene.size(n), n))
    bonds = tuple(bond for name in instances for bond in scene.bonds.get(name, ()))
    return FoundBody(chief, tuple(instances), bonds)


def _joint(c: Candidate, index: dict[str, int], names: dict[str, str]) -> FoundJoint:
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
        pitch=v.pitch,
    )
