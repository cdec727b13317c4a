"""Exports of a model of which nothing moves: what stands is compared, and nothing is called the same untested."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.exporters import urdf
from cadbridge.mechanism import Mechanism
from cadbridge.verification import verify

MASS = (
    '<inertial><origin xyz="0.1 0 0"/><mass value="{}"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
STAND = (
    f'<robot name="stand"><link name="foot">{MASS.format(2)}</link><link name="plate">{MASS.format(1)}</link>'
    '<joint name="j" type="fixed"><origin xyz="0 0 1"/><parent link="foot"/><child link="plate"/></joint></robot>'
)
LINK = '<link name="{0}"><pose>{1} 0 0 0</pose><inertial><mass>1</mass></inertial></link>'
HINGE = (
    '<joint name="{0}" type="revolute"><pose>{1} 0 0 0 0</pose><parent>{2}</parent><child>{3}</child>'
    "<axis><xyz>0 0 1</xyz></axis></joint>"
)
TRUSS = (
    f'<sdf version="1.9"><model name="truss">{LINK.format("a", "0.5 0 0")}{LINK.format("b", "0.5 0.5 0")}'
    f"{HINGE.format('first', '-0.5 0', 'world', 'a')}{HINGE.format('tip', '0.5 -0.5', 'a', 'b')}"
    f"{HINGE.format('last', '-0.5 0.5', 'world', 'b')}</model></sdf>"
)


@pytest.fixture
def stand(tmp_path: Path) -> Path:
    (path := tmp_path / "stand.urdf").write_text(STAND)
    return path


@pytest.mark.parametrize("to", ["mjcf", "urdf", "sdf", "ros2"])
def test_a_stand_is_compared_at_rest(to: str, stand: Path) -> None:
    result = verify(cb.build(cb.read(stand)), to)
    assert (result.verdict, result.links, [f.code for f in result.findings]) == ("at rest", 1, [])
    assert max(result.mass, result.centre, result.inertia, result.pose) < 1e-9
    assert result.passed
    assert "masses" in result.compared


@pytest.mark.parametrize("to", ["usd", "fmu"])
def test_where_the_ground_is_no_body_nothing_is_called_the_same(
    to: str, stand: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(stand), "--to", to]) == 1
    said = capsys.readouterr()
    assert "not tested: no joint moves, and" in said.out
    assert "masses" not in said.out.partition("compared:")[2]
    assert "CB538" in said.err


def test_a_stage_without_a_body_is_not_given_to_newton(stand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With Newton installed the export was said to be one that cannot be loaded (CB1489)."""
    monkeypatch.setattr("cadbridge.verification.newton.find_spec", lambda _: True)
    result = verify(cb.build(cb.read(stand)), "usd")
    assert (result.engine, [f.code for f in result.findings]) == ("OpenUSD", ["CB538"])


def test_a_wrong_mass_is_found_at_rest(stand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = urdf.contents

    def heavier(mechanism: Mechanism, *rest: object) -> dict[str, bytes]:
        mass = mechanism.ground.mass
        assert mass is not None
        ground = replace(mechanism.ground, mass=replace(mass, mass=1.01 * mass.mass))
        return honest(replace(mechanism, ground=ground), *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(urdf, "contents", heavier)
    result = verify(cb.build(cb.read(stand)), "urdf")
    assert [f.code for f in result.findings] == ["CB530"]
    assert not result.passed


def test_what_a_loop_holds_stands_in_the_engine_too(tmp_path: Path) -> None:
    (path := tmp_path / "truss.sdf").write_text(TRUSS)
    mechanism = cb.build(cb.read(path))
    in_mujoco, in_pinocchio = (verify(mechanism, to, duration=0.2) for to in ("mjcf", "urdf"))
    assert in_mujoco.swing is not None
    assert in_mujoco.swing < 1e-9
    assert [f.code for f in in_mujoco.findings] == ["CB539"]
    assert [f.code for f in in_pinocchio.findings] == ["CB538"]  # its loop is open


def test_of_a_body_that_only_floats_no_other_format_is_recommended(tmp_path: Path) -> None:
    """The cure named mjcf, of an export to mjcf."""
    (path := tmp_path / "box.sdf").write_text(
        f'<sdf version="1.9"><model name="box">{LINK.format("a", "0 0 1")}</model></sdf>'
    )
    (finding,) = verify(cb.build(cb.read(path)), "mjcf").findings
    assert finding.code == "CB538"
    assert "mjcf" not in finding.hint
    assert "masses and poses" in finding.hint
