"""Fixed tendons: sums of joint coordinates."""

from __future__ import annotations

from cadbridge.readers.mjcf.context import Context
from cadbridge.readers.mjcf.joints import HINGE, SLIDE

WRAP_JOINT = 1
"""MuJoCo's wrap type of joints in fixed tendons (mjtWrap)."""


def sum_of(c: Context, tendon: int) -> list[tuple[int, float]] | None:
    """The joints of a fixed tendon with their factors; None of a spatial one, or over joints of several freedoms."""
    m = c.model
    wraps = range(int(m["tendon_adr"][tendon]), int(m["tendon_adr"][tendon]) + int(m["tendon_num"][tendon]))
    if any(int(m["wrap_type"][w]) != WRAP_JOINT for w in wraps):
        return None
    joints = [(int(m["wrap_objid"][w]), float(m["wrap_prm"][w])) for w in wraps]
    single = joints and not {int(m["jnt_type"][j]) for j, _ in joints} - {SLIDE, HINGE}
    return joints if single else None


def reference_length(c: Context, joints: list[tuple[int, float]]) -> float:
    """MuJoCo's length in the reference pose, from which lengths are counted here."""
    return sum(factor * float(c.model["qpos0"][int(c.model["jnt_qposadr"][j])]) for j, factor in joints)
