"""What mates that repeat each other carry of the weights, by stiffness, as plain data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cadbridge.diagnosis.model import Diagnosis
    from cadbridge.mechanism.model import Mechanism


def by_stiffness_document(mechanism: Mechanism, diagnosis: Diagnosis) -> dict[str, Any]:
    """The key `by_stiffness`: nothing where a rigid model determines all, or where a mass is not known.

    Stiffness is that of NAME.fit.yaml beside the source, else the same for all mates. InputError where that file cannot
    be used.
    """
    if all(r.determined and all(s.determined for s in r.shares) for r in diagnosis.reactions):
        return {}
    # Most models need none of this.
    from cadbridge.misfit import load_fit
    from cadbridge.misfit.sharing import weights_by_stiffness

    settings = load_fit(None, mechanism)
    found = weights_by_stiffness(mechanism, settings)
    if found is None:
        return {}
    joint_of = {mate: joint.name for joint in mechanism.joints for mate in joint.mates}
    mates = [
        {"mate": c.mate, "joint": joint_of.get(c.mate), "point": list(c.point), "force": list(c.force),
         "torque": list(c.torque), "force_N": math.hypot(*c.force), "torque_N_m": math.hypot(*c.torque)}
        for c in found.carried
    ]  # fmt: skip
    return {"by_stiffness": {"rests": found.rests, "stiffness_given": bool(settings.stiffness), "mates": mates}}
