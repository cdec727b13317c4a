"""Bodies, joints and gears, inferred from the evidence in an assembly and a person's hints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cadbridge.findings import Finding
from cadbridge.recognition.actuators import find_actuators
from cadbridge.recognition.attaching import Hosts, attach_ignored, hosts_of
from cadbridge.recognition.belt_drives import bind_belts
from cadbridge.recognition.bodies import (
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
from cadbridge.recognition.evidence import Evidence
from cadbridge.recognition.fasteners import without_fasteners
from cadbridge.recognition.gears import with_gears
from cadbridge.recognition.hints import Hints
from cadbridge.recognition.joints import Candidate, bind_pins, find_joints, pivots_in_loops, trees
from cadbridge.recognition.lead_screws import lead_screws, without_pitch
from cadbridge.recognition.meshing import with_drives
from cadbridge.recognition.model import FoundBody, FoundJoint, Recognition, Rejected
from cadbridge.recognition.naming import named
from cadbridge.recognition.pins import is_pin, with_shared_lines
from cadbridge.recognition.placing import with_sliding
from cadbridge.recognition.reporting import findings_of, unread
from cadbridge.recognition.subassemblies import bind_between, bind_caps, bind_flanges, bind_idle, bind_within
from cadbridge.recognition.told import as_told, shared_axes, told_joints
from cadbridge.recognition.turntables import hinged_apart, still_apart
from cadbridge.recognition.whole import bind_beside, bind_wheels, choose_ground, connect


@dataclass(eq=False)
class _Inference:
    """An inference under way: the scene without fasteners, and the joints that contacts do not show."""

    evidence: Evidence
    scene: Scene
    hosts: Hosts
    turning: list[Candidate]

    def pin(self, name: str) -> bool:
        return is_pin(self.scene, name)

    def joints(self) -> list[Candidate]:
        """The joints between the bodies as they are now."""
        return _with_turning(self.scene, find_joints(self.scene, self.pin)[0], self.turning)


def infer(evidence: Evidence, hints: Hints) -> Recognition:
    """Bodies, joints and gears; `hints` by the names of instances, free of contradictions."""
    run, told = _begun(evidence, hints)
    scene = run.scene
    _bind_by_contacts(run)
    _bind_by_structure(run)
    apart = _connected(run)
    loose = [name for group in apart for name in group]
    joints, rejected = find_joints(scene, run.pin)
    joints = as_told(scene, _with_turning(scene, joints, run.turning), hints)
    joints = with_sliding(scene, trees(scene, [*joints, *pivots_in_loops(scene, joints)], rejected))
    unknown = without_pitch(scene, joints) if evidence.names else []
    ground, why = choose_ground(scene, joints, evidence.names, set(loose))
    held = [max(group, key=lambda n: (scene.size(n), n)) for group in apart]
    for chief in held:
        scene.bind(chief, ground, "touches nothing; left where it stands", 0.2)
    run.hosts.attach(scene)
    attach_ignored(scene, evidence.whole, evidence.ignored)
    scene.assembly = evidence.whole.assembly
    ground = scene.groups.root(ground)
    # What stayed loose was bound since the joints were found: their roots may be others now.
    joints = [replace(c, a=scene.groups.root(c.a), b=scene.groups.root(c.b)) for c in joints]
    found = replace(_result(scene, joints, [*rejected, *unknown], ground), ground_reason=why, loose=tuple(loose))
    found = named(with_gears(found, evidence.wheels, with_drives(evidence.meshing, evidence.drives)))
    findings = (*findings_of(scene, found, held, list(evidence.copies), ground), *unread(unknown), *told)
    return replace(found, findings=(*findings, *found.findings))


def _begun(evidence: Evidence, hints: Hints) -> tuple[_Inference, tuple[Finding, ...]]:
    """The scene without fasteners, with the hints; and findings on hints of joints that have no axis."""
    named = {name for pairs in (hints.joint, hints.fixed, hints.apart) for pair in pairs for name in pair}
    fasteners = {name: s for name, s in evidence.fasteners.items() if name not in named}
    scene = without_fasteners(evidence.whole, {*fasteners, *evidence.ignored} - named, bool(evidence.fasteners))
    scene.overlaps = evidence.overlaps
    bind_copies(scene)
    scene.contacts = with_shared_lines(scene, bolt_lines(evidence.whole, fasteners))
    hosts = hosts_of(scene, evidence.whole, fasteners)
    scene.screwed_ties = tuple(hosts.ties())
    for a, b in hints.fixed:
        scene.bind(a, b, "fixed, as you said (hints)", 1.0)
    for a, b in (*hints.joint, *hints.apart):
        scene.hold_apart(a, b)
    turning, told = told_joints(scene, hints.joint)
    return _Inference(evidence, scene, hosts, turning), told


def _bind_by_contacts(run: _Inference) -> None:
    """Bodies by what their parts touch, and lead screws."""
    scene, evidence = run.scene, run.evidence
    find_actuators(scene, evidence.names)
    for step in (bind_keys, bind_rolling, bind_seats, bind_twins, bind_rings, bind_flats, bind_fixed):
        step(scene)
    bind_stubs(scene, run.pin)
    screws = lead_screws(scene, evidence.wheels, evidence.names)
    run.turning = [*run.turning, *screws]
    if evidence.names:
        turned = {w.instance for w in evidence.wheels} | {name for c in screws for name in (c.a, c.b)}
        bind_pins(scene, run.pin, turned)
        bind_fixed(scene)


def _bind_by_structure(run: _Inference) -> None:
    """Bodies by the product structure, and what moves nothing."""
    scene, evidence = run.scene, run.evidence
    run.turning = [*run.turning, *bind_within(scene, run.joints(), evidence.meshes)]
    bind_fixed(scene)
    toothed = {name for pair in evidence.meshes for name in pair}
    steps: tuple[Callable[[list[Candidate]], bool], ...] = (
        lambda joints: bind_idle(scene, joints, toothed),
        lambda joints: bind_caps(scene, joints),
        lambda joints: bind_between(scene, joints, toothed, evidence.names),
        lambda joints: bind_flanges(scene, joints),
    )
    joints = run.joints()
    while any(step(joints) for step in steps):
        joints = run.joints()
    bind_belts(scene, evidence.belts, joints)


def _connected(run: _Inference) -> list[list[str]]:
    """Bind what nothing connects yet; the groups of instances that touch nothing."""
    scene, evidence = run.scene, run.evidence
    pairs = evidence.meshing.pairs
    apart, on_faces = connect(scene, run.joints(), pairs, evidence.drives)
    apart = bind_wheels(scene, apart, pairs)
    apart, on_line = hinged_apart(scene, apart)
    apart, beside = bind_beside(scene, apart)
    run.turning = [*run.turning, *on_faces, *on_line, *beside]
    # What was bound since may hold more, and may have made two bodies of a joint one.
    bind_fixed(scene)
    toothed = {name for pair in evidence.meshes for name in pair}
    if bind_between(scene, run.joints(), toothed, evidence.names):
        bind_fixed(scene)
    return apart


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


def _body(scene: Scene, instances: list[str]) -> FoundBody:
    chief = max(instances, key=lambda n: (scene.size(n), n))
    own = [bond for name in instances for bond in scene.bonds.get(name, ())]
    axes = shared_axes(scene, ((b.instance, b.to) for b in own if b.to is not None))
    bonds = tuple(replace(b, axis=(b.instance, b.to) in axes) for b in own)
    return FoundBody(chief, tuple(instances), bonds)


def _joint(c: Candidate, index: dict[str, int], names: dict[str, str]) -> FoundJoint:
    first, second = sorted((c.a, c.b), key=lambda root: index[root])
    v = c.verdict
    return FoundJoint(
        name=f"{v.type}: {names[first]} - {names[second]}",
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
