"""Actuators of joints as drives, with the law that they follow where it is a straight one."""

from __future__ import annotations

import numpy as np

from cadbridge.assembly import ControlLaw, Drive
from cadbridge.findings import Where
from cadbridge.frames import Vector
from cadbridge.readers.mjcf.context import Context, free
from cadbridge.readers.mjcf.joints import HINGE, SLIDE

_FIXED, _AFFINE = 0, 1
"""MuJoCo's gain and bias types (mjtGain, mjtBias) that are linear; a bias of type 0 is none."""

_OF_JOINT = (0, 1)
"""MuJoCo's transmissions (mjtTrn) to a joint, in its child's or its parent's frame: the same for one freedom."""


def read_drives(c: Context) -> tuple[Drive, ...]:
    """A drive for every actuator of a joint of one freedom, its gear as reduction."""
    m = c.model
    taken: set[str] = set()
    drives: list[Drive] = []
    servos: list[str] = []
    for i, transmission in enumerate(m["actuator_trntype"]):
        joint = int(m["actuator_trnid"][i][0])
        name = free(m["actuators"][i] or f"actuator {i + 1}", taken)
        where = c.where("actuators", i, name)
        gear = float(m["actuator_gear"][i][0])
        if int(transmission) not in _OF_JOINT or int(m["jnt_type"][joint]) not in (SLIDE, HINGE) or gear == 0.0:
            c.findings.add("CB1409", f"{name} drives no joint of one freedom", where, items=[name])
            continue
        law = _law(c, i, joint, gear, name, where)
        drives.append(Drive(name, c.joints[joint], gear, law=law, where=where))
        if law is not None and any(law.bias):
            servos.append(name)
    if servos:
        some = ", ".join(servos[:4]) + (" …" if len(servos) > 4 else "")
        text = f"{len(servos)} servos, which hold or damp their joints at a control of 0: {some}"
        c.findings.add("CB1411", text, Where(str(c.path)), items=servos)
    return tuple(drives)


def _law(c: Context, i: int, joint: int, gear: float, name: str, where: Where) -> ControlLaw | None:
    """The law with its length counted from the reference pose; None, which is told, where it is not linear."""
    m = c.model
    dynamics, gain, bias = (int(m[f"actuator_{what}type"][i]) for what in ("dyn", "gain", "bias"))
    if gain not in (_FIXED, _AFFINE) or bias not in (0, _AFFINE):
        text = f"{name}: its force follows no straight law (MuJoCo's gain type {gain}, bias type {bias})"
        c.findings.add("CB1412", text, where, items=[name])
        return None
    if dynamics:
        text = f"{name}: its control is taken to act at once (MuJoCo's activation dynamics of type {dynamics} left out)"
        c.findings.add("CB1412", text, where, items=[name])
    at = gear * float(m["qpos0"][int(m["jnt_qposadr"][joint])])
    factors = [np.array(m[f"actuator_{what}prm"][i][:3], dtype=float) for what in ("gain", "bias")]
    factors[0][1:] *= gain == _AFFINE
    factors[1] *= bias == _AFFINE
    return ControlLaw(
        _shifted(factors[0], at),
        _shifted(factors[1], at),
        control=_range(c, i, "ctrl"),
        effort=_range(c, i, "force"),
    )


def _shifted(factors: Vector, at: float) -> tuple[float, float, float]:
    """[1, l, l̇] for a length l that is `at` less than MuJoCo's."""
    return float(factors[0] + factors[1] * at), float(factors[1]), float(factors[2])


def _range(c: Context, i: int, what: str) -> tuple[float, float] | None:
    if not c.model[f"actuator_{what}limited"][i]:
        return None
    low, high = (float(v) for v in c.model[f"actuator_{what}range"][i])
    return low, high
