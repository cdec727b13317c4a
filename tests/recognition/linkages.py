"""Linkages of bars and pins, as STEP files."""

from __future__ import annotations

import math
from pathlib import Path

from tests.late import cq
from tests.recognition.solids import drawn_once

GROUND, CRANK, COUPLER, ROCKER = 100.0, 30.0, 90.0, 60.0
"""mm between the pins of the bars of `four_bar`: the crank turns round."""


@drawn_once
def bar(length: float, thick: float = 6.0) -> cq.Workplane:
    """A bar from the origin along x, with a hole of 8 mm at each end."""
    made = cq.Workplane().box(length + 20, 16, thick, centered=(False, True, False)).translate((-10, 0, 0))
    for x in (0.0, length):
        made = made.cut(cq.Workplane().center(x, 0).circle(4).extrude(thick))
    return made


@drawn_once
def pin(length: float) -> cq.Workplane:
    """A pin along z from the origin, for the holes of `bar`."""
    return cq.Workplane().circle(3.98).extrude(length)


def four_bar(file: Path, crank: float = 70.0, coupler: float = COUPLER) -> Path:
    """Bars base, crank, coupler and rocker on pins A to D, the crank at an angle (degrees) to the base."""
    turn = math.radians(crank)
    tip = (CRANK * math.cos(turn), CRANK * math.sin(turn))
    across, up = GROUND - tip[0], -tip[1]
    far = math.hypot(across, up)
    inner = math.acos(min(1.0, max(-1.0, (coupler**2 + far**2 - ROCKER**2) / (2 * coupler * far))))
    way = math.atan2(up, across) + inner
    end = (tip[0] + coupler * math.cos(way), tip[1] + coupler * math.sin(way))
    made = cq.Assembly(name="four_bar")
    for name, shape, (x, y), z, angle in (
        ("base", bar(GROUND), (0.0, 0.0), 0.0, 0.0),
        ("crank", bar(CRANK), (0.0, 0.0), 6.0, turn),
        ("coupler", bar(coupler), tip, 12.0, way),
        ("rocker", bar(ROCKER), (GROUND, 0.0), 6.0, math.atan2(end[1], end[0] - GROUND)),
        ("pin_A", pin(12), (0.0, 0.0), 0.0, 0.0),
        ("pin_D", pin(12), (GROUND, 0.0), 0.0, 0.0),
        ("pin_B", pin(12), tip, 6.0, 0.0),
        ("pin_C", pin(12), end, 6.0, 0.0),
    ):
        made.add(shape, name=name, loc=cq.Location((x, y, z), (0, 0, 1), math.degrees(angle)))
    made.export(str(file))
    return file
