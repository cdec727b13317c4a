"""What the terminal and JSON say of redundant mates along a motion."""

from __future__ import annotations

import math
from typing import Any

from cadbridge.report.misfit import plain_force
from cadbridge.report.terminal import PIPED, plain_table, wrapped
from cadbridge.report.views.numbers import figure
from cadbridge.sweeps.fits import Along
from cadbridge.wording import count, listed


def along_document(along: Along) -> dict[str, Any]:
    """The key `along` of `cadbridge.fit/1`: values in degrees or mm, play in mm."""
    return {
        "joint": along.joint.name,
        "unit": _unit(along),
        "first": along.first,
        "stopped": along.stopped,
        "poses": [
            {"value": _shown(along, value), "redundant": f.redundant, "play_mm": f.play * 1e3, "mates": list(f.mates),
             "force": f.force, "moment": f.moment}
            for value, f in zip(along.values.tolist(), along.fits, strict=True)
        ],
    }  # fmt: skip


def along_text(along: Along, columns: int = PIPED) -> str:
    """Where it binds first, then a line for each pose."""
    first, unit = along.fits[along.first], _unit(along)
    at = f"{figure(_shown(along, float(along.values[along.first])), 3)} {unit}"
    need = f"{figure(first.play * 1e3, 3)} mm of play ({listed(first.mates, 4)})"
    if along.alike:
        answer = f"Along {along.joint.name}, all {count(len(along.fits), 'pose')} need about the same: {need}."
    else:
        least = min(f.play for f in along.fits)
        easiest = f"the easiest pose needs {figure(least * 1e3, 3)} mm"
        answer = f"Along {along.joint.name}, the mechanism binds first at {at}: it needs {need}; {easiest}."
    if along.stopped:
        answer += f" The motion stops before the ends of the range: {along.stopped}."
    rows = [
        [figure(_shown(along, value), 3), figure(f.play * 1e3, 3), plain_force(f.force), plain_force(f.moment),
         str(f.redundant)]
        for value, f in zip(along.values.tolist(), along.fits, strict=True)
    ]  # fmt: skip
    head = (f"{along.joint.name} ({unit})", "worst play mm", "force N", "moment N m", "redundant")
    table = plain_table(head, rows, columns, (True,) * 5).rstrip("\n")
    return "\n".join([*wrapped([answer], columns), "", table])


def _unit(along: Along) -> str:
    return "°" if along.joint.coordinate == "angle" else "mm"


def _shown(along: Along, value: float) -> float:
    return math.degrees(value) if along.joint.coordinate == "angle" else value * 1e3
