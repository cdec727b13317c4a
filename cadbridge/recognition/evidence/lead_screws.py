"""Lead screws and their nuts: ridges that turn about an axis, or names, say that a turn moves the nut along.

The pitch is that of the ridges, else of a name as standards write it (Tr8x2, SFU1605). Where neither says it, there is
no screw joint, which is reported: a pitch is not made up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from cadbridge.frames import cross_length
from cadbridge.recognition.contacts.contacts import Line, Placed, parallel
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.candidates import Candidate, joint_of
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.model import Rejected
from cadbridge.recognition.standard.screws import within
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

SCREW_NAMES = re.compile(
    r"(lead|ball|power|acme) ?screw|screw ?(spindle|rod)|threaded ?rod|spindel|\b(tr|sfu|sfs) ?\d", re.I
)
NUT_NAMES = re.compile(r"nut\b|nut[ _-]|mutter|screw ?block", re.I)
PITCHES = (
    re.compile(r"\btr ?\d+(?:\.\d+)? ?x ?(\d+(?:\.\d+)?)", re.I),
    re.compile(r"\bsf[usk] ?\d\d(\d\d)\b", re.I),
    re.compile(r"\b(?:lead|pitch) ?(\d+(?:\.\d+)?) ?mm\b", re.I),
)
"""Advance of one turn in mm, in names of trapezoidal and ball screws."""
_SEPARATOR = re.compile(r"(?:[^\w.]|_|(?<!\d)\.|\.(?!\d))+")
"""What stands between the words of a name."""
LEAST_TURNS = 3.0
"""Turns that the ridges of a lead screw go round at least: a short thread is a fastener's. 54 machines have 17 and
more."""

NUT_BORE = 0.95, 1.05
"""Radius of a nut's bore beside the roots of the ridges at least, beside their tips at most: threads have play."""

NAMED_BORE = 0.7, 1.3
"""Radius of a nut's bore beside its screw's, where names alone say what they are: core or outside may be drawn."""

NUT_ON_AXIS = 0.02
"""Of the ridges' tip radius: how far the axis of a nut may be off theirs. 54 machines: 0 | 3.4. Tests: 0 | 4.4
(`test_lead_screws`)."""


def lead_screws(scene: Scene, wheels: Sequence[Wheel], names: bool) -> list[Candidate]:
    """The screw joints between bodies as they are now: of each pair one."""
    found: dict[tuple[str, str], Candidate] = {}
    here = {i.name for i in scene.assembly.instances}
    threads = [w for w in wheels if w.kind is WheelKind.THREAD and w.instance in here]
    for line in scene.contacts.lines:
        for candidate in (*_by_ridges(scene, line, threads), *(_by_names(scene, line) if names else ())):
            # The first is by ridges where there are any: they are measured, a name may be that of another version.
            found.setdefault((candidate.a, candidate.b), candidate)
    return list(found.values())


def _by_ridges(scene: Scene, line: Line, threads: Sequence[Wheel]) -> Iterator[Candidate]:
    """Nuts on the ridges of threads about a line; what was taken out of the scene as a fastener is no lead screw."""
    for thread in threads:
        if not _about(line, thread):
            continue
        lead = 2 * math.pi * thread.reference / math.tan(thread.helix)
        middle = float((thread.point - line.point) @ line.direction)
        low, high = middle - thread.width / 2, middle + thread.width / 2
        if thread.width < LEAST_TURNS * abs(lead):
            continue
        text = f"{thread.teeth} ridges with a lead of {1e3 * lead:.4g} mm in a nut"
        for m in line.members:
            fits = m.surface.hollow and NUT_BORE[0] * thread.root <= m.surface.radius <= NUT_BORE[1] * thread.tip
            if fits and m.instance != thread.instance and min(m.high, high) - max(m.low, low) > 0.5 * m.surface.length:
                yield from _joined(scene, line, thread.instance, m, lead, (text,), 0.8)


def _about(line: Line, thread: Wheel) -> bool:
    off = cross_length(thread.point - line.point, line.direction)
    return parallel(thread.axis, line.direction) and off <= NUT_ON_AXIS * thread.tip


def _by_names(scene: Scene, line: Line) -> Iterator[Candidate]:
    """Shafts called lead screws in bores of what is called a nut, the pitch in either name."""
    for shaft in line.members:
        screw = _called(scene, shaft.instance)
        if shaft.surface.hollow or shaft.instance in scene.fasteners or not _is_screw(screw):
            continue
        for bore in (m for m in line.members if m.surface.hollow and m.instance != shaft.instance):
            nut = _called(scene, bore.instance)
            inside = shaft.beside(bore) > 0.5 * bore.surface.length
            near = within(bore.surface.radius / shaft.surface.radius, NAMED_BORE)
            lead = _pitch(f"{screw} {nut}")
            if NUT_NAMES.search(nut) and inside and near and lead is not None:
                text = f"the names say a lead screw in its nut, with a pitch of {1e3 * lead:g} mm"
                yield from _joined(scene, line, shaft.instance, bore, lead, (text,), 0.6)


def _pitch(text: str) -> float | None:
    """The advance of one turn, m, that a name says."""
    found = next((match for pattern in PITCHES if (match := pattern.search(text))), None)
    return 1e-3 * float(found.group(1)) if found is not None and float(found.group(1)) > 0 else None


def _called(scene: Scene, instance: str) -> str:
    """What a part and an instance of it are called, words apart, the point of a number in place."""
    # The part first, of which the pitch is then read: behind an instance's name may be a counter (Tr8x2.1).
    name = f"{scene.assembly.instance(instance).part} {instance.rsplit('/', 1)[-1]}"
    return _SEPARATOR.sub(" ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))


def _joined(
    scene: Scene, line: Line, screw: str, nut: Placed, lead: float, evidence: tuple[str, ...], confidence: float
) -> Iterator[Candidate]:
    if len(scene.bodies(screw, nut.instance)) == 2 and nut.instance not in scene.fasteners:
        verdict = Verdict("screw", line.amid(nut, nut), line.direction, evidence, (), confidence, lead)
        yield joint_of(scene, screw, nut.instance, verdict)


def without_pitch(scene: Scene, joints: Sequence[Candidate]) -> list[Rejected]:
    """What is called a lead screw in its nut and is no screw joint: neither ridges nor names say a pitch."""
    screws = {frozenset((c.a, c.b)) for c in joints if c.verdict.free.pitched}
    found: dict[frozenset[str], Rejected] = {}
    for c in scene.contacts.found:
        screw, nut = c.a.instance, c.b.instance
        pair = scene.bodies(screw, nut)
        called = c.kind == "shaft" and _is_screw(_called(scene, screw)) and NUT_NAMES.search(_called(scene, nut))
        if called and len(pair) == 2 and pair not in screws:
            text = "the names say a lead screw in its nut, and neither ridges nor names its pitch"
            found.setdefault(pair, Rejected("screw", screw, nut, text))
    return list(found.values())


def called_lead_screw(scene: Scene, instance: str) -> bool:
    """Whether the names of an instance and its part say a lead screw."""
    return _is_screw(_called(scene, instance))


def _is_screw(name: str) -> bool:
    return bool(SCREW_NAMES.search(name)) and not NUT_NAMES.search(name)
