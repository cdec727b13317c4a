"""Names that no target holds as they are: other letters, spaces, leading digits, alike after cleaning, very long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.exporters import ExportOptions
from cadbridge.exporters.sidecars import LOSSES

NAMES = ("1 base", "Основа", "a b", "a-b", "a_b", "class", "世界", "x" * 300, "&quot;&lt;o")
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
BOX = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'


def robot() -> str:
    links = "".join(f'<link name="{name}">{INERTIAL}{BOX}</link>' for name in NAMES)
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{NAMES[0]}"/><child link="{name}"/></joint>'
        for name in NAMES[1:]
    )
    return f'<robot name="7 Роб/от">{links}{joints}</robot>'


@pytest.mark.parametrize("to", ["urdf", "ros2", "mjcf", "sdf", "usd", "fmu", "json", "glb"])
def test_every_export_takes_any_name_and_says_which_it_changed(to: str, tmp_path: Path) -> None:
    source = tmp_path / "7 Роб.urdf"
    source.write_text(robot(), encoding="utf-8")
    result = cb.export(cb.build(cb.read(source)), tmp_path / "out", to=to, options=ExportOptions(poses=0))
    written = json.loads((tmp_path / "out" / LOSSES).read_text("utf-8"))["names"]
    assert ("CB510" in {f.code for f in result.findings}) == (to not in ("json", "glb"))
    for kind in written.values():
        assert len(set(kind)) == len(kind)
    if "joints" in written:
        assert set(NAMES[1:-1]) < set(written["joints"].values())
        assert all(name.isascii() and name.isidentifier() for name in written["joints"])
