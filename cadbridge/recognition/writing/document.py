"""What was recognised as one JSON document, cadbridge.recognition/1."""

from __future__ import annotations

from typing import Any

from cadbridge.documents import FORMATS
from cadbridge.recognition.hints import KINDS
from cadbridge.recognition.model import FoundBody, FoundJoint, Recognition
from cadbridge.recognition.wheels.gears import FoundGear

FORMAT = FORMATS["recognise"]


def recognition_document(found: Recognition) -> dict[str, Any]:
    """Bodies, joints and gears with their evidence; SI, world frame, angles in rad."""
    return {
        "format": FORMAT,
        "source": found.assembly.source,
        "slack": found.slack,
        "freedoms": found.freedoms,
        "momentary": found.momentary,
        "spins": found.spins,
        "hints": {
            **{kind: [list(p) for p in found.hints.pairs(kind)] for kind in KINDS},
            "freedoms": found.hints.freedoms,
        },
        "fasteners": sorted(found.fasteners),
        "ground": {"body": found.bodies[found.ground].name, "reason": found.ground_reason} if found.bodies else None,
        "bodies": [_body(body) for body in found.bodies],
        "joints": [_joint(found, joint) for joint in found.joints],
        "gears": [_gear(found, gear) for gear in found.gears],
        "recognised_gears": list(found.wheels),
        "rejected": [{"type": r.type, "bodies": [r.a, r.b], "reason": r.reason} for r in found.rejected],
        "loose": list(found.loose),
        "findings": [
            {"code": f.code, "severity": f.severity.value, "message": f.message, "where": str(f.where), "hint": f.hint}
            for f in found.findings
        ],
    }


def _body(body: FoundBody) -> dict[str, Any]:
    return {
        "name": body.name,
        "parts": list(body.instances),
        "bonds": [
            {"part": b.instance, "to": b.to, "reason": b.reason, "confidence": b.confidence, "axis": b.axis}
            for b in body.bonds
        ],
    }


def _gear(found: Recognition, gear: FoundGear) -> dict[str, Any]:
    return {
        "name": gear.name,
        "type": gear.kind.value,
        "bodies": [found.bodies[gear.a].name, found.bodies[gear.b].name],
        "parts": list(gear.instances),
        "teeth": list(gear.teeth) if gear.radii is None else None,
        "radii": None if gear.radii is None else list(gear.radii),
        "carrier": None if gear.carrier is None else found.bodies[gear.carrier].name,
        "evidence": list(gear.evidence),
        "against": gear.against,
        "confidence": gear.confidence,
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
