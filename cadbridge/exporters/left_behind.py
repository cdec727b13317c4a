"""What an export leaves behind by its format: losses of teeth, weights, tendons, rows of mates that repeat others."""

from __future__ import annotations

from cadbridge.errors import InputError
from cadbridge.exporters.repeated_rows import repeated_rows
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism
from cadbridge.mechanism.weights import carried_weights
from cadbridge.mjcf_data import mjcf_data
from cadbridge.targets import Target
from cadbridge.wording import count

_NAMED = 8
"""Names in a message; its items are all of them."""


def report_left_behind(mechanism: Mechanism, target: Target, findings: Findings) -> None:
    """Add what an export to a format does not hold of a mechanism."""
    to = target.name
    lossy = [c.name for c in mechanism.couplings if (c.coupling.efficiency or 1.0) < 1.0]
    if lossy and not target.efficiencies:
        findings.add("CB527", f"{to} has no efficiency of gears: {', '.join(lossy)}", items=lossy)
    compensated = _compensation(mechanism, target)
    if compensated:
        some = ", ".join(compensated[:_NAMED]) + (" …" if len(compensated) > _NAMED else "")
        findings.add("CB1245", f"{to} does not hold the gravity compensation of {some}", items=compensated)
    pulled = [] if target.tendons else _tendons(mechanism)
    if pulled:
        some = ", ".join(pulled[:_NAMED]) + (" …" if len(pulled) > _NAMED else "")
        findings.add("CB1266", f"{to} does not hold what acts along tendons, nor activations: {some}", items=pulled)
    repeated = {} if target.efficiencies else repeated_rows(mechanism)
    if repeated:
        in_file = [(m.mate, repeated[m.mate]) for m in mechanism.mate_rows if m.mate in repeated]
        some = ", ".join(f"{name} ({rows})" for name, rows in in_file[:_NAMED])
        more = " …" if len(in_file) > _NAMED else ""
        number = sum(repeated.values())
        text = count(number, "row that repeats others is", "rows that repeat others are")
        findings.add("CB528", f"{text} not in the export, by mate: {some}{more}", items=list(repeated))


def _tendons(mechanism: Mechanism) -> list[str]:
    """The tendons of an MJCF along which something acts, their actuators, and actuators with activation dynamics."""
    try:
        kept = mjcf_data(mechanism.assembly)
    except InputError:
        return []  # a run refuses it, an export to MJCF says so
    return [*(t.name for t in kept.tendons if t.values), *(a.name for a in kept.actuators), *kept.activations]


def _compensation(mechanism: Mechanism, target: Target) -> list[str]:
    """The bodies whose gravity compensation the export does not hold."""
    return [
        mechanism.bodies[body].name
        for body, carried in carried_weights(mechanism).items()
        if carried.share is None or not _holds(target, carried.share)
    ]


def _holds(target: Target, share: float) -> bool:
    """Whether the format can say that gravity does not act on this share of a link's weight."""
    return target.weight_shares == "any" or (target.weight_shares == "all" and share == 1.0)
