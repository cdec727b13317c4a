"""How far hints reach: what moves with the parts that they name, and what they leave without anything to hold it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from cadbridge.findings import Finding, Findings
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.hints import Hint, Hints
from cadbridge.recognition.model import Recognition
from cadbridge.wording import count, listed, of_which


def reach_of(found: Recognition, hints: Hints) -> tuple[Finding, ...]:
    """What hints do beside what they say, in findings: they name parts, and whole bodies move (CB1656 to 1660).

    `hints`: what a person said, by the names of instances.
    """
    findings = Findings()
    # The parts of a sub-assembly that a hint names are fixed to each other, and meant.
    meant = Groups(found.body_of)
    for a, b in hints.pairs("fixed"):
        meant.join(a, b)
    for hint in hints.said:
        if hint.kind != "fixed":
            _beside(found, hint, hints.settled, meant, findings)
    _outdone(found, hints.said, findings)
    _floating(found, hints.said, findings)
    if found.spins and found.freedoms == hints.freedoms:
        _spinning(found, findings)
    return findings.as_tuple()


def _beside(
    found: Recognition, hint: Hint, settled: Collection[frozenset[str]], meant: Groups, findings: Findings
) -> None:
    """Tell what moves with a part that a hint names and that is not what its body is called after.

    And which joint the hint takes the place of, whatever its parts are called.
    """
    ends = [found.body_of[name] for name in hint.pair]
    if ends[0] == ends[1]:
        return
    unused = any(f.code == "CB1642" and set(f.items) == set(hint.pair) for f in found.findings)
    shown = None if unused else _shown(found, hint, ends)
    named = " and another hint names" if shown is not None and frozenset(shown) in settled else ""
    told = False
    aside = found.fasteners | found.yielding
    for name, k in zip(hint.pair, ends, strict=True):
        body = found.bodies[k]
        own = meant.group(name)
        others = [n for n in body.instances if n not in own and n not in aside]
        # The largest first: the body is called after it.
        others.sort(key=lambda n: n != body.name)
        if k == found.ground or body.name in own or not others:
            continue
        text = f"hint {hint} is about all that is one body with {name}: {listed(others)}"
        if shown is not None:
            text += f"; it stands in place of the joint that {shown[0]} and {shown[1]} show{named}"
            findings.add("CB1657", text, items=[name, *others])
            told = True
        else:
            findings.add("CB1656", text, items=[name, *others])
    if shown is not None and not told:
        text = f"hint {hint} stands in place of the joint that {shown[0]} and {shown[1]} show{named}"
        findings.add("CB1657", text, items=[*hint.pair, *shown])


def _outdone(found: Recognition, said: Sequence[Hint], findings: Findings) -> None:
    """Tell which hint on a type another on the same two bodies took the place of: two bodies have one joint."""
    types = {frozenset((j.a, j.b)): j.type for j in found.joints}
    told: dict[frozenset[int], list[Hint]] = defaultdict(list)
    for hint in said:
        if hint.kind == "joint" and hint.told.type:
            told[frozenset(found.body_of[name] for name in hint.pair)].append(hint)
    for ends, hints in told.items():
        used = next((hint for hint in hints if hint.told.type == types.get(ends)), None)
        for hint in hints:
            if used is not None and hint.told.type != used.told.type:
                text = (
                    f"hint {hint}, type: {hint.told.type}, is not used: hint {used}, type: {used.told.type}, is about "
                )
                findings.add("CB1657", f"{text}the same two bodies", items=[*hint.pair, *used.pair])


def _shown(found: Recognition, hint: Hint, ends: Sequence[int]) -> tuple[str, str] | None:
    """The parts whose contacts show a joint of which a hint says another type or axis, and which it does not name."""
    told = hint.told
    if not (told.type or told.point or told.about):
        return None
    for joint in found.joints:
        if {joint.a, joint.b} == set(ends) and joint.contacts:
            return None if any(set(hint.pair) & set(pair) == set(hint.pair) for pair in joint.contacts) else (
                joint.contacts[0]
            )  # fmt: skip
    return None


def _spinning(found: Recognition, findings: Findings) -> None:
    """Tell that a mobility that is told is met by what only spins."""
    names = list(found.spinning)
    about = f"{names[0]} about its own axis" if len(names) == 1 else f"{listed(names)} about their own axes"
    what = of_which(found.spins, found.freedoms or 0, f"only spins {about}", f"only spin {about}")
    given = f"{count(found.freedoms or 0, 'degree')} of freedom given and found"
    findings.add("CB1660", f"{given}, {what}", items=names)


def _floating(found: Recognition, said: Sequence[Hint], findings: Findings) -> None:
    """Tell which bodies nothing connects to the ground, and the hints that keep them from it."""
    linked = Groups(body.name for body in found.bodies)
    for joint in found.joints:
        linked.join(found.bodies[joint.a].name, found.bodies[joint.b].name)
    held = linked.root(found.bodies[found.ground].name)
    groups: dict[str, list[int]] = defaultdict(list)
    for k, body in enumerate(found.bodies):
        groups[linked.root(body.name)].append(k)
    for root, bodies in groups.items():
        if root == held:
            continue
        names = [found.bodies[k].name for k in bodies]
        verb = "floats" if len(names) == 1 else "float"
        why = [str(h) for h in said if sum(found.body_of[n] in bodies for n in h.pair) == 1 and h.kind != "fixed"]
        text = f"{listed(names)} {verb}: no joint connects {'it' if len(names) == 1 else 'them'} to the ground"
        findings.add("CB1658", f"{text}; see hint {listed(why)}" if why else text, items=names)
