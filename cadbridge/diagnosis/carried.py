"""What a mate carries beside its rows: it would go with the mate, or no longer find it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from cadbridge.assembly import CouplingKind, Mate
from cadbridge.mechanism import Mechanism
from cadbridge.mechanism.together import carries


def carried(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """By the name of a mate or coupling what would be lost with it, in words: ("its limit", "the drive of J1").

    Mates and couplings that carry nothing are not in it.
    """
    followers = _followers(mechanism)
    found = {}
    for m in mechanism.assembly.mates:
        own = (f"its {words}" for words in carries(m))
        found[m.name] = (*own, *_named(mechanism, m), *followers[m.name])
    for coupling in mechanism.assembly.couplings:
        if coupling.efficiency is not None and coupling.efficiency < 1.0:
            found[coupling.name] = ("its losses",)
    return {name: words for name, words in found.items() if words}


def _named(mechanism: Mechanism, mate: Mate) -> Iterator[str]:
    """The name that it alone gives to its joint, and what finds the joint by it."""
    assembly = mechanism.assembly
    given = assembly.joint_names | {m.name: m.joint_name for m in assembly.mates if m.joint_name}
    joint = next((j for j in mechanism.joints if mate.name in j.mates), None)
    others = () if joint is None else [m for m in joint.mates if m != mate.name]
    own = given.get(mate.name)
    names = {mate.name, own}
    if own in {given.get(m) for m in others}:
        names.discard(own)
    elif own not in (None, mate.name):
        yield f"the joint's name {own}"
    if joint is not None and not others:
        names.add(joint.name)
    for drive in assembly.drives:
        if drive.joint in names:
            yield f"the drive {drive.name}"
    if names & set(assembly.home):
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
