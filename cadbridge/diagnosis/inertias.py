"""Freedoms that nothing gives inertia: a check says them before a run has to refuse them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cadbridge.errors import ModelError
from cadbridge.findings import Findings, Where
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Mechanism
from cadbridge.wording import listed

_NOTHING = 1e-10
"""Of a body's largest principal moment: the solver counts less as none (`solver.equations.massless`)."""


def report_without_inertia(mechanism: Mechanism, findings: Findings) -> None:
    """Add a warning (CB417) for each body of known mass that can move without moving any mass or moment of inertia.

    The solver itself is asked, which loads for a second: only where some body lacks a mass or a moment.
    """
    light = {i for i, body in enumerate(mechanism.bodies) if body.mass is not None and _lacks(body.mass)}
    if not light:
        return
    from cadbridge.lowering import lower, prepared

    # What is said is of those alone: any mass does for the others, unknown ones (CB610) among them.
    other = MassProperties(1.0, np.zeros(3), mechanism.length_scale**2 * np.eye(3))
    bodies = (b if i in light else replace(b, mass=other) for i, b in enumerate(mechanism.bodies))
    try:
        prepared(lower(replace(mechanism, bodies=tuple(bodies))).model)
    except ModelError as fault:
        for found in fault.findings:
            if found.code == "CB697" and found.where.item is not None:
                _report(mechanism, found.where.item, findings)


def _lacks(mass: MassProperties) -> bool:
    """Whether the mass or a moment is nothing; what is less than that is another fault."""
    moments = np.linalg.eigvalsh((mass.inertia + mass.inertia.T) / 2)
    least = _NOTHING * max(float(moments[-1]), 0.0)
    return bool(mass.mass >= 0.0 and moments[0] >= -least and (mass.mass == 0.0 or moments[0] <= least))


def _report(mechanism: Mechanism, name: str, findings: Findings) -> None:
    index = next(i for i, body in enumerate(mechanism.bodies) if body.name == name)
    joints = [j.name for j in mechanism.joints if index in (j.a, j.b)]
    on = f" on {listed(joints)}" if joints else ""
    text = f"{name} moves freely{on}, and nothing that moves has mass or a moment of inertia in that motion"
    findings.add("CB417", text, Where(item=name), items=joints)
