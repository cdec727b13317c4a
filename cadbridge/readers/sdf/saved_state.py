"""The <state> of a world that a simulator saved: where models stood then, beside where their elements place them."""

from __future__ import annotations

import math

import numpy as np

from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.readers.sdf.context import Context
from cadbridge.readers.sdf.frames import Scope, UnresolvedError
from cadbridge.readers.sdf.models import OF_GAZEBO, placed
from cadbridge.readers.xml import Element, child, children
from cadbridge.units import TO_MM
from cadbridge.wording import listed

SETTLED_M, SETTLED_RAD = 1e-3, math.radians(0.1)
"""What a model may stand off its element's pose and still count as there: bodies that settle on the ground sink by
tenths of a mm. A choice."""
UNREAD = "whose pose there cannot be read"


def report_state(c: Context, world: Scope) -> None:
    """CB1414 where the saved state has models elsewhere, links elsewhere in their models, or models that are not here.

    Only the first state counts. One that agrees stays among what was not read (CB190).
    """
    state = child(world.element, "state")
    if state is None:
        return
    said: dict[str, str] = {}
    for model in children(state, "model"):
        name = (model.get("name") or "").strip()
        if (scope := world.nested.get(name)) is None:
            if name not in OF_GAZEBO:
                said[name] = f"{name} (not among the world's models)"
        elif text := _moved(c, world, scope, model, name):
            said[name] = text
    if said:
        c.unread.subtract(("state",))
        text = "the saved <state> has models elsewhere than the world's own elements, which are read"
        c.say("CB1414", f"{text}: {listed([*said.values()])}", state)


def _moved(c: Context, world: Scope, scope: Scope, model: Element, name: str) -> str:
    """How far a model stands off in the state, or which of its links do within it; "" where none does."""
    try:
        here, there = placed(world, name), _pose(c, model, name)
        if there is None:
            return f"{name} ({UNREAD})"
        if child(model, "pose") is not None and (apart := _apart(here, there)):
            return f"{name} ({apart})"
        for link in children(model, "link"):
            own = (link.get("name") or "").strip()
            if own not in scope.entries or child(link, "pose") is None:
                continue
            X_ML, said = here.inverse() @ placed(scope, own), _pose(c, link, own)
            if said is None:
                return f"{own} of {name} ({UNREAD})"
            # Simulators write the link's pose in the world, where the format has it in the model.
            if _apart(X_ML, said) and (apart := _apart(X_ML, there.inverse() @ said)):
                return f"{own} of {name} ({apart})"
    except UnresolvedError:
        return ""  # told where the model is read
    return ""


def _pose(c: Context, element: Element, item: str) -> Pose | None:
    """The pose that the state gives a model or link; None where it is none, which is no fault of what is read."""
    findings, c.findings = c.findings, Findings()
    try:
        pose = c.pose(element, item)[0]
        return None if c.findings.errors else pose
    finally:
        c.findings = findings


def _apart(a: Pose, b: Pose) -> str:
    """How far two poses are apart, in words; "" where they are one."""
    length = float(np.linalg.norm(b.p - a.p))
    turn = math.acos(max(-1.0, min(1.0, (float(np.trace(a.R.T @ b.R)) - 1.0) / 2.0)))
    if length <= SETTLED_M and turn <= SETTLED_RAD:
        return ""
    return f"{length * TO_MM:.4g} mm, {math.degrees(turn):.3g}°"
