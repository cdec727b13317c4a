"""The tolerance of a run by the size of the mechanism: what is nothing to a machine is much to a watch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cadbridge.mechanism import Mechanism
from cadbridge.simulation.scenario import Scenario

SMALL = 0.1
"""m: below this size of a mechanism the absolute tolerance falls with it.

1e-8 m are 1e-5 of a pendulum of 1 mm: its turns were wrong by as much after twelve swings, and the run was called
wrong. Larger mechanisms keep the tolerance that the scenario names.
"""
LEAST = 1e-15
"""The least absolute tolerance that is taken so."""


def by_size(what: Scenario, mechanism: Mechanism) -> Scenario:
    """The scenario with the absolute tolerance of a small mechanism; one that has two tolerances is left as it is."""
    size = _size(mechanism)
    if what.rtol != what.atol or not 0.0 < size < SMALL:
        return what
    return replace(what, atol=max(what.atol * size / SMALL, min(what.atol, LEAST)))


def _size(mechanism: Mechanism) -> float:
    """How far joints and centres of mass are apart as designed, or how far the mass of a body reaches (m)."""
    centres = [b.X_WB.point(b.mass.com) for b in mechanism.bodies if b.mass is not None]
    places = [*centres, *((mechanism.X_WB(j.a) @ j.X_AJ).p for j in mechanism.joints)]
    reach = [np.sqrt(np.trace(b.mass.inertia) / b.mass.mass) for b in mechanism.bodies if b.mass and b.mass.mass > 0.0]
    apart = np.linalg.norm(np.ptp(places, axis=0)) if places else 0.0
    return float(max(apart, *reach)) if reach else float(apart)
