"""What was recognised as one JSON document, cadbridge.recognition/1."""

from __future__ import annotations

from typing import Any

from cadbridge.documents import FORMATS
from cadbridge.recognition.hints import KINDS
from cadbridge.recognition.model import FoundJoint, Recognition

FORMAT = FORMATS["recognise"]


def recognition_document(found: Recognition) -> dict[str, Any]:
    """Bodies, joints and gears with their evidence; SI, world frame, angles in rad."""
    return {
        "format": FORMAT,
        "source": found.assembly.source,
        "slack": found.slack,
        "freedoms": found.freedoms,
        "spins": found.spins,
        "hints": {
            **{kind: [list(p) for p in found.hints.pairs(kind)] for kind in KINDS},
            "freedoms": found.hints.freedoms,
        },
        "fasteners": sorted(found.fasteners),
        "ground": {"body": found.bodies[found.ground].name, "reason": found.ground_reason} if found.bodies else None,
        "bodies": [
            {
                "name": body.name,
                "parts": list(body.instances),
                "bonds": [
                    {"part": b.instance, "to": b.to, "reason": b.reason, "confidence": b.confidence, "axis": b.axis}
                    for b in body.bonds
                ],
            }
            for body in found.bodies
        ],
        "joints": [_joint(found, joint) for joint in found.joints],
        "gears": [
            {
                "name": g.name,
                "type": g.kind.value,
                "bodies": [found.bodies[g.a].name, found.bodies[g.b].name],
                "parts": list(g.instances),
                "teeth": list(g.teeth) if g.radii is None else None,
                "radii": None if g.radii is None else list(g.radii),
                "carrier": None if g.carrier is None else found.bodies[g.carrier].name,
                "evidence": list(g.evidence),
                "against": g.against,
                "confidence": g.confidence,
            }
            for g in found.gears
        ],
        "recognised_gears": list(found.wheels),
        "rejected": [{"type": r.type, "bodies": [r.a, r.b], "reason": r.reason} for r in found.rejected],
        "loose": list(found.loose),
        "findings": [
            {"code": f.code, "severity": f.severity.value, "message": f.message, "where": str(f.where), "hint": f.hint}
            for f in found.findings
        ],
    }


def _joint(found: Recognition, joint: FoundJoint) -> dict[str, Any]:
    return {
        "name": joint.name,
        "type": joint.type,
        "bodies": [found.bodies[joint.a].name, found.bodies[joint.b].name],
        "origin": joint.point.tolist(),
        "axis": None if joint.axis is None else joint.axis.tolist(),
        "pitch": joint.pitch,
        "evidence": list(joint.evidence),
        "against": list(joint.against),
        "confidence": joint.confidence,
        "contacts": [list(pair) for pair in joint.contacts],
        "motion": None if joint.motion is None else {"state": joint.motion.state, "reason": joint.motion.reason},
        "limits": None
        if joint.limit is None or joint.motion is None
        else {
            "lower": joint.limit.lower,
            "upper": joint.limit.upper,
            "lower_end": joint.motion.ends[0],
            "upper_end": joint.motion.ends[1],
        },
    }
