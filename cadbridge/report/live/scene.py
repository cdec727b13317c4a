"""What the live view shows beside the bodies: names in the tree, values of joints that follow, a picture to keep."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cadbridge.frames import Pose
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.report.html import el, join
from cadbridge.report.views.numbers import figure
from cadbridge.report.views.tables import reduction
from cadbridge.visible import visible

if TYPE_CHECKING:
    from cadbridge.simulation.posing import Mover

MOST_VALUES = 40
"""Joints whose values stand in the panel."""
PICTURE = (1080, 1920)
"""Height and width in pixels of the picture that is saved."""


def node_name(name: str) -> str:
    """A name as one level of the scene's tree, whose levels a slash parts."""
    return visible(name).replace("/", "∕") or "?"


def scene_names(mechanism: Mechanism) -> list[str]:
    """A level of the tree for each body, no two alike and none that of the ground."""
    taken = {"ground"}
    found = []
    for k, body in enumerate(mechanism.bodies):
        name = node_name(body.name)
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
    mechanism: Mechanism, poses: Sequence[Pose], led: Collection[str], ratios: Mapping[str, str]
) -> str:
    """Where the joints without a slider are, as a table: turns within ±180°, slides in mm; with their reductions."""
    own = [joint for joint in mechanism.joints if joint.coordinate and joint.name not in led]
    if not own:
        return ""
    told = any(joint.name in ratios for joint in own)
    rows = [
        el(
            "tr",
            el("td", joint.name, style="overflow-wrap:anywhere"),
            el("td", _value(mechanism, poses, joint), align="right"),
            el("td", ratios.get(joint.name, "")) if told else None,
        )
        for joint in own[:MOST_VALUES]
    ]
    if len(own) > MOST_VALUES:
        rows.append(el("tr", el("td", f"… and {len(own) - MOST_VALUES} more")))
    heads = el("tr", [el("th", t, style="text-align:left") for t in ("joint", "at", *(("ratio",) if told else ()))])
    return str(el("table", heads, join(rows), style="font-size:0.8em;width:100%"))


def _value(mechanism: Mechanism, poses: Sequence[Pose], joint: Joint) -> str:
    X_WA = poses[joint.a] if joint.a != GROUND_BODY else mechanism.ground.X_WB
    X_WB = poses[joint.b] if joint.b != GROUND_BODY else mechanism.ground.X_WB
    X = (X_WA @ joint.X_AJ).inverse() @ (X_WB @ joint.X_BJ)
    if joint.coordinate == "distance":
        return f"{figure(1e3 * float(X.p[2]), scale=1e3 * mechanism.length_scale)} mm"
    return f"{figure(float(np.degrees(np.arctan2(X.R[1, 0], X.R[0, 0]))), scale=360.0)}°"


def text_block(text: str, code: str = "") -> str:
    """Lines for the panel that wrap; names are text, whatever is in them."""
    plain = "white-space:pre-wrap;overflow-wrap:anywhere;margin:0.3em 0.7em 0.6em;font-size:0.9em"
    said = el("div", text, style=plain)
    return str(join([said, el("code", code, style=f"{plain};display:block")] if code else [said]))


def save_picture(event: Any) -> None:
    """Send the browser that asked a PNG of what it shows."""
    from matplotlib.image import imsave

    if event.client is None:
        return
    try:
        image = event.client.get_render(*PICTURE, transport_format="png", timeout=30.0)
    except (RuntimeError, TimeoutError):
        return  # the browser was closed meanwhile
    out = io.BytesIO()
    imsave(out, np.ascontiguousarray(image), format="png")
    event.client.send_file_download("cadbridge.png", out.getvalue())
