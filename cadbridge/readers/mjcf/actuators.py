"""Actuators of joints as drives, with the law that they follow where it is a straight one."""

from __future__ import annotations

from typing import Any

import numpy as np

from cadbridge.assembly import ControlLaw, Drive
from cadbridge.findings import Where
from cadbridge.frames import Vector
from cadbridge.readers.mjcf.context import Context, listed
from cadbridge.readers.mjcf.joints import HINGE, SLIDE
from cadbridge.readers.mjcf.tendons import reference_length, sum_of
from cadbridge.readers.names import free_name
from cadbridge.wording import count

_FIXED, _AFFINE = 0, 1
"""MuJoCo's gain and bias types (mjtGain, mjtBias) that are linear; a bias of type 0 is none."""

_OF_JOINT = (0, 1)
"""MuJoCo's transmissions (mjtTrn) to a joint, in its child's or its parent's frame: the same for one freedom."""


_TENDON = 3
"""MuJoCo's transmission to a tendon."""

_DYNAMICS = {1: "integrator", 2: "filter", 3: "filterexact"}
"""MuJoCo's activation dynamics (mjtDyn) that any actuator may have, as MJCF calls them."""


def drive_names(c: Context) -> list[str]:
    """The unique names of all actuators."""
    taken: set[str] = set()
    return [free_name(name or f"actuator {i + 1}", taken) for i, name in enumerate(c.model["actuators"])]


def read_drives(c: Context) -> tuple[Drive, ...]:
    """A drive for every actuator of a joint of one freedom, its gear as reduction."""
    m = c.model
    drives: list[Drive] = []
    servos: list[str] = []
    for i, (name, transmission) in enumerate(zip(drive_names(c), m["actuator_trntype"], strict=True)):
        if law_of_tendon(c, i) is not None:
            continue  # kept for MJCF
        joint = int(m["actuator_trnid"][i][0])
        where = c.where("actuators", i, name)
        gear = float(m["actuator_gear"][i][0])
        if int(transmission) not in _OF_JOINT or int(m["jnt_type"][joint]) not in (SLIDE, HINGE) or gear == 0.0:
            c.findings.add("CB1409", f"{name} drives no joint of one freedom", where, items=[name])
            continue
        # MuJoCo's actuator length is gear times the coordinate, which begins at `ref`; here it begins at 0.
        law = _law(c, i, gear * float(m["qpos0"][int(m["jnt_qposadr"][joint])]))
        if law is None:
            kinds = (int(m[f"actuator_{what}type"][i]) for what in ("gain", "bias"))
            text = (
                f"{name}: its force follows no straight law (MuJoCo's gain type {next(kinds)}, bias type {next(kinds)})"
            )
            c.findings.add("CB1412", text, where, items=[name])
        elif m["actuator_dyntype"][i] and not activation(c, i):
            text = f"{name}: its control is taken to act at once (activation type {m['actuator_dyntype'][i]} left out)"
            c.findings.add("CB1412", text, where, items=[name])
        drives.append(Drive(name, c.joints[joint], gear, law=law, where=where))
        if law is not None and any(law.bias):
            servos.append(name)
    if servos:
        text = count(len(servos), "servo, which holds or damps its joint", "servos, which hold or damp their joints")
        text += f" at a control of 0: {listed(servos)}"
        c.findings.add("CB1411", text, Where(str(c.path)), items=servos)
    return tuple(drives)


def activation(c: Context, i: int) -> dict[str, Any]:
    """The attributes of an actuator's activation dynamics; none where it has none, or of a kind of its own."""
    m = c.model
    kind = _DYNAMICS.get(int(m["actuator_dyntype"][i]))
    if kind is None:
        return {}
    found: dict[str, Any] = {"dyntype": kind, "dynprm": m["actuator_dynprm"][i][:3].tolist()}
    if m["actuator_actlimited"][i]:
        found["actrange"] = m["actuator_actrange"][i].tolist()
    if m["actuator_actearly"][i]:
        found["actearly"] = "true"
    return found


def law_of_tendon(c: Context, i: int) -> dict[str, Any] | None:
    """The attributes of an actuator of a fixed tendon; None where it is none, or follows no straight law."""
    m = c.model
    joints = sum_of(c, int(m["actuator_trnid"][i][0])) if int(m["actuator_trntype"][i]) == _TENDON else None
    gear = float(m["actuator_gear"][i][0])
    law = None if joints is None else _law(c, i, gear * reference_length(c, joints))
    if law is None or (m["actuator_dyntype"][i] and not activation(c, i)):
        return None
    found: dict[str, Any] = {"gear": [gear], "gaintype": "affine", "gainprm": list(law.gain)}
    found |= {"biastype": "affine", "biasprm": list(law.bias)} if any(law.bias) else {}
    ranges = {"ctrlrange": law.control, "forcerange": law.effort}
    return found | {key: list(ends) for key, ends in ranges.items() if ends is not None} | activation(c, i)


def _law(c: Context, i: int, at: float) -> ControlLaw | None:
    """The law, with its length counted from `at`, that in the reference pose; None where it is not linear."""
    m = c.model
    gain, bias = (int(m[f"actuator_{what}type"][i]) for what in ("gain", "bias"))
    if gain not in (_FIXED, _AFFINE) or bias not in (0, _AFFINE):
        return None
    factors = [np.array(m[f"actuator_{what}prm"][i][:3], dtype=float) for what in ("gain", "bias")]
    # MuJoCo leaves numbers without effect in the parameters of another type.
    factors[0][1:] *= gain == _AFFINE
    factors[1] *= bias == _AFFINE
    return ControlLaw(
        _shifted(factors[0], at), _shifted(factors[1], at), control=_range(c, i, "ctrl"), effort=_range(c, i, "force")
    )


def _shifted(factors: Vector, at: float) -> tuple[float, float, float]:
    """[1, l, l̇] for a length l that is `at` less than MuJoCo's."""
    return float(factors[0] + factors[1] * at), float(factors[1]), float(factors[2])


def _range(c: Context, i: int, what: str) -> tuple[float, float] | None:
    if not c.model[f"actuator_{what}limited"][i]:
        return None
    low, high = (float(v) for v in c.model[f"actuator_{what}range"][i])
    return low, high
