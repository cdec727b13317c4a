"""Changes of a run in the live view, as rows and in words, and places in the words of a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cadbridge.frames import Pose, Vector
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.report.html import el
from cadbridge.report.views.numbers import figure
from cadbridge.simulation.interactive import AppliedChange
from cadbridge.units import TO_MM
from cadbridge.visible import visible
from cadbridge.wording import count

GROUND = "ground"


def changes_table(events: Sequence[AppliedChange]) -> str:
    """Time, change, freedoms and rows too many afterwards, and what an impact took."""
    if not events:
        return ""
    heads = el("tr", [el("th", t, scope="col") for t in ("t (s)", "change", "freedoms", "impact")])
    rows = []
    for e in events:
        impact = f"{figure(e.changed.size[0], 3)} N s, {figure(e.changed.lost, 3)} J" if any(e.changed.size) else "–"
        dof = "–" if e.dof is None else str(e.dof)
        cells = (f"{e.changed.t:.3f}", visible(e.spec.title), dof, impact)
        rows.append(el("tr", [el("td", cell, class_="long" if k == 1 else None) for k, cell in enumerate(cells)]))
    return str(el("table", el("thead", heads), el("tbody", rows)))


def attached(events: Sequence[AppliedChange]) -> list[str]:
    """What is attached by hand and can be detached: names of new attachments that were not taken off since."""
    found: dict[str, None] = {}
    for e in events:
        if e.spec.points is not None or e.spec.bodies is not None:
            found[e.spec.name] = None
        elif e.spec.verb in ("release", "unlock"):
            found.pop(e.spec.name, None)
    return list(found)


def words_of(events: Sequence[AppliedChange]) -> str:
    """What the last change did, in words."""
    event = events[-1]
    changed, before = event.changed, (events[-2].redundant if len(events) > 1 else 0) or 0
    lines = [f"{event.spec.title} at t = {changed.t:.3f} s."]
    if event.dof is not None:
        freedoms = count(event.dof, "degree of freedom", "degrees of freedom")
        lines.append(f"It moves with {freedoms} now." if event.dof else "Nothing can move now.")
    more = (event.redundant or 0) - before
    if more > 0:
        lines.append(f"{count(more, 'equation')} more than needed hold it: harmless to the motion, forces are shared.")
    if any(changed.size):
        force, moment = (figure(s, 3) for s in changed.size)
        lines.append(
            f"Rates jumped: an impulse of {force} N s and {moment} N m s; {figure(changed.lost, 3)} J were lost."
        )
    return "\n".join(lines)


def _component(mechanism: Mechanism, poses: Sequence[Pose], name: str) -> Pose:
    """X_WC of a component where the bodies are."""
    body = mechanism.body_of.get(name, GROUND_BODY)
    if name == GROUND or body == GROUND_BODY:
        return Pose()
    return poses[body] @ mechanism.bodies[body].X_WB.inverse() @ mechanism.assembly.component(name).X_WC


def place_in(mechanism: Mechanism, poses: Sequence[Pose], component: str, at: Vector) -> dict[str, Any]:
    """A point of the world as one of a component, in a scenario's words (mm)."""
    point = _component(mechanism, poses, component).inverse().point(at)
    return {"component": component, "point": [float(x) * TO_MM for x in point]}


def direction_in(mechanism: Mechanism, poses: Sequence[Pose], component: str, axis: Vector) -> list[float]:
    """A direction of the world in the frame of a component."""
    return [float(x) for x in _component(mechanism, poses, component).inverse().vector(axis)]
