"""What a person should know of a recognition as a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from cadbridge.assembly import Assembly
from cadbridge.findings import Finding, Findings
from cadbridge.recognition.contacts.contacts import EXACT_SLACK
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.model import Bond, Recognition, Rejected
from cadbridge.recognition.ties import Held
from cadbridge.wording import count, listed

SURE_JOINT = 0.9
"""Confidence below which a joint is reported as uncertain: one of ten such joints is wrong. A choice."""

SURE_WELD = 0.9
"""Confidence below which a weld is reported as uncertain, if its two parts share an axis: other welds hide no turn."""

IN_SHORT = frozenset({"CB1600", "CB1601", "CB1604"})


def nothing_known(assembly: Assembly) -> str:
    """Why nothing can be known of how an assembly moves; "" where something can."""
    if len(assembly.instances) < 2:
        return "it is one part" if assembly.instances else "it has no parts"
    if not any(part.shape is not None and part.shape.faces for part in assembly.parts):
        return "its parts are meshes or have no shape, so no face is known"
    return ""


def unknowable(assembly: Assembly) -> tuple[Finding, ...]:
    """The finding on an assembly of which nothing can be known (CB1652)."""
    findings = Findings()
    if reason := nothing_known(assembly):
        text = f"nothing can be known of how {assembly.name} moves"
        if assembly.mates:
            text = f"the geometry of {assembly.name} adds nothing to the mates that it has"
        findings.add("CB1652", f"{text}: {reason}")
    return findings.as_tuple()


def findings_of(
    scene: Scene, found: Recognition, held: list[str], copies: list[str], ground: str
) -> tuple[Finding, ...]:
    """What a person should know of the recognition as a whole; `held` was bound to the ground for want of contact."""
    findings = Findings()
    faults: dict[str, list[str]] = defaultdict(list)
    for part in scene.assembly.parts:
        known = None if part.shape is None else scene.faces.get(part.shape.key)
        why = "no shape" if known is None else known.fault
        if why is not None:
            faults[why].append(part.name)
    for why, parts in faults.items():
        own = "its" if len(parts) == 1 else "their"
        findings.add("CB1603", f"{listed(parts)}: {why}; contacts of {own} own are not seen", items=parts)
    if held:
        verb = "touches" if len(held) == 1 else "touch"
        what = "nothing" if len(held) == len(found.loose) else "nothing but what is joined to it"
        findings.add("CB1602", f"{listed(held)} {verb} {what}; fixed to the ground, {ground}", items=held)
    if copies:
        verb = "stands" if len(copies) == 1 else "stand"
        findings.add("CB1614", f"{listed(copies)} {verb} where an equal part stands; bound to that", items=copies)
    over = [(b.instance, b.to) for own in scene.bonds.values() for b in own if b.to and b.how is Held.REACHES]
    if over:
        pairs = listed([f"{a} and {b}" for a, b in over])
        names = dict.fromkeys(name for pair in over for name in pair)
        findings.add("CB1486", f"{pairs} overlap and nothing else holds them: they are taken as one body", items=names)
    if scene.contacts.slack > EXACT_SLACK:
        slack = scene.contacts.slack * 1e3
        findings.add("CB1605", f"the placements are not exact; axes within {slack:.3g} mm are taken to be one")
    return (*unknowable(scene.assembly), *in_short(found), *findings)


def in_short(found: Recognition) -> tuple[Finding, ...]:
    """How many bodies and joints there are, and which of them may be wrong: the findings `IN_SHORT`."""
    findings = Findings()
    bodies, parts = count(len(found.bodies), "body", "bodies"), count(len(found.assembly.instances), "part")
    findings.add("CB1600", f"{bodies} and {count(len(found.joints), 'joint')} recognised in {parts}")
    _doubts(found, findings)
    # Of what is said not to move it is no news.
    if not (found.joints or found.assembly.mates or found.hints.freedoms == 0):
        findings.add("CB1604", "no joint was recognised: nothing can move")
    return findings.as_tuple()


def in_short_anew(found: Recognition) -> Recognition:
    """The recognition with its findings `IN_SHORT` as its bodies and joints are now: confidences may have changed."""
    at = next((k for k, f in enumerate(found.findings) if f.code in IN_SHORT), len(found.findings))
    kept = [f for f in found.findings[at:] if f.code not in IN_SHORT]
    return replace(found, findings=(*found.findings[:at], *in_short(found), *kept))


def unread(screws: list[Rejected], belts: Sequence[str]) -> tuple[Finding, ...]:
    """Lead screws that cannot be joints, for want of a pitch, and belts of which it is not seen what they tie."""
    findings = Findings()
    for r in screws:
        findings.add("CB1615", f"{r.a} in {r.b}: {r.reason}", items=[r.a, r.b])
    if belts:
        verb = "is a belt" if len(belts) == 1 else "are belts"
        text = f"{listed(belts)} {verb} by name, but the shape does not say which wheels turn together: no coupling"
        findings.add("CB1655", text, items=belts)
    return findings.as_tuple()


def weak_welds(found: Recognition) -> list[Bond]:
    """The welds that may be joints, the weakest first: the two parts share an axis, and little speaks for the weld."""
    bonds = (b for body in found.bodies for b in body.bonds if b.axis and b.confidence < SURE_WELD)
    return sorted(bonds, key=lambda b: (b.confidence, b.instance))


def _doubts(found: Recognition, findings: Findings) -> None:
    """Joints and welds of which the geometry does not say enough (CB1601)."""
    unsure = {
        j.name: f"{j.name} ({' - '.join(found.ends(j))})"
        for j in found.joints if j.confidence < SURE_JOINT
    }  # fmt: skip
    welds = [f"{b.instance} - {b.to}" for b in weak_welds(found)]
    texts = [f"{count(len(unsure), 'joint')} may be wrong: {listed(list(unsure.values()))}"] if unsure else []
    texts += [f"{count(len(welds), 'weld')} may be a joint: {listed(welds)}"] if welds else []
    if texts:
        findings.add("CB1601", "; ".join(texts), items=[*unsure, *welds])
