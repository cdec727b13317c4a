"""Properties of joints by pattern: they win over the source and the file's own mates, and a stale pattern is named."""

import math
from pathlib import Path
from typing import Any

import pytest

import cadbridge as cb

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
BASE = "a: {component: Base, point: [0, 0, 0], axis: [0, 0, 1]}"
LINK = "b: {component: Link1, point: [0, 0, 0], axis: [0, 0, 1]}"
PIN = "b: {component: Pin, point: [0, 0, 0], axis: [0, 0, 1]}"
MATES = (
    f"mates:\n  - {{name: Hinge, type: revolute, {BASE}, {LINK}, damping: 1, limits: {{lower: -90, upper: 90}}}}\n"
    f"  - {{name: Slide, type: prismatic, {BASE}, {PIN}}}\n"
)


def codes(assembly: Any) -> list[str]:
    return [f.code for f in assembly.findings]


def test_the_last_line_that_fits_wins_and_what_it_does_not_say_stays(lay: Any) -> None:
    done = lay(
        MATES + 'overrides:\n  - {joints: "*", damping: 0.5, friction: 0.2, limits: {velocity: 180}}\n'
        "  - {joints: Sl?de, damping: 3, armature: 0.01, stiffness: 7, limits: {velocity: 200}}\n"
    )
    assert codes(done) == []
    hinge, slide = done.mates
    assert (hinge.damping, hinge.friction, hinge.armature) == (0.5, 0.2, 0.0)
    assert (slide.damping, slide.friction, slide.armature, slide.stiffness) == (3, 0.2, 0.01, 7)
    assert (hinge.limit.lower, hinge.limit.upper) == pytest.approx((-math.pi / 2, math.pi / 2))
    assert hinge.limit.velocity == pytest.approx(math.pi)
    assert slide.limit.velocity == pytest.approx(0.2)
    assert slide.limit.lower is None


def test_a_joint_of_several_mates_has_a_property_once(lay: Any) -> None:
    both = f"mates:\n  - {{name: A, type: insert, {BASE}, {LINK}, damping: 1}}\n"
    both += f"  - {{name: B, type: concentric, {BASE}, {LINK}, damping: 1}}\n"
    done = lay(both + "joints: {A1: {mates: [A, B]}}\noverrides: [{joints: A1, damping: 0.25}]\n")
    assert codes(done) == []
    assert [mate.damping for mate in done.mates] == [0.25, 0.0]


def test_a_new_name_holds_in_the_rest_of_the_file(lay: Any) -> None:
    done = lay(MATES + "overrides: [{joints: Hin*, rename: A1}]\nhome: {A1: 90}\ndrives: [{name: M, joint: A1}]\n")
    assert codes(done) == []
    assert done.joint_names == {"Hinge": "A1"}
    assert done.home == pytest.approx({"A1": math.pi / 2})
    assert done.drives[0].joint == "A1"


def test_a_stale_pattern_and_a_name_for_two_are_told_with_their_lines(lay: Any) -> None:
    done = lay(
        MATES + "overrides:\n  - {joints: Hnge, damping: 2}\n"
        '  - {joints: "*", rename: A1}\n  - {joints: Hinge, rename: Slide}\n'
    )
    assert codes(done) == ["CB151", "CB155", "CB155"]
    stale, several, taken = done.findings
    assert "'Hnge'" in stale.message
    assert "Hinge" in stale.message
    assert "Hinge, Slide" in several.message
    assert "another joint 'Slide'" in taken.message
    assert [f.where.line for f in done.findings] == [stale.where.line, stale.where.line + 1, stale.where.line + 2]
    assert [mate.joint_name for mate in done.mates] == [None, None]


def test_a_robot_read_again_keeps_what_was_set(tmp_path: Path) -> None:
    """The same overrides over a robot and over a later version of it."""
    text = (FIXTURES / "puma560" / "puma560.urdf").read_text("utf-8")
    mates = tmp_path / "robot.mates.yaml"
    mates.write_text('format: cadbridge.mates/1\noverrides: [{joints: "*", damping: 0.125, armature: 0.002}]\n')
    for version in (text, text.replace("<!--", "<!-- later: ")):
        robot = tmp_path / "robot.urdf"
        robot.write_text(version, encoding="utf-8")
        assembly = cb.read(robot, mates=mates)
        assert not [f for f in assembly.findings if f.severity == "error"]
        mechanism = cb.build(assembly)
        assert {joint.damping for joint in mechanism.joints} == {0.125}
        assert {joint.armature for joint in mechanism.joints} == {0.002}


FLOATING = """<robot name="r"><link name="base"/><link name="rod"/>
<joint name="loose" type="floating"><parent link="base"/><child link="rod"/></joint></robot>"""


@pytest.mark.parametrize(("type_", "unit"), [("revolute", math.pi / 180), ("prismatic", 1e-3)])
def test_limits_of_a_floating_joint_are_of_what_its_mates_leave(type_: str, unit: float, tmp_path: Path) -> None:
    """By the name that the URDF gives it, degrees were taken as radians, and mm as metres (CB159)."""
    robot, mates = tmp_path / "robot.urdf", tmp_path / "robot.mates.yaml"
    robot.write_text(FLOATING, encoding="utf-8")
    mates.write_text(
        "format: cadbridge.mates/1\nground: [base]\nmates:\n"
        f"  - {{name: C, type: {type_}, b: {{component: base}}, "
        "a: {component: rod, point: [0, 0, 50], axis: [0, 0, 1]}}"
        "\noverrides: [{joints: loose, limits: {lower: -10, upper: 60}}]\nhome: {loose: 20}\n"
    )
    assembly = cb.read(robot, mates=mates)
    assert "CB159" not in codes(assembly)
    assert assembly.home == {"loose": pytest.approx(20 * unit)}
    (joint,) = cb.build(assembly).joints
    assert joint.limit is not None
    assert (joint.limit.lower, joint.limit.upper) == pytest.approx((-10 * unit, 60 * unit))


def test_a_pattern_of_many_stars_ends() -> None:
    """A regular expression of .* would take longer than anybody lives."""
    from cadbridge.readers.mates_file.draft import wildcard

    assert not wildcard("*a" * 40 + "*b")("a" * 5000)
    assert wildcard("*a" * 40 + "*b")("a" * 5000 + "b")
    assert wildcard("A[1]*?")("A[1]xy")
    assert not wildcard("A[1]")("A1")
    assert not wildcard("a*")("Ab")
    assert wildcard("a*c")("a\nb\nc")
