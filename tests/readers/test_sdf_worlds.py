"""What worlds of Gazebo bring with them (a light, a floor, xacro), and a ball that spins about three axes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.diagnosis import diagnose
from cadbridge.findings import Severity
from cadbridge.mechanism import build
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from cadbridge.report import check_document, check_text
from tests.readers.test_sdf import ARM, INERTIAL, _codes, _read

FLOOR = """<link name="link"><collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>
</link>"""


def test_the_light_and_the_floor_of_gazebo_need_no_folder(tmp_path: Path) -> None:
    """Worlds name both, and only Gazebo has them: neither moves, so nothing of the mechanism is missing."""
    fuel = "https://fuel.gazebosim.org/1.0/OpenRobotics/models"
    for uri in ("model://sun", "model://ground_plane", f"{fuel}/Sun", f"{fuel}/Ground%20Plane"):
        text = ARM.replace("<model", f'<world name="w"><include><uri>{uri}</uri></include><model', 1)
        assembly = _read(tmp_path, text.replace("</sdf>", "</world></sdf>"))
        assert not [f for f in assembly.findings if f.severity is Severity.ERROR], uri
        assert any(f.code == "CB190" and uri in f.message for f in assembly.findings)


def test_another_model_that_is_missing_is_an_error(tmp_path: Path) -> None:
    text = ARM.replace("<model", '<world name="w"><include><uri>model://table</uri></include><model', 1)
    assert "CB106" in _codes(_read(tmp_path, text.replace("</sdf>", "</world></sdf>")))


@pytest.mark.parametrize("static", [True, False])
def test_a_floor_that_stands_needs_no_mass_and_no_closed_shape(static: bool, tmp_path: Path) -> None:
    text = f'<sdf version="1.9"><model name="floor"><static>{str(static).lower()}</static>{FLOOR}</model></sdf>'
    told = _codes(_read(tmp_path, text)) & {"CB193", "CB1424"}
    assert told == (set() if static else {"CB193", "CB1424"})


def test_an_sdf_in_xacro_is_expanded(tmp_path: Path) -> None:
    (tmp_path / "wheel.include").write_text(
        '<sdf xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="wheel" params="name mass">'
        '<link name="${name}"><inertial><mass>${2*mass}</mass></inertial></link></xacro:macro></sdf>'
    )
    source = tmp_path / "cart.sdf.xacro"
    source.write_text(
        '<sdf version="1.9" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="wheel.include"/>'
        '<xacro:arg name="mass" default="1"/><model name="cart"><xacro:wheel name="left" mass="$(arg mass)"/>'
        '<xacro:wheel name="right" mass="3"/></model></sdf>'
    )
    assembly = read(source, options=ReadOptions(arguments=(("mass", "5"),)))
    assert {p.name: p.declared.mass for p in assembly.parts if p.declared} == {"left": 10.0, "right": 6.0}
    assert "CB197" in _codes(assembly)
    assert not _codes(assembly) & {"CB113", "CB1423"}


def test_a_ball_that_spins_about_three_axes_is_told_once(tmp_path: Path) -> None:
    ball = f"""<link name="base">{INERTIAL}</link><link name="ball"><inertial><mass>1</mass></inertial>
      <visual name="v"><geometry><sphere><radius>0.1</radius></sphere></geometry></visual></link>
    <joint name="floor" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="socket" type="ball"><parent>base</parent><child>ball</child></joint>"""
    (tmp_path / "ball.sdf").write_text(f'<sdf version="1.9"><model name="m">{ball}</model></sdf>')
    mechanism = build(read(tmp_path / "ball.sdf"))
    text = check_text(mechanism, check_document(mechanism, diagnose(mechanism)))
    assert "1 body only spins about its own axes: ball" in text


@pytest.mark.parametrize("static", [False, True])
def test_what_the_format_gives_is_not_held_against_the_shape(tmp_path: Path, static: bool) -> None:
    """Links without <inertial> declare nothing: "declares 1 kg: a density of 8 kg/m³ (g for kg?)" was said of them."""
    box = "<geometry><box><size>0.5 0.5 0.{}</size></box></geometry>"
    link = f'<link name="l"><collision name="c">{box}</collision></link>'
    models = "".join(
        f'<model name="m{i}"><static>{str(static).lower()}</static>{link.format(i)}</model>' for i in range(1, 6)
    )
    mechanism = build(_read(tmp_path, f'<sdf version="1.9"><world name="w">{models}</world></sdf>'))
    found = {f.code for f in (*mechanism.assembly.findings, *mechanism.findings)}
    assert found & {"CB307", "CB318", "CB319"} == set()
    assert ("CB1424" in found) is not static
