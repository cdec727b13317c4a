"""Colours that are none are told, in every format that writes them as numbers: they vanished without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.reading import read

URDF = """<robot name="r"><material name="m"><color rgba="{0}"/></material>
<link name="a"><visual><geometry><sphere radius="1"/></geometry><material name="m"/></visual></link>
<link name="b"><visual><geometry><sphere radius="1"/></geometry><material name="n"><color rgba="{0}"/></material>
</visual></link></robot>"""
SDF = """<sdf version="1.9"><model name="r"><link name="a"><visual name="v"><geometry><sphere>
<radius>1</radius></sphere></geometry><material><diffuse>{0}</diffuse></material></visual></link></model></sdf>"""
MJCF = """<mujoco><worldbody><body name="a"><geom type="sphere" size="1" rgba="{0}"/></body></worldbody></mujoco>"""
FORMS = {"urdf": URDF, "sdf": SDF, "xml": MJCF}


@pytest.mark.parametrize(
    ("ending", "colour", "kept", "told"),
    [
        ("urdf", "red", None, "its colour is 'red', not four numbers from 0 to 1; it is left out"),
        ("urdf", "1e300 0 0 1", None, "not four numbers from 0 to 1; it is left out"),
        ("urdf", "1 0 0", None, "not four numbers"),
        ("urdf", "255 0 0 1", (1, 0, 0, 1), "not numbers from 0 to 1; 1 0 0 1 is taken"),
        ("urdf", "0.2 0 0 1", (0.2, 0, 0, 1), ""),
        ("sdf", "red", None, "not three or four numbers"),
        ("sdf", "1 0 -3 1", (1, 0, 0, 1), "1 0 0 1 is taken"),
        ("sdf", "1 0.5 0", (1, 0.5, 0, 1), ""),
        ("xml", "128 0 0 1", (1, 0, 0, 1), "1 0 0 1 is taken"),
        ("xml", "0.5 0 0 1", (0.5, 0, 0, 1), ""),
    ],
)  # fmt: skip
def test_a_colour_that_is_none_is_told_once(
    ending: str, colour: str, kept: tuple[float, ...] | None, told: str, tmp_path: Path
) -> None:
    file = tmp_path / f"r.{ending}"
    file.write_text(FORMS[ending].format(colour), encoding="utf-8")
    assembly = read(file)
    messages = [f.message for f in assembly.findings if f.code == "CB1320"]
    assert [told in message for message in messages] == [True] * bool(told)
    assert {part.colour for part in assembly.parts} == {kept}
