"""Contact is spoken of only where MuJoCo would let geoms touch."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.simulation import Scenario, simulate

GEOM = '<geom type="box" size=".1 .05 .2"{}/>'
ARM = """<mujoco>{option}<worldbody>{world}<body name="a"><joint axis="0 1 0"/>{own}<body name="b" pos="1 0 0">
  <joint axis="0 1 0"/>{own}{last}</body></body></worldbody>{pairs}</mujoco>"""
FLOOR = '<geom type="plane" size="1 1 1" pos="0 0 -3"/>'
TIP = f'<body name="c" pos="1 0 0"><joint axis="0 1 0"/>{GEOM.format("")}</body>'

CASES = {
    "a body and its parent": ({}, False),
    "a body and its parent's parent": ({"last": TIP}, True),
    "parents touch": ({"option": '<option><flag filterparent="disable"/></option>'}, True),
    "the floor": ({"world": FLOOR}, True),
    "the floor, without contact": ({"world": FLOOR, "option": '<option><flag contact="disable"/></option>'}, False),
    "no bit in common": ({"world": FLOOR, "own": GEOM.format(' contype="2" conaffinity="2"')}, False),
    "the floor's bit alone": ({"world": FLOOR, "own": GEOM.format(' contype="2" conaffinity="1"')}, True),
    "a pair": (
        {
            "own": GEOM.format(' contype="0" conaffinity="0"'),
            "world": FLOOR.replace("<geom", '<geom name="f" contype="0" conaffinity="0"'),
            "last": '<geom name="g" type="sphere" size=".1" contype="0" conaffinity="0"/>',
            "pairs": '<contact><pair geom1="f" geom2="g"/></contact>',
        },
        True,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_contact_is_told_where_geoms_may_touch(case: str, tmp_path: Path) -> None:
    """One box on a hinge was said to pass through others."""
    given, told = CASES[case]
    path = tmp_path / "arm.xml"
    parts = {"option": "", "world": "", "own": GEOM.format(""), "last": "", "pairs": ""} | given
    path.write_text(ARM.format(**parts), encoding="utf-8")
    run = simulate(cb.build(cb.read(path)), Scenario(duration=0.001))
    assert ("CB643" in {f.code for f in run.findings}) is told
