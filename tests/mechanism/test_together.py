"""What several mates of one joint carry: ranges meet, springs and losses add, in the joint's sense; nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cadbridge.assembly import GROUND, Assembly, Drive, Limit, Mate, MateKind
from cadbridge.diagnosis import diagnose
from cadbridge.efforts.motion import load_motion
from cadbridge.mechanism import Joint, build
from cadbridge.reading import read
from cadbridge.simulation import Scenario, load_scenario, simulate
from cadbridge.simulation.scenario import on_joints
from cadbridge.simulation.trajectory import columns_of
from tests.mechanism.building import assembly, mate

PLACES = {"door": (0.4, 0.0, 1.0)}
Z = (0.0, 0.0, 1.0)
DEGREE = np.pi / 180


def hinge(name: str, height: float, *, swapped: bool = False, down: bool = False, **carried: Any) -> Mate:
    ends = ("door", GROUND) if swapped else (GROUND, "door")
    axis = (0.0, 0.0, -1.0) if down else Z
    return replace(mate(PLACES, name, MateKind.INSERT, *ends, (0.0, 0.0, height), axis), **carried)


def door(*hinges: Mate, **more: Any) -> Assembly:
    return replace(assembly(PLACES, hinges), **more)


def the_joint(model: Assembly) -> Joint:
    mechanism = build(model)
    (joint,) = mechanism.joints
    return joint


def test_the_ranges_of_two_hinges_meet() -> None:
    bottom = hinge("bottom", 0.0, limit=Limit(-30 * DEGREE, 60 * DEGREE, velocity=2.0))
    top = hinge("top", 1.0, limit=Limit(-10 * DEGREE, 90 * DEGREE, velocity=3.0, effort=5.0))
    assert the_joint(door(bottom, top)).limit == Limit(-10 * DEGREE, 60 * DEGREE, 2.0, 5.0)
    assert the_joint(door(top, bottom)).limit == Limit(-10 * DEGREE, 60 * DEGREE, 2.0, 5.0)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("down", [False, True])
def test_a_range_counted_the_other_way_round_is_turned(swapped: bool, down: bool) -> None:
    """A hinge that names the parts in the other order, or points down, counts the same turn with the other sign."""
    bottom = hinge("bottom", 0.0, limit=Limit(-0.5, 1.0))
    top = hinge("top", 1.0, swapped=swapped, down=down, limit=Limit(-0.2, 2.0), stiffness=4.0, rest=0.3)
    joint = the_joint(door(bottom, top))
    sense = 1.0 if swapped == down else -1.0
    assert joint.limit == (Limit(-0.2, 1.0) if sense > 0 else Limit(-0.5, 0.2))
    assert (joint.stiffness, joint.rest) == pytest.approx((4.0, sense * 0.3))


@pytest.mark.parametrize("axis", [Z, (0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_mate_across_the_axis_gives_a_joint_no_sign(axis: tuple[float, ...], swapped: bool) -> None:
    """A face stands first, across a slide: the range of the slide was counted by whichever way rounding had chosen."""
    face = mate(PLACES, "face", MateKind.FLUSH, GROUND, "door", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    ends = ("door", GROUND) if swapped else (GROUND, "door")
    slide = replace(
        mate(PLACES, "slide", MateKind.PRISMATIC, *ends, (0.0, 0.0, 0.0), axis),
        limit=Limit(-0.1, 0.2), stiffness=5.0, rest=0.05,
    )  # fmt: skip
    joint = the_joint(door(face, slide))
    assert (joint.type, joint.a) == ("prismatic", -1)
    # Of the door against the ground, along the axis that the slide is given by.
    along = (-1.0 if swapped else 1.0) * float(joint.X_AJ.R[:, 2] @ np.array(axis))
    assert along == pytest.approx(1.0)
    assert joint.limit == Limit(-0.1, 0.2)
    assert joint.rest == pytest.approx(0.05)


@pytest.mark.parametrize("swapped", [False, True])
def test_what_a_mate_without_a_sense_bears_is_in_the_sense_of_the_joint(swapped: bool) -> None:
    """Overrides put a slide's range on the mate that stops its turn, whose direction is across the slide."""
    ends = ("door", GROUND) if swapped else (GROUND, "door")
    bore = mate(PLACES, "bore", MateKind.CONCENTRIC, GROUND, "door", (0.0, 0.0, 0.0), Z)
    key = mate(PLACES, "key", MateKind.PARALLEL, *ends, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    joint = the_joint(door(bore, replace(key, limit=Limit(-0.1, 0.2))))
    assert joint.type == "prismatic"
    assert joint.limit == Limit(-0.1, 0.2)


def test_axes_on_one_line_that_may_not_turn_carry_what_is_of_a_slide(tmp_path: Path) -> None:
    """A rod in a bore, its rotation locked: its limits are mm, and a coupling counts its travel."""
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    links = "".join(f'<link name="{n}"><inertial><mass value="1"/>{inertia}</inertial></link>' for n in "rw")
    joints = "".join(
        f'<joint name="j{n}" type="floating"><parent link="base"/><child link="{n}"/></joint>' for n in "rw"
    )
    (tmp_path / "u.urdf").write_text(f'<robot name="u"><link name="base"/>{links}{joints}</robot>')
    (tmp_path / "u.mates.yaml").write_text("""format: cadbridge.mates/1
mates:
  - {name: rod, type: concentric, lock_rotation: true, limits: {lower: -20, upper: 50},
     a: {component: base, point: [0, 0, 0], axis: [0, 0, 1]}, b: {component: r, point: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: wheel, type: revolute, a: {component: base, point: [0, 0, 0], axis: [1, 0, 0]}, b: {component: w}}
gears:
  - {name: spindle, type: linear, factors: {rod: 1, wheel: -0.1}}
""")
    found = build(read(tmp_path / "u.urdf"))
    assert not [f.code for f in found.findings if f.code in ("CB225", "CB159")]
    rod, wheel = (next(j for j in found.joints if name in j.mates) for name in ("rod", "wheel"))
    assert rod.type == "prismatic"
    assert rod.limit is not None
    assert (rod.limit.lower, rod.limit.upper) == pytest.approx((-0.02, 0.05))
    run = simulate(found, Scenario(duration=0.01, gravity=(0.0, 0.0, 0.0), rates={wheel.name: 1.0}))
    T = run.result.trajectory
    index = {joint.name: i for i, joint in enumerate(found.joints)}
    travel, turn = (float(T.coordinates[-1, index[j.name]]) for j in (rod, wheel))
    assert turn == pytest.approx(0.01)
    assert travel * 1e3 == pytest.approx(0.1 * np.degrees(turn))


@pytest.mark.parametrize("first", ["F", "C"])
@pytest.mark.parametrize("called", ["J", "F"])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    "law",
    ["linear, factors: {J: 1, W: -2}", "cam, driver: J, follower: W, law: [[-90, -45], [-20, -10], [10, 5], [90, 45]]"],
)
def test_a_coupling_counts_a_joint_as_what_it_is_called_by(
    law: str, swapped: bool, called: str, first: str, tmp_path: Path
) -> None:
    """J counts as its first mate does; a coupling that calls it so, or by its face, counted it as the axis does."""
    face = "{component: %s, point: [0, 0, 0], normal: [0, 0, -1]}"
    ends = ("b", "base") if swapped else ("base", "b")
    links = "".join(f'<link name="{n}"><inertial><mass>1</mass></inertial></link>' for n in ("base", "b", "w"))
    (tmp_path / "u.sdf").write_text(f'<sdf version="1.9"><model name="u">{links}</model></sdf>')
    mates = [
        f"  - {{name: F, type: coincident, aligned: true, a: {face % ends[0]}, b: {face % ends[1]}}}\n",
        "  - {name: C, type: concentric, a: {component: base, point: [0, 0, 0], axis: [0, 0, 1]},"
        " b: {component: b, point: [0, 0, 0], axis: [0, 0, 1]}}\n",
    ]
    (tmp_path / "u.mates.yaml").write_text(f"""format: cadbridge.mates/1
ground: [base]
mates:
{"".join(mates if first == "F" else reversed(mates))}
  - {{name: W, type: revolute, a: {{component: base, point: [0, 0, 0], axis: [1, 0, 0]}}, b: {{component: w}}}}
{"joints: {J: {mates: [C, F]}}" if called == "J" else ""}
gears:
  - {{name: law, type: {law.replace("J", called)}{", periodic: false" if "cam" in law else ""}}}
""")
    found = build(read(tmp_path / "u.sdf"))
    run = simulate(found, Scenario(duration=0.01, gravity=(0.0, 0.0, 0.0), rates={called: 1.0}))
    rates = dict(zip([j.name for j in found.joints], run.result.trajectory.coordinate_rates[0], strict=True))
    joint = found.joint_named(called)
    assert joint is not None
    assert rates[joint.name] * found.sense(called) == pytest.approx(1.0)
    assert rates["W"] == pytest.approx(0.5)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_range_of_overrides_is_counted_as_the_joint_counts(swapped: bool, tmp_path: Path) -> None:
    """The joint counts as its first mate, a bore; the mate that slides bears its range and points the other way."""
    links = "".join(f'<link name="{n}"><inertial><mass>1</mass></inertial></link>' for n in ("base", "b"))
    (tmp_path / "u.sdf").write_text(f'<sdf version="1.9"><model name="u">{links}</model></sdf>')
    ends = ("b", "base") if swapped else ("base", "b")
    axis = "{component: %s, point: [0, 0, 0], axis: [0, 0, %d]}"
    (tmp_path / "u.mates.yaml").write_text(f"""format: cadbridge.mates/1
ground: [base]
mates:
  - {{name: bore, type: concentric, a: {axis % ("base", -1)}, b: {axis % ("b", -1)}}}
  - {{name: slide, type: prismatic, a: {axis % (ends[0], 1)}, b: {axis % (ends[1], 1)}, limits: {{upper: 70}}}}
overrides:
  - {{joints: bore, limits: {{lower: -10, upper: 40}}}}
""")
    (joint,) = build(read(tmp_path / "u.sdf")).joints
    assert (joint.name, joint.type) == ("bore", "prismatic")
    assert joint.limit is not None
    assert (joint.limit.lower, joint.limit.upper) == pytest.approx((-0.01, 0.04))


@pytest.mark.parametrize("direction", [(0.0, 0.6, 0.8), (0.0, -0.6, 0.8), (0.0, 0.6, -0.8), (0.0, -0.8, -0.6)])
def test_a_slide_between_faces_goes_along_the_nearest_axis_of_the_world(direction: tuple[float, ...]) -> None:
    """No mate says which way it counts: a range that somebody gives it must not depend on rounding."""
    x, y = np.array([1.0, 0.0, 0.0]), np.cross(direction, (1.0, 0.0, 0.0))
    faces = [mate(PLACES, n, MateKind.FLUSH, GROUND, "door", (0.0, 0.0, 0.0), d) for n, d in (("one", x), ("two", y))]
    joint = the_joint(door(*faces))
    axis = joint.X_AJ.R[:, 2]
    assert joint.type == "prismatic"
    assert axis[np.argmax(np.abs(axis))] > 0


def test_ranges_that_exclude_each_other_are_a_conflict() -> None:
    wrong = door(hinge("bottom", 0.0, limit=Limit(-0.5, -0.1)), hinge("top", 1.0, limit=Limit(0.1, 0.5)))
    mechanism = build(wrong)
    (told,) = [f for f in mechanism.findings if f.code == "CB229"]
    assert told.severity.value == "error"
    assert set(told.items) == {"bottom", "top"}
    assert "top from 5.73° to 28.65°" in told.message
    assert "CB414" not in {f.code for f in diagnose(mechanism).findings}


def test_springs_and_losses_of_all_mates_add() -> None:
    bottom = hinge("bottom", 0.0, stiffness=1.0, rest=0.2, damping=0.1, friction=0.01, armature=0.5)
    top = hinge("top", 1.0, stiffness=3.0, rest=-0.2, damping=0.2, friction=0.02, armature=0.25)
    joint = the_joint(door(bottom, top))
    assert (joint.stiffness, joint.rest) == pytest.approx((4.0, -0.1))
    assert (joint.damping, joint.friction, joint.armature) == pytest.approx((0.3, 0.03, 0.75))


def test_what_is_of_a_slide_is_not_put_on_a_turn_and_is_told() -> None:
    shaft = replace(mate(PLACES, "axis", MateKind.CONCENTRIC, GROUND, "door", (0, 0, 0), Z), damping=0.1)
    seat = mate(PLACES, "seat", MateKind.PLANAR, GROUND, "door", (0, 0, 0), Z)
    seat = replace(seat, limit=Limit(-0.01, 0.02), damping=7.0)
    mechanism = build(door(shaft, seat))
    (joint,) = mechanism.joints
    assert (joint.type, joint.limit, joint.damping) == ("revolute", None, 0.1)
    told = [f for f in mechanism.findings if f.code == "CB225"]
    assert [("limit of seat" in f.message, "damping of seat" in f.message) for f in told] == [
        (True, False),
        (False, True),
    ]


def test_both_names_of_a_joint_are_kept_and_find_it() -> None:
    bottom, top = hinge("bottom", 0.0, joint_name="swing"), hinge("top", 1.0, joint_name="gate")
    mechanism = build(door(bottom, top, drives=(Drive("motor", "gate", 10.0, 0.001),)))
    (joint,) = mechanism.joints
    assert joint.name == "swing"
    assert joint.armature == pytest.approx(0.1)
    assert {f.code for f in mechanism.findings} & {"CB226", "CB230"} == {"CB230"}
    for name in ("swing", "gate", "bottom", "top", "motor"):
        assert mechanism.joint_named(name) is joint


def test_two_springs_move_the_door_as_their_sum_does() -> None:
    """The period of a turn in springs k₁ and k₂ of rests r₁ and r₂, one counted the other way round."""
    bottom = hinge("bottom", 0.0, stiffness=2.0, rest=0.3)
    top = hinge("top", 1.0, down=True, stiffness=1.0, rest=-0.3)
    mechanism = build(door(bottom, top))
    run = simulate(mechanism, duration=0.5)
    columns = columns_of(run)
    angle = columns["joint.bottom.q"][0]
    inertia = 0.01 + 1.0 * 0.4**2  # about the hinge
    times = columns["time"][0]
    assert angle == pytest.approx(0.3 * (1 - np.cos(np.sqrt(3.0 / inertia) * times)), abs=1e-6)


def test_what_a_locked_hinge_carries_is_told() -> None:
    sprung = hinge("bottom", 0.0, stiffness=2.0, limit=Limit(-0.5, 0.5))
    bolt = mate(PLACES, "bolt", MateKind.FIXED, GROUND, "door", (0, 0, 0), Z)
    mechanism = build(door(sprung, bolt))
    assert mechanism.joints == ()
    (told,) = [f for f in mechanism.findings if f.code == "CB231"]
    assert told.items == ("bottom",)
    assert "its limit, spring have no effect" in told.message


LINKS = "".join(f'<link name="{n}"><inertial><mass>1</mass></inertial></link>' for n in ("base", "b"))
COUNTED_FILE = """format: cadbridge.mates/1
ground: [base]
mates:
  - {name: up, type: insert, a: {component: base, point: [0, 0, 0], axis: [0, 0, 1]},
     b: {component: b, point: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: down, type: insert, a: {component: base, point: [0, 0, 9], axis: [0, 0, -1]},
     b: {component: b, point: [0, 0, 9], axis: [0, 0, -1]}}
joints: {J: {mates: [up]}}
home: {%(name)s: 30}
drives: [{name: M, joint: %(name)s, reduction: 5}]
overrides: [{joints: %(name)s, limits: {lower: -10, upper: 40}}]
"""
COUNTED_SCENARIO = """format: cadbridge.scenario/1
gravity: [0, 0, 0]
initial: {positions: {%(name)s: 20}, rates: {%(name)s: 5}}
motors:
  - {joint: %(name)s, pd: {target: 30, kp: 2, kd: 1}}
loads:
  springs: [{joint: %(name)s, stiffness: 3, rest: 25}]
  stops: [{joint: %(name)s, lower: -40, upper: 60, stiffness: 1e4, damping: 1}]
events: [{joint: %(name)s, position: 22, direction: rising, stop: true}]
"""


@pytest.mark.parametrize(("name", "sense"), [("J", 1.0), ("up", 1.0), ("down", -1.0)])
def test_what_is_said_by_the_name_of_a_mate_counts_as_the_mate_counts(name: str, sense: float, tmp_path: Path) -> None:
    """All values: a coupling counted so, a home pose and a scenario as the joint, whatever they called it by."""
    (tmp_path / "u.sdf").write_text(f'<sdf version="1.9"><model name="u">{LINKS}</model></sdf>')
    (tmp_path / "u.mates.yaml").write_text(COUNTED_FILE % {"name": name})
    (tmp_path / "s.yaml").write_text(COUNTED_SCENARIO % {"name": name})
    found = build(read(tmp_path / "u.sdf"))
    (joint,), (drive,) = found.joints, found.drives
    assert (joint.name, joint.against) == ("J", ("down",))
    assert joint.limit == Limit(-10 * DEGREE, 40 * DEGREE).oriented(sense)
    assert found.home == pytest.approx({"J": sense * 30 * DEGREE})
    assert drive.reduction == sense * 5
    scenario = load_scenario(tmp_path / "s.yaml", found)
    assert (scenario.positions["J"], scenario.rates["J"]) == pytest.approx((sense * 20 * DEGREE, sense * 5 * DEGREE))
    target = on_joints(found, scenario).motors[0].function
    assert target.evaluate(0.0)[0] == pytest.approx(sense * 30 * DEGREE)
    assert scenario.loads.joint_springs[0][1].rest == pytest.approx(sense * 25 * DEGREE)
    stop = scenario.loads.stops[0][1]
    assert sorted(sense * end for end in (stop.lower, stop.upper)) == pytest.approx([-40 * DEGREE, 60 * DEGREE])
    assert (scenario.events[0].value, scenario.events[0].direction) == (
        pytest.approx(sense * 22 * DEGREE), "rising" if sense > 0 else "falling",
    )  # fmt: skip
    (tmp_path / "m.yaml").write_text(f"format: cadbridge.motion/1\njoints: {{{name}: 7}}\n")
    (path,) = load_motion(tmp_path / "m.yaml", found).joints
    assert path.function.evaluate(0.0)[0] == pytest.approx(sense * 7 * DEGREE)


def test_a_coupling_of_a_joint_without_an_axis_is_told_what_it_lacks(tmp_path: Path) -> None:
    """It was told to write teeth, which no `linear` has."""
    (tmp_path / "u.sdf").write_text(f'<sdf version="1.9"><model name="u">{LINKS}</model></sdf>')
    (tmp_path / "u.mates.yaml").write_text(
        """format: cadbridge.mates/1
ground: [base]
mates:
  - {name: face, type: coincident, a: {component: base, point: [0, 0, 0], normal: [0, 0, 1]},
     b: {component: b, point: [0, 0, 0], normal: [0, 0, -1]}}
  - {name: J, type: revolute, a: {component: b, point: [0, 0, 0], axis: [0, 0, 1]}, b: {component: c}}
gears:
  - {name: law, type: linear, factors: {face: 1, J: 2}}
"""
    )
    (told,) = (f for f in read(tmp_path / "u.sdf").findings if f.code == "CB149")
    assert "Write what 'face' is" in told.hint
    assert "`planar` where it lies on a plane" in told.hint
    assert "teeth" not in told.hint


@pytest.mark.parametrize(("other", "codes"), [(-30, []), (30, ["CB233"])])
def test_two_home_values_of_one_joint_are_told_where_they_differ(
    other: float, codes: list[str], tmp_path: Path
) -> None:
    (tmp_path / "u.sdf").write_text(f'<sdf version="1.9"><model name="u">{LINKS}</model></sdf>')
    text = COUNTED_FILE % {"name": "J"}
    (tmp_path / "u.mates.yaml").write_text(text.replace("home: {J: 30}", f"home: {{up: 30, down: {other}}}"))
    found = build(read(tmp_path / "u.sdf"))
    assert [f.code for f in found.findings if f.code == "CB233"] == codes
    assert found.home == pytest.approx({"J": -other * DEGREE})
