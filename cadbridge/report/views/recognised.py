"""What was recognised, as tables: proposals with their evidence, what moves as one, and what was not taken."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from cadbridge.recognition.model import Bond, FoundJoint, Recognition
from cadbridge.report.views.table import Badge, ItemNames, Number, Row, Table

SURE = 0.9
"""Confidence below which a proposal is marked, as CB1601 names it."""


def recognised(found: Recognition) -> tuple[Table, ...]:
    """The tables of the section "Recognised", those without rows empty."""
    return (_joints(found), _gears(found), _bonds(found), _rejected(found))


def _joints(found: Recognition) -> Table:
    rows = [
        Row(
            (
                ItemNames((j.name,), ("mate", "joint")),
                j.type,
                _sure(j.confidence),
                "; ".join(j.evidence),
                "; ".join(j.against) or "–",
                _moved(j),
                ItemNames(tuple(dict.fromkeys(chain.from_iterable(j.contacts))), ("part",)),
            ),
            level=None if j.confidence >= SURE else "mark",
        )
        for j in sorted(found.joints, key=lambda j: j.confidence)
    ]
    head = ("proposal", "type", "confidence", "for", "against", "moved", "parts in contact")
    return Table("recognised", "Recognised", head, rows, "Select a proposal to see its faces and its axis.")


def _sure(confidence: float) -> Number:
    return Number(confidence, f"{100 * confidence:.0f} %")


def _moved(joint: FoundJoint) -> Badge | str:
    if joint.motion is None:
        return "–"
    if joint.motion.state == "blocked":
        return Badge("blocked", "warning", joint.motion.reason)
    return joint.motion.reason if joint.motion.state == "free" else f"not moved: {joint.motion.reason}"


def _gears(found: Recognition) -> Table:
    rows = [
        Row(
            (
                ItemNames((g.name,), ("mate", "gear")),
                g.kind.value,
                _sure(g.confidence),
                " : ".join(str(n) for n in g.teeth) if g.radii is None else "–",
                "none: the gear is left out"
                if g.carrier is None or g.against
                else ItemNames((found.bodies[g.carrier].name,), ("body",)),
                "; ".join(g.evidence),
                ItemNames(g.instances, ("part",)),
            )
        )
        for g in found.gears
    ]
    head = ("proposal", "type", "confidence", "teeth", "carrier", "for", "parts")
    return Table("recognised-gears", "Recognised gears", head, rows)


def _bonds(found: Recognition) -> Table:
    bonds: Sequence[Bond] = [b for body in found.bodies for b in body.bonds if b.to is not None]
    rows = [
        Row((ItemNames((b.instance,), ("part",)), ItemNames((b.to or "",), ("part",)), _sure(b.confidence), b.reason))
        for b in sorted(bonds, key=lambda b: b.confidence)
    ]
    return Table(
        "bound", "Recognised as one body", ("part", "moves with", "confidence", "why"), rows, folded=len(rows) > 20
    )


def _rejected(found: Recognition) -> Table:
    rows = [
        Row((ItemNames((r.a, r.b), ("body", "part"), " – "), r.type, Badge("not taken", "info"), r.reason))
        for r in found.rejected
    ]
    return Table("not-taken", "Seen, and not taken", ("between", "type", "", "why"), rows, folded=len(rows) > 20)
