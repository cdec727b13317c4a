"""What only an MJCF holds, as plain data in `Assembly.extra["mjcf"]`: an export to MJCF puts it back.

`cadbridge.mjcf_data` holds its form: runs, exports and comparisons read it there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cadbridge.findings import Where
from cadbridge.mjcf_data import Tendon
from cadbridge.readers.mjcf.actuators import activation, drive_names, law_of_tendon
from cadbridge.readers.mjcf.context import Context, listed
from cadbridge.readers.mjcf.joints import BALL, FREE, HINGE, SLIDE
from cadbridge.readers.mjcf.tendons import reference_length, sum_of
from cadbridge.wording import count

_POWERS = {"stiffness": ("jnt_stiffness", "jnt_stiffnesspoly"), "damping": ("dof_damping", "dof_dampingpoly")}
_OF_KEYS = {"qvel": "velocities", "act": "activations", "ctrl": "controls", "time": "times"}
_OF_TENDON = {"stiffness": "stiffnesspoly", "damping": "dampingpoly", "frictionloss": "", "armature": ""}


def read_kept(c: Context) -> dict[str, Any]:
    """The data, with a finding for each that acts (CB1246, CB1265) and one for named poses (CB1247)."""
    tendons = {i: found for i in range(len(c.model["tendons"])) if (found := _tendon(c, i)) is not None}
    kept: dict[str, Any] = {
        "medium": _medium(c),
        "joints": _powers(c),
        "tendons": [t for _, t in sorted(tendons.items())],
        "actuators": _tendon_actuators(c, tendons),
        "activations": _activations(c),
        "keys": _keys(c),
    }
    _report(c, kept)
    return {what: data for what, data in kept.items() if data}


def _report(c: Context, kept: dict[str, Any]) -> None:
    where = Where(str(c.path))
    tendons = [Tendon(**t) for t in kept["tendons"]]
    here = "runs simulate, and exports to MJCF and FMU alone keep,"
    for code, what, names in (
        ("CB1246", "springs and damping by powers", list(kept["joints"])),
        *(("CB1246", f"the {word} of fixed tendons", names) for word, names in _left_out(tendons).items()),
        ("CB1265", f"{here} what acts along fixed tendons", [t.name for t in tendons if t.acts]),
        ("CB1265", f"{here} actuators of fixed tendons", [a["name"] for a in kept["actuators"]]),
        ("CB1265", f"{here} activation dynamics of actuators", list(kept["activations"])),
    ):
        if names:
            c.findings.add(code, f"{what}: {listed(names)}", where, items=names)
    if kept["medium"]:
        c.findings.add("CB1246", _medium_text(c, kept["medium"]), where)
    poses = [key["name"] for key in kept["keys"] if key["name"] != "home"]
    if poses:
        c.findings.add(
            "CB1247",
            f"{count(len(poses), 'named pose is', 'named poses are')} kept for an export: {listed(poses)}",
            where,
            items=poses,
        )
    more = [w for what, w in _OF_KEYS.items() if np.any(c.model[f"key_{what}"])]
    if more:
        c.findings.add("CB1256", f"keyframes are read without their {', '.join(more)}", where)


def _left_out(tendons: list[Tendon]) -> dict[str, list[str]]:
    """What runs leave out of tendons → their names."""
    found: dict[str, list[str]] = {}
    for tendon in tendons:
        for word in tendon.left_out:
            found.setdefault(word, []).append(tendon.name)
    return found


# --- the medium ---


def _medium(c: Context) -> dict[str, list[float]]:
    options = c.model["options"]
    if not (options.get("density", 0.0) or options.get("viscosity", 0.0)):
        return {}
    return {
        what: np.ravel(options[what]).tolist() for what in ("density", "viscosity", "wind") if np.any(options[what])
    }


def _medium_text(c: Context, medium: dict[str, list[float]]) -> str:
    units = {"density": "kg/m³", "viscosity": "Pa s", "wind": "m/s"}
    message = ", ".join(f"{what} {' '.join(f'{v:g}' for v in medium[what])} {units[what]}" for what in medium)
    heavy = np.flatnonzero((c.model["body_jntnum"] == 0) & (c.model["body_mass"] > 0) & (c.model["body_weldid"] != 0))
    fixed = [c.bodies[int(i)] for i in heavy]
    together = f"; fixed bodies are dragged with what bears them: {listed(fixed)}" if fixed else ""
    return f"only an export to MJCF keeps the drag of a medium of {message}{together}"


# --- joints ---


def _powers(c: Context) -> dict[str, dict[str, list[float]]]:
    """By joint, the coefficients of springs and dampers that are not linear."""
    m = c.model
    found: dict[str, dict[str, list[float]]] = {}
    for joint, name in enumerate(c.joints):
        for what, (first, others) in _POWERS.items():
            at = joint if what == "stiffness" else int(m["jnt_dofadr"][joint])
            if others in m and np.any(m[others][at]):
                found.setdefault(name, {})[what] = [float(np.ravel(m[first][at])[0]), *m[others][at].tolist()]
    return found


# --- tendons ---


def _tendon(c: Context, i: int) -> dict[str, Any] | None:
    """A fixed tendon; None for another."""
    m, joints = c.model, sum_of(c, i)
    if joints is None:
        return None
    zero = reference_length(c, joints)
    values: dict[str, list[float]] = {}
    for what, others in _OF_TENDON.items():
        value = [*np.ravel(m[f"tendon_{what}"][i])[:1].tolist(), *_others(c, others, i)]
        if any(value):
            values[what] = value
    if "stiffness" in values:
        # An export counts joints from the designed pose, so lengths are kept from there as well.
        values["springlength"] = (m["tendon_lengthspring"][i] - zero).tolist()
    if m["tendon_limited"][i]:
        values["range"] = (m["tendon_range"][i] - zero).tolist()
    if m["tendon_actfrclimited"][i]:
        values["actuatorfrcrange"] = m["tendon_actfrcrange"][i].tolist()
    named = [[c.joints[j], factor] for j, factor in joints]
    return {"name": m["tendons"][i] or f"tendon {i + 1}", "joints": named, "values": values}


def _others(c: Context, what: str, i: int) -> list[float]:
    """The coefficients of higher powers, where there are any."""
    values = c.model.get(f"tendon_{what}")
    return [] if values is None or not np.any(values[i]) else [float(v) for v in values[i]]


def _tendon_actuators(c: Context, tendons: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for i, name in enumerate(drive_names(c)):
        attributes = law_of_tendon(c, i)
        if attributes is not None:
            tendon = tendons[int(c.model["actuator_trnid"][i][0])]["name"]
            found.append({"name": name, "tendon": tendon, "attributes": attributes})
    return found


def _activations(c: Context) -> dict[str, dict[str, Any]]:
    """By drive, the attributes of its activation dynamics."""
    found = {name: activation(c, i) for i, name in enumerate(drive_names(c)) if law_of_tendon(c, i) is None}
    return {name: attributes for name, attributes in found.items() if attributes}


# --- keyframes ---


def _keys(c: Context) -> list[dict[str, Any]]:
    m = c.model
    found = []
    for k, name in enumerate(m["keys"]):
        q = m["key_qpos"][k]
        key: dict[str, Any] = {"name": name or f"key {k + 1}", "joints": {}, "turns": {}, "poses": {}}
        for joint, kind in enumerate(m["jnt_type"]):
            at = int(m["jnt_qposadr"][joint])
            if int(kind) in (SLIDE, HINGE):
                # From the designed pose, in which an export has all coordinates at 0.
                key["joints"][c.joints[joint]] = float(q[at] - m["qpos0"][at])
            elif int(kind) == BALL:
                key["turns"][c.joints[joint]] = q[at : at + 4].tolist()
            elif int(kind) == FREE:
                key["poses"][c.bodies[int(m["jnt_bodyid"][joint])]] = q[at : at + 7].tolist()
        found.append(key)
    return found
