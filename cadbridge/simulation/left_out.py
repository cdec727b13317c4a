"""What of a mechanism's resistance a run leaves out, and why."""

from __future__ import annotations

from cadbridge.assembly import CouplingKind
from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered, without_losses
from cadbridge.simulation.scenario import Scenario
from cadbridge.wording import listed


def losses_left_out(lowered: Lowered, scenario: Scenario, findings: Findings) -> None:
    """Report lossy gears of which nothing is lost in the lowered model, and why (CB613); thrust (CB638)."""
    _report_thrust(lowered, findings)
    why = without_losses(lowered.mechanism)
    for coupling in lowered.mechanism.couplings:
        if (coupling.coupling.efficiency or 1.0) < 1.0:
            reason = "the scenario ignores it" if scenario.friction is None else why.get(coupling.name)
            if reason is not None:
                where = coupling.coupling.where
                findings.add("CB613", f"{coupling.name} loses power; {reason}", where, items=[coupling.name])


def _report_thrust(lowered: Lowered, findings: Findings) -> None:
    """Report the pairs of crossed axes whose forces in the bearings are not known (CB638)."""
    for coupling in lowered.mechanism.couplings:
        gear = coupling.coupling
        if gear.kind in (CouplingKind.WORM, CouplingKind.CROSSED_HELICAL) and gear.pressure_angle is None:
            text = f"{coupling.name}: the forces along its axes are not known: no pressure_angle"
            findings.add("CB638", text, gear.where, items=[coupling.name])


def report_not_reached(scenario: Scenario, done: int, end: float, stopped: bool, findings: Findings) -> None:
    """Report the changes beyond the first `done` that a run did not come to, as it ended at `end` (s) before them.

    One at the end itself was refused, which is told. `stopped` says whether an event ended the run, as it was to.
    """
    later = [change for change in sorted(scenario.changes, key=lambda c: c.t)[done:] if change.t > end]
    left = [f"{change.title} at {change.t:.4g} s" for change in later]
    if left:
        text = f"the run ended at {end:.4g} s: {listed(left)} did not take place"
        hint = None if stopped else "Mend what ended the run, which another finding says, or give them earlier times."
        findings.add("CB688", text, hint=hint, items=left)


def report_not_applied(lowered: Lowered, scenario: Scenario, findings: Findings) -> None:
    """Report the resistance of joints and gears that the run leaves out."""
    losses_left_out(lowered, scenario, findings)
    for joint in lowered.mechanism.joints:
        damping = 0.0 if joint.kind.ball else joint.damping
        losses = [("damping", damping), ("dry friction", joint.friction)] if joint.kind.resisted is None else []
        # A spring's rest and a rotor's turns are values of one coordinate; a ball has both about all axes.
        stores = (
            []
            if joint.coordinate or joint.kind.ball
            else [("spring", joint.stiffness), ("rotor inertia", joint.armature)]
        )
        if named := [what for what, value in (*losses, *stores) if value]:
            message = f"{joint.name} is {joint.type}: its {' and '.join(named)} cannot be placed"
            findings.add("CB613", message, Where(item=joint.name))
        if joint.friction and scenario.friction is None and joint.kind.resisted is not None:
            findings.add("CB613", f"{joint.name} has dry friction; the scenario ignores it", Where(item=joint.name))
