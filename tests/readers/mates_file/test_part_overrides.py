"""What collides and what is ignored, by pattern; and a file of overrides beside a source of any format."""

import math
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.exporters import ExportOptions

BOX = '<geometry><box size="0.2 0.1 0.1"/></geometry>'
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'


def link(name: str) -> str:
    return (
        f'<link name="{name}"><inertial><mass value="1"/>{INERTIA}</inertial>'
        f"<visual>{BOX}</visual><collision>{BOX}</collision></link>"
    )


URDF = (
    '<robot name="arm"><link name="base"/>' + link("upper") + link("fore") + link("cover")
    + '<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="1" effort="5" velocity="2"/></joint>'
    '<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="1 0 0"/>'
    '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint>'
    '<joint name="hatch" type="revolute"><parent link="upper"/><child link="cover"/><origin xyz="0 1 0"/>'
    '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>'
)  # fmt: skip
MJCF = """<mujoco model="arm"><worldbody><body name="upper"><joint name="shoulder" axis="0 0 1"/>
<geom type="box" size=".1 .05 .05" mass="1"/><body name="fore" pos="1 0 0"><joint name="elbow" axis="0 1 0"/>
<geom type="box" size=".1 .05 .05" mass="1"/></body></body></worldbody></mujoco>"""
HEAD = "format: cadbridge.mates/1\n"
LINES = HEAD + (
    "overrides:\n  - {joints: el*, damping: 0.5, limits: {lower: -30, upper: 45}, drive: {reduction: 50}}\n"
    "frames:\n  - {name: tool, component: fore, point: [100, 0, 0]}\n"
)


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    return path


def codes(assembly: Assembly) -> list[str]:
    return [f.code for f in assembly.findings]


def test_what_lies_beside_a_robot_is_over_it(arm: Path) -> None:
    before = cb.read(arm)
    (arm.parent / "arm.cadbridge.yaml").write_text(LINES)
    done = cb.read(arm)
    assert codes(done) == codes(before)
    elbow = next(m for m in done.mates if m.name == "elbow")
    assert elbow.limit is not None
    assert (elbow.damping, elbow.limit.effort, elbow.limit.lower) == (0.5, 5.0, pytest.approx(-math.pi / 6))
    assert [(d.joint, d.reduction) for d in done.drives] == [("elbow", 50.0)]
    assert {f.name for f in done.frames} - {f.name for f in before.frames} == {"tool"}
    assert "mates_file" not in done.extra


@pytest.mark.parametrize("text", [URDF, MJCF], ids=["urdf", "mjcf"])
@pytest.mark.parametrize("to", ["urdf", "ros2", "mjcf", "sdf"])
def test_they_hold_with_any_reader_and_exporter(text: str, to: str, tmp_path: Path) -> None:
    source = tmp_path / ("arm.urdf" if text is URDF else "arm.xml")
    source.write_text(text)
    (tmp_path / "arm.cadbridge.yaml").write_text(LINES)
    mechanism = cb.build(cb.read(source))
    written = cb.export(mechanism, tmp_path / "out", to=to, options=ExportOptions(poses=0)).files
    whole = "".join(p.read_text() for p in written if p.suffix in (".urdf", ".xml", ".xacro", ".sdf"))
    assert "tool" in whole
    assert "0.7853" in whole
    assert 'damping="0.5"' in whole or "<damping>0.5</damping>" in whole


def test_a_named_file_stands_in_place_of_the_one_beside(arm: Path, tmp_path: Path) -> None:
    (tmp_path / "arm.cadbridge.yaml").write_text(HEAD + "overrides: [{joints: elbow, damping: 1}]\n")
    other = tmp_path / "other.yaml"
    other.write_text(HEAD + "overrides: [{joints: elbow, damping: 2}]\n")
    done = cb.read(arm, options=cb.ReadOptions(overrides=other))
    assert next(m for m in done.mates if m.name == "elbow").damping == 2.0


def test_a_changed_source_keeps_them_and_a_stale_pattern_is_named(arm: Path) -> None:
    (arm.parent / "arm.cadbridge.yaml").write_text(LINES + "parts:\n  - {parts: kover, ignore: true}\n")
    arm.write_text(URDF.replace('xyz="1 0 0"', 'xyz="2 0 0"').replace('"hatch"', '"lid"'))
    done = cb.read(arm)
    assert next(m for m in done.mates if m.name == "elbow").damping == 0.5
    stale = [f for f in done.findings if f.code == "CB151"]
    assert ["kover" in f.message and "cover" in f.message for f in stale] == [True]
    assert stale[0].where is not None
    assert stale[0].where.line == 7


def test_parts_that_are_ignored_go_with_their_joints(arm: Path) -> None:
    (arm.parent / "arm.cadbridge.yaml").write_text(HEAD + 'parts: [{parts: "cov*", ignore: true}]\n')
    done = cb.read(arm)
    assert [m.name for m in done.mates] == ["shoulder", "elbow"]
    assert "cover" not in {c.name for c in done.components}
    (told,) = [f for f in done.findings if f.code == "CB1470"]
    assert "hatch" in told.message
    assert cb.build(done).joints[-1].name == "elbow"


@pytest.mark.parametrize(("kind", "count"), [("none", 2), ("box", 3), ("hull", 3), ("mesh", 3)])
def test_what_collides_is_said_of_each_part(arm: Path, tmp_path: Path, kind: str, count: int) -> None:
    (arm.parent / "arm.cadbridge.yaml").write_text(HEAD + f"parts: [{{parts: fore, collision: {kind}}}]\n")
    result = cb.export(cb.build(cb.read(arm)), tmp_path / "out", to="urdf")
    text = next(p for p in result.files if p.name == "arm.urdf").read_text()
    assert text.count("<collision>") == count
    assert text.count("<visual>") == 3
    assert ("<box " in text) == (kind == "box")


def test_where_nothing_collides_it_is_told(arm: Path, tmp_path: Path) -> None:
    (arm.parent / "arm.cadbridge.yaml").write_text(HEAD + "parts: [{parts: fore, collision: none}]\n")
    result = cb.export(cb.build(cb.read(arm)), tmp_path / "out", to="glb")
    assert [(f.severity, f.items) for f in result.findings if f.code == "CB526"] == [("info", ("fore",))]


def test_faults_of_the_file_are_findings(arm: Path) -> None:
    for text in ("", "[", HEAD + "parts: [{parts: fore, collision: cube}]\n", HEAD + "partz: 1\n", "format: x\n"):
        (arm.parent / "arm.cadbridge.yaml").write_text(text)
        assert any(f.severity == "error" for f in cb.read(arm).findings), text
