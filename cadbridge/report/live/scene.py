"""What the live view writes: names of bodies, values of joints that follow."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cadbridge.frames import Pose
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.report.html import el, join
from cadbridge.report.views.numbers import figure
from cadbridge.report.views.tables import reduction
from cadbridge.units import TO_MM
from cadbridge.visible import visible

if TYPE_CHECKING:
    from cadbridge.simulation.posing import Mover

MOST_VALUES = 40
"""Joints whose values stand in the panel."""


def body_names(mechanism: Mechanism) -> list[str]:
    """A name for each body, no two alike and none that of the ground."""
    taken = {"ground"}
    found = []
    for k, body in enumerate(mechanism.bodies):
        name = visible(body.name)
        if name in taken:
            name = f"{name} ({k})"
        taken.add(name)
        found.append(name)
    return found


def ratio_words(mover: Mover) -> dict[str, str]:
    """Of joints that follow one joint with a slider by gears their reduction from it: "A1 80 : 1, reversed"."""
    if not mover.mechanism.couplings or len(mover.joints) > MOST_VALUES:
        return {}
    return {name: f"{leader} {reduction(ratio)}" for name, (leader, ratio) in mover.ratios().items()}


def dependent_values(
    mechanism: Mechanism, poses: Sequence[Pose], leading: Collection[str], ratios: Mapping[str, str]
) -> str:
    """Where the joints without a slider are, as a table: turns within ±180°, slides in mm; with their reductions."""
    own = [joint for joint in mechanism.joints if joint.coordinate and joint.name not in leading]
    if not own:
        return ""
    shown = any(joint.name in ratios for joint in own)
    rows = [
        el(
            "tr",
            el("td", joint.name, class_="long"),
            el("td", _value(mechanism, poses, joint), class_="n"),
            el("td", ratios.get(joint.name, "")) if shown else None,
        )
        for joint in own[:MOST_VALUES]
    ]
    if len(own) > MOST_VALUES:
        rows.append(el("tr", el("td", f"… and {len(own) - MOST_VALUES} more", colspan=2)))
    heads = el("tr", [el("th", t, scope="col") for t in ("joint", "at", *(("ratio",) if shown else ()))])
    return str(el("table", el("thead", heads), el("tbody", rows)))


def _value(mechanism: Mechanism, poses: Sequence[Pose], joint: Joint) -> str:
    value = joint_value(mechanism, poses, joint)
    if joint.coordinate == "distance":
        return f"{figure(value, scale=TO_MM * mechanism.length_scale)} mm"
    # Rounding beside a whole turn is 0.
    return f"{figure(value, scale=360.0)}°"


def joint_value(mechanism: Mechanism, poses: Sequence[Pose], joint: Joint) -> float:
    """Where a joint is: degrees within ±180, or mm along its axis."""
    X_WA = poses[joint.a] if joint.a != GROUND_BODY else mechanism.ground.X_WB
    X_WB = poses[joint.b] if joint.b != GROUND_BODY else mechanism.ground.X_WB
    X = (X_WA @ joint.X_AJ).inverse() @ (X_WB @ joint.X_BJ)
    return (
        TO_MM * float(X.p[2]) if joint.coordinate == "distance" else float(np.degrees(np.arctan2(X.R[1, 0], X.R[0, 0])))
    )


def text_block(text: str, code: str = "") -> str:
    """Lines for the panel that wrap; names are text, whatever is in them."""
    paragraph = el("p", text, class_="lines")
    return str(join([paragraph, el("code", code, class_="lines")] if code else [paragraph]))
