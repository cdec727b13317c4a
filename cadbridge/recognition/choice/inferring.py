"""Bodies, joints and gears, inferred from the evidence in an assembly and a person's hints."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from cadbridge.findings import Findings
from cadbridge.recognition.choice.calibration import of_joint, of_weld
from cadbridge.recognition.choice.naming import named
from cadbridge.recognition.choice.reporting import findings_of, unread
from cadbridge.recognition.choice.told import SAID, SAID_FIXED, as_told, shared_axes, told_joints, with_axes
from cadbridge.recognition.choice.without_axis import without_axis
from cadbridge.recognition.evidence.bolts import bolt_lines
from cadbridge.recognition.evidence.candidates import Candidate, linked_by
from cadbridge.recognition.evidence.drives import drives_of
from cadbridge.recognition.evidence.fasteners import without_fasteners
from cadbridge.recognition.evidence.gathering import Evidence, bind_copies
from cadbridge.recognition.evidence.hubs import with_hubs
from cadbridge.recognition.evidence.lead_screws import without_pitch
from cadbridge.recognition.evidence.pins import with_shared_lines
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.evidence.spinning import with_idle
from cadbridge.recognition.hints import Hints, Pair
from cadbridge.recognition.model import FoundBody, FoundJoint, Recognition, Rejected
from cadbridge.recognition.rules.attaching import attach_ignored, hosts_of
from cadbridge.recognition.rules.bearing_units import find_units
from cadbridge.recognition.rules.grounds import choose_ground
from cadbridge.recognition.rules.guide_rods import wide_bores
from cadbridge.recognition.rules.joints import find_joints, pivots_in_loops, trees
from cadbridge.recognition.rules.table import RULES, Inference, Rule, applied, with_turning
from cadbridge.recognition.standard.roles import PISTONS, called_last
from cadbridge.recognition.ties import Held
from cadbridge.recognition.wheels.gears import with_gears
from cadbridge.recognition.wheels.meshing import with_drives


def infer(evidence: Evidence, hints: Hints, rules: Sequence[Rule] | None = None) -> Recognition:
    """Bodies, joints and gears; `hints` by the names of instances, free of contradictions."""
    hints, lost = with_axes(evidence.whole, hints)
    found, useless = _bodies_and_joints(evidence, hints, rules)
    # Two parts of which nothing shows how they move would be held apart, and one of them float. Without their hint
    # other bodies form, in which another may come to nothing.
    while useless:
        findings = useless.as_tuple()
        apart = {frozenset(f.items) for f in findings}
        hints = replace(hints, said=tuple(h for h in hints.said if h.kind != "joint" or frozenset(h.pair) not in apart))
        lost = (*lost, *findings)
        found, useless = _bodies_and_joints(evidence, hints, rules)
    return replace(found, findings=(*lost, *found.findings))


def _bodies_and_joints(evidence: Evidence, hints: Hints, rules: Sequence[Rule] | None) -> tuple[Recognition, Findings]:
    """Bodies, joints and gears, and what is said to be joined that nothing shows a joint of (CB1642)."""
    run = _begun(evidence, hints)
    scene = run.scene
    applied(run, RULES if rules is None else rules)
    # Only now: to the rules a joint that a person takes away still holds what it held. Without it they would bind what
    # its parts carry to something else.
    scene.unconnected = hints.pairs("apart")
    joints, rejected = _candidates(run, hints)
    unknown = without_pitch(scene, joints) if evidence.names else []
    stand = _stand(run, joints, hints)
    _attach(run)
    # What stayed loose was bound since the joints were found: their roots may be others now.
    joints = [replace(c, a=scene.groups.root(c.a), b=scene.groups.root(c.b)) for c in joints]
    # By what was fixed to the ground since, a joint may be one between the bodies that a hint names; of another type it
    # is not what was said.
    joints = as_told(scene, joints, hints, other_types=False)
    driven = frozenset((d.case, d.on) for d in scene.driven)
    cases = {case for case, _ in driven}
    links = scene.links_only and not (drives_of(evidence.whole, cases) if evidence.names else cases)
    found = _result(scene, joints, [*rejected, *unknown], stand.part, links)
    found = replace(
        found,
        ground_reason=stand.why,
        loose=tuple(name for group in run.loose for name in group),
        driven=driven,
        yielding=frozenset((*evidence.belts, *evidence.ignored)),
        base=found.body_of[stand.base],
    )
    found = named(with_gears(found, evidence.wheels, with_drives(evidence.meshing, evidence.drives)), hints)
    findings = (
        *findings_of(scene, found, stand.held, list(evidence.copies), stand.part),
        *unread(unknown, evidence.lone_belts),
    )
    return replace(found, findings=(*findings, *found.findings)), without_axis(scene, joints, hints)


def _candidates(run: Inference, hints: Hints) -> tuple[list[Candidate], list[Rejected]]:
    """The joints between the bodies as they are now, and what was seen and not taken."""
    scene, names = run.scene, run.evidence.names
    joints, rejected = find_joints(scene, run.pin)
    joints = as_told(scene, with_turning(scene, joints, run.turning), hints)
    # On each axis only as many joints as connect its bodies, once more: those told or seen in other ways may run on one
    # where contacts show a joint.
    joints = trees(scene, [*joints, *pivots_in_loops(scene, joints)], rejected)
    return with_idle(scene, with_hubs(scene, joints, run.toothed, names), run.toothed, names), rejected


class _Stand(NamedTuple):
    """What stands still: by shape (`base`, an instance of it) and as told (`part`), why, and what was held to it."""

    base: str
    part: str
    why: str
    held: list[str]


def _stand(run: Inference, joints: Sequence[Candidate], hints: Hints) -> _Stand:
    """Choose what stands still, and hold to it what nothing joins to it."""
    scene, names = run.scene, run.evidence.names
    rest = {i.name for i in scene.assembly.instances} - {name for group in run.loose for name in group}
    degrees = Counter(body for j in joints for body in (j.a, j.b))
    base, why = choose_ground(scene, degrees, names, rest, hints.stays)
    ground = base
    if hints.ground is not None:
        ground, why = scene.groups.root(hints.ground), SAID
    part = hints.ground or _chief(scene, ground)  # before other parts are fixed to it
    # Of each loose group that is held which would be the ground of it alone, not its largest part: of a cart with a
    # pole that touches no rail, it is the cart.
    held = [
        _chief(scene, choose_ground(scene, degrees, names, set(group))[0])
        for group in _apart(scene, joints, [sorted(rest), *run.loose], ground)
    ]
    # What a hint keeps apart from the ground is not held by it: it floats, as is told of the whole.
    held = [c for c in held if scene.bind(c, ground, "touches nothing; left where it stands", 0.2, Held.NOTHING)]
    return _Stand(base, part, why, held)


def _attach(run: Inference) -> None:
    """Attach the fasteners, and what is ignored: the scene is the whole assembly from here on."""
    scene, whole = run.scene, run.evidence.whole
    # While the scene is still without fasteners: one that touches nothing goes to the nearest part, not to another
    # screw.
    # What a hint names was in the scene all along, and is held by what the hint and its contacts say.
    ignored = [name for name in run.evidence.ignored if name not in scene.groups.names]
    for name in ignored:  # screws may hold them alone
        scene.groups.add(name)
    run.hosts.attach(scene)
    attach_ignored(scene, whole, ignored)
    scene.assembly = whole.assembly


def _apart(
    scene: Scene, joints: Sequence[Candidate], loose: Sequence[Sequence[str]], ground: str
) -> Iterator[list[str]]:
    """The groups that no joint leads to from the ground; those that joints connect are one.

    The first is all that is not loose: it hangs together, and a hint may name a part of another group the ground.
    """
    linked = linked_by(scene, joints)
    groups: dict[str, list[str]] = defaultdict(list)
    for group in filter(None, loose):
        groups[linked.root(group[0])] += group
    yield from (group for root, group in groups.items() if root != linked.root(ground))


def _begun(evidence: Evidence, hints: Hints) -> Inference:
    """The scene without fasteners, with the hints."""
    named = {name for pair in hints.pairs() for name in pair}
    # A part that a hint names stays, even if it looks like a screw: the hint would be about nothing.
    fasteners = {name: s for name, s in evidence.fasteners.items() if name not in named}
    scene = without_fasteners(evidence.whole, {*fasteners, *evidence.ignored} - named, bool(evidence.fasteners))
    scene.overlaps = evidence.overlaps
    scene.meshing = tuple((p.a.instance, p.b.instance) for p in evidence.meshing.pairs if not p.against)
    asked = scene.assembly.instances if evidence.names else ()
    scene.units = find_units(scene) if evidence.names else frozenset()
    scene.pistons = frozenset(i.name for i in asked if called_last(PISTONS, scene.called(i.name)))
    # A copy in the place of its original would have the same joints once more.
    bind_copies(scene)
    # A bolt goes through what is left out, too.
    kept = {i.name for i in scene.assembly.instances}
    bolts = (c for c in bolt_lines(evidence.whole, fasteners) if set(c.pair) <= kept)
    scene.contacts = with_shared_lines(scene, (*bolts, *wide_bores(scene.contacts)))
    hosts = hosts_of(scene, evidence.whole, fasteners)
    scene.screwed_ties = tuple(hosts.ties())
    # First: what is welded since it cannot move comes as a hint, too, and makes no one body of two that are said.
    for a, b in hints.in_two_bodies:
        scene.hold_apart(a, b)
    for a, b in hints.pairs("fixed"):
        scene.bind(a, b, SAID_FIXED, 1.0, Held.SAID)
    return Inference(evidence, scene, hosts, told_joints(scene, hints))


def _result(scene: Scene, joints: list[Candidate], rejected: list[Rejected], standing: str, links: bool) -> Recognition:
    """Bodies and joints by their names, the ground first; it is called after what stands, whatever else is held."""
    members, ground = scene.groups.members(), scene.groups.root(standing)
    roots = sorted(members, key=lambda root: (root != ground, root))
    axes = shared_axes(scene, ((b.instance, b.to) for own in scene.bonds.values() for b in own if b.to is not None))
    bodies = tuple(_body(scene, members[root], axes, standing if root == ground else None) for root in roots)
    index = {root: i for i, root in enumerate(roots)}
    names = {root: bodies[i].name for root, i in index.items()}
    return Recognition(
        assembly=scene.assembly,
        bodies=bodies,
        ground=index[ground],
        ground_reason="",
        joints=tuple(
            _joint(c, index, names, links) for c in sorted(joints, key=lambda c: sorted((index[c.a], index[c.b])))
        ),
        rejected=tuple(
            Rejected(r.type, names[scene.groups.root(r.a)], names[scene.groups.root(r.b)], r.reason) for r in rejected
        ),
        loose=(),
        slack=scene.contacts.slack,
    )


def _chief(scene: Scene, root: str) -> str:
    """The largest instance of a body."""
    return max(scene.groups.group(root), key=lambda n: (scene.size(n), n))


def _body(
    scene: Scene, instances: list[str], axes: Mapping[Pair, tuple[tuple[float, ...], tuple[float, ...]]],
    called: str | None = None,
) -> FoundBody:  # fmt: skip
    chief = called or max(instances, key=lambda n: (scene.size(n), n))
    own = [bond for name in instances for bond in scene.bonds.get(name, ())]
    bonds = tuple(
        replace(b, confidence=of_weld(b.confidence), line=None if b.to is None else axes.get((b.instance, b.to)))
        for b in own
    )
    return FoundBody(chief, tuple(instances), bonds)


def _joint(c: Candidate, index: dict[str, int], names: dict[str, str], links: bool) -> FoundJoint:
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
        confidence=of_joint(v.confidence, v.witness, links),
        contacts=tuple(dict.fromkeys(k.pair for k in c.contacts)),
        pitch=v.pitch,
    )
