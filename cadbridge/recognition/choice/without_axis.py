"""Why a hint `joint` came to nothing, and what helps."""

from __future__ import annotations

from collections.abc import Sequence

from cadbridge.findings import Findings
from cadbridge.freedoms import FIXED
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.recognition.evidence.candidates import Candidate
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.hints import Hints, Pair


def without_axis(scene: Scene, joints: Sequence[Candidate], hints: Hints) -> Findings:
    """Findings on the pairs that hints join and that have no joint, or a ball in its place (CB1642): no axis shows."""
    findings = Findings()
    joined = {scene.bodies(c.a, c.b): c.verdict for c in joints}
    for a, b in hints.pairs("joint"):
        told, verdict = hints.told_of((a, b)), joined.get(scene.bodies(a, b))
        if verdict is not None and told.type and verdict.axis is None and not LEAVES.get(told.type, FIXED).ball:
            text = f"hint joint: [{a}, {b}], type: {told.type}: contacts show a ball, which has no axis of its own"
            way = "Give the hint a `point` and an `axis`, or the part whose axis it is (`about`)."
            findings.add("CB1642", f"{text}; it is not used", hint=way, items=[a, b])
        elif verdict is None or told.type not in ("", verdict.type):
            text, cure = _nothing_shows(scene, (a, b), told.type)
            apart = (pair for pair in hints.pairs("apart") if scene.bodies(*pair) == scene.bodies(a, b))
            if (pair := next(apart, None)) is not None:
                text = f"hint joint: [{a}, {b}] is about the same two bodies as apart: [{', '.join(pair)}]"
                cure = "Give up one of the two hints."
            findings.add("CB1642", f"{text}; it is not used", hint=cure, items=[a, b])
    return findings


def _nothing_shows(scene: Scene, pair: Pair, kind: str) -> tuple[str, str | None]:
    """Why there is nothing to make a joint of a hint on, and the cure where it is not that of the catalogue."""
    text, point = f"hint joint: [{', '.join(pair)}]", "a `point` (of a ball its middle) and, but for a ball, an `axis`"
    if bare := [name for name in pair if scene.faces_of(name) is None]:
        verb = "has" if len(bare) == 1 else "have"
        return f"{text}: {' and '.join(bare)} {verb} no faces to go by", f"Give the hint {point} in the mates file."
    if LEAVES.get(kind, FIXED).ball:
        why = "no ball or socket of one part is near the other, and no axis is that of both"
        return f"{text}, type: {kind}: {why}", "Give the hint the `point` of the ball's middle in the mates file."
    return f"{text} has no axis that both parts are round about, nor faces that guide a slide", None
