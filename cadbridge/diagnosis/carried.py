"""What a mate carries beside its rows: it would go with the mate, or no longer find it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from cadbridge.assembly import Assembly, CouplingKind
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.mechanism.together import carries


def carried(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """By the name of a mate or coupling what would be lost with it, in words: ("its limit", "the drive of J1").

    Mates and couplings that carry nothing are not in it.
    """
    assembly = mechanism.assembly
    followers = _followers(mechanism)
    given = assembly.joint_names | {m.name: m.joint_name for m in assembly.mates if m.joint_name}
    joints: dict[str, Joint] = {}
    for joint in mechanism.joints:
        for mate in joint.mates:
            joints.setdefault(mate, joint)
    found = {}
    for m in assembly.mates:
        own = (f"its {words}" for words in carries(m))
        found[m.name] = (*own, *_named(assembly, m.name, joints.get(m.name), given), *followers[m.name])
    for coupling in assembly.couplings:
        if coupling.efficiency is not None and coupling.efficiency < 1.0:
            found[coupling.name] = ("its losses",)
    return {name: words for name, words in found.items() if words}


def _named(assembly: Assembly, mate: str, joint: Joint | None, given: Mapping[str, str]) -> Iterator[str]:
    """The name that a mate alone gives to its joint, and what finds the joint by it; `given` are those of all mates."""
    others = () if joint is None else [m for m in joint.mates if m != mate]
    own = given.get(mate)
    names = {mate, own}
    if own in {given.get(m) for m in others}:
        names.discard(own)
    elif own not in (None, mate):
        yield f"the joint's name {own}"
    if joint is not None and not others:
        names.add(joint.name)
    for drive in assembly.drives:
        if drive.joint in names:
            yield f"the drive {drive.name}"
    for motion in assembly.motions:
        if motion.mate in names:
            yield f"the motion {motion.name}"
    if any(name in assembly.home for name in names):
        yield "the joint's value at home"


def _followers(mechanism: Mechanism) -> dict[str, list[str]]:
    """Couplings by the mates without which they would not be, or not find their carrier."""
    found: dict[str, list[str]] = defaultdict(list)
    mates = mechanism.assembly.mates
    pairs = Counter(frozenset((m.a.component, m.b.component)) for m in mates)
    for coupling in mechanism.assembly.couplings:
        for name in dict.fromkeys((*(coupling.joints or ()), *(name for name, _ in coupling.factors))):
            found[name].append(f"the coupling {coupling.name}")
        if coupling.kind is CouplingKind.RATIO and coupling.carrier is None:
            wheels = {f.component for f in (coupling.a, coupling.b) if f is not None}
            for m in mates:
                ends = frozenset((m.a.component, m.b.component))
                if ends & wheels and pairs[ends] == 1:
                    found[m.name].append(f"the carrier of {coupling.name}")
    return found
